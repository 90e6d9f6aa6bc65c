/* fill.h: fills tiles in shared memory from a matrix or a volume, halo included. Several fills may be in flight.
 *
 *   cmk_fill_source                             a matrix of rows x columns elements, or planes of them
 *   CMK_FILL_SOURCE(source, data, pitch, rows, columns, ROWS, COLUMNS, GRAIN)
 *   CMK_FILL_SOURCE_3D(source, data, step, pitch, planes, rows, columns, ROWS, COLUMNS, GRAIN)
 *                                               host: describes data in *source, for tiles of ROWS x COLUMNS. pitch
 *                                               (from row to row) and step (from plane to plane) are in elements.
 *                                               Value: cudaErrorInvalidValue, and *source as it was, for a null or
 *                                               misaligned data, sizes that are 0 or above 2^31 - 1, or a pitch below
 *                                               columns
 *   CMK_FILL_PARAMETER(name)                    in the parameter list of a kernel: takes a cmk_fill_source
 *   CMK_FILL_PIPE_SYNC(HOW, pipe, STAGES, GRAIN);
 *                                               declares pipe, which has up to STAGES fills in flight
 *   CMK_FILL(pipe, number, tile, ROWS, COLUMNS, source, row, column);
 *                                               starts fill number (0, 1, 2, ...): tile[r][c] becomes data[row +
 *                                               r][column + c], or 0 where that is outside of data
 *   CMK_FILL_3D(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column);
 *   CMK_FILL_WAIT_SYNC(pipe, number, later);    waits for fill number, behind which `later` were started
 *   CMK_FILL_EDGE_SYNC(pipe, tile, ROWS, COLUMNS, source, row, column, READ);
 *                                               call it behind the wait for an edge that is not 0. It sets tile[r][c] =
 *                                               READ(r, c) where that is outside of data; READ is a macro or function
 *                                               of tile coordinates
 *   CMK_FILL_COPY(HOW, BYTES, to, from, inside);
 *                                               one thread: starts a copy of BYTES (1, 2, 4, 8 or 16) from global to
 *                                               shared memory, or of zeros where inside is false. HOW is PLAIN or ASYNC
 *   CMK_FILL_COMMIT(HOW);                       one thread: its copies since the last commit become a group
 *   CMK_FILL_ARRIVED(HOW, later);               one thread: waits until all of its groups but the last `later`, 0 to
 *                                               4, have arrived. A barrier then shows them to other threads
 *
 *   HOW     how a fill goes
 *   PLAIN   through registers, at once
 *   ASYNC   by cp.async, from sm_80 on and from words of 4 bytes on; elsewhere as PLAIN
 *   BULK    by the tensor copy of one thread, from sm_90 on, where data, pitch, step and column are multiples of 16
 *           bytes and ROWS and COLUMNS at most 256 (COLUMNS of 16 bytes: 128); elsewhere as ASYNC
 *
 * All threads of the block, of any number and shape, call PIPE, FILL, WAIT and EDGE with the same arguments. PIPE and
 * WAIT end with a block barrier, and so does EDGE where something is outside. Fill n takes stage n % STAGES of the
 * pipe. So fill n + STAGES may only start after the wait for fill n. A tile may be filled again after a wait that all
 * its readers have reached. A fill may lie anywhere, also wholly outside. source is the parameter of the kernel itself.
 * T has 1, 2, 4, 8 or 16 bytes.
 * PLAIN and ASYNC move words of up to 16 bytes, as wide as the pitches of tile and data and the address of column
 * allow. A halo that is rounded up to 16 bytes keeps them wide. ROWS, COLUMNS, STAGES (1 to 8) and GRAIN are integer
 * constants. GRAIN is 0, or the GRAIN of a swizzled tile. A tile that BULK fills begins at a multiple of 128 bytes, has
 * no pad, and has rows of a multiple of 16 bytes. If it is swizzled, it begins at a multiple of 1024 bytes, with GRAIN
 * 16 and rows of 32, 64 or 128 bytes.
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
    cmk_fill_describe_(                                                                                                \
        cmk_fill_sizes_of_((size_t)(step), (size_t)(pitch), (size_t)(planes), (size_t)(rows), (size_t)(columns)),      \
        (source), (data), sizeof(*(data)), (ROWS), (COLUMNS), (GRAIN))

#define CMK_FILL_PIPE_SYNC(HOW, pipe, STAGES, GRAIN)                                                                   \
    enum { pipe##_bulk_ = cmk_fill_bulk_##HOW##_, pipe##_grain_ = (GRAIN) };                                           \
    CMK_NEEDS_("CMK_FILL_PIPE_SYNC", (STAGES) >= 1 && (STAGES) <= 8, "STAGES must be from 1 to 8");                    \
    CMK_NEEDS_("CMK_FILL_PIPE_SYNC", CMK_FILL_GRAIN_VALID_(GRAIN, pipe##_bulk_),                                       \
               "GRAIN must be 0, 4, 8 or 16, of BULK 0 or 16");                                                        \
    CMK_FILL_PIPE_(cmk_fill_by_##HOW##_, pipe, STAGES, GRAIN)
#define CMK_FILL_GRAIN_VALID_(GRAIN, BULK)                                                                             \
    ((GRAIN) == 0 || (GRAIN) == 16 || (!(BULK) && ((GRAIN) == 4 || (GRAIN) == 8)))
enum { cmk_fill_bulk_PLAIN_ = 0, cmk_fill_bulk_ASYNC_ = 0, cmk_fill_bulk_BULK_ = 1 };

#define CMK_FILL(pipe, number, tile, ROWS, COLUMNS, source, row, column)                                               \
    CMK_FILL_3D(pipe, number, tile, ROWS, COLUMNS, source, 0, row, column)
#define CMK_FILL_3D(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column)                                     \
    CMK_ASSERT_THEN_(                                                                                                  \
        CMK_FILL_BYTES_(tile) == sizeof(void *) || (ROWS) * sizeof((tile)[0]) <= CMK_FILL_BYTES_(tile),                \
        "cmk: CMK_FILL: ROWS must be at most the rows of the tile",                                                    \
        CMK_FILL_ASSERT_(ROWS, COLUMNS, sizeof((tile)[0][0]), sizeof((tile)[0]), pipe##_bulk_, pipe##_grain_);         \
        CMK_FILL_START_(pipe, number, tile, ROWS, COLUMNS, source, plane, row, column))
#define CMK_FILL_ASSERT_(ROWS, COLUMNS, SIZE, PITCH, BULK, GRAIN)                                                      \
    CMK_NEEDS_("CMK_FILL", (SIZE) <= 16 && 16 % (SIZE) == 0, "an element must have 1, 2, 4, 8 or 16 bytes");           \
    CMK_NEEDS_("CMK_FILL", !(BULK) || ((PITCH) == (SIZE) * (COLUMNS) && (PITCH) % 16 == 0),                            \
               "BULK needs a tile without a pad and rows of a multiple of 16 bytes");                                  \
    CMK_NEEDS_("CMK_FILL", !(BULK) || (GRAIN) == 0 || (PITCH) == 32 || (PITCH) == 64 || (PITCH) == 128,                \
               "BULK swizzles rows of 32, 64 or 128 bytes");                                                           \
    CMK_NEEDS_("CMK_FILL", (ROWS) >= 1 && (COLUMNS) >= 1 && (SIZE) * (COLUMNS) <= (PITCH),                             \
               "ROWS and COLUMNS must be at least 1, and COLUMNS at most the pitch of the tile")

#define CMK_FILL_EDGE_SYNC(pipe, tile, ROWS, COLUMNS, source, row, column, READ)                                       \
    do {                                                                                                               \
        const cmk_i64 cmk_top_ = (row), cmk_left_ = (column);                                                          \
        if (CMK_FILL_WITHIN_(source, cmk_top_, ROWS, cmk_left_, COLUMNS)) break;                                       \
        for (int cmk_k_ = cmk_fill_thread_(); cmk_k_ < (ROWS) * (COLUMNS); cmk_k_ += cmk_fill_threads_()) {            \
            const int cmk_row_ = cmk_k_ / (COLUMNS), cmk_column_ = cmk_k_ % (COLUMNS);                                 \
            if (!CMK_FILL_WITHIN_(source, cmk_top_ + cmk_row_, 1, cmk_left_ + cmk_column_, 1))                         \
                CMK_FILL_SET_(tile, cmk_row_, CMK_FILL_PLACE_(tile, pipe##_grain_, cmk_row_, cmk_column_),             \
                              READ(cmk_row_, cmk_column_));                                                            \
        }                                                                                                              \
        CMK_FILL_BARRIER_;                                                                                             \
    } while (0)

/* whether the rectangle of height x width at row, column lies wholly inside */
#define CMK_FILL_WITHIN_(source, row, height, column, width)                                                           \
    (cmk_fill_inside_(row, height, (source).rows_) && cmk_fill_inside_(column, width, (source).columns_))

