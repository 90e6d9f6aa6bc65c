/* host/texture.h: arrays and textures of 1 to 3 dimensions, layered ones too, read by points or linearly between them.
 * It is for programs that include CUDA's headers by toolkit/. C++.
 *
 * A linear read weighs its neighbours by 8 bits of the fraction, as CUDA says. Wrap and mirror are for normalized
 * coordinates. For other coordinates both are clamp. */
#include "../base.h"
#ifndef CMK_HOST_TEXTURE_H
#define CMK_HOST_TEXTURE_H

#include "half.h"
#include "intrinsics.h"

#if defined(__cplusplus)

typedef enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3
} cudaTextureAddressMode;

typedef enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 } cudaTextureFilterMode;
typedef enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 } cudaTextureReadMode;

typedef enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1, /* not supported */
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3
} cudaResourceType;

typedef struct cudaResourceDesc {
    cudaResourceType resType;
    struct { /* a union in CUDA */
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
} cudaResourceDesc;

typedef struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

typedef struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
} cudaResourceViewDesc;

typedef unsigned long long cudaTextureObject_t;
enum { cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayTextureGather = 8 };

typedef struct cmk_host_texture_ {
    const char *memory_;
    cudaChannelFormatDesc format_;
    size_t element_, pitch_, step_; /* bytes: of an element, from row to row, from plane to plane */
    long long size_[3];
    cudaTextureDesc how_;
} cmk_host_texture_;

/* ---- Formats */
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    const cudaChannelFormatDesc format = {x, y, z, w, kind};
    return format;
}

template <class T> struct cmk_host_channels_ {
    typedef T type;
    enum { count = 1 };
};
#define CMK_HOST_CHANNELS_(T, name, n)                                                                                 \
    template <> struct cmk_host_channels_<name##n> {                                                                   \
        typedef T type;                                                                                                \
        enum { count = n };                                                                                            \
    };
#define CMK_HOST_CHANNELS_OF_(T, name)                                                                                 \
    CMK_HOST_CHANNELS_(T, name, 1) CMK_HOST_CHANNELS_(T, name, 2) CMK_HOST_CHANNELS_(T, name, 4)
CMK_HOST_CHANNELS_OF_(signed char, char)
CMK_HOST_CHANNELS_OF_(unsigned char, uchar)
CMK_HOST_CHANNELS_OF_(short, short)
CMK_HOST_CHANNELS_OF_(unsigned short, ushort)
CMK_HOST_CHANNELS_OF_(int, int)
CMK_HOST_CHANNELS_OF_(unsigned, uint)
CMK_HOST_CHANNELS_OF_(float, float)

template <class T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename cmk_host_channels_<T>::type channel;
    const int bits = 8 * (int)sizeof(channel), count = cmk_host_channels_<T>::count;
    const cudaChannelFormatKind kind = (channel)0.5f != (channel)0 ? cudaChannelFormatKindFloat
                                       : (channel)-1 < (channel)0  ? cudaChannelFormatKindSigned
                                                                   : cudaChannelFormatKindUnsigned;
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind);
}

static inline size_t cmk_host_format_bytes_(cudaChannelFormatDesc format)
{
    return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

/* ---- Arrays, whose rows have no gaps. Of a layered array the depth is the number of layers. */
static inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                                            unsigned flags = cudaArrayDefault)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
    if (!array || !format || extent.width == 0 || (flags & ~known)) return cmk_host_result_(cudaErrorInvalidValue);
    if (flags & cudaArrayLayered && extent.depth == 0) return cmk_host_result_(cudaErrorInvalidValue);
    cudaArray *made = (cudaArray *)cmk_host_need_(calloc(1, sizeof *made), "an array");
    made->format_ = *format;
    made->element_ = cmk_host_format_bytes_(*format);
    made->width_ = extent.width;
    made->height_ = extent.height;
    made->depth_ = extent.depth;
    made->flags_ = flags;
    const size_t rows = (extent.height ? extent.height : 1) * (extent.depth ? extent.depth : 1);
    const cudaError_t error = cudaMalloc(&made->memory_, made->element_ * extent.width * rows);
    if (error == cudaSuccess)
        *array = made;
    else
        free(made);
    return error;
}

static inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width,
                                          size_t height = 0, unsigned flags = cudaArrayDefault)
{
    return cudaMalloc3DArray(array, format, make_cudaExtent(width, height, 0), flags);
}

static inline cudaError_t cudaFreeArray(cudaArray_t array)
{
    const cudaError_t error = array ? cudaFree(array->memory_) : cudaSuccess;
    free(array);
    return error;
}

static inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    if (!format || !array) return cmk_host_result_(cudaErrorInvalidValue);
    *format = array->format_;
    return cudaSuccess;
}

static inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                                           cudaArray_t array)
{
    if (!array) return cmk_host_result_(cudaErrorInvalidValue);
    if (format) *format = array->format_;
    if (extent) *extent = make_cudaExtent(array->width_, array->height_, array->depth_);
    if (flags) *flags = array->flags_;
    return cudaSuccess;
}

