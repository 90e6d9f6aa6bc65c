/* tile.h: tiles in shared memory, without bank conflicts, and the proof of it.
 *
 *   CMK_TILE(T, name, ROWS, COLUMNS, PAD);      a static tile of ROWS x COLUMNS elements (in a kernel); PAD more
 *                                               elements follow each row and are never read
 *   CMK_TILE_SWIZZLED(T, name, ROWS, COLUMNS, GRAIN);
 *                                               a static tile without a pad, whose columns CMK_TILE_SWIZZLE places
 *   CMK_TILE_3D(T, name, PLANES, ROWS, COLUMNS, PAD);
 *                                               name[0] to name[PLANES - 1] are tiles; with name[step % PLANES] a ring
 *   CMK_TILE_DYNAMIC(T, name);                  T *name: the dynamic shared memory of the launch
 *   CMK_TILE_AT(T, name, OFFSET, COLUMNS, PAD);
 *   CMK_TILE_3D_AT(T, name, OFFSET, ROWS, COLUMNS, PAD);
 *                                               tiles in it, from byte OFFSET on, a multiple of sizeof(T)
 *   CMK_TILE_BYTES(T, ROWS, COLUMNS, PAD)       bytes of a tile, rounded up to 128: sums of them are OFFSETs
 *   CMK_TILE_LAUNCH(kernel, grid, block, BYTES, stream, arguments...)
 *                                               CMK_LAUNCH with any BYTES of dynamic shared memory: past 48 KB it
 *                                               raises the kernel's limit first. cudaErrorLaunchOutOfResources, with
 *                                               nothing launched, where the device has less
 *   CMK_TILE_GET(tile, row, column)             the element
 *   CMK_TILE_SET(tile, row, column, value);     writes it
 *   CMK_TILE_FILL_SYNC(tile, ROWS, COLUMNS, READ);
 *                                               tile[r][c] = READ(r, c) everywhere, then a block barrier
 *   CMK_TILE_FILL_1D_SYNC(tile, COLUMNS, READ); tile[0][c] = READ(c), then a block barrier
 *
 *   CMK_TILE_PAD(T, COLUMNS, WAY, BLOCK_X)      the smallest PAD without bank conflicts; -1 where none is without
 *   CMK_TILE_DEGREE(T, PITCH, WAY, BLOCK_X)     wavefronts of the worst group of lanes, 1 without conflicts; PITCH is
 *                                               COLUMNS + PAD. 0 for BOTH and for what has no PAD by its arguments
 *   CMK_TILE_ASSERT_CONFLICT_FREE(tile, COLUMNS, WAY, BLOCK_X);
 *                                               stops the build at a conflict, and says which PAD would do
 *   CMK_TILE_SWIZZLE(T, COLUMNS, GRAIN, row, column)
 *                                               the column where a swizzled tile holds that element
 *   CMK_TILE_SWIZZLE_DEGREE(T, COLUMNS, GRAIN, WAY, BLOCK_X)
 *   CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, GRAIN, WAY, BLOCK_X);
 *
 *   WAY                      what thread (x, y) of a block BLOCK_X wide accesses, for any row and column
 *   ROWS                     tile[row + y][column + x]: rows, also of a tile with halo
 *   COLUMNS                  tile[row + x][column + y]
 *   ROWS_8, ROWS_16          8 or 16 bytes: the n elements from tile[row + y][n (column + x)] on
 *   COLUMNS_8, COLUMNS_16    the n elements from tile[row + x][n (column + y)] on
 *   BOTH, BOTH_8, BOTH_16    both
 *
 * A warp is served in groups of lanes: 32 of up to 4 bytes, 16 of 8, 8 of 16. An access of a warp takes as many
 * wavefronts as it has groups, 1, 2 or 4, times the degree. BLOCK_X is a power of two or a multiple of the lanes of a
 * group, T has 1, 2, 4, 8 or 16 bytes. ROWS, COLUMNS, PAD, PITCH, GRAIN, OFFSET, BYTES, BLOCK_X are integer constants,
 * evaluated more than once, and expressions of them alone are constants; they expand to much, so that a PAD is bound by
 * an enum before a DEGREE has it. A fill's ROWS and COLUMNS may be run-time values. A tile begins at a multiple of 128
 * bytes, the dynamic shared memory at one of 1024.
 *
 * A swizzled tile has rows of a power of two of bytes. Within 128 bytes grain g of row r lies at g ^ r, in shorter rows
 * at g ^ (r / (128 / bytes)); a grain has GRAIN = 4, 8 or 16 bytes. It serves what no pad can: vectors by rows and
 * elements by columns. GRAIN 16 and rows of 32, 64 and 128 bytes are the swizzles of sm_90's tensor copies (of a tile
 * at a multiple of 1024 bytes). Its degree holds for rows and columns that are multiples of the block's.
 *
 * A fill is called by all threads of the block with the same arguments: of a block of any shape with blockDim.z = 1,
 * the 1D form of a block with blockDim.y = 1. Consecutive threadIdx.x read consecutive columns. READ is a macro or
 * function of tile coordinates: it subtracts the halo and treats the edge. A kernel that fills a tile again puts a
 * __syncthreads() between its last read and the next fill.
 *
 *   #define PIXEL(r, c) CMK_LDG(&in[(y0 + (r)) * pitch + x0 + (c)])
 *   CMK_TILE(float, tile, 32, 32, CMK_TILE_PAD(float, 32, BOTH, 32));
 *   CMK_TILE_ASSERT_CONFLICT_FREE(tile, 32, BOTH, 32);
 *   CMK_TILE_FILL_SYNC(tile, 32, 32, PIXEL);
 *   value = CMK_TILE_GET(tile, threadIdx.x, threadIdx.y); */
