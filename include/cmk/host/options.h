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

static inline void cmk_host_refuse_(const char *variable_, const char *value_, const char *allowed_)
{
    fprintf(stderr, "cmk: %s=%s: it must be %s\n", variable_, value_, allowed_);
    exit(2);
}

/* A decimal number and nothing else, or -1. */
static inline long long cmk_host_number_(const char *text_)
{
    char *end_;
    if (*text_ < '0' || *text_ > '9' || strlen(text_) > 10)
        return -1;
    long long number_ = strtoll(text_, &end_, 10);
    return *end_ == 0 ? number_ : -1;
}

static inline void cmk_host_read_cores_(cmk_host_options_ *options_, const char *value_)
{
    long long cores_ = strcmp(value_, "all") == 0 ? sysconf(_SC_NPROCESSORS_ONLN) : cmk_host_number_(value_);
    if (cores_ < 1 || cores_ > 4096)
        cmk_host_refuse_("CMK_HOST_CORES", value_, "a number of CPU cores from 1 to 4096, or all");
    options_->cores_ = (unsigned)cores_;
}

static inline void cmk_host_read_order_(cmk_host_options_ *options_, const char *value_)
{
    long long seed_ = 1;
    if (strcmp(value_, "forward") == 0) {
        options_->order_ = cmk_host_order_forward_;
    } else if (strcmp(value_, "reverse") == 0) {
        options_->order_ = cmk_host_order_reverse_;
    } else {
        if (strncmp(value_, "shuffle:", 8) == 0)
            seed_ = cmk_host_number_(value_ + 8);
        else if (strcmp(value_, "shuffle") != 0)
            seed_ = -1;
        options_->order_ = cmk_host_order_shuffle_;
    }
    if (seed_ < 0 || seed_ > 0xffffffffLL)
        cmk_host_refuse_(
            "CMK_HOST_ORDER", value_, "forward, reverse, shuffle or shuffle:SEED, SEED a 32-bit number");
    options_->seed_ = (unsigned)seed_;
}

CMK_HOST_ONE_ void cmk_host_read_environment_(void)
{
    const char *cores_ = getenv("CMK_HOST_CORES");
    const char *order_ = getenv("CMK_HOST_ORDER");
    if (cores_)
        cmk_host_read_cores_(&cmk_host_options_now_, cores_);
    if (order_)
        cmk_host_read_order_(&cmk_host_options_now_, order_);
}

CMK_HOST_C_END_

#endif
