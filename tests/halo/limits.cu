/* Plans of grids that no machine holds: parts of more than 2^31 elements, faces of more than 2 GB, many ranks, axes of
 * one point. Nothing is allocated: what lies at an address is never asked. Plans that cannot be have a sentence. */
#include <cmk/check.h>
#include <cmk/halo.h>
#include <random.h>
#include <tap.h>

enum { RANKS = 8, PIECES = 27 * 4 };

typedef struct {
    cmk_halo_message_ message[PIECES];
    cmk_halo_piece_ piece[PIECES];
    cmk_halo_draft_ draft;
} way;

static cmk_halo halos[RANKS];
static way ways[RANKS][2]; /* sent, received */

/* ---- Splits */

/* parts of an axis follow one another, are nearly alike, and end with the axis */
static int axis_right(cmk_i64 count, int parts)
{
    const cmk_i64 global[3] = {count, 1, 1};
    const int given[3] = {parts, 1, 1};
    cmk_i64 next = 0;
    for (int r = 0; r < parts; ++r) {
        cmk_grid g;
        if (!cmk_grid_split(&g, r, parts, global, given, NULL) || g.first[0] != next || g.count[0] < 1) return 0;
        if (g.count[0] != count / parts && g.count[0] != count / parts + 1) return 0;
        next += g.count[0];
    }
    return next == count;
}

static void check_splits(void)
{
    const cmk_i64 cube[3] = {(cmk_i64)1 << 40, (cmk_i64)1 << 40, (cmk_i64)1 << 40};
    cmk_grid g;
    int wrong = 0;
    for (int k = 0; k < 200; ++k) {
        const cmk_i64 count = (cmk_i64)1 << below(60);
        const int parts = 1 + (int)below(count < 40 ? (size_t)count : 40);
        wrong += !axis_right(count + (cmk_i64)below((size_t)count), parts);
    }
    wrong += !axis_right((cmk_i64)1 << 60, 33);
    tap_check(wrong == 0, "axes of up to 2^60 points: %d wrong splits of 201", wrong);
    tap_check(cmk_grid_split(&g, 0, 1 << 24, cube, NULL, NULL) && g.parts[0] == 512 && g.parts[1] == 256 &&
                  g.parts[2] == 128,
              "2^24 ranks of 2^120 points: %d x %d x %d parts", g.parts[0], g.parts[1], g.parts[2]);
    tap_check(cmk_grid_neighbour(&g, -1, 0, 0) == -1 && cmk_grid_neighbour(&g, 1, 1, 1) == 256 * 128 + 128 + 1,
              "and their neighbours");
}

static void check_split_refused(const char *sentence, int ranks, cmk_i64 planes, cmk_i64 rows, int parts_of_rows)
{
    const cmk_i64 global[3] = {planes, rows, 1};
    const int parts[3] = {0, parts_of_rows, 0};
    cmk_grid g;
    const int split = cmk_grid_split(&g, 0, ranks, global, parts, NULL);
    const int right = tap_check(!split && strcmp(g.why, sentence) == 0, "refused: %s", sentence);
    if (!right) printf("# %s\n", g.why);
}

/* ---- Plans */

/* the draft of level 0 of a rank; the field's memory would begin at 2^44 */
static cudaError_t draft(int rank, int ranks, const cmk_i64 global[3], const int parts[3], const int periodic[3],
                         int shape, cmk_field f)
{
    cmk_halo *const halo = &halos[rank];
    memset(halo, 0, sizeof *halo);
    if (!cmk_grid_split(&halo->grid, rank, ranks, global, parts, periodic)) puts(halo->grid.why), exit(EXIT_FAILURE);
    f.data = (void *)((size_t)1 << 44);
    halo->shape = shape, halo->fields = 1, halo->field[0] = f;
    cudaError_t error = cmk_halo_check_field_(halo, 0);
    if (error == cudaSuccess) halo->direct = cmk_halo_is_direct_(halo);
    for (int k = 0; k < 2 && error == cudaSuccess; ++k) {
        way *const w = &ways[rank][k];
        w->draft.message = w->message, w->draft.piece = w->piece;
        error = cmk_halo_draft_way_(halo, &w->draft, k, 0);
    }
    return error;
}

