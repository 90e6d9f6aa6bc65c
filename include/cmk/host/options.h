/* host/options.h: the two environment variables of the CPU backend, read at the first launch.
 *
 *   CMK_HOST_CORES=N|all
 *   CMK_HOST_ORDER=forward|reverse|shuffle[:SEED] */
#include "../base.h"
#ifndef CMK_HOST_OPTIONS_H
#define CMK_HOST_OPTIONS_H

typedef enum cmk_host_order_ {
    cmk_host_order_forward_,
    cmk_host_order_reverse_,
    cmk_host_order_shuffle_
} cmk_host_order_;

typedef struct cmk_host_options_ {
    cmk_host_order_ order_;
    unsigned seed_;
    unsigned cores_;
} cmk_host_options_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_options_ cmk_host_options_now_ = {cmk_host_order_forward_, 1, 1};
CMK_HOST_ONE_ pthread_once_t cmk_host_options_once_ = PTHREAD_ONCE_INIT;

static inline void cmk_host_refuse_(const char *variable, const char *value, const char *allowed)
{
    fprintf(stderr, "cmk: %s=%s: it must be %s\n", variable, value, allowed);
    exit(2);
}

/* A decimal number and nothing else, or -1. */
static inline long long cmk_host_number_(const char *text)
{
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 10) return -1;
    long long number = strtoll(text, &end, 10);
    return *end == 0 ? number : -1;
}

static inline void cmk_host_read_cores_(cmk_host_options_ *options, const char *value)
{
    long long cores = strcmp(value, "all") == 0 ? sysconf(_SC_NPROCESSORS_ONLN) : cmk_host_number_(value);
    if (cores < 1 || cores > 4096)
        cmk_host_refuse_("CMK_HOST_CORES", value, "a number of CPU cores from 1 to 4096, or all");
    options->cores_ = (unsigned)cores;
}

static inline void cmk_host_read_order_(cmk_host_options_ *options, const char *value)
{
    long long seed = 1;
    if (strcmp(value, "forward") == 0) {
        options->order_ = cmk_host_order_forward_;
    } else if (strcmp(value, "reverse") == 0) {
        options->order_ = cmk_host_order_reverse_;
    } else {
        if (strncmp(value, "shuffle:", 8) == 0)
            seed = cmk_host_number_(value + 8);
        else if (strcmp(value, "shuffle") != 0)
            seed = -1;
        options->order_ = cmk_host_order_shuffle_;
    }
    if (seed < 0 || seed > 0xffffffffLL)
        cmk_host_refuse_("CMK_HOST_ORDER", value, "forward, reverse, shuffle or shuffle:SEED, SEED a 32-bit number");
    options->seed_ = (unsigned)seed;
}

CMK_HOST_ONE_ void cmk_host_read_environment_(void)
{
    const char *cores = getenv("CMK_HOST_CORES");
    const char *order = getenv("CMK_HOST_ORDER");
    if (cores) cmk_host_read_cores_(&cmk_host_options_now_, cores);
    if (order) cmk_host_read_order_(&cmk_host_options_now_, order);
}

CMK_HOST_C_END_

#endif
