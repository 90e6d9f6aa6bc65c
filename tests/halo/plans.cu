/* Plans that cannot be: each is an error with one sentence, on all ranks, and nothing hangs. */
static const char *note(const char *text);
#define CMK_CHECK_FAILED(text) note(text)
#include <cmk/check.h>
#include <cmk/halo.h>
#include <tap.h>

enum { RANKS = 4 };

static cmk_grid grids[RANKS];
static cmk_halo halos[RANKS];
static unsigned char *memory;

static char noted[2048]; /* by the last check that failed, where one was expected */
static int expects;

static const char *note(const char *text)
{
    snprintf(noted, sizeof noted, "%s", text);
    if (!expects) (void)fprintf(stderr, "%s\n", text), exit(EXIT_FAILURE);
    return noted;
}

static cmk_field field_of(size_t size, int planes, int rows, int columns)
{
    cmk_field f;
    memset(&f, 0, sizeof f);
    f.data = memory + 4096, f.size = size, f.row_pitch = 20, f.plane_pitch = 400;
    f.reach[0] = planes, f.reach[1] = rows, f.reach[2] = columns;
    return f;
}

/* a grid of 12 x 10 x 8 points of RANKS parts along the planes, periodic along the rows */
static void split_all(void)
{
    const cmk_i64 global[3] = {12, 10, 8};
    const int parts[3] = {RANKS, 1, 1}, periodic[3] = {0, 1, 0};
    for (int r = 0; r < RANKS; ++r)
        if (!cmk_grid_split(&grids[r], r, RANKS, global, parts, periodic)) exit(EXIT_FAILURE);
}

static void check_sentence(cudaError_t error, cudaError_t expected, const char *sentence)
{
    const int right = tap_check(error == expected && strcmp(halos[0].why, sentence) == 0, "refused: %s", sentence);
    if (!right) printf("# %s: %s\n", cudaGetErrorName(error), halos[0].why);
}

static void check_created(cmk_field f, int shape, int count, cudaError_t expected, const char *sentence)
{
    cmk_field fields[CMK_HALO_FIELDS + 1];
    for (int i = 0; i <= CMK_HALO_FIELDS; ++i) fields[i] = f;
    check_sentence(cmk_halo_create(&halos[0], &grids[1], cmk_halo_peer(), shape, fields, count), expected, sentence);
    tap_check(cmk_halo_destroy(&halos[0]) == cudaSuccess, "and nothing to destroy");
}

static void check_fields(void)
{
    cmk_field f = field_of(4, 1, 1, 1);
    const cudaError_t invalid = cudaErrorInvalidValue, pitch = cudaErrorInvalidPitchValue;
    check_created(f, CMK_HALO_STAR, 0, invalid, "rank 1: 0 fields are not 1 to CMK_HALO_FIELDS, 32");
    check_created(f, CMK_HALO_STAR, 33, invalid, "rank 1: 33 fields are not 1 to CMK_HALO_FIELDS, 32");
    check_created(f, 2, 1, invalid, "rank 1: shape 2 is neither a star nor a box");
    check_created(field_of(0, 1, 1, 1), CMK_HALO_BOX, 1, invalid,
                  "rank 1: field 0 has elements of 0 bytes, not 1 to 16");
    check_created(field_of(17, 1, 1, 1), CMK_HALO_BOX, 1, invalid,
                  "rank 1: field 0 has elements of 17 bytes, not 1 to 16");
    check_created(field_of(4, 4, 1, 1), CMK_HALO_STAR, 1, invalid,
                  "rank 1: field 0 reaches 4 planes, but the smallest of 4 parts has 3");
    check_created(field_of(4, 1, 11, 1), CMK_HALO_STAR, 1, invalid,
                  "rank 1: field 0 reaches 11 rows, but the smallest of 1 parts has 10");
    check_created(field_of(4, 1, -1, 1), CMK_HALO_STAR, 1, invalid, "rank 1: field 0 reaches -1 rows");
    f.row_pitch = 7;
    check_created(f, CMK_HALO_STAR, 1, pitch,
                  "rank 1: field 0 has a row_pitch of 7, but rows of 8 columns with the ghosts of reach 0");
    f.row_pitch = 20, f.plane_pitch = 227;
    check_created(f, CMK_HALO_STAR, 1, pitch,
                  "rank 1: field 0 has a plane_pitch of 227, but planes of 12 rows with the ghosts of reach 1, 20 "
                  "elements apart");
    f.data = NULL;
    check_created(f, CMK_HALO_STAR, 1, invalid, "rank 1: field 0 has no data");
    expects = 1;
    CMK_CHECK(cmk_halo_create(&halos[0], &grids[1], cmk_halo_peer(), CMK_HALO_STAR, &f, 1));
    tap_check(strstr(noted, ": cudaErrorInvalidValue: rank 1: field 0 has no data") != NULL, "CMK_CHECK says it too");
    CMK_CHECK(cudaMemset(NULL, 0, 4));
    (void)cudaGetLastError();
    tap_check(noted[0] && strstr(noted, "rank") == NULL, "and nothing of it of another call");
    expects = 0;
    grids[1].parts[0] = 0;
    check_created(f, CMK_HALO_STAR, 1, invalid, "rank 1: the grid is not split");
    split_all();
}

