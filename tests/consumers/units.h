struct unit {
    void (*upload)(void);
    int (*launch)(const float *threes);
};

#if defined(__cplusplus)
extern "C" {
#endif
extern const struct unit unit_0, unit_1;
#if defined(__cplusplus)
}
#endif
