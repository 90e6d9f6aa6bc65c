/* table.h: coefficient tables. One kernel text serves for four places where coefficients may be kept.
 *
 *   CMK_TABLE_VALUES(SOURCE, T, name, SHAPE, values...);  a table with these values (file scope)
 *   CMK_TABLE(SOURCE, T, name, SHAPE);                    a table that an upload fills (file scope)
 *   CMK_TABLE_PARAMETER(name)                             the table in a kernel's parameter list
 *   CMK_TABLE_AT(name, i), (name, i, j), (name, i, j, k)  element [i], [i][j] or [i][j][k], in a kernel; a single
 *                                                         index counts all elements in row order
 *   name                                                  the argument for that parameter, of type name_table
 *
 *   CMK_TABLE_UPLOAD(name, source, first, count)          sets count elements, in row order from element first on
 *   CMK_TABLE_DOWNLOAD(name, target, first, count)        reads them back
 *   CMK_TABLE_UPLOAD_ASYNC(name, source, first, count, stream)     the same in the order of a stream
 *   CMK_TABLE_DOWNLOAD_ASYNC(name, target, first, count, stream)
 *
 *   CMK_TABLE_EXTERN(SOURCE, T, name, SHAPE);             one table for several files; this goes into a header
 *   CMK_TABLE_DEFINE(SOURCE, name);                       this goes into one of the files
 *   CMK_TABLE_DEFINE_VALUES(SOURCE, name, values...);     or this does, for a table with values
 *
 *   CMK_TABLE_SLOTS(SOURCE, T, name, SHAPE, SLOTS);       SLOTS tables of one name, for several streams and threads
 *   CMK_TABLE_TAKE(name, slot, source, stream)            fills a free slot from host memory and writes it to the
 *                                                         lvalue slot, a name_table: the argument for the parameter
 *   CMK_TABLE_RELEASE(name, slot, stream)                 frees it; call it behind the last launch that reads it
 *   #define CMK_TABLE_DEVICES 16                          before the header is included: slots are for devices whose
 *                                                         number is below it
 *
 * SOURCE is the only word that differs:
 *
 *   LITERAL    the values become part of the instructions where the index is a constant; there is no upload
 *   CONSTANT   constant memory: a read costs one step for each distinct index in the warp. A module has 64 KB, of which
 *              the first cache of an SM holds 2 KB at a time
 *   PARAMETER  part of the kernel's arguments: each launch has its own copy, so that streams and captured graphs do not
 *              share one. It has at most 32,764 bytes with all other arguments (4,096 before CUDA 12.1 or sm_70). An
 *              upload writes the variable name on the host: threads that each upload and launch need slots
 *   GLOBAL     device memory through the read-only cache: any size, and no cost for distinct indices
 *
 * SHAPE is [N], [ROWS][COLUMNS] or [PLANES][ROWS][COLUMNS]. The values fill it, with the braces of its rows or without
 * any. T is an arithmetic type, half, bfloat16 or a small struct. In place of a name there may be a macro that stands
 * for one. A kernel without CMK_TABLE_PARAMETER reads the table too, unless its source is PARAMETER or it has slots.
 *
 * A CMK_TABLE is private to its file, as a static variable is: a table in a header is a table of its own in each file.
 * One table for several files (CONSTANT, GLOBAL) needs nvcc -rdc=true; the compiler stops without it. The CPU backend
 * also stops where a kernel reads a table that nobody has filled (a table of which a part was filled counts as filled).
 * Under NVRTC a table is the variable name_values_, for cuModuleGetGlobal.
 *
 * An upload sets the table of the current device. source and target are pointers to elements or rows of the table's own
 * type, in host or device memory. For a null pointer, and where first + count is above the number of elements, all
 * calls return cudaErrorInvalidValue and change nothing.
 *
 * The forms without a stream return when the copy is done. The ASYNC forms and CMK_TABLE_TAKE may return before. The
 * caller may then change ordinary host memory at once, but pinned and device memory only when the stream is past the
 * copy. Only the order of the stream protects kernels that still read the old values: launch them in the same stream,
 * or use slots. In a captured graph the copies are nodes, which read the source at each replay.
 *
 * A PARAMETER table lives on the host. A launch takes the values of its moment, a graph those of the capture. All
 * uploads to it wait for the stream, which is an error while the stream is captured.
 *
 * CMK_TABLE_TAKE makes the stream wait for the last readers of the slot. It returns cudaErrorNotReady when all SLOTS
 * are taken. CMK_TABLE_RELEASE returns cudaErrorInvalidValue for a slot that was released already, even where somebody
 * has taken the slot since. Slots of a PARAMETER table are copies and need no release. Several host threads may call at
 * the same time. Neither call is for streams under capture.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 0.1f, 0.2f, 0.4f, 0.2f, 0.1f);
 *   #define WEIGHT(k) CMK_TABLE_AT(weights, k)
 *   __global__ void smooth(const float *in, float *out, CMK_TABLE_PARAMETER(weights)) { ... WEIGHT(2) ... }
 *   CMK_CHECK(CMK_LAUNCH(smooth, blocks, 256, 0, stream, in, out, weights)); */