/* all ranks, of which the last has another plan; connects the first `count` */
static void check_unlike(cmk_field f, int shape, int fields, int count, const char *sentence)
{
    const cmk_field own[2] = {field_of(4, 1, 0, 0), field_of(4, 1, 0, 0)}, other[2] = {f, f};
    for (int r = 0; r < RANKS; ++r) {
        const int last = r == RANKS - 1;
        CMK_CHECK(cmk_halo_create(&halos[r], &grids[r], cmk_halo_peer(), last ? shape : CMK_HALO_STAR,
                                  last ? other : own, last ? fields : 1));
    }
    check_sentence(cmk_halo_connect_all(halos, count), cudaErrorInvalidValue, sentence);
    CMK_CHECK(cmk_halo_destroy_all(halos, RANKS));
}

static void check_ranks(void)
{
    const cmk_i64 global[3] = {12, 10, 9};
    const int parts[3] = {RANKS, 1, 1}, periodic[3] = {0, 1, 0};
    const cmk_field f = field_of(4, 1, 0, 0);
    cmk_field apart = f;
    apart.row_pitch = 19;
    check_unlike(f, CMK_HALO_BOX, 1, RANKS, "rank 0: the ranks do not have the same shape");
    check_unlike(f, CMK_HALO_STAR, 2, RANKS, "rank 0: the ranks do not have the same number of fields");
    check_unlike(field_of(8, 1, 0, 0), CMK_HALO_STAR, 1, RANKS,
                 "rank 0: the ranks do not have the same fields: sizes, reach, pitches or places");
    check_unlike(field_of(4, 2, 0, 0), CMK_HALO_STAR, 1, RANKS,
                 "rank 0: the ranks do not have the same fields: sizes, reach, pitches or places");
    check_unlike(apart, CMK_HALO_STAR, 1, RANKS,
                 "rank 0: the ranks do not have the same fields: sizes, reach, pitches or places");
    if (!cmk_grid_split(&grids[RANKS - 1], RANKS - 1, RANKS, global, parts, periodic)) exit(EXIT_FAILURE);
    check_unlike(f, CMK_HALO_STAR, 1, RANKS, "rank 0: the ranks do not have the same grid, parts or periodic axes");
    split_all();
    check_unlike(f, CMK_HALO_STAR, 1, RANKS - 1,
                 "rank 0: halo 0 of 3: copies need all 4 ranks of the grid, in order: cmk_halo_..._all");
}

/* calls out of their order */
static void check_order(void)
{
    const cmk_field f = field_of(4, 1, 1, 0);
    cudaStream_t streams[RANKS];
    for (int r = 0; r < RANKS; ++r) {
        CMK_CHECK(cmk_halo_create(&halos[r], &grids[r], cmk_halo_peer(), CMK_HALO_BOX, &f, 1));
        streams[r] = halos[r].stream;
    }
    const cudaError_t invalid = cudaErrorInvalidValue;
    check_sentence(cmk_halo_begin_all(halos, RANKS, 0, streams), invalid,
                   "rank 0: begin comes behind connect, or the end before");
    CMK_CHECK(cmk_halo_connect_all(halos, RANKS));
    check_sentence(cmk_halo_connect_all(halos, RANKS), invalid, "rank 0: connect comes once, behind create");
    check_sentence(cmk_halo_end_all(halos, RANKS, streams), invalid, "rank 0: end comes behind begin");
    CMK_CHECK(cmk_halo_begin_all(halos, RANKS, 0, streams));
    check_sentence(cmk_halo_begin_all(halos, RANKS, 0, streams), invalid,
                   "rank 0: begin comes behind connect, or the end before");
    CMK_CHECK(cmk_halo_end_all(halos, RANKS, streams));
    tap_check(halos[0].why[0] == 0, "no sentence is left of an error when a call has succeeded");
    CMK_CHECK(cmk_halo_destroy_all(halos, RANKS));
    CMK_CHECK(cmk_halo_destroy_all(halos, RANKS));
}

/* two devices without access to one another, where there are such */
static void check_apart(void)
{
    const cmk_field f = field_of(4, 1, 0, 0);
    int devices = 1, can = 1;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    if (devices > 1) CMK_CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can) {
        tap_skip("refused: devices without peer access", "there are none here");
        return;
    }
    for (int r = 0; r < RANKS; ++r) {
        CMK_CHECK(cudaSetDevice(r % 2));
        CMK_CHECK(cmk_halo_create(&halos[r], &grids[r], cmk_halo_peer(), CMK_HALO_STAR, &f, 1));
    }
    CMK_CHECK(cudaSetDevice(0));
    check_sentence(cmk_halo_connect_all(halos, RANKS), cudaErrorNotSupported,
                   "rank 0: device 0 has no peer access to device 1 of rank 1: exchange by cmk_halo_nccl");
    CMK_CHECK(cmk_halo_destroy_all(halos, RANKS));
}

int main(void)
{
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&memory, 1 << 16));
    CMK_CHECK(cudaMemset(memory, 0, 1 << 16));
    split_all();
    check_fields();
    check_ranks();
    check_order();
    check_apart();
    CMK_CHECK(cudaFree(memory));
    return tap_done();
}
