/* kernel/point/border.h: a launch whose blocks of the border run first and count up a word: which block of it is which,
 * and how the host divides it.
 *
 * Blocks are as in grid.h: tiles across the columns and down the rows, and chunks of planes. The border's blocks are
 * the chunks at both ends of the planes, and, in all chunks, the rim: the tiles at the sides of the part.
 *
 * Where blocks go along planes, the first chunk counts when it has done the border's planes. The border's last planes
 * are a chunk of their own, of short blocks. These run where the last wave of the others leaves places of the device
 * free, and cost nothing there.
 *
 * In all functions here:
 *
 *   task       a cmk_point_task_ (grid.h), a parameter of the kernel. across, down: the tiles of blocks over the part.
 *              deep: the planes of a chunk. rings: 1 where blocks go along planes, through shared memory
 *   in         a cmk_point_inward_, below, a parameter of the kernel too
 *   i          the number of a block in the launch, blockIdx.x, unless another is named
 *   block      a cmk_point_where_ (grid.h): the tile and the chunk that a block does, counted across the columns, down
 *              the rows and behind along the planes; border is 1 where it is of the border
 *   d          a cmk_point_definition_ (grid.h): the constants of the definition, on the host
 *   low, high, size    points along an axis: of the border at its two ends, and of the part
 *   cmk_point_blocks_    of grid.h: the blocks of an SM by the launch bounds, taken as those that run at once
 *   processors    the SMs
 *   s          a cmk_point_sizes_ (grid.h): the part has planes s->first_plane to s->end_plane - 1
 *   split      a cmk_grid (../../grid.h), a rank's place among ranks. cmk_point_beside_rank_(split, axis, side, width)
 *              of members.h is width[axis] where the rank has a neighbour on this side, else 0
 *   d.reach    the largest reach of all fields. CMK_POINT_PLANES_OF_ (point.h) gives its planes, 0 to 8, on one side of
 *              a point
 *   cmk_point_border_late_    of tune.h: short blocks in free places must be done by these hundredths of the others'
 *              time
 *   CMK_INLINED_    (base.h) an inlined device function. CMK_UNUSED_ (point.h): a program need not call it.
 *              CMK_HAS_HOST_ is 0 where NVRTC compiles device code alone
 *
 * The chunks low and high are at most all chunks, and above and below, or left and right, at most all tiles of a column
 * or row: cmk_point_sides_ and cmk_point_ends_ see to it. So no difference of these is below 0. All blocks of a launch
 * fit an int, as cmk_point_plan_border_ (call.h) or cmk_point_plan_pass_ (passes.h) has checked. So products of tiles
 * and chunks fit an unsigned.
 *
 * All threads of a block call the functions up to CMK_HAS_HOST_, for the same block. The host calls the others. */
#ifndef CMK_KERNEL_POINT_BORDER_H
#define CMK_KERNEL_POINT_BORDER_H

#include "passes.h"

/* The blocks of such a launch. First are the chunks of planes, and those of the border at both ends, low and high. Then
 * come the tiles of the rim: rows of them above and below, columns of them at the left and the right. The border's
 * first planes end at plane `told`, where a block of the first chunks counts up the word, and the chunks between the
 * ends at plane `last`. Both are planes of the grid, and are used only where blocks go along planes. `arrived` is the
 * word in device memory. In 2D a chunk is an image, and none is at an end. */
typedef struct {
    unsigned chunks, low, high, above, below, left, right;
    unsigned ahead; /* the other blocks that come before the chunks at the high end */
    int told, last;
    unsigned *arrived;
} cmk_point_inward_;

/* Returns tile i of the rim, in chunk 0, as a block of the border. First come the rows of tiles above and below, then
 * the tiles between, at the left and at the right. */
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

/* Returns whether the tile at this place, in tiles across and down, is of the rim. */
CMK_INLINED_ int cmk_point_in_rim_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned across,
                                   unsigned down)
{
    return across < in->left || across >= task->across - in->right || down < in->above ||
           down >= task->down - in->below;
}

