/* kernel/call/definition.h: what definitions share: their constants, their tables, and the coefficients in these.
 *
 * In all macros here, which definitions expand at file scope:
 *
 *   TABLE_...    of table.h: TABLE_is_a_table_ is 1; TABLE_table is the type of its argument, TABLE_element_ and
 *                TABLE_array_ are those of an element and of all; TABLE_passed_ has the bytes of its parameter;
 *                TABLE_get_ CMK_TABLE_READ_(parameter, i) is element i
 *   EACH         one of CMK_DEFINITION_NONE_ to _THREE_; the tables follow it
 *   base.h       CMK_LINE_: a new line for what nvcc reports. CMK_TYPE_(T): T, so that a misspelt one is reported once.
 *                CMK_NEEDS_: an assertion. CMK_NUMBER_(T): 5 for float, 6 for double, less for others. CMK_REAL_OF_(T):
 *                T where it is one of these, else float. CMK_FOLDED_: a host and device function that is a constant for
 *                constant arguments. CMK_DEVICE_: an inlined device function
 *   plan.h       cmk_plan_argument_of_(at, bytes): an argument of a launch. CMK_TABLE_PARAMETER_AS_(TABLE, name)
 *                (table.h): that of a kernel. CMK_TABLE_PASSED_BYTES_(TABLE): the bytes of TABLE_passed_ */
#ifndef CMK_KERNEL_CALL_DEFINITION_H
#define CMK_KERNEL_CALL_DEFINITION_H

#include "../../base.h"
#include "../../table.h"
#include "../plan.h"

/* Defines a function that returns the constants of an engine, a struct SIZES. The function SIZES##of_ makes them of a
 * FILTER, whose members are the last arguments. The compiler folds it, so that what a kernel gets of it is constant. */
