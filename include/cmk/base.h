/* base.h: everything on which the compilers differ, in one place. Every other header includes it.
 *
 *   CMK_VERSION                          major * 10000 + minor * 100 + patch, which are
 *   CMK_VERSION_MAJOR, CMK_VERSION_MINOR, CMK_VERSION_PATCH
 *   CMK_FUNCTION                         qualifiers of an inline function that kernels and host code call
 *   CMK_STATIC_ASSERT(condition, text);  stops the build with text unless condition, a constant, is true (declaration)
 *   CMK_UNROLL                           before a loop of compile-time length: unrolls it completely
 *   CMK_NO_UNROLL                        before a loop: keeps it from being unrolled
 *   CMK_LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...)
 *                                        launches the kernel. Value: the cudaError_t of the launch, which the caller
 *                                        must look at
 *   cmk_i64                              signed 64-bit integer; indices of data larger than 2^31 elements
 *   CMK_FMA(a, b, c)                     a * b + c, rounded once, in float or double: one instruction of a GPU, and the
 *                                        same bits everywhere, whether or not the compiler contracts products and sums
 *
 * grid and block are a dim3 or an integer. shared_bytes is the dynamic shared memory of one block. stream is 0 or a
 * cudaStream_t, and arguments are those of the kernel. Each is evaluated once, on the host.
 *
 *   __global__ void twice(float *x, int count) { ... }
 *   CMK_CHECK(CMK_LAUNCH(twice, (count + 255) / 256, 256, 0, 0, x, count));
 *
 * The launch of a kernel without parameters ends with a comma: CMK_LAUNCH(k, 1, 1, 0, 0, ).
 *
 * nvcc, clang in CUDA mode and NVRTC compile for the GPU. Any other compiler gets the CPU backend (host/), which gives
 * the same source the vocabulary and the semantics of CUDA. */
#ifndef CMK_BASE_H
#define CMK_BASE_H

#define CMK_VERSION_MAJOR 0
#define CMK_VERSION_MINOR 3
#define CMK_VERSION_PATCH 0
#define CMK_VERSION (CMK_VERSION_MAJOR * 10000 + CMK_VERSION_MINOR * 100 + CMK_VERSION_PATCH)

typedef long long cmk_i64;

#if defined(__cplusplus)
#define CMK_STATIC_ASSERT(condition, text) static_assert(condition, text)
#define CMK_CONSTEXPR_ constexpr
#define CMK_ZEROS_(T) T() /* a struct of zeros */
#else
#define CMK_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#define CMK_CONSTEXPR_
#define CMK_ZEROS_(T) ((T){0})
#endif

/* Starts a new line within the text of a macro. nvcc prints the whole line of an error, with all macros expanded; a
 * pragma ends that line, so that less is printed. */
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__) && !defined(__clang__)
#define CMK_LINE_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic pop")
#else
#define CMK_LINE_
#endif

/* a static assertion on a line of its own; its text begins with the name of the macro that was misused */
#define CMK_NEEDS_(MACRO, condition, text) CMK_LINE_ CMK_STATIC_ASSERT(condition, "cmk: " MACRO ": " text) CMK_LINE_

/* Begins what must stand at file scope, and a new line. In a function the name of the function is not empty. In a class
 * no member is extern, so that the compiler names this one. NVRTC compiles what other compilers have seen. */
#if defined(__CUDACC_RTC__)
#define CMK_FILE_SCOPE_(name) CMK_LINE_
#else
#define CMK_FILE_SCOPE_(name) CMK_LINE_ CMK_IN_NO_FUNCTION_ CMK_NO_MEMBER_(name)
#define CMK_IN_NO_FUNCTION_ CMK_STATIC_ASSERT(CMK_FUNCTION_NAME_EMPTY_, CMK_FILE_SCOPE_SAYS_);
#define CMK_FUNCTION_NAME_EMPTY_ (__builtin_constant_p(1) ? __builtin_strlen(__builtin_FUNCTION()) == 0 : 0)
#define CMK_FILE_SCOPE_SAYS_ "cmk: tables and definitions must stand at file scope, not in a function"
#if defined(__cplusplus)
/* clang-format off */
#define CMK_NO_MEMBER_(name) CMK_LINE_ extern int name##must_not_stand_in_a_class_; CMK_LINE_
/* clang-format on */
#else
#define CMK_NO_MEMBER_(name) CMK_LINE_
#endif
#endif

/* a statement: stops the build with text unless condition, a constant, is true; does the last arguments otherwise */
/* clang-format off */
#define CMK_ASSERT_THEN_(condition, text, ...) do { CMK_STATIC_ASSERT(condition, text); __VA_ARGS__; } while (0)
/* clang-format on */