#ifndef CMK_TILE_H
#define CMK_TILE_H

#include "base.h"

/* ---- Conflicts. Shared memory has 32 banks of 4 bytes. A group of lanes, of BYTES each, touches SPAN bytes: RUN
 * contiguous ones in each of SPAN / RUN rows. Runs d rows apart lie d PITCH bytes apart, and share a bank at some
 * column when that is, modulo 128, less than REACH from 0. (Elements below 4 bytes begin anywhere in a word.) */
#define CMK_TILE_SPAN_(BYTES) ((BYTES) < 4 ? 32 * (BYTES) : 128)
#define CMK_TILE_REACH_(BYTES, RUN) ((RUN) + ((BYTES) < 4 ? 4 - (BYTES) : 0))
#define CMK_TILE_RUN_X_(BYTES, BLOCK_X)                                                                                \
    ((BYTES) * (BLOCK_X) < CMK_TILE_SPAN_(BYTES) ? (BYTES) * (BLOCK_X) : CMK_TILE_SPAN_(BYTES))
#define CMK_TILE_RUN_Y_(BYTES, BLOCK_X)                                                                                \
    ((BYTES) * (BLOCK_X) < CMK_TILE_SPAN_(BYTES) ? CMK_TILE_SPAN_(BYTES) / (BLOCK_X) : (BYTES))
#define CMK_TILE_VALID_(SIZE, BYTES, BLOCK_X)                                                                          \
    ((SIZE) <= 16 && 16 % (SIZE) == 0 && (BYTES) >= (SIZE) && (BLOCK_X) >= 1 &&                                        \
     (((BLOCK_X) & ((BLOCK_X)-1)) == 0 || (BLOCK_X) * (BYTES) % CMK_TILE_SPAN_(BYTES) == 0))

/* A WAY calls USE(SIZE, BYTES, RUN, OTHER, VALID, ...), where OTHER is the run of BOTH's second access. A run of SPAN
 * bytes is one row, which has no conflicts. */
#define CMK_TILE_BY_ROWS_(USE, SIZE, W, ...) CMK_TILE_BY_X_(USE, SIZE, SIZE, W, __VA_ARGS__)
#define CMK_TILE_BY_ROWS_8_(USE, SIZE, W, ...) CMK_TILE_BY_X_(USE, SIZE, 8, W, __VA_ARGS__)
#define CMK_TILE_BY_ROWS_16_(USE, SIZE, W, ...) CMK_TILE_BY_X_(USE, SIZE, 16, W, __VA_ARGS__)
#define CMK_TILE_BY_COLUMNS_(USE, SIZE, W, ...) CMK_TILE_BY_Y_(USE, SIZE, SIZE, W, __VA_ARGS__)
#define CMK_TILE_BY_COLUMNS_8_(USE, SIZE, W, ...) CMK_TILE_BY_Y_(USE, SIZE, 8, W, __VA_ARGS__)
#define CMK_TILE_BY_COLUMNS_16_(USE, SIZE, W, ...) CMK_TILE_BY_Y_(USE, SIZE, 16, W, __VA_ARGS__)
#define CMK_TILE_BY_BOTH_(USE, SIZE, W, ...) CMK_TILE_BY_XY_(USE, SIZE, SIZE, W, __VA_ARGS__)
#define CMK_TILE_BY_BOTH_8_(USE, SIZE, W, ...) CMK_TILE_BY_XY_(USE, SIZE, 8, W, __VA_ARGS__)
#define CMK_TILE_BY_BOTH_16_(USE, SIZE, W, ...) CMK_TILE_BY_XY_(USE, SIZE, 16, W, __VA_ARGS__)
#define CMK_TILE_BY_X_(USE, SIZE, BYTES, W, ...)                                                                       \
    USE(SIZE, BYTES, CMK_TILE_RUN_X_(BYTES, W), CMK_TILE_SPAN_(BYTES), CMK_TILE_VALID_(SIZE, BYTES, W), __VA_ARGS__)
