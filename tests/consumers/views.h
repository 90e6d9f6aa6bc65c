/* views.h: namespace cs has mdspan and span, those of libcu++ where nvcc compiles. libcu++ needs the headers of a CUDA
 * toolkit, and the C++ libraries that the tests meet have no mdspan. So the CPU gets classes with the members that the
 * standard's have (ISO C++23, 24.7), for sizes known at run time. */
#ifndef VIEWS_H
#define VIEWS_H

#if !defined(__cplusplus)
#elif defined(__CUDACC__)
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/span>
namespace cs = cuda::std;
#else
#include <array>
#include <cstddef>
#include <type_traits>

namespace cs
{
using std::array;

template <class number, size_t count> struct dextents {
    array<size_t, count> sizes;
    template <class... sizes_of> dextents(sizes_of... all) : sizes{{(size_t)all...}}
    {
    }
    static constexpr size_t rank()
    {
        return count;
    }
};

struct layout_right {
    static constexpr bool exhaustive = true;
};
struct layout_left {
    static constexpr bool exhaustive = true;
};
struct layout_stride {
    static constexpr bool exhaustive = false;
    template <class extents> struct mapping {
        extents sizes;
        array<size_t, extents::rank()> strides;
        mapping(extents all, array<size_t, extents::rank()> by) : sizes(all), strides(by)
        {
        }
    };
};

template <class element, class extents, class layout = layout_right, class accessor = void> class mdspan
{
    element *memory;
    extents sizes;
    array<size_t, extents::rank()> strides;

  public:
    typedef layout layout_type;
    template <class... sizes_of> mdspan(element *begin, sizes_of... all) : memory(begin), sizes(all...), strides()
    {
        const bool left = std::is_same<layout, layout_left>::value;
        size_t stride = 1;
        for (size_t n = 0; n < rank(); ++n) {
            const size_t axis = left ? n : rank() - 1 - n;
            strides[axis] = stride;
            stride *= sizes.sizes[axis];
        }
    }
    mdspan(element *begin, layout_stride::mapping<extents> map) : memory(begin), sizes(map.sizes), strides(map.strides)
    {
    }
    static constexpr size_t rank()
    {
        return extents::rank();
    }
    static constexpr bool is_always_strided()
    {
        return true;
    }
    static constexpr bool is_always_exhaustive()
    {
        return layout::exhaustive;
    }
    element *data_handle() const
    {
        return memory;
    }
    size_t extent(size_t axis) const
    {
        return sizes.sizes[axis];
    }
    size_t stride(size_t axis) const
    {
        return strides[axis];
    }
};

template <class element> struct span {
    element *begin;
    size_t count;
    span(element *first, size_t all) : begin(first), count(all)
    {
    }
    element *data() const
    {
        return begin;
    }
    size_t size() const
    {
        return count;
    }
};
} // namespace cs
#endif

#endif
