/* kernel/tensor/convolve.h: the kernel of tensor cores of a definition, of either engine. */
#ifndef CMK_KERNEL_TENSOR_CONVOLVE_H
#define CMK_KERNEL_TENSOR_CONVOLVE_H

#include "../bytes/bands.h"
#include "../bytes/march.h"
#include "../sweep/march.h"
#include "march.h"

/* what a kernel of tensor cores hands to its way */
typedef struct {
    cmk_image_task_ task;
    const cmk_tensor_region_ *region;
    cmk_image_parts_float_ parts;
} cmk_way_call_;

/* The ways. Each has no body in code for a card without its products. */
CMK_DEVICE_ void cmk_way_go_bands_(const cmk_way_call_ *call, cmk_image_sizes_ k)
{
    (void)call, (void)k;
#if CMK_TENSOR_WARP_HAS_
    cmk_bands_convolve_(call->task, k, call->parts);
#endif
}
CMK_DEVICE_ void cmk_way_go_bytes_(const cmk_way_call_ *call, cmk_image_sizes_ k)
{
    (void)call, (void)k;
#if CMK_TENSOR_WARP_HAS_
    cmk_bytes_convolve_(call->task, k, call->parts);
#endif
}
CMK_DEVICE_ void cmk_way_go_sweep_(const cmk_way_call_ *call, cmk_image_sizes_ k)
{
    (void)call, (void)k;
#if CMK_TENSOR_WARP_HAS_
    cmk_sweep_convolve_(call->task, call->region, k, call->parts);
#endif
}
CMK_DEVICE_ void cmk_way_go_rows_(const cmk_way_call_ *call, cmk_image_sizes_ k)
{
    (void)call, (void)k;
#if CMK_TENSOR_HAS_
    cmk_tensor_march_(call->task, call->region, k, call->parts);
#endif
}

/* the kernels of a definition: that of image/march.h, and this */
#define CMK_TENSOR_KERNELS_(name, ...)                                                                                 \
    CMK_IMAGE_KERNEL_(name##_kernel, name, cmk_image_threads_, name##_sizes_().blocks, cmk_image_, IMAGE, __VA_ARGS__) \
    CMK_IMAGE_KERNEL_(name##_tensor_kernel, name, name##_sizes_().tensor_threads, name##_sizes_().tensor_blocks,       \
                      cmk_tensor_region_, TENSOR, __VA_ARGS__)
/* The call of the way of a definition, a constant. A definition whose sums are no floats has none, but names its tap
 * here too: hence the cast. */
/* clang-format off */
#define CMK_WAY_(way, k) CMK_IF_CONSTANT_ ((k).tensor_way == cmk_way_##way##_) cmk_way_go_##way##_(&cmk_call_, k);
#define CMK_WAY_TAP_(tap) ((float (*)(const void *const *, int, int))(void (*)(void))(tap))
#define CMK_TENSOR_GO_(SUM, k, in, out, region, outside, sizes, tables, tap, ...) \
    const cmk_image_task_ cmk_task_ = {in, out, &(region)->image, outside}; \
    const cmk_way_call_ cmk_call_ = {cmk_task_, region, {tables, CMK_WAY_TAP_(tap), __VA_ARGS__}}; \
    (void)cmk_call_; CMK_WAY_(bands, k) CMK_WAY_(bytes, k) CMK_WAY_(sweep, k) CMK_WAY_(rows, k)
/* clang-format on */

#endif