#define CMK_TILE_BY_Y_(USE, SIZE, BYTES, W, ...)                                                                       \
    USE(SIZE, BYTES, CMK_TILE_RUN_Y_(BYTES, W), CMK_TILE_SPAN_(BYTES), CMK_TILE_VALID_(SIZE, BYTES, W), __VA_ARGS__)
#define CMK_TILE_BY_XY_(USE, SIZE, BYTES, W, ...)                                                                      \
    USE(SIZE, BYTES, CMK_TILE_RUN_X_(BYTES, W), CMK_TILE_RUN_Y_(BYTES, W), CMK_TILE_VALID_(SIZE, BYTES, W) ? 2 : 0,    \
        __VA_ARGS__)

#define CMK_TILE_PAD(T, COLUMNS, WAY, BLOCK_X)                                                                         \
    CMK_TILE_BY_##WAY##_(CMK_TILE_PAD_, (int)sizeof(T), BLOCK_X, (int)sizeof(T) * (COLUMNS))
#define CMK_TILE_PAD_(SIZE, BYTES, RUN, OTHER, VALID, ROW)                                                             \
    ((VALID) == 0       ? -1                                                                                           \
     : (BYTES) < 4      ? CMK_TILE_PAD_NARROW_(ROW, BYTES, RUN, OTHER)                                                 \
     : (OTHER) == 128   ? CMK_TILE_PAD_WIDE_(ROW, BYTES, RUN) / (SIZE)                                                 \
     : (RUN) == 128     ? CMK_TILE_PAD_WIDE_(ROW, BYTES, OTHER) / (SIZE)                                               \
     : (RUN) == (OTHER) ? CMK_TILE_PAD_WIDE_(ROW, BYTES, RUN) / (SIZE)                                                 \
                        : -1)

/* the runs fill all 32 banks: their rows lie an odd multiple of RUN bytes apart */
#define CMK_TILE_PAD_WIDE_(ROW, BYTES, RUN)                                                                            \
    ((RUN) == 128 ? ((BYTES) - (ROW) % (BYTES)) % (BYTES) : (3 * (RUN) - (ROW) % (2 * (RUN))) % (2 * (RUN)))

/* Elements of 1 and 2 bytes leave banks free, and which pitches do has no formula: bit p % 64 of word p / 64 % 2 tells
 * whether rows p elements apart have d p BYTES, for each d from 1 to SPAN / RUN - 1, REACH or more from multiples of
 * 128. A pitch below REACH has no conflict either. The first bit from that of ROW on is the pad. */
#define CMK_TILE_PAD_NARROW_(ROW, BYTES, RUN, OTHER)                                                                   \
    (CMK_TILE_FREE_(ROW, BYTES, RUN) && CMK_TILE_FREE_(ROW, BYTES, OTHER) ? 0                                          \
     : CMK_TILE_AHEAD_(ROW, BYTES, RUN, OTHER) < 1                        ? -1                                         \
                                                   : CMK_TILE_LOWEST_(CMK_TILE_AHEAD_(ROW, BYTES, RUN, OTHER)))

/* the number of the lowest bit that is set: x & -x has no other */
#define CMK_TILE_LOWEST_(x)                                                                                            \
    (((x) & (~(x) + 1) & 0xaaaaaaaaaaaaaaaaull ? 1 : 0) + ((x) & (~(x) + 1) & 0xccccccccccccccccull ? 2 : 0) +         \
     ((x) & (~(x) + 1) & 0xf0f0f0f0f0f0f0f0ull ? 4 : 0) + ((x) & (~(x) + 1) & 0xff00ff00ff00ff00ull ? 8 : 0) +         \
     ((x) & (~(x) + 1) & 0xffff0000ffff0000ull ? 16 : 0) + ((x) & (~(x) + 1) & 0xffffffff00000000ull ? 32 : 0))
