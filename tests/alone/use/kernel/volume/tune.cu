typedef char rows_of_a_thread[CMK_VOLUME_EACH_(3, 27) + CMK_VOLUME_STAGES_(4) + CMK_VOLUME_BLOCKS_(4)];
typedef char of_a_separable_one[CMK_VOLUME_SEPARABLE_STAGES_(2) + CMK_VOLUME_SEPARABLE_BLOCKS_(2)];

#if !defined(__CUDACC_RTC__)
int main(void)
{
    return sizeof(rows_of_a_thread) != 9 || sizeof(of_a_separable_one) != 5;
}
#endif
