/* host/count/forms.h: what accesses cost in the forms that machine code may give them.
 *
 * nvcc splits words whose alignment it does not know, joins neighbours, and unrolls loops, where lanes part that make
 * other numbers of turns. Which of it has happened is known from the machine code alone (run/machine.py). So each place
 * of plain accesses is counted in every form, as a difference to what it costs in the source. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_FORMS_H
#define CMK_HOST_COUNT_FORMS_H

CMK_HOST_C_BEGIN_

/* The cost of a request: wavefronts, whose groups are added to *groups; or sectors; or replays. */
CMK_HOST_HELPER_ unsigned cmk_host_count_cost_(int kind, unsigned bytes, const cmk_host_count_lanes_ *lanes,
                                               unsigned long long *groups)
{
    if (kind <= cmk_host_shared_store_)
        return cmk_host_count_wavefronts_(lanes, bytes, kind == cmk_host_shared_load_, groups);
    if (kind <= cmk_host_global_store_) return cmk_host_count_units_(lanes, bytes, 5);
    if (kind == cmk_host_constant_load_) return cmk_host_count_units_(lanes, 1, 0) - 1;
#if CMK_HOST_TRACE_
    if (kind > cmk_host_global_atomic_) return 0;
#endif
    return cmk_host_count_most_(lanes) - 1;
}

#if CMK_HOST_TRACE_

/* A request that a place makes in a form. */
CMK_HOST_HELPER_ void cmk_host_form_add_(cmk_host_spot_ *spot, int form, unsigned bytes,
                                         const cmk_host_count_lanes_ *lanes)
{
    unsigned long long groups = 0;
    spot->forms_[form].requests_++;
    spot->forms_[form].cost_ += cmk_host_count_cost_(spot->kind_, bytes, lanes, &groups);
}

/* A request of the source that a place does not make in a form. */
CMK_HOST_HELPER_ void cmk_host_form_drop_(cmk_host_spot_ *spot, int form, const cmk_host_request_ *request)
{
    spot->forms_[form].requests_--;
    spot->forms_[form].cost_ -= request->cost_;
}

/* ---- Halves */
CMK_HOST_HELPER_ void cmk_host_form_halves_(cmk_host_spot_ *spot, const cmk_host_request_ *request)
{
    cmk_host_count_lanes_ half = request->lanes_;
    cmk_host_form_drop_(spot, cmk_host_as_halves_, request);
    cmk_host_form_add_(spot, cmk_host_as_halves_, 8, &half);
    for (unsigned lane = 0; lane < 32; lane++) half.address_[lane] += 8;
    cmk_host_form_add_(spot, cmk_host_as_halves_, 8, &half);
}

/* ---- Neighbours that are joined */

enum { CMK_HOST_NEAR_ = 64 }; /* requests of a warp between two that are joined */

typedef struct cmk_host_candidate_ {
    cmk_host_spot_ *spot_;
    const cmk_host_request_ *request_;
    uint64_t word_; /* of 16 bytes, in which its first lane accesses */
    int joined_;    /* the form in which it has been joined last; 0: none */
} cmk_host_candidate_;

CMK_HOST_INLINE_ uint64_t cmk_host_first_address_(const cmk_host_request_ *request)
{
    return request->lanes_.address_[__builtin_ctz(request->lanes_.mask_)];
}

CMK_HOST_HELPER_ int cmk_host_candidate_compare_(const void *left, const void *right)
{
    const cmk_host_candidate_ *one = (const cmk_host_candidate_ *)left, *two = (const cmk_host_candidate_ *)right;
    const uint32_t first = one->request_->lanes_.mask_, second = two->request_->lanes_.mask_;
    if (first != second) return first < second ? -1 : 1;
    if (one->word_ != two->word_) return one->word_ < two->word_ ? -1 : 1;
    return one->request_->order_ < two->request_->order_ ? -1 : 1;
}

/* Whether each lane of a request accesses this many bytes behind those of another one. */
CMK_HOST_HELPER_ int cmk_host_request_is_behind_(const cmk_host_request_ *request, const cmk_host_request_ *other,
                                                 uint64_t bytes)
{
    for (unsigned lane = 0; lane < 32; lane++)
        if (request->lanes_.mask_ >> lane & 1 && request->lanes_.address_[lane] != other->lanes_.address_[lane] + bytes)
            return 0;
    return 1;
}

