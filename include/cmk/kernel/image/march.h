/* kernel/image/march.h: how outputs of an image are summed. There are two ways. Marching: a warp goes down `length`
 * rows; `step` rows at a time arrive in a ring of its own in shared memory, `stages` steps deep. Each row adds to all
 * outputs that it reaches, ROWS - 1 + step rows of sums in registers. Direct, for small filters: no shared memory. */
#ifndef CMK_KERNEL_IMAGE_MARCH_H
#define CMK_KERNEL_IMAGE_MARCH_H

#include "../definition.h"
#include "fill.h"

/* the outputs of a lane that it stores at once */
typedef struct {
    unsigned char bytes[64];
} __attribute__((aligned(16))) cmk_image_outputs_;

enum { cmk_conv2d_direct_window_ = 24 }; /* elements of a window of the direct way, at most */

/* bounds of arrays of a thread, over all definitions (tests/kernels/sizes.cu): sums, and the windows of a step */
enum { cmk_image_sums_most_ = 196, cmk_image_window_most_ = 510 };

/* the element of the table for row r and column c of the correlation */
CMK_DEVICE_ int cmk_image_tap_(cmk_image_sizes_ k, int r, int c)
{
    const int at = r * k.columns + c;
    return k.flipped ? k.rows * k.columns - 1 - at : at;
}

/* rows of a part of a rolled filter */
CMK_DEVICE_ int cmk_image_part_rows_(cmk_image_sizes_ k)
{
    const int parts = (k.rows + cmk_conv2d_rolled_part_ - 1) / cmk_conv2d_rolled_part_;
    return (k.rows + parts - 1) / parts;
}

#define CMK_SUM_ float
#define CMK_IMAGE_PARTS_ cmk_image_parts_float_
#define CMK_SUM_ROUND_ rintf
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_IMAGE_PARTS_
#undef CMK_SUM_ROUND_

#define CMK_SUM_ double
#define CMK_IMAGE_PARTS_ cmk_image_parts_double_
#define CMK_SUM_ROUND_ rint
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_IMAGE_PARTS_
#undef CMK_SUM_ROUND_

#define CMK_SUM_ int
#define CMK_IMAGE_PARTS_ cmk_image_parts_int_
#define CMK_SUM_ROUND_ (int)
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_IMAGE_PARTS_
#undef CMK_SUM_ROUND_

/* ---- What a definition declares for the engine */

/* bits of an integer type, negative where it is signed */
#define CMK_IMAGE_BITS_(T) (CMK_NUMBER_(T) != 1 ? 0 : (T)-1 > (T)0 ? 8 * (int)sizeof(T) : -8 * (int)sizeof(T))

/* IN to SUM where a chunk is read, SUM to OUT where it is written */
#define CMK_IMAGE_CONVERTER_(function, FROM, TO)                                                                       \
    CMK_DEVICE_ void function(void *cmk_to_, const void *cmk_from_)                                                    \
    {                                                                                                                  \
        *(TO *)cmk_to_ = (TO) * (const FROM *)cmk_from_;                                                               \
    }
