/* kernel/point/border.h: a launch whose blocks of the border run first and count up a word: which block of it is which,
 * and the host's division. Blocks are as in grid.h: tiles across columns and down rows, chunks of planes; those of the
 * border are the chunks at both ends of the planes, and tiles at the sides of the part, the rim, in all chunks.
 *
 * Where blocks go along planes, the first chunk counts once it is behind the border's planes. The border's last planes
 * are a chunk of its own, of short blocks, which go where the last wave of the others leaves places of the device free:
 * they cost nothing there. */
#ifndef CMK_KERNEL_POINT_BORDER_H
#define CMK_KERNEL_POINT_BORDER_H

#include "passes.h"

/* the chunks of planes, and those of the border at both ends; the tiles of the rim, by columns and rows of them; the
 * end of the border's first planes, and where the chunks between end */
typedef struct {
    unsigned chunks, low, high, above, below, left, right;
    unsigned ahead; /* of the other blocks, those before the chunks at the high end */
    int told, last;
    unsigned *arrived;
} cmk_point_inward_;

/* tile i of the rim: the rows of tiles above and below, then those between, at the left and at the right */
CMK_INLINED_ cmk_point_where_ cmk_point_rim_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned i)
{
    const unsigned sides = in->left + in->right, upper = in->above * task->across;
    const unsigned ends = upper + in->below * task->across;
    cmk_point_where_ block = {i % task->across, i / task->across, 0, 1};
    if (i >= upper) block.down += task->down - in->above - in->below;
    if (i < ends) return block;
    block.across = (i - ends) % sides;
    if (block.across >= in->left) block.across += task->across - sides;
    block.down = in->above + (i - ends) / sides;
    return block;
}

CMK_INLINED_ int cmk_point_in_rim_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned across,
                                   unsigned down)
{
    return across < in->left || across >= task->across - in->right || down < in->above ||
           down >= task->down - in->below;
}

/* Block i of the launch: the chunks at both ends first, then the rim between them, then all others; but `ahead` blocks
 * come before those of the high end. */
CMK_INLINED_ cmk_point_where_ cmk_point_inward_of_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned i)
{
    const unsigned tiles = task->across * task->down, low = in->low * tiles, high = in->high * tiles;
    const unsigned between = in->chunks - in->low - in->high;
    const unsigned across = task->across - in->left - in->right, inner = across * (task->down - in->above - in->below);
    const unsigned rim = tiles - inner;
    const int at_end = i >= in->ahead && i < in->ahead + high;
    if (i >= in->ahead) i = at_end ? i - in->ahead : i - high;
    cmk_point_where_ block = {i % tiles % task->across, i % tiles / task->across, i / tiles, 1};
    if (at_end) block.behind += in->low + between;
    if (at_end || i < low) return block;
    i -= low;
    if (i < rim * between) {
        block = cmk_point_rim_(task, in, i % rim);
        block.behind = in->low + i / rim;
        return block;
    }
    i -= rim * between;
    block.across = in->left + i % inner % across;
    block.down = in->above + i % inner / across;
    block.behind = in->low + i / inner;
    block.border = 0;
    return block;
}

/* the planes of a block that goes along them; moves p to the first */
CMK_INLINED_ cmk_point_chunk_ cmk_point_chunk_inward_(const cmk_point_task_ *task, const cmk_point_inward_ *in,
                                                      cmk_point_where_ block, cmk_point_place_ *p)
{
    const int is_last = in->high > 0 && block.behind == in->chunks - 1, end = p->plane + task->deep;
    cmk_point_chunk_ chunk = {end < in->last ? end : in->last, -1, in->arrived};
    if (is_last) {
        p->plane = in->last;
        chunk.end = task->planes.end;
    }
    if (block.border) chunk.told = chunk.end;
    if (block.behind < in->low && in->told < chunk.end && !cmk_point_in_rim_(task, in, block.across, block.down))
        chunk.told = in->told;
    return chunk;
}

/* Of a pass of several steps along planes: block i of the launch, of which the chunks at both ends come first; whether
 * it is one of these. */
CMK_INLINED_ unsigned cmk_point_ends_first_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned i)
{
    const unsigned tiles = task->across * task->down, chunk = i / tiles;
    if (chunk < in->low) return i;
    return chunk < in->low + in->high ? i + (in->chunks - in->low - in->high) * tiles : i - in->high * tiles;
}

CMK_INLINED_ int cmk_point_at_ends_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned i)
{
    return i / (task->across * task->down) < in->low + in->high;
}

#if CMK_HAS_HOST_

/* The border of a grid's part: so many planes, rows and columns at the low and at the high sides, 0 where none. arrived
 * is a word of device memory, 0 before the first launch; count is what it has come to behind the border of the last. */