#define CMK_FILL_COPY(HOW, BYTES, to, from, inside) CMK_FILL_COPY_(cmk_fill_by_##HOW##_, BYTES, to, from, inside)
#define CMK_FILL_COMMIT(HOW) CMK_FILL_COMMIT_(cmk_fill_by_##HOW##_)
#define CMK_FILL_ARRIVED(HOW, later) CMK_FILL_ARRIVED_(cmk_fill_by_##HOW##_, later)

#define CMK_FILL_PLACE_(tile, GRAIN, row, column)                                                                      \
    ((GRAIN) == 0 ? (column) : cmk_swizzle_((row), (column), sizeof((tile)[0]), sizeof((tile)[0][0]), (GRAIN)))

/* whether the indices first to first + length - 1 are all inside */
CMK_FUNCTION int cmk_fill_inside_(cmk_i64 first, cmk_i64 length, cmk_i64 count)
{
    return first >= 0 && first <= count - length;
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

static __device__ __forceinline__ unsigned cmk_fill_shared_(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

/* the type of a word of BYTES_ bytes */
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

/* copy_ writes BYTES_ bytes from global to shared memory. Where inside is false it writes zeros, and does not read
 * from. */
struct cmk_fill_by_PLAIN_ {
    template <int BYTES_> static __device__ __forceinline__ void copy_(void *to, const void *from, bool inside)
    {
        typedef typename cmk_fill_word_<BYTES_>::type_ word_;
        word_ bits = word_();
        if (inside) bits = __ldg((const word_ *)from);
        *(word_ *)to = bits;
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
    template <int BYTES_> static __device__ __forceinline__ void copy_(void *to, const void *from, bool inside)
    {
        if (BYTES_ == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :
                         : "r"(cmk_fill_shared_(to)), "l"(__cvta_generic_to_global(from)), "r"(inside ? 16 : 0)
                         : "memory");
        else if (BYTES_ >= 4)
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                         :
                         : "r"(cmk_fill_shared_(to)), "l"(__cvta_generic_to_global(from)), "n"(BYTES_),
                           "r"(inside ? BYTES_ : 0)
                         : "memory");
        else
            cmk_fill_by_PLAIN_::copy_<BYTES_>(to, from, inside);
    }
    static __device__ __forceinline__ void commit_()
    {
        asm volatile("cp.async.commit_group;" : : : "memory");
    }
    /* waits until at most `later` groups of this thread, the newest ones, are still under way */
    static __device__ __forceinline__ void wait_(int later)
    {
        if (later <= 0)
            asm volatile("cp.async.wait_group 0;" : : : "memory");
        else if (later == 1)
            asm volatile("cp.async.wait_group 1;" : : : "memory");
        else if (later == 2)
            asm volatile("cp.async.wait_group 2;" : : : "memory");
        else if (later == 3)
            asm volatile("cp.async.wait_group 3;" : : : "memory");
        else
            asm volatile("cp.async.wait_group 4;" : : : "memory");
    }
#else
    template <int BYTES_> static __device__ __forceinline__ void copy_(void *to, const void *from, bool inside)
    {
        cmk_fill_by_PLAIN_::copy_<BYTES_>(to, from, inside);
    }
    static __device__ __forceinline__ void commit_()
    {
    }
    static __device__ __forceinline__ void wait_(int)
    {
    }
#endif
};

/* ---- PLAIN and ASYNC: the tile goes in chunks of `wide` bytes where the addresses allow, else element by element */
template <class HOW_, int STAGES_, int GRAIN_> struct cmk_fill_pipe_ {
    unsigned long long *barriers_;
    __device__ __forceinline__ void start_() const
    {
    }

    template <int BYTES_, class T_, int PITCH_>
    static __device__ __forceinline__ void element_(T_ (*tile)[PITCH_], int r, int c, const T_ *from, bool inside)
    {
        HOW_::template copy_<BYTES_>(&tile[r][CMK_FILL_PLACE_(tile, GRAIN_, r, c)], from, inside);
    }

    template <int ROWS_, int COLUMNS_, class T_, int PITCH_>
    __device__ __forceinline__ void fill_(int, T_ (*tile)[PITCH_], const cmk_fill_source &source, cmk_i64 plane,
                                          cmk_i64 row, cmk_i64 column) const
    {
        enum {
            size = sizeof(T_),
            most = (PITCH_ * size | 16) & -(PITCH_ * size | 16),
            wide = GRAIN_ != 0 && GRAIN_ < most ? GRAIN_ : (int)most,
            lanes = wide / size,
            whole_chunks = COLUMNS_ / lanes,
            chunks = whole_chunks > 0 ? whole_chunks : 1
        };
        const cmk_i64 rows = plane >= 0 && plane < source.planes_ ? source.rows_ : 0, pitch = source.pitch_;
        const T_ *const data = (const T_ *)source.data_;
        const T_ *const from = data + (plane * source.step_ + row * pitch + column);
        const int aligned = ((size_t)from | (size_t)pitch * size) % wide == 0, threads = cmk_fill_threads_();
        const int whole = cmk_fill_inside_(row, ROWS_, rows) && cmk_fill_inside_(column, COLUMNS_, source.columns_);
        if (aligned && whole) {
            _Pragma("unroll 4") for (int k = cmk_fill_thread_(); k < ROWS_ * whole_chunks; k += threads)
            {
                const int r = k / chunks, c = k % chunks * lanes;
                element_<wide>(tile, r, c, from + (r * pitch + c), true);
            }
        } else if (aligned && lanes > 1) {
            for (int k = cmk_fill_thread_(); k < ROWS_ * whole_chunks; k += threads) {
                const int r = k / chunks, c = k % chunks * lanes;
                const bool in_rows = cmk_fill_inside_(row + r, 1, rows) != 0;
                const cmk_i64 x = column + c;
                const bool in = in_rows && cmk_fill_inside_(x, lanes, source.columns_);
                if (in || !in_rows || x + lanes <= 0 || x >= source.columns_)
                    element_<wide>(tile, r, c, in ? from + (r * pitch + c) : data, in);
                else
                    for (int j = c; j < c + lanes; ++j) one_(tile, r, j, from, source, row, column, rows);
            }
        } else {
            columns_<ROWS_, 0, whole_chunks * lanes>(tile, from, source, row, column, rows);
        }
        columns_<ROWS_, whole_chunks * lanes, COLUMNS_>(tile, from, source, row, column, rows);
        HOW_::commit_();
    }

    /* columns FIRST_ to END_ - 1, element by element */
    template <int ROWS_, int FIRST_, int END_, class T_, int PITCH_>
    static __device__ __forceinline__ void columns_(T_ (*tile)[PITCH_], const T_ *from, const cmk_fill_source &source,
                                                    cmk_i64 row, cmk_i64 column, cmk_i64 rows)
    {
        enum { count = END_ > FIRST_ ? END_ - FIRST_ : 1 };
        if (END_ > FIRST_)
            for (int k = cmk_fill_thread_(); k < ROWS_ * count; k += cmk_fill_threads_())
                one_(tile, k / count, FIRST_ + k % count, from, source, row, column, rows);
    }

    template <class T_, int PITCH_>
    static __device__ __forceinline__ void one_(T_ (*tile)[PITCH_], int r, int c, const T_ *from,
                                                const cmk_fill_source &source, cmk_i64 row, cmk_i64 column,
                                                cmk_i64 rows)
    {
        const bool in = cmk_fill_inside_(row + r, 1, rows) && cmk_fill_inside_(column + c, 1, source.columns_);
        element_<(int)sizeof(T_)>(tile, r, c, in ? from + (r * source.pitch_ + c) : (const T_ *)source.data_, in);
    }

    __device__ __forceinline__ void wait_(int, int later) const
    {
        HOW_::wait_(later);
        __syncthreads();
    }
};

/* ---- BULK: thread 0 starts a tensor copy, whose arrival the barrier of its stage counts */
#if (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900) && CMK_TOOLKIT_ >= 1200
struct cmk_fill_by_BULK_ {
};

template <int STAGES_, int GRAIN_> struct cmk_fill_pipe_<cmk_fill_by_BULK_, STAGES_, GRAIN_> {
    unsigned long long *barriers_;
    __device__ __forceinline__ void start_() const
    {
        if (cmk_fill_thread_() == 0) {
            CMK_UNROLL
            for (int k = 0; k < STAGES_; ++k)
                asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(cmk_fill_shared_(&barriers_[k])) : "memory");
            asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
        }
        __syncthreads();
    }

    template <int ROWS_, int COLUMNS_, class T_, int PITCH_>
    __device__ __forceinline__ void fill_(int number, T_ (*tile)[PITCH_], const cmk_fill_source &source, cmk_i64 plane,
                                          cmk_i64 row, cmk_i64 column) const
    {
        const unsigned barrier = cmk_fill_shared_(&barriers_[number % STAGES_]);
        if (!source.has_map_ || (int)column * (int)sizeof(T_) % 16 != 0) {
            const cmk_fill_pipe_<cmk_fill_by_ASYNC_, STAGES_, GRAIN_> pipe = {0};
            pipe.template fill_<ROWS_, COLUMNS_>(number, tile, source, plane, row, column);
            if (cmk_fill_thread_() == 0)
                asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(barrier) : "memory");
        } else if (cmk_fill_thread_() == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                         :
                         : "r"(barrier), "n"(ROWS_ * COLUMNS_ * (int)sizeof(T_))
                         : "memory");
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                         "[%1, {%2, %3, %4}], [%5];"
                         :
                         : "r"(cmk_fill_shared_(tile)), "l"(source.map_), "r"((int)column * (sizeof(T_) == 16 ? 2 : 1)),
                           "r"((int)row), "r"((int)plane), "r"(barrier)
                         : "memory");
        }
    }

    __device__ __forceinline__ void wait_(int number, int) const
    {
        const unsigned barrier = cmk_fill_shared_(&barriers_[number % STAGES_]);
        unsigned done;
        cmk_fill_by_ASYNC_::wait_(0);
        do {
            asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; "
                         "selp.u32 %0, 1, 0, done; }"
                         : "=r"(done)
                         : "r"(barrier), "r"((unsigned)(number / STAGES_ % 2))
                         : "memory");
        } while (done == 0);
        __syncthreads();
    }
};
#else
typedef cmk_fill_by_ASYNC_ cmk_fill_by_BULK_;
#endif

