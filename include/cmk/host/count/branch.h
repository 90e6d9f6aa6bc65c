/* host/count/branch.h: counts where the lanes of a warp part, for ./cmk report of plain CUDA.
 *
 * gcc calls a function at the start of each basic block. The lanes of a warp that come to a block in the same turn of
 * the loops around it (trace.h) are there together, which is a visit. Where lanes of a visit go on to different blocks,
 * the warp parts at the branch that ends the block. Behind the branch is a block to which some of these lanes go and
 * none comes from elsewhere; a block with others is where lanes meet again. How full the visits of the blocks behind
 * are is what the profiler calls thread instructions over warp instructions.
 *
 * A block is known by its address in the code. Its branch is the first conditional jump from there on, which objdump
 * finds; addr2line turns that into a line. Without objdump it is the line where the block begins.
 *
 * Not seen: a condition that becomes an instruction without a jump, as for nvcc too; and the second visit of a lane
 * that comes to a block twice in one turn, where loops or calls are nested deeper than trace.h keeps. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_BRANCH_H
#define CMK_HOST_COUNT_BRANCH_H

#if CMK_HOST_TRACE_

enum { CMK_HOST_VISITS_ = 1 << 16 }; /* of a warp, beyond which a barrier ends them */

/* Lanes of a warp that are at a block together. */
typedef struct cmk_host_visit_ {
    uintptr_t block_, next_; /* next_: the block that one of them goes on to; 0: none has yet */
    uint64_t key_;           /* the turn, as the key of cmk_host_turn_now_ has it */
    uint32_t lanes_;
    unsigned from_;  /* 1 + the visit that they come from; 0: not known */
    unsigned chain_; /* 1 + the next visit of the same bucket; 0: none */
    unsigned char parts_, meets_;
} cmk_host_visit_;

/* The visits of a warp, in the order of the lane that made each first. Lanes that take the same path find each where
 * they expect it. */
typedef struct cmk_host_visits_ {
    cmk_host_visit_ *all_;
    unsigned *bucket_; /* as many as there is room for visits: 1 + the first of it; 0: none */
    unsigned count_, room_;
    unsigned last_[32];         /* 1 + the visit that a lane is at: the next one is where it is expected */
    unsigned long long number_; /* of the block of threads */
    unsigned barriers_;
    const cmk_host_counted_ *kernel_;
} cmk_host_visits_;

/* A basic block of a kernel, with the branch that ends it. */
typedef struct cmk_host_branch_ {
    struct cmk_host_branch_ *next_;  /* of the same bucket */
    struct cmk_host_branch_ *front_; /* the branch that it is behind; null where there is none */
    uintptr_t block_, jump_;         /* jump_: the address of the branch, where it is known */
    unsigned long long visits_, lanes_, parted_;
    const char *kernel_, *file_;
    int line_;
} cmk_host_branch_;

/* The branches of a line of a kernel at which warps part, as one. */
typedef struct cmk_host_parting_ {
    const char *file_;
    int line_;
    unsigned long long warps_, parted_; /* how often warps, or parts of them, come there; how often these part */
    unsigned long long visits_, lanes_; /* of the blocks behind */
} cmk_host_parting_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_visits_ cmk_host_visits_now_[CMK_HOST_THREADS_ / 32];
CMK_HOST_ONE_ cmk_host_visits_ *cmk_host_visits_last_; /* of the warp that was seen last */
CMK_HOST_ONE_ cmk_host_branch_ *cmk_host_branches_[CMK_HOST_BUCKETS_];

/* ---- The visits of a warp */
CMK_HOST_HELPER_ cmk_host_branch_ *cmk_host_branch_of_(const char *kernel, uintptr_t block)
{
    cmk_host_branch_ **bucket = &cmk_host_branches_[(block ^ (uintptr_t)kernel >> 3) % CMK_HOST_BUCKETS_];
    for (cmk_host_branch_ *branch = *bucket; branch; branch = branch->next_)
        if (branch->block_ == block && branch->kernel_ == kernel) return branch;
    cmk_host_branch_ *branch = (cmk_host_branch_ *)cmk_host_need_(calloc(1, sizeof *branch), "the counters");
    branch->kernel_ = kernel;
    branch->block_ = block;
    branch->next_ = *bucket;
    return *bucket = branch;
}

CMK_HOST_INLINE_ unsigned *cmk_host_visit_bucket_(const cmk_host_visits_ *visits, uintptr_t block, uint64_t key)
{
    return &visits->bucket_[cmk_host_path_mix_(key, block) >> 32 & (visits->room_ - 1)];
}

