/* load.h: loads and stores of global memory for elements of every type: by cache hint, in vectors, by row and by
 * stride.
 *
 *   CMK_LDG(pointer)                         the element at pointer, by the read-only cache
 *   CMK_LOAD(pointer)                        the element at pointer, by an ordinary load; shared memory too
 *   CMK_STORE(pointer, value);               *pointer = value; shared memory too
 *   CMK_LOAD_AS(HOW, pointer)                the element at pointer, by the hint HOW
 *   CMK_STORE_AS(HOW, pointer, value);       *pointer = value, by the hint HOW
 *   CMK_LOAD_8(HOW, to, from);               8 bytes from global memory to a local array, by one load
 *   CMK_LOAD_16(HOW, to, from);              16 bytes
 *   CMK_STORE_8(HOW, to, from);              8 bytes from a local array to global memory, by one store
 *   CMK_STORE_16(HOW, to, from);             16 bytes
 *   CMK_LOAD_PART(HOW, BYTES, to, from, first, count);
 *                                            to[j] = from[first + j] where 0 <= first + j < count; other elements of to
 *                                            stay as they are. j is each lane from 0 to BYTES / sizeof(*from) - 1;
 *                                            BYTES is 8 or 16
 *   CMK_STORE_PART(HOW, BYTES, to, first, count, from);
 *                                            to[first + j] = from[j], for the same lanes
 *   CMK_LOAD_HEAD(pointer, BYTES)            int: elements from the multiple of BYTES at or below pointer to pointer
 *   CMK_LOAD_STRIDED(HOW, to, COUNT, from, stride);
 *                                            to[j] = from[j * stride] for j from 0 to COUNT - 1
 *   CMK_LOAD_ROW(pointer, pitch, row)        the row of a pitched array, pitch in bytes; const if pointer is
 *
 *   HOW           PTX                            for
 *   PLAIN         ld.global, st.global           what will be used again
 *   READ_ONLY     ld.global.nc                   loads of memory that nobody writes during the kernel
 *   STREAMING     ld.global.cs, st.global.cs     what is used once
 *   LAST_USE      ld.global.lu                   loads for the last time: what need not be written back
 *   EVICT_FIRST   ld., st.global.L1::evict_first what should leave the caches before all else
 *   EVICT_LAST    ld., st.global.L1::evict_last  what should stay in the caches; from sm_80 on both in L2 too
 *
 * Any thread may call any of them, and none has a barrier. Each argument is evaluated once. HOW is one of the words
 * above, even where macros have these names. An element has any type that memcpy may copy. It moves in words of as many
 * bytes as its alignment, 16 at most. For an element, pointer, to and from are aligned to its type. For the forms of 8
 * and 16 bytes the global pointer is a multiple of 8 or 16. A local array stays in registers when its indices are
 * constants. first, count and stride are a cmk_i64 and count elements; first may be negative. COUNT is an integer
 * constant.
 * A part is one access where all its lanes are inside and &from[first] is a multiple of BYTES. Elsewhere it is one
 * access for each element inside. With first = thread * LANES - CMK_LOAD_HEAD(from, BYTES) all parts but those at the
 * two ends are one access.
 * The CPU backend stops at an access that is misaligned or outside of device memory. It has no caches.
 *
 *   float v[4];
 *   const cmk_i64 first = 4 * thread - CMK_LOAD_HEAD(out, 16);
 *   CMK_LOAD_PART(READ_ONLY, 16, v, in, first, count);
 *   CMK_STORE_PART(STREAMING, 16, out, first, count, v); */
#ifndef CMK_LOAD_H
#define CMK_LOAD_H

#include "base.h"

/* A HOW stands for a type or a constant of this name. Where there is none, the compiler reports the name. HOW is pasted
 * here, before it becomes the argument of another macro. */
