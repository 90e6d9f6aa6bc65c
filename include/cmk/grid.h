/* grid.h: which points of a grid each rank owns, when the grid is split over ranks. Plain C on the host. The axes are
 * planes, rows and columns, in this order.
 *
 *   int cmk_grid_split(cmk_grid *grid, int rank, int ranks, const cmk_i64 global[3], const int parts[3],
 *                      const int periodic[3])
 *       splits a grid of global[3] points into parts[0] x parts[1] x parts[2] parts, one for each rank, and finds the
 *       part of `rank`. A 2D grid has one plane, a 1D grid one row. A parts[axis] of 0 is chosen, so that the faces are
 *       the cheapest; where parts is NULL all are chosen. periodic[axis] says whether the last point is followed by the
 *       first; where periodic is NULL no axis is periodic. Value: 1, or 0 where the grid cannot be split, with one
 *       sentence about it in grid->why. A part has at least one point, an axis at most 2^60, and there are at most 2^24
 *       ranks.
 *
 *   cmk_grid                            a struct; all but rank, place, first and count is the same on all ranks
 *       rank, ranks
 *       global[3], parts[3], periodic[3]
 *       place[3]                        of this rank among the parts: rank = (place[0] * parts[1] + place[1]) *
 *                                       parts[2] + place[2]
 *       first[3], count[3]              its points: point (z, y, x) of the part is point (first[0] + z, first[1] + y,
 *                                       first[2] + x) of the grid. Parts of an axis differ by one point at most
 *       why                             one sentence, after a split that failed
 *   cmk_box                             first[3], count[3]: points of a part, which begin at (0, 0, 0); with ghosts
 *                                       first may be negative
 *
 *   int cmk_grid_neighbour(const cmk_grid *grid, int planes, int rows, int columns)
 *       the rank of the part at that offset; each of the three is -1, 0 or 1. -1 where the grid ends. Along a periodic
 *       axis of one part a rank is its own neighbour
 *   int cmk_grid_has_neighbours(const cmk_grid *grid, int axis)
 *       whether parts have ghosts along an axis: it has more than one part, or is periodic
 *   cmk_i64 cmk_grid_smallest(const cmk_grid *grid, int axis)
 *       how many points the smallest part has along an axis; no reach may be larger
 *   cmk_box cmk_grid_owned(const cmk_grid *grid)
 *       all points of the part
 *   cmk_box cmk_grid_held(const cmk_grid *grid, const int ghosts[3])
 *       all points of the part and its ghosts: ghosts[axis] along each axis, on the sides that have a neighbour
 *   cmk_box cmk_grid_interior(const cmk_grid *grid, const int width[3])
 *       the points that are at least width[axis] away from every neighbour. If the width is at least the reach, they
 *       read no ghost. A count may be 0
 *   int cmk_grid_border(const cmk_grid *grid, const int width[3], cmk_box border[6])
 *       all other owned points, as boxes in border that do not overlap. Value: how many boxes, 0 to 6. All points
 *       within reach of a neighbour are among them, so that the boxes hold everything that is sent
 *
 *   cmk_grid grid;
 *   const cmk_i64 global[3] = {512, 512, 512};
 *   if (!cmk_grid_split(&grid, rank, ranks, global, NULL, NULL)) return puts(grid.why); */
#ifndef CMK_GRID_H
#define CMK_GRID_H

#include "base.h"

#if CMK_HAS_HOST_

#include <stdarg.h>

typedef struct cmk_grid {
    int rank, ranks, parts[3], place[3], periodic[3];
    cmk_i64 global[3], first[3], count[3];
    char why[192];
} cmk_grid;

typedef struct cmk_box {
    cmk_i64 first[3], count[3];
} cmk_box;

/* The cost of a point of a face, in quarters of the cost of a point between planes. Planes are sent as they lie in
 * memory. Rows and columns are packed, and each point of a column takes a sector of memory:
 * bench/results/history/2026-11-25-h100-halo.md. */