/* bytes of the whole tile; where tile is a pointer to its rows, those of the pointer */
#define CMK_FILL_BYTES_(tile) sizeof(tile)
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

/* A tensor copy may fill next what threads have written here. A fence makes these writes visible to it. */
#define CMK_FILL_BARRIER_ cmk_fill_barrier_()
static __device__ __forceinline__ void cmk_fill_barrier_(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CMK_TOOLKIT_ >= 1200
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
    __syncthreads();
}

/* CMK_FILL_COPY by ASYNC, for the function of an engine: bytes is a constant once the function is inlined */
CMK_INLINED_ void cmk_fill_async_(int bytes, void *to, const void *from, int inside)
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

/* The same. Where `same` is 1 others may write what is not used of it, and the CPU backend looks for no race. */
#define cmk_fill_of_(same, bytes, to, from, inside) cmk_fill_async_(bytes, to, from, inside)

/* The same for 16 bytes that are inside, through L1: for sectors that other warps of the block read too. For sm_80 and
 * later. */
CMK_INLINED_ void cmk_fill_async_shared_(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
                 :
                 : "r"(cmk_fill_shared_(to)), "l"(__cvta_generic_to_global(from))
                 : "memory");
}

#else

typedef cmk_host_matrix_ cmk_fill_source;
#define CMK_FILL_PIPE_(by, pipe, STAGES, GRAIN) cmk_host_pipe_ pipe = {by, (STAGES), (GRAIN), 0, {CMK_HOST_NO_FILL_}}
enum {
    cmk_fill_by_PLAIN_ = cmk_host_fill_PLAIN_,
    cmk_fill_by_ASYNC_ = cmk_host_fill_ASYNC_,
    cmk_fill_by_BULK_ = cmk_host_fill_BULK_
};
#define CMK_FILL_BYTES_(tile) sizeof(__typeof__(tile))
#define CMK_FILL_START_ CMK_HOST_FILL_
#define CMK_FILL_WAIT_SYNC(pipe, number, later) CMK_HOST_FILL_WAIT_(pipe, number, later)
#define CMK_FILL_SET_(tile, row, column, value) CMK_HOST_TILE_SET_(tile, row, column, value)
#define CMK_FILL_BARRIER_ __syncthreads()
#define CMK_FILL_COPY_(by, BYTES, to, from, inside)                                                                    \
    ((void)(by), cmk_fill_copy_((to), (from), (int)(BYTES), (inside), 0, __FILE__, CMK_HOST_LINE_))
