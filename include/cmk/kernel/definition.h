/* kernel/definition.h: what the definitions of convolutions share: their constants, and their coefficients. */
#ifndef CMK_KERNEL_DEFINITION_H
#define CMK_KERNEL_DEFINITION_H

#include "../base.h"
#include "../table.h"

/* the constants of an engine, a struct SIZES, which SIZES##of_ makes of the members of a FILTER */
#define CMK_DEFINITION_SIZES_(function, SIZES, FILTER, ...)                                                            \
    CMK_FUNCTION CMK_CONSTEXPR_ SIZES function(void)                                                                   \
    {                                                                                                                  \
        const FILTER cmk_filter_ = {__VA_ARGS__};                                                                      \
        return SIZES##of_(cmk_filter_);                                                                                \
    }

/* the elements of a table */
#define CMK_DEFINITION_COUNT_(TABLE) (sizeof(TABLE##_array_) / sizeof(TABLE##_element_))

/* Element i of the table of an axis, as SUM: 0 through the planes, 1 down the columns, 2 across the rows. tables are
 * the addresses of the tables. */
#define CMK_DEFINITION_TAPS_(name, SUM, THROUGH, DOWN, ACROSS)                                                         \
    CMK_DEVICE_ SUM name##_tap_(const void *const *cmk_tables_, int cmk_axis_, int cmk_i_)                             \
    {                                                                                                                  \
        return cmk_axis_ == 0   ? CMK_DEFINITION_TAP_(SUM, THROUGH, cmk_tables_[cmk_axis_], cmk_i_)                    \
               : cmk_axis_ == 1 ? CMK_DEFINITION_TAP_(SUM, DOWN, cmk_tables_[cmk_axis_], cmk_i_)                       \
                                : CMK_DEFINITION_TAP_(SUM, ACROSS, cmk_tables_[cmk_axis_], cmk_i_);                    \
    }
#define CMK_DEFINITION_TAP_(SUM, TABLE, at, i) ((SUM)TABLE##_get_ CMK_TABLE_READ_(*(const TABLE##_table *)(at), i))

#endif
