/* short_floats.h: half and bfloat16 by one name each, where the compiler has them. Include it before cmk/cmk.h. */
#ifndef SHORT_FLOATS_H
#define SHORT_FLOATS_H

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define TEST_HAS_half 1
#define TEST_HAS_bfloat16 1
typedef __half test_half;
typedef __nv_bfloat16 test_bfloat16;
#else
#if defined(__FLT16_MAX__)
#define TEST_HAS_half 1
__extension__ typedef _Float16 test_half;
#else
#define TEST_HAS_half 0
#endif
#if defined(__BFLT16_MAX__) && __GNUC__ >= 13
#define TEST_HAS_bfloat16 1
__extension__ typedef __bf16 test_bfloat16;
#else
#define TEST_HAS_bfloat16 0
#endif
#endif

#endif
