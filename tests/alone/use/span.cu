#if defined(__CUDACC_RTC__)
#elif defined(__cplusplus)
#include <cmk/kernel/transpose.h>

CMK_DEFINE_TRANSPOSE(turned, float);

/* the members that an mdspan of rank 2 has */
template <class element, class extents, class layout = int> struct seen {
    typedef layout layout_type;
    element *begin;
    extents sizes[2];
    static constexpr size_t rank()
    {
        return 2;
    }
    static constexpr bool is_always_strided()
    {
        return true;
    }
    static constexpr bool is_always_exhaustive()
    {
        return true;
    }
    element *data_handle() const
    {
        return begin;
    }
    extents extent(size_t axis) const
    {
        return sizes[axis];
    }
    extents stride(size_t axis) const
    {
        return axis == 0 ? sizes[1] : 1;
    }
};

int main()
{
    float *data, copy[6] = {1, 2, 3, 4, 5, 6};
    if (cudaMalloc((void **)&data, 2 * sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(data, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    const seen<float, size_t> in = {data, {2, 3}}, out = {data + 6, {3, 2}};
    if (CMK_SPAN_TRANSPOSE(turned, in, out, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data + 6, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return !(copy[1] >= 4 && copy[1] <= 4);
}
#else
int main(void)
{
    return 0;
}
#endif
