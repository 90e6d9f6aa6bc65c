/* tile.h: tiles in shared memory without bank conflicts, and the proof that there are none.
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
 *                                               tiles in that memory, from byte OFFSET on, which is a multiple of
 *                                               sizeof(T)
 *   CMK_TILE_BYTES(T, ROWS, COLUMNS, PAD)       bytes of a tile, rounded up to a multiple of 128; OFFSETs are sums of
 *                                               these
 *   CMK_TILE_LAUNCH(kernel, grid, block, BYTES, stream, arguments...)
 *                                               CMK_LAUNCH(kernel, grid, block, ...) with any BYTES of dynamic shared
 *                                               memory. Past 48 KB it first raises the limit of the kernel. Value:
 *                                               cudaErrorLaunchOutOfResources, with nothing launched, where the device
 *                                               has less
 *   CMK_TILE_GET(tile, row, column)             the element
 *   CMK_TILE_SET(tile, row, column, value);     writes value to it
 *   CMK_TILE_FILL_SYNC(tile, ROWS, COLUMNS, READ);
 *                                               tile[r][c] = READ(r, c) everywhere, then a block barrier
 *   CMK_TILE_FILL_1D_SYNC(tile, COLUMNS, READ);
 *                                               tile[0][c] = READ(c), then a block barrier
 *
 *   CMK_TILE_PAD(T, COLUMNS, WAY, BLOCK_X)      the smallest PAD without bank conflicts; -1 where there is none
 *   CMK_TILE_DEGREE(T, PITCH, WAY, BLOCK_X)     wavefronts of the worst group of lanes, 1 without conflicts; PITCH is
 *                                               COLUMNS + PAD. 0 for BOTH, and for arguments that are not valid
 *   CMK_TILE_ASSERT_CONFLICT_FREE(tile, COLUMNS, WAY, BLOCK_X);
 *                                               stops the build at a conflict, and names the PAD that has none
 *   CMK_TILE_SWIZZLE(T, COLUMNS, GRAIN, row, column)
 *                                               the column where a swizzled tile holds that element
 *   CMK_TILE_SWIZZLE_DEGREE(T, COLUMNS, GRAIN, WAY, BLOCK_X)
 *   CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, GRAIN, WAY, BLOCK_X);
 *
 *   WAY                      what thread (x, y) of a block BLOCK_X wide accesses, for any row and column
 *   ROWS                     tile[row + y][column + x]: rows, also of a tile with halo
 *   COLUMNS                  tile[row + x][column + y]
 *   ROWS_8, ROWS_16          8 or 16 bytes, n elements: from tile[row + y][n (column + x)] on
 *   COLUMNS_8, COLUMNS_16    8 or 16 bytes, n elements: from tile[row + x][n (column + y)] on
 *   BOTH, BOTH_8, BOTH_16    both: by rows and by columns
 *
 * A warp is served in groups of lanes: 32 lanes of up to 4 bytes each, 16 lanes of 8, or 8 lanes of 16. So an access of
 * a warp has 1, 2 or 4 groups. It takes as many wavefronts as the groups times the degree. BLOCK_X is a power of two or
 * a multiple of the lanes of a group. T has 1, 2, 4, 8 or 16 bytes.
 *
 * ROWS, COLUMNS, PAD, PITCH, GRAIN, OFFSET, BYTES and BLOCK_X are integer constants that are evaluated more than once.
 * Expressions of them alone are constants too. They expand to long texts: bind a PAD by an enum before you pass it to a
 * DEGREE. ROWS and COLUMNS of a fill may be run-time values. A tile begins at a multiple of 128 bytes, the dynamic
 * shared memory at a multiple of 1024.
 *
 * The rows of a swizzled tile have a power of two of bytes. A grain has GRAIN = 4, 8 or 16 bytes. Within 128 bytes
 * grain g of row r lies at g ^ r; where rows are shorter it lies at g ^ (r / (128 / bytes)). A swizzle serves where no
 * pad can: for vectors by rows together with elements by columns. GRAIN 16 with rows of 32, 64 and 128 bytes gives the
 * swizzles of sm_90's tensor copies, for a tile at a multiple of 1024 bytes. The degree of a swizzled tile holds for
 * rows and columns that are multiples of the block's.
 *
 * The CPU backend stops at an access past the end of a tile, and past the end of name[k] of a 3D one. It does not know
 * the rows of a CMK_TILE_AT: there it stops only past the end of the dynamic shared memory of the launch.
 *
 * All threads of the block call a fill with the same arguments. The block has blockDim.z = 1 and otherwise any shape;
 * for the 1D form it has blockDim.y = 1 too. Consecutive threadIdx.x read consecutive columns. READ is a macro or
 * function of tile coordinates, which subtracts the halo and treats the edge. A kernel that fills a tile again puts a
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

/* ---- Conflicts. Shared memory has 32 banks of 4 bytes. A group of LANES lanes, of BYTES each, touches RUN contiguous
 * elements of BYTES in each of LANES / RUN rows. Runs that are d rows apart lie d PITCH bytes apart. They share a bank
 * at some column when this distance, modulo 128, is less than REACH from 0. (Elements below 4 bytes begin anywhere in a
 * word.) */