/* Whether all lanes access at multiples of this many bytes. */
CMK_HOST_HELPER_ int cmk_host_request_is_aligned_(const cmk_host_request_ *request, uint64_t bytes)
{
    for (unsigned lane = 0; lane < 32; lane++)
        if (request->lanes_.mask_ >> lane & 1 && request->lanes_.address_[lane] % bytes != 0) return 0;
    return 1;
}

/* Of `count` candidates that are not joined yet, one whose request is `bytes` behind that of the first and near it. */
CMK_HOST_HELPER_ cmk_host_candidate_ *cmk_host_candidate_behind_(cmk_host_candidate_ *first, cmk_host_candidate_ *all,
                                                                 size_t count, int form, uint64_t bytes)
{
    for (size_t k = 0; k < count; k++) {
        const cmk_host_request_ *request = all[k].request_;
        if (all[k].joined_ == form || all[k].spot_->bytes_ != first->spot_->bytes_) continue;
        const uint64_t order = first->request_->order_;
        const uint64_t apart = request->order_ > order ? request->order_ - order : order - request->order_;
        if (apart <= CMK_HOST_NEAR_ && cmk_host_request_is_behind_(request, first->request_, bytes)) return &all[k];
    }
    return NULL;
}

/* Joins the first of candidates in one word of 16 bytes to a word of `bytes`. The join counts at the place of the
 * latest. */
CMK_HOST_HELPER_ void cmk_host_form_join_(cmk_host_candidate_ *first, cmk_host_candidate_ *all, size_t count, int form,
                                          unsigned bytes)
{
    cmk_host_candidate_ *joined[16] = {first};
    const unsigned own = first->spot_->bytes_, parts = bytes / own;
    if (parts < 2 || !cmk_host_request_is_aligned_(first->request_, bytes)) return;
    for (unsigned k = 1; k < parts; k++) {
        joined[k] = cmk_host_candidate_behind_(first, all, count, form, k * own);
        if (!joined[k]) return;
    }
    const cmk_host_count_lanes_ *lanes = &first->request_->lanes_;
    cmk_host_spot_ *last = first->spot_;
    uint64_t order = first->request_->order_;
    for (unsigned k = 0; k < parts; k++) {
        cmk_host_form_drop_(joined[k]->spot_, form, joined[k]->request_);
        if (joined[k]->request_->order_ > order) last = joined[k]->spot_;
        if (joined[k]->request_->order_ > order) order = joined[k]->request_->order_;
    }
    cmk_host_form_add_(last, form, bytes, lanes);
    for (unsigned k = 0; k < parts; k++) joined[k]->joined_ = form;
}

/* Joins what can be joined of sorted candidates, to words of 16 bytes where that is the form, else of 8. */
CMK_HOST_HELPER_ void cmk_host_form_neighbours_(cmk_host_candidate_ *all, size_t count, int form)
{
    size_t end = 0;
    for (size_t first = 0; first < count; first = end) {
        const uint32_t mask = all[first].request_->lanes_.mask_;
        for (end = first + 1; end < count && all[end].word_ == all[first].word_; end++)
            if (all[end].request_->lanes_.mask_ != mask) break;
        if (end - first < 2) continue;
        for (unsigned bytes = form == cmk_host_as_fours_ ? 16 : 8; bytes >= 2; bytes /= 2)
            for (size_t k = first; k < end; k++)
                if (all[k].joined_ != form) cmk_host_form_join_(&all[k], &all[first], end - first, form, bytes);
    }
}

/* The requests of a warp of one kind that could be joined, in order; to be freed. */
CMK_HOST_HELPER_ cmk_host_candidate_ *cmk_host_candidates_(unsigned warp, int kind, size_t *count)
{
    size_t all = 0;
    for (const cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_)
        if (spot->kind_ == kind && spot->bytes_ < 16) all += spot->warps_[warp].count_;
    *count = all;
    if (all < 2) return NULL;
    cmk_host_candidate_ *candidates =
        (cmk_host_candidate_ *)cmk_host_need_(malloc(all * sizeof *candidates), "the counters");
    all = 0;
    for (cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_)
        for (unsigned k = 0; spot->kind_ == kind && spot->bytes_ < 16 && k < spot->warps_[warp].count_; k++) {
            const cmk_host_request_ *request = &spot->warps_[warp].all_[k];
            const cmk_host_candidate_ one = {spot, request, cmk_host_first_address_(request) / 16, 0};
            candidates[all++] = one;
        }
    qsort(candidates, all, sizeof *candidates, cmk_host_candidate_compare_);
    return candidates;
}

