/* host/count/cache.h: what an L1 of each SM and the L2 of the card keep of a kernel's requests, in a report.
 *
 * Where a warp ends or meets a barrier, its requests go to a log in the order in which it made them. The log is played
 * when all SMs are full of blocks: block b is on SM b % 132, an SM holds as many as its threads and shared memory
 * allow, and their warps take turns, a request each. Both caches are empty at the start of a launch. They have lines of
 * 128 bytes with sectors of 32, and a line that comes takes the place of the one of its set that was used longest ago.
 * What is written stays in L2, but at most half of its lines wait for DRAM: the one used longest ago goes first. A
 * sector of which only some words were written is read from DRAM before it goes there, and when a seventh of L2 is such
 * sectors. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_CACHE_H
#define CMK_HOST_COUNT_CACHE_H

/* An SM of sm_90. Beside what a block asks for, 1 KB of shared memory is reserved for it, so that it gets 227 KB at
 * most; it takes whole units of 128 bytes. */
#define CMK_HOST_SM_THREADS_ 2048u
#define CMK_HOST_SM_BLOCKS_ 32u
#define CMK_HOST_SM_SHARED_ (228u << 10)

/* How many blocks an SM holds, and what one of them takes. */
typedef struct cmk_host_resident_ {
    unsigned by_threads_, by_shared_, blocks_;
    unsigned threads_, shared_bytes_;
} cmk_host_resident_;

/* Sectors of a kernel. */
typedef struct cmk_host_traffic_ {
    unsigned long long l1_hits_, l2_read_, l2_written_, l2_atomic_, dram_read_, dram_written_;
} cmk_host_traffic_;

CMK_HOST_C_BEGIN_

CMK_HOST_HELPER_ cmk_host_resident_ cmk_host_resident_of_(uint3 block, size_t shared_bytes)
{
    cmk_host_resident_ one;
    one.threads_ = (block.x * block.y * block.z + 31) / 32 * 32;
    one.shared_bytes_ = ((unsigned)shared_bytes + 127) / 128 * 128 + 1024;
    one.by_threads_ = CMK_HOST_SM_THREADS_ / one.threads_;
    one.by_shared_ = CMK_HOST_SM_SHARED_ / one.shared_bytes_;
    if (one.by_threads_ > CMK_HOST_SM_BLOCKS_) one.by_threads_ = CMK_HOST_SM_BLOCKS_;
    if (one.by_shared_ > CMK_HOST_SM_BLOCKS_) one.by_shared_ = CMK_HOST_SM_BLOCKS_;
    one.blocks_ = one.by_threads_ < one.by_shared_ ? one.by_threads_ : one.by_shared_;
    return one;
}

CMK_HOST_C_END_

#if CMK_HOST_CACHES_

/* An H100 or H200: 132 SMs with 256 KB of L1 and shared memory each, 50 MB of L2. */
#define CMK_HOST_CARD_SMS_ 132u
#define CMK_HOST_L1_LINES_ 2048u
#define CMK_HOST_L1_WAYS_ 16u
#define CMK_HOST_L2_LINES_ (50u << 13)
#define CMK_HOST_L2_WAYS_ 16u
#define CMK_HOST_L2_DIRTY_ (CMK_HOST_L2_WAYS_ / 2)     /* lines of a set that wait for DRAM, at most */
#define CMK_HOST_L2_PARTS_ (CMK_HOST_L2_WAYS_ * 4 / 7) /* and sectors of which words are missing */
#define CMK_HOST_LOG_WORDS_ (16u << 20)                /* with which the log is played before all SMs are full */

typedef struct cmk_host_line_ {
    uint64_t number_;             /* its address by 128 */
    uint64_t used_;               /* when, by the clock; before the launch began: empty */
    unsigned char valid_, dirty_; /* a bit a sector */
    unsigned short written_;      /* words of each sector, four bits a sector, of one that is dirty and not valid */
} cmk_host_line_;

typedef struct cmk_host_cache_ {
    cmk_host_line_ *lines_;
    unsigned sets_, ways_;
} cmk_host_cache_;