#define CMK_TILE_LANES_(BYTES) (32 >> ((BYTES) > 4) >> ((BYTES) > 8))
#define CMK_TILE_REACH_(BYTES, RUN) ((BYTES) * ((RUN)-1) + CMK_TILE_MOST_(BYTES, 4))
#define CMK_TILE_VALID_(SIZE, BYTES, BLOCK_X)                                                                          \
    ((SIZE) <= 16 && 16 % (SIZE) == 0 && (BYTES) >= (SIZE) && (BLOCK_X) >= 1 &&                                        \
     (((BLOCK_X) & ((BLOCK_X)-1)) == 0 || (BLOCK_X) % CMK_TILE_LANES_(BYTES) == 0))
#define CMK_TILE_MOST_(a, b) ((a) > (b) ? (a) : (b))
#define CMK_TILE_LEAST_(a, b) ((a) < (b) ? (a) : (b))

/* the run of an access by rows, by columns, and of a group of lanes that is one whole row and has no conflicts */
#define CMK_TILE_RUN_X_(BYTES, BLOCK_X) CMK_TILE_LEAST_(BLOCK_X, CMK_TILE_LANES_(BYTES))
#define CMK_TILE_RUN_Y_(BYTES, BLOCK_X) CMK_TILE_MOST_(CMK_TILE_LANES_(BYTES) / (BLOCK_X), 1)
#define CMK_TILE_RUN_ALL_(BYTES, BLOCK_X) CMK_TILE_LANES_(BYTES)

/* A WAY, given (COLUMNS) and perhaps more, calls USE(SIZE, BYTES, RUN, OTHER, VALID, ROW, ...). OTHER is the run of the
 * second access of BOTH. VALID is the number of accesses, or 0 for wrong arguments. ROW is the bytes of COLUMNS
 * elements. */
#define CMK_TILE_BY_ROWS_(USE, T, W, ...) CMK_TILE_BY_(USE, X, ALL, 1, sizeof(T), sizeof(T), W, __VA_ARGS__)
#define CMK_TILE_BY_ROWS_8_(USE, T, W, ...) CMK_TILE_BY_(USE, X, ALL, 1, sizeof(T), 8, W, __VA_ARGS__)
#define CMK_TILE_BY_ROWS_16_(USE, T, W, ...) CMK_TILE_BY_(USE, X, ALL, 1, sizeof(T), 16, W, __VA_ARGS__)
#define CMK_TILE_BY_COLUMNS_(USE, T, W, ...) CMK_TILE_BY_(USE, Y, ALL, 1, sizeof(T), sizeof(T), W, __VA_ARGS__)
#define CMK_TILE_BY_COLUMNS_8_(USE, T, W, ...) CMK_TILE_BY_(USE, Y, ALL, 1, sizeof(T), 8, W, __VA_ARGS__)
#define CMK_TILE_BY_COLUMNS_16_(USE, T, W, ...) CMK_TILE_BY_(USE, Y, ALL, 1, sizeof(T), 16, W, __VA_ARGS__)
#define CMK_TILE_BY_BOTH_(USE, T, W, ...) CMK_TILE_BY_(USE, X, Y, 2, sizeof(T), sizeof(T), W, __VA_ARGS__)
#define CMK_TILE_BY_BOTH_8_(USE, T, W, ...) CMK_TILE_BY_(USE, X, Y, 2, sizeof(T), 8, W, __VA_ARGS__)
#define CMK_TILE_BY_BOTH_16_(USE, T, W, ...) CMK_TILE_BY_(USE, X, Y, 2, sizeof(T), 16, W, __VA_ARGS__)
#define CMK_TILE_BY_(USE, RUN, OTHER, ACCESSES, SIZE, BYTES, W, ...)                                                   \
    USE((int)(SIZE), (int)(BYTES), CMK_TILE_RUN_##RUN##_((int)(BYTES), W), CMK_TILE_RUN_##OTHER##_((int)(BYTES), W),   \
        CMK_TILE_VALID_((int)(SIZE), (int)(BYTES), W) * ACCESSES, (int)(SIZE)*__VA_ARGS__)