/* Returns what block i of the launch does: name_bordered_kernel calls it. The chunks at both ends come first, then the
 * rim between them, then all others. But in->ahead blocks come before those of the high end. `border` is 1, the last
 * initializer, for all but the others. */
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

/* Returns the planes of a block that goes along them, as a cmk_point_chunk_ (ring.h), and moves p to the first of
 * these. Its member told is the index behind the last plane that is done before the block counts up the word. It is -1
 * where the block does not count. The place p is that of the thread's tile (../../point.h), at the first plane of the
 * chunk. Its other members are the end of the planes, in->last at most but for the last chunk, and the word. */
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

/* Returns what this block does, and below its planes, as name_run_ asks for them. `in` is NULL of a launch without a
 * border. */
CMK_INLINED_ cmk_point_where_ cmk_point_block_of_(const cmk_point_task_ *task, const cmk_point_inward_ *in)
{
    return in == NULL ? cmk_point_where_of_(task) : cmk_point_inward_of_(task, in, blockIdx.x);
}

CMK_INLINED_ cmk_point_chunk_ cmk_point_chunk_of_(const cmk_point_task_ *task, const cmk_point_inward_ *in,
                                                  cmk_point_where_ block, cmk_point_place_ *p)
{
    return in == NULL ? cmk_point_chunk_whole_(task, p) : cmk_point_chunk_inward_(task, in, block, p);
}

/* Returns the number that block i of the launch has in a pass without a border. In a pass of several steps along
 * planes, by name_bordered_steps_kernel, the chunks at both ends come first. */
CMK_INLINED_ unsigned cmk_point_ends_first_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned i)
{
    const unsigned tiles = task->across * task->down, chunk = i / tiles;
    if (chunk < in->low) return i;
    return chunk < in->low + in->high ? i + (in->chunks - in->low - in->high) * tiles : i - in->high * tiles;
}

/* Returns whether block i of the launch is in a chunk at an end, so that it counts up the word behind its stores. */
CMK_INLINED_ int cmk_point_at_ends_(const cmk_point_task_ *task, const cmk_point_inward_ *in, unsigned i)
{
    return i / (task->across * task->down) < in->low + in->high;
}

#if CMK_HAS_HOST_

/* The border of a grid's part: its planes, rows and columns at the low and at the high sides, 0 where there is none.
 * The word arrived is in device memory, and is 0 before the first launch. The count is what the word has come to when
 * the border of the last launch is stored. */
typedef struct cmk_point_border {
    size_t low[3], high[3];
    unsigned *arrived, count;
} cmk_point_border;

/* Returns the border of a rank: width[axis] points on each side where it has a neighbour. The axes 0 to 2 are planes,
 * rows and columns, and the sides -1 and 1 the low and the high one. */