/* The visits of a warp are complete: they are counted, and forgotten. */
CMK_HOST_QUIET_ void cmk_host_visits_end_(cmk_host_visits_ *visits)
{
    for (unsigned at = 0; at < visits->count_; at++) {
        const cmk_host_visit_ *visit = &visits->all_[at];
        const cmk_host_visit_ *from = visit->from_ && !visit->meets_ ? &visits->all_[visit->from_ - 1] : NULL;
        cmk_host_branch_ *branch = cmk_host_branch_of_(visits->kernel_->kernel_, visit->block_);
        branch->visits_++;
        branch->lanes_ += (unsigned)__builtin_popcount(visit->lanes_);
        branch->parted_ += visit->parts_;
        if (from && from->parts_ && !branch->front_)
            branch->front_ = cmk_host_branch_of_(visits->kernel_->kernel_, from->block_);
        *cmk_host_visit_bucket_(visits, visit->block_, visit->key_) = 0;
    }
    visits->count_ = 0;
    memset(visits->last_, 0, sizeof visits->last_);
    if (visits->room_ <= 4096) return;
    free(visits->all_);
    free(visits->bucket_);
    visits->all_ = NULL;
    visits->bucket_ = NULL;
    visits->room_ = 0;
}

/* Another warp runs, or another block. Visits of a warp that has ended are complete, and those of a block before. */
CMK_HOST_QUIET_ void cmk_host_visits_turn_(cmk_host_visits_ *visits, const cmk_host_worker_ *worker)
{
    const unsigned long long number = cmk_host_block_number_;
    cmk_host_visits_ *last = cmk_host_visits_last_;
    if (last && last != visits && last->number_ == number &&
        cmk_host_warp_is_done_(worker, (unsigned)(last - cmk_host_visits_now_)))
        cmk_host_visits_end_(last);
    cmk_host_visits_last_ = visits;
    if (visits->number_ != number || visits->kernel_ != cmk_host_counted_now_ ||
        (visits->barriers_ != worker->barriers_ && visits->count_ > CMK_HOST_VISITS_))
        cmk_host_visits_end_(visits);
    visits->number_ = number;
    visits->kernel_ = cmk_host_counted_now_;
    visits->barriers_ = worker->barriers_;
}

CMK_HOST_QUIET_ void cmk_host_visits_grow_(cmk_host_visits_ *visits)
{
    const size_t room = visits->room_ ? 2 * (size_t)visits->room_ : 64;
    visits->all_ =
        (cmk_host_visit_ *)cmk_host_need_(realloc(visits->all_, room * sizeof *visits->all_), "the counters");
    free(visits->bucket_);
    visits->bucket_ = (unsigned *)cmk_host_need_(calloc(room, sizeof *visits->bucket_), "the counters");
    visits->room_ = (unsigned)room;
    for (unsigned at = 0; at < visits->count_; at++) {
        cmk_host_visit_ *visit = &visits->all_[at];
        unsigned *bucket = cmk_host_visit_bucket_(visits, visit->block_, visit->key_);
        visit->chain_ = *bucket;
        *bucket = at + 1;
    }
}

CMK_HOST_INLINE_ int cmk_host_visit_is_(const cmk_host_visit_ *visit, uintptr_t block, uint64_t key)
{
    return visit->block_ == block && visit->key_ == key;
}

/* 1 + the visit to a block in a turn; 0: none. */
CMK_HOST_HELPER_ unsigned cmk_host_visit_find_(const cmk_host_visits_ *visits, uintptr_t block, uint64_t key)
{
    unsigned at = visits->room_ ? *cmk_host_visit_bucket_(visits, block, key) : 0;
    while (at && !cmk_host_visit_is_(&visits->all_[at - 1], block, key)) at = visits->all_[at - 1].chain_;
    return at;
}

CMK_HOST_HELPER_ unsigned cmk_host_visit_new_(cmk_host_visits_ *visits, uintptr_t block, uint64_t key)
{
    if (visits->count_ == visits->room_) cmk_host_visits_grow_(visits);
    unsigned *bucket = cmk_host_visit_bucket_(visits, block, key);
    const cmk_host_visit_ visit = {block, 0, key, 0, 0, *bucket, 0, 0};
    visits->all_[visits->count_] = visit;
    return *bucket = ++visits->count_;
}

/* A lane goes from one visit to another. Both are 1 + their index. */
CMK_HOST_HELPER_ void cmk_host_visit_go_(cmk_host_visits_ *visits, unsigned from, unsigned to)
{
    cmk_host_visit_ *one = &visits->all_[from - 1], *two = &visits->all_[to - 1];
    if (one->next_ == 0) one->next_ = two->block_;
    one->parts_ |= one->next_ != two->block_;
    if (two->from_ == 0) two->from_ = from;
    two->meets_ |= two->from_ != from;
}

