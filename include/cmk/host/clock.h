/* host/clock.h: which works of streams, and which accesses of the host, are ordered, whatever the order is in which
 * they happen to run.
 *
 * The host and each stream are lines. The steps of a stream are the works that are put into it, those of the host lie
 * between two of its calls that put a work into a stream. A clock tells for each line up to which step all is over. A
 * stream has the clock of its last work: a work comes after what the host knows at the call to be over, after what is
 * ahead of it in its stream, and after what events and the rules of the default stream say. By a call that waits, the
 * host takes the clock of what it waits for.
 *
 * Actors are those who access memory: launches, copies and fills, and steps of the host. Each begins at a time of its
 * own, by which global.h knows whose a touch is. An actor is over for a clock that has come to its step.
 *
 * All of this is for programs of one host thread. ./cmk run compiles with CMK_HOST_RACES_ 1; elsewhere it is
 * nothing. */
#include "../base.h"
#ifndef CMK_HOST_CLOCK_H
#define CMK_HOST_CLOCK_H

CMK_HOST_C_BEGIN_

#if CMK_HOST_RACES_

enum {
    CMK_HOST_LINES_ = 32, /* line 0 is the host's; above 31 streams, streams share lines, and count as ordered */
    CMK_HOST_ACTORS_ = 512
};

typedef struct cmk_host_clock_ {
    uint32_t step_[CMK_HOST_LINES_];
    unsigned line_; /* whose clock it is; 0 is also a stream that has had no work */
} cmk_host_clock_;

/* Rows of bytes in memory. */
typedef struct cmk_host_area_ {
    uintptr_t low_;
    size_t width_, height_, depth_, pitch_, step_;
} cmk_host_area_;

enum { cmk_host_area_written_, cmk_host_area_read_, cmk_host_areas_ };

typedef struct cmk_host_actor_ {
    uint32_t time_;    /* at which it begins */
    uint32_t settled_; /* what was before this time is over for it */
    uint32_t step_;    /* in its line */
    unsigned line_;
    const char *name_;                     /* of a kernel; null otherwise */
    uint3 block_;                          /* of a kernel: the size of a block */
    int meets_;                            /* of a kernel: what it has had of cmk_host_meets_ */
    size_t bytes_;                         /* of a copy or a fill; 0 otherwise */
    uint64_t fill_;                        /* of a fill: a number for its value; 0 otherwise */
    cmk_host_area_ area_[cmk_host_areas_]; /* of a copy or a fill, until the shadow has them */
} cmk_host_actor_;

CMK_HOST_ONE_ cmk_host_clock_ cmk_host_clock_host_;                /* what is over for the host */
CMK_HOST_ONE_ cmk_host_clock_ cmk_host_clock_all_;                 /* the last step of each line */
CMK_HOST_ONE_ cmk_host_clock_ cmk_host_clock_gone_;                /* of streams that are destroyed */
CMK_HOST_ONE_ cmk_host_clock_ cmk_host_clock_next_;                /* of the work that was put into a stream last */
CMK_HOST_ONE_ unsigned cmk_host_lines_;                            /* that were given to streams */
CMK_HOST_ONE_ __thread const cmk_host_clock_ *cmk_host_clock_now_; /* of the work that runs; null for the host */
CMK_HOST_ONE_ cmk_host_actor_ cmk_host_actors_[CMK_HOST_ACTORS_];  /* the last ones, in a ring */
CMK_HOST_ONE_ unsigned cmk_host_actors_count_;
CMK_HOST_ONE_ uint32_t cmk_host_clock_since_;     /* what was before this time is over for all */
CMK_HOST_ONE_ const void *cmk_host_first_thread_; /* the OS thread that has called first */
CMK_HOST_ONE_ __thread int cmk_host_goes_on_;     /* this OS thread runs a launch for that one, which waits for it */
CMK_HOST_ONE_ int cmk_host_is_parted_;            /* that one has gone on beside a launch, which waits for it */
CMK_HOST_ONE_ int cmk_host_is_mixed_;             /* other OS threads call too */
CMK_HOST_ONE_ int cmk_host_host_looks_;           /* whether accesses of the host are looked at */

/* ---- Clocks */
CMK_HOST_HELPER_ void cmk_host_clock_join_(cmk_host_clock_ *clock, const cmk_host_clock_ *other)
{
    for (int line = 0; line < CMK_HOST_LINES_; line++)
        if (clock->step_[line] < other->step_[line]) clock->step_[line] = other->step_[line];
}

/* Whether what this OS thread does is looked at: one does, the first, until it goes on beside a launch. */
CMK_HOST_INLINE_ int cmk_host_is_first_(void)
{
    return cmk_host_goes_on_ || (cmk_host_first_thread_ == &cmk_host_time_ && !cmk_host_is_parted_);
}

/* Notes which OS thread calls. */
CMK_HOST_HELPER_ void cmk_host_clock_called_(void)
{
    if (!cmk_host_first_thread_) cmk_host_first_thread_ = &cmk_host_time_;
    if (!cmk_host_is_first_()) cmk_host_is_mixed_ = 1;
}