CMK_UNUSED_ static inline cmk_point_border cmk_point_border_of(const cmk_grid *split, const int width[3],
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

/* Returns why a border is too narrow. At a side it has fewer points than a field that is written reaches, so that the
 * neighbour there would read points too early. A side without points has no neighbour. `dims` is 2 or 3. */
static inline const char *cmk_point_border_why_(const cmk_point_border *border, int dims, const cmk_point_member_ *all,
                                                int members)
{
    for (int i = 0; i < 6 * members; ++i) {
        const int axis = i % 3, is_low = i % 6 < 3, shape = all[i / 6].shape;
        const int reaches[] = {dims == 3 ? CMK_POINT_PLANES_OF_(shape) : 0, CMK_POINT_ROWS_OF_(shape),
                               CMK_POINT_COLUMNS_OF_(shape)};
        const size_t width = is_low ? border->low[axis] : border->high[axis];
        if (all[i / 6].kind != cmk_point_KIND_IN && width > 0 && width < (size_t)reaches[axis])
            return cmk_why_("border.%s[%d] %zu is below %d, the reach of %s", is_low ? "low" : "high", axis, width,
                            reaches[axis], all[i / 6].name);
    }
    return NULL;
}

/* Sets how many tiles have some of the first `low` elements, and how many of the last `high`. There are `tiles` tiles
 * of `each` elements, over `size` elements. cmk_point_ends_ does so with chunks of planes. A tile that has elements of
 * both counts among the first. A tile counts where it has one such element, and a border wider than the part is all of
 * it. */
static inline void cmk_point_sides_(size_t size, unsigned each, unsigned tiles, size_t low, size_t high,
                                    unsigned *first, unsigned *last)
{
    const size_t least = low < size ? low : size, most = high < size ? high : size;
    *first = least > 0 ? (unsigned)((least - 1) / each + 1) : 0;
    *last = most > 0 ? tiles - (unsigned)((size - most) / each) : 0;
    if (*last > tiles - *first) *last = tiles - *first;
}

/* Returns the time of a short block of the border, of `high` planes, in planes. It also reads the reach at both ends,
 * and takes cmk_point_border_start_ planes (tune.h) to begin. */
static inline unsigned cmk_point_short_block_(cmk_point_definition_ d, size_t high)
{
    return (unsigned)high + 2 * (unsigned)CMK_POINT_PLANES_OF_(d.reach) + cmk_point_border_start_;
}

/* Returns how many blocks go before the short ones of the border's last planes. The last wave of the others may leave
 * enough places of the device free that the short blocks run there one after another, and end in time. Then it is as
 * many as that wave has, else 0. A last wave that is full leaves no places, and gives 0 too. `others` are all blocks
 * but the short ones, and `resident` those that run at once. Two waves of several chunks, and more waves, are faster
 * with 0: 2026-11-25-depths.md. A free place runs `rounds` short blocks. The others take `waves` waves, which are
 * `length` planes of a block, with those that it reads beside its own. */
static inline unsigned cmk_point_ahead_of_ends_(cmk_point_definition_ d, const cmk_point_task_ *task, unsigned others,
                                                unsigned resident, size_t high)
{
    const unsigned wave = others % resident, places = resident - wave, tiles = task->across * task->down;
    const double rounds = (double)((tiles - 1) / places + 1), waves = (double)(others / resident + 1);
    const double length = (double)(task->deep + 2 * CMK_POINT_PLANES_OF_(d.reach)) * waves;
    if (wave == 0 || (others > tiles && others > 2 * resident)) return 0;
    return 100.0 * rounds * cmk_point_short_block_(d, high) <= (int)cmk_point_border_late_ * length ? wave : 0;
}

/* Divides all `planes` of the part but the border's last `high` ones into chunks; those are one more chunk. Where short
 * blocks go first, and all others follow in the same wave, the last chunk is shorter by their time. in->chunks is the
 * number of chunks that a step without a border has, and becomes that of this launch. That may be fewer, and
 * all blocks ahead are of these. The 1 of cmk_point_blocks_, for aligned rows, changes nothing where blocks go along
 * planes. */
static inline void cmk_point_cut_end_(cmk_point_definition_ d, size_t planes, size_t high, int processors,
                                      cmk_point_task_ *task, cmk_point_inward_ *in)
{
    const unsigned tiles = task->across * task->down, resident = (unsigned)(cmk_point_blocks_(d, 1) * processors);
    const size_t others = planes - high;
    task->deep = (int)((others - 1) / in->chunks + 1);
    in->ahead =
        cmk_point_ahead_of_ends_(d, task, tiles * (unsigned)((others - 1) / (size_t)task->deep + 1), resident, high);
    if (in->ahead == 0 && (double)tiles * in->chunks <= (double)resident)
        task->deep = (int)((others + cmk_point_short_block_(d, high) - 1) / in->chunks + 1);
    in->chunks = (unsigned)((others - 1) / (size_t)task->deep) + 2;
    in->high = 1;
}

/* Divides the planes of a part into chunks, and sets which of them are at the ends. Blocks go along task->deep planes,
 * unless they have tiles of as many planes. Where blocks go along planes and the border has all planes, all chunks are
 * the low end's. */
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
