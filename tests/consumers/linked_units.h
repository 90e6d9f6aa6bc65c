struct linked_unit {
    int (*upload)(float first);        /* sets the tables of all files to first, first + 1, ...; 1 if that worked */
    int (*read)(float *to, int count); /* the first elements, up to 8, by a kernel of this file */
    int (*upload_own)(float value);    /* sets the table of this file */
    int (*read_own)(float *to);
};

#if defined(__cplusplus)
extern "C" {
#endif
extern const struct linked_unit linked_0, linked_1;
#if defined(__cplusplus)
}
#endif
