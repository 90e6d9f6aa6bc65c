/* span.h: launchers of definitions, called with the mdspans and spans of C++, which bring sizes and pitches with them.
 * C++17; in C this header is empty.
 *
 *   CMK_SPAN_CALL(name, in, out, arguments...)
 *                    calls name, which a definition of kernel/ has made, with two views in and out. The arguments are
 *                    those of name behind its sizes: tables and the stream. Value: the cudaError_t of name;
 *                    cudaErrorInvalidValue where the sizes of in and out differ, or a last stride is not 1
 *   CMK_SPAN_BATCH(name, in, out, arguments...)
 *                    calls name_batch. The first axis of both views goes from image to image
 *   CMK_SPAN_TRANSPOSE(name, in, out, stream)
 *                    calls name of a CMK_DEFINE_TRANSPOSE. out has the sizes of in in the other order
 *
 * A view is a std::span, or an mdspan of rank 1, 2 or 3: std::mdspan, cuda::std::mdspan, or a class with their members.
 * Its axes are planes, rows and columns, of images of one channel. Its layout is layout_right, or layout_stride with a
 * last stride of 1, so that a row is contiguous. The pitch is the stride from row to row. Views are of device memory.
 * The header includes none of the headers that define views. Where nvcc compiles, those of libcu++ are there. The CPU
 * backend takes those of the C++ library, as libcu++ needs CUDA's own headers.
 *
 *   CMK_DEFINE_CONV2D(blur, float, 1, 5, weights, CMK_EDGE_CLAMP);
 *   CMK_CHECK(CMK_SPAN_CALL(blur, in, out, weights, 0)); */
#ifndef CMK_SPAN_H
#define CMK_SPAN_H

#include "base.h"

#if defined(__cplusplus) && CMK_HAS_HOST_

#include <type_traits>

/* name_call is there for each definition, and for no name_batch, whose parameters have the types of a volume's call. */
#define CMK_SPAN_CALL(name, ...) ((void)sizeof(name##_call), cmk_span_call_(name, __VA_ARGS__))
#define CMK_SPAN_BATCH(name, ...) ((void)sizeof(name##_call), cmk_span_batch_(name##_batch, __VA_ARGS__))
#define CMK_SPAN_TRANSPOSE(name, ...) ((void)sizeof(name##_call), cmk_span_transpose_(name, __VA_ARGS__))

/* the layout that a class of mdspans has unless told: layout_right */
template <class view> struct cmk_span_layout_;
template <template <class...> class mdspan, class element, class extents, class... more>
struct cmk_span_layout_<mdspan<element, extents, more...>> {
    typedef typename mdspan<element, extents>::layout_type right;
};

/* what both kinds of views have in common; first a span */
template <class view, class = void> struct cmk_span_ {
    enum { rank = 1, has_rows = 1 };
    static auto at(const view &v)
    {
        return v.data();
    }
    static size_t extent(const view &v, int)
    {
        return v.size();
    }
    static size_t stride(const view &, int)
    {
        return 1;
    }
};
template <class view> struct cmk_span_<view, std::void_t<typename view::layout_type>> {
    typedef typename cmk_span_layout_<view>::right right;
    enum {
        rank = (int)view::rank(),
        has_rows = std::is_same<typename view::layout_type, right>::value ||
                   (view::is_always_strided() && !view::is_always_exhaustive()) /* layout_stride */
    };
    static auto at(const view &v)
    {
        return v.data_handle();
    }
    static size_t extent(const view &v, int axis)
    {
        return (size_t)v.extent((unsigned)axis);
    }
    static size_t stride(const view &v, int axis)
    {
        return (size_t)v.stride((unsigned)axis);
    }
};

/* an argument of the type of the parameter, so that a 0 may be a stream */
template <class parameter> struct cmk_span_as_ {
    typedef parameter type;
};