/* What a warp has in the log. */
typedef struct cmk_host_feed_ {
    size_t at_, left_; /* the next word, and how many there are in a row */
    size_t next_;      /* the head of the words behind them; 0: there are none */
    size_t last_;      /* the last head */
    unsigned sm_;
} cmk_host_feed_;

/* A word of the log is a line of a request, as cmk_host_cache_word_ has it. A head is in front of the words that a warp
 * adds at a time: where its next head is, and from bit 32 how many words follow. */
typedef struct cmk_host_caches_ {
    cmk_host_cache_ l1_, l2_; /* the L1s of the SMs are parts of one array */
    uint64_t clock_, began_;
    cmk_host_traffic_ traffic_;
    uint64_t *log_;
    size_t used_, room_, head_;
    cmk_host_feed_ *feeds_, **active_;
    size_t feeds_room_, feeds_count_;
    unsigned long long first_; /* the block that has the first feeds */
} cmk_host_caches_;

enum { cmk_host_cache_load_, cmk_host_cache_store_, cmk_host_cache_atomic_ };

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_caches_ cmk_host_caches_now_;

/* ---- Caches */

/* The line of this number, or the one of its set that goes for it. */
CMK_HOST_HELPER_ cmk_host_line_ *cmk_host_cache_find_(const cmk_host_cache_ *cache, size_t part, uint64_t number)
{
    const uint64_t round = number / cache->sets_; /* which begins elsewhere than the one before */
    const size_t set = (size_t)((number + 5 * round) % cache->sets_);
    cmk_host_line_ *lines = cache->lines_ + part + set * cache->ways_, *oldest = lines;
    for (unsigned way = 0; way < cache->ways_; way++) {
        if (lines[way].number_ == number) return &lines[way];
        if (lines[way].used_ < oldest->used_) oldest = &lines[way];
    }
    return oldest;
}

CMK_HOST_INLINE_ int cmk_host_cache_has_(const cmk_host_line_ *line, uint64_t number)
{
    return line->number_ == number && line->used_ >= cmk_host_caches_now_.began_;
}

CMK_HOST_INLINE_ unsigned cmk_host_cache_count_(unsigned sectors)
{
    return (unsigned)__builtin_popcount(sectors);
}

/* A bit for each of four numbers of four bits that is at least so large. */
CMK_HOST_INLINE_ unsigned cmk_host_cache_bits_(unsigned numbers, unsigned least)
{
    unsigned bits = 0;
    for (unsigned sector = 0; sector < 4; sector++) bits |= (unsigned)((numbers >> 4 * sector & 15) >= least) << sector;
    return bits;
}

/* Reads from DRAM the sectors of which only some words were written. */
CMK_HOST_HELPER_ void cmk_host_cache_complete_(cmk_host_line_ *line)
{
    const unsigned parts = line->dirty_ & ~(unsigned)line->valid_;
    cmk_host_caches_now_.traffic_.dram_read_ += cmk_host_cache_count_(parts);
    line->valid_ |= (unsigned char)parts;
}

CMK_HOST_HELPER_ void cmk_host_cache_write_back_(cmk_host_line_ *line)
{
    cmk_host_cache_complete_(line);
    cmk_host_caches_now_.traffic_.dram_written_ += cmk_host_cache_count_(line->dirty_);
    line->dirty_ = 0;
    line->written_ = 0;
}

/* Keeps the bounds of the set of this line, which has just become dirty. */
CMK_HOST_HELPER_ void cmk_host_cache_bound_(const cmk_host_line_ *line)
{
    const cmk_host_caches_ *caches = &cmk_host_caches_now_;
    const size_t at = (size_t)(line - caches->l2_.lines_);
    cmk_host_line_ *lines = caches->l2_.lines_ + at / CMK_HOST_L2_WAYS_ * CMK_HOST_L2_WAYS_;
    cmk_host_line_ *dirty = NULL, *part = NULL; /* those used longest ago */
    unsigned dirty_count = 0, part_count = 0;
    for (unsigned way = 0; way < CMK_HOST_L2_WAYS_; way++) {
        cmk_host_line_ *one = &lines[way];
        const unsigned parts = one->dirty_ & ~(unsigned)one->valid_;
        if (one->used_ < caches->began_ || one->dirty_ == 0) continue;
        dirty_count++;
        part_count += cmk_host_cache_count_(parts);
        if (!dirty || one->used_ < dirty->used_) dirty = one;
        if (parts && (!part || one->used_ < part->used_)) part = one;
    }
    if (part_count > CMK_HOST_L2_PARTS_) cmk_host_cache_complete_(part);
    if (dirty_count > CMK_HOST_L2_DIRTY_) cmk_host_cache_write_back_(dirty);
}