#define CMK_TILE_PAD(T, COLUMNS, WAY, BLOCK_X) CMK_TILE_BY_##WAY##_(CMK_TILE_PAD_, T, BLOCK_X, (COLUMNS))
#define CMK_TILE_PAD_(SIZE, BYTES, RUN, OTHER, VALID, ROW)                                                             \
    ((VALID) == 0 || ((BYTES) >= 4 && (RUN) != (OTHER) && CMK_TILE_MOST_(RUN, OTHER) != CMK_TILE_LANES_(BYTES)) ? -1   \
     : (BYTES) < 4 ? CMK_TILE_PAD_NARROW_((ROW) / (BYTES), BYTES, RUN, OTHER)                                          \
                   : CMK_TILE_PAD_WIDE_(ROW, BYTES, (BYTES)*CMK_TILE_LEAST_(RUN, OTHER)) / (SIZE))

/* the runs fill all 32 banks when their rows lie an odd multiple of SPAN, the bytes of a run, apart */
#define CMK_TILE_PAD_WIDE_(ROW, BYTES, SPAN)                                                                           \
    ((SPAN) == 128 ? ((BYTES) - (ROW) % (BYTES)) % (BYTES) : (3 * (SPAN) - (ROW) % (2 * (SPAN))) % (2 * (SPAN)))

/* Elements of 1 and 2 bytes leave banks free, and no formula gives their pitches without conflicts. So a table has a
 * bit for each pitch of p elements: bit p % 64 of word p / 64 % 2. It is set where d p BYTES is at least REACH away
 * from multiples of 128, for each d from 1 to LANES / RUN - 1. A pitch below REACH has no conflict either. The pad is
 * the distance from the bit of the row to the first bit that is set. */
#define CMK_TILE_PAD_NARROW_(p, BYTES, RUN, OTHER)                                                                     \
    (!(CMK_TILE_FREE_(p, BYTES, RUN) && CMK_TILE_FREE_(p, BYTES, OTHER)) *                                             \
     CMK_TILE_LOWEST_(CMK_TILE_AHEAD_(p, BYTES, RUN, OTHER)))
#define CMK_TILE_FREE_(p, BYTES, RUN)                                                                                  \
    ((p) * (BYTES) < CMK_TILE_REACH_(BYTES, RUN) || (CMK_TILE_WORD_(p, BYTES, RUN) >> (p) % 64 & 1) != 0)
#define CMK_TILE_AHEAD_(p, ...)                                                                                        \
    (CMK_TILE_WORDS_(p, __VA_ARGS__) >> (p) % 64 | CMK_TILE_WORDS_((p) + 64, __VA_ARGS__) << 1 << (63 - (p) % 64))
#define CMK_TILE_WORDS_(p, BYTES, RUN, OTHER) (CMK_TILE_WORD_(p, BYTES, RUN) & CMK_TILE_WORD_(p, BYTES, OTHER))

/* The words for 2 bytes; for 1 byte where p / 64 is even; and where it is odd. All bits are set where the run is the
 * group. */
