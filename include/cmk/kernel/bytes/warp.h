/* kernel/bytes/warp.h: what warps of bytes have in common: where each is, how it loads rows into registers, and taps.
 */
#ifndef CMK_KERNEL_BYTES_WARP_H
#define CMK_KERNEL_BYTES_WARP_H

#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/halves.h"
#include "../rows/copy.h"
#include "sizes.h"

#if CMK_TENSOR_WARP_HAS_

/* what a thread loads of a step: for each product and each half of its windows, four pixels */
typedef struct {
    unsigned words[cmk_bytes_words_most_];
} __attribute__((aligned(16))) cmk_bytes_rows_;

/* numbers of two halves each, two pairs that are this thread's: taps of a slot, or of 8 rows or columns of an operand
 */
typedef struct {
    unsigned high[2], low[2];
} cmk_bytes_halves_;

/* How outputs are stored: not at all; those in the region, one by one; all, in aligned chunks; all, in words of rows
 * that begin anywhere. */
enum { cmk_bytes_none_, cmk_bytes_part_, cmk_bytes_whole_, cmk_bytes_words_ };

/* a warp at work: on outputs of `length` rows from row y on. Columns are pixels. */
typedef struct {
    cmk_image_task_ task;
    int y, length, next;  /* next: this thread's row of the step to load next */
    int x;                /* the column of its first word */
    int inside, whole;    /* whether all that it reads and writes is in the image and the region; whether the columns
                             that it writes are, in whole pairs */
    int is_signed, exact; /* whether bytes are; whether each tap is one half */
    float scale;          /* of sums of halves */
    const char *source;   /* the first word of this thread's row of the step to load next, or chunk of a ring's row */
    char *target;         /* this thread's first output of the next step */
    unsigned outside;     /* the byte in place of what is outside */
    cmk_bytes_halves_ taps[cmk_bytes_pairs_most_];
} cmk_bytes_work_;

/* this thread's row of a step, and which of the words of a window it has */
CMK_DEVICE_ int cmk_bytes_row_(cmk_bytes_sizes_ k)
{
    return k.bands ? cmk_fragment_row_((int)threadIdx.x) : k.step == 2 ? cmk_fragment_pair_((int)threadIdx.x) / 2 : 0;
}
CMK_DEVICE_ int cmk_bytes_which_(cmk_bytes_sizes_ k)
{
    return (int)threadIdx.x % (k.step == 2 ? 2 : 4);
}

/* The column in a strip of the first output of a thread's window n, of which a product has two; with wide windows that
 * of its first pixel. Others are side by side: four of grey, two of colours. */
CMK_DEVICE_ int cmk_bytes_window_(cmk_bytes_sizes_ k, int n)
{
    const int group = cmk_fragment_row_((int)threadIdx.x);
    return k.grey ? 16 * group + 4 * n : k.colours ? 8 * group + 4 * n : (8 * n + group) * k.stride;
}

/* The byte in a strip of what a thread loads as item n: with wide windows the word of window n. Grey, it has all four
 * words of its outputs, and one beside these. Colours, the first of two neighbours of four threads has two pixels
 * before the first, the third and the seventh, the second those before the third, and so on: in whole words, those of
 * the first two bytes further where pixels are three bytes. */
CMK_DEVICE_ int cmk_bytes_item_(cmk_bytes_sizes_ k, int n)
{
    const int which = cmk_bytes_which_(k);
    if (k.bands) return (16 * n + 4 * which) * k.f.channels;
    if (k.colours) return cmk_bytes_window_(k, n) * k.f.channels + (which - 1) * 4 * k.span;
    if (k.grey) return n == 4 ? cmk_bytes_window_(k, which ? 4 : -1) : cmk_bytes_window_(k, n);
    return cmk_bytes_window_(k, n) + 4 * which;
}

/* the column of a strip's outputs where this thread's first is */
CMK_DEVICE_ int cmk_bytes_output_(cmk_bytes_sizes_ s)
{
    const int which = cmk_bytes_which_(s);
    if (!s.bands) return cmk_bytes_window_(s, 0);
    return s.f.out_size == 1 ? which % 2 * 16 + which / 2 * 8 : 4 * which;
}

CMK_DEVICE_ unsigned cmk_bytes_byte_(const char *from)
{
    unsigned char byte;
    cmk_load_value_(&byte, from, 1);
    return byte;
}

