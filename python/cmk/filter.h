/* filter.h: filters of NumPy arrays, as plain loops: what conv2d.h, conv3d.h and separable.h of cmk/kernel compute, by
 * the same sums of the same type in the order of the taps. All but the types is an argument.
 *
 *   int cmk_python_filter(const cmk_python_filtered *filter, const void *in, void *out, const double *taps)
 *       0, or an errno where there is no memory or no thread
 *
 * A source defines before it includes this file
 *   typedef ... cmk_python_in, cmk_python_sum, cmk_python_out;
 *   enum { cmk_python_bits = ... };      of an integer out, negative where it is signed; 0 of others
 *
 * An image is planes x rows x columns pixels of channels; one of two axes is one plane. It is done in strips of rows,
 * plane by plane: the rows that a strip reads are made sums and framed by what lies outside, so that the loops over
 * taps know no edge. A separable filter keeps sums across and down of these in their place. Threads share the strips.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t count, channels;
    size_t sizes[3];            /* planes, rows, columns */
    size_t taps[3], anchor[3];  /* of a filter, and its element that lies on the output */
    const long long *beyond[3]; /* the index that is read for anchor[k] places before an axis, and those behind it; -1
                                 * where the value outside is */
    double outside;
    size_t separable; /* whether taps are those of the axes, one behind the other, or of all their products */
    size_t threads;
} cmk_python_filtered;

enum {
    cmk_python_chunk_ = 16,           /* sums that are kept in registers */
    cmk_python_strip_bytes_ = 1 << 17 /* of the rows of a strip, which should stay in a cache */
};

/* a call */
typedef struct {
    const cmk_python_filtered *filter;
    const cmk_python_in *in;
    cmk_python_out *out;
    cmk_python_sum *taps;
    size_t width, pitch;   /* values of a row, and of one with its frame and a chunk, which may be read behind it */
    size_t height, strips; /* rows of a strip, strips of an image */
    size_t next;           /* the next strip of all */
    int error;
} cmk_python_work_;

/* a strip of an image, and the memory of a thread */
typedef struct {
    const cmk_python_work_ *work;
    const cmk_python_in *in;
    cmk_python_out *out;
    size_t first, rows;
    cmk_python_sum *planes; /* as many as the filter has, in a ring, of the rows that a strip reads */
    cmk_python_sum *across; /* of a separable filter: a row with its frame, and the sums across of the plane */
    cmk_python_sum *sums;   /* of a row of outputs */
    const cmk_python_sum **from;
} cmk_python_strip_;

/* out[x] = the sum over k of taps[k] * from[k][x]; whole chunks */
static void cmk_python_add_(cmk_python_sum *out, const cmk_python_sum *const *from, const cmk_python_sum *taps,
                            size_t count, size_t width)
{
    for (size_t x = 0; x < width; x += cmk_python_chunk_) {
        cmk_python_sum sums[cmk_python_chunk_] = {0};
        for (size_t k = 0; k < count; ++k)
            for (size_t e = 0; e < cmk_python_chunk_; ++e) sums[e] += taps[k] * from[k][x + e];
        memcpy(&out[x], sums, sizeof sums);
    }
}

/* the index of an axis that is read for place `at` of the filter on index 0; -1 for what is outside */
static long long cmk_python_index_(const cmk_python_filtered *filter, int axis, size_t at)
{
    const size_t anchor = filter->anchor[axis], size = filter->sizes[axis];
    if (at < anchor) return filter->beyond[axis][at];
    return at - anchor < size ? (long long)(at - anchor) : filter->beyond[axis][at - size];
}

/* pixel `at` of a framed row */
static void cmk_python_frame_(const cmk_python_filtered *filter, const cmk_python_in *row, size_t at,
                              cmk_python_sum *to)
{
    const long long index = cmk_python_index_(filter, 2, at);
    for (size_t c = 0; c < filter->channels; ++c)
        to[at * filter->channels + c] = index < 0 ? (cmk_python_sum)(cmk_python_in)filter->outside
                                                  : (cmk_python_sum)row[(size_t)index * filter->channels + c];
}

