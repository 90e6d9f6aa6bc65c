/* host/plain.h: what ./cmk run writes in place of parts of CUDA that C cannot express: launches, and shared memory that
 * is declared by __shared__ alone. run/launches.py has the list of replacements.
 *
 *   CMK_HOST_PLAIN_LAUNCH_((kernel), (grid, block, bytes, stream), (arguments))   kernel<<<...>>>(arguments)
 *   CMK_HOST_PLAIN_CALL_((kernel), (grid, block, bytes, stream), (call))   the same, where call() calls the kernel
 *   cmk_host_plain_dynamic_()   where the dynamic shared memory of the block begins
 *   CMK_HOST_PLAIN_SHARED_(name, T)   an lvalue of type T in the shared memory of the block
 *
 * bytes and stream may be left out. A launch is a statement: its error is the last error. The last two are C++. */
#include "../base.h"
#ifndef CMK_HOST_PLAIN_H
#define CMK_HOST_PLAIN_H

CMK_HOST_C_BEGIN_

/* Where plain accesses are not watched (watch.h), nobody marks what they write. Then all of the memory counts as
 * written. */
CMK_HOST_HELPER_ void *cmk_host_plain_written_(void *start)
{
#if !CMK_HOST_WATCH_
    const uintptr_t offset = (uintptr_t)start - cmk_host_arena_;
    const unsigned number = *cmk_host_map_(offset) >> 2;
    if (number > 0 && *cmk_host_map_(offset) % 4 == CMK_HOST_UNWRITTEN_)
        cmk_host_fill_(cmk_host_map_(offset), (int)(number << 2 | CMK_HOST_WRITTEN_),
                       cmk_host_shared_now_->tiles_[number].bytes_);
#endif
    return start;
}

/* Where the dynamic shared memory of the block begins. */
CMK_HOST_HELPER_ void *cmk_host_plain_dynamic_(void)
{
    return cmk_host_plain_written_(cmk_host_dynamic_());
}

CMK_HOST_C_END_

#define CMK_HOST_PLAIN_LAUNCH_(kernel, configuration, arguments)                                                       \
    CMK_HOST_PLAIN_SPREAD_(CMK_HOST_PLAIN_LAUNCH_BY_, kernel, arguments, CMK_LIST_ configuration, 0, 0, 0)
#define CMK_HOST_PLAIN_SPREAD_(macro, ...) macro(__VA_ARGS__)
#define CMK_HOST_PLAIN_LAUNCH_BY_(kernel, arguments, grid, block, bytes, stream, ...)                                  \
    ((void)cmk_host_result_(                                                                                           \
        CMK_HOST_LAUNCH_(CMK_HOST_PLAIN_TEXT_ kernel, kernel, grid, block, bytes, stream, CMK_LIST_ arguments)))
#define CMK_HOST_PLAIN_TEXT_(...) #__VA_ARGS__

#if defined(__cplusplus)

#define CMK_HOST_PLAIN_CALL_(kernel, configuration, call)                                                              \
    CMK_HOST_PLAIN_SPREAD_(CMK_HOST_PLAIN_CALL_BY_, kernel, call, CMK_LIST_ configuration, 0, 0, 0)
#define CMK_HOST_PLAIN_CALL_BY_(kernel, call, grid, block, bytes, stream, ...)                                         \
    cmk_host_plain_call_(call, CMK_HOST_PLAIN_TEXT_ kernel, CMK_HOST_SIZE_(grid), CMK_HOST_SIZE_(block), (bytes),      \
                         (stream), __FILE__, __LINE__)

#define CMK_HOST_PLAIN_SHARED_(name_, ...) CMK_HOST_PLAIN_TILE_(name_, cmk_host_plain_rows_<__typeof__(__VA_ARGS__)>)
#define CMK_HOST_PLAIN_TILE_(name_, of_)                                                                               \
    (*(typename of_::whole *)cmk_host_plain_written_(                                                                  \
        CMK_HOST_TILE_HERE_(typename of_::element, name_, of_::rows, of_::columns, 0)))

/* A shared variable as a tile: an array has rows of its last dimension, any other variable is one element. */
template <class any> struct cmk_host_plain_rows_ {
    typedef any whole;
    typedef any element;
    static const long long rows = 1, columns = 1;
};
template <class any, size_t count> struct cmk_host_plain_rows_<any[count]> : cmk_host_plain_rows_<any> {
    typedef any whole[count];
    static const long long rows = 1, columns = (long long)count;
};
template <class any, size_t count, size_t inner>
struct cmk_host_plain_rows_<any[count][inner]> : cmk_host_plain_rows_<any[inner]>
{
    typedef any whole[count][inner];
    static const long long rows = (long long)count * cmk_host_plain_rows_<any[inner]>::rows;
};

/* Runs one CUDA thread of a launch; a call object holds the arguments. */
template <class call> void cmk_host_plain_thread_(const call *kept)
{
    (*kept)();
}

template <class call> void cmk_host_plain_drop_(void *kept)
{
    delete (call *)kept;
}

template <class call>
void cmk_host_plain_call_(const call &what, const char *name, uint3 grid, uint3 block, size_t bytes,
                          cudaStream_t stream, const char *file, int line)
{
    void (*const kernel)(const call *) = cmk_host_plain_thread_<call>;
    const call *kept = new call(what);
    void (*const capture)(const call *) = (void (*)(const call *))cmk_host_prepare_(
        (cmk_host_code_)kernel, name, cmk_host_config_of_(grid, block, bytes, stream), (uintptr_t)CMK_HOST_STACK_MARK_,
        cmk_host_module_(), file, line);
    cmk_host_prepared_()->kept_ = (void *)kept;
    cmk_host_prepared_()->drop_kept_ = cmk_host_plain_drop_<call>;
    capture(kept);
    (void)cmk_host_result_(cmk_host_run_(CMK_HOST_COUNTS_, 0));
}

/* Arguments whose number is not known: pack.give(f) calls f(arguments). */
template <class... argument> struct cmk_host_plain_arguments_ {
    template <class taker, class... taken> void give(taker take, taken... before) const
    {
        take(before...);
    }
};
template <class first, class... rest> struct cmk_host_plain_arguments_<first, rest...> {
    first value;
    cmk_host_plain_arguments_<rest...> others;
    template <class taker, class... taken> void give(taker take, taken... before) const
    {
        others.give(take, before..., value);
    }
};

inline cmk_host_plain_arguments_<> cmk_host_plain_pack_()
{
    return {};
}

template <class first, class... rest>
cmk_host_plain_arguments_<first, rest...> cmk_host_plain_pack_(first value, rest... others)
{
    return {value, cmk_host_plain_pack_(others...)};
}

#endif

#endif
