/* fill.h: fills of shared tiles from a matrix or a volume, halo included, several in flight.
 *
 *   cmk_fill_source                             a matrix of rows x columns elements, or planes of them
 *   CMK_FILL_SOURCE(source, data, pitch, rows, columns, ROWS, COLUMNS, GRAIN)
 *   CMK_FILL_SOURCE_3D(source, data, step, pitch, planes, rows, columns, ROWS, COLUMNS, GRAIN)
 *                                               host: describes data in *source, for tiles of ROWS x COLUMNS; pitch
 *                                               (from row to row) and step (from plane to plane) in elements. Value:
 *                                               cudaErrorInvalidValue, and *source as it was, for a null or misaligned
 *                                               data, sizes that are 0 or above 2^31 - 1, a pitch below columns
 *   CMK_FILL_PARAMETER(name)                    in the parameter list of a kernel: takes a cmk_fill_source
 *   CMK_FILL_PIPE_SYNC(HOW, pipe, STAGES, GRAIN);
 *                                               declares pipe, which has up to STAGES fills in flight
 *   CMK_FILL(pipe, number, tile, ROWS, COLUMNS, source, row, column);
 *                                               starts fill number (0, 1, 2, ...): tile[r][c] becomes
 *                                               data[row + r][column + c], and 0 where that is outside of data
 *   CMK_FILL_3D(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column);
 *   CMK_FILL_WAIT_SYNC(pipe, number, later);    until that fill has arrived, where later ones were started after it
 *   CMK_FILL_EDGE_SYNC(pipe, tile, ROWS, COLUMNS, source, row, column, READ);
 *                                               then tile[r][c] = READ(r, c) where that is outside of data, by a
 *                                               macro or function of tile coordinates: an edge that is not 0
 *   CMK_FILL_COPY(HOW, BYTES, to, from, inside);
 *                                               one thread: starts a copy of BYTES (1, 2, 4, 8 or 16) from global
 *                                               to shared memory, or of zeros where inside is false; HOW PLAIN or ASYNC
 *   CMK_FILL_COMMIT(HOW);                       one thread: its copies since the last commit are a group
 *   CMK_FILL_ARRIVED(HOW, later);               one thread: until its groups have arrived but the last later, 0 to
 *                                               4; a barrier then shows them to others
 *
 *   HOW     a fill goes
 *   PLAIN   through registers, at once
 *   ASYNC   by cp.async, from sm_80 on and from words of 4 bytes on; elsewhere as PLAIN
 *   BULK    by the tensor copy of one thread, from sm_90 on, where data, pitch, step and column are multiples of 16
 *           bytes and ROWS and COLUMNS at most 256 (COLUMNS of 16 bytes: 128); elsewhere as ASYNC
 *
 * All threads of the block, of any number and shape, call PIPE, FILL, WAIT and EDGE with the same arguments. PIPE and
 * WAIT end with a block barrier, EDGE too where something is outside. Fill n takes stage n % STAGES of the pipe: fill
 * n + STAGES comes after the wait for n, and a tile is filled again after a wait that all its readers have reached.
 * A fill may lie anywhere, also wholly outside; source is the kernel's parameter itself. T has 1, 2, 4, 8 or 16 bytes.
 * PLAIN and ASYNC move words of up to 16 bytes, as wide as the pitches of tile and data and the address of column
 * allow: a halo rounded up to 16 bytes keeps them wide. ROWS, COLUMNS, STAGES (1 to 8) and GRAIN are integer constants;
 * GRAIN is 0 or that of a swizzled tile. A tile that BULK fills begins at a multiple of 128 bytes, without a pad, with
 * rows of a multiple of 16 bytes; a swizzled one has GRAIN 16, rows of 32, 64 or 128 bytes and begins at a multiple of
 * 1024 bytes.
 *
 *   CMK_TILE_3D(float, ring, 3, 8, 128, 0);
 *   CMK_FILL_PIPE_SYNC(ASYNC, pipe, 3, 0);
 *   for (int n = 0; n < 2 && n < steps; ++n) CMK_FILL(pipe, n, ring[n], 8, 128, in, 8 * n, left);
 *   for (int n = 0; n < steps; ++n) {
 *       CMK_FILL_WAIT_SYNC(pipe, n, n + 1 < steps ? 1 : 0);
 *       if (n + 2 < steps) CMK_FILL(pipe, n + 2, ring[(n + 2) % 3], 8, 128, in, 8 * (n + 2), left);
 *       ...                                     reads ring[n % 3]
 *   } */