static cmk_field field_of(size_t size, cmk_i64 row_pitch, cmk_i64 plane_pitch, int planes, int rows, int columns)
{
    cmk_field f;
    memset(&f, 0, sizeof f);
    f.size = size, f.row_pitch = row_pitch, f.plane_pitch = plane_pitch;
    f.reach[0] = planes, f.reach[1] = rows, f.reach[2] = columns;
    return f;
}

/* bytes from the first owned element to that of a piece or slab */
static long long far_from(const char *address)
{
    return (long long)((size_t)address - ((size_t)1 << 44));
}

/* whether each message that a rank sends is received, tag by tag, with the same bytes and the same pieces */
static int matched(int ranks)
{
    int messages[2] = {0, 0}, right = 1;
    for (int from = 0; from < ranks; ++from)
        for (int i = 0; i < ways[from][0].draft.messages; ++i) {
            const cmk_halo_message_ *const sent = &ways[from][0].message[i];
            const way *const to = &ways[sent->peer][1];
            int found = 0;
            for (int k = 0; k < to->draft.messages; ++k)
                if (to->message[k].peer == from && to->message[k].tag == sent->tag)
                    found += to->message[k].bytes == sent->bytes;
            right &= found == 1;
        }
    for (int r = 0; r < ranks; ++r)
        for (int k = 0; k < 2; ++k) messages[k] += ways[r][k].draft.messages;
    return right && messages[0] == messages[1];
}

/* units and places of pieces: a message has room for them, one behind the other, and so has the grid of blocks */
static int pieces_right(const way *w, size_t size)
{
    size_t end = 0, blocks = 0;
    for (int i = 0; i < w->draft.pieces; ++i) {
        const cmk_halo_piece_ *const p = &w->piece[i];
        const double units = (double)p->planes * p->rows * p->columns;
        if (p->at != end || p->at % 16 != 0 || p->first_block != blocks || units > 2147483647.0) return 0;
        if ((size_t)p->field % p->unit != 0 || (size_t)p->columns * p->unit % size != 0) return 0;
        end += ((size_t)units * p->unit + 15) / 16 * 16;
        blocks += ((size_t)units + 255) / 256;
    }
    return end == w->draft.bytes && blocks == w->draft.blocks && blocks <= 0x7fffffff;
}

static void check_slabs(void)
{
    const cmk_i64 global[3] = {6000, 65536, 65536}, plane = (cmk_i64)65536 * 65600;
    const int parts[3] = {4, 1, 1};
    const long long bytes = 4 * (plane + (cmk_i64)65535 * 65600 + 65536);
    int wrong = 0;
    for (int r = 0; r < 4; ++r)
        wrong += draft(r, 4, global, parts, NULL, CMK_HALO_STAR, field_of(4, 65600, plane, 2, 0, 0)) != cudaSuccess;
    const way *const w = ways[1];
    tap_check(wrong == 0 && halos[1].direct && matched(4), "4 parts of 26 TB, in slabs of 34 GB: planned");
    tap_check(w[0].draft.messages == 2 && (long long)w[0].message[0].bytes == bytes &&
                  far_from(w[0].message[0].memory) == 0 && far_from(w[0].message[1].memory) == 4 * 1498 * plane &&
                  far_from(w[1].message[0].memory) == -4 * 2 * plane &&
                  far_from(w[1].message[1].memory) == 4 * 1500 * plane,
              "their slabs have %lld bytes, and lie where they ought to", bytes);
}

static void check_packed(void)
{
    const cmk_i64 global[3] = {4096, 4097, 65536};
    const int parts[3] = {2, 2, 2}, periodic[3] = {1, 0, 1};
    int wrong = 0;
    for (int r = 0; r < 8; ++r) {
        wrong += draft(r, 8, global, parts, periodic, CMK_HALO_BOX,
                       field_of(8, 32780, (cmk_i64)32780 * 2060, 6, 2, 1)) != cudaSuccess;
        for (int k = 0; k < 2; ++k) wrong += !pieces_right(&ways[r][k], 8);
    }
    tap_check(wrong == 0 && matched(8), "8 parts of 1.1 TB, in packed faces of up to 3.2 GB: planned");
}