#define CMK_TILE_FREE_(ROW, BYTES, RUN)                                                                                \
    ((ROW) < CMK_TILE_REACH_(BYTES, RUN) ||                                                                            \
     (CMK_TILE_WORD_(BYTES, RUN, (ROW) / (BYTES) / 64) >> (ROW) / (BYTES) % 64 & 1) != 0)
#define CMK_TILE_AHEAD_(ROW, BYTES, RUN, OTHER)                                                                        \
    (CMK_TILE_WORDS_(BYTES, RUN, OTHER, (ROW) / (BYTES) / 64) >> (ROW) / (BYTES) % 64 |                                \
     CMK_TILE_WORDS_(BYTES, RUN, OTHER, (ROW) / (BYTES) / 64 + 1) << 1 << (63 - (ROW) / (BYTES) % 64))
#define CMK_TILE_WORDS_(BYTES, RUN, OTHER, word) (CMK_TILE_WORD_(BYTES, RUN, word) & CMK_TILE_WORD_(BYTES, OTHER, word))
#define CMK_TILE_WORD_(BYTES, RUN, word) ((BYTES) == 1 ? CMK_TILE_WORD_1_(RUN, (word) % 2) : CMK_TILE_WORD_2_(RUN))
#define CMK_TILE_WORD_1_(RUN, odd)                                                                                     \
    ((RUN) == 1    ? 0x1010101010101010ull                                                                             \
     : (RUN) == 2  ? ((odd) ? 0x0f02212c038a4508ull : 0x2144a380690881e0ull)                                           \
     : (RUN) == 4  ? ((odd) ? 0x03ff933c670f89f0ull : 0x1f23e1cc7993ff80ull)                                           \
     : (RUN) == 8  ? ((odd) ? 0x003ffffffe03ffc0ull : 0x07ff80fffffff800ull)                                           \
     : (RUN) == 16 ? ((odd) ? 0x00003fffffffffffull : 0xfffffffffff80000ull)                                           \
                   : ~0ull)
#define CMK_TILE_WORD_2_(RUN)                                                                                          \
    ((RUN) == 2    ? 0x4444444444444444ull                                                                             \
     : (RUN) == 4  ? 0x301210b01a109018ull                                                                             \
     : (RUN) == 8  ? 0x0f042308218841e0ull                                                                             \
     : (RUN) == 16 ? 0x00ffc0e00e07fe00ull                                                                             \
     : (RUN) == 32 ? 0x0000fffffffe0000ull                                                                             \
                   : ~0ull)

/* The worst bank is one where the run of the first row or of the last begins: count the runs that reach it. */
#define CMK_TILE_DEGREE(T, PITCH, WAY, BLOCK_X)                                                                        \
    CMK_TILE_BY_##WAY##_(CMK_TILE_DEGREE_, (int)sizeof(T), BLOCK_X, (int)sizeof(T) * (PITCH))
#define CMK_TILE_DEGREE_(SIZE, BYTES, RUN, OTHER, VALID, PITCH)                                                        \
    ((VALID) != 1 || (PITCH) % (BYTES) != 0 ? 0 : CMK_TILE_RUNS_(BYTES, RUN, PITCH))
#define CMK_TILE_RUNS_(BYTES, RUN, PITCH)                                                                              \
    ((PITCH) < CMK_TILE_REACH_(BYTES, RUN)                                                                             \
         ? 1                                                                                                           \
         : CMK_TILE_WORST_(PITCH, RUN, CMK_TILE_REACH_(BYTES, RUN), CMK_TILE_SPAN_(BYTES)))
#define CMK_TILE_WORST_(P, B, K, S)                                                                                    \
    (1 + CMK_TILE_MOST_(CMK_TILE_SUM_(CMK_TILE_AFTER_, P, B, K, S), CMK_TILE_SUM_(CMK_TILE_BEFORE_, P, B, K, S)))
#define CMK_TILE_AFTER_(d, P, B, K, S) ((d) * (B) < (S) && (d) * (P) % 128 < (K))
#define CMK_TILE_BEFORE_(d, P, B, K, S) ((d) * (B) < (S) && (127 + (d) * (P)) % 128 > 127 - (K))
#define CMK_TILE_SUM_(F, P, B, K, S)                                                                                   \
    (CMK_TILE_SUM_8_(F, 1, P, B, K, S) + CMK_TILE_SUM_8_(F, 9, P, B, K, S) + CMK_TILE_SUM_8_(F, 17, P, B, K, S) +      \
     CMK_TILE_SUM_8_(F, 25, P, B, K, S))
