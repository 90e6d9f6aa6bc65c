/* host/options.h: the environment variables of the CPU backend, which are read at the first call that needs one.
 *
 *   CMK_HOST_CORES=N|all
 *   CMK_HOST_ORDER=forward|reverse|shuffle[:SEED]
 *   CMK_HOST_DEVICES=N[:apart]
 *   CMK_HOST_STREAMS=order|shuffle[:SEED]
 *   CMK_HOST_ERRORS=stop|return
 *   CMK_HOST_RACES=on|off */
#include "../base.h"
#ifndef CMK_HOST_OPTIONS_H
#define CMK_HOST_OPTIONS_H

typedef enum cmk_host_order_ {
    cmk_host_order_forward_,
    cmk_host_order_reverse_,
    cmk_host_order_shuffle_
} cmk_host_order_;

#define CMK_HOST_MOST_DEVICES_ 16

typedef struct cmk_host_options_ {
    cmk_host_order_ order_;
    unsigned seed_;
    unsigned cores_;
    int devices_;
    int apart_;        /* no device has access to the memory of another */
    int late_;         /* streams run late, in any order that they allow */
    unsigned streams_; /* the seed of that order */
    int returns_;      /* an error in a kernel is returned by its launch, and does not end the program */
    int races_;        /* races are reported, in a program that is built for it */
} cmk_host_options_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_options_ cmk_host_options_now_ = {cmk_host_order_forward_, 1, 1, 1, 0, 0, 1, 0, 1};
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

/* The seed of the words shuffle and shuffle:SEED; -1 for other words. */
static inline long long cmk_host_seed_(const char *value)
{
    if (strcmp(value, "shuffle") == 0) return 1;
    long long seed = strncmp(value, "shuffle:", 8) == 0 ? cmk_host_number_(value + 8) : -1;
    return seed > 0xffffffffLL ? -1 : seed;
}

static inline void cmk_host_read_order_(cmk_host_options_ *options, const char *value)
{
    const long long seed = cmk_host_seed_(value);
    if (strcmp(value, "forward") == 0) return;
    options->order_ = strcmp(value, "reverse") == 0 ? cmk_host_order_reverse_ : cmk_host_order_shuffle_;
    if (options->order_ == cmk_host_order_reverse_) return;
    if (seed < 0)
        cmk_host_refuse_("CMK_HOST_ORDER", value, "forward, reverse, shuffle or shuffle:SEED, SEED a 32-bit number");
    options->seed_ = (unsigned)seed;
}

static inline void cmk_host_read_streams_(cmk_host_options_ *options, const char *value)
{
    const long long seed = cmk_host_seed_(value);
    if (strcmp(value, "order") == 0) return;
    if (seed < 0) cmk_host_refuse_("CMK_HOST_STREAMS", value, "order, shuffle or shuffle:SEED, SEED a 32-bit number");
    options->late_ = 1;
    options->streams_ = (unsigned)seed;
}

static inline void cmk_host_read_devices_(cmk_host_options_ *options, const char *value)
{
    const char *behind = strchr(value, ':');
    char number[8] = {0};
    const size_t length = behind ? (size_t)(behind - value) : strlen(value);
    if (length < sizeof number) memcpy(number, value, length);
    const long long devices = cmk_host_number_(number);
    if (devices < 1 || devices > CMK_HOST_MOST_DEVICES_ || (behind && strcmp(behind, ":apart") != 0))
        cmk_host_refuse_("CMK_HOST_DEVICES", value, "a number of devices from 1 to 16, or N:apart without peer access");
    options->devices_ = (int)devices;
    options->apart_ = behind != NULL;
}

static inline void cmk_host_read_errors_(cmk_host_options_ *options, const char *value)
{
    options->returns_ = strcmp(value, "return") == 0;
    if (!options->returns_ && strcmp(value, "stop") != 0) cmk_host_refuse_("CMK_HOST_ERRORS", value, "stop or return");
}

static inline void cmk_host_read_races_(cmk_host_options_ *options, const char *value)
{
    options->races_ = strcmp(value, "off") != 0;
    if (options->races_ && strcmp(value, "on") != 0) cmk_host_refuse_("CMK_HOST_RACES", value, "on or off");
}

CMK_HOST_CALLED_ void cmk_host_read_environment_(void)
{
    const char *cores = getenv("CMK_HOST_CORES"), *order = getenv("CMK_HOST_ORDER");
    const char *devices = getenv("CMK_HOST_DEVICES"), *streams = getenv("CMK_HOST_STREAMS");
    const char *errors = getenv("CMK_HOST_ERRORS"), *races = getenv("CMK_HOST_RACES");
    if (cores) cmk_host_read_cores_(&cmk_host_options_now_, cores);
    if (order) cmk_host_read_order_(&cmk_host_options_now_, order);
    if (devices) cmk_host_read_devices_(&cmk_host_options_now_, devices);
    if (streams) cmk_host_read_streams_(&cmk_host_options_now_, streams);
    if (errors) cmk_host_read_errors_(&cmk_host_options_now_, errors);
    if (races) cmk_host_read_races_(&cmk_host_options_now_, races);
}

static inline const cmk_host_options_ *cmk_host_options_read_(void)
{
    (void)pthread_once(&cmk_host_options_once_, cmk_host_read_environment_);
    return &cmk_host_options_now_;
}

CMK_HOST_CALLED_ void cmk_host_print_seed_(void)
{
    const cmk_host_options_ *options = &cmk_host_options_now_;
    if (options->late_) fprintf(stderr, "cmk: with CMK_HOST_STREAMS=shuffle:%u\n", options->streams_);
}

CMK_HOST_C_END_

#endif
