/* grid.h: drawn splits own every point once, neighbours know one another, a border and its interior are the part. */
#include <cmk/grid.h>
#include <random.h>
#include <tap.h>

enum { RANKS = 64 };

typedef struct {
    cmk_i64 global[3];
    int ranks, parts[3], periodic[3];
} split;

static cmk_grid grids[RANKS];

static void draw(split *s)
{
    s->ranks = 1 + (int)below(RANKS);
    for (int a = 0; a < 3; ++a) {
        s->global[a] = below(4) ? 1 + (cmk_i64)below(40) : 1;
        s->parts[a] = 0, s->periodic[a] = (int)below(2);
    }
    if (below(2)) s->parts[below(3)] = 1 + (int)below(4);
}

/* whether any parts are possible */
static int possible(const split *s)
{
    for (int z = 1; z <= s->ranks; ++z)
        for (int y = 1; y <= s->ranks; ++y)
            for (int x = 1; x <= s->ranks; ++x) {
                const int parts[3] = {z, y, x};
                int fits = z * y * x == s->ranks;
                for (int a = 0; a < 3; ++a)
                    fits &= parts[a] <= s->global[a] && (s->parts[a] == 0 || s->parts[a] == parts[a]);
                if (fits) return 1;
            }
    return 0;
}

static int owners(const split *s, cmk_i64 z, cmk_i64 y, cmk_i64 x)
{
    const cmk_i64 at[3] = {z, y, x};
    int count = 0;
    for (int r = 0; r < s->ranks; ++r) {
        int inside = 1;
        for (int a = 0; a < 3; ++a)
            inside &= at[a] >= grids[r].first[a] && at[a] < grids[r].first[a] + grids[r].count[a];
        count += inside;
    }
    return count;
}

static int owned_once(const split *s)
{
    int bad = 0;
    for (int n = 0; n < 40; ++n)
        bad += owners(s, (cmk_i64)below((size_t)s->global[0]), (cmk_i64)below((size_t)s->global[1]),
                      (cmk_i64)below((size_t)s->global[2])) != 1;
    for (int r = 0; r < s->ranks; ++r)
        for (int a = 0; a < 3; ++a) {
            const cmk_i64 least = cmk_grid_smallest(&grids[r], a);
            bad += grids[r].count[a] < least || grids[r].count[a] > least + 1 || least < 1;
        }
    return bad == 0;
}

/* the rank that owns the point next to a part on a side, by a search */
static int beside(const split *s, const cmk_grid *g, const int by[3])
{
    cmk_i64 at[3];
    for (int a = 0; a < 3; ++a) {
        at[a] = by[a] < 0 ? g->first[a] - 1 : by[a] > 0 ? g->first[a] + g->count[a] : g->first[a];
        if ((at[a] < 0 || at[a] >= s->global[a]) && !s->periodic[a]) return -1;
        at[a] = (at[a] + s->global[a]) % s->global[a];
    }
    for (int r = 0; r < s->ranks; ++r) {
        int inside = 1;
        for (int a = 0; a < 3; ++a)
            inside &= at[a] >= grids[r].first[a] && at[a] < grids[r].first[a] + grids[r].count[a];
        if (inside) return r;
    }
    return -2;
}