/* an item from words; shifted, a constant: of any alignment, where those beside them are inside too */
CMK_DEVICE_ void cmk_bytes_load_words_(unsigned *to, cmk_bytes_sizes_ k, const char *from, int shifted)
{
    const int over = shifted ? (int)((size_t)from % 4) : 0;
    unsigned words[5];
    CMK_UNROLL
    for (int i = 0; i < k.span + shifted; ++i) {
        CMK_TURN_(i);
        cmk_load_value_(&words[i], from - over + 4 * i, 4);
    }
    CMK_UNROLL
    for (int i = 0; i < k.span; ++i) {
        const unsigned long long two = (unsigned long long)words[i + shifted] << 32 | words[i];
        to[i] = shifted ? (unsigned)(two >> (8 * over)) : words[i];
    }
    CMK_TURN_(-1);
}

/* an item from byte x of a row on, of which the edge says what they are; null for a row that is outside */
CMK_DEVICE_ void cmk_bytes_load_edge_(unsigned *to, const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const char *row,
                                      int x)
{
    CMK_UNROLL
    for (int i = 0; i < 4 * s.span; ++i) {
        const int at = cmk_image_column_at_(w->task.image, s.f.edge, s.f.channels, x + i);
        unsigned byte = w->outside;
        CMK_TURN_(i);
        if (row && at != cmk_image_none_) byte = cmk_bytes_byte_(row + at);
        to[i / 4] = (i % 4 ? to[i / 4] : 0) | byte << i % 4 * 8;
    }
    CMK_TURN_(-1);
}

/* Loads the next step, of any warp, but for what is too far behind the image for an output; neat, a constant: whether
 * rows are aligned. */
CMK_DEVICE_ void cmk_bytes_load_any_(cmk_bytes_rows_ *rows, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int neat)
{
    const cmk_image_ *const image = w->task.image;
    const int at = cmk_image_row_at_(image, s.f.edge, w->next), channels = s.f.channels, span = s.span;
    const int beside = neat ? 0 : 4; /* bytes of which words of any alignment may have some */
    const char *const row = at == cmk_image_none_ ? NULL : w->task.in + at * image->in_pitch;
    CMK_UNROLL
    for (int n = 0; n < s.words / span; ++n) {
        const int x = w->x * channels + cmk_bytes_item_(s, n);
        unsigned *const to = &rows->words[n * span];
        if (row && x - beside >= image->left && x + 4 * span + beside <= image->right) {
            cmk_bytes_load_words_(to, s, row + x, !neat);
        } else if (x < image->width + 16 * channels) {
            cmk_bytes_load_edge_(to, w, s, row, x);
        } else {
            CMK_UNROLL
            for (int i = 0; i < span; ++i) to[i] = 0;
        }
    }
    w->next += s.step;
}

/* two numbers as pair i; whether one half says each */
CMK_DEVICE_ int cmk_bytes_halve_(cmk_bytes_halves_ *to, int i, float one, float two)
{
    to->high[i] = cmk_mma_halves_(one, two);
    to->low[i] = cmk_mma_halves_(one - cmk_mma_half_(to->high[i], 0), two - cmk_mma_half_(to->high[i], 1));
    return (to->low[i] & 0x7fff7fffu) == 0;
}

CMK_DEVICE_ int cmk_bytes_are_signed_(cmk_filter_parts_float_ parts)
{
    const cmk_image_chunk_ minus = {{0xff}};
    float value;
    parts.widen(&value, &minus);
    return value < 0.0f;
}

/* Copies the next 8 rows into a stage of the ring, of each its chunks by four threads, this thread's row; neat, a
 * constant: whether it begins with a chunk. */
CMK_DEVICE_ void cmk_bytes_copy_(char *stage, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int neat)
{
    const int chunks = neat ? s.chunks : s.loose_chunks;
    const char *const from = neat ? w->source : w->source - (size_t)w->source % 16;
    CMK_UNROLL
    for (int n = 0; n < chunks; n += 4) {
        const int chunk = n + (int)threadIdx.x % 4;
        CMK_TURN_(n);
        if (chunk < chunks) cmk_fill_async_shared_(stage + 16 * chunk, from + 16 * chunk);
    }
    CMK_TURN_(-1);
    w->source += 8 * w->task.image->in_pitch;
}

/* the stages of a ring of a warp inside that it needs, on their way; neat: as above */
CMK_DEVICE_ void cmk_bytes_begin_(char *ring, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int neat)
{
    CMK_UNROLL
    for (int n = 0; n < s.turn; n += 8) {
        char *const row = ring + (n + (int)threadIdx.x % 32 / 4) * s.row_bytes;
        if (s.bands || n < w->length + s.early) cmk_bytes_copy_(row, w, s, neat);
        CMK_FILL_COMMIT(ASYNC);
    }
}

