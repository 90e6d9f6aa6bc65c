/* table.h: coefficient tables in constant memory.
 *
 *   CMK_TABLE(T, name, COUNT);                 a table of COUNT elements (file scope)
 *   CMK_TABLE_AT(name, index)                  the element at index, in a kernel
 *   CMK_TABLE_UPLOAD(name, source, count)      sets the first count elements from host memory; a cudaError_t
 *
 * COUNT is an integer constant; the table must fit the 64 KB of constant memory, which all tables of a module
 * share. A read costs one step for each distinct index in the warp: let all threads read the same one.
 * The table is private to its translation unit: upload it in the file whose kernels read it. The upload waits
 * for work in the default stream; do not upload while a kernel of another stream reads the table. A count
 * above COUNT gives cudaErrorInvalidValue and changes nothing.
 *
 *   CMK_TABLE(float, weights, 5);
 *   #define WEIGHT(k) CMK_TABLE_AT(weights, k)
 *   CMK_CHECK(CMK_TABLE_UPLOAD(weights, host_weights, 5)); */
#ifndef CMK_TABLE_H
#define CMK_TABLE_H

#include "base.h"

#define CMK_TABLE(T, name, COUNT)                                                                                      \
    CMK_STATIC_ASSERT((COUNT) >= 1, "cmk: CMK_TABLE: COUNT must be at least 1");                                       \
    CMK_STATIC_ASSERT(sizeof(T) * (COUNT) <= 65536, "cmk: CMK_TABLE: the table exceeds the 64 KB of constant memory"); \
    static __constant__ T name[COUNT]

#define CMK_TABLE_UPLOAD(name, source, count)                                                                          \
    cudaMemcpyToSymbol(name, (source), (count) * sizeof((name)[0]), 0, cudaMemcpyHostToDevice)

#if defined(__CUDACC__)
#define CMK_TABLE_AT(name, index) ((name)[index])
#else
#define CMK_TABLE_AT(name, index) CMK_HOST_TABLE_AT_(name, index)
#endif

#endif