static int neighbours_right(const split *s)
{
    int bad = 0;
    for (int r = 0; r < s->ranks; ++r)
        for (int d = 0; d < 27; ++d) {
            const int by[3] = {d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
            bad += cmk_grid_neighbour(&grids[r], by[0], by[1], by[2]) != beside(s, &grids[r], by);
        }
    return bad == 0;
}

static int in_box(const cmk_box *b, cmk_i64 z, cmk_i64 y, cmk_i64 x)
{
    const cmk_i64 at[3] = {z, y, x};
    int inside = 1;
    for (int a = 0; a < 3; ++a) inside &= at[a] >= b->first[a] && at[a] < b->first[a] + b->count[a];
    return inside;
}

/* whether a point is within width of a side that has a neighbour */
static int close_by(const cmk_grid *g, const int width[3], cmk_i64 z, cmk_i64 y, cmk_i64 x)
{
    const cmk_i64 at[3] = {z, y, x};
    for (int a = 0; a < 3; ++a) {
        const int low = cmk_grid_neighbour(g, a == 0 ? -1 : 0, a == 1 ? -1 : 0, a == 2 ? -1 : 0) >= 0;
        const int high = cmk_grid_neighbour(g, a == 0, a == 1, a == 2) >= 0;
        if ((low && at[a] < width[a]) || (high && at[a] >= g->count[a] - width[a])) return 1;
    }
    return 0;
}

/* whether the points of a box with ghosts are the owned ones, and those a step further from a neighbour's side */
static int held_right(const cmk_grid *g)
{
    const int ghosts[3] = {(int)below(4), (int)below(4), (int)below(4)};
    const cmk_box held = cmk_grid_held(g, ghosts);
    int right = 1;
    for (int a = 0; a < 3; ++a) {
        const int low = cmk_grid_neighbour(g, a == 0 ? -1 : 0, a == 1 ? -1 : 0, a == 2 ? -1 : 0) >= 0;
        const int high = cmk_grid_neighbour(g, a == 0, a == 1, a == 2) >= 0;
        right &= held.first[a] == (low ? -ghosts[a] : 0);
        right &= held.first[a] + held.count[a] == g->count[a] + (high ? ghosts[a] : 0);
    }
    return right;
}

static int boxes_right(const cmk_grid *g)
{
    const int width[3] = {(int)below(4), (int)below(4), (int)below(4)};
    cmk_box border[6], interior = cmk_grid_interior(g, width), owned = cmk_grid_owned(g);
    const int boxes = cmk_grid_border(g, width, border);
    int bad = boxes < 0 || boxes > 6;
    for (int b = 0; b < boxes; ++b)
        for (int a = 0; a < 3; ++a) bad += border[b].count[a] < 1;
    for (cmk_i64 z = -1; z <= g->count[0]; ++z)
        for (cmk_i64 y = -1; y <= g->count[1]; ++y)
            for (cmk_i64 x = -1; x <= g->count[2]; ++x) {
                const int own = in_box(&owned, z, y, x), near_side = own && close_by(g, width, z, y, x);
                int in_border = 0;
                for (int b = 0; b < boxes; ++b) in_border += in_box(&border[b], z, y, x);
                bad += in_border != near_side || in_box(&interior, z, y, x) != (own && !near_side);
            }
    return bad == 0;
}

static void check_drawn(void)
{
    int refusals = 0, splits = 0, bad_refusals = 0, bad_owners = 0, bad_neighbours = 0, bad_boxes = 0, bad_held = 0;
    for (int n = 0; n < 2000; ++n) {
        split s;
        draw(&s);
        int split_all = 1;
        for (int r = 0; r < s.ranks; ++r)
            split_all &= cmk_grid_split(&grids[r], r, s.ranks, s.global, s.parts, s.periodic);
        bad_refusals += split_all != possible(&s) || (split_all ? grids[0].why[0] != 0 : grids[0].why[0] == 0);
        refusals += !split_all;
        if (!split_all) continue;
        ++splits;
        bad_owners += !owned_once(&s);
        bad_neighbours += !neighbours_right(&s);
        bad_boxes += !boxes_right(&grids[below((size_t)s.ranks)]);
        bad_held += !held_right(&grids[below((size_t)s.ranks)]);
    }
    tap_check(bad_refusals == 0, "%d splits that can be, %d that cannot and say so", splits, refusals);
    tap_check(bad_owners == 0, "every point has one owner, parts differ by one point at most");
    tap_check(bad_neighbours == 0, "26 neighbours, by a search");
    tap_check(bad_held == 0, "a part and its ghosts end where neighbours are");
    tap_check(bad_boxes == 0, "border and interior are the part, and the border is what is close to neighbours");
}

static void check_chosen(int ranks, cmk_i64 planes, cmk_i64 rows, cmk_i64 columns, int z, int y, int x)
{
    const cmk_i64 global[3] = {planes, rows, columns};
    cmk_grid g;
    const int split_it = cmk_grid_split(&g, ranks - 1, ranks, global, NULL, NULL);
    tap_check(split_it && g.parts[0] == z && g.parts[1] == y && g.parts[2] == x,
              "%d ranks of %lld x %lld x %lld: chosen %d x %d x %d", ranks, planes, rows, columns, g.parts[0],
              g.parts[1], g.parts[2]);
}

static void check_refused(const char *sentence, int rank, int ranks, cmk_i64 planes, int parts_of_planes)
{
    const cmk_i64 global[3] = {planes, 8, 8};
    const int parts[3] = {parts_of_planes, 1, 1};
    cmk_grid g;
    const int split_it = cmk_grid_split(&g, rank, ranks, global, parts, NULL);
    const int right = tap_check(!split_it && strcmp(g.why, sentence) == 0, "refused: %s", sentence);
    if (!right) printf("# %s\n", g.why);
}

int main(void)
{
    random_state = 1;
    check_drawn();
    check_chosen(2, 512, 512, 512, 2, 1, 1);
    check_chosen(8, 512, 512, 512, 4, 2, 1);
    check_chosen(4, 1, 4096, 4096, 1, 4, 1);
    check_chosen(4, 1, 1, 100000, 1, 1, 4);
    check_chosen(6, 3, 2, 1000, 1, 1, 6);
    check_refused("rank 4 is none of 4 ranks, which begin at 0", 4, 4, 8, 4);
    check_refused("rank -1 is none of 4 ranks, which begin at 0", -1, 4, 8, 4);
    check_refused("rank 0 is none of 0 ranks, which begin at 0", 0, 0, 8, 1);
    check_refused("the grid has 0 planes", 0, 1, 0, 1);
    check_refused("the grid has -2 parts of planes", 0, 2, 8, -2);
    check_refused("4 ranks cannot have the parts 3 x 1 x 1 (0: any) of 8 x 8 x 8", 0, 4, 8, 3);
    check_refused("4 ranks cannot have the parts 4 x 1 x 1 (0: any) of 3 x 8 x 8", 0, 4, 3, 4);
    return tap_done();
}