/* Words that follow one another, where rows begin anywhere: chunks of 8 bytes, of an odd number of words of 4, from
 * each multiple of as many in global memory on that begins before `end`. behind: the two words behind them; to: where
 * the first would be, `at` bytes from the strip's first output. */
CMK_DEVICE_ void cmk_bytes_store_loose_(char *to, const unsigned *words, int count, const unsigned *behind, int at,
                                        int end)
{
    const int each = count % 2 ? 1 : 2, off = (int)(0 - (size_t)to) & (4 * each - 1);
    const unsigned digits = 0x3210 + (unsigned)off % 4 * 0x1111;
    CMK_UNROLL
    for (int n = 0; n < count; n += each) {
        unsigned chunk[2], from[4];
        CMK_UNROLL
        for (int i = 0; i < each + 2; ++i) from[i] = n + i < count ? words[n + i] : behind[n + i - count];
        CMK_UNROLL
        for (int i = 0; i < each; ++i)
            chunk[i] = cmk_mma_permute_(off < 4 ? from[i] : from[i + 1], off < 4 ? from[i + 1] : from[i + 2], digits);
        CMK_TURN_(n);
        if (at + 4 * n + off < end) cmk_load_store_value_(to + 4 * n + off, chunk, 4 * each);
    }
    CMK_TURN_(-1);
}

/* The strip and the rows that are a warp's as its tile of this number; whether in the frame, which comes first as it
 * takes longer: strips at the edges, and the first and the last rows of others. The last tile of a strip has as many
 * rows as others, some of which are another's too. */
CMK_DEVICE_ int cmk_bytes_locate_(cmk_bytes_work_ *w, const cmk_image_ *image, unsigned tile, int *strip, unsigned *z)
{
    const int edges = image->before + image->behind, inner = image->columns - edges, rows = image->rows;
    const int begin = image->frame_length, sides = edges * image->above, in_frame = tile < image->frame;
    const int each = in_frame ? sides + 2 * inner : inner * image->below;
    const unsigned n = in_frame ? tile : tile - image->frame;
    *z = n / (unsigned)each;
    const int at = (int)(n - *z * (unsigned)each), left = at < sides ? at : at - sides;
    const int part = in_frame && at < sides ? at / edges : in_frame ? left / inner : at / inner;
    const int column = in_frame && at < sides ? at % edges : in_frame ? left % inner : at % inner;
    const int length = in_frame ? begin : image->length, end = in_frame ? rows : rows - begin;
    const int last = end - length, y = in_frame ? (at < sides ? part * length : part * last) : begin + part * length;
    *strip = in_frame && at < sides && column >= image->before ? image->columns - edges + column
             : in_frame && at < sides                          ? column
                                                               : image->before + column;
    w->y = !in_frame && y > last && last >= begin ? last : y < 0 ? 0 : y;
    w->length = end - w->y < length ? end - w->y : length;
    return in_frame;
}

/* what a warp has to know of its tile of this number */
CMK_DEVICE_ void cmk_bytes_find_(cmk_bytes_work_ *w, cmk_image_task_ task, cmk_bytes_sizes_ s, unsigned tile)
{
    const cmk_image_ *const image = task.image;
    const int row = cmk_bytes_row_(s), channels = s.f.channels;
    int strip;
    unsigned z;
    const int in_frame = cmk_bytes_locate_(w, image, tile, &strip, &z);
    const int neat = image->in_whole && image->out_whole;
    w->x = strip * cmk_bytes_strip_(s, neat) - image->head / channels - s.before;
    w->outside = 0;
    if (task.outside) memcpy(&w->outside, task.outside, 1);
    w->task = task;
    w->task.in += z * image->in_step;
    w->task.out += z * image->out_step * s.f.out_size;
    w->next = w->y - s.above + row;
    const int column = w->x + s.before, output = column + cmk_bytes_output_(s);
    const cmk_i64 first = s.ring ? w->y - s.above + (int)threadIdx.x % 32 / 4 : w->next;
    w->source = w->task.in + first * image->in_pitch + w->x * channels - (s.ring ? s.lead : 0);
    w->target = w->task.out + ((w->y + row) * image->out_pitch + output * channels) * s.f.out_size;
    w->whole = image->out_whole && column >= 0 && (column + s.strip) * channels <= image->width;
    w->inside = !in_frame && w->length == image->length && w->y - s.above >= image->top &&
                w->y + w->length + s.below <= image->bottom;
}

#endif

#endif