enum { cmk_grid_ranks_most_ = 1 << 24 }; /* parts of these are chosen within a second */
enum { cmk_grid_plane_cost_ = 4, cmk_grid_row_cost_ = 5, cmk_grid_column_cost_ = 16 };

/* the cost of the faces of the largest part */
static inline double cmk_grid_cost_(const cmk_i64 global[3], const int parts[3])
{
    const int each[3] = {cmk_grid_plane_cost_, cmk_grid_row_cost_, cmk_grid_column_cost_};
    double count[3], cost = 0.0;
    for (int a = 0; a < 3; ++a) count[a] = (double)((global[a] + parts[a] - 1) / parts[a]);
    for (int a = 0; a < 3; ++a)
        if (parts[a] > 1) cost += each[a] * count[(a + 1) % 3] * count[(a + 2) % 3];
    return cost;
}

/* finds the cheapest parts that agree with the given ones that are not 0; value: 0 where there are none */
static inline int cmk_grid_choose_(int ranks, const cmk_i64 global[3], const int given[3], int parts[3])
{
    double least = -1.0;
    for (int planes = 1; planes <= ranks; ++planes)
        for (int rows = 1; ranks % planes == 0 && rows <= ranks / planes; ++rows) {
            const int tried[3] = {planes, rows, ranks / planes / rows};
            int fits = ranks / planes % rows == 0;
            for (int a = 0; a < 3; ++a) fits &= tried[a] <= global[a] && (given[a] == 0 || given[a] == tried[a]);
            const double cost = fits ? cmk_grid_cost_(global, tried) : 0.0;
            if (!fits || (least >= 0.0 && cost >= least)) continue;
            least = cost;
            for (int a = 0; a < 3; ++a) parts[a] = tried[a];
        }
    return least >= 0.0;
}

/* sets the place of the grid's rank, and its points */
static inline void cmk_grid_locate_(cmk_grid *grid)
{
    for (int a = 2, rest = grid->rank; a >= 0; --a) {
        const cmk_i64 each = grid->global[a] / grid->parts[a], more = grid->global[a] % grid->parts[a];
        const int at = rest % grid->parts[a];
        rest /= grid->parts[a];
        grid->place[a] = at;
        grid->first[a] = at * each + (at < more ? at : more);
        grid->count[a] = each + (at < more);
    }
}

/* Writes to grid->why, as printf does, why the grid cannot be split. It is not inlined: compilers would misjudge the
 * length of the text. */
__attribute__((format(printf, 2, 3), noinline, unused)) static void cmk_grid_refuse_(cmk_grid *grid, const char *format,
                                                                                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(grid->why, sizeof grid->why, format, arguments);
    va_end(arguments);
}

static inline int cmk_grid_split(cmk_grid *grid, int rank, int ranks, const cmk_i64 global[3], const int parts[3],
                                 const int periodic[3])
{
    const int any[3] = {0, 0, 0}, *const given = parts ? parts : any;
    static const char *const axis[3] = {"planes", "rows", "columns"};
    memset(grid, 0, sizeof *grid);
    grid->rank = rank, grid->ranks = ranks;
    for (int a = 0; a < 3; ++a) {
        grid->global[a] = global[a], grid->periodic[a] = periodic && periodic[a];
        if (global[a] < 1) cmk_grid_refuse_(grid, "the grid has %lld %s", global[a], axis[a]);
        if (global[a] > (cmk_i64)1 << 60)
            cmk_grid_refuse_(grid, "the grid has %lld %s, more than 2^60", global[a], axis[a]);
        if (given[a] < 0) cmk_grid_refuse_(grid, "the grid has %d parts of %s", given[a], axis[a]);
    }
    if (ranks < 1 || rank < 0 || rank >= ranks)
        cmk_grid_refuse_(grid, "rank %d is none of %d ranks, which begin at 0", rank, ranks);
    if (ranks > cmk_grid_ranks_most_) cmk_grid_refuse_(grid, "%d ranks are more than %d", ranks, cmk_grid_ranks_most_);
    if (grid->why[0]) return 0;
    if (!cmk_grid_choose_(ranks, global, given, grid->parts)) {
        cmk_grid_refuse_(grid, "%d ranks cannot have the parts %d x %d x %d (0: any) of %lld x %lld x %lld", ranks,
                         given[0], given[1], given[2], global[0], global[1], global[2]);
        return 0;
    }
    cmk_grid_locate_(grid);
    return 1;
}