#define CMK_LDG(pointer) CMK_LOAD_BY_(cmk_load_by_READ_ONLY_, pointer)
#define CMK_LOAD_AS(HOW, pointer) CMK_LOAD_BY_(cmk_load_by_##HOW##_, pointer)
#define CMK_STORE_AS(HOW, pointer, value) CMK_LOAD_STORE_BY_(cmk_store_by_##HOW##_, pointer, value)
#define CMK_LOAD_8(HOW, to, from) CMK_LOAD_BYTES_(cmk_load_by_##HOW##_, 8, to, from)
#define CMK_LOAD_16(HOW, to, from) CMK_LOAD_BYTES_(cmk_load_by_##HOW##_, 16, to, from)
#define CMK_STORE_8(HOW, to, from) CMK_LOAD_STORE_BYTES_(cmk_store_by_##HOW##_, 8, to, from)
#define CMK_STORE_16(HOW, to, from) CMK_LOAD_STORE_BYTES_(cmk_store_by_##HOW##_, 16, to, from)

#define CMK_LOAD_PART(HOW, BYTES, to, from, first, count)                                                              \
    CMK_LOAD_PARTS_("CMK_LOAD_PART", BYTES, from, CMK_LOAD_PART_(cmk_load_by_##HOW##_, BYTES, to, from, first, count))
#define CMK_STORE_PART(HOW, BYTES, to, first, count, from)                                                             \
    CMK_LOAD_PARTS_("CMK_STORE_PART", BYTES, to,                                                                       \
                    CMK_LOAD_STORE_PART_(cmk_store_by_##HOW##_, BYTES, to, first, count, from))
#define CMK_LOAD_PARTS_(MACRO, BYTES, pointer, ...)                                                                    \
    CMK_ASSERT_THEN_(((BYTES) == 8 || (BYTES) == 16) && (BYTES) % sizeof(*(pointer)) == 0,                             \
                     "cmk: " MACRO ": BYTES must be 8 or 16, a multiple of the size of an element", __VA_ARGS__)

#define CMK_LOAD_HEAD(pointer, BYTES) ((int)((size_t)(pointer) % (BYTES) / sizeof(*(pointer))))

#define CMK_LOAD_STRIDED(HOW, to, COUNT, from, stride)                                                                 \
    CMK_ASSERT_THEN_((COUNT) >= 1, "cmk: CMK_LOAD_STRIDED: COUNT must be at least 1",                                  \
                     CMK_LOAD_STRIDED_(cmk_load_by_##HOW##_, to, COUNT, from, stride))

/* whether all lanes from pointer[first] on are inside and aligned as one vector; size is that of an element, in
 * bytes */
CMK_FUNCTION int cmk_load_whole_(const void *pointer, cmk_i64 first, cmk_i64 count, int lanes, size_t size)
{
    return first >= 0 && first <= count - lanes &&
           ((size_t)pointer + (size_t)first * size) % ((size_t)lanes * size) == 0;
}

#define CMK_LOAD_ROW(pointer, pitch, row)                                                                              \
    ((CMK_LOAD_TYPE_(pointer))cmk_load_row_(pointer, (cmk_i64)(pitch), (cmk_i64)(row)))
CMK_FUNCTION void *cmk_load_row_(const volatile void *pointer, cmk_i64 pitch, cmk_i64 row)
{
    return (char *)pointer + pitch * row;
}

#if defined(__CUDACC__)

#define CMK_LOAD(pointer) (*(pointer))
#define CMK_STORE(pointer, value) ((void)(*(pointer) = (value)))
#define CMK_LOAD_BY_(by, pointer) cmk_load_as_(by(), (pointer))
#define CMK_LOAD_STORE_BY_(by, pointer, value) cmk_load_store_as_(by(), (pointer), (value))
#define CMK_LOAD_BYTES_(by, BYTES, to, from) cmk_load_bytes_<BYTES>(by(), (to), (from))
#define CMK_LOAD_STORE_BYTES_(by, BYTES, to, from) cmk_load_store_bytes_<BYTES>(by(), (to), (from))
#define CMK_LOAD_PART_(by, BYTES, ...) cmk_load_part_<(BYTES)>(by(), __VA_ARGS__)
#define CMK_LOAD_STORE_PART_(by, BYTES, ...) cmk_load_store_part_<(BYTES)>(by(), __VA_ARGS__)
#define CMK_LOAD_STRIDED_(by, to, COUNT, from, stride) cmk_load_strided_<(COUNT)>(by(), (to), (from), (stride))
#define CMK_LOAD_TYPE_(pointer) decltype(&*(pointer))

/* the PTX of a hint: OPERATION is ld or st; TYPE is the type, with its vector */
#define CMK_LOAD_PTX_PLAIN_(OPERATION, TYPE, OPERANDS) OPERATION ".global" TYPE " " OPERANDS ";"
#define CMK_LOAD_PTX_STREAMING_(OPERATION, TYPE, OPERANDS) OPERATION ".global.cs" TYPE " " OPERANDS ";"
#define CMK_LOAD_PTX_LAST_USE_(OPERATION, TYPE, OPERANDS) OPERATION ".global.lu" TYPE " " OPERANDS ";"
#define CMK_LOAD_PTX_EVICT_FIRST_(OPERATION, TYPE, OPERANDS) CMK_LOAD_EVICT_("evict_first", OPERATION, TYPE, OPERANDS)
#define CMK_LOAD_PTX_EVICT_LAST_(OPERATION, TYPE, OPERANDS) CMK_LOAD_EVICT_("evict_last", OPERATION, TYPE, OPERANDS)

/* ptxas keeps one policy for all accesses of a kernel: a constant in a uniform register */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CMK_LOAD_EVICT_(PRIORITY, OPERATION, TYPE, OPERANDS)                                                           \
    CMK_LOAD_POLICY_(PRIORITY) OPERATION ".global.L1::" PRIORITY ".L2::cache_hint" TYPE " " OPERANDS ", policy; }"
#define CMK_LOAD_POLICY_(PRIORITY) "{ .reg .b64 policy; createpolicy.fractional.L2::" PRIORITY ".b64 policy, 1.0; "
#else
#define CMK_LOAD_EVICT_(PRIORITY, OPERATION, TYPE, OPERANDS) OPERATION ".global.L1::" PRIORITY TYPE " " OPERANDS ";"
#endif

/* get_ and put_ for words of 1, 2, 4, 8 and 16 bytes. The clobber keeps them in order with all other accesses. CUDA's
 * own __ldcs has no clobber. A plain assignment of a copied uint4 becomes four stores. */
/* clang-format off */
#define CMK_LOAD_WORDS_(PTX) \
    CMK_LOAD_WORD_(PTX, unsigned char, unsigned, ".u8", "%0", "%1", CMK_LOAD_BITS_, "r") \
    CMK_LOAD_WORD_(PTX, unsigned short, unsigned short, ".u16", "%0", "%1", CMK_LOAD_BITS_, "h") \
    CMK_LOAD_WORD_(PTX, unsigned, unsigned, ".u32", "%0", "%1", CMK_LOAD_BITS_, "r") \
    CMK_LOAD_WORD_(PTX, unsigned long long, unsigned long long, ".u64", "%0", "%1", CMK_LOAD_BITS_, "l") \
    CMK_LOAD_WORD_(PTX, uint4, uint4, ".v4.u32", "{%0, %1, %2, %3}", "%4", CMK_LOAD_BITS_4_, "r")
#define CMK_LOAD_BITS_(REGISTER) REGISTER(bits)
#define CMK_LOAD_BITS_4_(REGISTER) REGISTER(bits.x), REGISTER(bits.y), REGISTER(bits.z), REGISTER(bits.w)
#define CMK_LOAD_WORD_(PTX, WORD, NUMBER, TYPE, VALUE, AT, BITS, REGISTER) \
    CMK_INLINED_ WORD get_(const WORD *from) \
    { \
        NUMBER bits; \
        asm volatile(PTX("ld", TYPE, VALUE ", [" AT "]") : BITS("=" REGISTER) : "l"(from) : "memory"); \
        return (WORD)bits; \
    } \
    CMK_INLINED_ void put_(WORD *to, NUMBER bits) \
    { asm volatile(PTX("st", TYPE, "[" AT "], " VALUE) : : BITS(REGISTER), "l"(to) : "memory"); }

struct cmk_load_by_PLAIN_ { CMK_LOAD_WORDS_(CMK_LOAD_PTX_PLAIN_) };
struct cmk_load_by_STREAMING_ { CMK_LOAD_WORDS_(CMK_LOAD_PTX_STREAMING_) };
struct cmk_load_by_LAST_USE_ { CMK_LOAD_WORDS_(CMK_LOAD_PTX_LAST_USE_) }; /* PTX has no such store */
struct cmk_load_by_EVICT_FIRST_ { CMK_LOAD_WORDS_(CMK_LOAD_PTX_EVICT_FIRST_) };
struct cmk_load_by_EVICT_LAST_ { CMK_LOAD_WORDS_(CMK_LOAD_PTX_EVICT_LAST_) };
typedef cmk_load_by_PLAIN_ cmk_store_by_PLAIN_;
typedef cmk_load_by_STREAMING_ cmk_store_by_STREAMING_;
typedef cmk_load_by_EVICT_FIRST_ cmk_store_by_EVICT_FIRST_;
typedef cmk_load_by_EVICT_LAST_ cmk_store_by_EVICT_LAST_;

template <int BYTES_> struct cmk_load_word_ { typedef uint4 type_; };
template <> struct cmk_load_word_<1> { typedef unsigned char type_; };
template <> struct cmk_load_word_<2> { typedef unsigned short type_; };
template <> struct cmk_load_word_<4> { typedef unsigned type_; };
template <> struct cmk_load_word_<8> { typedef unsigned long long type_; };

template <typename T_> struct cmk_load_element_ {
    typedef T_ type_;
    typedef typename cmk_load_word_<(alignof(T_) < 16 ? (int)alignof(T_) : 16)>::type_ word_;
};
/* clang-format on */

struct cmk_load_by_READ_ONLY_ {
    template <typename WORD_> static __device__ __forceinline__ WORD_ get_(const WORD_ *from)
    {
        return __ldg(from);
    }
};

template <typename T_> static __device__ __forceinline__ T_ cmk_load_as_(cmk_load_by_PLAIN_, const T_ *from)
{
    return *from;
}

template <typename BY_, typename T_> static __device__ __forceinline__ T_ cmk_load_as_(BY_, const T_ *from)
{
    typedef typename cmk_load_element_<T_>::word_ word_;
    T_ value;
    CMK_UNROLL
    for (int k = 0; k < (int)(sizeof(T_) / sizeof(word_)); ++k) {
        const word_ bits = BY_::get_((const word_ *)from + k);
        memcpy((word_ *)&value + k, &bits, sizeof bits);
    }
    return value;
}

/* the overload for the types that __ldg knows, where the compiler sees the same as in a call of __ldg */
template <typename T_> __device__ T_ cmk_load_same_(const T_ &, const T_ &);
template <typename T_>
static __device__ __forceinline__ auto cmk_load_as_(cmk_load_by_READ_ONLY_, const T_ *from)
    -> decltype(cmk_load_same_(*from, __ldg(from)))
{
    return __ldg(from);
}

template <typename T_>
static __device__ __forceinline__ void cmk_load_store_as_(cmk_store_by_PLAIN_, T_ *to,
                                                          typename cmk_load_element_<T_>::type_ value)
{
    *to = value;
}

template <typename BY_, typename T_>
static __device__ __forceinline__ void cmk_load_store_as_(BY_, T_ *to, typename cmk_load_element_<T_>::type_ value)
{
    typedef typename cmk_load_element_<T_>::word_ word_;
    CMK_UNROLL
    for (int k = 0; k < (int)(sizeof(T_) / sizeof(word_)); ++k) {
        word_ bits;
        memcpy(&bits, (const word_ *)&value + k, sizeof bits);
        BY_::put_((word_ *)to + k, bits);
    }
}

template <int BYTES_, typename BY_>
static __device__ __forceinline__ void cmk_load_bytes_(BY_, void *to, const void *from)
{
    typedef typename cmk_load_word_<BYTES_>::type_ word_;
    const word_ bits = BY_::get_((const word_ *)from);
    memcpy(to, &bits, sizeof bits);
}

template <int BYTES_, typename BY_>
static __device__ __forceinline__ void cmk_load_store_bytes_(BY_, void *to, const void *from)
{
    typename cmk_load_word_<BYTES_>::type_ bits;
    memcpy(&bits, from, sizeof bits);
    BY_::put_((typename cmk_load_word_<BYTES_>::type_ *)to, bits);
}

template <int BYTES_, typename BY_, typename T_>
static __device__ __forceinline__ void cmk_load_part_(BY_ by, T_ *to, const T_ *from, cmk_i64 first, cmk_i64 count)
{
    const int lanes = BYTES_ / (int)sizeof(T_);
    if (cmk_load_whole_(from, first, count, lanes, sizeof(T_))) {
        cmk_load_bytes_<BYTES_>(by, to, from + first);
    } else {
        CMK_UNROLL
        for (int j = 0; j < lanes; ++j)
            if (first + j >= 0 && first + j < count) to[j] = cmk_load_as_(by, from + (first + j));
    }
}

template <int BYTES_, typename BY_, typename T_>
static __device__ __forceinline__ void cmk_load_store_part_(BY_ by, T_ *to, cmk_i64 first, cmk_i64 count,
                                                            const T_ *from)
{
    const int lanes = BYTES_ / (int)sizeof(T_);
    if (cmk_load_whole_(to, first, count, lanes, sizeof(T_))) {
        cmk_load_store_bytes_<BYTES_>(by, to + first, from);
    } else {
        CMK_UNROLL
        for (int j = 0; j < lanes; ++j)
            if (first + j >= 0 && first + j < count) cmk_load_store_as_(by, to + (first + j), from[j]);
    }
}

template <int COUNT_, typename BY_, typename T_>
static __device__ __forceinline__ void cmk_load_strided_(BY_ by, T_ *to, const T_ *from, cmk_i64 stride)
{
    CMK_UNROLL
    for (int j = 0; j < COUNT_; ++j) to[j] = cmk_load_as_(by, from + j * stride);
}

/* For the functions of engines: moves an element of `size` bytes, a constant of 1, 2, 4, 8 or 16. The first loads it
 * from global memory to a local variable by the read-only cache. The second loads it from any memory by an ordinary
 * load, and the third stores a local variable to any memory. The fourth is as the second, of global memory in which
 * other threads may write what is not used of it: the CPU backend looks for no race there. */
CMK_INLINED_ void cmk_load_value_(void *to, const void *from, int size)
{
    cmk_read_only_(to, from, (size_t)size, (size_t)size);
}

template <typename WORD> CMK_INLINED_ void cmk_load_word_move_(void *to, const void *from, bool stores)
{
    WORD bits;
    if (stores)
        memcpy(&bits, from, sizeof bits), *(WORD *)to = bits;
    else
        bits = *(const WORD *)from, memcpy(to, &bits, sizeof bits);
}

CMK_INLINED_ void cmk_load_move_(void *to, const void *from, int size, bool stores)
{
    if (size == 16)
        cmk_load_word_move_<uint4>(to, from, stores);
    else if (size == 8)
        cmk_load_word_move_<uint2>(to, from, stores);
    else if (size == 4)
        cmk_load_word_move_<unsigned>(to, from, stores);
    else if (size == 2)
        cmk_load_word_move_<unsigned short>(to, from, stores);
    else
        cmk_load_word_move_<unsigned char>(to, from, stores);
}

CMK_INLINED_ void cmk_load_plain_value_(void *to, const void *from, int size)
{
    cmk_load_move_(to, from, size, false);
}
#define cmk_load_in_place_value_ cmk_load_plain_value_

CMK_INLINED_ void cmk_load_store_value_(void *to, const void *from, int size)
{
    cmk_load_move_(to, from, size, true);
}

#else

#define CMK_LOAD(pointer) CMK_HOST_READ_(pointer)
#define CMK_STORE(pointer, value) CMK_HOST_WRITE_(pointer, value)
#define CMK_LOAD_BY_(by, pointer) ((void)(by), CMK_HOST_READ_(pointer))
#define CMK_LOAD_STORE_BY_(by, pointer, value) ((void)(by), CMK_HOST_WRITE_(pointer, value))
#define CMK_LOAD_BYTES_(by, BYTES, to, from) ((void)(by), cmk_load_value_(to, from, BYTES))
#define CMK_LOAD_STORE_BYTES_(by, BYTES, to, from) ((void)(by), cmk_load_store_value_(to, from, BYTES))
#define CMK_LOAD_PART_(by, BYTES, to, from, first, count)                                                              \
    (CMK_LOAD_SAME_(by, to, from), cmk_load_part_((to), (from), (first), (count), (BYTES), CMK_LOAD_ELEMENT_(from)))
#define CMK_LOAD_STORE_PART_(by, BYTES, to, first, count, from)                                                        \
    (CMK_LOAD_SAME_(by, to, from), cmk_load_store_part_((to), (first), (count), (from), (BYTES), CMK_LOAD_ELEMENT_(to)))
#define CMK_LOAD_STRIDED_(by, to, COUNT, from, stride)                                                                 \
    (CMK_LOAD_SAME_(by, to, from), cmk_load_strided_((to), (COUNT), (from), (stride), CMK_LOAD_ELEMENT_(from)))
#define CMK_LOAD_TYPE_(pointer) __typeof__(&*(pointer))

/* the last arguments of the functions below; and an assertion that the elements of two pointers have the same type */
#define CMK_LOAD_ELEMENT_(pointer) sizeof(*(pointer)), __alignof__(*(pointer)), __FILE__, CMK_HOST_LINE_
#define CMK_LOAD_SAME_(by, to, from) ((void)(by), (void)sizeof((to) - (from)))

enum {
    cmk_load_by_PLAIN_,
    cmk_load_by_READ_ONLY_,
    cmk_load_by_STREAMING_,
    cmk_load_by_LAST_USE_,
    cmk_load_by_EVICT_FIRST_,
    cmk_load_by_EVICT_LAST_,
    cmk_store_by_PLAIN_,
    cmk_store_by_STREAMING_,
    cmk_store_by_EVICT_FIRST_,
    cmk_store_by_EVICT_LAST_
};

CMK_FUNCTION void cmk_load_part_(void *to, const void *from, cmk_i64 first, cmk_i64 count, int bytes, size_t size,
                                 size_t align, const char *file, int line)
{
    const int lanes = bytes / (int)size, whole = cmk_load_whole_(from, first, count, lanes, size);
    const size_t step = whole ? (size_t)bytes : size;
    for (cmk_i64 j = 0; j < lanes; j += whole ? lanes : 1) {
        if (first + j < 0 || first + j >= count) continue;
        const void *const at = (const char *)from + (first + j) * (cmk_i64)size;
        memcpy((char *)to + j * (cmk_i64)size,
               cmk_host_read_(at, step, whole ? step : align, file, CMK_HOST_PART_(line, j)), step);
    }
}

CMK_FUNCTION void cmk_load_store_part_(void *to, cmk_i64 first, cmk_i64 count, const void *from, int bytes, size_t size,
                                       size_t align, const char *file, int line)
{
    const int lanes = bytes / (int)size, whole = cmk_load_whole_(to, first, count, lanes, size);
    const size_t step = whole ? (size_t)bytes : size;
    for (cmk_i64 j = 0; j < lanes; j += whole ? lanes : 1) {
        if (first + j < 0 || first + j >= count) continue;
        void *const at = (char *)to + (first + j) * (cmk_i64)size;
        memcpy(cmk_host_write_(at, step, whole ? step : align, file, CMK_HOST_PART_(line, j)),
               (const char *)from + j * (cmk_i64)size, step);
    }
}

CMK_FUNCTION void cmk_load_strided_(void *to, int count, const void *from, cmk_i64 stride, size_t size, size_t align,
                                    const char *file, int line)
{
    for (cmk_i64 j = 0; j < count; ++j) {
        const void *const at = (const char *)from + j * stride * (cmk_i64)size;
        memcpy((char *)to + j * (cmk_i64)size, cmk_host_read_(at, size, align, file, line), size);
    }
}

/* These are macros, so that file and line are those of the engine's access. */
#define cmk_load_value_(to, from, size) ((void)memcpy((to), CMK_LOAD_FROM_(from, (size_t)(size)), (size_t)(size)))
#define cmk_load_plain_value_(to, from, size) cmk_load_value_(to, from, size)
#define cmk_load_in_place_value_(to, from, size) cmk_host_read_in_place_(to, from, size, __FILE__, CMK_HOST_LINE_)
#define cmk_load_store_value_(to, from, size) ((void)memcpy(CMK_LOAD_TO_(to, (size_t)(size)), (from), (size_t)(size)))
#define CMK_LOAD_FROM_(from, size) cmk_host_read_((from), size, size, __FILE__, CMK_HOST_LINE_)
#define CMK_LOAD_TO_(to, size) cmk_host_write_((to), size, size, __FILE__, CMK_HOST_LINE_)

#endif

#endif