#ifndef CMK_TABLE_H
#define CMK_TABLE_H

#include "base.h"

#ifndef CMK_TABLE_DEVICES
#define CMK_TABLE_DEVICES 16 /* tables with slots are for devices whose number is below it */
#endif

/* CMK_TABLE_VALUES(CONSTANT, float, weights, [5], ...); generates
 *
 *   enum { weights_source_ = 1, weights_slotted_ = 0, weights_literal_ = 0 };
 *   typedef float weights_element_, weights_array_[5], weights_row_;         a row of [ROWS][COLUMNS] is [COLUMNS]
 *   typedef enum { weights } weights_table;         PARAMETER: a struct with the values, and a variable weights
 *   static __constant__ float weights_values_[] = {...};
 *   float weights_get_(const weights_table &table, cmk_i64 i);
 *   cmk_table_home_ weights_home_(const weights_table *slot);                where a copy finds the values
 *
 * A source is pasted once, as it stands in the call, so that macros of its name do no harm. name is expanded. HELD is 1
 * for a table with values, 0 for one without values, and 2 for one that another file defines. */
#define CMK_TABLE(SOURCE, T, name, SHAPE)                                                                              \
    CMK_TABLE_TYPES_(CMK_TABLE_IS_##SOURCE##_, 0, T, name, SHAPE) CMK_TABLE_##SOURCE##_(name, 0, )
#define CMK_TABLE_VALUES(SOURCE, T, name, SHAPE, ...)                                                                  \
    CMK_TABLE_TYPES_(CMK_TABLE_IS_##SOURCE##_, 0, T, name, SHAPE) CMK_TABLE_##SOURCE##_(name, 1, __VA_ARGS__)
#define CMK_TABLE_EXTERN(SOURCE, T, name, SHAPE)                                                                       \
    CMK_TABLE_TYPES_(CMK_TABLE_IS_##SOURCE##_, 0, T, name, SHAPE) CMK_TABLE_##SOURCE##_(name, 2, )
#define CMK_TABLE_DEFINE(SOURCE, name)                                                                                 \
    CMK_TABLE_ASSERT_SOURCE_(CMK_TABLE_IS_##SOURCE##_, name) CMK_TABLE_DEFINE_##SOURCE##_(name, 0, )
#define CMK_TABLE_DEFINE_VALUES(SOURCE, name, ...)                                                                     \
    CMK_TABLE_ASSERT_SOURCE_(CMK_TABLE_IS_##SOURCE##_, name) CMK_TABLE_DEFINE_##SOURCE##_(name, 1, __VA_ARGS__)
#define CMK_TABLE_SLOTS(SOURCE, T, name, SHAPE, SLOTS)                                                                 \
    CMK_NEEDS_("CMK_TABLE_SLOTS", (SLOTS) >= 1, "SLOTS must be at least 1");                                           \
    CMK_TABLE_TYPES_(CMK_TABLE_IS_##SOURCE##_, SLOTS, T, name, SHAPE) CMK_TABLE_SLOTS_##SOURCE##_(name, SLOTS)

enum { CMK_TABLE_IS_LITERAL_, CMK_TABLE_IS_CONSTANT_, CMK_TABLE_IS_PARAMETER_, CMK_TABLE_IS_GLOBAL_ };

#define CMK_TABLE_PARAMETER(name) CMK_TABLE_PARAMETER_AS_(name, name)
#define CMK_TABLE_PARAMETER_AS_(name, parameter) const CMK_GRID_CONSTANT_ name##_table parameter
/* bytes of that parameter of a kernel on a GPU; the CPU backend has another member behind the values */
#define CMK_TABLE_PASSED_BYTES_(name) sizeof(name##_passed_)

/* For the kernel of a definition, which gets its table as a macro parameter. Where CMK_TABLE_PARAMETER_AS_(TABLE,
 * cmk_table_) declares the parameter of the kernel, the words TABLE##_get_ CMK_TABLE_OF_KERNEL_ are an accessor of one
 * index. TABLE##_get_ CMK_TABLE_READ_(parameter, i) is the element of a parameter of another name. */
#define CMK_TABLE_OF_KERNEL_(i) CMK_TABLE_READ_(cmk_table_, i)

#define CMK_TABLE_AT(name, ...)                                                                                        \
    CMK_TABLE_4TH_(__VA_ARGS__, CMK_TABLE_AT_3_, CMK_TABLE_AT_2_, CMK_TABLE_AT_1_, )(name, __VA_ARGS__)
#define CMK_TABLE_4TH_(i, j, k, AT, ...) AT

#define CMK_TABLE_UPLOAD(name, source, first, count) CMK_TABLE_UPLOAD_(name, source, first, count, 0, 1)
#define CMK_TABLE_UPLOAD_ASYNC(name, source, first, count, stream)                                                     \
    CMK_TABLE_UPLOAD_(name, source, first, count, stream, 0)
#define CMK_TABLE_DOWNLOAD(name, target, first, count) CMK_TABLE_DOWNLOAD_(name, target, first, count, 0, 1)
#define CMK_TABLE_DOWNLOAD_ASYNC(name, target, first, count, stream)                                                   \
    CMK_TABLE_DOWNLOAD_(name, target, first, count, stream, 0)
#define CMK_TABLE_TAKE(name, slot, source, stream) CMK_TABLE_TAKE_(name, slot, source, stream)
#define CMK_TABLE_RELEASE(name, slot, stream) CMK_TABLE_RELEASE_(name, slot, stream)

/* ---- What every table declares. A compiler reports is_a_table_ first for a name that is not a table, or that two
 * tables have. */
#define CMK_TABLE_TYPES_(SOURCE, SLOTS, T, name, SHAPE)                                                                \
    CMK_FILE_SCOPE_(name##_table_) enum { name##_is_a_table_ = 1, name##_source_ = SOURCE };                           \
    enum { name##_slotted_ = !!(SLOTS), name##_literal_ = SOURCE == CMK_TABLE_IS_LITERAL_ };                           \
    typedef T name##_element_, name##_array_ SHAPE;                                                                    \
    typedef CMK_TABLE_ROW_OF_(name##_array_) name##_row_;                                                              \
    CMK_NEEDS_("CMK_TABLE", sizeof(name##_array_) >= sizeof(T), "SHAPE must have at least 1 element");                 \
    CMK_NEEDS_("CMK_TABLE", SOURCE != CMK_TABLE_IS_CONSTANT_ || CMK_TABLE_BYTES_(name##_array_, SLOTS) <= 65536,       \
               "the table exceeds the 64 KB of constant memory");                                                      \
    CMK_NEEDS_("CMK_TABLE", SOURCE != CMK_TABLE_IS_PARAMETER_ || sizeof(name##_array_) <= CMK_PARAMETER_BYTES_,        \
               "the table exceeds the 32,764 bytes of parameters (4,096 before CUDA 12.1 or sm_70)");
#define CMK_TABLE_BYTES_(ARRAY, SLOTS) ((SLOTS) > 0 ? (sizeof(ARRAY) + 127) / 128 * 128 * (SLOTS) : sizeof(ARRAY))

/* ---- Tables in memory */
#define CMK_TABLE_LITERAL_(...) CMK_TABLE_SYMBOL_(static, __device__ const, __VA_ARGS__)
#define CMK_TABLE_CONSTANT_(...) CMK_TABLE_SYMBOL_(CMK_STATIC_, __constant__, __VA_ARGS__)
#define CMK_TABLE_GLOBAL_(...) CMK_TABLE_SYMBOL_(CMK_STATIC_, __device__, __VA_ARGS__)
#define CMK_TABLE_SYMBOL_(LINKAGE, MEMORY, name, HELD, ...)                                                            \
    CMK_TABLE_STORE_##HELD##_(LINKAGE, MEMORY, name, __VA_ARGS__) CMK_TABLE_HANDLE_(name)                              \
        CMK_TABLE_GET_(name, name##_values_, name##_literal_ || name##_filled_)                                        \
            CMK_TABLE_HOME_(name, (void *)name##_values_, CMK_TABLE_STATE_OF_(name##_filled_), 0)

#define CMK_TABLE_DEFINE_CONSTANT_(...) CMK_TABLE_DEFINE_SYMBOL_(__constant__, __VA_ARGS__)
#define CMK_TABLE_DEFINE_GLOBAL_(...) CMK_TABLE_DEFINE_SYMBOL_(__device__, __VA_ARGS__)
#define CMK_TABLE_DEFINE_SYMBOL_(MEMORY, name, HELD, ...)                                                              \
    CMK_TABLE_STORE_##HELD##_(, MEMORY, name, __VA_ARGS__) CMK_SEMICOLON_
#define CMK_TABLE_ASSERT_SOURCE_(SOURCE, name)                                                                         \
    CMK_NEEDS_("CMK_TABLE_DEFINE", (int)name##_source_ == SOURCE, "SOURCE is not that of CMK_TABLE_EXTERN");

/* the array of a table, by HELD; on the CPU backend also whether it is filled */
#define CMK_TABLE_STORE_0_(LINKAGE, MEMORY, name, ...)                                                                 \
    CMK_NEEDS_("CMK_TABLE", !name##_literal_, "a LITERAL table needs values: CMK_TABLE_VALUES");                       \
    LINKAGE MEMORY name##_array_ name##_values_;                                                                       \
    CMK_TABLE_STATE_(LINKAGE, name, = 0)
#define CMK_TABLE_STORE_1_(LINKAGE, MEMORY, name, ...)                                                                 \
    CMK_TABLE_FULL_(LINKAGE MEMORY, name, name##_values_, __VA_ARGS__) CMK_TABLE_STATE_(LINKAGE, name, = 1)
#define CMK_TABLE_STORE_2_(LINKAGE, MEMORY, name, ...)                                                                 \
    CMK_NEEDS_("CMK_TABLE_EXTERN", !name##_literal_,                                                                   \
               "a LITERAL table is its values: put CMK_TABLE_VALUES into the header");                                 \
    CMK_TABLE_ASSERT_LINKED_;                                                                                          \
    extern MEMORY name##_array_ name##_values_;                                                                        \
    CMK_TABLE_STATE_(extern, name, )
#define CMK_TABLE_FULL_(QUALIFIERS, name, variable, ...)                                                               \
    CMK_INITIALIZER_(QUALIFIERS name##_row_ variable[], __VA_ARGS__)                                                   \
    CMK_NEEDS_("CMK_TABLE_VALUES", sizeof(variable) == sizeof(name##_array_), "the values must fill SHAPE");

/* ---- PARAMETER tables: a struct with the values, and a variable of the table's name */
#define CMK_TABLE_PARAMETER_(name, HELD, ...)                                                                          \
    CMK_TABLE_OF_VALUES_(name, name, CMK_TABLE_VARIABLE_##HELD##_(static __attribute__((unused)), name, __VA_ARGS__))
#define CMK_TABLE_DEFINE_PARAMETER_(name, HELD, ...)                                                                   \
    CMK_TABLE_ON_HOST_(CMK_TABLE_VARIABLE_##HELD##_(, name, __VA_ARGS__)) CMK_SEMICOLON_
#define CMK_TABLE_SLOTS_PARAMETER_(name, SLOTS) CMK_TABLE_OF_VALUES_(name, slot[0], )
#define CMK_TABLE_OF_VALUES_(name, object, ...)                                                                        \
    CMK_STRUCT_(name##_table, name##_array_ values_; CMK_TABLE_STATE_MEMBER_)                                          \
    CMK_TABLE_GET_(name, CMK_TABLE_MEMBER_(values_), CMK_TABLE_MEMBER_(filled_))                                       \
    CMK_TABLE_ON_HOST_(__VA_ARGS__)                                                                                    \
    CMK_TABLE_HOME_(name, object.values_, CMK_TABLE_STATE_OF_(object.filled_), 0)

/* the variable of a table, by HELD */
#define CMK_TABLE_VARIABLE_0_(QUALIFIERS, name, ...) QUALIFIERS name##_table name;
#define CMK_TABLE_VARIABLE_1_(QUALIFIERS, name, ...)                                                                   \
    CMK_TABLE_FULL_(static const __attribute__((unused)), name, name##_given_, __VA_ARGS__)                            \
    CMK_INITIALIZER_(QUALIFIERS name##_table name, {__VA_ARGS__} CMK_TABLE_STATE_1_)
#define CMK_TABLE_VARIABLE_2_(QUALIFIERS, name, ...) extern name##_table name;

/* ---- Tables with slots. A slot begins at a multiple of 128 bytes, so that no cache line holds parts of two slots. */
#define CMK_TABLE_SLOTS_LITERAL_(name, SLOTS)                                                                          \
    CMK_NEEDS_("CMK_TABLE_SLOTS", 0, "a LITERAL table has no slots: its values cannot be changed")
#define CMK_TABLE_SLOTS_CONSTANT_(...) CMK_TABLE_SLOTS_SYMBOL_(__constant__, __VA_ARGS__)
#define CMK_TABLE_SLOTS_GLOBAL_(...) CMK_TABLE_SLOTS_SYMBOL_(__device__, __VA_ARGS__)
#define CMK_TABLE_SLOTS_SYMBOL_(MEMORY, name, SLOTS)                                                                   \
    CMK_STRUCT_(name##_table, cmk_table_taken_ taken_;)                                                                \
    CMK_STRUCT_(name##_slot_, __attribute__((aligned(128))) name##_array_ values_;)                                    \
    CMK_STATIC_ MEMORY name##_slot_ name##_values_[SLOTS];                                                             \
    CMK_TABLE_GET_(name, name##_values_[CMK_TABLE_MEMBER_(taken_.slot)].values_,                                       \
                   CMK_TABLE_MEMBER_(taken_.slot) < (SLOTS))                                                           \
    CMK_TABLE_ON_HOST_(static cmk_table_slot_ name##_slots_[CMK_TABLE_DEVICES][SLOTS];                                 \
                       static cmk_table_ring_ name##_ring_ = {name##_slots_[0], SLOTS, sizeof(name##_slot_), 0, 0};)   \
    CMK_TABLE_HOME_(name, (void *)name##_values_, 0, &name##_ring_)

/* ---- The accessors. Two types of arrays have the sizes of a table: passed_ as a parameter, and stored_, one byte
 * longer, in memory. */
#define CMK_TABLE_PASSED_(name)                                                                                        \
    ((int)name##_source_ == CMK_TABLE_IS_PARAMETER_ && !name##_slotted_ ? sizeof(name##_array_) : sizeof(name##_table))
/* clang-format off */
#define CMK_TABLE_GET_(name, VALUES, FILLED) \
    typedef char name##_passed_[CMK_TABLE_PASSED_(name)], \
        name##_stored_[1 + (name##_literal_ ? 0 : sizeof(name##_array_))]; \
    CMK_INLINED_ name##_element_ name##_get_(CMK_TABLE_GETS_(name##_table, table, i, file, line)) \
    { return CMK_TABLE_ELEMENT_(name, VALUES, FILLED, i, file, line); }
/* clang-format on */

#define CMK_TABLE_AT_1_(name, i) name##_get_ CMK_TABLE_READ_(name, i)
#define CMK_TABLE_AT_2_(name, i, j) CMK_TABLE_AT_OF_(name, , [0], 0, i, j)
#define CMK_TABLE_AT_3_(name, i, j, k) CMK_TABLE_AT_OF_(name, [0], [0][0], i, j, k)
#define CMK_TABLE_AT_OF_(name, PLANE, ROW, i, j, k)                                                                    \
    CMK_TABLE_AT_1_(name, cmk_table_place_(CMK_TABLE_PER_(name, ), CMK_TABLE_PER_(name, PLANE),                        \
                                           CMK_TABLE_PER_(name, ROW), (i), (j), (k), CMK_TABLE_CALLED_(#name)))

/* the slot of a handle, and the number of the call that took it; no other call for the table has this number */
typedef struct {
    unsigned slot, number;
} cmk_table_taken_;

#if defined(__CUDACC__)

#define CMK_TABLE_READ_(parameter, i) (parameter, (i))
#define CMK_TABLE_CALLED_(name) 0
#define cmk_table_place_(all, plane, row, i, j, k, called) ((cmk_i64)(i) * (plane) + (cmk_i64)(j) * (row) + (k))

/* How the handle is declared, and its members are named. A kernel without a parameter name reads the enumerator. */
#define CMK_TABLE_HANDLE_(name) typedef enum { name } name##_table;
#define CMK_TABLE_MEMBER_(member) table.member

/* the parameters of the accessor of a table, and element i of its values */
#define CMK_TABLE_GETS_(TABLE, table, i, file, line) const TABLE &table __attribute__((unused)), cmk_i64 i
#define CMK_TABLE_ELEMENT_(name, VALUES, FILLED, i, file, line)                                                        \
    cmk_table_read_(name##_source_, &((const name##_element_ *)VALUES)[i])

#define CMK_TABLE_ROW_OF_(ARRAY) cmk_table_row_of_<ARRAY>::row
template <class array> struct cmk_table_row_of_;
template <class element, size_t count> struct cmk_table_row_of_<element[count]> {
    typedef element row;
};

template <class element> CMK_INLINED_ element cmk_table_read_(int source, const element *from)
{
    element value;
    if (source != CMK_TABLE_IS_GLOBAL_) return *from;
    cmk_read_only_(&value, from, sizeof(element), alignof(element));
    return value;
}

/* only the CPU backend knows whether a table is filled */
#define CMK_TABLE_STATE_(LINKAGE, name, ...)
#define CMK_TABLE_STATE_OF_(filled) 0
#define CMK_TABLE_STATE_MEMBER_
#define CMK_TABLE_STATE_1_

#define CMK_TABLE_ASSERT_LINKED_                                                                                       \
    CMK_NEEDS_("CMK_TABLE_EXTERN", CMK_DEVICE_LINK_, "one table for several files needs nvcc -rdc=true")

#if CMK_HAS_HOST_
static inline cudaError_t cmk_table_to_symbol_(void *symbol, size_t, const void *from, size_t bytes, size_t offset,
                                               cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyToSymbolAsync((const void *)symbol, from, bytes, offset, kind, stream);
}
static inline cudaError_t cmk_table_from_symbol_(void *to, const void *symbol, size_t, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, stream);
}
#endif

#else

#define CMK_TABLE_READ_(parameter, i) (&(parameter), (i), __FILE__, CMK_HOST_LINE_)
#define CMK_TABLE_CALLED_(name) name, __FILE__, CMK_HOST_LINE_

/* The place of element [i][j][k] in a table. The table has `all` elements, a plane of it `plane` and a row `row`. */
CMK_INLINED_ cmk_i64 cmk_table_place_(cmk_i64 all, cmk_i64 plane, cmk_i64 row, cmk_i64 i, cmk_i64 j, cmk_i64 k,
                                      const char *name, const char *file, int line)
{
    const cmk_i64 before = cmk_host_table_index_(i, all / plane, 1, "plane", name, file, line) * plane +
                           cmk_host_table_index_(j, plane / row, 1, "row", name, file, line) * row;
    return before + cmk_host_table_index_(k, row, 1, "column", name, file, line);
}

#define CMK_TABLE_HANDLE_(name)                                                                                        \
    CMK_STRUCT_(name##_table, int unused_;)                                                                            \
    static const name##_table name __attribute__((unused)) = {0};
#define CMK_TABLE_MEMBER_(member) table->member

#define CMK_TABLE_GETS_(TABLE, table, i, file, line)                                                                   \
    const TABLE *table __attribute__((unused)), cmk_i64 i, const char *file, int line
#define CMK_TABLE_ELEMENT_(name, VALUES, FILLED, i, file, line)                                                        \
    (*(const name##_element_ *)cmk_table_read_(name##_source_, VALUES, sizeof(name##_element_),                        \
                                               __alignof__(name##_element_), i, CMK_TABLE_PER_(name, ), FILLED, #name, \
                                               file, line))

CMK_INLINED_ const void *cmk_table_read_(int source, const void *values, size_t size, size_t alignment, cmk_i64 i,
                                         cmk_i64 count, int filled, const char *name, const char *file, int line)
{
    const char *from =
        (const char *)values + cmk_host_table_index_(i, count, filled, "element", name, file, line) * (cmk_i64)size;
    if (CMK_HOST_COUNTS_ && source == CMK_TABLE_IS_GLOBAL_)
        cmk_host_count_((uintptr_t)from, size, alignment, 0, 0, file, line);
    else if (CMK_HOST_COUNTS_)
        cmk_host_count_constant_(i, file, line);
    return from;
}

#define CMK_TABLE_ROW_OF_(ARRAY) __typeof__((*(ARRAY *)0)[0])

#define CMK_TABLE_STATE_(LINKAGE, name, ...) LINKAGE int name##_filled_ __VA_ARGS__;
#define CMK_TABLE_STATE_OF_(filled) &(filled)
#define CMK_TABLE_STATE_MEMBER_ int filled_;
#define CMK_TABLE_STATE_1_ , 1

#define CMK_TABLE_ASSERT_LINKED_ CMK_SEMICOLON_

#define cmk_table_to_symbol_ cmk_host_to_symbol_
#define cmk_table_from_symbol_ cmk_host_from_symbol_

#endif

/* how many elements a part of the table has; the part [0] is a row of [ROWS][COLUMNS] */
#define CMK_TABLE_PER_(name, PART) ((cmk_i64)(sizeof((*(name##_array_ *)0)PART) / sizeof(name##_element_)))

#if CMK_HAS_HOST_

#define CMK_TABLE_ON_HOST_(...) __VA_ARGS__

/* clang-format off */
#define CMK_TABLE_HOME_(name, HOME, FULL, RING) \
    CMK_UNUSED_ static inline cmk_table_home_ name##_home_(name##_table *slot) \
    { return cmk_table_at_(HOME, name##_source_, FULL, sizeof(name##_array_), sizeof(name##_element_), slot, RING); } \
    CMK_SEMICOLON_
/* clang-format on */

#define CMK_TABLE_OWN_TYPE_ "must point to elements of the type of the table"
#define CMK_TABLE_UPLOAD_(name, source, first, count, stream, wait)                                                    \
    cmk_table_upload_(name##_home_(0), CMK_TABLE_UPLOADED_(name, source), (first), (count), (stream), wait)
#define CMK_TABLE_UPLOADED_(name, source)                                                                              \
    (CMK_ASSERT_HERE_(!name##_literal_, "cmk: CMK_TABLE_UPLOAD: a LITERAL table cannot be changed"),                   \
     CMK_ASSERT_HERE_(!name##_slotted_, "cmk: CMK_TABLE_UPLOAD: a table with slots is filled by CMK_TABLE_TAKE"),      \
     CMK_ASSERT_HERE_(CMK_TABLE_MATCHES_(name, source), "cmk: CMK_TABLE_UPLOAD: source " CMK_TABLE_OWN_TYPE_),         \
     (source))

#define CMK_TABLE_DOWNLOAD_(name, target, first, count, stream, wait)                                                  \
    cmk_table_download_(name##_home_(0), CMK_TABLE_DOWNLOADED_(name, target), (first), (count), (stream), wait)
#define CMK_TABLE_DOWNLOADED_(name, target)                                                                            \
    (CMK_ASSERT_HERE_(!name##_literal_ && !name##_slotted_,                                                            \
                      "cmk: CMK_TABLE_DOWNLOAD: a LITERAL table and one with slots cannot be read back"),              \
     CMK_ASSERT_HERE_(CMK_TABLE_MATCHES_(name, target), "cmk: CMK_TABLE_DOWNLOAD: target " CMK_TABLE_OWN_TYPE_),       \
     (target))

#define CMK_TABLE_TAKE_(name, slot, source, stream)                                                                    \
    cmk_table_take_(name##_home_(&(slot)), CMK_TABLE_TAKEN_(name, source), (stream))
#define CMK_TABLE_TAKEN_(name, source)                                                                                 \
    (CMK_ASSERT_HERE_(name##_slotted_, "cmk: CMK_TABLE_TAKE: the table has no slots: CMK_TABLE_SLOTS"),                \
     CMK_ASSERT_HERE_(CMK_TABLE_MATCHES_(name, source), "cmk: CMK_TABLE_TAKE: source " CMK_TABLE_OWN_TYPE_), (source))
#define CMK_TABLE_RELEASE_(name, slot, stream)                                                                         \
    cmk_table_release_(name##_home_(CMK_TABLE_RELEASED_(name, slot)), (stream))
#define CMK_TABLE_RELEASED_(name, slot)                                                                                \
    (CMK_ASSERT_HERE_(name##_slotted_, "cmk: CMK_TABLE_RELEASE: the table has no slots: CMK_TABLE_SLOTS"),             \
     CMK_ASSERT_HERE_(CMK_POINTS_TO_(name##_table, &(slot)),                                                           \
                      "cmk: CMK_TABLE_RELEASE: slot must be a slot of this table"),                                    \
     (name##_table *)&(slot))

/* whether data points to elements, or to the rows or planes of a table of several dimensions */
#define CMK_TABLE_MATCHES_(name, data) (CMK_POINTS_TO_(name##_element_, data) || CMK_POINTS_TO_(name##_row_, data))

#define CMK_TABLE_HOST_FUNCTION_ __attribute__((unused, warn_unused_result)) static inline cudaError_t

typedef struct {
    cudaEvent_t released; /* recorded behind the last readers; 0 before the first use */
    unsigned taken;       /* the number of the call that took it; 0 where it is free */
} cmk_table_slot_;

typedef struct {
    cmk_table_slot_ *all; /* [device][count] */
    unsigned count;
    size_t pitch;             /* bytes from one slot's values to the next */
    unsigned takes, releases; /* how many there were, on all devices */
} cmk_table_ring_;

/* where the values are, and how many bytes they have; for a table with slots, also the slot and the ring of slots */
typedef struct {
    void *memory; /* a symbol, or a host variable */
    int on_host, *filled;
    size_t bytes, size; /* of all elements, of one */
    cmk_table_taken_ *taken;
    cmk_table_ring_ *ring;
} cmk_table_home_;

static inline cmk_table_home_ cmk_table_at_(void *memory, int source, int *filled, size_t bytes, size_t size,
                                            void *slot, cmk_table_ring_ *ring)
{
    const cmk_table_home_ home = {memory, source == CMK_TABLE_IS_PARAMETER_, filled, bytes,
                                  size,   (cmk_table_taken_ *)slot,          ring};
    return home;
}

static inline cudaError_t cmk_table_range_(size_t elements, size_t first, size_t count, const void *other)
{
    const int right = other != NULL && first <= elements && count <= elements - first;
    return right ? cudaSuccess : cudaErrorInvalidValue;
}

/* the copy is complete when this returns; one side is pageable host memory */
static inline cudaError_t cmk_table_copy_(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

CMK_TABLE_HOST_FUNCTION_ cmk_table_upload_(cmk_table_home_ home, const void *source, size_t first, size_t count,
                                           cudaStream_t stream, int wait)
{
    const size_t size = home.size;
    cudaError_t error = cmk_table_range_(home.bytes / size, first, count, source);
    if (error != cudaSuccess) return error;
    if (home.on_host)
        error = cmk_table_copy_((char *)home.memory + first * size, source, count * size, stream);
    else
        error = cmk_table_to_symbol_(home.memory, home.bytes, source, count * size, first * size, cudaMemcpyDefault,
                                     stream);
    if (error == cudaSuccess && home.filled != NULL && count > 0) *home.filled = 1;
    return error == cudaSuccess && wait && !home.on_host ? cudaStreamSynchronize(stream) : error;
}

CMK_TABLE_HOST_FUNCTION_ cmk_table_download_(cmk_table_home_ home, void *target, size_t first, size_t count,
                                             cudaStream_t stream, int wait)
{
    const size_t size = home.size;
    cudaError_t error = cmk_table_range_(home.bytes / size, first, count, target);
    if (error != cudaSuccess) return error;
    if (home.on_host) return cmk_table_copy_(target, (const char *)home.memory + first * size, count * size, stream);
    error =
        cmk_table_from_symbol_(target, home.memory, home.bytes, count * size, first * size, cudaMemcpyDefault, stream);
    return error == cudaSuccess && wait ? cudaStreamSynchronize(stream) : error;
}

/* the slots of the current device */
static inline cudaError_t cmk_table_slots_(const cmk_table_ring_ *ring, cmk_table_slot_ **first)
{
    int device;
    const cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    *first = ring->all + (size_t)device * ring->count;
    return device < CMK_TABLE_DEVICES ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Marks a free slot as taken, and returns it; its slot is ring->count where none is free. Each search begins at the
 * next slot, so that the slot released last is used last. A slot may be released behind the search while another is
 * taken before it. So it searches again where there was a release meanwhile. */
static inline cmk_table_taken_ cmk_table_free_slot_(cmk_table_ring_ *ring, cmk_table_slot_ *first)
{
    const unsigned begin = __atomic_fetch_add(&ring->takes, 1, __ATOMIC_RELAXED);
    cmk_table_taken_ taken = {ring->count, 2 * begin + 1};
    unsigned releases;
    do {
        releases = __atomic_load_n(&ring->releases, __ATOMIC_SEQ_CST);
        for (unsigned i = 0; i < ring->count; ++i) {
            const unsigned slot = (begin + i) % ring->count;
            unsigned empty = 0;
            if (!__atomic_compare_exchange_n(&first[slot].taken, &empty, taken.number, 0, __ATOMIC_SEQ_CST,
                                             __ATOMIC_SEQ_CST))
                continue;
            taken.slot = slot;
            return taken;
        }
    } while (releases != __atomic_load_n(&ring->releases, __ATOMIC_SEQ_CST));
    return taken;
}

/* frees a slot that the call of this number took; an error if it has been freed, and perhaps taken again */
static inline cudaError_t cmk_table_free_(cmk_table_ring_ *ring, cmk_table_slot_ *slot, unsigned number)
{
    if (!__atomic_compare_exchange_n(&slot->taken, &number, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return cudaErrorInvalidValue;
    __atomic_fetch_add(&ring->releases, 1, __ATOMIC_SEQ_CST);
    return cudaSuccess;
}

CMK_TABLE_HOST_FUNCTION_ cmk_table_release_(cmk_table_home_ home, cudaStream_t stream)
{
    cmk_table_slot_ *slot;
    if (home.on_host) return cudaSuccess;
    cudaError_t error = cmk_table_slots_(home.ring, &slot);
    if (error != cudaSuccess) return error;
    if (home.taken->slot >= home.ring->count) return cudaErrorInvalidValue;
    slot += home.taken->slot;
    if (__atomic_load_n(&slot->taken, __ATOMIC_RELAXED) != home.taken->number) return cudaErrorInvalidValue;
    error = cudaEventRecord(slot->released, stream);
    return error == cudaSuccess ? cmk_table_free_(home.ring, slot, home.taken->number) : error;
}

/* copies the values into the slot that was taken, once its last readers are done */
static inline cudaError_t cmk_table_fill_slot_(cmk_table_home_ home, cmk_table_slot_ *slot, const void *source,
                                               cudaStream_t stream)
{
    cudaError_t error;
    if (slot->released == 0)
        error = cudaEventCreateWithFlags(&slot->released, cudaEventDisableTiming);
    else
        error = cudaStreamWaitEvent(stream, slot->released, 0);
    if (error != cudaSuccess) return error;
    return cmk_table_to_symbol_(home.memory, home.ring->count * home.ring->pitch, source, home.bytes,
                                home.taken->slot * home.ring->pitch, cudaMemcpyDefault, stream);
}

CMK_TABLE_HOST_FUNCTION_ cmk_table_take_(cmk_table_home_ home, const void *source, cudaStream_t stream)
{
    cmk_table_slot_ *first;
    if (source == NULL) return cudaErrorInvalidValue;
    if (home.on_host) {
        memcpy(home.memory, source, home.bytes);
        if (home.filled != NULL) *home.filled = 1;
        return cudaSuccess;
    }
    cudaError_t error = cmk_table_slots_(home.ring, &first);
    if (error != cudaSuccess) return error;
    *home.taken = cmk_table_free_slot_(home.ring, first);
    if (home.taken->slot == home.ring->count) return cudaErrorNotReady;
    first += home.taken->slot;
    error = cmk_table_fill_slot_(home, first, source, stream);
    if (error != cudaSuccess && cmk_table_release_(home, stream) != cudaSuccess)
        (void)cmk_table_free_(home.ring, first, home.taken->number);
    return error;
}

#else

#define CMK_TABLE_ON_HOST_(...)
#define CMK_TABLE_HOME_(name, HOME, FULL, RING) CMK_SEMICOLON_

#endif

#endif