/* whether two views may be arguments; each axis of `in` is one of `out`, counted from the last one where swapped */
template <int rank, class in_view, class out_view>
bool cmk_span_fit_(const in_view &in, const out_view &out, int swapped)
{
    typedef cmk_span_<in_view> from;
    typedef cmk_span_<out_view> to;
    CMK_STATIC_ASSERT(
        (int)from::rank == rank && (int)to::rank == rank,
        "cmk: span.h: a view must have the rank of the function: lines 1, images 2, volumes and batches 3");
    CMK_STATIC_ASSERT(from::has_rows && to::has_rows,
                      "cmk: span.h: rows must be contiguous: layout_right, or layout_stride with a last stride of 1");
    bool fit = from::stride(in, rank - 1) == 1 && to::stride(out, rank - 1) == 1;
    for (int axis = 0; axis < rank; ++axis)
        fit = fit && from::extent(in, axis) == to::extent(out, swapped ? rank - 1 - axis : axis);
    return fit;
}

template <class input, class output, class... parameters, class in_view, class out_view>
cudaError_t cmk_span_call_(cudaError_t (*call)(const input *, output *, size_t, parameters...), const in_view &in,
                           const out_view &out, typename cmk_span_as_<parameters>::type... arguments)
{
    typedef cmk_span_<in_view> from;
    if (!cmk_span_fit_<1>(in, out, 0)) return cudaErrorInvalidValue;
    return call(from::at(in), cmk_span_<out_view>::at(out), from::extent(in, 0), arguments...);
}

template <class input, class output, class... parameters, class in_view, class out_view>
cudaError_t cmk_span_image_(cudaError_t (*call)(const input *, size_t, output *, size_t, size_t, size_t, parameters...),
                            const in_view &in, const out_view &out, int swapped, parameters... arguments)
{
    typedef cmk_span_<in_view> from;
    typedef cmk_span_<out_view> to;
    if (!cmk_span_fit_<2>(in, out, swapped)) return cudaErrorInvalidValue;
    return call(from::at(in), from::stride(in, 0), to::at(out), to::stride(out, 0), from::extent(in, 0),
                from::extent(in, 1), arguments...);
}

template <class input, class output, class... parameters, class in_view, class out_view>
cudaError_t cmk_span_call_(cudaError_t (*call)(const input *, size_t, output *, size_t, size_t, size_t, parameters...),
                           const in_view &in, const out_view &out, typename cmk_span_as_<parameters>::type... arguments)
{
    return cmk_span_image_(call, in, out, 0, arguments...);
}

template <class element, class in_view, class out_view>
cudaError_t cmk_span_transpose_(cudaError_t (*call)(const element *, size_t, element *, size_t, size_t, size_t,
                                                    cudaStream_t),
                                const in_view &in, const out_view &out, cudaStream_t stream)
{
    return cmk_span_image_(call, in, out, 1, stream);
}

/* a volume: planes, rows, columns */
template <class input, class output, class... parameters, class in_view, class out_view>
cudaError_t cmk_span_call_(cudaError_t (*call)(const input *, size_t, size_t, output *, size_t, size_t, size_t, size_t,
                                               size_t, parameters...),
                           const in_view &in, const out_view &out, typename cmk_span_as_<parameters>::type... arguments)
{
    typedef cmk_span_<in_view> from;
    typedef cmk_span_<out_view> to;
    if (!cmk_span_fit_<3>(in, out, 0)) return cudaErrorInvalidValue;
    return call(from::at(in), from::stride(in, 1), from::stride(in, 0), to::at(out), to::stride(out, 1),
                to::stride(out, 0), from::extent(in, 0), from::extent(in, 1), from::extent(in, 2), arguments...);
}

/* images: their rows, their columns, and how many there are */
template <class input, class output, class... parameters, class in_view, class out_view>
cudaError_t cmk_span_batch_(cudaError_t (*call)(const input *, size_t, size_t, output *, size_t, size_t, size_t, size_t,
                                                size_t, parameters...),
                            const in_view &in, const out_view &out,
                            typename cmk_span_as_<parameters>::type... arguments)
{
    typedef cmk_span_<in_view> from;
    typedef cmk_span_<out_view> to;
    if (!cmk_span_fit_<3>(in, out, 0)) return cudaErrorInvalidValue;
    return call(from::at(in), from::stride(in, 1), from::stride(in, 0), to::at(out), to::stride(out, 1),
                to::stride(out, 0), from::extent(in, 1), from::extent(in, 2), from::extent(in, 0), arguments...);
}

#endif

#endif