/* a row with its frame, as sums; null: of what is outside */
static void cmk_python_widen_(const cmk_python_work_ *work, const cmk_python_in *row, cmk_python_sum *to)
{
    const cmk_python_filtered *const filter = work->filter;
    const size_t columns = filter->sizes[2], anchor = filter->anchor[2], framed = columns + filter->taps[2] - 1;
    if (!row) {
        for (size_t x = 0; x < framed * filter->channels; ++x) to[x] = (cmk_python_sum)(cmk_python_in)filter->outside;
        return;
    }
    for (size_t at = 0; at < anchor; ++at) cmk_python_frame_(filter, row, at, to);
    for (size_t x = 0; x < work->width; ++x) to[anchor * filter->channels + x] = (cmk_python_sum)row[x];
    for (size_t at = anchor + columns; at < framed; ++at) cmk_python_frame_(filter, row, at, to);
}

/* rounded to the nearest, ties to even, and kept in the range of an integer; no number becomes the least */
static cmk_python_out cmk_python_narrow_(cmk_python_sum sum)
{
    if (cmk_python_bits == 0) return (cmk_python_out)sum;
    const cmk_python_sum least = cmk_python_bits < 0 ? -(1 << (-cmk_python_bits - 1)) : 0;
    const cmk_python_sum most = (1 << (cmk_python_bits < 0 ? -cmk_python_bits - 1 : cmk_python_bits)) - 1;
    const cmk_python_sum kept = !(sum > least) ? least : sum < most ? sum : most;
    return (cmk_python_out)(sizeof sum == sizeof(float) ? lrintf((float)kept) : lrint(kept));
}

/* row `at` of the rows that a strip reads, of a plane of the image that may be outside: null where it is */
static const cmk_python_in *cmk_python_row_(const cmk_python_strip_ *strip, long long plane, size_t at)
{
    const cmk_python_filtered *const filter = strip->work->filter;
    const long long row = cmk_python_index_(filter, 1, strip->first + at);
    if (plane < 0 || row < 0) return NULL;
    return strip->in + ((size_t)plane * filter->sizes[1] + (size_t)row) * strip->work->width;
}

static cmk_python_sum *cmk_python_plane_(const cmk_python_strip_ *strip, size_t at)
{
    const cmk_python_filtered *const filter = strip->work->filter;
    const size_t rows = strip->work->height + filter->taps[1] - 1;
    return strip->planes + at % filter->taps[0] * rows * strip->work->pitch;
}

/* Brings plane `at` of those that the image's first output reads and of all behind: rows with their frame, or sums
 * across and down. */
static void cmk_python_bring_(const cmk_python_strip_ *strip, size_t at)
{
    const cmk_python_work_ *const work = strip->work;
    const cmk_python_filtered *const filter = work->filter;
    const long long plane = cmk_python_index_(filter, 0, at);
    const cmk_python_sum *const across = work->taps + filter->taps[0] + filter->taps[1];
    cmk_python_sum *const to = cmk_python_plane_(strip, at), *const sums = strip->across + work->pitch;
    for (size_t y = 0; y < strip->rows + filter->taps[1] - 1; ++y) {
        cmk_python_sum *const row = filter->separable ? strip->across : to + y * work->pitch;
        cmk_python_widen_(work, cmk_python_row_(strip, plane, y), row);
        if (!filter->separable) continue;
        for (size_t k = 0; k < filter->taps[2]; ++k) strip->from[k] = row + k * filter->channels;
        cmk_python_add_(sums + y * work->pitch, strip->from, across, filter->taps[2], work->width);
    }
    for (size_t y = 0; filter->separable && y < strip->rows; ++y) {
        for (size_t k = 0; k < filter->taps[1]; ++k) strip->from[k] = sums + (y + k) * work->pitch;
        cmk_python_add_(to + y * work->pitch, strip->from, work->taps + filter->taps[0], filter->taps[1], work->width);
    }
}

/* row y of a strip of outputs of a plane */
static void cmk_python_row_out_(const cmk_python_strip_ *strip, size_t plane, size_t y)
{
    const cmk_python_work_ *const work = strip->work;
    const cmk_python_filtered *const filter = work->filter;
    const size_t down = filter->separable ? 1 : filter->taps[1], across = filter->separable ? 1 : filter->taps[2];
    cmk_python_out *const out = strip->out + (plane * filter->sizes[1] + strip->first + y) * work->width;
    size_t count = 0;
    for (size_t z = 0; z < filter->taps[0]; ++z)
        for (size_t k = 0; k < down; ++k)
            for (size_t c = 0; c < across; ++c)
                strip->from[count++] =
                    cmk_python_plane_(strip, plane + z) + (y + k) * work->pitch + c * filter->channels;
    cmk_python_add_(strip->sums, strip->from, work->taps, count, work->width);
    for (size_t x = 0; x < work->width; ++x) out[x] = cmk_python_narrow_(strip->sums[x]);
}