/* axes of one point, of which some are periodic: a rank is its own neighbour, all around */
static void check_points(void)
{
    const int one[3] = {1, 1, 1};
    int wrong = 0, ghosts[2] = {0, 0};
    for (int around = 0; around < 8; ++around) {
        const int periodic[3] = {around & 1, around >> 1 & 1, around >> 2 & 1};
        const cmk_i64 global[3] = {1, 1, 1};
        const int axes = periodic[0] + periodic[1] + periodic[2], boxes = axes == 0 ? 0 : axes == 1 ? 2 : 0;
        for (int shape = 0; shape < 2; ++shape) {
            wrong += draft(0, 1, global, one, periodic, shape, field_of(4, 3, 9, 1, 1, 1)) != cudaSuccess;
            const int pieces = ways[0][1].draft.pieces, messages = ways[0][1].draft.messages;
            const int all = shape == CMK_HALO_STAR ? 2 * axes : axes == 3 ? 26 : axes == 2 ? 8 : 2 * axes;
            wrong += (halos[0].direct ? messages : pieces) != all || (halos[0].direct && messages != boxes);
            ghosts[shape] += all;
            wrong += !matched(1);
        }
    }
    tap_check(wrong == 0, "a grid of one point: %d ghosts of stars, %d of boxes, each from the point", ghosts[0],
              ghosts[1]);
}

static void check_refused(const char *sentence, const cmk_i64 global[3], cmk_field f)
{
    const int parts[3] = {1, 2, 1};
    const cudaError_t error = draft(0, 2, global, parts, NULL, CMK_HALO_STAR, f);
    const int right = sentence ? error != cudaSuccess && strcmp(halos[0].why, sentence) == 0 : error == cudaSuccess;
    if (!tap_check(right, "%s", sentence ? sentence : "a face of 2^30 units of 16 bytes is right"))
        printf("# %s\n", halos[0].why);
}

static void check_plans_refused(void)
{
    const cmk_i64 cube[3] = {65536, 8, 65536}, thin[3] = {2, 8, 8}, huge = (cmk_i64)1 << 62;
    const char *const units =
        "rank 0: a face has more than 2^31 - 1 units to be packed, or all have 2^39: a unit is the most of 1 to 16 "
        "bytes that divides rows and pitches";
    const char *const far = "rank 0: field 0 has more than 10^18 bytes from end to end";
    check_refused(NULL, cube, field_of(4, 65536, (cmk_i64)65536 * 5, 0, 1, 0));
    check_refused(units, cube, field_of(4, 65537, (cmk_i64)65537 * 5, 0, 1, 0));
    check_refused(units, cube, field_of(16, 65536, (cmk_i64)65536 * 5, 0, 1, 0));
    check_refused(far, thin, field_of(4, 8, huge, 0, 1, 0));
    check_refused(far, thin, field_of(4, huge, 8, 0, 1, 0));
}

int main(void)
{
    random_state = 1;
    check_splits();
    check_split_refused("16777217 ranks are more than 16777216", (1 << 24) + 1, (cmk_i64)1 << 40, 1, 0);
    check_split_refused("the grid has 1152921504606846977 rows, more than 2^60", 1, 1, ((cmk_i64)1 << 60) + 1, 0);
    check_split_refused("the grid has 0 rows", 1, 1, 0, 0);
    check_split_refused("5 ranks cannot have the parts 0 x 1 x 0 (0: any) of 4 x 1 x 1", 5, 4, 1, 1);
    check_split_refused("8 ranks cannot have the parts 0 x 8 x 0 (0: any) of 4 x 7 x 1", 8, 4, 7, 8);
    check_slabs();
    check_packed();
    check_points();
    check_plans_refused();
    return tap_done();
}
