/* tap.h: a test program's output in the Test Anything Protocol. Include after cmk/cmk.h.
 *
 *   tap_check(condition, format, ...);   one line "ok" or "not ok"; a test is the condition and its sentence
 *   tap_need_device();                   skips the whole program where there is no device
 *   return tap_done();                   prints the plan; the exit status is 0 where every check held */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_checks, tap_failures;

__attribute__((format(printf, 2, 3))) static inline void tap_check(int condition, const char *format, ...)
{
    va_list arguments;
    tap_failures += !condition;
    printf("%sok %d - ", condition ? "" : "not ", ++tap_checks);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

static inline int tap_done(void)
{
    printf("1..%d\n", tap_checks);
    return tap_failures > 0 || tap_checks == 0;
}

static inline void tap_need_device(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return;
    puts("1..0 # SKIP no CUDA device");
    exit(0);
}

#endif