/* The line of L2, which takes the place of another one where it was not there. */
CMK_HOST_HELPER_ cmk_host_line_ *cmk_host_cache_l2_(uint64_t number)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    cmk_host_line_ *line = cmk_host_cache_find_(&caches->l2_, 0, number);
    if (!cmk_host_cache_has_(line, number)) {
        if (line->used_ >= caches->began_) cmk_host_cache_write_back_(line);
        line->number_ = number;
        line->valid_ = line->dirty_ = 0;
        line->written_ = 0;
    }
    line->used_ = ++caches->clock_;
    return line;
}

/* DRAM gives two sectors of 64 aligned bytes at a time. */
CMK_HOST_HELPER_ void cmk_host_cache_fetch_(cmk_host_line_ *line, unsigned sectors)
{
    const unsigned wanted = sectors & ~(unsigned)line->valid_;
    const unsigned pairs = wanted | (wanted & 5) << 1 | (wanted & 10) >> 1;
    const unsigned missing = pairs & ~(unsigned)line->valid_;
    cmk_host_caches_now_.traffic_.dram_read_ += cmk_host_cache_count_(missing);
    line->valid_ |= (unsigned char)missing;
}

CMK_HOST_HELPER_ void cmk_host_cache_write_(uint64_t number, unsigned words)
{
    cmk_host_line_ *line = cmk_host_cache_l2_(number);
    unsigned sum = 0;
    for (unsigned bit = 0; bit < 16; bit += 4) {
        const unsigned both = (words >> bit & 15) + (line->written_ >> bit & 15);
        sum |= (both < 8 ? both : 8) << bit;
    }
    line->written_ = (unsigned short)sum;
    line->valid_ |= (unsigned char)cmk_host_cache_bits_(sum, 8);
    line->dirty_ |= (unsigned char)cmk_host_cache_bits_(words, 1);
    cmk_host_cache_bound_(line);
}

CMK_HOST_HELPER_ void cmk_host_cache_load_from_(size_t part, uint64_t number, unsigned sectors)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    cmk_host_line_ *line = cmk_host_cache_find_(&caches->l1_, part, number);
    if (!cmk_host_cache_has_(line, number)) {
        line->number_ = number;
        line->valid_ = 0;
    }
    line->used_ = ++caches->clock_;
    const unsigned missing = sectors & ~(unsigned)line->valid_;
    caches->traffic_.l1_hits_ += cmk_host_cache_count_(sectors & line->valid_);
    line->valid_ |= (unsigned char)missing;
    if (missing == 0) return;
    caches->traffic_.l2_read_ += cmk_host_cache_count_(missing);
    cmk_host_cache_fetch_(cmk_host_cache_l2_(number), missing);
}

/* ---- The log */

CMK_HOST_INLINE_ uint64_t cmk_host_cache_word_(uint64_t number, unsigned what, int last, unsigned words)
{
    return number << 24 | what << 17 | (unsigned)last << 16 | words;
}

