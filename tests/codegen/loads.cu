/* One kernel for each hint and direction, with each size of element once, for the code that nvcc makes of it. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmk/load.h>

typedef struct {
    float red, green, blue;
} triple;

typedef struct {
    signed char byte;
    short two;
    __half half;
    __nv_bfloat16 bfloat;
    float four;
    double eight;
    triple twelve;
    float4 sixteen;
    float vector_8[2];
    __half vector_16[8];
} values;

#define DEFINE_LOAD(HOW)                                                                                               \
    extern "C" __global__ void load_##HOW(const values *in, values *out)                                               \
    {                                                                                                                  \
        values v;                                                                                                      \
        v.byte = CMK_LOAD_AS(HOW, &in->byte);                                                                          \
        v.two = CMK_LOAD_AS(HOW, &in->two);                                                                            \
        v.half = CMK_LOAD_AS(HOW, &in->half);                                                                          \
        v.bfloat = CMK_LOAD_AS(HOW, &in->bfloat);                                                                      \
        v.four = CMK_LOAD_AS(HOW, &in->four);                                                                          \
        v.eight = CMK_LOAD_AS(HOW, &in->eight);                                                                        \
        v.twelve = CMK_LOAD_AS(HOW, &in->twelve);                                                                      \
        v.sixteen = CMK_LOAD_AS(HOW, &in->sixteen);                                                                    \
        CMK_LOAD_8(HOW, v.vector_8, in->vector_8);                                                                     \
        CMK_LOAD_16(HOW, v.vector_16, in->vector_16);                                                                  \
        *out = v;                                                                                                      \
    }

/* v is a parameter */
#define DEFINE_STORE(HOW)                                                                                              \
    extern "C" __global__ void store_##HOW(values v, values *out)                                                      \
    {                                                                                                                  \
        CMK_STORE_AS(HOW, &out->byte, v.byte);                                                                         \
        CMK_STORE_AS(HOW, &out->two, v.two);                                                                           \
        CMK_STORE_AS(HOW, &out->half, v.half);                                                                         \
        CMK_STORE_AS(HOW, &out->bfloat, v.bfloat);                                                                     \
        CMK_STORE_AS(HOW, &out->four, v.four);                                                                         \
        CMK_STORE_AS(HOW, &out->eight, v.eight);                                                                       \
        CMK_STORE_AS(HOW, &out->twelve, v.twelve);                                                                     \
        CMK_STORE_AS(HOW, &out->sixteen, v.sixteen);                                                                   \
        CMK_STORE_8(HOW, out->vector_8, v.vector_8);                                                                   \
        CMK_STORE_16(HOW, out->vector_16, v.vector_16);                                                                \
    }

DEFINE_LOAD(PLAIN)
DEFINE_LOAD(READ_ONLY)
DEFINE_LOAD(STREAMING)
DEFINE_LOAD(LAST_USE)
DEFINE_LOAD(EVICT_FIRST)
DEFINE_LOAD(EVICT_LAST)
DEFINE_STORE(PLAIN)
DEFINE_STORE(STREAMING)
DEFINE_STORE(EVICT_FIRST)
DEFINE_STORE(EVICT_LAST)