#define CMK_TILE_SUM_8_(F, d, P, B, K, S)                                                                              \
    (F(d, P, B, K, S) + F(d + 1, P, B, K, S) + F(d + 2, P, B, K, S) + F(d + 3, P, B, K, S) + F(d + 4, P, B, K, S) +    \
     F(d + 5, P, B, K, S) + F(d + 6, P, B, K, S) + F(d + 7, P, B, K, S))

/* what a tile and a WAY come to, as enumerators of a block */
#define CMK_TILE_BIND_(SIZE, BYTES, RUN, OTHER, VALID, PITCH)                                                          \
    cmk_size_ = (SIZE), cmk_bytes_ = (BYTES), cmk_run_ = (RUN), cmk_other_ = (OTHER), cmk_valid_ = (VALID),            \
    cmk_pitch_ = (PITCH)

#define CMK_TILE_ASSERT_CONFLICT_FREE(tile, COLUMNS, WAY, BLOCK_X)                                                     \
    do {                                                                                                               \
        enum {                                                                                                         \
            CMK_TILE_BY_##WAY##_(CMK_TILE_BIND_, (int)sizeof((tile)[0][0]), BLOCK_X, (int)sizeof((tile)[0])),          \
            cmk_row_ = cmk_size_ * (COLUMNS),                                                                          \
            cmk_pad_ = CMK_TILE_PAD_(cmk_size_, cmk_bytes_, cmk_run_, cmk_other_, cmk_valid_, cmk_row_),               \
            cmk_free_ = CMK_TILE_DEGREE_(0, cmk_bytes_, cmk_run_, 0, 1, cmk_pitch_) == 1 &&                            \
                        CMK_TILE_DEGREE_(0, cmk_bytes_, cmk_other_, 0, 1, cmk_pitch_) == 1                             \
        };                                                                                                             \
        CMK_TILE_SENTENCES_(cmk_row_ <= cmk_pitch_, cmk_valid_ != 0, cmk_free_, cmk_pad_);                             \
    } while (0)
#define CMK_TILE_SENTENCES_(HOLDS, VALID, FREE, PAD)                                                                   \
    CMK_STATIC_ASSERT(HOLDS, "cmk: CMK_TILE_ASSERT_CONFLICT_FREE: the tile has fewer than COLUMNS");                   \
    CMK_STATIC_ASSERT(VALID, "cmk: CMK_TILE_ASSERT_CONFLICT_FREE: T must have 1, 2, 4, 8 or 16 bytes, and "            \
                             "BLOCK_X be a power of two or a multiple of the lanes of a group");                       \
    CMK_STATIC_ASSERT(!(VALID) || (FREE) || (PAD) >= 0, "cmk: CMK_TILE_ASSERT_CONFLICT_FREE: bank conflicts with any " \
                                                        "PAD: a CMK_TILE_SWIZZLED may have none");                     \
    CMK_TILE_SENTENCES_OF_PAD_((FREE) ? -1 : (PAD))
/* clang-format off */
#define CMK_TILE_SENTENCES_OF_PAD_(PAD)                                                                                \
    CMK_TILE_TEN_(PAD, )  CMK_TILE_TEN_(PAD, 1) CMK_TILE_TEN_(PAD, 2) CMK_TILE_TEN_(PAD, 3)  CMK_TILE_TEN_(PAD, 4)     \
    CMK_TILE_TEN_(PAD, 5) CMK_TILE_TEN_(PAD, 6) CMK_TILE_TEN_(PAD, 7) CMK_TILE_TEN_(PAD, 8)  CMK_TILE_TEN_(PAD, 9)     \
    CMK_TILE_TEN_(PAD, 10) CMK_TILE_TEN_(PAD, 11) CMK_TILE_TEN_(PAD, 12)