/* clang-format off */
#define CMK_DEFINITION_SIZES_(function, SIZES, FILTER, ...) \
    CMK_FOLDED_ SIZES function(void) { const FILTER cmk_words_ = {__VA_ARGS__}; return SIZES##of_(cmk_words_); }
/* clang-format on */

/* Begins a definition. Its first line is what a compiler reports of a name that is defined twice, or of a table that is
 * none. The types of that table are then declared once more, so that little else is reported. */
#define CMK_DEFINITION_BEGIN_(name, EACH, ...)                                                                         \
    CMK_FILE_SCOPE_(name##_definition_) enum { name##_is_defined_ = 1 EACH(CMK_DEFINITION_IS_, __VA_ARGS__) };         \
    EACH(CMK_DEFINITION_TYPES_, __VA_ARGS__)
#define CMK_DEFINITION_IS_(TABLE, parameter) +0 * TABLE##_is_a_table_
/* clang-format off */
#define CMK_DEFINITION_TYPES_(TABLE, parameter)                                                                        \
    typedef CMK_TYPE_(TABLE##_table) TABLE##_table; typedef CMK_TYPE_(TABLE##_element_) TABLE##_element_;              \
    typedef CMK_TYPE_(TABLE##_array_) TABLE##_array_; typedef CMK_TYPE_(TABLE##_passed_) TABLE##_passed_;
/* clang-format on */

/* Defines name_type_. It is T, which must be float or double; `text` is what the compiler reports of another T, after
 * DEFINITION, the name of the definition's macro. */
#define CMK_DEFINITION_REAL_(DEFINITION, name, T, text)                                                                \
    typedef CMK_TYPE_(T) name##_given_;                                                                                \
    CMK_NEEDS_(DEFINITION, CMK_NUMBER_(name##_given_) >= 5, text);                                                     \
    typedef CMK_REAL_OF_(name##_given_) name##_type_;

/* Defines name_type_ of a T, which must be float or double, and name_edge_ of an EDGE, which must be VALID: of another
 * one the compiler reports `edge_text`. */
#define CMK_DEFINITION_REAL_WITH_EDGE_(DEFINITION, name, T, EDGE, VALID, edge_text)                                    \
    CMK_DEFINITION_REAL_(DEFINITION, name, T, "T must be float or double")                                             \
    enum { name##_edge_ = (EDGE) };                                                                                    \
    CMK_NEEDS_(DEFINITION, VALID(name##_edge_), edge_text);

/* The number of elements of a table. */
#define CMK_DEFINITION_COUNT_(TABLE) (sizeof(TABLE##_array_) / sizeof(TABLE##_element_))

/* EACH of the tables of a definition, none to three. USE is what it is for, and TABLE its name. The parameter is the
 * name that the table has in a kernel, in a launcher, and as a member of a call. A USE that goes on in a list begins
 * with a comma. The USEs below write, in their order, the table's parameter of a kernel, its parameter of a launcher,
 * and its address in a kernel. Then come + 1, to count tables, its member of a call, and the statement that keeps it
 * there. The last two write its value there as an argument of a launch, and that argument as a plan shows it. */
#define CMK_DEFINITION_NONE_(USE, ...)
#define CMK_DEFINITION_ONE_(USE, TABLE) USE(TABLE, cmk_table_)
#define CMK_DEFINITION_TWO_(USE, DOWN, ACROSS) USE(DOWN, cmk_down_) USE(ACROSS, cmk_across_)
#define CMK_DEFINITION_THREE_(USE, THROUGH, ...) USE(THROUGH, cmk_through_) CMK_DEFINITION_TWO_(USE, __VA_ARGS__)
#define CMK_DEFINITION_PARAMETER_(TABLE, parameter) , CMK_TABLE_PARAMETER_AS_(TABLE, parameter)
#define CMK_DEFINITION_VALUE_(TABLE, parameter) , TABLE##_table parameter
#define CMK_DEFINITION_ADDRESS_(TABLE, parameter) , &parameter
#define CMK_DEFINITION_COUNTED_(TABLE, parameter) +1
#define CMK_DEFINITION_MEMBER_(TABLE, parameter) TABLE##_table parameter;
#define CMK_DEFINITION_HOLD_(TABLE, parameter) call->parameter = parameter;
#define CMK_DEFINITION_HELD_(TABLE, parameter) , call->parameter
#define CMK_DEFINITION_ARGUMENT_(TABLE, member) , cmk_plan_argument_of_(&call->member, CMK_TABLE_PASSED_BYTES_(TABLE))

/* Defines name_tap_, which returns element i of a definition's table, as SUM. The tables are numbered from 1 on, and
 * passed by their addresses. A definition of fewer than three tables gives one of them for the others too. The macro
 * below reads element i of the table at an address. */
/* clang-format off */
#define CMK_DEFINITION_TAPS_(name, SUM, FIRST, SECOND, THIRD) \
    CMK_DEVICE_ SUM name##_tap_(const void *const *cmk_tables_, int cmk_number_, int cmk_i_) \
    { \
        return cmk_number_ == 1 ? CMK_DEFINITION_TAP_(SUM, FIRST, cmk_tables_[cmk_number_], cmk_i_) : \
               cmk_number_ == 2 ? CMK_DEFINITION_TAP_(SUM, SECOND, cmk_tables_[cmk_number_], cmk_i_) : \
                                  CMK_DEFINITION_TAP_(SUM, THIRD, cmk_tables_[cmk_number_], cmk_i_); }
/* clang-format on */
#define CMK_DEFINITION_TAP_(SUM, TABLE, at, i) ((SUM)TABLE##_get_ CMK_TABLE_READ_(*(const TABLE##_table *)(at), i))

/* Defines a kernel. BOUNDS are the threads of a block and the blocks of an SM. The PARAMETERS stand before those of the
 * tables, by EACH. In the kernel cmk_tables_ has the addresses of the tables, from 1 on, for name_tap_. BODY are its
 * statements. These three are in parentheses. A compiler repeats a line of this macro for each kernel that it reports,
 * hence no padding. */
/* clang-format off */
#define CMK_DEFINITION_KERNEL_(kernel, BOUNDS, PARAMETERS, BODY, EACH, ...) \
    CMK_ENTRY_ __global__ void __launch_bounds__ BOUNDS \
        kernel(CMK_LIST_ PARAMETERS EACH(CMK_DEFINITION_PARAMETER_, __VA_ARGS__)) \
    { \
        CMK_UNUSED_ const void *const cmk_tables_[4] = {NULL EACH(CMK_DEFINITION_ADDRESS_, __VA_ARGS__)}; \
        CMK_LIST_ BODY \
    }
/* clang-format on */
/* The parameters of a kernel that reads one array and writes another. */
#define CMK_DEFINITION_ARRAYS_(IN, OUT) const IN *__restrict__ cmk_in_, OUT *__restrict__ cmk_out_

#endif