#define CMK_FILL_COMMIT_(by) ((void)(by))
#define CMK_FILL_ARRIVED_(by, later) ((void)(by), (void)(later))
#define cmk_fill_thread_() ((int)cmk_host_fill_thread_())
#define cmk_fill_threads_() ((int)cmk_host_fill_threads_())

#define cmk_fill_async_(bytes, to, from, inside) CMK_FILL_COPY(ASYNC, (size_t)(bytes), to, from, inside)
#define cmk_fill_of_(same, n, to, from, inside) cmk_fill_copy_(to, from, n, inside, same, __FILE__, CMK_HOST_LINE_)
#define cmk_fill_async_shared_(to, from) CMK_FILL_COPY(ASYNC, (size_t)16, to, from, 1)

CMK_FUNCTION void cmk_fill_copy_(void *to, const void *from, int size, int inside, int in_place, const char *file,
                                 int line)
{
    const size_t bytes = (size_t)size;
    void *const at = cmk_host_write_(to, bytes, bytes, file, line);
    char held[16];
    if (!inside)
        memset(at, 0, bytes);
    else if (in_place)
        cmk_host_read_in_place_(held, from, size, file, line), memcpy(at, held, bytes);
    else
        memcpy(at, cmk_host_read_(from, bytes, bytes, file, line), bytes);
}

