/* kernel/tensor/convolve.h: the kernel of tensor cores of a definition, of either engine. */
#ifndef CMK_KERNEL_TENSOR_CONVOLVE_H
#define CMK_KERNEL_TENSOR_CONVOLVE_H

#include "../bytes/bands.h"
#include "../bytes/march.h"
#include "../sweep/march.h"
#include "march.h"

/* The one call of a kernel; outside: as in image/fill.h. It has no body for a card without the products, or where a
 * definition has no such way. */
CMK_DEVICE_ void CMK_NAME_OF_(cmk_tensor_convolve_,
                              float)(const char *in, char *out, const cmk_tensor_region_ *region, const void *outside,
                                     cmk_image_sizes_ s, const void *const *tables,
                                     float (*tap)(const void *const *, int, int), void (*widen)(void *, const void *),
                                     void (*narrow)(void *, const void *))
{
    const cmk_image_task_ task = {in, out, &region->image, outside};
    const cmk_image_parts_float_ parts = {tables, tap, widen, narrow};
    (void)task, (void)parts, (void)s;
#if CMK_TENSOR_WARP_HAS_
    if (s.bytes.on && s.bytes.bands)
        cmk_bands_convolve_(task, s, parts);
    else if (s.bytes.on)
        cmk_bytes_convolve_(task, s, parts);
    else if (s.sweep.on)
        cmk_sweep_convolve_(task, region, s, parts);
#endif
#if CMK_TENSOR_HAS_
    if (s.tensor.on) cmk_tensor_march_(task, region, s, parts);
#endif
}

/* the kernels of a definition: that of image/march.h, and this */
#define CMK_TENSOR_KERNELS_(name, ...)                                                                                 \
    CMK_IMAGE_KERNEL_(name##_kernel, name, cmk_image_threads_, name##_sizes_().blocks, cmk_image_, IMAGE, __VA_ARGS__) \
    CMK_IMAGE_KERNEL_(name##_tensor_kernel, name, name##_sizes_().tensor_threads, name##_sizes_().tensor_blocks,       \
                      cmk_tensor_region_, TENSOR, __VA_ARGS__)
/* clang-format off */
#define CMK_TENSOR_GO_(S, k, ...) CMK_IF_CONSTANT_ ((k).tensor_way) CMK_CALL_OF_(cmk_tensor_convolve_, S)(__VA_ARGS__);
/* clang-format on */

#endif