#define CMK_IMAGE_CONVERTERS_(name, IN, SUM, OUT)                                                                      \
    CMK_IMAGE_CONVERTER_(name##_widen_, IN, SUM) CMK_IMAGE_CONVERTER_(name##_narrow_, SUM, OUT)

/* A kernel of so many THREADS in a block and BLOCKS of an SM, of EACH table of definition.h. CMK_##BY##_GO_(SUM, k,
 * ...) is the call of the way that it takes. */
#define CMK_IMAGE_KERNEL_(kernel, name, THREADS, BLOCKS, REGION, BY, IN, OUTSIDE, EACH, ...)                           \
    CMK_ENTRY_ __global__ void __launch_bounds__(THREADS, BLOCKS)                                                      \
        kernel(const char *__restrict__ cmk_in_, char *__restrict__ cmk_out_,                                          \
               const CMK_GRID_CONSTANT_ REGION cmk_region_ EACH(CMK_DEFINITION_PARAMETER_, __VA_ARGS__))               \
    {                                                                                                                  \
        const IN cmk_outside_ = (IN)(OUTSIDE);                                                                         \
        const void *const cmk_tables_[4] = {NULL EACH(CMK_DEFINITION_ADDRESS_, __VA_ARGS__)};                          \
        CMK_CONSTEXPR_ const cmk_image_sizes_ cmk_k_ = name##_sizes_();                                                \
        CMK_##BY##_GO_(name##_sum_, cmk_k_, cmk_in_, cmk_out_, &cmk_region_, (OUTSIDE) != 0 ? &cmk_outside_ : NULL,    \
                       cmk_k_, cmk_tables_, name##_tap_, name##_widen_, name##_narrow_)                                \
    }

/* that of the two ways of this header */
/* clang-format off */
#define CMK_IMAGE_GO_(SUM, k, ...) \
    CMK_IF_CONSTANT_ ((k).direct) CMK_CALL_OF_(cmk_image_go_direct_, SUM)(__VA_ARGS__); \
    else CMK_CALL_OF_(cmk_image_go_down_, SUM)(__VA_ARGS__);
/* clang-format on */

/* what both definitions ask of their types; DEFINITION is CONV2D or SEPARABLE */
#define CMK_IMAGE_SHORT_(DEFINITION)                                                                                   \
    "T must be float or double: " DEFINITION "_AS has other types of in and out, and one for the sums"
#define CMK_IMAGE_ASSERT_(DEFINITION, name, CHANNELS, OUTSIDE)                                                         \
    CMK_NEEDS_(DEFINITION, CMK_IMAGE_TYPE_(name##_in_) && CMK_IMAGE_TYPE_(name##_out_),                                \
               "IN and OUT must be float, double, half, bfloat16 or an integer of 8 or 16 bits");                      \
    CMK_NEEDS_(DEFINITION, CMK_IMAGE_SUM_(name##_sum_), "SUM must be float, double or int");                           \
    CMK_NEEDS_(DEFINITION, (CHANNELS) >= 1 && (CHANNELS) <= 4, "CHANNELS must be from 1 to 4");                        \
    CMK_NEEDS_(DEFINITION, CMK_EDGE_VALID_(name##_edge_), "EDGE must be an edge of edge.h");                           \
    CMK_NEEDS_(DEFINITION, CMK_IMAGE_HOLDS_(name##_in_, OUTSIDE), "OUTSIDE must be a value of IN");
/* A definition's words of types and of its edge: a misspelt one is told of here, and not wherever it is used. */
#define CMK_IMAGE_WORDS_(name, IN, SUM, OUT, EDGE)                                                                     \
    typedef IN name##_in_;                                                                                             \
    typedef SUM name##_sum_;                                                                                           \
    typedef OUT name##_out_;                                                                                           \
    enum { name##_edge_ = (EDGE) };
#define CMK_IMAGE_BYTES_(name)                                                                                         \
    sizeof(name##_in_), sizeof(name##_sum_), sizeof(name##_out_), CMK_IMAGE_BITS_(name##_out_)
#define CMK_IMAGE_HOLDS_(IN, OUTSIDE)                                                                                  \
    CMK_CHOOSE_(CMK_NUMBER_(IN) == 1,                                                                                  \
                (cmk_i64)(IN)(cmk_i64)(OUTSIDE) == (cmk_i64)(OUTSIDE) && (cmk_i64)(2 * (OUTSIDE)) % 2 == 0, 1)
#define CMK_IMAGE_TYPE_(T) (CMK_NUMBER_(T) == 1 || CMK_NUMBER_(T) >= 4)
#define CMK_IMAGE_SUM_(SUM) (CMK_NUMBER_(SUM) == 2 || CMK_NUMBER_(SUM) >= 5)
#define CMK_IMAGE_TAPS_KEPT_(SUM, ELEMENT) (CMK_NUMBER_(SUM) != 2 || CMK_NUMBER_(ELEMENT) <= 3)

#endif