static inline size_t cmk_host_array_pitch_(const cudaArray *array)
{
    return array->element_ * array->width_;
}

static inline cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch,
                                              size_t width, size_t height, cudaMemcpyKind kind)
{
    const size_t own = cmk_host_array_pitch_(array);
    return cudaMemcpy2D(array->memory_ + y * own + x, own, from, pitch, width, height, kind);
}

static inline cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
                                                size_t width, size_t height, cudaMemcpyKind kind)
{
    const size_t own = cmk_host_array_pitch_(array);
    return cudaMemcpy2D(to, pitch, array->memory_ + y * own + x, own, width, height, kind);
}

static inline cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t bytes,
                                            cudaMemcpyKind kind)
{
    return cudaMemcpy(array->memory_ + y * cmk_host_array_pitch_(array) + x, from, bytes, kind);
}

static inline cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                                              cudaMemcpyKind kind)
{
    return cudaMemcpy(to, array->memory_ + y * cmk_host_array_pitch_(array) + x, bytes, kind);
}

/* ---- Textures */
static inline void cmk_host_texture_place_(cmk_host_texture_ *texture, const void *memory, cudaChannelFormatDesc format,
                                           size_t pitch, cudaExtent size)
{
    texture->memory_ = (const char *)memory;
    texture->format_ = format;
    texture->element_ = cmk_host_format_bytes_(format);
    texture->pitch_ = pitch;
    texture->step_ = pitch * (size.height ? size.height : 1);
    texture->size_[0] = (long long)size.width;
    texture->size_[1] = (long long)size.height;
    texture->size_[2] = (long long)size.depth;
}

static inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                                  const cudaTextureDesc *how, const cudaResourceViewDesc *view)
{
    if (!object || !resource || !how || view || resource->resType == cudaResourceTypeMipmappedArray)
        return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_texture_ *made = (cmk_host_texture_ *)cmk_host_need_(calloc(1, sizeof *made), "a texture");
    const auto &linear = resource->res.linear;
    const auto &pitched = resource->res.pitch2D;
    const cudaArray *array = resource->res.array.array;
    made->how_ = *how;
    if (resource->resType == cudaResourceTypeArray)
        cmk_host_texture_place_(made, array->memory_, array->format_, cmk_host_array_pitch_(array),
                                make_cudaExtent(array->width_, array->height_, array->depth_));
    else if (resource->resType == cudaResourceTypeLinear)
        cmk_host_texture_place_(made, linear.devPtr, linear.desc, linear.sizeInBytes,
                                make_cudaExtent(linear.sizeInBytes / cmk_host_format_bytes_(linear.desc), 0, 0));
    else
        cmk_host_texture_place_(made, pitched.devPtr, pitched.desc, pitched.pitchInBytes,
                                make_cudaExtent(pitched.width, pitched.height, 0));
    *object = (cudaTextureObject_t)(uintptr_t)made;
    return cudaSuccess;
}

static inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    free((void *)(uintptr_t)object);
    return cudaSuccess;
}

/* The index that an address mode gives for an index; -1 where it is outside. */
static inline long long cmk_host_texture_index_(const cmk_host_texture_ *texture, int axis, long long index)
{
    const long long size = texture->size_[axis] > 0 ? texture->size_[axis] : 1;
    const cudaTextureAddressMode mode = texture->how_.addressMode[axis];
    if (index >= 0 && index < size) return index;
    if (mode == cudaAddressModeBorder) return -1;
    if (!texture->how_.normalizedCoords || mode == cudaAddressModeClamp) return index < 0 ? 0 : size - 1;
    const long long span = mode == cudaAddressModeWrap ? size : 2 * size, at = (index % span + span) % span;
    return at < size ? at : span - 1 - at;
}

/* One channel of an element as a number: its value, or, where it is normalized, from -1 to 1 or from 0 to 1. */
static inline double cmk_host_texture_channel_(const cmk_host_texture_ *texture, const char *element, int channel)
{
    const size_t bytes = (size_t)texture->format_.x / 8;
    unsigned bits = 0;
    memcpy(&bits, element + (size_t)channel * bytes, bytes);
    if (texture->format_.f == cudaChannelFormatKindFloat)
        return bytes == 2 ? (double)cmk_host_half_value_((unsigned short)bits) : (double)__uint_as_float(bits);
    const double most = ldexp(1.0, texture->format_.x) - 1.0;
    const int is_signed = texture->format_.f == cudaChannelFormatKindSigned;
    double value = is_signed && bits > most / 2 ? bits - most - 1.0 : bits;
    if (texture->how_.readMode == cudaReadModeNormalizedFloat) value /= is_signed ? (most - 1.0) / 2 : most;
    return value < -1.0 && texture->how_.readMode == cudaReadModeNormalizedFloat ? -1.0 : value;
}