#endif

#if CMK_HAS_HOST_

/* The driver's cuTensorMapEncodeTiled (0: success) is found through the runtime, so that a program need not link the
 * driver. The numbers are those of cuda.h: the types UINT8, UINT16, UINT32 and UINT64, interleave, swizzle, L2
 * promotion, and the fill with 0. */
#if defined(__CUDACC__) && CMK_TOOLKIT_ >= 1200
typedef int (*cmk_fill_encode_)(void *map_, int type_, unsigned rank, void *data, const unsigned long long *sizes,
                                const unsigned long long *strides, const unsigned *box, const unsigned *steps,
                                int interleave, int swizzle, int promotion, int fill);

static inline cudaError_t cmk_fill_map_(cmk_fill_source *source, size_t size, int tile_rows, int tile_columns,
                                        int grain)
{
    const size_t tile = (size_t)tile_columns * size, each = size == 16 ? 2 : 1;
    const size_t step = (size_t)(source->planes_ > 1 ? source->step_ : source->pitch_) * size;
    const unsigned long long sizes[] = {(unsigned long long)source->columns_ * each, (unsigned long long)source->rows_,
                                        (unsigned long long)source->planes_};
    const unsigned long long strides[] = {(unsigned long long)source->pitch_ * size, step};
    const unsigned box[] = {(unsigned)(tile_columns * each), (unsigned)tile_rows, 1}, steps[] = {1, 1, 1};
    const int type_ = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 4;
    const int swizzle = grain == 0 ? 0 : (int)(tile / 32 - tile / 128);
    const int fits = ((size_t)source->data_ | strides[0] | step | tile) % 16 == 0 && tile_rows <= 256 &&
                     tile_columns * each <= 256 && (grain == 0 || tile == 32 || tile == 64 || tile == 128);
    int device = 0, capability = 0;
    void *encode = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess && fits && capability >= 9)
        error = CMK_DRIVER_ENTRY_("cuTensorMapEncodeTiled", &encode, &found);
    source->has_map_ = error == cudaSuccess && found == cudaDriverEntryPointSuccess &&
                       ((cmk_fill_encode_)encode)(source->map_, type_, 3, (void *)source->data_, sizes, strides, box,
                                                  steps, 0, swizzle, 2, 0) == 0;
    return error;
}
#else
static inline cudaError_t cmk_fill_map_(cmk_fill_source *source, size_t size, int tile_rows, int tile_columns,
                                        int grain)
{
    (void)source, (void)size, (void)tile_rows, (void)tile_columns, (void)grain;
    return cudaSuccess;
}
#endif