/* CMK_TYPE_ is a type, CMK_TYPE_OF_ the type of a member. A compiler reports a word that is not a type only once,
 * because a name that is declared by __typeof__ of it counts as declared. NVRTC has no __typeof__. */
#if defined(__CUDACC_RTC__)
#define CMK_TYPE_(T) T
#define CMK_TYPE_OF_(member) decltype(member)
#else
#define CMK_TYPE_(T) __typeof__(T)
#define CMK_TYPE_OF_(member) __typeof__(member)
#endif
/* Declares a struct of these members. Where a name is declared twice, the second struct alone is reported, as what
 * follows still has the type of the first. */
/* clang-format off */
#if defined(__cplusplus)
#define CMK_STRUCT_(name, ...) struct name { __VA_ARGS__ };
#else
#define CMK_STRUCT_(name, ...) typedef struct name name; struct name { __VA_ARGS__ };
#endif
/* clang-format on */
/* Declares a type once more. A name that nobody has declared counts as a type from then on. */
#define CMK_AGAIN_(TYPE) typedef CMK_TYPE_(TYPE) TYPE;

/* An if whose condition is a constant. C++17 compiles nothing of the branch that is not taken, so that an optimizer
 * need not remove it. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define CMK_IF_CONSTANT_ if constexpr
#else
#define CMK_IF_CONSTANT_ if
#endif

/* Around functions that write within their arrays although gcc 14 warns of an overflow. gcc does not unroll the loops
 * around the writes, and knows too little of the sizes and places. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define CMK_WITHIN_BEGIN_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wstringop-overflow\"")
#define CMK_WITHIN_END_ _Pragma("GCC diagnostic pop")
#else
#define CMK_WITHIN_BEGIN_
#define CMK_WITHIN_END_
#endif

/* around initializers of coefficients: no warning where a double initializes a float, nor where inner braces are left
 * out */
#if defined(__clang__)
#define CMK_FLOAT_INITIALIZER_ _Pragma("GCC diagnostic ignored \"-Wimplicit-float-conversion\"")
#else
#define CMK_FLOAT_INITIALIZER_ _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"")
#endif
#if !defined(__CUDACC__) || defined(__clang__)
#define CMK_INITIALIZER_(variable, ...)                                                                                \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"")                              \
        CMK_FLOAT_INITIALIZER_ variable = {__VA_ARGS__};                                                               \
    _Pragma("GCC diagnostic pop")
#else
#define CMK_INITIALIZER_(variable, ...) variable = {__VA_ARGS__};
#endif

/* For a text that is included once for each type of numbers. CMK_NAME_OF_(stem, TYPE) is the name of a function in it.
 * CMK_CALL_OF_(stem, T) is the name of the one for T: float, double or int, or another name of one of these. In C++
 * they are overloads. */
#if defined(__cplusplus)
#define CMK_NAME_OF_(stem, TYPE) stem
#define CMK_CALL_OF_(stem, T) stem
#else
#define CMK_NAME_OF_(stem, TYPE) CMK_NAME_JOIN_(stem, TYPE)
#define CMK_NAME_JOIN_(stem, TYPE) stem##TYPE##_
#define CMK_CALL_OF_(stem, T) _Generic((T *)0, float * : stem##float_, double * : stem##double_, int * : stem##int_)
#endif

/* CMK_NUMBER_(T) is the kind of number that a type is: 0 for none, 1 for an integer of 8 or 16 bits, 2 for int and 3
 * for another wide integer. 4 is a float of 16 bits (half and bfloat16, where the compiler has them), 5 float and 6
 * double.
 * CMK_CHOOSE_ is one of two values by a constant condition. The value that is not chosen need not be a constant. */
#if defined(__cplusplus)
template <typename NUMBER, typename = float> struct cmk_number_as_float_ {
    enum { is = 0 };
};
template <typename NUMBER> struct cmk_number_as_float_<NUMBER, decltype(float(NUMBER(1.0f)))> {
    enum { is = 1 };
};
template <typename NUMBER> struct cmk_number_ {
    enum { kind = sizeof(NUMBER) == 2 && cmk_number_as_float_<NUMBER>::is ? 4 : 0 };
};
#define CMK_NUMBER_(T) ((int)cmk_number_<T>::kind)
/* T where it is float or double, else float. The code behind the error for a wrong type then compiles as for a right
 * one. */
