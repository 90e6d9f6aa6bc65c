/* host/count/trace.h: counts the plain accesses of kernels, which the compiler reports.
 *
 * ./cmk report compiles with -fsanitize=thread, -fsanitize-coverage=trace-pc and CMK_HOST_TRACE_ 1. By the first gcc
 * calls a function before each load and store, by the second one at the start of each basic block. These functions are
 * below, and for blocks in branch.h; no runtime of a sanitizer is linked. An access is known by its address in the
 * code, which addr2line turns into a line for the report.
 *
 * A GPU lets lanes of a warp that part come together again behind the branch or the loop that parted them. So accesses
 * of lanes are one request where the lanes are in the same turn of each loop around the access. Loops show in the order
 * of the basic blocks: a step back is a new turn of the loop that begins there, and a step beyond the place from which
 * the loop went back leaves it. For that the blocks must stand in the order of the source, and no step may be taken
 * twice in the code (-fno-reorder-blocks, -fno-thread-jumps and others; run/build.py).
 *
 * The compiler leaves out loads that it has made before, much as nvcc does, and keeps scalars in registers. Accesses to
 * the stack of a thread are not counted, since nvcc decides which of them are registers. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_TRACE_H
#define CMK_HOST_COUNT_TRACE_H

#if CMK_HOST_TRACE_

enum { CMK_HOST_LOOPS_ = 32, CMK_HOST_CALLS_ = 32 };

/* A loop that a thread is in: the addresses of its first block and of the last one from which it went back. */
typedef struct cmk_host_loop_ {
    uintptr_t head_, latch_;
    uint64_t turn_, outer_; /* how often it has gone back; the key of what is around it */
    uintptr_t low_;         /* its lowest block: of a loop inside, the body may stand before head_, which tests */
} cmk_host_loop_;

/* A function that has called another one: where it was. */
typedef struct cmk_host_caller_ {
    uintptr_t block_;
    uint64_t key_;
    unsigned loops_;
} cmk_host_caller_;

/* Where a CUDA thread is. */
typedef struct cmk_host_path_ {
    unsigned long long number_; /* of the block of threads that it is in */
    uintptr_t block_;           /* the basic block that began last */
    unsigned first_, loops_;    /* the loops of the running function are those from first_ to loops_ - 1 */
    unsigned calls_;            /* functions that it has entered; only CMK_HOST_CALLS_ are kept */
    cmk_host_loop_ loop_[CMK_HOST_LOOPS_];
    cmk_host_caller_ caller_[CMK_HOST_CALLS_];
} cmk_host_path_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_path_ cmk_host_paths_[CMK_HOST_THREADS_];

/* ---- Where a thread is */

/* The path of the running CUDA thread; null where nothing is counted. */
CMK_HOST_HELPER_ cmk_host_path_ *cmk_host_path_now_(void)
{
    const cmk_host_fiber_ *running = cmk_host_kernel_name_ && !cmk_host_speaks_ ? cmk_host_worker_now_->running_ : NULL;
    if (!running || !cmk_host_counted_now_) return NULL;
    const unsigned rank = running->rank_;
    cmk_host_path_ *path = &cmk_host_paths_[rank];
    if (path->number_ != cmk_host_block_number_) {
        path->number_ = cmk_host_block_number_;
        path->block_ = 0;
        path->first_ = path->loops_ = path->calls_ = 0;
        cmk_host_turn_now_[rank].key_ = 0;
    }
    return path;
}