#define CMK_TILE_TEN_(PAD, TENS)                                                                                       \
    CMK_TILE_ONE_(PAD, TENS##0) CMK_TILE_ONE_(PAD, TENS##1) CMK_TILE_ONE_(PAD, TENS##2) CMK_TILE_ONE_(PAD, TENS##3)    \
    CMK_TILE_ONE_(PAD, TENS##4) CMK_TILE_ONE_(PAD, TENS##5) CMK_TILE_ONE_(PAD, TENS##6) CMK_TILE_ONE_(PAD, TENS##7)    \
    CMK_TILE_ONE_(PAD, TENS##8) CMK_TILE_ONE_(PAD, TENS##9)
#define CMK_TILE_ONE_(PAD, N)                                                                                          \
    CMK_STATIC_ASSERT((PAD) != N, "cmk: CMK_TILE_ASSERT_CONFLICT_FREE: bank conflicts, but none with a PAD of " #N);
/* clang-format on */

/* ---- Swizzles. An exclusive or is linear over the bits of row and column. Of the SPAN / RUN rows of a group, those in
 * one line of 128 bytes (STACK rows are) never meet. Of the other bits of their number, each that moves a run by less
 * than itself, or by the whole line, doubles the degree. */
#define CMK_TILE_SWIZZLE(T, COLUMNS, GRAIN, row, column)                                                               \
    cmk_swizzle_((int)(row), (int)(column), (unsigned)(sizeof(T) * (COLUMNS)), (unsigned)sizeof(T), (GRAIN))
#define CMK_TILE_LINE_(ROW) ((ROW) < 128 ? (unsigned)(ROW) : 128u)
#define CMK_TILE_STACK_(ROW) (128 / CMK_TILE_LINE_(ROW))

#define CMK_TILE_SWIZZLE_DEGREE(T, COLUMNS, GRAIN, WAY, BLOCK_X)                                                       \
    CMK_TILE_BY_##WAY##_(CMK_TILE_SWIZZLE_DEGREE_, (int)sizeof(T), BLOCK_X, (int)sizeof(T) * (COLUMNS), GRAIN)
#define CMK_TILE_SWIZZLE_DEGREE_(SIZE, BYTES, RUN, OTHER, VALID, ROW, GRAIN)                                           \
    ((VALID) != 1 || !CMK_TILE_GRAIN_VALID_(BYTES, ROW, GRAIN) || (RUN) > (ROW)                                        \
         ? 0                                                                                                           \
         : CMK_TILE_LINES_(BYTES, RUN, ROW) / CMK_TILE_APART_(CMK_TILE_LINES_(BYTES, RUN, ROW), RUN, ROW, GRAIN))
#define CMK_TILE_APART_(LINES, RUN, ROW, GRAIN)                                                                        \
    CMK_TILE_MOST_(1, CMK_TILE_LEAST_((GRAIN) * (LINES), (int)CMK_TILE_LINE_(ROW)) / CMK_TILE_MOST_(GRAIN, RUN))
#define CMK_TILE_GRAIN_VALID_(BYTES, ROW, GRAIN)                                                                       \
    (((GRAIN) == 4 || (GRAIN) == 8 || (GRAIN) == 16) && (GRAIN) >= (BYTES) && (GRAIN) <= (ROW) &&                      \
     ((ROW) & ((ROW)-1)) == 0)
#define CMK_TILE_LINES_(BYTES, RUN, ROW) CMK_TILE_MOST_(1, CMK_TILE_SPAN_(BYTES) / (RUN) / (int)CMK_TILE_STACK_(ROW))
#define CMK_TILE_MOST_(a, b) ((a) > (b) ? (a) : (b))
#define CMK_TILE_LEAST_(a, b) ((a) < (b) ? (a) : (b))

#define CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, GRAIN, WAY, BLOCK_X)                                               \
    do {                                                                                                               \
        enum {                                                                                                         \
            CMK_TILE_BY_##WAY##_(CMK_TILE_BIND_, (int)sizeof((tile)[0][0]), BLOCK_X, (int)sizeof((tile)[0])),          \
            cmk_free_ = CMK_TILE_SWIZZLE_FREE_(cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_, GRAIN),                   \
            cmk_4_ = !cmk_free_ && CMK_TILE_SWIZZLE_FREE_(cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_, 4),            \
            cmk_8_ = !cmk_free_ && CMK_TILE_SWIZZLE_FREE_(cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_, 8),            \
            cmk_16_ = !cmk_free_ && CMK_TILE_SWIZZLE_FREE_(cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_, 16)           \
        };                                                                                                             \
        CMK_TILE_SWIZZLE_SENTENCES_(cmk_valid_ != 0, cmk_free_, cmk_4_, cmk_8_, cmk_16_);                              \
    } while (0)
#define CMK_TILE_SWIZZLE_SENTENCES_(VALID, FREE, WITH_4, WITH_8, WITH_16)                                              \
    CMK_STATIC_ASSERT(VALID, "cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: T must have 1, 2, 4, 8 or 16 bytes, and "    \
                             "BLOCK_X be a power of two or a multiple of the lanes of a group");                       \
    CMK_STATIC_ASSERT(!WITH_4,                                                                                         \
                      "cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: bank conflicts, but none with a GRAIN of 4");       \
    CMK_STATIC_ASSERT(!WITH_8 || WITH_4,                                                                               \
                      "cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: bank conflicts, but none with a GRAIN of 8");       \
    CMK_STATIC_ASSERT(!WITH_16 || WITH_4 || WITH_8,                                                                    \
                      "cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: bank conflicts, but none with a GRAIN of 16");      \
    CMK_STATIC_ASSERT(!(VALID) || FREE || WITH_4 || WITH_8 || WITH_16,                                                 \
                      "cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: bank conflicts with any GRAIN")
#define CMK_TILE_SWIZZLE_FREE_(BYTES, RUN, OTHER, PITCH, GRAIN)                                                        \
    (CMK_TILE_SWIZZLE_DEGREE_(0, BYTES, RUN, 0, 1, PITCH, GRAIN) == 1 &&                                               \
     ((OTHER) == CMK_TILE_SPAN_(BYTES) || CMK_TILE_SWIZZLE_DEGREE_(0, BYTES, OTHER, 0, 1, PITCH, GRAIN) == 1))

/* ---- Storage */
#define CMK_TILE(T, name, ROWS, COLUMNS, PAD)                                                                          \
    CMK_STATIC_ASSERT((ROWS) >= 1 && (COLUMNS) >= 1, "cmk: CMK_TILE: ROWS and COLUMNS must be at least 1");            \
    CMK_STATIC_ASSERT((PAD) >= 0, "cmk: CMK_TILE: PAD must not be negative (CMK_TILE_PAD is -1 where none avoids "     \
                                  "bank conflicts)");                                                                  \
    CMK_STATIC_ASSERT(sizeof(T) * (ROWS) * ((COLUMNS) + (PAD)) <= 49152,                                               \
                      "cmk: CMK_TILE: the tile exceeds the 48 KB of static shared memory");                            \
    CMK_TILE_STORAGE_(T, name, ROWS, COLUMNS, PAD)

#define CMK_TILE_SWIZZLED(T, name, ROWS, COLUMNS, GRAIN)                                                               \
    CMK_STATIC_ASSERT(CMK_TILE_GRAIN_VALID_((int)sizeof(T), (int)sizeof(T) * (COLUMNS), GRAIN),                        \
                      "cmk: CMK_TILE_SWIZZLED: GRAIN must be 4, 8 or 16, hold whole elements, and be at most a row, "  \
                      "which must have a power of two of bytes");                                                      \
    CMK_TILE(T, name, ROWS, COLUMNS, 0)

#define CMK_TILE_3D(T, name, PLANES, ROWS, COLUMNS, PAD)                                                               \
    CMK_STATIC_ASSERT((PLANES) >= 1 && (ROWS) >= 1 && (COLUMNS) >= 1,                                                  \
                      "cmk: CMK_TILE_3D: PLANES, ROWS and COLUMNS must be at least 1");                                \
    CMK_STATIC_ASSERT((PAD) >= 0, "cmk: CMK_TILE_3D: PAD must not be negative (CMK_TILE_PAD is -1 where none avoids "  \
                                  "bank conflicts)");                                                                  \
    CMK_STATIC_ASSERT(sizeof(T) * (PLANES) * (ROWS) * ((COLUMNS) + (PAD)) <= 49152,                                    \
                      "cmk: CMK_TILE_3D: the tiles exceed the 48 KB of static shared memory");                         \
    CMK_TILE_STORAGE_3D_(T, name, PLANES, ROWS, COLUMNS, PAD)

#define CMK_TILE_BYTES(T, ROWS, COLUMNS, PAD)                                                                          \
    ((sizeof(T) * (size_t)(ROWS) * (size_t)((COLUMNS) + (PAD)) + 127) / 128 * 128)

#define CMK_TILE_AT(T, name, OFFSET, COLUMNS, PAD)                                                                     \
    CMK_STATIC_ASSERT((COLUMNS) >= 1 && (PAD) >= 0, "cmk: CMK_TILE_AT: COLUMNS must be at least 1, PAD not negative"); \
    CMK_STATIC_ASSERT((OFFSET) % sizeof(T) == 0, "cmk: CMK_TILE_AT: OFFSET must be a multiple of sizeof(T)");          \
    CMK_TILE_STORAGE_AT_(T, (*const name)[(COLUMNS) + (PAD)], (*)[(COLUMNS) + (PAD)], OFFSET)

#define CMK_TILE_3D_AT(T, name, OFFSET, ROWS, COLUMNS, PAD)                                                            \
    CMK_STATIC_ASSERT((ROWS) >= 1 && (COLUMNS) >= 1 && (PAD) >= 0,                                                     \
                      "cmk: CMK_TILE_3D_AT: ROWS and COLUMNS must be at least 1, PAD not negative");                   \
    CMK_STATIC_ASSERT((OFFSET) % sizeof(T) == 0, "cmk: CMK_TILE_3D_AT: OFFSET must be a multiple of sizeof(T)");       \
    CMK_TILE_STORAGE_AT_(T, (*const name)[ROWS][(COLUMNS) + (PAD)], (*)[ROWS][(COLUMNS) + (PAD)], OFFSET)

#define CMK_TILE_FILL_1D_SYNC(tile, COLUMNS, READ)                                                                     \
    do {                                                                                                               \
        for (int cmk_column_ = (int)threadIdx.x; cmk_column_ < (COLUMNS); cmk_column_ += (int)blockDim.x) {            \
            CMK_TURN_(cmk_column_ / (int)blockDim.x);                                                                  \
            CMK_TILE_SET(tile, 0, cmk_column_, READ(cmk_column_));                                                     \
        }                                                                                                              \
        __syncthreads();                                                                                               \
    } while (0)

#define CMK_TILE_FILL_SYNC(tile, ROWS, COLUMNS, READ)                                                                  \
    do {                                                                                                               \
        for (int cmk_row_ = (int)threadIdx.y; cmk_row_ < (ROWS); cmk_row_ += (int)blockDim.y)                          \
            for (int cmk_column_ = (int)threadIdx.x; cmk_column_ < (COLUMNS); cmk_column_ += (int)blockDim.x) {        \
                CMK_TURN_(cmk_row_ / (int)blockDim.y * 65536 + cmk_column_ / (int)blockDim.x);                         \
                CMK_TILE_SET(tile, cmk_row_, cmk_column_, READ(cmk_row_, cmk_column_));                                \
            }                                                                                                          \
        __syncthreads();                                                                                               \
    } while (0)

#define CMK_TILE_LAUNCH(kernel, grid, block, BYTES, stream, ...)                                                       \
    (((BYTES) <= 49152                                                                                                 \
          ? cudaSuccess                                                                                                \
          : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(BYTES))) == cudaSuccess    \
         ? CMK_LAUNCH(kernel, grid, block, BYTES, stream, __VA_ARGS__)                                                 \
         : cmk_tile_refused_())

#if CMK_HAS_HOST_
/* what kept a kernel from more shared memory: to the runtime a limit beyond the device's is an invalid value */
static inline cudaError_t cmk_tile_refused_(void)
{
    const cudaError_t error = cudaGetLastError();
    return error == cudaErrorInvalidValue ? cudaErrorLaunchOutOfResources : error;
}
#endif

#if defined(__CUDACC__)

#define CMK_TILE_STORAGE_(T, name, ROWS, COLUMNS, PAD) __shared__ __align__(128) T name[ROWS][(COLUMNS) + (PAD)]
#define CMK_TILE_STORAGE_3D_(T, name, PLANES, ROWS, COLUMNS, PAD)                                                      \
    __shared__ __align__(128) T name[PLANES][ROWS][(COLUMNS) + (PAD)]
#define CMK_TILE_STORAGE_AT_(T, declarator, type, OFFSET) T declarator = (T type)(cmk_tile_dynamic_ + (OFFSET))
#define CMK_TILE_DYNAMIC(T, name) T *const name = (T *)cmk_tile_dynamic_
extern __shared__ __align__(1024) unsigned char cmk_tile_dynamic_[]; /* once, for kernels of C and of C++ linkage */
#define CMK_TILE_GET(tile, row, column) ((tile)[row][column])
#define CMK_TILE_SET(tile, row, column, value) ((void)((tile)[row][column] = (value)))

#else

#define CMK_TILE_STORAGE_(T, name, ROWS, COLUMNS, PAD) CMK_HOST_TILE_(T, name, ROWS, COLUMNS, PAD)
#define CMK_TILE_STORAGE_3D_(T, name, PLANES, ROWS, COLUMNS, PAD) CMK_HOST_TILE_3D_(T, name, PLANES, ROWS, COLUMNS, PAD)
#define CMK_TILE_STORAGE_AT_(T, declarator, type, OFFSET) CMK_HOST_TILE_AT_(T, declarator, type, OFFSET)
#define CMK_TILE_DYNAMIC(T, name) CMK_HOST_TILE_DYNAMIC_(T, name)
#define CMK_TILE_GET(tile, row, column) CMK_HOST_TILE_GET_(tile, row, column)
#define CMK_TILE_SET(tile, row, column, value) CMK_HOST_TILE_SET_(tile, row, column, value)

#endif

#endif
