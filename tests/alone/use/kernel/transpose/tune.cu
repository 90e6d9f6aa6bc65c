CMK_STATIC_ASSERT(CMK_TRANSPOSE_THREADS_(4) == 256 && CMK_TRANSPOSE_SQUARE_THREADS_(2) == 512, "threads");
CMK_STATIC_ASSERT(CMK_TRANSPOSE_BLOCKS_(1) == 0 && CMK_TRANSPOSE_SQUARE_BLOCKS_(2) == 2, "blocks");

#if !defined(__CUDACC_RTC__)
int main(void)
{
    return cmk_transpose_width_(4) != 64 || cmk_transpose_height_(16) != 32 || cmk_transpose_edge_(1) != 128 ||
           cmk_transpose_any_loaded_(8) != 64;
}
#endif