template <typename NUMBER, bool is = (int)cmk_number_<NUMBER>::kind >= 5> struct cmk_real_ {
    typedef NUMBER type;
};
template <typename NUMBER> struct cmk_real_<NUMBER, false> {
    typedef float type;
};
#define CMK_REAL_OF_(T) cmk_real_<T>::type
#define CMK_CHOOSE_(condition, first, second) ((condition) ? (first) : (second))
/* clang-format off */
#define CMK_NUMBER_IS_(T, KIND) template <> struct cmk_number_<T> { enum { kind = KIND }; };
CMK_NUMBER_IS_(char, 1) CMK_NUMBER_IS_(signed char, 1) CMK_NUMBER_IS_(unsigned char, 1)
CMK_NUMBER_IS_(short, 1) CMK_NUMBER_IS_(unsigned short, 1)
CMK_NUMBER_IS_(int, 2) CMK_NUMBER_IS_(unsigned, 3) CMK_NUMBER_IS_(long, 3) CMK_NUMBER_IS_(unsigned long, 3)
CMK_NUMBER_IS_(long long, 3) CMK_NUMBER_IS_(unsigned long long, 3)
CMK_NUMBER_IS_(float, 5) CMK_NUMBER_IS_(double, 6)
/* clang-format on */
#else
#define CMK_CHOOSE_(condition, first, second) __builtin_choose_expr(condition, first, second)
#define CMK_NUMBER_(T)                                                                                                 \
    _Generic((T *)0, char * : 1, signed char * : 1, unsigned char * : 1, short * : 1, unsigned short * : 1, int * : 2, \
             unsigned * : 3, long * : 3, unsigned long * : 3, long long * : 3, unsigned long long * : 3,               \
             CMK_NUMBER_HALF_ CMK_NUMBER_BFLOAT16_ float * : 5, double * : 6, default : 0)
#define CMK_REAL_OF_(T) __typeof__(*CMK_CHOOSE_(CMK_NUMBER_(T) >= 5, (T *)0, (float *)0))
#if defined(__FLT16_MAX__)
__extension__ typedef _Float16 cmk_half_;
#define CMK_NUMBER_HALF_ cmk_half_ * : 4,
#else
#define CMK_NUMBER_HALF_
#endif
#if defined(__BFLT16_MAX__) && __GNUC__ >= 13
__extension__ typedef __bf16 cmk_bfloat16_;
#define CMK_NUMBER_BFLOAT16_ cmk_bfloat16_ * : 4,
#else
#define CMK_NUMBER_BFLOAT16_
#endif
#endif

#define CMK_LIST_(...) __VA_ARGS__ /* CMK_LIST_ (a, b) becomes a, b: a group of parameters */

/* ends a definition macro, so that the caller writes the semicolon */
#define CMK_SEMICOLON_ CMK_STATIC_ASSERT(1, "")

#if defined(__CUDACC_RTC__)
#define CMK_HAS_HOST_ 0 /* device code only, no host headers */
#define CMK_STATIC_     /* NVRTC finds kernels and variables by their external names */
#ifndef CMK_C_NAMES
#define CMK_C_NAMES 1
#endif
#else
#define CMK_HAS_HOST_ 1
#define CMK_STATIC_ static
#define CMK_COLD_ __attribute__((cold)) /* C: compiled for size, in half the time */

/* What the CPU backend needs, ahead of all that fails without it. */
#if defined(__CUDACC__)
#elif !defined(__linux__) || !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "cmk: the CPU backend runs on 64-bit Linux on x86-64 and aarch64 only"
#include "cmk: the error above" /* which does not exist: hundreds of errors would follow */
#elif !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
#error "cmk: C11 or later is needed: -std=c11 or -std=gnu11"
#include "cmk: the error above"
#elif defined(__cplusplus) && __cplusplus < 201703L && defined(__STRICT_ANSI__)
#error "cmk: C++17 or later is needed: -std=c++17 or -std=gnu++17"
#include "cmk: the error above"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CMK_ASSERT_HERE_ stops the build with text from within an expression. CMK_POINTS_TO_ tells whether pointer points to
 * T or const T. */
#if defined(__cplusplus)
#define CMK_ASSERT_HERE_(condition, text) ((void)[] { CMK_STATIC_ASSERT(condition, text); })
#define CMK_POINTS_TO_(T, pointer) (sizeof(cmk_points_to_((T *)0, (pointer))) == 1)
template <class element> char cmk_points_to_(element *, element *);
template <class element> char cmk_points_to_(element *, const element *);
char (&cmk_points_to_(const void *, ...))[2];
#else
#define CMK_ASSERT_HERE_(condition, text)                                                                              \
    ((void)sizeof(struct {                                                                                             \
        CMK_STATIC_ASSERT(condition, text);                                                                            \
        int cmk_unused_;                                                                                               \
    }))
