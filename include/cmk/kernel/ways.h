/* kernel/ways.h: the ways of a filter of images: by FMAs, or by an engine of tensor cores. It also has what the
 * definitions of such filters have in common: the assertions of their arguments, their kernels and their launchers. */
#ifndef CMK_KERNEL_WAYS_H
#define CMK_KERNEL_WAYS_H

#include "bytes/bands.h"
#include "bytes/march.h"
#include "bytes/plan.h"
#include "call/definition.h"
#include "image/march.h"
#include "image/plan.h"
#include "sweep/march.h"
#include "sweep/plan.h"
#include "tensor/march.h"
#include "tensor/plan.h"

/* The ways of tensor cores, one row each. A filter goes the first way that it can. An engine has
 *   SIZES                                          its constants. Members: the filter f; on, whether it can go this
 *                                                  way; the threads of a block; the blocks of an SM
 *   cmk_WAY_sizes_of_(f)                           makes them
 *   cmk_WAY_convolve_(task, region, sizes, parts)  all that a kernel does, where the compiled code HAS the instructions
 *   cmk_WAY_blocks_of_(plan, &sizes, processors)   the blocks of a call, 0 where FMAs are faster
 * On a GPU its kernel has a body in code for FIRST to LAST, such as 80 for sm_80. The kernel of the tensor engine has
 * one only in code for sm_90a. The sweep ends at 99, as its code for sm_100 and later keeps in memory what other code
 * keeps in registers. */
/* clang-format off */
#define CMK_WAYS_(ROW, ...)                                                        \
    /*  WAY     SIZES              HAS                   FIRST LAST */             \
    ROW(bands,  cmk_bytes_sizes_,  CMK_TENSOR_WARP_HAS_, 80,   999, __VA_ARGS__)   \
    ROW(bytes,  cmk_bytes_sizes_,  CMK_TENSOR_WARP_HAS_, 80,   999, __VA_ARGS__)   \
    ROW(sweep,  cmk_sweep_sizes_,  CMK_TENSOR_WARP_HAS_, 80,   99,  __VA_ARGS__)   \
    ROW(tensor, cmk_tensor_sizes_, CMK_TENSOR_HAS_,      90,   90,  __VA_ARGS__)
/* clang-format on */

#define CMK_WAY_NUMBER_(WAY, ...) cmk_way_##WAY##_,
#define CMK_WAY_MEMBER_(WAY, SIZES, ...) SIZES WAY;
enum { cmk_way_none_, CMK_WAYS_(CMK_WAY_NUMBER_, ) };

/* The constants of a definition: for FMAs, and for each way of tensor cores. Then come the number of its way, and what
 * that needs: the threads of a block, the blocks of an SM, and the code that has a body for it. */
typedef struct {
    cmk_image_sizes_ fma;
    CMK_WAYS_(CMK_WAY_MEMBER_, )
    int way, threads, blocks, first_code, last_code;
} cmk_ways_;

/* Takes a way, unless one is taken already. `way` is its number, or 0 where the filter cannot go it. What it needs
 * follows. */
