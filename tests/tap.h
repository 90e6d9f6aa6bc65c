/* tap.h: the Test Anything Protocol for C11, C++17 and CUDA programs. Include it after cmk/cmk.h.
 *
 *   tap_need_device();                   skips the whole program where there is no device
 *   tap_check(condition, format, ...);   one line "ok N - text" or "not ok N - text"; value: the condition
 *   tap_skip(text, why);                 one line "ok N - text # SKIP why"
 *   tap_only = name;                     of the tests that ask, the one of this name runs; NULL, as it begins: all do
 *   tap_wanted(name)                     value: whether the test of this name is to run
 *   return tap_done();                   the plan; an exit status that is not 0 when a check failed, or none was made
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count;
static int tap_failed;
static const char *tap_only;

__attribute__((format(printf, 2, 3))) static inline int tap_check(int condition, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    printf("%sok %d - ", condition ? "" : "not ", ++tap_count);
    vprintf(format, values);
    printf("\n");
    va_end(values);
    if (!condition) fflush(stdout); /* a failure is seen, whatever comes then */
    tap_failed += !condition;
    return condition;
}

static inline void tap_skip(const char *text, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_count, text, why);
}

static inline int tap_wanted(const char *name)
{
    return tap_only == NULL || strcmp(tap_only, name) == 0;
}

static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    fflush(stdout);
    return tap_failed != 0 || tap_count == 0;
}

static inline void tap_need_device(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return;
    puts("1..0 # SKIP no CUDA device");
    exit(0);
}

#endif