#define CMK_POINTS_TO_(T, pointer) _Generic((pointer), T * : 1, const T * : 1, default : 0)
#endif
#endif

/* The linkage of the kernels that definitions make. With CMK_C_NAMES 1 a module finds them by their names in C. */
#ifndef CMK_C_NAMES
#define CMK_C_NAMES 0
#endif
#if defined(CMK_PLAN_ONLY) && CMK_PLAN_ONLY && !defined(__CUDACC__)
#define CMK_ENTRY_ static inline /* nothing calls them, so none is compiled: plan.h */
#elif !CMK_C_NAMES
#define CMK_ENTRY_ static
#elif defined(__cplusplus)
#define CMK_ENTRY_ extern "C"
#else
#define CMK_ENTRY_
#endif

/* nvcc compiles all kernels that a function names, whether it is called or not. So for nvcc some kernels, and the
 * functions that name them, are templates, which a call instantiates. A template has no name in C.
 *
 * So are functions whose first parameter is a constant in each call: CMK_FIXED_ stands before the head, CMK_OR_INT_
 * before the other parameters, CMK_FIX_ calls it, and CMK_IF_FIXED_ is an `if` of such constants: CMK_IF_CONSTANT_
 * where the function is a template. What a constant leaves out is then dropped before all calls are inlined, not
 * behind, which takes nvcc half of the time. */
#if defined(__CUDACC__) && !CMK_C_NAMES
#define CMK_IF_CALLED_ template <int = 0>
#define CMK_CALLED_(kernel) kernel<>
#define CMK_FIXED_(parameter) template <int parameter>
#define CMK_OR_INT_(parameter)
#define CMK_FIX_(function, constant, ...) function<constant>(__VA_ARGS__)
#define CMK_IF_FIXED_ CMK_IF_CONSTANT_
#else
#define CMK_IF_CALLED_
#define CMK_CALLED_(kernel) kernel
#define CMK_FIXED_(parameter)
#define CMK_OR_INT_(parameter) int parameter,
#define CMK_FIX_(function, constant, ...) function(constant, __VA_ARGS__)
#define CMK_IF_FIXED_ if
#endif

#define CMK_UNUSED_ __attribute__((unused))

/* Whether the code is for a GPU, and not for the CPU backend. */
#if defined(__CUDACC__)
#define CMK_ON_GPU_ 1
#else
#define CMK_ON_GPU_ 0
#endif

#if defined(__CUDACC__)

/* With nvcc -G no constant is folded. A kernel with all its functions inlined would contain every way of its engine,
 * and ptxas would not end. So functions are called, and a debugger steps into them. */
#if defined(__CUDACC_DEBUG__)
#define CMK_DEBUG_ 1
#define CMK_FUNCTION static __host__ __device__ __noinline__ __attribute__((unused))
#define CMK_DEVICE_ static __device__ __noinline__ __attribute__((unused))
#else
#define CMK_DEBUG_ 0
#define CMK_FUNCTION static __host__ __device__ __forceinline__
/* CMK_DEVICE_ is for a function of an engine, which is inlined in its kernel; CMK_INLINED_ for one that is inlined on
 * the CPU too. */
#define CMK_DEVICE_ static __device__ __forceinline__ __attribute__((unused))
#endif
#define CMK_INLINED_ CMK_DEVICE_
#define CMK_FOLDED_ CMK_FUNCTION CMK_CONSTEXPR_
#define CMK_UNROLL _Pragma("unroll")
#define CMK_NO_UNROLL _Pragma("unroll 1")
#define CMK_OPERATIONS_(n) ((void)0) /* for the counters of the CPU backend */
#define CMK_TURN_(i) ((void)0)

#if defined(__CUDACC_RDC__) || defined(__CLANG_RDC__)
#define CMK_DEVICE_LINK_ 1 /* device code of several files is linked: -rdc=true */
#else
#define CMK_DEVICE_LINK_ 0
#endif

/* what the parameters of a kernel may be depends on the toolkit (13.0 is 1300) and the architecture */
#if defined(__CUDACC_VER_MAJOR__)
#define CMK_TOOLKIT_ (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__)
#else
#define CMK_TOOLKIT_ 0
#endif
#if CMK_TOOLKIT_ >= 1107 && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)
#define CMK_GRID_CONSTANT_ __grid_constant__
#else
#define CMK_GRID_CONSTANT_
#endif
#if CMK_TOOLKIT_ >= 1205
#define CMK_DRIVER_ENTRY_(name, function, found)                                                                       \
    cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, found)