#ifndef CMK_FILL_H
#define CMK_FILL_H

#include "base.h"

#define CMK_FILL_PARAMETER(name) const CMK_GRID_CONSTANT_ cmk_fill_source name

#define CMK_FILL_SOURCE(source, data, pitch, rows, columns, ROWS, COLUMNS, GRAIN)                                      \
    CMK_FILL_SOURCE_3D(source, data, 0, pitch, 1, rows, columns, ROWS, COLUMNS, GRAIN)
#define CMK_FILL_SOURCE_3D(source, data, step, pitch, planes, rows, columns, ROWS, COLUMNS, GRAIN)                     \
    cmk_fill_describe_((source), (data), sizeof(*(data)), (size_t)(step), (size_t)(pitch), (size_t)(planes),           \
                       (size_t)(rows), (size_t)(columns), (ROWS), (COLUMNS), (GRAIN))

#define CMK_FILL_PIPE_SYNC(HOW, pipe, STAGES, GRAIN)                                                                   \
    enum { pipe##_bulk_ = cmk_fill_bulk_##HOW##_, pipe##_grain_ = (GRAIN) };                                           \
    CMK_STATIC_ASSERT((STAGES) >= 1 && (STAGES) <= 8, "cmk: CMK_FILL_PIPE_SYNC: STAGES must be from 1 to 8");          \
    CMK_STATIC_ASSERT((GRAIN) == 0 || (GRAIN) == 16 || (((GRAIN) == 4 || (GRAIN) == 8) && !pipe##_bulk_),              \
                      "cmk: CMK_FILL_PIPE_SYNC: GRAIN must be 0, 4, 8 or 16, of BULK 0 or 16");                        \
    CMK_FILL_PIPE_(cmk_fill_by_##HOW##_, pipe, STAGES, GRAIN)
enum { cmk_fill_bulk_PLAIN_ = 0, cmk_fill_bulk_ASYNC_ = 0, cmk_fill_bulk_BULK_ = 1 };

#define CMK_FILL(pipe, number, tile, ROWS, COLUMNS, source, row, column)                                               \
    CMK_FILL_3D(pipe, number, tile, ROWS, COLUMNS, source, 0, row, column)
#define CMK_FILL_3D(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column)                                     \
    do {                                                                                                               \
        CMK_FILL_ASSERT_(ROWS, COLUMNS, sizeof((tile)[0][0]), sizeof((tile)[0]), pipe##_bulk_, pipe##_grain_);         \
        CMK_FILL_START_(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column);                                \
    } while (0)
#define CMK_FILL_ASSERT_(ROWS, COLUMNS, SIZE, PITCH, BULK, GRAIN)                                                      \
    CMK_STATIC_ASSERT(                                                                                                 \
        (ROWS) >= 1 && (COLUMNS) >= 1 && (SIZE) * (COLUMNS) <= (PITCH),                                                \
        "cmk: CMK_FILL: ROWS and COLUMNS must be at least 1, and COLUMNS at most the pitch of the tile");              \
    CMK_STATIC_ASSERT((SIZE) <= 16 && 16 % (SIZE) == 0, "cmk: CMK_FILL: an element must have 1, 2, 4, 8 or 16 bytes"); \
    CMK_STATIC_ASSERT(!(BULK) || ((PITCH) == (SIZE) * (COLUMNS) && (PITCH) % 16 == 0),                                 \
                      "cmk: CMK_FILL: BULK needs a tile without a pad and rows of a multiple of 16 bytes");            \
    CMK_STATIC_ASSERT(!(BULK) || (GRAIN) == 0 || (PITCH) == 32 || (PITCH) == 64 || (PITCH) == 128,                     \
                      "cmk: CMK_FILL: BULK swizzles rows of 32, 64 or 128 bytes")

#define CMK_FILL_EDGE_SYNC(pipe, tile, ROWS, COLUMNS, source, row, column, READ)                                       \
    do {                                                                                                               \
        const cmk_i64 cmk_top_ = (row), cmk_left_ = (column);                                                          \
        if (cmk_fill_within_(cmk_top_, ROWS, (source).rows_, cmk_left_, COLUMNS, (source).columns_)) break;            \
        for (int cmk_k_ = cmk_fill_thread_(); cmk_k_ < (ROWS) * (COLUMNS); cmk_k_ += cmk_fill_threads_()) {            \
            const int cmk_row_ = cmk_k_ / (COLUMNS), cmk_column_ = cmk_k_ % (COLUMNS);                                 \
            if (!cmk_fill_within_(cmk_top_ + cmk_row_, 1, (source).rows_, cmk_left_ + cmk_column_, 1,                  \
                                  (source).columns_))                                                                  \
                CMK_FILL_SET_(tile, cmk_row_, CMK_FILL_PLACE_(tile, pipe##_grain_, cmk_row_, cmk_column_),             \
                              READ(cmk_row_, cmk_column_));                                                            \
        }                                                                                                              \
        CMK_FILL_BARRIER_;                                                                                             \
    } while (0)

#define CMK_FILL_COPY(HOW, BYTES, to, from, inside) CMK_FILL_COPY_(cmk_fill_by_##HOW##_, BYTES, to, from, inside)
#define CMK_FILL_COMMIT(HOW) CMK_FILL_COMMIT_(cmk_fill_by_##HOW##_)
#define CMK_FILL_ARRIVED(HOW, later) CMK_FILL_ARRIVED_(cmk_fill_by_##HOW##_, later)

#define CMK_FILL_PLACE_(tile, GRAIN, row, column)                                                                      \
    ((GRAIN) == 0 ? (column)                                                                                           \
                  : cmk_swizzle_((row), (column), (unsigned)sizeof((tile)[0]), (unsigned)sizeof((tile)[0][0]),         \
                                 (GRAIN) == 0 ? 16 : (GRAIN)))

/* whether first to first + length - 1 are all inside */
CMK_FUNCTION int cmk_fill_inside_(cmk_i64 first_, cmk_i64 length_, cmk_i64 count_)
{
    return first_ >= 0 && first_ <= count_ - length_;
}

CMK_FUNCTION int cmk_fill_within_(cmk_i64 row, cmk_i64 height, cmk_i64 rows, cmk_i64 column, cmk_i64 width,
                                  cmk_i64 columns)
{
    return cmk_fill_inside_(row, height, rows) && cmk_fill_inside_(column, width, columns);
}

#if defined(__CUDACC__)

typedef struct __align__(64)
{
    unsigned long long map_[16]; /* the driver's CUtensorMap, where has_map_ */
    int has_map_;
    const void *data_;
    cmk_i64 step_, pitch_, planes_, rows_, columns_;
}
cmk_fill_source;

static __device__ __forceinline__ int cmk_fill_thread_(void)
{
    return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

static __device__ __forceinline__ int cmk_fill_threads_(void)
{
    return (int)(blockDim.x * blockDim.y * blockDim.z);
}

static __device__ __forceinline__ unsigned cmk_fill_shared_(const void *pointer_)
{
    return (unsigned)__cvta_generic_to_shared(pointer_);
}

/* a word of BYTES */
template <int BYTES_> struct cmk_fill_word_ {
    typedef unsigned char type_;
};
template <> struct cmk_fill_word_<2> {
    typedef unsigned short type_;
};
template <> struct cmk_fill_word_<4> {
    typedef unsigned type_;
};
template <> struct cmk_fill_word_<8> {
    typedef uint2 type_;
};
template <> struct cmk_fill_word_<16> {
    typedef uint4 type_;
};

/* copy_ writes BYTES from global to shared memory, or zeros where it is not inside: from is then not read */
struct cmk_fill_by_PLAIN_ {
    template <int BYTES_> static __device__ __forceinline__ void copy_(void *to_, const void *from_, bool inside_)
    {
        typedef typename cmk_fill_word_<BYTES_>::type_ word_;
        word_ bits_ = word_();
        if (inside_) bits_ = __ldg((const word_ *)from_);
        *(word_ *)to_ = bits_;
    }
    static __device__ __forceinline__ void commit_()
    {
    }
    static __device__ __forceinline__ void wait_(int)
    {
    }
};

struct cmk_fill_by_ASYNC_ {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    template <int BYTES_> static __device__ __forceinline__ void copy_(void *to_, const void *from_, bool inside_)
    {
        if (BYTES_ == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :
                         : "r"(cmk_fill_shared_(to_)), "l"(__cvta_generic_to_global(from_)), "r"(inside_ ? 16 : 0)
                         : "memory");
        else if (BYTES_ >= 4)
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                         :
                         : "r"(cmk_fill_shared_(to_)), "l"(__cvta_generic_to_global(from_)), "n"(BYTES_),
                           "r"(inside_ ? BYTES_ : 0)
                         : "memory");
        else
            cmk_fill_by_PLAIN_::copy_<BYTES_>(to_, from_, inside_);
    }
    static __device__ __forceinline__ void commit_()
    {
        asm volatile("cp.async.commit_group;" : : : "memory");
    }
    /* a group of this thread is done when at most later_ of its groups are not */
    static __device__ __forceinline__ void wait_(int later_)
    {
        if (later_ <= 0)
            asm volatile("cp.async.wait_group 0;" : : : "memory");
        else if (later_ == 1)
            asm volatile("cp.async.wait_group 1;" : : : "memory");
        else if (later_ == 2)
            asm volatile("cp.async.wait_group 2;" : : : "memory");
        else if (later_ == 3)
            asm volatile("cp.async.wait_group 3;" : : : "memory");
        else
            asm volatile("cp.async.wait_group 4;" : : : "memory");
    }
#else
    template <int BYTES_> static __device__ __forceinline__ void copy_(void *to_, const void *from_, bool inside_)
    {
        cmk_fill_by_PLAIN_::copy_<BYTES_>(to_, from_, inside_);
    }
    static __device__ __forceinline__ void commit_()
    {
    }
    static __device__ __forceinline__ void wait_(int)
    {
    }
#endif
};

/* ---- PLAIN and ASYNC: the tile in chunks of WIDE bytes where the addresses allow, else by element */
template <class HOW_, int STAGES_, int GRAIN_> struct cmk_fill_pipe_ {
    unsigned long long *barriers_;
    __device__ __forceinline__ void start_() const
    {
    }

    template <int BYTES_, class T_, int PITCH_>
    static __device__ __forceinline__ void element_(T_ (*tile_)[PITCH_], int r_, int c_, const T_ *from_, bool inside_)
    {
        HOW_::template copy_<BYTES_>(&tile_[r_][CMK_FILL_PLACE_(tile_, GRAIN_, r_, c_)], from_, inside_);
    }

    template <int ROWS_, int COLUMNS_, class T_, int PITCH_>
    __device__ __forceinline__ void fill_(int, T_ (*tile_)[PITCH_], const cmk_fill_source &source_, cmk_i64 plane_,
                                          cmk_i64 row_, cmk_i64 column_) const
    {
        enum {
            size_ = sizeof(T_),
            most_ = (PITCH_ * size_ | 16) & -(PITCH_ * size_ | 16),
            wide_ = GRAIN_ != 0 && GRAIN_ < most_ ? GRAIN_ : (int)most_,
            lanes_ = wide_ / size_,
            whole_chunks_ = COLUMNS_ / lanes_,
            chunks_ = whole_chunks_ > 0 ? whole_chunks_ : 1
        };
        const cmk_i64 rows_ = plane_ >= 0 && plane_ < source_.planes_ ? source_.rows_ : 0, pitch_ = source_.pitch_;
        const T_ *const data_ = (const T_ *)source_.data_;
        const T_ *const from_ = data_ + (plane_ * source_.step_ + row_ * pitch_ + column_);
        const int aligned_ = ((size_t)from_ | (size_t)pitch_ * size_) % wide_ == 0, threads_ = cmk_fill_threads_();
        const int whole_ =
            cmk_fill_inside_(row_, ROWS_, rows_) && cmk_fill_inside_(column_, COLUMNS_, source_.columns_);
        if (aligned_ && whole_) {
            _Pragma("unroll 4") for (int k_ = cmk_fill_thread_(); k_ < ROWS_ * whole_chunks_; k_ += threads_)
            {
                const int r_ = k_ / chunks_, c_ = k_ % chunks_ * lanes_;
                element_<wide_>(tile_, r_, c_, from_ + (r_ * pitch_ + c_), true);
            }
        } else if (aligned_ && lanes_ > 1) {
            for (int k_ = cmk_fill_thread_(); k_ < ROWS_ * whole_chunks_; k_ += threads_) {
                const int r_ = k_ / chunks_, c_ = k_ % chunks_ * lanes_;
                const bool in_rows_ = cmk_fill_inside_(row_ + r_, 1, rows_) != 0;
                const cmk_i64 x_ = column_ + c_;
                const bool in_ = in_rows_ && cmk_fill_inside_(x_, lanes_, source_.columns_);
                if (in_ || !in_rows_ || x_ + lanes_ <= 0 || x_ >= source_.columns_)
                    element_<wide_>(tile_, r_, c_, in_ ? from_ + (r_ * pitch_ + c_) : data_, in_);
                else
                    for (int j_ = c_; j_ < c_ + lanes_; ++j_) one_(tile_, r_, j_, from_, source_, row_, column_, rows_);
            }
        } else {
            columns_<ROWS_, 0, whole_chunks_ * lanes_>(tile_, from_, source_, row_, column_, rows_);
        }
        columns_<ROWS_, whole_chunks_ * lanes_, COLUMNS_>(tile_, from_, source_, row_, column_, rows_);
        HOW_::commit_();
    }

    /* columns FIRST to END - 1 by element */
    template <int ROWS_, int FIRST_, int END_, class T_, int PITCH_>
    static __device__ __forceinline__ void columns_(T_ (*tile_)[PITCH_], const T_ *from_,
                                                    const cmk_fill_source &source_, cmk_i64 row_, cmk_i64 column_,
                                                    cmk_i64 rows_)
    {
        enum { count_ = END_ > FIRST_ ? END_ - FIRST_ : 1 };
        if (END_ > FIRST_)
            for (int k_ = cmk_fill_thread_(); k_ < ROWS_ * count_; k_ += cmk_fill_threads_())
                one_(tile_, k_ / count_, FIRST_ + k_ % count_, from_, source_, row_, column_, rows_);
    }

    template <class T_, int PITCH_>
    static __device__ __forceinline__ void one_(T_ (*tile_)[PITCH_], int r_, int c_, const T_ *from_,
                                                const cmk_fill_source &source_, cmk_i64 row_, cmk_i64 column_,
                                                cmk_i64 rows_)
    {
        const bool in_ = cmk_fill_inside_(row_ + r_, 1, rows_) && cmk_fill_inside_(column_ + c_, 1, source_.columns_);
        element_<(int)sizeof(T_)>(tile_, r_, c_, in_ ? from_ + (r_ * source_.pitch_ + c_) : (const T_ *)source_.data_,
                                  in_);
    }

    __device__ __forceinline__ void wait_(int, int later_) const
    {
        HOW_::wait_(later_);
        __syncthreads();
    }
};

/* ---- BULK: thread 0 starts a tensor copy, which arrives at the barrier of its stage */
#if (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900) && CMK_TOOLKIT_ >= 1200
struct cmk_fill_by_BULK_ {
};

template <int STAGES_, int GRAIN_> struct cmk_fill_pipe_<cmk_fill_by_BULK_, STAGES_, GRAIN_> {
    unsigned long long *barriers_;
    __device__ __forceinline__ void start_() const
    {
        if (cmk_fill_thread_() == 0) {
            CMK_UNROLL
            for (int k_ = 0; k_ < STAGES_; ++k_)
                asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(cmk_fill_shared_(&barriers_[k_])) : "memory");
            asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
        }
        __syncthreads();
    }

    template <int ROWS_, int COLUMNS_, class T_, int PITCH_>
    __device__ __forceinline__ void fill_(int number_, T_ (*tile_)[PITCH_], const cmk_fill_source &source_,
                                          cmk_i64 plane_, cmk_i64 row_, cmk_i64 column_) const
    {
        const unsigned barrier_ = cmk_fill_shared_(&barriers_[number_ % STAGES_]);
        if (!source_.has_map_ || (int)column_ * (int)sizeof(T_) % 16 != 0) {
            const cmk_fill_pipe_<cmk_fill_by_ASYNC_, STAGES_, GRAIN_> pipe_ = {0};
            pipe_.template fill_<ROWS_, COLUMNS_>(number_, tile_, source_, plane_, row_, column_);
            if (cmk_fill_thread_() == 0)
                asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(barrier_) : "memory");
        } else if (cmk_fill_thread_() == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                         :
                         : "r"(barrier_), "n"(ROWS_ * COLUMNS_ * (int)sizeof(T_))
                         : "memory");
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                         "[%1, {%2, %3, %4}], [%5];"
                         :
                         : "r"(cmk_fill_shared_(tile_)), "l"(source_.map_),
                           "r"((int)column_ * (sizeof(T_) == 16 ? 2 : 1)), "r"((int)row_), "r"((int)plane_),
                           "r"(barrier_)
                         : "memory");
        }
    }

    __device__ __forceinline__ void wait_(int number_, int) const
    {
        const unsigned barrier_ = cmk_fill_shared_(&barriers_[number_ % STAGES_]);
        unsigned done_;
        cmk_fill_by_ASYNC_::wait_(0);
        do {
            asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; "
                         "selp.u32 %0, 1, 0, done; }"
                         : "=r"(done_)
                         : "r"(barrier_), "r"((unsigned)(number_ / STAGES_ % 2))
                         : "memory");
        } while (done_ == 0);
        __syncthreads();
    }
};
#else
typedef cmk_fill_by_ASYNC_ cmk_fill_by_BULK_;
#endif

