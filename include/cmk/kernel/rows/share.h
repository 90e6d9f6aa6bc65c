/* kernel/rows/share.h: the work of a launch cut into equal shares, by rows. The rows go through one image after
 * another, and in an image through one strip after another. Rows of the first and of the last strip may take longer,
 * and count as more. */
#ifndef CMK_KERNEL_ROWS_SHARE_H
#define CMK_KERNEL_ROWS_SHARE_H

#include "image.h"

/* What a row of the first or the last strip of an image counts as, and one of another strip; `edge` is not less. */
typedef struct {
    int edge, inner;
} cmk_share_rates_;

/* All rows count alike. */
CMK_FOLDED_ cmk_share_rates_ cmk_share_alike_(void)
{
    const cmk_share_rates_ rates = {1, 1};
    return rates;
}

/* What one row of all strips of an image counts as. */
CMK_FOLDED_ int cmk_share_units_(int strips, cmk_share_rates_ rates)
{
    return strips > 1 ? rates.inner * strips + 2 * (rates.edge - rates.inner) : rates.edge;
}

/* A part of a share that lies in one strip of image z: `length` rows, which may be 0, from row y of the region on.
 * next: where the share goes on. */
typedef struct {
    cmk_i64 z, next;
    int strip, y, length;
} cmk_share_piece_;

/* Returns the piece of a share that begins at `at`. The share ends at `end`; both are counted as rows are, over all
 * images. Both ends of a share are rounded up to whole rows, so that shares meet without a gap. `left` is counted from
 * the begin of the image, and `until` from the begin of the strip to the share's end. A thread calls. */
CMK_DEVICE_ cmk_share_piece_ cmk_share_piece_of_(const cmk_image_region_ *region, cmk_share_rates_ rates, cmk_i64 at,
                                                 cmk_i64 end)
{
    const int last = region->strips - 1;
    const cmk_i64 rows = region->image.rows, each = cmk_share_units_(region->strips, rates) * rows;
    const cmk_i64 edge = rates.edge * rows, inner = rates.inner * rows;
    cmk_share_piece_ piece;
    piece.z = at / each;
    const cmk_i64 left = at - piece.z * each, before = left < edge ? 0 : (left - edge) / inner;
    piece.strip = rates.edge == rates.inner ? (int)(left / inner)
                  : left < edge             ? 0
                  : before < last - 1       ? (int)before + 1
                                            : last;
    const cmk_i64 begin = piece.strip > 0 ? edge + (piece.strip - 1) * inner : 0, until = end - piece.z * each - begin;
    const cmk_i64 rate = piece.strip == 0 || piece.strip == last ? rates.edge : rates.inner;
    piece.y = (int)((left - begin + rate - 1) / rate);
    piece.length = (int)(until < rate * rows ? (until + rate - 1) / rate : rows) - piece.y;
    piece.next = until < rate * rows ? end : at - left + begin + rate * rows;
    return piece;
}

#endif