CMK_HOST_HELPER_ void cmk_host_form_joins_(unsigned warp, int kind)
{
    size_t count;
    cmk_host_candidate_ *candidates = cmk_host_candidates_(warp, kind, &count);
    for (int form = cmk_host_as_pairs_; candidates && form <= cmk_host_as_fours_; form++)
        cmk_host_form_neighbours_(candidates, count, form);
    free(candidates);
}

/* ---- Accesses that leave their loops
 *
 * A load whose address does not change moves to the front of a loop, and such a store behind it: of the requests of a
 * place those are left that a lane makes for the first time in its block. */
CMK_HOST_HELPER_ void cmk_host_form_once_(cmk_host_spot_ *spot, unsigned warp)
{
    if (spot->number_ != cmk_host_block_number_) memset(spot->been_, 0, sizeof spot->been_);
    spot->number_ = cmk_host_block_number_;
    for (unsigned k = 0; k < spot->warps_[warp].count_; k++) {
        const cmk_host_request_ *request = &spot->warps_[warp].all_[k];
        const uint32_t fresh = request->lanes_.mask_ & ~spot->been_[warp];
        if (request->turn_.head_) spot->loop_ = request->turn_.head_;
        spot->been_[warp] |= fresh;
        if (fresh == request->lanes_.mask_) continue;
        cmk_host_form_drop_(spot, cmk_host_as_once_, request);
        cmk_host_count_lanes_ lanes = request->lanes_;
        lanes.mask_ = fresh;
        if (fresh) cmk_host_form_add_(spot, cmk_host_as_once_, spot->bytes_, &lanes);
    }
}

/* ---- Loops that are unrolled
 *
 * The turns of a loop are shared among copies of 16, 8, 4, 2 and 1 turns, or some of these: the largest is a loop, and
 * each other one that fits is run once. Up to 3 turns that are left over may stand in front, as a loop or one by one.
 * Lanes make a request together in the same copy. The number of instructions of an access tells which way it is. */
typedef struct cmk_host_copies_ {
    unsigned front_, sizes_; /* the most turns in front; the sum of the sizes of the copies */
} cmk_host_copies_;
static const cmk_host_copies_ cmk_host_ways_[CMK_HOST_WAYS_] = {{3, 4}, {0, 4 + 2 + 1}, {3, 16 + 8 + 4}};

/* A loop that lanes of a warp have left. */
typedef struct cmk_host_left_ {
    uint64_t outer_;
    uintptr_t head_, low_, latch_;
    unsigned next_;               /* of the same bucket, counted from 1 */
    uint32_t within_;             /* the lanes that left it elsewhere than in its first block */
    uint64_t backs_[32];          /* by lane: how often it went back; 0 where it is not known to have been there */
    const cmk_host_spot_ *first_; /* a place that has a request before the first step back */
    const cmk_host_spot_ *apart_; /* a place whose lanes made different numbers of turns */
} cmk_host_left_;

/* All that a warp has left since its last barrier. */
typedef struct cmk_host_lefts_ {
    cmk_host_left_ *all_;
    unsigned count_, room_, buckets_[256];
} cmk_host_lefts_;

CMK_HOST_ONE_ cmk_host_lefts_ cmk_host_lefts_now_[CMK_HOST_THREADS_ / 32];

CMK_HOST_HELPER_ cmk_host_left_ *cmk_host_left_find_(cmk_host_lefts_ *lefts, uint64_t outer, uintptr_t head)
{
    unsigned at = lefts->buckets_[outer % 256];
    while (at > 0 && !(lefts->all_[at - 1].outer_ == outer && lefts->all_[at - 1].head_ == head))
        at = lefts->all_[at - 1].next_;
    return at > 0 ? &lefts->all_[at - 1] : NULL;
}

