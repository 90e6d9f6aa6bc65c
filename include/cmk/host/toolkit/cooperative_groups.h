/* host/toolkit/cooperative_groups.h: groups of threads: the block, tiles of a warp, lanes by a mask, the grid of a
 * cooperative launch. C++, as CUDA's.
 *
 * coalesced_threads() is a group of the thread alone, which CUDA allows: threads run one after the other, so nobody
 * knows which others take the same branch. Tiles of more than 32 threads, clusters and groups of several devices are
 * not there. */
#include "cuda_runtime.h"
#ifndef CMK_HOST_TOOLKIT_COOPERATIVE_GROUPS_H
#define CMK_HOST_TOOLKIT_COOPERATIVE_GROUPS_H

#if !defined(__cplusplus)
#error "cmk: cooperative groups are C++"
#endif

namespace cooperative_groups
{

/* ---- What a group is made of */
CMK_HOST_HELPER_ unsigned cmk_rank_in_block_(void)
{
    return cmk_host_worker_now_->running_->rank_;
}

CMK_HOST_HELPER_ unsigned cmk_block_size_(void)
{
    return cmk_host_worker_now_->threads_;
}

/* The lanes of the tile that the thread is in, as far as the block has them. */
CMK_HOST_HELPER_ unsigned cmk_tile_mask_(unsigned size)
{
    const unsigned first = cmk_host_lane_() & ~(size - 1), lanes = size == 32 ? ~0u : (1u << size) - 1;
    return lanes << first & cmk_host_lanes_(cmk_host_worker_now_, cmk_rank_in_block_() / 32);
}

/* A barrier of the block: where it stands is what tells it from others (barrier.h). */
CMK_HOST_HELPER_ void cmk_sync_block_(const char *file, int line)
{
    cmk_host_syncthreads_(0, (const char *)(uintptr_t)line, file, line);
}

/* Some lanes of a warp: what tiles and coalesced groups have. */
class cmk_lanes_
{
  protected:
    unsigned mask_;

  public:
    explicit cmk_lanes_(unsigned mask) : mask_(mask)
    {
    }
    unsigned thread_rank() const
    {
        return (unsigned)__popc(mask_ & ((1u << cmk_host_lane_()) - 1));
    }
    unsigned num_threads() const
    {
        return (unsigned)__popc(mask_);
    }
    void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        cmk_host_syncwarp_(mask_, file, line);
    }
    unsigned lane_of(unsigned rank) const
    {
        unsigned left = mask_;
        for (unsigned i = 0; i < rank && left; i++) left &= left - 1;
        return left ? (unsigned)__builtin_ctz(left) : cmk_host_lane_();
    }
    /* what is at this lane, of any size */
    template <class T> T from(T value, unsigned lane, const char *file, int line) const
    {
        for (size_t at = 0; at < sizeof(T); at += 8)
            cmk_host_shuffle_(mask_, (char *)&value + at, sizeof(T) - at < 8 ? sizeof(T) - at : 8, lane, file, line);
        return value;
    }
    /* bits of lanes as bits of ranks */
    unsigned by_rank(unsigned lanes) const
    {
        unsigned ranks = 0, rank = 0;
        for (unsigned lane = 0; lane < 32; lane++)
            if (mask_ >> lane & 1) ranks |= (lanes >> lane & 1) << rank++;
        return ranks;
    }

    template <class T> T shfl(T value, int rank, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        return from(value, lane_of((unsigned)rank % num_threads()), file, line);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        const unsigned rank = thread_rank();
        return from(value, lane_of(delta > rank ? rank : rank - delta), file, line);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        const unsigned rank = thread_rank();
        return from(value, lane_of(delta >= num_threads() - rank ? rank : rank + delta), file, line);
    }
    template <class T>
    T shfl_xor(T value, unsigned bits, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        const unsigned rank = thread_rank() ^ bits;
        return from(value, lane_of(rank < num_threads() ? rank : thread_rank()), file, line);
    }
    unsigned ballot(int condition, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        return by_rank(cmk_host_ballot_(mask_, condition != 0, file, line));
    }
    int any(int condition, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        return ballot(condition, file, line) != 0;
    }
    int all(int condition, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        return ballot(!condition, file, line) == 0;
    }
    template <class T>
    unsigned match_any(T value, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        return by_rank(cmk_host_match_(mask_, CMK_HOST_BITS_OF_(value), file, line));
    }
    template <class T>
    unsigned match_all(T value, int &all, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        return by_rank(cmk_host_match_all_(mask_, cmk_host_match_(mask_, CMK_HOST_BITS_OF_(value), file, line), &all));
    }
    unsigned mask() const
    {
        return mask_;
    }
};