#define CMK_TILE_WORD_(p, BYTES, RUN)                                                                                  \
    ((RUN) == 1   ? CMK_TILE_PICK_(p, BYTES, 0x4444444444444444, 0x1010101010101010, 0x1010101010101010)               \
     : (RUN) == 2 ? CMK_TILE_PICK_(p, BYTES, 0x301210b01a109018, 0x2144a380690881e0, 0xf02212c038a4508)                \
     : (RUN) == 4 ? CMK_TILE_PICK_(p, BYTES, 0xf042308218841e0, 0x1f23e1cc7993ff80, 0x3ff933c670f89f0)                 \
     : (RUN) == 8 ? CMK_TILE_PICK_(p, BYTES, 0xffc0e00e07fe00, 0x7ff80fffffff800, 0x3ffffffe03ffc0)                    \
                  : CMK_TILE_PICK_(p, BYTES, 0xfffffffe0000, 0xfffffffffff80000, 0x3fffffffffff) | (RUN) / 32 * ~0ull)
#define CMK_TILE_PICK_(p, BYTES, two, even, odd) ((BYTES) == 2 ? two : (p) / 64 % 2 ? odd : even)

/* The number of the lowest bit that is set, -1 for none. It is the number of ones in (x - 1) & ~x, which has a one for
 * each bit below it. Each 8 ones are a digit of base 256; the remainder by 255 is the sum of the digits. */
#define CMK_TILE_LOWEST_(x) ((int)((CMK_TILE_ONES_(((x)-1) & ~(x)) + 1) % 65) - 1)
#define CMK_TILE_ONES_(m) ((m) / ((m) % 255 + 1) / 255 % 255 * 8 + 7 - 86 / ((m) % 255 + 12))

/* The worst bank is one where the run of the first row or of the last row begins. The degree counts the runs that reach
 * it. */
#define CMK_TILE_DEGREE(T, PITCH, WAY, BLOCK_X) CMK_TILE_BY_##WAY##_(CMK_TILE_DEGREE_, T, BLOCK_X, (PITCH))
#define CMK_TILE_DEGREE_(SIZE, BYTES, RUN, OTHER, VALID, PITCH)                                                        \
    (((VALID) == 1 && (PITCH) % (BYTES) == 0) *                                                                        \
     CMK_TILE_WORST_(PITCH, CMK_TILE_REACH_(BYTES, RUN), CMK_TILE_LANES_(BYTES) / (RUN)))
#define CMK_TILE_WORST_(P, K, N)                                                                                       \
    (1 + ((P) >= (K)) * CMK_TILE_MOST_(CMK_TILE_SUM_(CMK_TILE_FIRST_, N, P, K), CMK_TILE_SUM_(CMK_TILE_LAST_, N, P, K)))
#define CMK_TILE_FIRST_(d, P, K) ((d) * (P) % 128 < (K))
#define CMK_TILE_LAST_(d, P, K) ((127 + (d) * (P)) % 128 > 127 - (K))
#define CMK_TILE_SUM_(F, N, P, K)                                                                                      \
    (((N) > 1) * F(1, P, K) + ((N) > 2) * CMK_TILE_SUM_2_(F, 2, P, K) + ((N) > 4) * CMK_TILE_SUM_4_(F, 4, P, K) +      \
     ((N) > 8) * CMK_TILE_SUM_8_(F, 8, P, K) + ((N) > 16) * CMK_TILE_SUM_16_(F, 16, P, K))
#define CMK_TILE_SUM_16_(F, d, ...) (CMK_TILE_SUM_8_(F, d, __VA_ARGS__) + CMK_TILE_SUM_8_(F, d + 8, __VA_ARGS__))
#define CMK_TILE_SUM_8_(F, d, ...) (CMK_TILE_SUM_4_(F, d, __VA_ARGS__) + CMK_TILE_SUM_4_(F, d + 4, __VA_ARGS__))
#define CMK_TILE_SUM_4_(F, d, ...) (CMK_TILE_SUM_2_(F, d, __VA_ARGS__) + CMK_TILE_SUM_2_(F, d + 2, __VA_ARGS__))
#define CMK_TILE_SUM_2_(F, d, ...) (F(d, __VA_ARGS__) + F(d + 1, __VA_ARGS__))