/* The visit, as 1 + its index, of a lane that comes to a block otherwise than those before it: from another one of the
 * same function, or from none (0). */
CMK_HOST_QUIET_ unsigned cmk_host_branch_find_(cmk_host_visits_ *visits, unsigned last, uintptr_t block, uint64_t key,
                                               uintptr_t from, uint64_t from_key)
{
    unsigned at = cmk_host_visit_find_(visits, block, key);
    if (at == 0) at = cmk_host_visit_new_(visits, block, key);
    if (from == 0) return at;
    if (last == 0 || !cmk_host_visit_is_(&visits->all_[last - 1], from, from_key))
        last = cmk_host_visit_find_(visits, from, from_key);
    if (last) cmk_host_visit_go_(visits, last, at);
    return at;
}

/* The running thread comes to a block. */
CMK_HOST_HELPER_ void cmk_host_branch_step_(uintptr_t block, uint64_t key, uintptr_t from, uint64_t from_key)
{
    const cmk_host_worker_ *worker = cmk_host_worker_now_;
    const unsigned rank = worker->running_->rank_, lane = rank % 32;
    cmk_host_visits_ *visits = &cmk_host_visits_now_[rank / 32];
    if (visits != cmk_host_visits_last_ || visits->number_ != cmk_host_block_number_)
        cmk_host_visits_turn_(visits, worker);
    unsigned at = visits->last_[lane];
    const cmk_host_visit_ *expected = visits->all_ + at;
    if (CMK_HOST_LIKELY_(at < visits->count_ && cmk_host_visit_is_(expected, block, key) &&
                         (expected->from_ == at || from == 0)))
        at++;
    else
        at = cmk_host_branch_find_(visits, at, block, key, from, from_key);
    visits->all_[at - 1].lanes_ |= 1u << lane;
    visits->last_[lane] = at;
}

/* ---- The lines of branches */

/* Whether a line of objdump, from its instruction on, is a jump to one of several places. */
CMK_HOST_HELPER_ int cmk_host_branch_is_jump_(const char *text)
{
    static const char *const names[] = {"b.", "cbz", "cbnz", "tbz", "tbnz", "br\t"};
    if (strstr(text, "jmp")) return strchr(text, '*') != NULL;
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strncmp(text, names[k], strlen(names[k])) == 0) return 1;
    return text[0] == 'j';
}

CMK_HOST_HELPER_ int cmk_host_branch_compare_(const void *left, const void *right)
{
    const cmk_host_branch_ *one = *(cmk_host_branch_ *const *)left, *two = *(cmk_host_branch_ *const *)right;
    return one->block_ < two->block_ ? -1 : one->block_ > two->block_;
}

/* Finds the jumps of branches, which are in the order of their addresses. */
CMK_HOST_QUIET_ void cmk_host_branch_jumps_(cmk_host_branch_ *const *branches, size_t count)
{
    char command[192], told[512];
    const uintptr_t bias = cmk_host_file_bias_((uintptr_t)__ehdr_start);
    snprintf(command, sizeof command,
             "objdump -d --no-show-raw-insn --start-address=%zu --stop-address=%zu /proc/%ld/exe 2>/dev/null",
             (size_t)(branches[0]->block_ - bias), (size_t)(branches[count - 1]->block_ - bias) + 65536,
             (long)getpid());
    FILE *answer = cmk_host_popen_(command, "r");
    size_t first = 0; /* of those whose jump is not found */
    while (answer && fgets(told, sizeof told, answer)) {
        char *end;
        const uintptr_t address = (uintptr_t)strtoull(told, &end, 16) + bias;
        if (first == count || strncmp(end, ":\t", 2) != 0 || !cmk_host_branch_is_jump_(end + 2)) continue;
        for (; first < count && branches[first]->block_ <= address; first++) branches[first]->jump_ = address;
    }
    if (answer) (void)cmk_host_pclose_(answer);
}

/* Names the lines of branches, as trace.h does those of accesses. Those of the backend have none. */
CMK_HOST_QUIET_ void cmk_host_branch_lines_(cmk_host_branch_ *const *branches, size_t count)
{
    cmk_host_spot_ *spots = (cmk_host_spot_ *)cmk_host_need_(calloc(count, sizeof *spots), "the report"), *spot = spots;
    for (size_t k = 0; k < count; k++) {
        const cmk_host_branch_ *branch = branches[k];
        spots[k].place_ = (const void *)(branch->jump_ ? branch->jump_ + 1 : branch->block_);
        spots[k].later_ = k + 1 < count ? &spots[k + 1] : NULL;
    }
    while (spot) spot = cmk_host_trace_ask_(spot);
    for (size_t k = 0; k < count; k++) {
        branches[k]->file_ = spots[k].inner_ ? NULL : spots[k].file_;
        branches[k]->line_ = spots[k].line_;
    }
    free(spots);
}

