/* host/surface.h: surfaces: an array that kernels read and write without a filter. It is for programs that include
 * CUDA's headers by toolkit/. C++.
 *
 * x counts bytes, y and z count rows, planes or layers. What is outside is read as 0 and not written, or is the nearest
 * inside, or stops the program with the place of the call, by the boundary mode. */
#include "../base.h"
#ifndef CMK_HOST_SURFACE_H
#define CMK_HOST_SURFACE_H

#include "texture.h"

#if defined(__cplusplus)

typedef enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2
} cudaSurfaceBoundaryMode;

typedef unsigned long long cudaSurfaceObject_t;

/* The array must have been made with cudaArraySurfaceLoadStore. */
static inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource)
{
    if (!object || !resource || resource->resType != cudaResourceTypeArray || !resource->res.array.array ||
        !(resource->res.array.array->flags_ & cudaArraySurfaceLoadStore))
        return cmk_host_result_(cudaErrorInvalidValue);
    cudaArray *made = (cudaArray *)cmk_host_need_(malloc(sizeof *made), "a surface");
    *made = *resource->res.array.array;
    *object = (cudaSurfaceObject_t)(uintptr_t)made;
    return cudaSuccess;
}

static inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    free((void *)(uintptr_t)object);
    return cudaSuccess;
}

/* One access: what it is called, where it is, and of how many bytes. */
typedef struct cmk_host_surface_access_ {
    const char *name_;
    size_t bytes_;
    int mode_;
    const char *file_;
    int line_;
} cmk_host_surface_access_;

__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_surface_(const cmk_host_surface_access_ *access,
                                                                            const long long *at, const long long *size)
{
    cmk_host_fail_(access->file_, access->line_,
                   "%s of %zu bytes at byte %lld of row %lld of plane or layer %lld: the surface has rows of %lld "
                   "bytes, %lld rows, and %lld planes or layers (cudaBoundaryModeTrap)",
                   access->name_, access->bytes_, at[0], at[1], at[2], size[0], size[1], size[2]);
}

/* The address of an element, which is checked; null where it is outside. `at` becomes the place by the mode. */
CMK_HOST_HELPER_ char *cmk_host_surface_at_(cudaSurfaceObject_t object, long long *at,
                                            const cmk_host_surface_access_ *access)
{
    const cudaArray *array = (const cudaArray *)(uintptr_t)object;
    const long long bytes = (long long)access->bytes_, row = (long long)(array->element_ * array->width_);
    const long long size[3] = {row, array->height_ ? (long long)array->height_ : 1,
                               array->depth_ ? (long long)array->depth_ : 1};
    if (at[0] % bytes != 0)
        cmk_host_fail_(access->file_, access->line_,
                       "%s of %zu bytes at byte %lld of a row, which is misaligned: x counts bytes", access->name_,
                       access->bytes_, at[0]);
    for (int axis = 0; axis < 3; axis++) {
        const long long last = axis ? size[axis] - 1 : row - bytes;
        if (at[axis] >= 0 && at[axis] <= last) continue;
        if (access->mode_ == cudaBoundaryModeTrap) cmk_host_fail_surface_(access, at, size);
        if (access->mode_ == cudaBoundaryModeZero) return NULL;
        at[axis] = at[axis] < 0 ? 0 : last;
    }
    char *address = array->memory_ + (at[2] * size[1] + at[1]) * row + at[0];
    return (char *)(uintptr_t)cmk_host_readable_(address, access->bytes_, 1, access->file_, access->line_);
}

CMK_HOST_HELPER_ void cmk_host_surface_read_(void *value, cudaSurfaceObject_t object, long long x, long long y,
                                             long long z, cmk_host_surface_access_ access)
{
    long long at[3] = {x, y, z};
    const char *from = cmk_host_surface_at_(object, at, &access);
    if (from)
        cmk_host_copy_(value, from, access.bytes_);
    else
        cmk_host_fill_(value, 0, access.bytes_);
}

CMK_HOST_HELPER_ void cmk_host_surface_write_(const void *value, cudaSurfaceObject_t object, long long x, long long y,
                                              long long z, cmk_host_surface_access_ access)
{
    long long at[3] = {x, y, z};
    char *to = cmk_host_surface_at_(object, at, &access);
    if (to) cmk_host_copy_(to, value, access.bytes_);
}