/* ---- Swizzles. An exclusive or is linear over the bits of row and column. A group has LANES / RUN rows. Those in one
 * line of 128 bytes, which has STACK rows, never meet. The number of the line has the other bits of a row. Each of them
 * that moves a run by less than its own length, or by the whole line, doubles the degree. */
#define CMK_TILE_SWIZZLE(T, COLUMNS, GRAIN, row, column)                                                               \
    cmk_swizzle_((int)(row), (int)(column), (unsigned)(sizeof(T) * (COLUMNS)), (unsigned)sizeof(T), (GRAIN))
#define CMK_TILE_LINE_(ROW) CMK_TILE_LEAST_((int)(ROW), 128)
#define CMK_TILE_STACK_(ROW) (128 / CMK_TILE_LINE_(ROW))

#define CMK_TILE_SWIZZLE_DEGREE(T, COLUMNS, GRAIN, WAY, BLOCK_X)                                                       \
    CMK_TILE_BY_##WAY##_(CMK_TILE_SWIZZLE_DEGREE_, T, BLOCK_X, (COLUMNS), GRAIN)
#define CMK_TILE_SWIZZLE_DEGREE_(SIZE, BYTES, RUN, OTHER, VALID, ROW, GRAIN)                                           \
    ((VALID) != 1 || !CMK_TILE_GRAIN_VALID_(BYTES, ROW, GRAIN) || (BYTES) * (RUN) > (ROW)                              \
         ? 0                                                                                                           \
         : CMK_TILE_MEET_(CMK_TILE_LINES_(BYTES, RUN, ROW), (BYTES) * (RUN), ROW, GRAIN))
#define CMK_TILE_MEET_(LINES, RUN, ROW, GRAIN)                                                                         \
    ((LINES) / CMK_TILE_MOST_(1, CMK_TILE_LEAST_((GRAIN) * (LINES), CMK_TILE_LINE_(ROW)) / CMK_TILE_MOST_(GRAIN, RUN)))
#define CMK_TILE_GRAIN_VALID_(BYTES, ROW, GRAIN)                                                                       \
    (((GRAIN) == 4 || (GRAIN) == 8 || (GRAIN) == 16) && (GRAIN) >= (BYTES) && (GRAIN) <= (ROW) &&                      \
     ((ROW) & ((ROW)-1)) == 0)
#define CMK_TILE_LINES_(BYTES, RUN, ROW) CMK_TILE_MOST_(1, CMK_TILE_LANES_(BYTES) / (RUN) / CMK_TILE_STACK_(ROW))

/* ---- The proofs. What follows from a tile and a WAY become enumerators of a block, about which there are assertions.
 * BEST is the PAD or GRAIN (WHAT) without conflicts, or -1 where there is none. FREE says that the tile itself has
 * none. */
#define CMK_TILE_PROVE_(MACRO, WHAT, REMEDY, BY, tile, BLOCK_X, FREE, BEST)                                            \
    do {                                                                                                               \
        enum { BY(CMK_TILE_BIND_, (tile)[0][0], BLOCK_X, CMK_TILE_PITCH_(tile)), cmk_best_ = (FREE) ? -2 : (BEST) };   \
        CMK_NEEDS_(MACRO, cmk_valid_ != 0, "T must have " CMK_TILE_FITS_);                                             \
        CMK_NEEDS_(MACRO, cmk_valid_ == 0 || cmk_best_ != -1, "bank conflicts with any " WHAT REMEDY);                 \
        CMK_TILE_SENTENCES_((MACRO, WHAT, cmk_best_))                                                                  \
    } while (0)
