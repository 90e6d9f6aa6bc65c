/* conv3d.h: complete convolutions of volumes: any small filter, and separable ones in one pass over memory.
 *
 *   CMK_DEFINE_CONV3D(name, T, PLANES, ROWS, COLUMNS, TABLE, EDGE);      at file scope
 *   cudaError_t name(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                    size_t planes, size_t rows, size_t columns, TABLE_table table, cudaStream_t stream);
 *
 * defines out(z, y, x) = sum over p, r, c of
 *         table[p][r][c] * in(z + p - PLANES / 2, y + r - ROWS / 2, x + c - COLUMNS / 2)
 *   T                        float or double, also of the sums
 *   PLANES, ROWS, COLUMNS    1 to 7
 *   TABLE                    the name of a table of table.h of PLANES x ROWS x COLUMNS elements, from any source;
 *                            table is that name, or a slot of it
 *   EDGE                     an edge of edge.h, or CMK_EDGE_AXES_3D for one each axis
 *
 *   CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, THROUGH, DOWN, ACROSS, EDGE);
 *   cudaError_t name(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                    size_t planes, size_t rows, size_t columns, THROUGH_table through, DOWN_table down,
 *                    ACROSS_table across, cudaStream_t stream);
 *
 * defines the same with through[p] * down[r] * across[c] in place of table[p][r][c]: three tables of 2 RADIUS + 1
 * elements, or one in several places; RADIUS 1 to 8.
 *
 * Element (z, y, x) of in is in[z * in_step + y * in_pitch + x]; what lies between the rows is neither read nor
 * written. Any size, pitch, step and alignment of T is right; rows of a multiple of 512 bytes that all begin at
 * multiples of 16 bytes are fastest. The call returns before the kernel has run. It returns cudaErrorInvalidValue, with
 * nothing launched, for a null or misaligned pointer, a pitch below columns, planes, rows or columns above 2^31 - 1,
 * sizes whose bytes exceed the address space, and for ranges of in and out that overlap; a size of 0 is right and
 * launches nothing. A block takes up to 95,000 bytes of shared memory: cudaErrorLaunchOutOfResources where the device
 * has less.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, gauss, [5], 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f);
 *   CMK_DEFINE_SEPARABLE3D(smooth, float, 2, gauss, gauss, gauss, CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, nx, ny * nx, out, nx, ny * nx, nz, ny, nx, gauss, gauss, gauss, stream)); */
#ifndef CMK_KERNEL_CONV3D_H
#define CMK_KERNEL_CONV3D_H

#include "../base.h"
#include "../edge.h"
#include "../fill.h"
#include "../load.h"
#include "../table.h"
#include "../tile.h"
#include "range.h"

/* CMK_DEFINE_CONV3D(blur, float, 3, 3, 3, weights, EDGE); generates
 *
 *   enum { blur_lanes_ = 4, ... };                            the sizes of its tiles
 *   typedef struct { float e_[4]; } blur_chunk_;              16 bytes
 *   __global__ void blur_ring(...);
 *   cudaError_t blur(...);
 *
 * and CMK_DEFINE_SEPARABLE3D the same. A thread computes lanes columns of each rows, plane after plane; where there are
 * many taps each is 1: hot loops of more than 32 KB of code run at 80 % of the FMA rate (measured on an H200). */