/* A lane leaves a loop. */
CMK_HOST_HELPER_ void cmk_host_left_note_(unsigned rank, const cmk_host_left_ *loop, uint64_t backs, int within)
{
    cmk_host_lefts_ *lefts = &cmk_host_lefts_now_[rank / 32];
    cmk_host_left_ *left = cmk_host_left_find_(lefts, loop->outer_, loop->head_);
    if (!left) {
        if (lefts->count_ == lefts->room_) {
            lefts->room_ = lefts->room_ ? 2 * lefts->room_ : 16;
            lefts->all_ =
                (cmk_host_left_ *)cmk_host_need_(realloc(lefts->all_, lefts->room_ * sizeof *left), "the counters");
        }
        left = &lefts->all_[lefts->count_];
        *left = *loop;
        left->next_ = lefts->buckets_[loop->outer_ % 256];
        lefts->buckets_[loop->outer_ % 256] = ++lefts->count_;
    }
    if (left->low_ > loop->low_) left->low_ = loop->low_;
    if (left->latch_ < loop->latch_) left->latch_ = loop->latch_;
    left->backs_[rank % 32] = backs;
    if (within) left->within_ |= 1u << rank % 32;
}

/* The loop around a request and how often its lanes have gone back there; null where there is none that lanes have
 * left. Before the first step back a loop is not known yet, and the request has the key of what is around it. */
CMK_HOST_HELPER_ cmk_host_left_ *cmk_host_left_of_(cmk_host_lefts_ *lefts, const cmk_host_spot_ *spot,
                                                   const cmk_host_request_ *request, uint64_t *backs)
{
    cmk_host_left_ *found = NULL;
    *backs = 0;
    for (unsigned at = lefts->buckets_[request->turn_.key_ % 256]; at > 0; at = lefts->all_[at - 1].next_) {
        cmk_host_left_ *left = &lefts->all_[at - 1];
        if (left->outer_ == request->turn_.key_ && left->low_ <= spot->block_ && spot->block_ <= left->latch_ &&
            !(found && found->low_ > left->low_))
            found = left;
    }
    if (found || request->turn_.head_ == 0) return found;
    *backs = request->turn_.number_;
    return cmk_host_left_find_(lefts, request->turn_.outer_, request->turn_.head_);
}

/* The turns of a lane at a place in a loop. Where a loop begins with its test, which stands behind the rest, the first
 * turn comes after a step back, and there are as many turns as steps. */
CMK_HOST_HELPER_ uint64_t cmk_host_left_turns_(const cmk_host_left_ *left, const cmk_host_spot_ *spot, unsigned lane)
{
    if (left->backs_[lane] == 0) return 1;
    return left->backs_[lane] + (left->first_ == spot && left->within_ >> lane & 1);
}

/* Marks the loop of a request where its lanes make different numbers of turns. */
CMK_HOST_HELPER_ void cmk_host_left_compare_(cmk_host_left_ *left, const cmk_host_spot_ *spot, uint32_t mask)
{
    const uint64_t turns = cmk_host_left_turns_(left, spot, (unsigned)__builtin_ctz(mask));
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1 && cmk_host_left_turns_(left, spot, lane) != turns) left->apart_ = spot;
}

/* One lane's part of a request in an unrolled loop. */
typedef struct cmk_host_part_ {
    const cmk_host_left_ *left_;
    uint64_t place_; /* the copy, and the turn in it */
    unsigned ordinal_, lane_;
    uint64_t address_;
} cmk_host_part_;

CMK_HOST_HELPER_ int cmk_host_part_compare_(const void *left, const void *right)
{
    const cmk_host_part_ *one = (const cmk_host_part_ *)left, *two = (const cmk_host_part_ *)right;
    if (one->left_ != two->left_) return one->left_ < two->left_ ? -1 : 1;
    if (one->place_ != two->place_) return one->place_ < two->place_ ? -1 : 1;
    return (one->ordinal_ > two->ordinal_) - (one->ordinal_ < two->ordinal_);
}

/* Where a turn of a loop of `turns` stands among its copies. */
CMK_HOST_HELPER_ uint64_t cmk_host_part_place_(const cmk_host_copies_ *copies, uint64_t turns, uint64_t turn)
{
    const uint64_t front = copies->front_ ? turns % (copies->front_ + 1) : 0;
    uint64_t done = front;
    unsigned largest = 16;
    if (turn < front) return turn;
    while (!(copies->sizes_ & largest)) largest /= 2;
    for (unsigned size = largest; size > 0; size /= 2) {
        if (!(copies->sizes_ & size)) continue;
        const uint64_t rest = turns > done ? turns - done : 0;
        const uint64_t own = size == largest ? rest / size * size : rest >= size ? size : 0;
        if (turn < done + own) return (uint64_t)size << 32 | (turn - done);
        done += own;
    }
    return (uint64_t)1 << 40 | turn; /* behind the last turn: the test that ends the loop */
}

