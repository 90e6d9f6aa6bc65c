/* table.h: coefficient tables, one kernel text for four homes of the coefficients.
 *
 *   CMK_TABLE_VALUES(SOURCE, T, name, SHAPE, values...);  a table with these values (file scope)
 *   CMK_TABLE(SOURCE, T, name, SHAPE);                    a table that an upload fills (file scope)
 *   CMK_TABLE_PARAMETER(name)                             the table in a kernel's parameter list
 *   CMK_TABLE_AT(name, i), (name, i, j), (name, i, j, k)  an element, in a kernel; one index alone counts all elements
 *                                                         in row order
 *   name                                                  the argument for that parameter, of type name_table
 *
 *   CMK_TABLE_UPLOAD(name, source, first, count)          sets count elements, in row order from the element first
 *   CMK_TABLE_DOWNLOAD(name, target, first, count)        reads them back
 *   CMK_TABLE_UPLOAD_ASYNC(name, source, first, count, stream)     the same in the order of a stream
 *   CMK_TABLE_DOWNLOAD_ASYNC(name, target, first, count, stream)
 *
 *   CMK_TABLE_EXTERN(SOURCE, T, name, SHAPE);             one table for several files: in a header that all include
 *   CMK_TABLE_DEFINE(SOURCE, name);                       and in one of the files
 *   CMK_TABLE_DEFINE_VALUES(SOURCE, name, values...);     or this, with values
 *
 *   CMK_TABLE_SLOTS(SOURCE, T, name, SHAPE, SLOTS);       SLOTS tables of one name, for several streams and threads
 *   CMK_TABLE_TAKE(name, slot, source, stream)            fills a free one from host memory, writes it to the lvalue
 *                                                         slot, a name_table: the argument for the kernel's parameter
 *   CMK_TABLE_RELEASE(name, slot, stream)                 after the last launch that reads it
 *
 * SOURCE is one word, and the only one that differs:
 *
 *   LITERAL    the values are folded into the instructions where the index is a constant; never uploaded
 *   CONSTANT   constant memory: a read costs one step for each distinct index in the warp; 64 KB a module, 2 KB of them
 *              in the first cache of an SM at a time
 *   PARAMETER  part of the kernel's arguments: each launch has its own copy, so that no stream, thread or captured
 *              graph meets another's; 32,764 bytes with all other arguments (4,096 before CUDA 12.1 or sm_70)
 *   GLOBAL     device memory through the read-only cache: any size, and no cost for distinct indices
 *
 * SHAPE is [N], [ROWS][COLUMNS] or [PLANES][ROWS][COLUMNS]. T is an arithmetic type, half, bfloat16 or a small struct.
 * A kernel without CMK_TABLE_PARAMETER reads the table too, unless its source is PARAMETER or it has slots.
 *
 * CMK_TABLE is private to its file, as a static variable is: a header gives each file its own. One table for several
 * files (CONSTANT, GLOBAL) needs nvcc -rdc=true; without it the compiler stops. The CPU backend also stops where a
 * kernel reads a table that nobody filled. Under NVRTC a table is the variable name_values_, for
 * cuModuleGetGlobal.
 *
 * An upload sets the table of the current device; source and target may be host or device memory. With
 * first + count above the number of elements, and for a null pointer, all return cudaErrorInvalidValue and change
 * nothing. The plain forms return when the copy is done. The others, and CMK_TABLE_TAKE, may return before: ordinary
 * host memory may then be changed, pinned and device memory when the stream is past the copy. Only the order of the
 * stream protects kernels that still read the old values: launch them in the same stream, or use slots. In a captured
 * graph the copies are nodes, which read the source at each replay. A PARAMETER table lives on the host: its values are
 * those of the moment of the launch (in a graph, of the capture), and all its uploads wait for the stream, which is an
 * error while it is captured.
 *
 * CMK_TABLE_TAKE makes the stream wait for the last readers of the slot; it returns cudaErrorNotReady when all SLOTS
 * are taken. Several host threads may call. Not for streams under capture.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 0.1f, 0.2f, 0.4f, 0.2f, 0.1f);
 *   #define WEIGHT(k) CMK_TABLE_AT(weights, k)
 *   __global__ void smooth(const float *in, float *out, CMK_TABLE_PARAMETER(weights)) { ... WEIGHT(2) ... }
 *   CMK_CHECK(CMK_LAUNCH(smooth, blocks, 256, 0, stream, in, out, weights)); */
#ifndef CMK_TABLE_H
#define CMK_TABLE_H

#include "base.h"