#define CMK_DEFINE_CONV3D(name, T, PLANES, ROWS, COLUMNS, TABLE, EDGE)                                                 \
    CMK_STATIC_ASSERT((PLANES) >= 1 && (PLANES) <= 7 && (ROWS) >= 1 && (ROWS) <= 7 && (COLUMNS) >= 1 &&                \
                          (COLUMNS) <= 7,                                                                              \
                      "cmk: CMK_DEFINE_CONV3D: PLANES, ROWS and COLUMNS must be from 1 to 7");                         \
    CMK_STATIC_ASSERT(sizeof(TABLE##_array_) == (PLANES) * (ROWS) * (COLUMNS) * sizeof(TABLE##_element_),              \
                      "cmk: CMK_DEFINE_CONV3D: TABLE must have PLANES x ROWS x COLUMNS elements");                     \
    CMK_STATIC_ASSERT(CMK_CONV3D_TYPE_(T), "cmk: CMK_DEFINE_CONV3D: T must be float or double");                       \
    enum {                                                                                                             \
        name##_lag_ = 0,                                                                                               \
        name##_each_ = (PLANES) > 5 || (PLANES) * (ROWS) * (COLUMNS) > 128  ? 1                                        \
                       : (PLANES) > 3 || (PLANES) * (ROWS) * (COLUMNS) > 64 ? 3                                        \
                                                                            : 4,                                       \
        name##_blocks_ = name##_each_ == 1 ? 2 : 1,                                                                    \
        name##_stages_ = name##_each_ == 1 ? 3 : 4                                                                     \
    };                                                                                                                 \
    CMK_CONV3D_SIZES_(name, T, PLANES, ROWS, COLUMNS)                                                                  \
    CMK_CONV3D_RING_(name, T, EDGE, CMK_CONV3D_TAPS_(name, T, PLANES, ROWS, COLUMNS, TABLE),                           \
                     CMK_TABLE_PARAMETER_AS_(TABLE, cmk_table_))                                                       \
    CMK_CONV3D_LAUNCHER_(name, T, TABLE)                                                                               \
    CMK_SEMICOLON_

#define CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, THROUGH, DOWN, ACROSS, EDGE)                                           \
    CMK_STATIC_ASSERT((RADIUS) >= 1 && (RADIUS) <= 8, "cmk: CMK_DEFINE_SEPARABLE3D: RADIUS must be from 1 to 8");      \
    CMK_STATIC_ASSERT(sizeof(THROUGH##_array_) == (2 * (RADIUS) + 1) * sizeof(THROUGH##_element_) &&                   \
                          sizeof(DOWN##_array_) == (2 * (RADIUS) + 1) * sizeof(DOWN##_element_) &&                     \
                          sizeof(ACROSS##_array_) == (2 * (RADIUS) + 1) * sizeof(ACROSS##_element_),                   \
                      "cmk: CMK_DEFINE_SEPARABLE3D: each table must have 2 RADIUS + 1 elements");                      \
    CMK_STATIC_ASSERT(CMK_CONV3D_TYPE_(T), "cmk: CMK_DEFINE_SEPARABLE3D: T must be float or double");                  \
    enum {                                                                                                             \
        name##_lag_ = 1,                                                                                               \
        name##_each_ = 2,                                                                                              \
        name##_blocks_ = (RADIUS) <= 4 ? 2 : 1,                                                                        \
        name##_stages_ = (RADIUS) == 3 || (RADIUS) == 4 ? 4 : 3                                                        \
    };                                                                                                                 \
    CMK_CONV3D_SIZES_(name, T, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1)                                   \
    CMK_CONV3D_RING_(name, T, EDGE, CMK_CONV3D_SEPARABLE_(name, T, RADIUS, THROUGH, DOWN, ACROSS),                     \
                     CMK_TABLE_PARAMETER_AS_(THROUGH, through_), CMK_TABLE_PARAMETER_AS_(DOWN, down_),                 \
                     CMK_TABLE_PARAMETER_AS_(ACROSS, across_))                                                         \
    CMK_CONV3D_SEPARABLE_LAUNCHER_(name, T, THROUGH, DOWN, ACROSS)                                                     \
    CMK_SEMICOLON_

/* only float and double keep their size when one of these is added */
#define CMK_CONV3D_TYPE_(T)                                                                                            \
    ((sizeof(T) == 4 || sizeof(T) == 8) && sizeof((T)1 + 1LL) == sizeof(T) && sizeof((T)1 + 1.0f) == sizeof(T))

/* reach is the whole vectors left and right of a thread's columns that hold what the filter reads; start, where the
 * tile's own columns begin, a multiple of 32 bytes, so that copies move whole sectors. In shared memory two small
 * tables come first, then the ring of tiles. */
#define CMK_CONV3D_SIZES_(name, T, PLANES, ROWS, COLUMNS)                                                              \
    enum {                                                                                                             \
        name##_warps_ = 8,                                                                                             \
        name##_lanes_ = 16 / sizeof(T),                                                                                \
        name##_width_ = 32 * name##_lanes_,                                                                            \
        name##_height_ = name##_warps_ * name##_each_,                                                                 \
        name##_planes_ = (PLANES),                                                                                     \
        name##_before_ = (PLANES) / 2,                                                                                 \
        name##_above_ = (ROWS) / 2,                                                                                    \
        name##_ahead_ = (COLUMNS) / 2,                                                                                 \
        name##_reach_ = (name##_ahead_ + name##_lanes_ - 1) / name##_lanes_ * name##_lanes_,                           \
        name##_span_ = name##_lanes_ + 2 * name##_reach_,                                                              \
        name##_tile_rows_ = name##_height_ + (ROWS)-1,                                                                 \
        name##_start_ = (name##_reach_ * (int)sizeof(T) + 31) / 32 * (32 / (int)sizeof(T)),                            \
        name##_tile_columns_ = name##_width_ + 2 * name##_start_,                                                      \
        name##_column_bytes_ = CMK_TILE_BYTES(int, 1, name##_tile_columns_, 0),                                        \
        name##_table_bytes_ = name##_column_bytes_ + CMK_TILE_BYTES(int, 2, name##_before_ + 1, 0),                    \
        name##_ring_bytes_ =                                                                                           \
            name##_table_bytes_ + CMK_TILE_BYTES(T, name##_stages_ * name##_tile_rows_, name##_tile_columns_, 0)       \
    };                                                                                                                 \
    typedef struct {                                                                                                   \
        T e_[name##_lanes_];                                                                                           \
    } __attribute__((aligned(16))) name##_chunk_;

/* of a launch; pitches and steps in elements. The blocks of a grid, in x alone, go through across tiles of a row, down
 * rows of tiles, and chunks of deep planes. */
typedef struct {
    cmk_i64 in_pitch_, in_step_, out_pitch_, out_step_, planes_, rows_, columns_, deep_;
    unsigned across_, down_;
    int aligned_; /* all rows of both begin at multiples of 16 bytes */
} cmk_conv3d_shape_;

#define CMK_CONV3D_PLACE_(WIDTH, HEIGHT)                                                                               \
    const cmk_i64 left_ = (cmk_i64)(blockIdx.x % s_.across_) * (WIDTH);                                                \
    const cmk_i64 top_ = (cmk_i64)(blockIdx.x / s_.across_ % s_.down_) * (HEIGHT);                                     \
    const cmk_i64 z_ = (cmk_i64)(blockIdx.x / s_.across_ / s_.down_) * s_.deep_

/* *i becomes the index that edge reads for it, 0 where that is none; whether there is one */
CMK_FUNCTION int cmk_conv3d_place_(int edge_, cmk_i64 *i_, cmk_i64 count_)
{
    const cmk_i64 at_ = cmk_edge_index(edge_, *i_, count_);
    const int inside_ = at_ >= 0 && at_ < count_;
    *i_ = inside_ ? at_ : 0;
    return inside_;
}

/* ---- The ring: a block computes height rows of width columns and goes through deep planes. Each input plane comes
 * once, into a ring of tiles, and adds to all output planes that read it: sums_[k] is the plane k after the one that it
 * completes. A warp copies whole rows, by 16 bytes where all rows are aligned and the tile ends inside, else by
 * elements; what the filter reads beside the tile goes by element. STEP takes the tile of a plane, and moves the sums
 * on by one plane in its first addition, without a move; the sums of a STEP with a lag are one plane behind. */
#define CMK_CONV3D_RING_(name, T, EDGE, STEP, ...)                                                                     \
    CMK_STATIC_ __global__ void __launch_bounds__(32 * name##_warps_, name##_blocks_)                                  \
        name##_ring(const T *__restrict__ in_, T *__restrict__ out_, cmk_conv3d_shape_ s_, __VA_ARGS__)                \
    {                                                                                                                  \
        CMK_TILE_3D_AT(T, ring_, name##_table_bytes_, name##_tile_rows_, name##_tile_columns_, 0);                     \
        CMK_TILE_3D_AT(name##_chunk_, chunks_, name##_table_bytes_, name##_tile_rows_,                                 \
                       name##_tile_columns_ / name##_lanes_, 0);                                                       \
        CMK_CONV3D_PLACE_(name##_width_, name##_height_);                                                              \
        const int lane_ = (int)threadIdx.x, warp_ = (int)threadIdx.y, row_ = warp_ * name##_each_;                     \
        const cmk_i64 x_ = left_ + lane_ * name##_lanes_;                                                              \
        const int planes_ = (int)(s_.planes_ - z_ < s_.deep_ ? s_.planes_ - z_ : s_.deep_);                            \
        const int steps_ = planes_ + name##_planes_ - 1 + name##_lag_;                                                 \
        const int whole_ = s_.aligned_ && left_ + name##_width_ <= s_.columns_;                                        \
        T *to_ = out_ + z_ * s_.out_step_ + (top_ + row_) * s_.out_pitch_;                                             \
        T sums_[name##_planes_][name##_each_][name##_lanes_];                                                          \
        CMK_CONV3D_FIND_(name, T, EDGE)                                                                                \
        memset(sums_, 0, sizeof sums_);                                                                                \
        for (int n_ = 0; n_ < name##_stages_ - 1; ++n_) CMK_CONV3D_COPY_(name, EDGE, n_)                               \
        CMK_NO_UNROLL                                                                                                  \
        for (int n_ = 0; n_ < steps_; ++n_) {                                                                          \
            const int stage_ = n_ % name##_stages_;                                                                    \
            CMK_FILL_ARRIVED(ASYNC, name##_stages_ - 2);                                                               \
            __syncthreads();                                                                                           \
            CMK_CONV3D_COPY_(name, EDGE, n_ + name##_stages_ - 1)                                                      \
            STEP;                                                                                                      \
            if (n_ >= name##_planes_ - 1 + name##_lag_) {                                                              \
                CMK_UNROLL                                                                                             \
                for (int o_ = 0; o_ < name##_each_; ++o_) {                                                            \
                    if (x_ >= s_.columns_ || top_ + row_ + o_ >= s_.rows_) continue;                                   \
                    if (whole_)                                                                                        \
                        CMK_STORE_16(PLAIN, &to_[o_ * s_.out_pitch_ + x_], sums_[0][o_]);                              \
                    else                                                                                               \
                        CMK_STORE_PART(PLAIN, 16, &to_[o_ * s_.out_pitch_], x_, s_.columns_, sums_[0][o_]);            \
                }                                                                                                      \
                to_ += s_.out_step_;                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Each plane comes from the same places, found once: from where in plane 0 a thread copies its rows and its elements of
 * the halo, and which are inside (what is not has some place inside too); what EDGE reads for the columns of the tile,
 * and for the planes before the first and behind the last, -1 where that is nothing. */
#define CMK_CONV3D_FIND_(name, T, EDGE)                                                                                \
    enum {                                                                                                             \
        threads_ = 32 * name##_warps_,                                                                                 \
        share_ = (name##_tile_rows_ + name##_warps_ - 1) / name##_warps_,                                              \
        beside_ = 2 * name##_reach_,                                                                                   \
        halo_ = name##_tile_rows_ * beside_,                                                                           \
        halo_share_ = (halo_ + threads_ - 1) / threads_                                                                \
    };                                                                                                                 \
    const T *row_from_[share_], *halo_from_[halo_share_ + 1];                                                          \
    CMK_TILE_AT(int, column_at_, 0, name##_tile_columns_, 0);                                                          \
    CMK_TILE_AT(int, plane_at_, name##_column_bytes_, name##_before_ + 1, 0);                                          \
    int rows_inside_ = 0, halo_inside_ = 0;                                                                            \
    for (int c_ = CMK_CONV3D_HALO_AT_(0); c_ < name##_tile_columns_; c_ += threads_) {                                 \
        cmk_i64 column_ = left_ - name##_start_ + c_;                                                                  \
        const int some_ = cmk_conv3d_place_(CMK_EDGE_COLUMN(EDGE), &column_, s_.columns_);                             \
        CMK_TILE_SET(column_at_, 0, c_, some_ ? (int)column_ : -1);                                                    \
    }                                                                                                                  \
    if (CMK_CONV3D_HALO_AT_(0) < 2 * name##_before_) {                                                                 \
        const int end_ = CMK_CONV3D_HALO_AT_(0) / (name##_before_ + (name##_before_ == 0)),                            \
                  k_ = CMK_CONV3D_HALO_AT_(0) % (name##_before_ + (name##_before_ == 0));                              \
        cmk_i64 plane_ = end_ == 0 ? k_ - name##_before_ : s_.planes_ + k_;                                            \
        const int some_ = cmk_conv3d_place_(CMK_EDGE_PLANE(EDGE), &plane_, s_.planes_);                                \
        CMK_TILE_SET(plane_at_, end_, k_, some_ ? (int)plane_ : -1);                                                   \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    CMK_UNROLL                                                                                                         \
    for (int i_ = 0; i_ < share_; ++i_) {                                                                              \
        cmk_i64 y_ = top_ - name##_above_ + warp_ + i_ * name##_warps_;                                                \
        rows_inside_ |= cmk_conv3d_place_(CMK_EDGE_ROW(EDGE), &y_, s_.rows_) << i_;                                    \
        row_from_[i_] = in_ + y_ * s_.in_pitch_ + (whole_ ? x_ : 0);                                                   \
    }                                                                                                                  \
    CMK_UNROLL                                                                                                         \
    for (int i_ = 0; i_ < halo_share_; ++i_) {                                                                         \
        cmk_i64 y_ = top_ - name##_above_ + CMK_CONV3D_HALO_ROW_(i_);                                                  \
        cmk_i64 column_ = left_ - name##_start_ + CMK_CONV3D_HALO_COLUMN_(name, i_);                                   \
        halo_inside_ |= (cmk_conv3d_place_(CMK_EDGE_ROW(EDGE), &y_, s_.rows_) &                                        \
                         cmk_conv3d_place_(CMK_EDGE_COLUMN(EDGE), &column_, s_.columns_))                              \
                        << i_;                                                                                         \
        halo_from_[i_] = in_ + y_ * s_.in_pitch_ + column_;                                                            \
    }

/* whether the tile has row i of the thread */
#define CMK_CONV3D_HAS_ROW_(name, i)                                                                                   \
    (((i) + 1) * name##_warps_ <= name##_tile_rows_ || warp_ + (i)*name##_warps_ < name##_tile_rows_)

/* of the tile: where the halo has the thread's element i */
#define CMK_CONV3D_HALO_AT_(i) (warp_ * 32 + lane_ + (i)*threads_)
#define CMK_CONV3D_HALO_ROW_(i) (CMK_CONV3D_HALO_AT_(i) / (beside_ + (beside_ == 0)))
#define CMK_CONV3D_HALO_SIDE_(i) (CMK_CONV3D_HALO_AT_(i) % (beside_ + (beside_ == 0)))
#define CMK_CONV3D_HALO_COLUMN_(name, i)                                                                               \
    (CMK_CONV3D_HALO_SIDE_(i) + name##_start_ - name##_reach_ +                                                        \
     (CMK_CONV3D_HALO_SIDE_(i) < name##_reach_ ? 0 : (int)name##_width_))

/* starts the copy of input plane n of the block, if there is one */
#define CMK_CONV3D_COPY_(name, EDGE, n)                                                                                \
    {                                                                                                                  \
        const int number_ = (n), to_stage_ = number_ % name##_stages_;                                                 \
        if (number_ < steps_ - name##_lag_) {                                                                          \
            cmk_i64 plane_ = z_ + number_ - name##_before_;                                                            \
            if (plane_ < 0)                                                                                            \
                plane_ = CMK_TILE_GET(plane_at_, 0, (int)plane_ + name##_before_);                                     \
            else if (plane_ >= s_.planes_)                                                                             \
                plane_ = CMK_TILE_GET(plane_at_, 1, (int)(plane_ - s_.planes_));                                       \
            const int inside_ = plane_ >= 0;                                                                           \
            const int rows_now_ = inside_ ? rows_inside_ : 0, halo_now_ = inside_ ? halo_inside_ : 0;                  \
            plane_ = inside_ ? plane_ * s_.in_step_ : 0;                                                               \
            if (whole_) {                                                                                              \
                CMK_UNROLL                                                                                             \
                for (int i_ = 0; i_ < share_; ++i_)                                                                    \
                    if (CMK_CONV3D_HAS_ROW_(name, i_))                                                                 \
                        CMK_CONV3D_ASYNC_(chunks_[to_stage_], warp_ + i_ * name##_warps_,                              \
                                          name##_start_ / name##_lanes_ + lane_, row_from_[i_] + plane_,               \
                                          rows_now_ & 1 << i_);                                                        \
            } else {                                                                                                   \
                CMK_NO_UNROLL                                                                                          \
                for (int c_ = lane_; c_ < name##_width_; c_ += 32) {                                                   \
                    const int column_ = CMK_TILE_GET(column_at_, 0, name##_start_ + c_), some_ = column_ >= 0;         \
                    CMK_UNROLL                                                                                         \
                    for (int i_ = 0; i_ < share_; ++i_)                                                                \
                        if (CMK_CONV3D_HAS_ROW_(name, i_))                                                             \
                            CMK_CONV3D_ASYNC_(ring_[to_stage_], warp_ + i_ * name##_warps_, name##_start_ + c_,        \
                                              row_from_[i_] + plane_ + (some_ ? column_ : 0),                          \
                                              some_ && (rows_now_ & 1 << i_));                                         \
                }                                                                                                      \
            }                                                                                                          \
            CMK_UNROLL                                                                                                 \
            for (int i_ = 0; i_ < halo_share_; ++i_)                                                                   \
                if ((i_ + 1) * threads_ <= halo_ || CMK_CONV3D_HALO_AT_(i_) < halo_)                                   \
                    CMK_CONV3D_ASYNC_(ring_[to_stage_], CMK_CONV3D_HALO_ROW_(i_), CMK_CONV3D_HALO_COLUMN_(name, i_),   \
                                      halo_from_[i_] + plane_, halo_now_ & 1 << i_);                                   \
        }                                                                                                              \
        CMK_FILL_COMMIT(ASYNC);                                                                                        \
    }

/* tile[row][column] becomes the element or vector at from, 0 where that is not inside */
#define CMK_CONV3D_ASYNC_(tile, row, column, from, inside)                                                             \
    CMK_FILL_COPY(ASYNC, sizeof((tile)[0][0]), &(tile)[row][column], from, (inside) != 0)

/* window_ becomes the vectors from reach before the thread's to reach after it, of row r of tile */
#define CMK_CONV3D_WINDOW_(name, window_, tile, r)                                                                     \
    CMK_UNROLL                                                                                                         \
    for (int i_ = 0; i_ < name##_span_ / name##_lanes_; ++i_) {                                                        \
        const name##_chunk_ v_ = CMK_LOAD(&(tile)[r][(name##_start_ - name##_reach_) / name##_lanes_ + lane_ + i_]);   \
        memcpy(&(window_)[i_ * name##_lanes_], &v_, sizeof v_);                                                        \
    }

#define CMK_CONV3D_TAPS_(name, T, PLANES, ROWS, COLUMNS, TABLE)                                                        \
    if (x_ < s_.columns_ && top_ + row_ < s_.rows_) {                                                                  \
        T windows_[(ROWS)-1 + name##_each_][name##_span_];                                                             \
        CMK_UNROLL                                                                                                     \
        for (int r_ = 0; r_ < (ROWS); ++r_) {                                                                          \
            CMK_UNROLL                                                                                                 \
            for (int o_ = r_ == 0 ? 0 : name##_each_ - 1; o_ < name##_each_; ++o_)                                     \
                CMK_CONV3D_WINDOW_(name, windows_[r_ + o_], chunks_[stage_], row_ + r_ + o_)                           \
            CMK_UNROLL                                                                                                 \
            for (int c_ = 0; c_ < (COLUMNS); ++c_) CMK_UNROLL                                                          \
            for (int k_ = 0; k_ < (PLANES); ++k_) {                                                                    \
                const T tap_ = TABLE##_get_ CMK_TABLE_OF_KERNEL_((((PLANES)-1 - k_) * (ROWS) + r_) * (COLUMNS) + c_);  \
                CMK_UNROLL                                                                                             \
                for (int o_ = 0; o_ < name##_each_; ++o_) CMK_UNROLL                                                   \
                for (int j_ = 0; j_ < name##_lanes_; ++j_)                                                             \
                    sums_[k_][o_][j_] = tap_ * windows_[r_ + o_][name##_reach_ - name##_ahead_ + c_ + j_] +            \
                                        CMK_CONV3D_BEFORE_(r_ + c_ == 0, k_, PLANES);                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

/* what a sum adds to: at the first tap of a plane the sums move on */
#define CMK_CONV3D_BEFORE_(first, k, PLANES)                                                                           \
    (!(first) ? sums_[k][o_][j_] : (k) + 1 < (PLANES) ? sums_[((k) + 1) % (PLANES)][o_][j_] : 0)

/* The sums along the rows of plane n, those of the halo too, go into a tile of their own; at the next step the sums
 * down its columns are what the planes add up, so that one barrier a step serves both. */
#define CMK_CONV3D_SEPARABLE_(name, T, RADIUS, THROUGH, DOWN, ACROSS)                                                  \
    CMK_TILE_3D_AT(name##_chunk_, along_, name##_ring_bytes_, name##_tile_rows_, 32, 0);                               \
    if (n_ + 1 < steps_ && x_ < s_.columns_) {                                                                         \
        CMK_UNROLL                                                                                                     \
        for (int i_ = 0; i_ < share_; ++i_) {                                                                          \
            const int r_ = warp_ + i_ * name##_warps_;                                                                 \
            T window_[name##_span_];                                                                                   \
            name##_chunk_ sum_ = {{0}};                                                                                \
            if (!CMK_CONV3D_HAS_ROW_(name, i_)) continue;                                                              \
            CMK_CONV3D_WINDOW_(name, window_, chunks_[stage_], r_)                                                     \
            CMK_UNROLL                                                                                                 \
            for (int c_ = 0; c_ <= 2 * (RADIUS); ++c_) CMK_UNROLL                                                      \
            for (int j_ = 0; j_ < name##_lanes_; ++j_)                                                                 \
                sum_.e_[j_] +=                                                                                         \
                    (T)ACROSS##_get_ CMK_TABLE_READ_(across_, c_) * window_[name##_reach_ - (RADIUS) + c_ + j_];       \
            CMK_STORE(&along_[n_ % 2][r_][lane_], sum_);                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    if (n_ > 0 && x_ < s_.columns_ && top_ + row_ < s_.rows_) {                                                        \
        T down_sums_[name##_each_][name##_lanes_];                                                                     \
        memset(down_sums_, 0, sizeof down_sums_);                                                                      \
        CMK_UNROLL                                                                                                     \
        for (int r_ = 0; r_ < 2 * (RADIUS) + name##_each_; ++r_) {                                                     \
            const name##_chunk_ v_ = CMK_LOAD(&along_[(n_ + 1) % 2][row_ + r_][lane_]);                                \
            CMK_UNROLL                                                                                                 \
            for (int o_ = 0; o_ < name##_each_; ++o_) CMK_UNROLL                                                       \
            for (int j_ = 0; j_ < name##_lanes_; ++j_)                                                                 \
                if (r_ >= o_ && r_ - o_ <= 2 * (RADIUS))                                                               \
                    down_sums_[o_][j_] += (T)DOWN##_get_ CMK_TABLE_READ_(down_, r_ - o_) * v_.e_[j_];                  \
        }                                                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ <= 2 * (RADIUS); ++k_) {                                                                   \
            const T tap_ = THROUGH##_get_ CMK_TABLE_READ_(through_, 2 * (RADIUS)-k_);                                  \
            CMK_UNROLL                                                                                                 \
            for (int o_ = 0; o_ < name##_each_; ++o_) CMK_UNROLL                                                       \
            for (int j_ = 0; j_ < name##_lanes_; ++j_)                                                                 \
                sums_[k_][o_][j_] = tap_ * down_sums_[o_][j_] + CMK_CONV3D_BEFORE_(1, k_, 2 * (RADIUS) + 1);           \
        }                                                                                                              \
    }

#if CMK_HAS_HOST_

#define CMK_CONV3D_CALL_(name, T, ...)                                                                                 \
    __attribute__((unused)) static inline cudaError_t name(                                                            \
        const T *in_, size_t in_pitch_, size_t in_step_, T *out_, size_t out_pitch_, size_t out_step_, size_t planes_, \
        size_t rows_, size_t columns_, __VA_ARGS__, cudaStream_t stream_)

#define CMK_CONV3D_LAUNCHER_(name, T, TABLE)                                                                           \
    CMK_CONV3D_CALL_(name, T, TABLE##_table table_)                                                                    \
    {                                                                                                                  \
        CMK_CONV3D_PREPARE_(name, T)                                                                                   \
        CMK_CONV3D_LAUNCH_RING_(name, name##_ring_bytes_, table_);                                                     \
    }
#define CMK_CONV3D_SEPARABLE_LAUNCHER_(name, T, THROUGH, DOWN, ACROSS)                                                 \
    CMK_CONV3D_CALL_(name, T, THROUGH##_table through_, DOWN##_table down_, ACROSS##_table across_)                    \
    {                                                                                                                  \
        CMK_CONV3D_PREPARE_(name, T)                                                                                   \
        CMK_CONV3D_LAUNCH_RING_(name, name##_ring_bytes_ + 2 * CMK_TILE_BYTES(T, name##_tile_rows_, name##_width_, 0), \
                                through_, down_, across_);                                                             \
    }

#define CMK_CONV3D_PREPARE_(name, T)                                                                                   \
    cmk_conv3d_shape_ s_ = {                                                                                           \
        (cmk_i64)in_pitch_,                                                                                            \
        (cmk_i64)in_step_,                                                                                             \
        (cmk_i64)out_pitch_,                                                                                           \
        (cmk_i64)out_step_,                                                                                            \
        (cmk_i64)planes_,                                                                                              \
        (cmk_i64)rows_,                                                                                                \
        (cmk_i64)columns_,                                                                                             \
        0,                                                                                                             \
        0,                                                                                                             \
        0,                                                                                                             \
        ((size_t)in_ | (size_t)out_ | (in_pitch_ | in_step_ | out_pitch_ | out_step_) * sizeof(T)) % 16 == 0};         \
    if (planes_ == 0 || rows_ == 0 || columns_ == 0) return cudaSuccess;                                               \
    if (!cmk_conv3d_valid_(in_, in_pitch_, in_step_, out_, out_pitch_, out_step_, planes_, rows_, columns_,            \
                           sizeof(T)))                                                                                 \
        return cudaErrorInvalidValue;

#define CMK_CONV3D_LAUNCH_RING_(name, BYTES, ...)                                                                      \
    do {                                                                                                               \
        int blocks_ = 0;                                                                                               \
        const cudaError_t error_ = cmk_conv3d_resident_(name##_blocks_, &blocks_);                                     \
        if (error_ != cudaSuccess) return error_;                                                                      \
        return CMK_TILE_LAUNCH(                                                                                        \
            name##_ring,                                                                                               \
            cmk_conv3d_blocks_(&s_, name##_width_, name##_height_,                                                     \
                               cmk_conv3d_deep_(&s_, name##_width_, name##_height_, name##_planes_, blocks_)),         \
            dim3(32, name##_warps_), BYTES, stream_, in_, out_, s_, __VA_ARGS__);                                      \
    } while (0)

/* the blocks that the device runs at once */
static inline cudaError_t cmk_conv3d_resident_(int each_, int *blocks_)
{
    int device_;
    cudaError_t error_ = cudaGetDevice(&device_);
    if (error_ == cudaSuccess) error_ = cudaDeviceGetAttribute(blocks_, cudaDevAttrMultiProcessorCount, device_);
    *blocks_ *= each_;
    return error_;
}

/* The planes of a chunk: each costs PLANES - 1 more at its ends, and about 2 until the first has arrived. Of the
 * numbers of chunks that fill the device up to 16 times, that for which all is done first. */
static inline cmk_i64 cmk_conv3d_deep_(const cmk_conv3d_shape_ *s_, int width_, int height_, int planes_, int resident_)
{
    const cmk_i64 tiles_ = ((s_->columns_ - 1) / width_ + 1) * ((s_->rows_ - 1) / height_ + 1);
    cmk_i64 least_ = 0, best_ = s_->planes_;
    for (int times_ = 1; times_ <= 16; ++times_) {
        const cmk_i64 fit_ = (cmk_i64)times_ * resident_ / tiles_, most_ = fit_ < s_->planes_ ? fit_ : s_->planes_;
        const cmk_i64 deep_ = (s_->planes_ - 1) / (most_ < 1 ? 1 : most_) + 1;
        const cmk_i64 blocks_ = tiles_ * ((s_->planes_ - 1) / deep_ + 1);
        const cmk_i64 cost_ = ((blocks_ - 1) / resident_ + 1) * (deep_ + planes_ + 1);
        if (times_ == 1 || cost_ < least_) {
            least_ = cost_;
            best_ = deep_;
        }
    }
    return best_;
}

/* the blocks of a grid, whose tiles it writes to *s */
static inline unsigned cmk_conv3d_blocks_(cmk_conv3d_shape_ *s_, int width_, int height_, cmk_i64 deep_)
{
    s_->across_ = (unsigned)((s_->columns_ - 1) / width_ + 1);
    s_->down_ = (unsigned)((s_->rows_ - 1) / height_ + 1);
    s_->deep_ = deep_;
    return s_->across_ * s_->down_ * (unsigned)((s_->planes_ - 1) / deep_ + 1);
}

static inline int cmk_conv3d_valid_(const void *in_, size_t in_pitch_, size_t in_step_, const void *out_,
                                    size_t out_pitch_, size_t out_step_, size_t planes_, size_t rows_, size_t columns_,
                                    size_t size_)
{
    const size_t most_ = 0x7fffffff;
    const size_t read_ = cmk_range_bytes_(in_pitch_, in_step_, columns_, rows_, planes_, size_);
    const size_t written_ = cmk_range_bytes_(out_pitch_, out_step_, columns_, rows_, planes_, size_);
    return planes_ <= most_ && rows_ <= most_ && columns_ <= most_ &&
           cmk_range_apart_(in_, read_, size_, out_, written_, size_);
}

#else

#define CMK_CONV3D_LAUNCHER_(name, T, TABLE)
#define CMK_CONV3D_SEPARABLE_LAUNCHER_(name, T, THROUGH, DOWN, ACROSS)

#endif

#endif