#define CMK_TILE_FITS_ "1, 2, 4, 8 or 16 bytes, and BLOCK_X be a power of two or a multiple of the lanes of a group"
#define CMK_TILE_PITCH_(tile) (int)(sizeof((tile)[0]) / sizeof((tile)[0][0]))
#define CMK_TILE_BIND_(SIZE, BYTES, RUN, OTHER, VALID, PITCH)                                                          \
    cmk_size_ = (SIZE), cmk_bytes_ = (BYTES), cmk_run_ = (RUN), cmk_other_ = (OTHER), cmk_valid_ = (VALID),            \
    cmk_pitch_ = (PITCH)
#define CMK_TILE_NONE_(DEGREE, BYTES, RUN, OTHER, ...)                                                                 \
    (DEGREE(0, BYTES, RUN, 0, 1, __VA_ARGS__) == 1 &&                                                                  \
     ((OTHER) == CMK_TILE_LANES_(BYTES) || DEGREE(0, BYTES, OTHER, 0, 1, __VA_ARGS__) == 1))

/* clang-format off */
#define CMK_TILE_SENTENCES_(BEST)                                                                                      \
    CMK_TILE_10_(BEST, )  CMK_TILE_10_(BEST, 1) CMK_TILE_10_(BEST, 2) CMK_TILE_10_(BEST, 3)  CMK_TILE_10_(BEST, 4)     \
    CMK_TILE_10_(BEST, 5) CMK_TILE_10_(BEST, 6) CMK_TILE_10_(BEST, 7) CMK_TILE_10_(BEST, 8)  CMK_TILE_10_(BEST, 9)     \
    CMK_TILE_10_(BEST, 10) CMK_TILE_10_(BEST, 11) CMK_TILE_10_(BEST, 12)
#define CMK_TILE_10_(P, N) CMK_TILE_5_(P, N##0, N##1, N##2, N##3, N##4) CMK_TILE_5_(P, N##5, N##6, N##7, N##8, N##9)
#define CMK_TILE_5_(BEST, a, b, c, d, e)                                                                               \
    CMK_TILE_ONE_(BEST, a) CMK_TILE_ONE_(BEST, b) CMK_TILE_ONE_(BEST, c) CMK_TILE_ONE_(BEST, d) CMK_TILE_ONE_(BEST, e)