typedef struct cmk_point_border {
    size_t low[3], high[3];
    unsigned *arrived, count;
} cmk_point_border;

/* that of a rank: width[axis] wherever it has a neighbour */
CMK_POINT_UNUSED_ static inline cmk_point_border cmk_point_border_of(const cmk_grid *split, const int width[3],
                                                                     unsigned *arrived)
{
    cmk_point_border border;
    memset(&border, 0, sizeof border);
    for (int axis = 0; axis < 3; ++axis) {
        border.low[axis] = (size_t)cmk_point_beside_rank_(split, axis, -1, width);
        border.high[axis] = (size_t)cmk_point_beside_rank_(split, axis, 1, width);
    }
    border.arrived = arrived;
    return border;
}

/* of so many tiles over size elements, those that have some of the first `low`, or of the last `high` */
static inline void cmk_point_sides_(size_t size, unsigned each, unsigned tiles, size_t low, size_t high,
                                    unsigned *first, unsigned *last)
{
    const size_t least = low < size ? low : size, most = high < size ? high : size;
    *first = least > 0 ? (unsigned)((least - 1) / each + 1) : 0;
    *last = most > 0 ? tiles - (unsigned)((size - most) / each) : 0;
    if (*last > tiles - *first) *last = tiles - *first;
}

/* planes' time of a short block of the border */
static inline unsigned cmk_point_short_block_(cmk_point_definition_ d, size_t high)
{
    return (unsigned)high + 2 * (unsigned)CMK_POINT_PLANES_OF_(d.reach) + cmk_point_border_start_;
}

/* How many blocks go before the short ones of the border's last planes: where the last wave of the others leaves so
 * many places of the device free that these run there one behind the other, and are done in time, as many as that wave
 * has; else none. Two waves of several chunks, and more, are faster with none: 2026-11-25-depths.md. */
static inline unsigned cmk_point_ahead_of_ends_(cmk_point_definition_ d, const cmk_point_task_ *task, unsigned others,
                                                unsigned resident, size_t high)
{
    const unsigned wave = others % resident, places = resident - wave, tiles = task->across * task->down;
    const double rounds = (double)((tiles - 1) / places + 1), waves = (double)(others / resident + 1);
    const double length = (double)(task->deep + 2 * CMK_POINT_PLANES_OF_(d.reach)) * waves;
    if (wave == 0 || (others > tiles && others > 2 * resident)) return 0;
    return 100.0 * rounds * cmk_point_short_block_(d, high) <= (int)cmk_point_border_late_ * length ? wave : 0;
}

/* The chunks of all planes but the last of the border, which are another. Where short blocks go first, and all others
 * follow in the same wave, the last chunk is as much shorter. */
static inline void cmk_point_cut_end_(cmk_point_definition_ d, size_t planes, size_t high, int processors,
                                      cmk_point_task_ *task, cmk_point_inward_ *in)
{
    const unsigned tiles = task->across * task->down, resident = (unsigned)(cmk_point_blocks_(d, 1) * processors);
    const size_t others = planes - high;
    task->deep = (int)((others - 1) / in->chunks + 1);
    in->ahead = cmk_point_ahead_of_ends_(d, task, tiles * in->chunks, resident, high);
    if (in->ahead == 0 && (double)tiles * in->chunks <= (double)resident)
        task->deep = (int)((others + cmk_point_short_block_(d, high) - 1) / in->chunks + 1);
    in->chunks = (unsigned)((others - 1) / (size_t)task->deep) + 2;
    in->high = 1;
}

/* The chunks of a part of so many planes, of which blocks go along `deep` unless they hold tiles of planes. */
static inline void cmk_point_ends_(const cmk_point_sizes_ *s, const cmk_point_border *border, cmk_point_definition_ d,
                                   int processors, cmk_point_task_ *task, cmk_point_inward_ *in)
{
    const size_t planes = s->end_plane - s->first_plane, low = border->low[0], high = border->high[0];
    in->chunks = (unsigned)((planes - 1) / (size_t)task->deep + 1);
    in->last = in->told = (int)s->end_plane;
    if (!task->rings || low >= planes || high >= planes - low) {
        cmk_point_sides_(planes, (unsigned)task->deep, in->chunks, low, high, &in->low, &in->high);
        if (task->rings && low + high > 0) in->low = in->chunks, in->high = 0;
        return;
    }
    if (low > 0) in->told = (int)(s->first_plane + low);
    if (high > 0) in->last = (int)(s->end_plane - high);
    if (high > 0) cmk_point_cut_end_(d, planes, high, processors, task, in);
    if (low > 0) in->low = (unsigned)((low - 1) / (size_t)task->deep + 1);
}

#endif

#endif