/* Adds the channels of the element at an index to sums, times weight. */
static inline void cmk_host_texture_add_(const cmk_host_texture_ *texture, const long long *index, double weight,
                                         int channels, double *sums, const char *file, int line)
{
    long long at[3];
    int outside = 0;
    for (int axis = 0; axis < 3; axis++)
        outside |= (at[axis] = cmk_host_texture_index_(texture, axis, index[axis])) < 0;
    const char *element = texture->memory_ + (size_t)at[2] * texture->step_ + (size_t)at[1] * texture->pitch_ +
                          (size_t)at[0] * texture->element_;
    if (!outside) (void)cmk_host_readable_(element, texture->element_, 1, file, line);
    for (int c = 0; c < channels; c++)
        sums[c] += weight * (outside ? (double)texture->how_.borderColor[c]
                             : c < (int)(8 * texture->element_) / texture->format_.x
                                 ? cmk_host_texture_channel_(texture, element, c)
                                 : 0.0);
}

/* the last parameters of what kernels call: their place in the source */
#define CMK_HOST_WHERE_ const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* Reads the element at a place, or weighs the 8 around it. Those with a weight of 0 are not read. Behind the axes of
 * the place, `layer` is the plane, which ends with the last one. */
template <class T>
T cmk_host_texture_read_(cudaTextureObject_t object, const float *place, int axes, int layer, const char *file,
                         int line)
{
    typedef typename cmk_host_channels_<T>::type channel;
    enum { channels = cmk_host_channels_<T>::count };
    const cmk_host_texture_ *texture = (const cmk_host_texture_ *)(uintptr_t)object;
    const int linear = texture->how_.filterMode == cudaFilterModeLinear;
    const long long last = texture->size_[2] > 0 ? texture->size_[2] - 1 : 0;
#if CMK_HOST_TRACE_
    cmk_host_count_lane_(cmk_host_texture_load_, sizeof(T), file, line);
#endif
    long long low[3] = {0, 0, layer < 0 ? 0 : layer < last ? layer : last};
    double share[3] = {0, 0, 0}, sums[channels] = {0};
    for (int axis = 0; axis < axes; axis++) {
        const float scale = texture->how_.normalizedCoords ? (float)texture->size_[axis] : 1.0f;
        const double at = (double)(place[axis] * scale) - (linear ? 0.5 : 0.0);
        low[axis] = (long long)floor(at);
        if (linear) share[axis] = rint((at - floor(at)) * 256.0) / 256.0;
    }
    for (int corner = 0; corner < (linear ? 8 : 1); corner++) {
        long long index[3];
        double weight = 1.0;
        for (int axis = 0; axis < 3; axis++) {
            const int upper = corner >> axis & 1;
            index[axis] = low[axis] + upper;
            weight *= upper ? share[axis] : 1.0 - share[axis];
        }
        if (weight > 0.0) cmk_host_texture_add_(texture, index, weight, channels, sums, file, line);
    }
    channel values[channels];
    T value;
    for (int c = 0; c < channels; c++) values[c] = (channel)sums[c];
    memcpy(&value, values, sizeof value);
    return value;
}

template <class T> T tex1D(cudaTextureObject_t object, float x, CMK_HOST_WHERE_)
{
    return cmk_host_texture_read_<T>(object, &x, 1, 0, file, line);
}

template <class T> T tex2D(cudaTextureObject_t object, float x, float y, CMK_HOST_WHERE_)
{
    const float place[2] = {x, y};
    return cmk_host_texture_read_<T>(object, place, 2, 0, file, line);
}

template <class T> T tex3D(cudaTextureObject_t object, float x, float y, float z, CMK_HOST_WHERE_)
{
    const float place[3] = {x, y, z};
    return cmk_host_texture_read_<T>(object, place, 3, 0, file, line);
}

template <class T> T tex1DLayered(cudaTextureObject_t object, float x, int layer, CMK_HOST_WHERE_)
{
    return cmk_host_texture_read_<T>(object, &x, 1, layer, file, line);
}

template <class T> T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer, CMK_HOST_WHERE_)
{
    const float place[2] = {x, y};
    return cmk_host_texture_read_<T>(object, place, 2, layer, file, line);
}

/* The element of linear memory at an index; 0 for an index outside. */
template <class T> T tex1Dfetch(cudaTextureObject_t object, int index, CMK_HOST_WHERE_)
{
    const cmk_host_texture_ *texture = (const cmk_host_texture_ *)(uintptr_t)object;
    typedef typename cmk_host_channels_<T>::type channel;
    channel values[cmk_host_channels_<T>::count];
    double sums[cmk_host_channels_<T>::count] = {0};
    const long long at[3] = {index, 0, 0};
    T value;
#if CMK_HOST_TRACE_
    cmk_host_count_lane_(cmk_host_texture_load_, sizeof(T), file, line);
#endif
    if (index >= 0 && index < texture->size_[0])
        cmk_host_texture_add_(texture, at, 1.0, cmk_host_channels_<T>::count, sums, file, line);
    for (int c = 0; c < cmk_host_channels_<T>::count; c++) values[c] = (channel)sums[c];
    memcpy(&value, values, sizeof value);
    return value;
}

#endif

#endif
