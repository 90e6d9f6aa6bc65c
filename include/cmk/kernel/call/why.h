/* kernel/call/why.h: why a call is refused, in one line with the words of its arguments. It is what name_why of plan.h
 * returns.
 *
 *   CMK_SAY_WHY                          1 before the first header: every call that is refused says so on stderr, "cmk:
 *                                        blur: in and out overlap", as those of the CPU backend do; 0: none does */
#ifndef CMK_KERNEL_CALL_WHY_H
#define CMK_KERNEL_CALL_WHY_H

#include "../../base.h"

#if CMK_HAS_HOST_

#include <stdarg.h>
#include <stdio.h>

#if !defined(CMK_SAY_WHY) && !defined(__CUDACC__)
#define CMK_SAY_WHY 1
#elif !defined(CMK_SAY_WHY)
#define CMK_SAY_WHY 0
#endif

/* A launcher calls CMK_REFUSED_ with its name and the sentence by which it refuses a call, or NULL. */
#if CMK_SAY_WHY
#define CMK_REFUSED_(function, why) cmk_why_say_(function, why)
/* Prints on stderr why a launcher of the name `function` refuses a call, and nothing where why is NULL. */
static inline void cmk_why_say_(const char *function, const char *why)
{
    if (!why) return;
    fflush(stdout);
    fprintf(stderr, "cmk: %s: %s\n", function, why);
}
#else
#define CMK_REFUSED_(function, why) ((void)0)
#endif

/* Returns the sentence, by a format of printf, of at most 255 characters. It holds until the next one of this host
 * thread in the same source file. */
__attribute__((cold, noinline, unused, format(printf, 1, 2))) static const char *cmk_why_(const char *format, ...)
{
    static __thread char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return text;
}

/* Returns why `value` is refused if it is a number below 0 that became a size_t, or NULL. Here and below a word is the
 * name of an argument. */
static inline const char *cmk_why_below_(const char *word, size_t value)
{
    return (cmk_i64)value >= 0 ? NULL : cmk_why_("%s %lld is below 0", word, (cmk_i64)value);
}

/* Returns why `value` is refused if it is above `most`, or NULL. */
static inline const char *cmk_why_above_(const char *word, size_t value, size_t most)
{
    if (value <= most) return NULL;
    const char *const why = cmk_why_below_(word, value);
    return why != NULL ? why : cmk_why_("%s %zu is above %zu", word, value, most);
}

/* Returns why a region of `region` rows, or the like, from `first` on is refused if it is not inside `count`, or NULL.
 * words: those of first, region and count. */
static inline const char *cmk_why_outside_(const char *const words[3], size_t first, size_t region, size_t count)
{
    if (first <= count && region <= count - first) return NULL;
    const char *why = cmk_why_below_(words[0], first);
    if (why == NULL) why = cmk_why_below_(words[1], region);
    if (why != NULL) return why;
    return cmk_why_("%s %zu, from %s %zu on, is not inside %s %zu", words[1], region, words[0], first, words[2], count);
}

/* Returns why a pointer is refused if it is NULL or not aligned to `alignment` bytes, or NULL. */
static inline const char *cmk_why_pointer_(const char *word, const void *pointer, size_t alignment)
{
    if (pointer == NULL) return cmk_why_("%s is NULL", word);
    if ((size_t)pointer % alignment == 0) return NULL;
    return cmk_why_("%s %p is not aligned to %zu bytes", word, pointer, alignment);
}

#endif

#endif
