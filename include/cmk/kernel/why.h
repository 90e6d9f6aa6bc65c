/* kernel/why.h: why a call is refused, in one line with the words of its arguments: what name_why of plan.h returns. */
#ifndef CMK_KERNEL_WHY_H
#define CMK_KERNEL_WHY_H

#include "../base.h"

#if CMK_HAS_HOST_

#include <stdarg.h>

/* the sentence, until the next one of this host thread in the same source file */
__attribute__((cold, noinline, unused, format(printf, 1, 2))) static const char *cmk_why_(const char *format, ...)
{
    static __thread char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return text;
}

/* of a number that may be so many at most */
static inline const char *cmk_why_above_(const char *word, size_t value, size_t most)
{
    return value <= most ? NULL : cmk_why_("%s %zu is above %zu", word, value, most);
}

/* of a region of so many, from first on, that must be inside so many */
static inline const char *cmk_why_outside_(const char *const words[3], size_t first, size_t region, size_t count)
{
    if (first <= count && region <= count - first) return NULL;
    return cmk_why_("%s %zu, from %s %zu on, is not inside %s %zu", words[1], region, words[0], first, words[2], count);
}

/* of a pointer that must be aligned */
static inline const char *cmk_why_pointer_(const char *word, const void *pointer, size_t alignment)
{
    if (pointer == NULL) return cmk_why_("%s is NULL", word);
    if ((size_t)pointer % alignment == 0) return NULL;
    return cmk_why_("%s %p is not aligned to %zu bytes", word, pointer, alignment);
}

#endif

#endif