/* ---- The block */
class thread_block
{
  public:
    static void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE())
    {
        cmk_sync_block_(file, line);
    }
    static unsigned thread_rank()
    {
        return cmk_rank_in_block_();
    }
    static unsigned size()
    {
        return cmk_block_size_();
    }
    static unsigned num_threads()
    {
        return cmk_block_size_();
    }
    static dim3 group_index()
    {
        return dim3(blockIdx);
    }
    static dim3 thread_index()
    {
        return dim3(threadIdx);
    }
    static dim3 group_dim()
    {
        return blockDim;
    }
    static dim3 dim_threads()
    {
        return blockDim;
    }
};

static inline thread_block this_thread_block()
{
    return thread_block();
}

/* ---- Lanes */
class coalesced_group : public cmk_lanes_
{
  public:
    explicit coalesced_group(unsigned mask) : cmk_lanes_(mask)
    {
    }
    unsigned size() const
    {
        return num_threads();
    }
    unsigned meta_group_rank() const
    {
        return 0;
    }
    unsigned meta_group_size() const
    {
        return 1;
    }
};

static inline coalesced_group coalesced_threads()
{
    return coalesced_group(1u << cmk_host_lane_());
}

template <unsigned SIZE, class parent = void> class thread_block_tile : public cmk_lanes_
{
    CMK_STATIC_ASSERT(SIZE > 0 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                      "cmk: a tile has 1, 2, 4, 8, 16 or 32 threads on the CPU backend");
    unsigned tile_, tiles_;

  public:
    thread_block_tile(unsigned tile, unsigned tiles) : cmk_lanes_(cmk_tile_mask_(SIZE)), tile_(tile), tiles_(tiles)
    {
    }
    template <class other>
    thread_block_tile(const thread_block_tile<SIZE, other> &same)
        : cmk_lanes_(same.mask()), tile_(same.meta_group_rank()), tiles_(same.meta_group_size())
    {
    }
    static constexpr unsigned size()
    {
        return SIZE;
    }
    static constexpr unsigned num_threads()
    {
        return SIZE;
    }
    unsigned meta_group_rank() const
    {
        return tile_;
    }
    unsigned meta_group_size() const
    {
        return tiles_;
    }
};

/* ---- A group of which only the program knows what it is */
class thread_group
{
    unsigned mask_; /* 0: the block */
    unsigned size_;

  public:
    thread_group(const thread_block &) : mask_(0), size_(cmk_block_size_())
    {
    }
    thread_group(const cmk_lanes_ &lanes) : mask_(lanes.mask()), size_(lanes.num_threads())
    {
    }
    unsigned size() const
    {
        return size_;
    }
    unsigned num_threads() const
    {
        return size_;
    }
    unsigned thread_rank() const
    {
        return mask_ ? cmk_lanes_(mask_).thread_rank() : cmk_rank_in_block_();
    }
    void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        if (mask_)
            cmk_host_syncwarp_(mask_, file, line);
        else
            cmk_sync_block_(file, line);
    }
};

/* ---- The grid of a cooperative launch */
class grid_group
{
  public:
    bool is_valid() const
    {
        return cmk_host_worker_now_->launch_->cooperative_ != 0;
    }
    void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        cmk_host_grid_sync_(file, line);
    }
    unsigned long long block_rank() const
    {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    unsigned long long num_blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    unsigned long long thread_rank() const
    {
        return block_rank() * cmk_block_size_() + cmk_rank_in_block_();
    }
    unsigned long long size() const
    {
        return num_blocks() * cmk_block_size_();
    }
    unsigned long long num_threads() const
    {
        return size();
    }
    dim3 group_dim() const
    {
        return gridDim;
    }
    dim3 dim_blocks() const
    {
        return gridDim;
    }
    dim3 block_index() const
    {
        return dim3(blockIdx);
    }
};

static inline grid_group this_grid()
{
    return grid_group();
}

