/* host/beside.h: notes which fields the update of a point has read beside the point. Such a field may not be set in
 * place. */
#include "../base.h"
#ifndef CMK_HOST_BESIDE_H
#define CMK_HOST_BESIDE_H

CMK_HOST_C_BEGIN_

/* The first read of a field beside the point. A field is identified by the address of its window. At most
 * cmk_host_besides_most_ fields are watched. */
enum { cmk_host_besides_most_ = 32 };
typedef struct {
    const void *window;
    const char *file;
    int line;
} cmk_host_beside_;
CMK_HOST_ONE_ __thread cmk_host_beside_ cmk_host_besides_[cmk_host_besides_most_];
CMK_HOST_ONE_ __thread int cmk_host_besides_count_;

/* forgets all reads, before the update of a point */
CMK_HOST_HELPER_ void cmk_host_forget_besides_(void)
{
    cmk_host_besides_count_ = 0;
}

CMK_HOST_HELPER_ void cmk_host_note_beside_(const void *window, const char *file, int line)
{
    const int count = cmk_host_besides_count_;
    for (int k = 0; k < count; ++k)
        if (cmk_host_besides_[k].window == window) return;
    if (count == cmk_host_besides_most_) return;
    cmk_host_besides_[count].window = window;
    cmk_host_besides_[count].file = file;
    cmk_host_besides_[count].line = line;
    cmk_host_besides_count_ = count + 1;
}

/* checks a field that the update has set in place */
CMK_HOST_HELPER_ void cmk_host_check_beside_(const void *window, const char *name)
{
    for (int k = 0; k < cmk_host_besides_count_; ++k)
        if (cmk_host_besides_[k].window == window)
            cmk_host_fail_(cmk_host_besides_[k].file, cmk_host_besides_[k].line,
                           "reads %s beside the point in a stage that sets it: SAME is read at the point then", name);
}

CMK_HOST_C_END_

#endif