#else
#define CMK_DRIVER_ENTRY_(name, function, found) cudaGetDriverEntryPoint(name, function, cudaEnableDefault, found)
#endif
#if CMK_TOOLKIT_ >= 1201 && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)
#define CMK_PARAMETER_BYTES_ 32764
#else
#define CMK_PARAMETER_BYTES_ 4096
#endif

                template <class WORD>
                static __device__ __forceinline__ void cmk_read_only_word_(void *to, const void *from, size_t at)
{
    const WORD bits = __ldg((const WORD *)((const char *)from + at));
    memcpy((char *)to + at, &bits, sizeof bits);
}

/* Copies size bytes by read-only loads. Each load has as many bytes as the largest power of two, up to 16, that divides
 * size and alignment. */
static __device__ __forceinline__ void cmk_read_only_(void *to, const void *from, size_t size, size_t alignment)
{
    const size_t all = size | alignment | 16, step = all & (~all + 1);
    CMK_UNROLL
    for (size_t at = 0; at < size; at += step) {
        if (step == 16) cmk_read_only_word_<uint4>(to, from, at);
        if (step == 8) cmk_read_only_word_<uint2>(to, from, at);
        if (step == 4) cmk_read_only_word_<unsigned>(to, from, at);
        if (step == 2) cmk_read_only_word_<unsigned short>(to, from, at);
        if (step == 1) cmk_read_only_word_<unsigned char>(to, from, at);
    }
}

#if CMK_HAS_HOST_
#include <cuda_runtime.h>
/* The CPU backend has a thread-local variable of this name (host/library.h). So the linker stops where a program has
 * objects of both, and names it. */
__attribute__((weak)) char cmk_a_program_has_objects_of_nvcc_and_of_the_CPU_backend_;
__attribute__((warn_unused_result)) static inline cudaError_t cmk_launched_(void)
{
    return cudaGetLastError();
}
#define CMK_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                                     \
    (kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__), cmk_launched_())
#endif

#else

#define CMK_DEBUG_ 0
#define CMK_FUNCTION static inline
#define CMK_DEVICE_ static inline __attribute__((unused))
#define CMK_INLINED_ CMK_HOST_INLINE_
/* Qualifiers of a function whose value is a constant where its arguments are constants. C has no constexpr, so an
 * optimizer must inline the function to see the value, before it decides what else is inlined. */
#if defined(__OPTIMIZE__)
#define CMK_FOLDED_ CMK_HOST_INLINE_ CMK_CONSTEXPR_
#else
#define CMK_FOLDED_ CMK_DEVICE_ CMK_CONSTEXPR_
#endif
#define CMK_UNROLL
#define CMK_NO_UNROLL
#define CMK_GRID_CONSTANT_
#define CMK_PARAMETER_BYTES_ 32764
#if defined(CMK_COUNT) && CMK_COUNT
#define CMK_OPERATIONS_(n) cmk_host_count_operations_(n)
#define CMK_TURN_(i) cmk_host_count_turn_(i)
#else
#define CMK_OPERATIONS_(n) ((void)0)
#define CMK_TURN_(i) ((void)0)
#endif

#endif

CMK_FUNCTION CMK_CONSTEXPR_ int cmk_least_(int a, int b)
{
    return a < b ? a : b;
}

/* The column where a row of a swizzled tile holds an element (tile.h). A row has row_bytes, a power of two; an element
 * has size bytes; a grain has grain bytes. */
CMK_FUNCTION int cmk_swizzle_(int row, int column, unsigned row_bytes, unsigned size, unsigned grain)
{
    const unsigned line = row_bytes < 128 ? row_bytes : 128;
    return (int)((unsigned)column ^ (unsigned)row / (128 / line) % (line / grain) * (grain / size));
}

#if !defined(__CUDACC__)
#include "host/host.h"
#endif

/* In a kernel the instruction itself: with fmaf nvcc spills sums of a separable filter of radius 16. */
#if defined(__cplusplus)
CMK_FUNCTION float cmk_fma_(float *, float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
    asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(c) : "f"(a), "f"(b));
    return c;
#else
    return fmaf(a, b, c);
#endif
}

CMK_FUNCTION double cmk_fma_(double *, double a, double b, double c)
{
#if defined(__CUDA_ARCH__)
    asm("fma.rn.f64 %0, %1, %2, %0;" : "+d"(c) : "d"(a), "d"(b));
    return c;
#else
    return fma(a, b, c);
#endif
}
#define CMK_FMA(a, b, c) cmk_fma_((CMK_TYPE_OF_((a) + (b) + (c)) *)0, a, b, c)
#else
#define CMK_FMA(a, b, c) _Generic((a) + (b) + (c), float : fmaf, double : fma)(a, b, c)
#endif

#endif