CMK_HOST_HELPER_ void cmk_host_cache_serve_(unsigned sm, uint64_t word)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    const uint64_t number = word >> 24;
    const unsigned what = (unsigned)(word >> 17 & 3), words = (unsigned)(word & 0xffff);
    const unsigned sectors = cmk_host_cache_bits_(words, 1);
    const size_t part = (size_t)sm * CMK_HOST_L1_LINES_;
    if (what == cmk_host_cache_load_) {
        cmk_host_cache_load_from_(part, number, sectors);
    } else if (what == cmk_host_cache_store_) {
        caches->traffic_.l2_written_ += cmk_host_cache_count_(sectors);
        cmk_host_cache_write_(number, words);
    } else {
        cmk_host_line_ *line = cmk_host_cache_l2_(number);
        caches->traffic_.l2_atomic_ += cmk_host_cache_count_(sectors);
        cmk_host_cache_fetch_(line, sectors);
        line->dirty_ |= (unsigned char)sectors;
        cmk_host_cache_bound_(line);
    }
}

/* Serves the next request of a warp. Value: whether it has more. */
CMK_HOST_HELPER_ int cmk_host_cache_step_(cmk_host_feed_ *feed)
{
    const uint64_t *log = cmk_host_caches_now_.log_;
    uint64_t word = 0;
    while (feed->left_ == 0 && feed->next_ != 0) {
        feed->at_ = feed->next_ + 1;
        feed->left_ = (size_t)(log[feed->next_] >> 32);
        feed->next_ = (size_t)(log[feed->next_] & 0xffffffff);
    }
    while (feed->left_ > 0 && !(word >> 16 & 1)) {
        word = log[feed->at_++];
        feed->left_--;
        cmk_host_cache_serve_(feed->sm_, word);
    }
    return feed->left_ > 0 || feed->next_ != 0;
}

/* Shared memory takes one of these parts of an SM's 256 KB, in KB; L1 has the rest. */
CMK_HOST_HELPER_ void cmk_host_cache_size_(cmk_host_resident_ resident)
{
    static const unsigned parts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    unsigned part = 0;
    while (part < 9 && parts[part] << 10 < resident.blocks_ * resident.shared_bytes_) part++;
    caches->l1_.ways_ = CMK_HOST_L1_WAYS_;
    caches->l1_.sets_ = (CMK_HOST_L1_LINES_ - parts[part] * 8) / CMK_HOST_L1_WAYS_;
    caches->l2_.ways_ = CMK_HOST_L2_WAYS_;
    caches->l2_.sets_ = CMK_HOST_L2_LINES_ / CMK_HOST_L2_WAYS_;
    if (caches->l1_.lines_) return;
    caches->l1_.lines_ = (cmk_host_line_ *)cmk_host_need_(
        calloc((size_t)CMK_HOST_CARD_SMS_ * CMK_HOST_L1_LINES_, sizeof(cmk_host_line_)), "the caches");
    caches->l2_.lines_ =
        (cmk_host_line_ *)cmk_host_need_(calloc(CMK_HOST_L2_LINES_, sizeof(cmk_host_line_)), "the caches");
}

CMK_HOST_QUIET_ void cmk_host_cache_play_(cmk_host_resident_ resident)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    size_t count = 0;
    cmk_host_cache_size_(resident);
    for (size_t k = 0; k < caches->feeds_count_; k++)
        if (caches->feeds_[k].last_) caches->active_[count++] = &caches->feeds_[k];
    while (count > 0) {
        size_t kept = 0;
        for (size_t k = 0; k < count; k++)
            if (cmk_host_cache_step_(caches->active_[k])) caches->active_[kept++] = caches->active_[k];
        count = kept;
    }
    if (caches->feeds_count_) memset(caches->feeds_, 0, caches->feeds_count_ * sizeof *caches->feeds_);
    caches->feeds_count_ = 0;
    caches->used_ = 1;
}

CMK_HOST_HELPER_ void cmk_host_cache_room_(size_t words, size_t feeds)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    if (caches->used_ + words > caches->room_) {
        caches->room_ = 2 * (caches->used_ + words);
        caches->log_ =
            (uint64_t *)cmk_host_need_(realloc(caches->log_, caches->room_ * sizeof(uint64_t)), "the caches");
    }
    if (feeds > caches->feeds_room_) {
        const size_t before = caches->feeds_room_, room = 2 * feeds;
        caches->feeds_ =
            (cmk_host_feed_ *)cmk_host_need_(realloc(caches->feeds_, room * sizeof(cmk_host_feed_)), "the caches");
        caches->active_ =
            (cmk_host_feed_ **)cmk_host_need_(realloc(caches->active_, room * sizeof(cmk_host_feed_ *)), "the caches");
        memset(caches->feeds_ + before, 0, (room - before) * sizeof(cmk_host_feed_));
        caches->feeds_room_ = room;
    }
}