CMK_FOLDED_ cmk_ways_ cmk_ways_or_(cmk_ways_ w, int way, int threads, int blocks, int first_code, int last_code)
{
    if (w.way != cmk_way_none_) return w;
    w.way = CMK_DEBUG_ ? (int)cmk_way_none_ : way;
    w.threads = threads;
    w.blocks = blocks;
    w.first_code = first_code;
    w.last_code = last_code;
    return w;
}
#define CMK_WAY_CHOOSE_(WAY, SIZES, HAS, FIRST, LAST, w, f)                                                            \
    (w).WAY = cmk_##WAY##_sizes_of_(f);                                                                                \
    w = cmk_ways_or_(w, (w).WAY.on ? cmk_way_##WAY##_ : 0, (w).WAY.threads, (w).WAY.blocks, FIRST, LAST);
CMK_FOLDED_ cmk_ways_ cmk_ways_of_(cmk_filter_ f)
{
    cmk_ways_ w = CMK_ZEROS_(cmk_ways_);
    w.fma = cmk_image_sizes_of_(f);
    CMK_WAYS_(CMK_WAY_CHOOSE_, w, f)
    return w;
}

/* ---- What the definitions of filters of images have in common */

/* The bits of an integer type, negative where it is signed; 0 of another type. */
#define CMK_IMAGE_BITS_(T) (CMK_NUMBER_(T) != 1 ? 0 : (T)-1 > (T)0 ? 8 * (int)sizeof(T) : -8 * (int)sizeof(T))

/* Defines a function that converts an element: IN to SUM where a chunk is read, SUM to OUT where it is written. */
/* clang-format off */
#define CMK_IMAGE_CONVERTER_(function, FROM, TO) \
    CMK_DEVICE_ void function(void *cmk_to_, const void *cmk_from_) { *(TO *)cmk_to_ = (TO) * (const FROM *)cmk_from_; }
/* clang-format on */

/* Defines a kernel. CMK_##BY##_BOUNDS_(name) is the threads of a block and the blocks of an SM. Its parameters end with
 * EACH table of call/definition.h. CMK_##BY##_GO_(name, ...) is all that it does. */
/* clang-format off */
#define CMK_WAY_KERNEL_(kernel, name, REGION, BY, IN, OUTSIDE, ...) \
    CMK_DEFINITION_KERNEL_(kernel, (CMK_##BY##_BOUNDS_(name)), \
        (CMK_DEFINITION_ARRAYS_(char, char), const CMK_GRID_CONSTANT_ REGION cmk_region_), \
        (const IN cmk_outside_ = (IN)(OUTSIDE); \
         CMK_##BY##_GO_(name, cmk_in_, cmk_out_, &cmk_region_, (OUTSIDE) != 0 ? &cmk_outside_ : NULL, cmk_tables_, \
                        name##_tap_, name##_widen_, name##_narrow_)), __VA_ARGS__)
/* clang-format on */

/* The kernels of a definition: one by FMAs, one by its way of tensor cores, and one by FMAs where rows begin anywhere,
 * which is empty where the first one takes such rows. name_filter_ returns its filter. */
#define CMK_FMA_OF_(name) cmk_image_sizes_of_(name##_filter_())
#define CMK_WAYS_OF_(name) cmk_ways_of_(name##_filter_())
/* clang-format off */
#define CMK_WAYS_KERNELS_(name, ...) \
    CMK_WAY_KERNEL_(name##_kernel, name, cmk_image_, FMA, __VA_ARGS__) \
    CMK_WAY_KERNEL_(name##_tensor_kernel, name, cmk_image_region_, TENSOR, __VA_ARGS__) \
    CMK_WAY_KERNEL_(name##_unaligned_kernel, name, cmk_image_, UNALIGNED, __VA_ARGS__)
/* clang-format on */
/* Threads of a block and blocks of an SM, by kernel; the constants of the kernels by FMAs, as cmk_k_. */
#define CMK_FMA_BOUNDS_(name) cmk_image_threads_, CMK_FMA_OF_(name).blocks
#define CMK_TENSOR_BOUNDS_(name) CMK_WAYS_OF_(name).threads, CMK_WAYS_OF_(name).blocks
#define CMK_UNALIGNED_BOUNDS_(name) CMK_FMA_BOUNDS_(name)
#define CMK_FMA_SIZES_(name) CMK_CONSTEXPR_ const cmk_image_sizes_ cmk_k_ = CMK_FMA_OF_(name)
/* clang-format off */
#define CMK_FMA_GO_(name, ...) \
    CMK_FMA_SIZES_(name); CMK_IF_CONSTANT_ (cmk_k_.direct) CMK_FMA_(direct, name##_sum_, cmk_k_, __VA_ARGS__); \
    else CMK_FMA_(down, name##_sum_, cmk_k_, __VA_ARGS__);
#define CMK_UNALIGNED_GO_(name, ...) \
    CMK_FMA_SIZES_(name); CMK_IF_CONSTANT_ (cmk_k_.has_unaligned) CMK_FMA_(unaligned, name##_sum_, cmk_k_, __VA_ARGS__);
#define CMK_FMA_(HOW, SUM, k, in, out, region, outside, ...) \
    CMK_CALL_OF_(cmk_image_go_##HOW##_, SUM)(cmk_image_task_of_(in, out, region, outside), k, __VA_ARGS__)
/* A definition whose sums are no floats takes no way. But its tap is named here too, hence the cast. */
#if CMK_TENSOR_TAKEN_
#define CMK_TENSOR_GO_(name, in, out, region, outside, tables, tap, ...) \
    CMK_CONSTEXPR_ const cmk_ways_ cmk_w_ = CMK_WAYS_OF_(name); \
    const cmk_image_task_ cmk_task_ = {in, out, &(region)->image, outside}; \
    const cmk_filter_parts_float_ cmk_parts_ = {tables, CMK_WAY_TAP_(tap), __VA_ARGS__}; \
    (void)cmk_task_, (void)cmk_parts_, (void)cmk_w_; \
    CMK_WAYS_(CMK_WAY_GO_, cmk_w_, cmk_task_, region, cmk_parts_)
#else
#define CMK_TENSOR_GO_(name, in, out, region, outside, tables, ...) \
    (void)in, (void)out, (void)(region), (void)(outside), (void)tables;
#endif
#define CMK_WAY_TAP_(tap) ((float (*)(const void *const *, int, int))(void (*)(void))(tap))
#define CMK_WAY_GO_(WAY, SIZES, HAS, ...) CMK_WAY_GO_IF_(HAS, WAY, __VA_ARGS__)
#define CMK_WAY_GO_IF_(HAS, ...) CMK_WAY_GO_##HAS##_(__VA_ARGS__)
#define CMK_WAY_GO_0_(...)
#define CMK_WAY_GO_1_(WAY, FIRST, LAST, w, task, region, parts) \
    CMK_IF_CONSTANT_ ((w).way == cmk_way_##WAY##_) cmk_##WAY##_convolve_(task, region, (w).WAY, parts);
/* clang-format on */

/* Begins a definition of such a filter: declares its types and its edge, and asserts what is asked of them. A misspelt
 * one is reported here, and not wherever it is used. DEFINITION is the name of the definition's macro, as a string. */
#define CMK_IMAGE_SHORT_(DEFINITION)                                                                                   \
    "T must be float or double: " DEFINITION "_AS has other types of in and out, and one for the sums"
/* clang-format off */
#define CMK_IMAGE_BEGIN_(DEFINITION, name, IN, SUM, OUT, CHANNELS, EDGE, OUTSIDE)                                      \
    typedef IN name##_in_; typedef SUM name##_sum_; typedef OUT name##_out_;                                           \
    enum { name##_edge_ = (EDGE) };                                                                                    \
    CMK_NEEDS_(DEFINITION, CMK_IMAGE_TYPE_(name##_in_) && CMK_IMAGE_TYPE_(name##_out_),                                \
               "IN and OUT must be float, double, half, bfloat16 or an integer of 8 or 16 bits");                      \
    CMK_NEEDS_(DEFINITION, CMK_IMAGE_SUM_(name##_sum_), "SUM must be float, double or int");                           \
    CMK_NEEDS_(DEFINITION, (CHANNELS) >= 1 && (CHANNELS) <= 4, "CHANNELS must be from 1 to 4");                        \
    CMK_NEEDS_(DEFINITION, (int)name##_edge_ != cmk_image_no_pair_, CMK_IMAGE_PAIR_SAYS_);                             \
    CMK_NEEDS_(DEFINITION, CMK_EDGE_VALID_(name##_edge_), "EDGE must be an edge of edge.h");                           \
    CMK_NEEDS_(DEFINITION, CMK_IMAGE_HOLDS_(name##_in_, OUTSIDE), "OUTSIDE must be a value of IN");
/* clang-format on */
/* What the group (EDGE, OUTSIDE) becomes: the two words, or an edge that is none where it has another number of words,
 * as with {0, 0, 255} for OUTSIDE. */
#define CMK_IMAGE_PAIR_(...) CMK_IMAGE_6TH_(__VA_ARGS__, 0_, 0_, 0_, 2_, 0_, )(__VA_ARGS__)
#define CMK_IMAGE_6TH_(a, b, c, d, e, PAIR, ...) CMK_IMAGE_PAIR_##PAIR
#define CMK_IMAGE_PAIR_2_(EDGE, OUTSIDE) EDGE, OUTSIDE
#define CMK_IMAGE_PAIR_0_(...) cmk_image_no_pair_, 0
#define CMK_IMAGE_PAIR_SAYS_ "(EDGE, OUTSIDE) must be an edge and one value, which all channels have"
enum { cmk_image_no_pair_ = -2 };
#define CMK_IMAGE_BYTES_(name)                                                                                         \
    sizeof(name##_in_), sizeof(name##_sum_), sizeof(name##_out_), CMK_IMAGE_BITS_(name##_out_)
#define CMK_IMAGE_HOLDS_(IN, OUTSIDE)                                                                                  \
    CMK_CHOOSE_(CMK_NUMBER_(IN) == 1,                                                                                  \
                (cmk_i64)(IN)(cmk_i64)(OUTSIDE) == (cmk_i64)(OUTSIDE) && (cmk_i64)(2 * (OUTSIDE)) % 2 == 0, 1)
#define CMK_IMAGE_TYPE_(T) (CMK_NUMBER_(T) == 1 || CMK_NUMBER_(T) >= 4)
#define CMK_IMAGE_SUM_(SUM) (CMK_NUMBER_(SUM) == 2 || CMK_NUMBER_(SUM) >= 5)
#define CMK_IMAGE_TAPS_KEPT_(SUM, ELEMENT) (CMK_NUMBER_(SUM) != 2 || CMK_NUMBER_(ELEMENT) <= 3)

#if CMK_HAS_HOST_

#include <stdio.h>

/* Returns whether code for a compute capability, such as 80 for sm_80, has a body for the way of a definition. */
static inline int cmk_ways_has_body_(const cmk_ways_ *w, int code, int is_sm_90a)
{
    return code >= w->first_code && code <= w->last_code && (w->last_code != 90 || is_sm_90a);
}

#if defined(__CUDACC__)

/* Says on stderr, once, that a call would be faster in other code. No compiler can say so: nvcc compiles for sm_90
 * beside sm_90a, and a pass of it does not know of the others. */
static inline void cmk_ways_note_(const cmk_ways_ *w)
{
    static int said;
    int major = 0, minor = 0;
    if (!CMK_TENSOR_NOTE || w->way != cmk_way_tensor_ ||
        cmk_plan_fact_(NULL, 0, cudaDevAttrComputeCapabilityMajor, &major) != cudaSuccess ||
        cmk_plan_fact_(NULL, 0, cudaDevAttrComputeCapabilityMinor, &minor) != cudaSuccess || major != 9 || minor != 0)
        return;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "cmk: a filter of %d x %d is faster by tensor cores, in code for sm_90a: nvcc -arch=sm_90a\n",
                w->fma.f.rows, w->fma.f.columns);
}

/* Returns whether a kernel has a body on the current device. In code for sm_90a a kernel has static shared memory, by
 * which its body is known. */
static inline int cmk_ways_runs_here_(size_t kernel, const cmk_ways_ *w)
{
    struct cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)kernel) != cudaSuccess)
        (void)cudaGetLastError();
    else if (attributes.maxThreadsPerBlock >= (int)cmk_image_threads_ &&
             cmk_ways_has_body_(w, attributes.ptxVersion, attributes.sharedSizeBytes > 0))
        return 1;
    else
        cmk_ways_note_(w);
    return 0;
}

#else

static inline int cmk_ways_runs_here_(size_t kernel, const cmk_ways_ *w)
{
    (void)kernel, (void)w;
    return CMK_TENSOR;
}

#endif

static inline int cmk_ways_runs_(size_t kernel, const cmk_ways_ *w, const cmk_plan_device *device)
{
    return cmk_plan_is_given_(device) ? cmk_ways_has_body_(w, device->code, device->is_sm_90a)
                                      : cmk_ways_runs_here_(kernel, w);
}

#define CMK_WAY_BLOCKS_(WAY, SIZES, HAS, FIRST, LAST, w, plan, processors)                                             \
    if ((w)->way == cmk_way_##WAY##_) return cmk_##WAY##_blocks_of_(plan, &(w)->WAY, processors);
static inline cmk_i64 cmk_ways_blocks_(const cmk_ways_ *w, cmk_image_plan_ *plan, int processors)
{
    CMK_WAYS_(CMK_WAY_BLOCKS_, w, plan, processors)
    return 0;
}

/* Returns whether tensor cores take a plan. If they do, the plan becomes one of theirs, of a single launch. */
static inline int cmk_ways_take_(cmk_image_plan_ *plan, const cmk_ways_ *w)
{
    const cmk_image_call_ *const call = &plan->call;
    const cmk_filter_ *const f = &w->fma.f;
    const size_t bytes = plan->bytes; /* those of the way by FMAs */
    int processors = 1;
    if (plan->error != cudaSuccess || plan->next_image >= call->count || w->way == cmk_way_none_) return 0;
    if (cmk_plan_processors_(&plan->device, &processors) != cudaSuccess) return 0;
    const cmk_i64 blocks = cmk_ways_blocks_(w, plan, processors);
    if (blocks <= 0 || blocks > 0x7fffffff ||
        !cmk_ways_runs_(plan->kernels[cmk_image_tensor_kernel_], w, &plan->device)) {
        plan->bytes = bytes;
        return 0; /* cmk_ways_runs_ comes last, as it takes longest */
    }
    plan->grid = dim3((unsigned)blocks);
    plan->block = dim3((unsigned)w->threads);
    plan->in = (const char *)call->in + cmk_image_first_(call, f->channels) * (size_t)f->in_size;
    plan->out = (char *)call->out;
    return 1;
}

/* Goes to the next launch of a plan, by any of its kernels. Returns 0 when there is none. */
static inline int cmk_ways_next_(cmk_image_plan_ *plan, cmk_ways_ w)
{
    if (!plan->begun && cmk_ways_take_(plan, &w)) plan->way = cmk_image_tensor_kernel_;
    plan->begun = 1;
    if (plan->way != cmk_image_tensor_kernel_) return cmk_image_next_launch_(plan, &w.fma);
    const int next = plan->error == cudaSuccess && plan->next_image == 0;
    plan->next_image = plan->call.count;
    return next;
}

/* Defines the host functions of a definition of these tables. They launch what a plan comes to, by one of three
 * kernels. */
/* clang-format off */
#define CMK_WAYS_LAUNCHERS_(name, IN, OUT, ...) \
    CMK_LAUNCHER_CALL_(name, cmk_image_plan_, cmk_ways_next_(&call->engine_, CMK_WAYS_OF_(name)), CMK_WAYS_LAUNCH_, 3, \
                       __VA_ARGS__) \
    CMK_LAUNCHER_OF_BATCH_(name, name, IN, OUT, cmk_image_plan_batch_, CMK_WAYS_CONSTANTS_(name), __VA_ARGS__) \
    CMK_LAUNCHER_(name##_region, name, (const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, \
        size_t columns, size_t row, size_t column, size_t region_rows, size_t region_columns), \
        (const cmk_image_call_ cmk_asked_ = {in, out, in_pitch, 0, out_pitch, 0, 1, rows, columns, row, column, \
                                             region_rows, region_columns}; \
         call->engine_ = cmk_image_begin_plan_(&cmk_asked_, CMK_WAYS_CONSTANTS_(name))), __VA_ARGS__)
#define CMK_WAYS_LAUNCH_(VERB, name, ...) \
    CMK_LAUNCHER_##VERB(name##_kernel, cmk_image_fma_kernel_, char, char, image, __VA_ARGS__) \
    CMK_LAUNCHER_##VERB(name##_tensor_kernel, cmk_image_tensor_kernel_, char, char, region, __VA_ARGS__) \
    CMK_LAUNCHER_##VERB(name##_unaligned_kernel, cmk_image_unaligned_kernel_, char, char, image, __VA_ARGS__)
/* clang-format on */
/* The address of a kernel of a definition, and what the plans of its calls begin with. */
#define CMK_WAYS_AT_(name, KIND) CMK_PLAN_FUNCTION_(name##KIND##_kernel)
#define CMK_WAYS_CONSTANTS_(name)                                                                                      \
    CMK_FMA_OF_(name), CMK_WAYS_AT_(name, ), CMK_WAYS_AT_(name, _tensor), CMK_WAYS_AT_(name, _unaligned), device

#else

#define CMK_WAYS_LAUNCHERS_(name, IN, OUT, ...)

#endif

/* Makes all of a definition that has begun. SHAPE has the members of a cmk_filter_words_ from separable to table_bytes,
 * and TAPS the tables of name_tap_, both in parentheses. A compiler repeats a line of it for each function that it
 * reports, hence no padding. */
/* clang-format off */
#define CMK_IMAGE_DEFINE_(name, HOW, CHANNELS, OUTSIDE, SHAPE, TAPS, ...) \
    CMK_DEFINITION_SIZES_(name##_filter_, cmk_filter_, cmk_filter_words_, CMK_IMAGE_BYTES_(name), CHANNELS, \
                          name##_edge_, (OUTSIDE) != 0, CMK_LIST_ SHAPE, CMK_NUMBER_(name##_in_), \
                          CMK_NUMBER_(name##_sum_) == 5, HOW) \
    CMK_IMAGE_CONVERTER_(name##_widen_, name##_in_, name##_sum_) \
    CMK_IMAGE_CONVERTER_(name##_narrow_, name##_sum_, name##_out_) \
    CMK_IMAGE_TAPS_(name, name##_sum_, CMK_LIST_ TAPS) \
    CMK_WAYS_KERNELS_(name, name##_in_, OUTSIDE, __VA_ARGS__) \
    CMK_WAYS_LAUNCHERS_(name, name##_in_, name##_out_, __VA_ARGS__) \
    CMK_SEMICOLON_
/* clang-format on */
#define CMK_IMAGE_TAPS_(...) CMK_DEFINITION_TAPS_(__VA_ARGS__)

#endif