/* ---- Parts of a group */
template <unsigned SIZE> thread_block_tile<SIZE, thread_block> tiled_partition(const thread_block &)
{
    return thread_block_tile<SIZE, thread_block>(cmk_rank_in_block_() / SIZE, (cmk_block_size_() + SIZE - 1) / SIZE);
}

template <unsigned SIZE, unsigned ALL, class parent>
thread_block_tile<SIZE, thread_block_tile<ALL, parent>> tiled_partition(const thread_block_tile<ALL, parent> &all)
{
    CMK_STATIC_ASSERT(SIZE <= ALL, "cmk: the part of a tile is no larger than the tile");
    return thread_block_tile<SIZE, thread_block_tile<ALL, parent>>(all.thread_rank() / SIZE, ALL / SIZE);
}

/* A size that is known when the kernel runs: a power of two up to 32. */
static inline thread_group tiled_partition(const thread_group &, unsigned size)
{
    return thread_group(cmk_lanes_(cmk_tile_mask_(size)));
}

template <class group>
coalesced_group labeled_partition(const group &all, int label, const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE())
{
    return coalesced_group(cmk_host_match_(all.mask(), (uint64_t)(unsigned)label, file, line));
}

template <class group>
coalesced_group binary_partition(const group &all, bool which, const char *file = __builtin_FILE(),
                                 int line = __builtin_LINE())
{
    return labeled_partition(all, which, file, line);
}

/* ---- The same as functions */
template <class group> void sync(const group &which, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    which.sync(file, line);
}

template <class group> unsigned thread_rank(const group &which)
{
    return which.thread_rank();
}

template <class group> unsigned group_size(const group &which)
{
    return which.size();
}

/* ---- Copies by a group, which are done when the group waits for them */
template <class group, class T> void memcpy_async(const group &which, T *to, const T *from, size_t bytes)
{
    for (size_t at = which.thread_rank(); at < bytes; at += which.size()) ((char *)to)[at] = ((const char *)from)[at];
}

template <class group> void wait(const group &which, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    which.sync(file, line);
}

/* ---- Sums of a group, for all of it */
template <class T> struct plus {
    T operator()(T one, T two) const
    {
        return one + two;
    }
};
template <class T> struct less {
    T operator()(T one, T two) const
    {
        return two < one ? two : one;
    }
};
template <class T> struct greater {
    T operator()(T one, T two) const
    {
        return one < two ? two : one;
    }
};
template <class T> struct bit_and {
    T operator()(T one, T two) const
    {
        return one & two;
    }
};
template <class T> struct bit_or {
    T operator()(T one, T two) const
    {
        return one | two;
    }
};
template <class T> struct bit_xor {
    T operator()(T one, T two) const
    {
        return one ^ two;
    }
};

/* by halves, as a GPU does it, so that sums of floats are the same */
template <class group, class T, class operation>
T reduce(const group &which, T value, operation operate, const char *file = __builtin_FILE(),
         int line = __builtin_LINE())
{
    const unsigned count = (unsigned)__popc(which.mask()), rank = which.thread_rank();
    unsigned half = 1;
    while (half < count) half *= 2;
    for (half /= 2; half > 0; half /= 2) {
        const T other = which.shfl_down(value, half, file, line);
        if (rank + half < count) value = operate(value, other);
    }
    return which.shfl(value, 0, file, line);
}

template <class group, class T, class operation>
T inclusive_scan(const group &which, T value, operation operate, const char *file = __builtin_FILE(),
                 int line = __builtin_LINE())
{
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const T other = which.shfl_up(value, delta, file, line);
        if (which.thread_rank() >= delta) value = operate(other, value);
    }
    return value;
}

template <class group, class T>
T inclusive_scan(const group &which, T value, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return inclusive_scan(which, value, plus<T>(), file, line);
}

template <class group, class T, class operation>
T exclusive_scan(const group &which, T value, operation operate, const char *file = __builtin_FILE(),
                 int line = __builtin_LINE())
{
    const T before = which.shfl_up(inclusive_scan(which, value, operate, file, line), 1, file, line);
    return which.thread_rank() > 0 ? before : T();
}

template <class group, class T>
T exclusive_scan(const group &which, T value, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return exclusive_scan(which, value, plus<T>(), file, line);
}

} /* namespace cooperative_groups */

#endif
