/* load.h: loads and stores of global memory.
 *
 *   CMK_LDG(pointer)              the element at pointer, by the read-only path (ld.global.nc)
 *   CMK_LOAD(pointer)             the element at pointer, by an ordinary load
 *   CMK_STORE(pointer, value);    *pointer = value
 *   CMK_LDG_16(to, from);         16 bytes from global memory into a local array, by one read-only load
 *   CMK_STORE_16(to, from);       16 bytes from a local array to global memory, by one store
 *
 * Any thread may call any of them; none has a barrier. Each argument is evaluated once. CMK_LDG wants memory
 * that nobody writes while the kernel runs, of a type that CUDA's __ldg knows. The global pointer of the
 * 16-byte forms is a multiple of 16; the local array stays in registers when its indices are constants.
 * The CPU backend stops at an access outside device memory or at a misaligned one.
 *
 *   float v[4];
 *   CMK_LDG_16(v, &in[4 * i]);
 *   CMK_STORE_16(&out[4 * i], v); */
#ifndef CMK_LOAD_H
#define CMK_LOAD_H

#include "base.h"

#if defined(__CUDACC__)

#define CMK_LDG(pointer) __ldg(pointer)
#define CMK_LOAD(pointer) (*(pointer))
#define CMK_STORE(pointer, value) ((void)(*(pointer) = (value)))
#define CMK_LDG_16(to, from) cmk_load_ldg_16_((to), (from))
#define CMK_STORE_16(to, from) cmk_load_store_16_((to), (from))

static __device__ __forceinline__ void cmk_load_ldg_16_(void *to_, const void *from_)
{
    const uint4 bits_ = __ldg((const uint4 *)from_);
    memcpy(to_, &bits_, sizeof bits_);
}

static __device__ __forceinline__ void cmk_load_store_16_(void *to_, const void *from_)
{
    uint4 bits_;
    memcpy(&bits_, from_, sizeof bits_);
    __stwb((uint4 *)to_, bits_); /* nvcc splits a plain assignment of a copied uint4 into four stores */
}

#else

#define CMK_LDG(pointer) CMK_HOST_READ_(pointer)
#define CMK_LOAD(pointer) CMK_HOST_READ_(pointer)
#define CMK_STORE(pointer, value) CMK_HOST_WRITE_(pointer, value)
#define CMK_LDG_16(to, from) ((void)memcpy((to), cmk_host_read_((from), 16, 16, __FILE__, __LINE__), 16))
#define CMK_STORE_16(to, from) ((void)memcpy(cmk_host_write_((to), 16, 16, __FILE__, __LINE__), (from), 16))

#endif

#endif