/* step and pitch are the distances from plane to plane and from row to row, in elements; the others are counts */
typedef struct {
    size_t step, pitch, planes, rows, columns;
} cmk_fill_sizes_;
static inline cmk_fill_sizes_ cmk_fill_sizes_of_(size_t step, size_t pitch, size_t planes, size_t rows, size_t columns)
{
    const cmk_fill_sizes_ sizes = {step, pitch, planes, rows, columns};
    return sizes;
}

static inline cudaError_t cmk_fill_describe_(cmk_fill_sizes_ s, cmk_fill_source *source, const void *data, size_t size,
                                             int tile_rows, int tile_columns, int grain)
{
    const size_t most = 0x7fffffff;
    cmk_fill_source made;
    cudaError_t error = cudaErrorInvalidValue;
    if (data == NULL || size > 16 || 16 % size != 0 || (size_t)data % size != 0 || s.pitch < s.columns ||
        s.rows - 1 >= most || s.columns - 1 >= most || s.planes - 1 >= most)
        return error;
    memset(&made, 0, sizeof made);
    made.data_ = data;
    made.step_ = (cmk_i64)s.step;
    made.pitch_ = (cmk_i64)s.pitch;
    made.planes_ = (cmk_i64)s.planes;
    made.rows_ = (cmk_i64)s.rows;
    made.columns_ = (cmk_i64)s.columns;
    error = cmk_fill_map_(&made, size, tile_rows, tile_columns, grain);
    if (error == cudaSuccess) *source = made;
    return error;
}

#endif

#endif