/* ---- What kernels call: T name(object, place, mode), name(&value, object, place, mode), name(value, object, place,
 * mode). Where and how is at the end of their parameters. */
#define CMK_HOST_HOW_ cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, CMK_HOST_WHERE_
#define CMK_HOST_TAKES_ template <class T> CMK_HOST_UNSEEN_

CMK_HOST_TAKES_ void surf1Dread(T *value, cudaSurfaceObject_t object, int x, CMK_HOST_HOW_)
{
    cmk_host_surface_read_(value, object, x, 0, 0, {"surf1Dread", sizeof *value, mode, file, line});
}

CMK_HOST_TAKES_ T surf1Dread(cudaSurfaceObject_t object, int x, CMK_HOST_HOW_)
{
    T value;
    cmk_host_surface_read_(&value, object, x, 0, 0, {"surf1Dread", sizeof value, mode, file, line});
    return value;
}

CMK_HOST_TAKES_ void surf1Dwrite(T value, cudaSurfaceObject_t object, int x, CMK_HOST_HOW_)
{
    cmk_host_surface_write_(&value, object, x, 0, 0, {"surf1Dwrite", sizeof value, mode, file, line});
}

CMK_HOST_TAKES_ void surf2Dread(T *value, cudaSurfaceObject_t object, int x, int y, CMK_HOST_HOW_)
{
    cmk_host_surface_read_(value, object, x, y, 0, {"surf2Dread", sizeof *value, mode, file, line});
}

CMK_HOST_TAKES_ T surf2Dread(cudaSurfaceObject_t object, int x, int y, CMK_HOST_HOW_)
{
    T value;
    cmk_host_surface_read_(&value, object, x, y, 0, {"surf2Dread", sizeof value, mode, file, line});
    return value;
}

CMK_HOST_TAKES_ void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y, CMK_HOST_HOW_)
{
    cmk_host_surface_write_(&value, object, x, y, 0, {"surf2Dwrite", sizeof value, mode, file, line});
}

CMK_HOST_TAKES_ void surf3Dread(T *value, cudaSurfaceObject_t object, int x, int y, int z, CMK_HOST_HOW_)
{
    cmk_host_surface_read_(value, object, x, y, z, {"surf3Dread", sizeof *value, mode, file, line});
}

CMK_HOST_TAKES_ T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, CMK_HOST_HOW_)
{
    T value;
    cmk_host_surface_read_(&value, object, x, y, z, {"surf3Dread", sizeof value, mode, file, line});
    return value;
}

CMK_HOST_TAKES_ void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z, CMK_HOST_HOW_)
{
    cmk_host_surface_write_(&value, object, x, y, z, {"surf3Dwrite", sizeof value, mode, file, line});
}

CMK_HOST_TAKES_ void surf1DLayeredread(T *value, cudaSurfaceObject_t object, int x, int layer, CMK_HOST_HOW_)
{
    cmk_host_surface_read_(value, object, x, 0, layer, {"surf1DLayeredread", sizeof *value, mode, file, line});
}

CMK_HOST_TAKES_ T surf1DLayeredread(cudaSurfaceObject_t object, int x, int layer, CMK_HOST_HOW_)
{
    T value;
    cmk_host_surface_read_(&value, object, x, 0, layer, {"surf1DLayeredread", sizeof value, mode, file, line});
    return value;
}

CMK_HOST_TAKES_ void surf1DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int layer, CMK_HOST_HOW_)
{
    cmk_host_surface_write_(&value, object, x, 0, layer, {"surf1DLayeredwrite", sizeof value, mode, file, line});
}

CMK_HOST_TAKES_ void surf2DLayeredread(T *value, cudaSurfaceObject_t object, int x, int y, int layer, CMK_HOST_HOW_)
{
    cmk_host_surface_read_(value, object, x, y, layer, {"surf2DLayeredread", sizeof *value, mode, file, line});
}

CMK_HOST_TAKES_ T surf2DLayeredread(cudaSurfaceObject_t object, int x, int y, int layer, CMK_HOST_HOW_)
{
    T value;
    cmk_host_surface_read_(&value, object, x, y, layer, {"surf2DLayeredread", sizeof value, mode, file, line});
    return value;
}

CMK_HOST_TAKES_ void surf2DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int y, int layer, CMK_HOST_HOW_)
{
    cmk_host_surface_write_(&value, object, x, y, layer, {"surf2DLayeredwrite", sizeof value, mode, file, line});
}

#endif

#endif