/* What follows are requests of this warp of this block. */
CMK_HOST_HELPER_ void cmk_host_cache_open_(cmk_host_resident_ resident, unsigned long long block, unsigned warp)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    const unsigned warps = resident.threads_ / 32;
    if (block < caches->first_ || block - caches->first_ >= CMK_HOST_CARD_SMS_ * resident.blocks_) {
        cmk_host_cache_play_(resident);
        caches->first_ = block;
    }
    if (caches->used_ > CMK_HOST_LOG_WORDS_) cmk_host_cache_play_(resident);
    const size_t at = (size_t)(block - caches->first_) * warps + warp;
    cmk_host_cache_room_(1, at + 1);
    if (at >= caches->feeds_count_) caches->feeds_count_ = at + 1;
    cmk_host_feed_ *feed = &caches->feeds_[at];
    feed->sm_ = (unsigned)(block % CMK_HOST_CARD_SMS_);
    if (feed->last_)
        caches->log_[feed->last_] |= caches->used_;
    else
        feed->next_ = caches->used_;
    feed->last_ = caches->head_ = caches->used_;
    caches->log_[caches->used_++] = 0;
}

CMK_HOST_HELPER_ void cmk_host_cache_close_(void)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    caches->log_[caches->head_] |= (uint64_t)(caches->used_ - caches->head_ - 1) << 32;
}

/* Adds a request: its lines, each with how many words of each sector it touches. */
CMK_HOST_HELPER_ void cmk_host_cache_add_(const cmk_host_count_lanes_ *request, unsigned bytes, unsigned what)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    uint64_t numbers[64];
    uint32_t words[64];
    unsigned count = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint64_t address = request->address_[lane];
        if (!(request->mask_ >> lane & 1)) continue;
        for (uint64_t word = address >> 2; word <= (address + bytes - 1) >> 2; word++) {
            unsigned k = count;
            while (k > 0 && numbers[k - 1] != word >> 5) k--;
            if (k == 0) {
                numbers[count] = word >> 5;
                words[count++] = 0;
                k = count;
            }
            words[k - 1] |= 1u << (word & 31);
        }
    }
    cmk_host_cache_room_(count, 0);
    for (unsigned k = 0; k < count; k++) {
        unsigned sums = 0;
        for (unsigned sector = 0; sector < 4; sector++)
            sums |= (unsigned)__builtin_popcount(words[k] >> 8 * sector & 0xff) << 4 * sector;
        caches->log_[caches->used_++] = cmk_host_cache_word_(numbers[k], what, k + 1 == count, sums);
    }
}

CMK_HOST_HELPER_ void cmk_host_cache_begin_(void)
{
    cmk_host_caches_ *caches = &cmk_host_caches_now_;
    caches->began_ = ++caches->clock_;
    caches->first_ = 0;
    caches->used_ = 1;
    memset(&caches->traffic_, 0, sizeof caches->traffic_);
}

/* The launch has ended: what it has moved is added to a sum. */
CMK_HOST_QUIET_ void cmk_host_cache_end_(cmk_host_traffic_ *sum, cmk_host_resident_ resident)
{
    const cmk_host_traffic_ *traffic = &cmk_host_caches_now_.traffic_;
    cmk_host_cache_play_(resident);
    sum->l1_hits_ += traffic->l1_hits_;
    sum->l2_read_ += traffic->l2_read_;
    sum->l2_written_ += traffic->l2_written_;
    sum->l2_atomic_ += traffic->l2_atomic_;
    sum->dram_read_ += traffic->dram_read_;
    sum->dram_written_ += traffic->dram_written_;
}

CMK_HOST_C_END_

#endif

#endif