CMK_HOST_INLINE_ uint64_t cmk_host_path_mix_(uint64_t key, uint64_t word)
{
    key = (key ^ word) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

CMK_HOST_HELPER_ void cmk_host_path_turn_(cmk_host_path_ *path, uint64_t *key, uintptr_t block)
{
    const unsigned last = path->loops_ - 1;
    if (path->loops_ > path->first_ && path->loop_[last].head_ == block) {
        path->loop_[last].turn_++;
        if (path->loop_[last].latch_ < path->block_) path->loop_[last].latch_ = path->block_;
    } else if (path->loops_ < CMK_HOST_LOOPS_) {
        const cmk_host_loop_ loop = {block, path->block_, 1, *key, block};
        path->loop_[path->loops_++] = loop;
    } else {
        return;
    }
    const cmk_host_loop_ *loop = &path->loop_[path->loops_ - 1];
    *key = cmk_host_path_mix_(cmk_host_path_mix_(loop->outer_, loop->head_), loop->turn_);
}

/* The innermost loop ends. */
CMK_HOST_HELPER_ void cmk_host_path_leave_(cmk_host_path_ *path)
{
    const cmk_host_loop_ *loop = &path->loop_[--path->loops_];
    const int within = path->block_ != loop->head_ || loop->head_ == loop->latch_;
    const cmk_host_left_ left = {loop->outer_, loop->head_, loop->low_, loop->latch_, 0, 0, {0}, NULL, NULL};
    cmk_host_left_note_(cmk_host_worker_now_->running_->rank_, &left, loop->turn_, within);
}

/* A step back from the first block of the innermost loop, to none that another loop begins with: the body of a loop
 * inside stands there, which this block tests. */
CMK_HOST_HELPER_ void cmk_host_path_widen_(cmk_host_path_ *path, uintptr_t block)
{
    if (path->loops_ == path->first_ || path->loop_[path->loops_ - 1].head_ != path->block_) return;
    for (unsigned at = path->first_; at < path->loops_; at++)
        if (path->loop_[at].head_ == block) return;
    if (path->loop_[path->loops_ - 1].low_ > block) path->loop_[path->loops_ - 1].low_ = block;
}

/* A basic block of the running function begins. */
CMK_HOST_HELPER_ void cmk_host_path_step_(cmk_host_path_ *path, uintptr_t block)
{
    uint64_t *key = &cmk_host_turn_now_[cmk_host_worker_now_->running_->rank_].key_;
    const int back = block <= path->block_;
    if (back) cmk_host_path_widen_(path, block);
    while (path->loops_ > path->first_) {
        const cmk_host_loop_ *loop = &path->loop_[path->loops_ - 1];
        if (back ? loop->low_ <= block : block <= loop->latch_) break;
        *key = loop->outer_;
        cmk_host_path_leave_(path);
    }
    if (back) cmk_host_path_turn_(path, key, block);
    path->block_ = block;
}

CMK_HOST_HELPER_ void cmk_host_path_enter_(cmk_host_path_ *path, uintptr_t from)
{
    uint64_t *key = &cmk_host_turn_now_[cmk_host_worker_now_->running_->rank_].key_;
    if (path->calls_++ >= CMK_HOST_CALLS_) return;
    const cmk_host_caller_ caller = {path->block_, *key, path->first_};
    path->caller_[path->calls_ - 1] = caller;
    path->first_ = path->loops_;
    path->block_ = 0;
    *key = cmk_host_path_mix_(*key, from);
}

CMK_HOST_HELPER_ void cmk_host_path_return_(cmk_host_path_ *path)
{
    if (path->calls_ == 0 || --path->calls_ >= CMK_HOST_CALLS_) return;
    const cmk_host_caller_ *caller = &path->caller_[path->calls_];
    while (path->loops_ > path->first_) cmk_host_path_leave_(path);
    path->first_ = caller->loops_;
    path->block_ = caller->block_;
    cmk_host_turn_now_[cmk_host_worker_now_->running_->rank_].key_ = caller->key_;
}

/* ---- Accesses */

#if !defined(CMK_HOST_ALIGNMENT_)
#define CMK_HOST_ALIGNMENT_ 16 /* the most bytes of a word by which a struct of the program moves: 4, 8 or 16 */
#endif

/* The variable of the program that was accessed last, and the kind of its loads; -1 where it is one of the host. */
typedef struct cmk_host_traced_variable_ {
    cmk_host_range_ range_;
    int kind_;
} cmk_host_traced_variable_;
CMK_HOST_ONE_ cmk_host_traced_variable_ cmk_host_traced_variable_now_;

/* The kind of an access to a variable of the program: of constant memory, or of device memory. */
CMK_HOST_HELPER_ int cmk_host_trace_variable_(uintptr_t address, int writes)
{
    cmk_host_traced_variable_ *last = &cmk_host_traced_variable_now_;
    if (!cmk_host_inside_(&last->range_, address, 1)) {
        const cmk_host_variable_ *variable =
            cmk_host_variable_at_(cmk_host_symbols_of_(cmk_host_view_now_.module_.low_), address);
        if (!variable) return -1;
        last->range_ = variable->range;
        last->kind_ = !cmk_host_variable_is_device_(variable) || strncmp(variable->name, "cmk_host_", 9) == 0 ? -1
                      : cmk_host_variable_is_constant_(variable) ? cmk_host_constant_load_
                                                                 : cmk_host_global_load_;
    }
    return last->kind_ == cmk_host_global_load_ ? last->kind_ + writes : last->kind_;
}

CMK_HOST_HELPER_ int cmk_host_trace_kind_(uintptr_t address, int writes)
{
    if (address - cmk_host_arena_ < CMK_HOST_ARENA_BYTES_) return cmk_host_shared_load_ + writes;
    if (cmk_host_inside_(&cmk_host_memory_range_, address, 1)) return cmk_host_global_load_ + writes;
    if (cmk_host_inside_(&cmk_host_view_now_.module_, address, 1)) return cmk_host_trace_variable_(address, writes);
    return -1;
}

/* The array of the block that an access is to: where its rows have a pitch, the report looks for a pad. Value: the
 * offset of the array. */
CMK_HOST_HELPER_ uintptr_t cmk_host_trace_tile_(cmk_host_spot_ *spot, uintptr_t offset)
{
    const cmk_host_tile_entry_ *entry = &cmk_host_shared_now_->tiles_[*cmk_host_map_(offset) >> 2];
    const cmk_host_site_ *site = *cmk_host_map_(offset) >> 2 ? entry->site_ : NULL;
    if (!site || site->rows_ < 2) return 0;
    spot->tile_ = site->name_;
    spot->element_ = site->element_;
    spot->columns_ = site->element_ * (size_t)site->columns_;
    spot->pitch_ = spot->columns_ + site->element_ * (size_t)site->pad_;
    spot->declared_ = 1;
    return entry->offset_;
}

/* Where an access of the running thread is: its basic block, and the turn of the innermost loop around it. */
CMK_HOST_HELPER_ void cmk_host_trace_turn_(const cmk_host_path_ *path, cmk_host_spot_ *spot)
{
    cmk_host_turn_ *turn = &cmk_host_turn_now_[cmk_host_worker_now_->running_->rank_];
    const cmk_host_loop_ *loop = path->loops_ > path->first_ ? &path->loop_[path->loops_ - 1] : NULL;
    spot->block_ = path->block_;
    turn->outer_ = loop ? loop->outer_ : 0;
    turn->head_ = loop ? loop->head_ : 0;
    turn->number_ = loop ? loop->turn_ : 0;
}

/* Counts an access that moves in words of this many bytes. */
CMK_HOST_QUIET_ void cmk_host_count_plain_(const volatile void *pointer, size_t bytes, size_t word, int writes,
                                           const void *place)
{
    const uintptr_t address = (uintptr_t)pointer;
    const cmk_host_path_ *path = cmk_host_path_now_();
    if (!path) return;
    cmk_host_watch_(pointer, bytes, writes, place);
    const int kind = cmk_host_trace_kind_(address, writes);
    if (kind < 0) return;
    const int constant = kind == cmk_host_constant_load_;
    cmk_host_spot_ *spot = cmk_host_spot_of_(cmk_host_origin_of_(place, 0), kind, constant ? 1 : (unsigned)word);
    const uintptr_t start = kind <= cmk_host_shared_store_ ? cmk_host_arena_ : 0;
    const uintptr_t tile = start ? cmk_host_trace_tile_(spot, address - start) : 0;
    cmk_host_trace_turn_(path, spot);
    for (size_t at = 0; at < bytes; at += constant ? bytes : word)
        cmk_host_count_word_(spot, address - start + at, tile);
}

/* Counts an access of 1, 2, 4, 8 or 16 bytes, which is aligned to them, or to 8 where it has 16. */
CMK_HOST_INLINE_ void cmk_host_count_aligned_(const volatile void *pointer, size_t bytes, int writes, const void *place)
{
    cmk_host_count_plain_(pointer, bytes, bytes < 16 ? bytes : CMK_HOST_ALIGNMENT_, writes, place);
}

/* The bytes of a word of an access that has more than 8, or is not aligned to its bytes: the largest power of two that
 * divides its address and its bytes, and is at most the largest alignment of a type in the program. */
CMK_HOST_INLINE_ size_t cmk_host_trace_word_(uintptr_t address, size_t bytes)
{
    const size_t most = bytes <= 8 ? bytes / 2 : CMK_HOST_ALIGNMENT_, all = address | bytes | most;
    return all & (~all + 1);
}

/* ---- The lines of accesses */

CMK_HOST_HELPER_ const char *cmk_host_trace_copy_(const char *text)
{
    return strcpy((char *)cmk_host_need_(malloc(strlen(text) + 1), "the report"), text);
}

/* Names the line of an access by what addr2line tells of its address: FILE:LINE of the code and of each call that is
 * inlined there, the innermost first. The first that is none of the backend's is the program's own. */
CMK_HOST_HELPER_ void cmk_host_trace_name_(cmk_host_spot_ *spot, char *told, const char *folder)
{
    const size_t length = strlen(folder);
    char *colon = strrchr(told, ':');
    if (!colon || told[0] == '?') return;
    *colon = 0;
    const int here = length > 0 && strncmp(told, folder, length) == 0 && told[length] == '/';
    const char *file = here ? told + length + 1 : told;
    for (const cmk_host_spot_ *other = cmk_host_spot_first_; other && !spot->file_; other = other->later_)
        if (other->place_ && other->file_ && strcmp(other->file_, file) == 0) spot->file_ = other->file_;
    if (!spot->file_) spot->file_ = cmk_host_trace_copy_(file);
    spot->line_ = atoi(colon + 1) & 0xfffff;
}

/* How far the program lies from the addresses in its file. */
CMK_HOST_HELPER_ uintptr_t cmk_host_trace_bias_(void)
{
    return cmk_host_file_bias_((uintptr_t)__ehdr_start);
}

/* Whether a symbol is that of this kernel, whose name in a launch may have namespaces and arguments of a template. */
CMK_HOST_HELPER_ int cmk_host_trace_is_symbol_(const char *symbol, const char *kernel)
{
    const char *end = kernel + strcspn(kernel, "<"), *name = end;
    while (name > kernel && name[-1] != ':') name--;
    return cmk_host_symbol_has_(symbol, name, (int)(end - name));
}

/* Names the lines of up to CMK_HOST_ASKED_ accesses, from this one on, which have none. addr2line tells of each a
 * function and a place, and then those of each call that is inlined there. Value: the first that is left. */
enum { CMK_HOST_ASKED_ = 256 };
CMK_HOST_QUIET_ cmk_host_spot_ *cmk_host_trace_ask_(cmk_host_spot_ *first)
{
    char command[64 + 20 * CMK_HOST_ASKED_], told[4352], folder[1024];
    const uintptr_t bias = cmk_host_trace_bias_();
    int length = snprintf(command, sizeof command, "addr2line -a -f -i -e /proc/%ld/exe", (long)getpid()), asked = 0;
    cmk_host_spot_ *end = first, *spot = NULL;
    for (; end && asked < CMK_HOST_ASKED_; end = end->later_) {
        if (!end->place_ || end->file_) continue;
        const size_t address = (size_t)((uintptr_t)end->place_ - 1 - bias);
        length += snprintf(command + length, sizeof command - (size_t)length, " 0x%zx", address);
        asked++;
    }
    FILE *answer = asked > 0 ? cmk_host_popen_(command, "r") : NULL;
    if (!getcwd(folder, sizeof folder)) folder[0] = 0;
    while (answer && fgets(told, sizeof told, answer)) {
        told[strcspn(told, " \n")] = 0;
        if (strncmp(told, "0x", 2) == 0) { /* the next address */
            spot = spot ? spot->later_ : first;
            while (spot && (!spot->place_ || spot->file_)) spot = spot->later_;
        } else if (spot && !strrchr(told, ':')) {
            if (spot->kernel_ && !spot->symbol_ && cmk_host_trace_is_symbol_(told, spot->kernel_))
                spot->symbol_ = cmk_host_trace_copy_(told);
        } else if (spot && !spot->file_) {
            if (strstr(told, "/cmk/host/"))
                spot->inner_ = 1;
            else
                cmk_host_trace_name_(spot, told, folder);
        }
    }
    if (answer) (void)cmk_host_pclose_(answer);
    return end;
}

/* Names the lines of all accesses. The bits above the line tell accesses on one line apart. */
CMK_HOST_CALLED_ void cmk_host_trace_places_(void)
{
    unsigned number = 0;
    cmk_host_spot_ *spot = cmk_host_spot_first_;
    while (spot) spot = cmk_host_trace_ask_(spot);
    for (spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        if (!spot->place_) continue;
        if (!spot->file_) spot->file_ = "(a place without a line)";
        if (spot->line_ <= 0xfffff) spot->line_ |= (int)(number++ % 2048) << 20;
    }
}

/* ---- What the compiler calls */
CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __tsan_func_entry(void *from)
{
    cmk_host_path_ *path = cmk_host_path_now_();
    if (path) cmk_host_path_enter_(path, (uintptr_t)from);
}

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __tsan_func_exit(void *unused)
{
    (void)unused;
    cmk_host_path_ *path = cmk_host_path_now_();
    if (path) cmk_host_path_return_(path);
}

/* clang-format off */
CMK_HOST_HOOK_(__tsan_read1, cmk_host_count_aligned_, 1, 0)
CMK_HOST_HOOK_(__tsan_write1, cmk_host_count_aligned_, 1, 1)
CMK_HOST_HOOK_(__tsan_read2, cmk_host_count_aligned_, 2, 0)
CMK_HOST_HOOK_(__tsan_write2, cmk_host_count_aligned_, 2, 1)
CMK_HOST_HOOK_(__tsan_read4, cmk_host_count_aligned_, 4, 0)
CMK_HOST_HOOK_(__tsan_write4, cmk_host_count_aligned_, 4, 1)
CMK_HOST_HOOK_(__tsan_read8, cmk_host_count_aligned_, 8, 0)
CMK_HOST_HOOK_(__tsan_write8, cmk_host_count_aligned_, 8, 1)
CMK_HOST_HOOK_(__tsan_read16, cmk_host_count_aligned_, 16, 0)
CMK_HOST_HOOK_(__tsan_write16, cmk_host_count_aligned_, 16, 1)
/* clang-format on */

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __tsan_read_range(void *address, long bytes)
{
    const size_t word = cmk_host_trace_word_((uintptr_t)address, (size_t)bytes);
    cmk_host_count_plain_(address, (size_t)bytes, word, 0, __builtin_return_address(0));
}

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __tsan_write_range(void *address, long bytes)
{
    const size_t word = cmk_host_trace_word_((uintptr_t)address, (size_t)bytes);
    cmk_host_count_plain_(address, (size_t)bytes, word, 1, __builtin_return_address(0));
}

CMK_HOST_ONE_ void __tsan_init(void)
{
}

CMK_HOST_ONE_ void __tsan_vptr_update(void *table, void *value)
{
    (void)table, (void)value;
}

CMK_HOST_ONE_ void __tsan_vptr_read(void *table)
{
    (void)table;
}

CMK_HOST_C_END_

#endif

#endif