#ifndef CMK_TABLE_DEVICES
#define CMK_TABLE_DEVICES 16 /* devices on which tables with slots are used: those numbered below it */
#endif

/* CMK_TABLE_VALUES(CONSTANT, float, weights, [5], ...); generates
 *
 *   enum { weights_source_ = 1 };
 *   typedef float weights_array_[5];
 *   typedef enum { weights } weights_table;         PARAMETER: a struct with the values, and a variable weights
 *   static __constant__ weights_array_ weights_values_ = {...};
 *   static float weights_get_(const weights_table &table, cmk_i64 i);
 *   static cudaError_t weights_upload_(const void *source, size_t first, size_t count, cudaStream_t stream, int wait);
 *   static cudaError_t weights_download_(void *target, size_t first, size_t count, cudaStream_t stream, int wait);
 *
 * FILLED is 1 for a table with values, 0 for one without. */
#define CMK_TABLE(SOURCE, T, name, SHAPE)                                                                              \
    CMK_TABLE_SOURCE_(SOURCE, name)                                                                                    \
    CMK_TABLE_##SOURCE##_(T, name, SHAPE, 0, )
#define CMK_TABLE_VALUES(SOURCE, T, name, SHAPE, ...)                                                                  \
    CMK_TABLE_SOURCE_(SOURCE, name)                                                                                    \
    CMK_TABLE_##SOURCE##_(T, name, SHAPE, 1, __VA_ARGS__)
#define CMK_TABLE_EXTERN(SOURCE, T, name, SHAPE)                                                                       \
    CMK_TABLE_SOURCE_(SOURCE, name)                                                                                    \
    CMK_TABLE_EXTERN_##SOURCE##_(T, name, SHAPE)