static void cmk_python_strip_at_(cmk_python_strip_ *strip, size_t at)
{
    const cmk_python_work_ *const work = strip->work;
    const cmk_python_filtered *const filter = work->filter;
    const size_t image = at / work->strips * filter->sizes[0] * filter->sizes[1] * work->width;
    strip->in = work->in + image;
    strip->out = work->out + image;
    strip->first = at % work->strips * work->height;
    strip->rows = filter->sizes[1] - strip->first < work->height ? filter->sizes[1] - strip->first : work->height;
    for (size_t at = 0; at < filter->taps[0] - 1; ++at) cmk_python_bring_(strip, at);
    for (size_t plane = 0; plane < filter->sizes[0]; ++plane) {
        cmk_python_bring_(strip, plane + filter->taps[0] - 1);
        for (size_t y = 0; y < strip->rows; ++y) cmk_python_row_out_(strip, plane, y);
    }
}

/* a thread */
static void *cmk_python_share_(void *what)
{
    cmk_python_work_ *const work = what;
    const cmk_python_filtered *const filter = work->filter;
    const size_t *const taps = filter->taps, plane = (work->height + taps[1] - 1) * work->pitch;
    const size_t all = work->filter->count * work->strips;
    cmk_python_strip_ strip = {0};
    strip.work = work;
    strip.planes = calloc((taps[0] + filter->separable) * plane + 2 * work->pitch, sizeof *strip.planes);
    strip.from = calloc(taps[0] * taps[1] * taps[2], sizeof *strip.from);
    if (strip.planes && strip.from) {
        strip.sums = strip.planes + taps[0] * plane;
        strip.across = strip.sums + work->pitch;
        for (size_t at; (at = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < all;)
            cmk_python_strip_at_(&strip, at);
    } else {
        __atomic_store_n(&work->error, ENOMEM, __ATOMIC_RELAXED);
    }
    free(strip.planes);
    free(strip.from);
    return NULL;
}

/* how rows are laid out, and how many a strip has: as many as a cache holds, and more than it reads twice */
static void cmk_python_divide_(cmk_python_work_ *work)
{
    const cmk_python_filtered *const filter = work->filter;
    const size_t *const taps = filter->taps, rows = filter->sizes[1], chunk = cmk_python_chunk_;
    work->width = filter->sizes[2] * filter->channels;
    work->pitch = (work->width + (taps[2] - 1) * filter->channels + 2 * chunk - 1) / chunk * chunk;
    const size_t held = cmk_python_strip_bytes_ / (taps[0] * work->pitch * sizeof(cmk_python_sum));
    const size_t least = 8 > taps[1] ? 8 : taps[1];
    work->height = held > least + taps[1] ? held - taps[1] : least;
    work->height = work->height < rows ? work->height : rows;
    work->strips = (rows + work->height - 1) / work->height;
}

/* The thread that calls works too; where another cannot begin, the rest do its share. */
static int cmk_python_run_(cmk_python_work_ *work)
{
    const size_t all = work->filter->count * work->strips, most = work->filter->threads;
    const size_t threads = (most < all ? most : all) - 1;
    pthread_t *const others = calloc(threads + 1, sizeof *others);
    size_t begun = 0;
    while (others && begun < threads && pthread_create(&others[begun], NULL, cmk_python_share_, work) == 0) ++begun;
    cmk_python_share_(work);
    for (size_t n = 0; n < begun; ++n) pthread_join(others[n], NULL);
    free(others);
    return work->error;
}

__attribute__((visibility("default"))) int cmk_python_filter(const cmk_python_filtered *filter, const void *in,
                                                             void *out, const double *taps)
{
    const size_t *const sizes = filter->taps;
    const size_t count = filter->separable ? sizes[0] + sizes[1] + sizes[2] : sizes[0] * sizes[1] * sizes[2];
    cmk_python_work_ work = {filter, in, out, malloc(count * sizeof *work.taps), 0, 0, 0, 0, 0, 0};
    if (!work.taps) return ENOMEM;
    for (size_t k = 0; k < count; ++k) work.taps[k] = (cmk_python_sum)taps[k];
    cmk_python_divide_(&work);
    const int error = cmk_python_run_(&work);
    free(work.taps);
    return error;
}