#define CMK_FILL_PIPE_(by, pipe, STAGES, GRAIN)                                                                        \
    __shared__ unsigned long long pipe##_barriers_[STAGES];                                                            \
    const cmk_fill_pipe_<by, (STAGES), (GRAIN)> pipe = {pipe##_barriers_};                                             \
    pipe.start_()
#define CMK_FILL_START_(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column)                                 \
    (pipe).template fill_<(ROWS), (COLUMNS)>((int)(number), (tile), (source), (plane), (row), (column))
#define CMK_FILL_WAIT_SYNC(pipe, number, later) (pipe).wait_((int)(number), (int)(later))
#define CMK_FILL_SET_(tile, row, column, value) ((void)((tile)[row][column] = (value)))
#define CMK_FILL_COPY_(by, BYTES, to, from, inside) by::copy_<(BYTES)>((to), (from), (inside))
#define CMK_FILL_COMMIT_(by) by::commit_()
#define CMK_FILL_ARRIVED_(by, later) by::wait_(later)

/* a tensor copy may fill what was written here: to it these writes need a fence */
#define CMK_FILL_BARRIER_ cmk_fill_barrier_()
static __device__ __forceinline__ void cmk_fill_barrier_(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CMK_TOOLKIT_ >= 1200
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
    __syncthreads();
}

/* CMK_FILL_COPY by ASYNC in the function of an engine, where bytes is a constant once it is inlined */
CMK_DEVICE_ void cmk_fill_async_(int bytes, void *to, const void *from, int inside)
{
    if (bytes == 16)
        cmk_fill_by_ASYNC_::copy_<16>(to, from, inside);
    else if (bytes == 8)
        cmk_fill_by_ASYNC_::copy_<8>(to, from, inside);
    else if (bytes == 4)
        cmk_fill_by_ASYNC_::copy_<4>(to, from, inside);
    else if (bytes == 2)
        cmk_fill_by_ASYNC_::copy_<2>(to, from, inside);
    else
        cmk_fill_by_ASYNC_::copy_<1>(to, from, inside);
}

#else

typedef cmk_host_matrix_ cmk_fill_source;
#define CMK_FILL_PIPE_(by, pipe, STAGES, GRAIN) cmk_host_pipe_ pipe = {by, (STAGES), (GRAIN), 0, {CMK_HOST_NO_FILL_}}
enum {
    cmk_fill_by_PLAIN_ = cmk_host_fill_PLAIN_,
    cmk_fill_by_ASYNC_ = cmk_host_fill_ASYNC_,
    cmk_fill_by_BULK_ = cmk_host_fill_BULK_
};
#define CMK_FILL_START_(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column)                                 \
    CMK_HOST_FILL_(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column)
#define CMK_FILL_WAIT_SYNC(pipe, number, later) CMK_HOST_FILL_WAIT_(pipe, number, later)
#define CMK_FILL_SET_(tile, row, column, value) CMK_HOST_TILE_SET_(tile, row, column, value)
#define CMK_FILL_BARRIER_ __syncthreads()
#define CMK_FILL_COPY_(by, BYTES, to, from, inside)                                                                    \
    ((void)(by), cmk_fill_copy_((to), (from), (BYTES), (inside), __FILE__, CMK_HOST_LINE_))
#define CMK_FILL_COMMIT_(by) ((void)(by))
#define CMK_FILL_ARRIVED_(by, later) ((void)(by), (void)(later))
#define cmk_fill_thread_() ((int)cmk_host_fill_thread_())
#define cmk_fill_threads_() ((int)cmk_host_fill_threads_())

#define cmk_fill_async_(bytes, to, from, inside) CMK_FILL_COPY(ASYNC, (size_t)(bytes), to, from, inside)

CMK_FUNCTION void cmk_fill_copy_(void *to_, const void *from_, size_t bytes_, int inside_, const char *file_, int line_)
{
    void *const at_ = cmk_host_write_(to_, bytes_, bytes_, file_, line_);
    if (inside_)
        memcpy(at_, cmk_host_read_(from_, bytes_, bytes_, file_, line_), bytes_);
    else
        memset(at_, 0, bytes_);
}

#endif

#if CMK_HAS_HOST_

/* The driver's cuTensorMapEncodeTiled (0: success), found through the runtime, so that nothing links the driver. The
 * numbers are those of cuda.h: types UINT8, UINT16, UINT32, UINT64; interleave, swizzle, L2 promotion, fill with 0. */
#if defined(__CUDACC__) && CMK_TOOLKIT_ >= 1200
typedef int (*cmk_fill_encode_)(void *map_, int type_, unsigned rank_, void *data_, const unsigned long long *sizes_,
                                const unsigned long long *strides_, const unsigned *box_, const unsigned *steps_,
                                int interleave_, int swizzle_, int promotion_, int fill_);

static inline cudaError_t cmk_fill_map_(cmk_fill_source *source_, size_t size_, int tile_rows_, int tile_columns_,
                                        int grain_)
{
    const size_t tile_ = (size_t)tile_columns_ * size_, each_ = size_ == 16 ? 2 : 1;
    const size_t step_ = (size_t)(source_->planes_ > 1 ? source_->step_ : source_->pitch_) * size_;
    const unsigned long long sizes_[] = {(unsigned long long)source_->columns_ * each_,
                                         (unsigned long long)source_->rows_, (unsigned long long)source_->planes_};
    const unsigned long long strides_[] = {(unsigned long long)source_->pitch_ * size_, step_};
    const unsigned box_[] = {(unsigned)(tile_columns_ * each_), (unsigned)tile_rows_, 1}, steps_[] = {1, 1, 1};
    const int type_ = size_ == 1 ? 0 : size_ == 2 ? 1 : size_ == 4 ? 2 : 4;
    const int swizzle_ = grain_ == 0 ? 0 : (int)(tile_ / 32 - tile_ / 128);
    const int fits_ = ((size_t)source_->data_ | strides_[0] | step_ | tile_) % 16 == 0 && tile_rows_ <= 256 &&
                      tile_columns_ * each_ <= 256 && (grain_ == 0 || tile_ == 32 || tile_ == 64 || tile_ == 128);
    int device_ = 0, major_ = 0;
    void *encode_ = NULL;
    enum cudaDriverEntryPointQueryResult found_ = cudaDriverEntryPointSymbolNotFound;
    cudaError_t error_ = cudaGetDevice(&device_);
    if (error_ == cudaSuccess) error_ = cudaDeviceGetAttribute(&major_, cudaDevAttrComputeCapabilityMajor, device_);
    if (error_ == cudaSuccess && fits_ && major_ >= 9)
        error_ = CMK_DRIVER_ENTRY_("cuTensorMapEncodeTiled", &encode_, &found_);
    source_->has_map_ = error_ == cudaSuccess && found_ == cudaDriverEntryPointSuccess &&
                        ((cmk_fill_encode_)encode_)(source_->map_, type_, 3, (void *)source_->data_, sizes_, strides_,
                                                    box_, steps_, 0, swizzle_, 2, 0) == 0;
    return error_;
}
#else
#define cmk_fill_map_(source_, size_, tile_rows_, tile_columns_, grain_)                                               \
    ((void)(tile_rows_), (void)(tile_columns_), (void)(grain_), cudaSuccess)
#endif

static inline cudaError_t cmk_fill_describe_(cmk_fill_source *source_, const void *data_, size_t size_, size_t step_,
                                             size_t pitch_, size_t planes_, size_t rows_, size_t columns_,
                                             int tile_rows_, int tile_columns_, int grain_)
{
    const size_t most_ = 0x7fffffff;
    cmk_fill_source made_;
    cudaError_t error_ = cudaErrorInvalidValue;
    if (data_ == NULL || size_ > 16 || 16 % size_ != 0 || (size_t)data_ % size_ != 0 || pitch_ < columns_ ||
        rows_ - 1 >= most_ || columns_ - 1 >= most_ || planes_ - 1 >= most_)
        return error_;
    memset(&made_, 0, sizeof made_);
    made_.data_ = data_;
    made_.step_ = (cmk_i64)step_;
    made_.pitch_ = (cmk_i64)pitch_;
    made_.planes_ = (cmk_i64)planes_;
    made_.rows_ = (cmk_i64)rows_;
    made_.columns_ = (cmk_i64)columns_;
    error_ = cmk_fill_map_(&made_, size_, tile_rows_, tile_columns_, grain_);
    if (error_ == cudaSuccess) *source_ = made_;
    return error_;
}

#endif

#endif