/* Counts the parts of uneven loops anew: those in one place of the copies are one request. */
CMK_HOST_HELPER_ void cmk_host_form_parts_(cmk_host_spot_ *spot, int form, cmk_host_part_ *parts, size_t count)
{
    size_t end = 0;
    qsort(parts, count, sizeof *parts, cmk_host_part_compare_);
    for (size_t first = 0; first < count; first = end) {
        cmk_host_count_lanes_ lanes;
        lanes.mask_ = 0;
        for (end = first; end < count && cmk_host_part_compare_(&parts[first], &parts[end]) == 0; end++) {
            lanes.mask_ |= 1u << parts[end].lane_;
            lanes.address_[parts[end].lane_] = parts[end].address_;
        }
        cmk_host_form_add_(spot, form, spot->bytes_, &lanes);
    }
}

CMK_HOST_HELPER_ void cmk_host_form_turns_(cmk_host_spot_ *spot, unsigned warp, int way)
{
    const cmk_host_requests_ *requests = &spot->warps_[warp];
    cmk_host_lefts_ *lefts = &cmk_host_lefts_now_[warp];
    cmk_host_part_ *parts =
        (cmk_host_part_ *)cmk_host_need_(malloc(32 * (size_t)requests->count_ * sizeof *parts), "the counters");
    size_t count = 0;
    for (unsigned k = 0; k < requests->count_; k++) {
        const cmk_host_request_ *request = &requests->all_[k];
        uint64_t backs;
        const cmk_host_left_ *left = cmk_host_left_of_(lefts, spot, request, &backs);
        if (!left || left->apart_ != spot) continue;
        const uint64_t turn = backs - (left->first_ != spot);
        cmk_host_form_drop_(spot, cmk_host_as_turns_ + way, request);
        for (unsigned lane = 0; lane < 32; lane++) {
            if (!(request->lanes_.mask_ >> lane & 1)) continue;
            const uint64_t turns = cmk_host_left_turns_(left, spot, lane);
            const cmk_host_part_ part = {left, cmk_host_part_place_(&cmk_host_ways_[way], turns, turn),
                                         request->ordinal_, lane, request->lanes_.address_[lane]};
            parts[count++] = part;
        }
    }
    cmk_host_form_parts_(spot, cmk_host_as_turns_ + way, parts, count);
    free(parts);
}

/* Whether the lanes of a place made different numbers of turns in a loop around it. */
CMK_HOST_HELPER_ int cmk_host_form_is_uneven_(cmk_host_spot_ *spot, unsigned warp)
{
    const cmk_host_requests_ *requests = &spot->warps_[warp];
    int uneven = 0;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < requests->count_; k++) {
            uint64_t backs;
            cmk_host_left_ *left = cmk_host_left_of_(&cmk_host_lefts_now_[warp], spot, &requests->all_[k], &backs);
            if (left && pass == 0 && backs == 0) left->first_ = spot;
            if (left && pass == 1) cmk_host_left_compare_(left, spot, requests->all_[k].lanes_.mask_);
            uneven |= left && left->apart_ == spot;
        }
    return uneven;
}

/* ---- The requests of a warp are complete, and their costs are known */
CMK_HOST_HELPER_ void cmk_host_forms_warp_(unsigned warp)
{
    for (cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        if (spot->kind_ > cmk_host_global_store_ || spot->warps_[warp].count_ == 0) continue;
        for (unsigned k = 0; spot->bytes_ == 16 && k < spot->warps_[warp].count_; k++)
            cmk_host_form_halves_(spot, &spot->warps_[warp].all_[k]);
        cmk_host_form_once_(spot, warp);
        if (cmk_host_form_is_uneven_(spot, warp))
            for (int way = 0; way < CMK_HOST_WAYS_; way++) cmk_host_form_turns_(spot, warp, way);
    }
    for (int kind = cmk_host_shared_load_; kind <= cmk_host_global_store_; kind++) cmk_host_form_joins_(warp, kind);
    cmk_host_lefts_now_[warp].count_ = 0;
    memset(cmk_host_lefts_now_[warp].buckets_, 0, sizeof cmk_host_lefts_now_[warp].buckets_);
}

#endif

CMK_HOST_C_END_

#endif
