/* kernel/planes/multiply.h: products of a group whose matrix A is in registers; host/tensor.h does the same. */
#ifndef CMK_KERNEL_PLANES_MULTIPLY_H
#define CMK_KERNEL_PLANES_MULTIPLY_H

#include "../tensor/multiply.h"

#if defined(__CUDACC__) && CMK_TENSOR_HAS_

/* clang-format off: lists of operands */
#define CMK_PLANES_D_40_ CMK_TENSOR_D_2_, CMK_TENSOR_FOUR_(16)
#define CMK_PLANES_D_48_ CMK_TENSOR_D_3_
#define CMK_PLANES_D_56_ CMK_TENSOR_D_3_, CMK_TENSOR_FOUR_(24)
#define CMK_PLANES_TEXT_40_ CMK_TENSOR_TEXT_2_ ", %16, %17, %18, %19"
#define CMK_PLANES_TEXT_48_ CMK_TENSOR_TEXT_3_
#define CMK_PLANES_TEXT_56_ CMK_TENSOR_TEXT_3_ ", %24, %25, %26, %27"
/* clang-format on */
#define CMK_PLANES_PRODUCT_(N, left_numbers, right_number, add_number)                                                 \
    asm volatile(CMK_TENSOR_ADDS_(add_number) CMK_TENSOR_OF_(N) "{" CMK_PLANES_TEXT_##N##_                             \
                 "}, {" left_numbers "}, %" #right_number ", adds, 1, 1, 0; }"                                         \
                 : CMK_PLANES_D_##N##_                                                                                 \
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(adds))

/* d = A B, or d + A B. Of A a thread has halves 2 (t % 4) and behind of row t / 4 % 8 + t / 32 * 16 in left[0], of 8
 * rows further in left[1], and the same of the 8 halves that follow in left[2] and left[3]. columns: 40, 48 or 56 */
CMK_DEVICE_ void cmk_planes_multiply_(float *d, int columns, const unsigned *left, cmk_tensor_at_ b, int b_bytes,
                                      int b_lead, int adds)
{
    const unsigned long long right = cmk_tensor_matrix_(b, b_bytes, b_lead);
    if (columns == 40) CMK_PLANES_PRODUCT_(40, "%20, %21, %22, %23", 24, 25);
    if (columns == 48) CMK_PLANES_PRODUCT_(48, "%24, %25, %26, %27", 28, 29);
    if (columns == 56) CMK_PLANES_PRODUCT_(56, "%28, %29, %30, %31", 32, 33);
}

#endif

#endif