#define CMK_TILE_ONE_(BEST, N)                                                                                         \
    CMK_NEEDS_(CMK_TILE_MACRO_ BEST, CMK_TILE_BEST_ BEST != N,                                                    \
                    "bank conflicts, but none with a " CMK_TILE_WHAT_ BEST " of " #N);
#define CMK_TILE_MACRO_(MACRO, WHAT, best) MACRO
#define CMK_TILE_WHAT_(MACRO, WHAT, best) WHAT
#define CMK_TILE_BEST_(MACRO, WHAT, best) best
/* clang-format on */

#define CMK_TILE_ASSERT_CONFLICT_FREE(tile, COLUMNS, WAY, BLOCK_X)                                                     \
    CMK_ASSERT_THEN_(                                                                                                  \
        (COLUMNS) <= CMK_TILE_PITCH_(tile), "cmk: CMK_TILE_ASSERT_CONFLICT_FREE: the tile has fewer than COLUMNS",     \
        CMK_TILE_PROVE_(                                                                                               \
            "CMK_TILE_ASSERT_CONFLICT_FREE", "PAD", ": a CMK_TILE_SWIZZLED may have none", CMK_TILE_BY_##WAY##_, tile, \
            BLOCK_X, CMK_TILE_NONE_(CMK_TILE_DEGREE_, cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_),                   \
            CMK_TILE_PAD_(cmk_size_, cmk_bytes_, cmk_run_, cmk_other_, cmk_valid_, cmk_size_ * (COLUMNS))))
#define CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, GRAIN, WAY, BLOCK_X)                                               \
    CMK_TILE_PROVE_("CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE", "GRAIN", "", CMK_TILE_BY_##WAY##_, tile, BLOCK_X,         \
                    CMK_TILE_GRAIN_NONE_(GRAIN, cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_),                         \
                    CMK_TILE_GRAIN_(cmk_bytes_, cmk_run_, cmk_other_, cmk_pitch_))
/* clang-format off */
#define CMK_TILE_GRAIN_(...)                                                                                           \
    (CMK_TILE_GRAIN_NONE_(4, __VA_ARGS__) ? 4 : CMK_TILE_GRAIN_NONE_(8, __VA_ARGS__) ? 8 :                             \
     CMK_TILE_GRAIN_NONE_(16, __VA_ARGS__) ? 16 : -1)
/* clang-format on */
#define CMK_TILE_GRAIN_NONE_(GRAIN, ...) CMK_TILE_NONE_(CMK_TILE_SWIZZLE_DEGREE_, __VA_ARGS__, GRAIN)

/* ---- Storage: COUNT parts of SHAPE */
#define CMK_TILE(T, name, ROWS, COLUMNS, PAD)                                                                          \
    CMK_TILE_ASSERT_STATIC_("CMK_TILE", "ROWS", "tile exceeds", sizeof(T), 1, ROWS, COLUMNS, PAD);                     \
    CMK_TILE_STORAGE_(T, name, ROWS, [(COLUMNS) + (PAD)], ROWS, COLUMNS, PAD)

#define CMK_TILE_3D(T, name, PLANES, ROWS, COLUMNS, PAD)                                                               \
    CMK_TILE_ASSERT_STATIC_("CMK_TILE_3D", "PLANES, ROWS", "tiles exceed", sizeof(T), PLANES, ROWS, COLUMNS, PAD);     \
    CMK_TILE_STORAGE_(T, name, PLANES, [ROWS][(COLUMNS) + (PAD)], (PLANES) * (ROWS), COLUMNS, PAD)

#define CMK_TILE_ASSERT_STATIC_(MACRO, SIZES, EXCEEDS, SIZE, PLANES, ROWS, COLUMNS, PAD)                               \
    CMK_NEEDS_(MACRO, (PLANES) >= 1 && (ROWS) >= 1 && (COLUMNS) >= 1, SIZES " and COLUMNS must be at least 1");        \
    CMK_NEEDS_(MACRO, (PAD) >= 0, "PAD must not be negative " CMK_TILE_MINUS_1_);                                      \
    CMK_NEEDS_(MACRO, (SIZE) * (PLANES) * (ROWS) * ((COLUMNS) + (PAD)) <= 49152,                                       \
               "the " EXCEEDS " the 48 KB of static shared memory")
#define CMK_TILE_MINUS_1_ "(CMK_TILE_PAD is -1 where none avoids bank conflicts)"

#define CMK_TILE_SWIZZLED(T, name, ROWS, COLUMNS, GRAIN)                                                               \
    CMK_STATIC_ASSERT(CMK_TILE_GRAIN_VALID_((int)sizeof(T), (int)sizeof(T) * (COLUMNS), GRAIN),                        \
                      "cmk: CMK_TILE_SWIZZLED: GRAIN must be 4, 8 or 16, hold whole elements, and be at most a row, "  \
                      "which must have a power of two of bytes");                                                      \
    CMK_TILE(T, name, ROWS, COLUMNS, 0)

#define CMK_TILE_BYTES(T, ROWS, COLUMNS, PAD) ((sizeof(T) * (ROWS) * ((COLUMNS) + (PAD)) + 127) / 128 * 128)

#define CMK_TILE_AT(T, name, OFFSET, COLUMNS, PAD)                                                                     \
    CMK_TILE_ASSERT_AT_("CMK_TILE_AT", "COLUMNS", T, OFFSET, 1, COLUMNS, PAD);                                         \
    CMK_TILE_STORAGE_AT_(T, name, [(COLUMNS) + (PAD)], OFFSET)

#define CMK_TILE_3D_AT(T, name, OFFSET, ROWS, COLUMNS, PAD)                                                            \
    CMK_TILE_ASSERT_AT_("CMK_TILE_3D_AT", "ROWS and COLUMNS", T, OFFSET, ROWS, COLUMNS, PAD);                          \
    CMK_TILE_STORAGE_AT_(T, name, [ROWS][(COLUMNS) + (PAD)], OFFSET)

#define CMK_TILE_ASSERT_AT_(MACRO, SIZES, T, OFFSET, ROWS, COLUMNS, PAD)                                               \
    CMK_NEEDS_(MACRO, (ROWS) >= 1 && (COLUMNS) >= 1 && (PAD) >= 0, SIZES " must be at least 1, PAD not negative");     \
    CMK_NEEDS_(MACRO, (OFFSET) % sizeof(T) == 0, "OFFSET must be a multiple of sizeof(T)")

/* ---- Fills. A thread fills the rows from `first` on that are `step` apart, and in them its own columns. */
#define CMK_TILE_FILL_1D_SYNC(tile, COLUMNS, READ) CMK_TILE_FILL_(tile, 0, 1, 1, COLUMNS, READ(cmk_column_))
#define CMK_TILE_FILL_SYNC(tile, ROWS, COLUMNS, READ)                                                                  \
    CMK_TILE_FILL_(tile, (int)threadIdx.y, ROWS, (int)blockDim.y, COLUMNS, READ(cmk_row_, cmk_column_))
#define CMK_TILE_FILL_(tile, first, ROWS, step, COLUMNS, value)                                                        \
    do {                                                                                                               \
        for (int cmk_row_ = (first); cmk_row_ < (ROWS); cmk_row_ += (step))                                            \
            for (int cmk_column_ = (int)threadIdx.x; cmk_column_ < (COLUMNS); cmk_column_ += (int)blockDim.x) {        \
                CMK_TURN_(cmk_row_ / (step)*65536 + cmk_column_ / (int)blockDim.x);                                    \
                CMK_TILE_SET(tile, cmk_row_, cmk_column_, value);                                                      \
            }                                                                                                          \
        __syncthreads();                                                                                               \
    } while (0)

#define CMK_TILE_LAUNCH(kernel, grid, block, BYTES, stream, ...)                                                       \
    (cmk_tile_allow_((size_t)(kernel), (BYTES)) == cudaSuccess                                                         \
         ? CMK_LAUNCH(kernel, grid, block, BYTES, stream, __VA_ARGS__)                                                 \
         : cmk_tile_refused_())

#if CMK_HAS_HOST_
static inline cudaError_t cmk_tile_allow_(size_t kernel, size_t bytes)
{
    if (bytes <= 49152) return cudaSuccess;
    return cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

/* the error of a kernel that may not have more shared memory; for a limit beyond the device, the runtime has "invalid
 * value" */
static inline cudaError_t cmk_tile_refused_(void)
{
    const cudaError_t error = cudaGetLastError();
    return error == cudaErrorInvalidValue ? cudaErrorLaunchOutOfResources : error;
}
#endif

#if defined(__CUDACC__)

#define CMK_TILE_STORAGE_(T, name, COUNT, SHAPE, ROWS, COLUMNS, PAD) __shared__ __align__(128) T name[COUNT] SHAPE
#define CMK_TILE_STORAGE_AT_(T, name, SHAPE, OFFSET) T(*const name) SHAPE = (T(*) SHAPE)(cmk_tile_dynamic_ + (OFFSET))
#define CMK_TILE_DYNAMIC(T, name) T *const name = (T *)cmk_tile_dynamic_
extern __shared__ __align__(1024) unsigned char cmk_tile_dynamic_[]; /* one for C and C++ linkage */
#define CMK_TILE_GET(tile, row, column) ((tile)[row][column])
#define CMK_TILE_SET(tile, row, column, value) ((void)((tile)[row][column] = (value)))

#else

#define CMK_TILE_STORAGE_(T, name, COUNT, SHAPE, ROWS, COLUMNS, PAD) CMK_HOST_TILE_(T, name, SHAPE, ROWS, COLUMNS, PAD)
#define CMK_TILE_STORAGE_AT_(T, name, SHAPE, OFFSET) CMK_HOST_TILE_AT_(T, name, SHAPE, OFFSET)
#define CMK_TILE_DYNAMIC(T, name) CMK_HOST_TILE_DYNAMIC_(T, name)
#define CMK_TILE_GET(tile, row, column) CMK_HOST_TILE_GET_(tile, row, column)
#define CMK_TILE_SET(tile, row, column, value) CMK_HOST_TILE_SET_(tile, row, column, value)

#endif

#endif