#define CMK_TABLE_DEFINE(SOURCE, name)                                                                                 \
    CMK_TABLE_ASSERT_SOURCE_(CMK_TABLE_IS_##SOURCE##_, name);                                                          \
    CMK_TABLE_DEFINE_##SOURCE##_(name, 0, )
#define CMK_TABLE_DEFINE_VALUES(SOURCE, name, ...)                                                                     \
    CMK_TABLE_ASSERT_SOURCE_(CMK_TABLE_IS_##SOURCE##_, name);                                                          \
    CMK_TABLE_DEFINE_##SOURCE##_(name, 1, __VA_ARGS__)
#define CMK_TABLE_SLOTS(SOURCE, T, name, SHAPE, SLOTS)                                                                 \
    CMK_TABLE_SOURCE_(SOURCE, name)                                                                                    \
    CMK_TABLE_SLOTS_##SOURCE##_(T, name, SHAPE, SLOTS)

#define CMK_TABLE_PARAMETER(name) CMK_TABLE_PARAMETER_AS_(name, name)
#define CMK_TABLE_PARAMETER_AS_(name, parameter) const CMK_GRID_CONSTANT_ name##_table parameter

/* In the kernel of a definition, which knows its table by a macro parameter: where CMK_TABLE_PARAMETER_AS_(TABLE,
 * cmk_table_) declares the kernel's parameter, the words TABLE##_get_ CMK_TABLE_OF_KERNEL_ are an accessor of one
 * index; TABLE##_get_ CMK_TABLE_READ_(parameter, i) is the element of a parameter of another name. */
#define CMK_TABLE_OF_KERNEL_(i) CMK_TABLE_READ_(cmk_table_, i)

#define CMK_TABLE_AT(name, ...)                                                                                        \
    CMK_TABLE_4TH_(__VA_ARGS__, CMK_TABLE_AT_3_, CMK_TABLE_AT_2_, CMK_TABLE_AT_1_, )(name, __VA_ARGS__)
#define CMK_TABLE_4TH_(i, j, k, AT, ...) AT

#define CMK_TABLE_UPLOAD(name, source, first, count) name##_upload_((source), (first), (count), 0, 1)
#define CMK_TABLE_UPLOAD_ASYNC(name, source, first, count, stream)                                                     \
    name##_upload_((source), (first), (count), (stream), 0)
#define CMK_TABLE_DOWNLOAD(name, target, first, count) name##_download_((target), (first), (count), 0, 1)
#define CMK_TABLE_DOWNLOAD_ASYNC(name, target, first, count, stream)                                                   \
    name##_download_((target), (first), (count), (stream), 0)
#define CMK_TABLE_TAKE(name, slot, source, stream) name##_take_(&(slot), (source), (stream))
#define CMK_TABLE_RELEASE(name, slot, stream) name##_release_(&(slot), (stream))

#define CMK_TABLE_SOURCE_(SOURCE, name) enum { name##_source_ = CMK_TABLE_IS_##SOURCE##_ };
#define CMK_TABLE_IS_LITERAL_ 0
#define CMK_TABLE_IS_CONSTANT_ 1
#define CMK_TABLE_IS_PARAMETER_ 2
#define CMK_TABLE_IS_GLOBAL_ 3

/* ---- Private tables */
#define CMK_TABLE_LITERAL_(T, name, SHAPE, FILLED, ...)                                                                \
    CMK_STATIC_ASSERT(FILLED, "cmk: CMK_TABLE: a LITERAL table needs values: CMK_TABLE_VALUES");                       \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_HANDLE_(name)                                                                                            \
    static __device__ const name##_array_ name##_values_ = {__VA_ARGS__};                                              \
    CMK_TABLE_GET_(T, name, name##_values_, 1)                                                                         \
    CMK_TABLE_REFUSE_(name##_upload_, "cmk: CMK_TABLE_UPLOAD: a LITERAL table cannot be changed")                      \
    CMK_SEMICOLON_

#define CMK_TABLE_CONSTANT_(T, name, SHAPE, FILLED, ...)                                                               \
    CMK_TABLE_SYMBOL_(__constant__, CMK_TABLE_GET_, T, name, SHAPE, FILLED, __VA_ARGS__)                               \
    CMK_TABLE_ASSERT_CONSTANT_(sizeof(name##_array_))
#define CMK_TABLE_GLOBAL_(T, name, SHAPE, FILLED, ...)                                                                 \
    CMK_TABLE_SYMBOL_(__device__, CMK_TABLE_GET_READ_ONLY_, T, name, SHAPE, FILLED, __VA_ARGS__)                       \
    CMK_SEMICOLON_
#define CMK_TABLE_SYMBOL_(MEMORY, GET, T, name, SHAPE, FILLED, ...)                                                    \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_HANDLE_(name)                                                                                            \
    CMK_STATIC_ MEMORY name##_array_ name##_values_ CMK_TABLE_INIT_##FILLED##_({__VA_ARGS__});                         \
    CMK_TABLE_STATE_(static, name, = FILLED)                                                                           \
    GET(T, name, name##_values_, name##_filled_)                                                                       \
    CMK_TABLE_COPY_SYMBOL_(T, name)

#define CMK_TABLE_PARAMETER_(T, name, SHAPE, FILLED, ...)                                                              \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_HANDLE_OF_VALUES_(name)                                                                                  \
    CMK_TABLE_ON_HOST_(static __attribute__((unused))                                                                  \
                       name##_table name CMK_TABLE_INIT_##FILLED##_({{__VA_ARGS__} CMK_TABLE_STATE_1_});)              \
    CMK_TABLE_GET_(T, name, CMK_TABLE_MEMBER_(values_), CMK_TABLE_MEMBER_(filled_))                                    \
    CMK_TABLE_COPY_VALUES_(T, name)                                                                                    \
    CMK_SEMICOLON_

#define CMK_TABLE_INIT_0_(...)
#define CMK_TABLE_INIT_1_(...) = __VA_ARGS__

#define CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                               \
    typedef T name##_element_;                                                                                         \
    typedef name##_element_ name##_array_ SHAPE;                                                                       \
    CMK_STATIC_ASSERT(sizeof(name##_array_) >= sizeof(T), "cmk: CMK_TABLE: SHAPE must have at least 1 element");

#define CMK_TABLE_ASSERT_CONSTANT_(BYTES)                                                                              \
    CMK_STATIC_ASSERT((BYTES) <= 65536, "cmk: CMK_TABLE: the table exceeds the 64 KB of constant memory")

#define CMK_TABLE_HANDLE_OF_VALUES_(name)                                                                              \
    typedef struct {                                                                                                   \
        name##_array_ values_;                                                                                         \
        CMK_TABLE_STATE_MEMBER_                                                                                        \
    } name##_table;                                                                                                    \
    CMK_STATIC_ASSERT(                                                                                                 \
        sizeof(name##_array_) <= CMK_PARAMETER_BYTES_,                                                                 \
        "cmk: CMK_TABLE: the table exceeds the 32,764 bytes of parameters (4,096 before CUDA 12.1 or sm_70)");

/* ---- One table for several files */
#define CMK_TABLE_ASSERT_SOURCE_(IS, name)                                                                             \
    CMK_STATIC_ASSERT((int)name##_source_ == (IS), "cmk: CMK_TABLE_DEFINE: SOURCE is not that of CMK_TABLE_EXTERN")

#define CMK_TABLE_EXTERN_LITERAL_(T, name, SHAPE)                                                                      \
    CMK_STATIC_ASSERT(0, "cmk: CMK_TABLE_EXTERN: a LITERAL table is its values: put CMK_TABLE_VALUES into the header")

#define CMK_TABLE_EXTERN_CONSTANT_(T, name, SHAPE)                                                                     \
    CMK_TABLE_EXTERN_SYMBOL_(__constant__, CMK_TABLE_GET_, T, name, SHAPE)                                             \
    CMK_TABLE_ASSERT_CONSTANT_(sizeof(name##_array_))
#define CMK_TABLE_EXTERN_GLOBAL_(T, name, SHAPE)                                                                       \
    CMK_TABLE_EXTERN_SYMBOL_(__device__, CMK_TABLE_GET_READ_ONLY_, T, name, SHAPE)                                     \
    CMK_SEMICOLON_
#define CMK_TABLE_EXTERN_SYMBOL_(MEMORY, GET, T, name, SHAPE)                                                          \
    CMK_TABLE_ASSERT_LINKED_;                                                                                          \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_HANDLE_(name)                                                                                            \
    extern MEMORY name##_array_ name##_values_;                                                                        \
    CMK_TABLE_STATE_(extern, name, )                                                                                   \
    GET(T, name, name##_values_, name##_filled_)                                                                       \
    CMK_TABLE_COPY_SYMBOL_(T, name)

#define CMK_TABLE_EXTERN_PARAMETER_(T, name, SHAPE)                                                                    \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_HANDLE_OF_VALUES_(name)                                                                                  \
    CMK_TABLE_ON_HOST_(extern name##_table name;)                                                                      \
    CMK_TABLE_GET_(T, name, CMK_TABLE_MEMBER_(values_), CMK_TABLE_MEMBER_(filled_))                                    \
    CMK_TABLE_COPY_VALUES_(T, name)                                                                                    \
    CMK_SEMICOLON_

#define CMK_TABLE_DEFINE_CONSTANT_(name, FILLED, ...)                                                                  \
    __constant__ name##_array_ name##_values_ CMK_TABLE_INIT_##FILLED##_({__VA_ARGS__});                               \
    CMK_TABLE_STATE_(, name, = FILLED)                                                                                 \
    CMK_SEMICOLON_
#define CMK_TABLE_DEFINE_GLOBAL_(name, FILLED, ...)                                                                    \
    __device__ name##_array_ name##_values_ CMK_TABLE_INIT_##FILLED##_({__VA_ARGS__});                                 \
    CMK_TABLE_STATE_(, name, = FILLED)                                                                                 \
    CMK_SEMICOLON_
#define CMK_TABLE_DEFINE_PARAMETER_(name, FILLED, ...)                                                                 \
    CMK_TABLE_ON_HOST_(name##_table name CMK_TABLE_INIT_##FILLED##_({{__VA_ARGS__} CMK_TABLE_STATE_1_});)              \
    CMK_SEMICOLON_

/* ---- Tables with slots. A slot begins on 128 bytes, so that no cache line holds parts of two. */
#define CMK_TABLE_SLOTS_LITERAL_(T, name, SHAPE, SLOTS)                                                                \
    CMK_STATIC_ASSERT(0, "cmk: CMK_TABLE_SLOTS: a LITERAL table has no slots: its values cannot be changed")

#define CMK_TABLE_SLOTS_CONSTANT_(T, name, SHAPE, SLOTS)                                                               \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_SLOT_(name, SLOTS)                                                                                       \
    CMK_TABLE_ASSERT_CONSTANT_(sizeof(name##_slot_) * (SLOTS));                                                        \
    CMK_STATIC_ __constant__ name##_slot_ name##_values_[SLOTS];                                                       \
    CMK_TABLE_GET_(T, name, name##_values_[CMK_TABLE_MEMBER_(slot_)].values_, CMK_TABLE_MEMBER_(slot_) < (SLOTS))      \
    CMK_TABLE_TAKE_SYMBOL_(name, SLOTS)                                                                                \
    CMK_SEMICOLON_

#define CMK_TABLE_SLOTS_GLOBAL_(T, name, SHAPE, SLOTS)                                                                 \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_SLOT_(name, SLOTS)                                                                                       \
    CMK_STATIC_ __device__ name##_slot_ name##_values_[SLOTS];                                                         \
    CMK_TABLE_GET_READ_ONLY_(T, name, name##_values_[CMK_TABLE_MEMBER_(slot_)].values_,                                \
                             CMK_TABLE_MEMBER_(slot_) < (SLOTS))                                                       \
    CMK_TABLE_TAKE_SYMBOL_(name, SLOTS)                                                                                \
    CMK_SEMICOLON_

#define CMK_TABLE_SLOTS_PARAMETER_(T, name, SHAPE, SLOTS)                                                              \
    CMK_TABLE_ARRAY_(T, name, SHAPE)                                                                                   \
    CMK_TABLE_HANDLE_OF_VALUES_(name)                                                                                  \
    CMK_TABLE_GET_(T, name, CMK_TABLE_MEMBER_(values_), CMK_TABLE_MEMBER_(filled_))                                    \
    CMK_TABLE_TAKE_VALUES_(name)                                                                                       \
    CMK_SEMICOLON_

#define CMK_TABLE_SLOT_(name, SLOTS)                                                                                   \
    CMK_STATIC_ASSERT((SLOTS) >= 1, "cmk: CMK_TABLE_SLOTS: SLOTS must be at least 1");                                 \
    typedef struct {                                                                                                   \
        unsigned slot_;                                                                                                \
    } name##_table;                                                                                                    \
    typedef struct {                                                                                                   \
        name##_array_ values_;                                                                                         \
    } __attribute__((aligned(128))) name##_slot_;

#if defined(__CUDACC__)

#define CMK_TABLE_AT_1_(name, i) name##_get_(name, (i))
#define CMK_TABLE_READ_(parameter, i) (parameter, (i))
#define CMK_TABLE_AT_2_(name, i, j) name##_get_(name, (cmk_i64)(i)*CMK_TABLE_PER_(name, [0]) + (j))
#define CMK_TABLE_AT_3_(name, i, j, k)                                                                                 \
    name##_get_(name, (cmk_i64)(i)*CMK_TABLE_PER_(name, [0]) + (cmk_i64)(j)*CMK_TABLE_PER_(name, [0][0]) + (k))

/* how the handle is declared, its members named; a kernel that has no parameter name reads the enumerator */
#define CMK_TABLE_HANDLE_(name) typedef enum { name } name##_table;
#define CMK_TABLE_MEMBER_(member) table_.member

#define CMK_TABLE_GET_(T, name, VALUES, FILLED)                                                                        \
    __attribute__((unused)) static __device__ __forceinline__ T name##_get_(const name##_table &table_, cmk_i64 i_)    \
    {                                                                                                                  \
        (void)table_;                                                                                                  \
        return ((const T *)VALUES)[i_];                                                                                \
    }
#define CMK_TABLE_GET_READ_ONLY_(T, name, VALUES, FILLED)                                                              \
    __attribute__((unused)) static __device__ __forceinline__ T name##_get_(const name##_table &table_, cmk_i64 i_)    \
    {                                                                                                                  \
        T value_;                                                                                                      \
        (void)table_;                                                                                                  \
        cmk_read_only_(&value_, &((const T *)VALUES)[i_], sizeof(T), alignof(T));                                      \
        return value_;                                                                                                 \
    }

#define CMK_TABLE_REFUSE_(function, text) CMK_TABLE_ON_HOST_(CMK_TABLE_REFUSE_NOW_(function, text))
#define CMK_TABLE_REFUSE_NOW_(function, text)                                                                          \
    template <typename source_> cudaError_t function(source_, size_t, size_t, cudaStream_t, int)                       \
    {                                                                                                                  \
        static_assert(sizeof(source_) == 0, text);                                                                     \
        return cudaErrorInvalidSymbol;                                                                                 \
    }

/* whether a table is filled is known to the CPU backend alone */
#define CMK_TABLE_STATE_(LINKAGE, name, ...)
#define CMK_TABLE_STATE_MEMBER_
#define CMK_TABLE_STATE_1_
#define CMK_TABLE_FILLED_(state) ((void)0)

#define CMK_TABLE_ASSERT_LINKED_                                                                                       \
    CMK_STATIC_ASSERT(CMK_DEVICE_LINK_, "cmk: CMK_TABLE_EXTERN: one table for several files needs nvcc -rdc=true")

#else

#define CMK_TABLE_AT_1_(name, i) name##_get_(&(name), (i), __FILE__, CMK_HOST_LINE_)
#define CMK_TABLE_READ_(parameter, i) (&(parameter), (i), __FILE__, CMK_HOST_LINE_)
#define CMK_TABLE_AT_2_(name, i, j)                                                                                    \
    name##_get_(&(name), CMK_TABLE_INDEX_(name, i, , [0], "row") + CMK_TABLE_INDEX_(name, j, [0], [0][0], "column"),   \
                __FILE__, CMK_HOST_LINE_)
#define CMK_TABLE_AT_3_(name, i, j, k)                                                                                 \
    name##_get_(&(name),                                                                                               \
                CMK_TABLE_INDEX_(name, i, , [0], "plane") + CMK_TABLE_INDEX_(name, j, [0], [0][0], "row") +            \
                    CMK_TABLE_INDEX_(name, k, [0][0], [0][0][0], "column"),                                            \
                __FILE__, CMK_HOST_LINE_)

/* the elements before index i of a dimension, whose whole is WHOLE and whose part is PART */
#define CMK_TABLE_INDEX_(name, i, WHOLE, PART, what)                                                                   \
    (cmk_host_table_index_((i), CMK_TABLE_PER_(name, WHOLE) / CMK_TABLE_PER_(name, PART), 1, what, #name, __FILE__,    \
                           CMK_HOST_LINE_) *                                                                           \
     CMK_TABLE_PER_(name, PART))

#define CMK_TABLE_HANDLE_(name)                                                                                        \
    typedef struct {                                                                                                   \
        int unused_;                                                                                                   \
    } name##_table;                                                                                                    \
    static const name##_table name __attribute__((unused)) = {0};
#define CMK_TABLE_MEMBER_(member) table_->member

#define CMK_TABLE_GET_(T, name, VALUES, FILLED)                                                                        \
    CMK_TABLE_GET_COUNTED_(T, name, VALUES, FILLED, cmk_host_count_constant_(i_, file_, line_))
#define CMK_TABLE_GET_READ_ONLY_(T, name, VALUES, FILLED)                                                              \
    CMK_TABLE_GET_COUNTED_(                                                                                            \
        T, name, VALUES, FILLED,                                                                                       \
        cmk_host_count_((uintptr_t) & ((const T *)VALUES)[i_], sizeof(T), __alignof__(T), 0, 0, file_, line_))
#define CMK_TABLE_GET_COUNTED_(T, name, VALUES, FILLED, COUNT)                                                         \
    __attribute__((unused))                                                                                            \
    CMK_HOST_INLINE_ T name##_get_(const name##_table *table_, cmk_i64 i_, const char *file_, int line_)               \
    {                                                                                                                  \
        (void)table_;                                                                                                  \
        cmk_host_table_index_(i_, (cmk_i64)(sizeof(name##_array_) / sizeof(T)), FILLED, "element", #name, file_,       \
                              line_);                                                                                  \
        if (CMK_HOST_COUNTS_) COUNT;                                                                                   \
        return ((const T *)VALUES)[i_];                                                                                \
    }

#define CMK_TABLE_REFUSE_(function, text)                                                                              \
    __attribute__((__error__(text))) cudaError_t function(const void *, size_t, size_t, cudaStream_t, int);

#define CMK_TABLE_STATE_(LINKAGE, name, ...) LINKAGE int name##_filled_ __VA_ARGS__;
#define CMK_TABLE_STATE_MEMBER_ int filled_;
#define CMK_TABLE_STATE_1_ , 1
#define CMK_TABLE_FILLED_(state) ((void)((state) = 1))

#define CMK_TABLE_ASSERT_LINKED_ CMK_SEMICOLON_

#endif

/* the elements of one part of the table: [0] is a row of [ROWS][COLUMNS] */
#define CMK_TABLE_PER_(name, PART) ((cmk_i64)(sizeof((*(name##_array_ *)0)PART) / sizeof(name##_element_)))

#if CMK_HAS_HOST_

#define CMK_TABLE_ON_HOST_(...) __VA_ARGS__

#define CMK_TABLE_COPY_SYMBOL_(T, name)                                                                                \
    CMK_TABLE_HOST_FUNCTION_ name##_upload_(const void *source_, size_t first_, size_t count_, cudaStream_t stream_,   \
                                            int wait_)                                                                 \
    {                                                                                                                  \
        cudaError_t error_ = cmk_table_range_(sizeof(name##_array_) / sizeof(T), first_, count_, source_);             \
        if (error_ == cudaSuccess)                                                                                     \
            error_ = cudaMemcpyToSymbolAsync(name##_values_, source_, count_ * sizeof(T), first_ * sizeof(T),          \
                                             cudaMemcpyDefault, stream_);                                              \
        if (error_ == cudaSuccess) CMK_TABLE_FILLED_(name##_filled_);                                                  \
        return error_ == cudaSuccess && wait_ ? cudaStreamSynchronize(stream_) : error_;                               \
    }                                                                                                                  \
    CMK_TABLE_HOST_FUNCTION_ name##_download_(void *target_, size_t first_, size_t count_, cudaStream_t stream_,       \
                                              int wait_)                                                               \
    {                                                                                                                  \
        cudaError_t error_ = cmk_table_range_(sizeof(name##_array_) / sizeof(T), first_, count_, target_);             \
        if (error_ == cudaSuccess)                                                                                     \
            error_ = cudaMemcpyFromSymbolAsync(target_, name##_values_, count_ * sizeof(T), first_ * sizeof(T),        \
                                               cudaMemcpyDefault, stream_);                                            \
        return error_ == cudaSuccess && wait_ ? cudaStreamSynchronize(stream_) : error_;                               \
    }

#define CMK_TABLE_COPY_VALUES_(T, name)                                                                                \
    CMK_TABLE_HOST_FUNCTION_ name##_upload_(const void *source_, size_t first_, size_t count_, cudaStream_t stream_,   \
                                            int wait_)                                                                 \
    {                                                                                                                  \
        cudaError_t error_ = cmk_table_range_(sizeof(name##_array_) / sizeof(T), first_, count_, source_);             \
        (void)wait_;                                                                                                   \
        if (error_ == cudaSuccess)                                                                                     \
            error_ = cmk_table_copy_((T *)name.values_ + first_, source_, count_ * sizeof(T), stream_);                \
        if (error_ == cudaSuccess) CMK_TABLE_FILLED_(name.filled_);                                                    \
        return error_;                                                                                                 \
    }                                                                                                                  \
    CMK_TABLE_HOST_FUNCTION_ name##_download_(void *target_, size_t first_, size_t count_, cudaStream_t stream_,       \
                                              int wait_)                                                               \
    {                                                                                                                  \
        const cudaError_t error_ = cmk_table_range_(sizeof(name##_array_) / sizeof(T), first_, count_, target_);       \
        (void)wait_;                                                                                                   \
        if (error_ != cudaSuccess) return error_;                                                                      \
        return cmk_table_copy_(target_, (const T *)name.values_ + first_, count_ * sizeof(T), stream_);                \
    }

#define CMK_TABLE_TAKE_SYMBOL_(name, SLOTS)                                                                            \
    static cmk_table_slot_ name##_slots_[CMK_TABLE_DEVICES][SLOTS];                                                    \
    static cmk_table_turns_ name##_turns_;                                                                             \
    CMK_TABLE_HOST_FUNCTION_ name##_take_(name##_table *taken_, const void *source_, cudaStream_t stream_)             \
    {                                                                                                                  \
        cudaError_t error_ =                                                                                           \
            cmk_table_take_(name##_slots_[0], (SLOTS), &name##_turns_, source_, stream_, &taken_->slot_);              \
        if (error_ != cudaSuccess) return error_;                                                                      \
        error_ = cudaMemcpyToSymbolAsync(name##_values_, source_, sizeof(name##_array_),                               \
                                         taken_->slot_ * sizeof(name##_slot_), cudaMemcpyDefault, stream_);            \
        if (error_ != cudaSuccess)                                                                                     \
            (void)cmk_table_release_(name##_slots_[0], (SLOTS), &name##_turns_, taken_->slot_, stream_);               \
        return error_;                                                                                                 \
    }                                                                                                                  \
    CMK_TABLE_HOST_FUNCTION_ name##_release_(const name##_table *taken_, cudaStream_t stream_)                         \
    {                                                                                                                  \
        return cmk_table_release_(name##_slots_[0], (SLOTS), &name##_turns_, taken_->slot_, stream_);                  \
    }

#define CMK_TABLE_TAKE_VALUES_(name)                                                                                   \
    CMK_TABLE_HOST_FUNCTION_ name##_take_(name##_table *taken_, const void *source_, cudaStream_t stream_)             \
    {                                                                                                                  \
        (void)stream_;                                                                                                 \
        if (source_ == NULL) return cudaErrorInvalidValue;                                                             \
        memcpy(taken_->values_, source_, sizeof taken_->values_);                                                      \
        CMK_TABLE_FILLED_(taken_->filled_);                                                                            \
        return cudaSuccess;                                                                                            \
    }                                                                                                                  \
    CMK_TABLE_HOST_FUNCTION_ name##_release_(const name##_table *taken_, cudaStream_t stream_)                         \
    {                                                                                                                  \
        (void)taken_, (void)stream_;                                                                                   \
        return cudaSuccess;                                                                                            \
    }

#define CMK_TABLE_HOST_FUNCTION_ __attribute__((unused, warn_unused_result)) static inline cudaError_t

static inline cudaError_t cmk_table_range_(size_t elements_, size_t first_, size_t count_, const void *other_)
{
    const int right_ = other_ != NULL && first_ <= elements_ && count_ <= elements_ - first_;
    return right_ ? cudaSuccess : cudaErrorInvalidValue;
}

/* complete when it returns; one side is pageable host memory */
static inline cudaError_t cmk_table_copy_(void *to_, const void *from_, size_t bytes_, cudaStream_t stream_)
{
    const cudaError_t error_ = cudaMemcpyAsync(to_, from_, bytes_, cudaMemcpyDefault, stream_);
    return error_ == cudaSuccess ? cudaStreamSynchronize(stream_) : error_;
}

typedef struct {
    cudaEvent_t released_; /* the last readers are done; 0 before the first use */
    int taken_;
} cmk_table_slot_;

/* the slots of the current device, of all[device][count] */
static inline cudaError_t cmk_table_slots_(cmk_table_slot_ *all_, unsigned count_, cmk_table_slot_ **slots_)
{
    int device_;
    const cudaError_t error_ = cudaGetDevice(&device_);
    if (error_ != cudaSuccess) return error_;
    *slots_ = all_ + (size_t)device_ * count_;
    return device_ < CMK_TABLE_DEVICES ? cudaSuccess : cudaErrorInvalidDevice;
}

typedef struct {
    unsigned taken_, released_; /* how often, on all devices */
} cmk_table_turns_;

/* marks a free slot as taken, each time beginning with the next one, so that the slot released last is used last; count
 * if there is none. A slot may be released behind the search and another taken before it: so it searches again. */
static inline unsigned cmk_table_free_slot_(cmk_table_slot_ *slots_, unsigned count_, cmk_table_turns_ *turns_)
{
    const unsigned begin_ = __atomic_fetch_add(&turns_->taken_, 1, __ATOMIC_RELAXED);
    unsigned released_;
    do {
        released_ = __atomic_load_n(&turns_->released_, __ATOMIC_SEQ_CST);
        for (unsigned i_ = 0; i_ < count_; ++i_)
            if (!__atomic_exchange_n(&slots_[(begin_ + i_) % count_].taken_, 1, __ATOMIC_SEQ_CST))
                return (begin_ + i_) % count_;
    } while (released_ != __atomic_load_n(&turns_->released_, __ATOMIC_SEQ_CST));
    return count_;
}

static inline void cmk_table_free_(cmk_table_slot_ *slot_, cmk_table_turns_ *turns_)
{
    __atomic_store_n(&slot_->taken_, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&turns_->released_, 1, __ATOMIC_SEQ_CST);
}

static inline cudaError_t cmk_table_take_(cmk_table_slot_ *all_, unsigned count_, cmk_table_turns_ *turns_,
                                          const void *source_, cudaStream_t stream_, unsigned *taken_)
{
    cmk_table_slot_ *slots_;
    cudaError_t error_ = source_ == NULL ? cudaErrorInvalidValue : cmk_table_slots_(all_, count_, &slots_);
    if (error_ != cudaSuccess) return error_;
    *taken_ = cmk_table_free_slot_(slots_, count_, turns_);
    if (*taken_ == count_) return cudaErrorNotReady;
    slots_ += *taken_;
    if (slots_->released_ == 0)
        error_ = cudaEventCreateWithFlags(&slots_->released_, cudaEventDisableTiming);
    else
        error_ = cudaStreamWaitEvent(stream_, slots_->released_, 0);
    if (error_ != cudaSuccess) cmk_table_free_(slots_, turns_);
    return error_;
}

static inline cudaError_t cmk_table_release_(cmk_table_slot_ *all_, unsigned count_, cmk_table_turns_ *turns_,
                                             unsigned taken_, cudaStream_t stream_)
{
    cmk_table_slot_ *slots_;
    cudaError_t error_ = cmk_table_slots_(all_, count_, &slots_);
    if (error_ != cudaSuccess) return error_;
    if (taken_ >= count_ || !__atomic_load_n(&slots_[taken_].taken_, __ATOMIC_RELAXED)) return cudaErrorInvalidValue;
    error_ = cudaEventRecord(slots_[taken_].released_, stream_);
    if (error_ == cudaSuccess) cmk_table_free_(&slots_[taken_], turns_);
    return error_;
}

#else

#define CMK_TABLE_ON_HOST_(...)
#define CMK_TABLE_COPY_SYMBOL_(T, name)
#define CMK_TABLE_COPY_VALUES_(T, name)
#define CMK_TABLE_TAKE_SYMBOL_(name, SLOTS)
#define CMK_TABLE_TAKE_VALUES_(name)

#endif

#endif