static inline int cmk_grid_neighbour(const cmk_grid *grid, int planes, int rows, int columns)
{
    const int by[3] = {planes, rows, columns};
    int rank = 0;
    for (int a = 0; a < 3; ++a) {
        const int at = grid->place[a] + by[a];
        if ((at < 0 || at >= grid->parts[a]) && !grid->periodic[a]) return -1;
        rank = rank * grid->parts[a] + (at + grid->parts[a]) % grid->parts[a];
    }
    return rank;
}

/* the neighbour along one axis, on the lower (side -1) or upper (1) side */
static inline int cmk_grid_beside_(const cmk_grid *grid, int axis, int side)
{
    return cmk_grid_neighbour(grid, axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
}

static inline int cmk_grid_has_neighbours(const cmk_grid *grid, int axis)
{
    return grid->parts[axis] > 1 || grid->periodic[axis];
}

static inline cmk_i64 cmk_grid_smallest(const cmk_grid *grid, int axis)
{
    return grid->global[axis] / grid->parts[axis];
}

static inline cmk_box cmk_grid_owned(const cmk_grid *grid)
{
    cmk_box box;
    for (int a = 0; a < 3; ++a) box.first[a] = 0, box.count[a] = grid->count[a];
    return box;
}

static inline cmk_box cmk_grid_held(const cmk_grid *grid, const int ghosts[3])
{
    cmk_box box = cmk_grid_owned(grid);
    for (int a = 0; a < 3; ++a) {
        const int low = cmk_grid_beside_(grid, a, -1) >= 0, high = cmk_grid_beside_(grid, a, 1) >= 0;
        box.first[a] -= low ? ghosts[a] : 0;
        box.count[a] += (low + high) * (cmk_i64)ghosts[a];
    }
    return box;
}

/* cuts a slab of `width` points off one side of a box along an axis; value: the slab */
static inline cmk_box cmk_grid_cut_(cmk_box *box, int axis, int side, cmk_i64 width)
{
    cmk_box slab = *box;
    slab.count[axis] = width < box->count[axis] ? width : box->count[axis];
    box->count[axis] -= slab.count[axis];
    if (side < 0) box->first[axis] += slab.count[axis];
    if (side > 0) slab.first[axis] += box->count[axis];
    return slab;
}

/* Cuts slabs off the owned points, on all sides with a neighbour. Value: what is left; *boxes counts the slabs that are
 * not empty. */
static inline cmk_box cmk_grid_cut_all_(const cmk_grid *grid, const int width[3], cmk_box border[6], int *boxes)
{
    cmk_box rest = cmk_grid_owned(grid);
    *boxes = 0;
    for (int a = 0; a < 3; ++a)
        for (int side = -1; side <= 1; side += 2) {
            if (cmk_grid_beside_(grid, a, side) < 0) continue;
            border[*boxes] = cmk_grid_cut_(&rest, a, side, width[a]);
            *boxes += border[*boxes].count[0] > 0 && border[*boxes].count[1] > 0 && border[*boxes].count[2] > 0;
        }
    return rest;
}

static inline cmk_box cmk_grid_interior(const cmk_grid *grid, const int width[3])
{
    cmk_box border[6];
    int boxes;
    return cmk_grid_cut_all_(grid, width, border, &boxes);
}

static inline int cmk_grid_border(const cmk_grid *grid, const int width[3], cmk_box border[6])
{
    int boxes;
    (void)cmk_grid_cut_all_(grid, width, border, &boxes);
    return boxes;
}

#endif

#endif