/* The branches of a kernel, or of all, at which warps part; to be freed. */
CMK_HOST_HELPER_ cmk_host_branch_ **cmk_host_branch_list_(const char *kernel, size_t *count)
{
    cmk_host_branch_ **list = NULL;
    for (int counts = 1; counts >= 0; counts--) {
        *count = 0;
        for (unsigned k = 0; k < CMK_HOST_BUCKETS_; k++)
            for (cmk_host_branch_ *branch = cmk_host_branches_[k]; branch; branch = branch->next_) {
                if (branch->parted_ == 0 || (kernel && strcmp(kernel, branch->kernel_) != 0)) continue;
                if (list) list[*count] = branch;
                ++*count;
            }
        if (counts) list = (cmk_host_branch_ **)cmk_host_need_(calloc(*count + 1, sizeof *list), "the report");
    }
    qsort(list, *count, sizeof *list, cmk_host_branch_compare_);
    return list;
}

/* Counts what is left, and names the lines. */
CMK_HOST_CALLED_ void cmk_host_branch_places_(void)
{
    size_t count;
    for (unsigned warp = 0; warp < CMK_HOST_THREADS_ / 32; warp++) cmk_host_visits_end_(&cmk_host_visits_now_[warp]);
    cmk_host_branch_ **list = cmk_host_branch_list_(NULL, &count);
    if (count > 0) {
        cmk_host_branch_jumps_(list, count);
        cmk_host_branch_lines_(list, count);
    }
    free(list);
}

CMK_HOST_HELPER_ int cmk_host_parting_compare_(const void *left, const void *right)
{
    const cmk_host_parting_ *one = (const cmk_host_parting_ *)left, *two = (const cmk_host_parting_ *)right;
    const int difference = strcmp(one->file_, two->file_);
    return difference != 0 ? difference : one->line_ - two->line_;
}

CMK_HOST_HELPER_ void cmk_host_parting_add_(cmk_host_parting_ *parting, const cmk_host_branch_ *front)
{
    parting->warps_ += front->visits_;
    parting->parted_ += front->parted_;
    for (unsigned k = 0; k < CMK_HOST_BUCKETS_; k++)
        for (const cmk_host_branch_ *branch = cmk_host_branches_[k]; branch; branch = branch->next_) {
            if (branch->front_ != front) continue;
            parting->visits_ += branch->visits_;
            parting->lanes_ += branch->lanes_;
        }
}

/* The lines of a kernel at which warps part, in their order; to be freed. */
CMK_HOST_HELPER_ cmk_host_parting_ *cmk_host_partings_(const char *kernel, size_t *count)
{
    size_t all, kept = 0;
    cmk_host_branch_ **list = cmk_host_branch_list_(kernel, &all);
    cmk_host_parting_ *partings = (cmk_host_parting_ *)cmk_host_need_(calloc(all + 1, sizeof *partings), "the report");
    for (size_t k = 0; k < all; k++) {
        cmk_host_parting_ *parting = partings;
        if (!list[k]->file_) continue;
        while (parting < partings + kept &&
               (parting->line_ != list[k]->line_ || strcmp(parting->file_, list[k]->file_) != 0))
            parting++;
        kept += parting == partings + kept;
        parting->file_ = list[k]->file_;
        parting->line_ = list[k]->line_;
        cmk_host_parting_add_(parting, list[k]);
    }
    free(list);
    qsort(partings, kept, sizeof *partings, cmk_host_parting_compare_);
    *count = kept;
    return partings;
}

/* The lanes that are together in the blocks behind, on average. */
CMK_HOST_HELPER_ double cmk_host_parting_lanes_(const cmk_host_parting_ *parting)
{
    return (double)parting->lanes_ / (double)(parting->visits_ ? parting->visits_ : 1);
}

/* ---- What the compiler calls */
CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __sanitizer_cov_trace_pc(void)
{
    const uintptr_t block = (uintptr_t)__builtin_return_address(0);
    cmk_host_path_ *path = cmk_host_path_now_();
    if (!path) return;
    const uint64_t *key = &cmk_host_turn_now_[cmk_host_worker_now_->running_->rank_].key_, from_key = *key;
    const uintptr_t from = path->block_;
    cmk_host_path_step_(path, block);
    cmk_host_branch_step_(block, *key, from, from_key);
}

CMK_HOST_C_END_

#endif

#endif