/* The host looks while something of a stream is not over for it. */
CMK_HOST_HELPER_ void cmk_host_clock_look_(void)
{
    int looks = 0;
    for (int line = 1; line < CMK_HOST_LINES_; line++)
        looks |= cmk_host_clock_host_.step_[line] < cmk_host_clock_all_.step_[line];
    cmk_host_host_looks_ = looks && !cmk_host_is_mixed_ && !cmk_host_clock_now_;
}

/* A work is put into the stream of this clock, which has taken all that it comes after but what the host knows. */
CMK_HOST_HELPER_ void cmk_host_clock_put_(cmk_host_clock_ *clock)
{
    cmk_host_clock_called_();
    if (clock->line_ == 0) clock->line_ = cmk_host_lines_++ % (CMK_HOST_LINES_ - 1) + 1;
    cmk_host_clock_join_(clock, &cmk_host_clock_host_);
    clock->step_[clock->line_] = ++cmk_host_clock_all_.step_[clock->line_];
    cmk_host_clock_host_.step_[0]++;
    cmk_host_clock_next_ = *clock;
    cmk_host_clock_look_();
}

/* The host has waited for all that is in a clock. */
CMK_HOST_HELPER_ void cmk_host_clock_wait_(const cmk_host_clock_ *clock)
{
    cmk_host_clock_called_();
    cmk_host_clock_join_(&cmk_host_clock_host_, clock);
    cmk_host_clock_look_();
}

/* All that has run is over for all that will. */
CMK_HOST_HELPER_ void cmk_host_clock_part_(void)
{
    if (!cmk_host_is_first_()) return;
    CMK_HOST_ORDERED_();
    cmk_host_clock_since_ = cmk_host_time_;
}

/* A work begins. Where it has waited for what is not known, such as a word in memory, it may come after all. Value: for
 * the call at its end. */
CMK_HOST_HELPER_ const cmk_host_clock_ *cmk_host_clock_begin_(const cmk_host_clock_ *clock, int waited)
{
    const cmk_host_clock_ *outer = cmk_host_clock_now_;
    if (waited) cmk_host_clock_part_();
    cmk_host_clock_now_ = clock;
    if (cmk_host_is_first_()) cmk_host_host_looks_ = 0;
    return outer;
}

CMK_HOST_HELPER_ void cmk_host_clock_end_(const cmk_host_clock_ *outer)
{
    cmk_host_clock_now_ = outer;
    if (cmk_host_is_first_()) cmk_host_clock_look_();
}

/* The work that runs calls a function of the host, or it has called it. What that function says reaches the host. */
CMK_HOST_HELPER_ void cmk_host_clock_call_(int begins)
{
    if (!cmk_host_is_first_()) return;
    if (!begins) cmk_host_clock_join_(&cmk_host_clock_host_, cmk_host_clock_now_);
    cmk_host_host_looks_ = begins && !cmk_host_is_mixed_;
}

/* The work that runs is one that its call waits for. */
CMK_HOST_HELPER_ void cmk_host_clock_waited_(void)
{
    if (cmk_host_is_first_()) cmk_host_clock_join_(&cmk_host_clock_host_, cmk_host_clock_now_);
}

/* ---- Actors */

/* Notes that an actor begins, now. */
CMK_HOST_HELPER_ cmk_host_actor_ *cmk_host_actor_new_(void)
{
    const cmk_host_clock_ *clock = cmk_host_clock_now_ ? cmk_host_clock_now_ : &cmk_host_clock_host_;
    cmk_host_actor_ *actor = &cmk_host_actors_[cmk_host_actors_count_++ % CMK_HOST_ACTORS_];
    CMK_HOST_ORDERED_();
    memset(actor, 0, sizeof *actor);
    actor->time_ = actor->settled_ = cmk_host_time_;
    actor->line_ = clock->line_;
    actor->step_ = clock->step_[clock->line_];
    return actor;
}

/* The nth of the last actors, the newest first; null where there is none. */
CMK_HOST_HELPER_ cmk_host_actor_ *cmk_host_actor_at_(unsigned nth)
{
    if (nth >= cmk_host_actors_count_ || nth >= CMK_HOST_ACTORS_) return NULL;
    return &cmk_host_actors_[(cmk_host_actors_count_ - 1 - nth) % CMK_HOST_ACTORS_];
}

/* Who acted at a time; null where that is not known any more. */
CMK_HOST_HELPER_ cmk_host_actor_ *cmk_host_actor_of_(uint32_t time)
{
    unsigned nth = 0;
    cmk_host_actor_ *actor = cmk_host_actor_at_(nth);
    while (actor && actor->time_ > time) actor = cmk_host_actor_at_(++nth);
    return actor;
}

/* Whether an actor may still be at work for who runs now. */
CMK_HOST_HELPER_ int cmk_host_actor_is_apart_(const cmk_host_actor_ *actor)
{
    const cmk_host_clock_ *clock = cmk_host_clock_now_ ? cmk_host_clock_now_ : &cmk_host_clock_host_;
    if (cmk_host_is_mixed_ || actor->time_ < cmk_host_clock_since_) return 0;
    return clock->step_[actor->line_] < actor->step_;
}

#endif

CMK_HOST_C_END_

#endif
