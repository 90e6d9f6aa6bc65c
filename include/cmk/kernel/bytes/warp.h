/* kernel/bytes/warp.h: what all warps that filter bytes have in common: where each of them is, how it loads rows into
 * registers and copies them into its ring, and how it holds taps. march.h has small filters, bands.h the others.
 *
 * In all functions here, each of which a thread calls. Where all threads of a warp must call, the function says so:
 *   s         cmk_bytes_sizes_ of sizes.h, a constant at compile time with all its members. s.bands, s.grey,
 *             s.colours: the kind of filter. Where none is set, windows are wide. s.step: rows of a step, 8 with
 *             bands. s.span: words of an item. s.turn: rows of a ring, 8 a stage. s.above, s.below: rows that are
 *             read before the first output and behind the last. s.early: rows of the first turn that give no
 *             outputs. s.lead: bytes of a row of the ring before the strip's first word. s.f: the filter
 *             (rows/filter.h). s.f.out_size: bytes of an output. s.f.channels: elements of a pixel. s.ring: whether
 *             rows inside come by a ring; s.chunks, s.unaligned_chunks: its chunks of 16 bytes that are copied of a
 *             row. s.before, s.strip: pixels from a strip's first word to its first output, and of its outputs.
 *             s.stride: pixels from a wide window to the next. s.words: words that a thread loads in a step
 *   image     cmk_image_ of rows/image.h. plan.h sets it, and explains head, above, below, sides and frame.
 *             Pitches, left, right and width count elements, which are bytes of the input. in_step, out_step: from
 *             image to image of a batch. The image has rows top to bottom - 1 and bytes left to right - 1 of a row.
 *             before, behind: strips at the edges; length, frame_length: rows of a tile inside, and in the frame
 *   task      cmk_image_task_ of rows/image.h: pointers of the kernel, to the region's first element in image 0;
 *             outside is to the byte for what is outside, or null for zeros
 *   which     this thread's number among those that share a row of a step: 0 or 1 with steps of two rows, else 0 to
 *             3. The first of two neighbours among four threads has an even number, the second the next
 *   aligned   a constant at compile time: whether rows of the input and of the output begin at whole chunks
 *
 * Where aligned, items begin at multiples of 4 bytes of the input, and with a ring w->source is a multiple of 16:
 * image->head is chosen so. A row of a ring has s.row_bytes, a multiple of 16. Functions of other files:
 *   cmk_image_row_at_(image, edge, y)   of rows/image.h: the row that the edge reads for row y, which may be above or
 *             below the image; both are counted from the region's first, so that both may be negative. Where the edge
 *             reads no row it is cmk_image_none_, which is no index. cmk_image_column_at_: the same for columns
 *   cmk_fragment_row_(t): t % 32 / 4. cmk_fragment_pair_(t): t % 4
 *   cmk_mma_permute_(a, b, digits): four bytes; each hexadecimal digit of the last four, the lowest first, selects a
 *             byte: 0 to 3 of a, 4 to 7 of b. 0x3210 is a, and each 0x1111 more begins one byte later
 *   cmk_mma_halves_(a, b): two floats as halves of one word, a in the lower bits; cmk_mma_half_: one of them as a float
 *   cmk_load_value_(to, from, size): loads aligned bytes of global memory by the read-only cache; cmk_load_store_value_
 *             stores them. cmk_fill_async_shared_(to, from): starts a copy of 16 aligned bytes to shared memory.
 *             CMK_FILL_COMMIT(ASYNC): this thread's copies since the last become a group (fill.h)
 *   cmk_bytes_strip_(s, aligned)   of sizes.h: pixels of a strip, s.strip, or fewer of a ring without aligned rows
 *   cmk_image_chunk_: 16 bytes. parts.widen of rows/filter.h converts an element to float. cmk_i64: long long
 *
 * On a GPU CMK_TURN_ does nothing. By it the counters of the CPU backend learn which turn of a loop a thread is in; -1
 * is none. CMK_UNROLL unrolls the next loop. CMK_TENSOR_WARP_HAS_: whether the compiled code has mma.sync (mma/code.h).
 * Bounds of arrays, with most_ at their ends, are in sizes.h; tests/kernels/sizes.cu finds that no filter exceeds
 * one. */
#ifndef CMK_KERNEL_BYTES_WARP_H
#define CMK_KERNEL_BYTES_WARP_H

#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/halves.h"
#include "../rows/copy.h"
#include "sizes.h"

#if CMK_TENSOR_WARP_HAS_

/* The words that a thread loads for a step: four pixels for each half of the windows of each product. There are s.words
 * of them, in items of s.span words. */
typedef struct {
    unsigned words[cmk_bytes_words_most_];
} __attribute__((aligned(16))) cmk_bytes_rows_;

/* Numbers as two halves each, high and low: two pairs, which are a thread's taps of a slot, or of 8 rows or columns of
 * an operand. */
typedef struct {
    unsigned high[2], low[2];
} cmk_bytes_halves_;

/* How outputs are stored: not at all; one by one those in the region; all of them, in aligned chunks; all of them, in
 * words where rows begin anywhere. */
enum { cmk_bytes_none_, cmk_bytes_part_, cmk_bytes_whole_, cmk_bytes_words_ };

/* A warp at work, on outputs of `length` rows from row y on. Columns are counted in pixels. */
typedef struct {
    cmk_image_task_ task;
    int y, length, next; /* next: the row of the step to load next that this thread loads */
    int x;               /* the column of the strip's first word */
    int inside, whole; /* whether all that the warp reads and writes is in the image and the region; whether all columns
                          that it writes are in the region, in whole pairs */
    int is_signed, exact; /* whether bytes are signed; whether each tap is one half */
    float inverse;        /* what sums are multiplied by to become outputs: the inverse of all scales */
    const char *source;   /* this thread's first word of the step to load next; with a ring the first chunk of the row
                             that it copies next */
    char *target;         /* this thread's first output of the next step */
    unsigned outside;     /* the byte that stands for what is outside */
    cmk_bytes_halves_ taps[cmk_bytes_pairs_most_];
} cmk_bytes_work_;

/* The row of a step that this thread has, from 0 to s.step - 1. */
CMK_DEVICE_ int cmk_bytes_row_(cmk_bytes_sizes_ s)
{
    return s.bands ? cmk_fragment_row_((int)threadIdx.x) : s.step == 2 ? cmk_fragment_pair_((int)threadIdx.x) / 2 : 0;
}
/* The number of this thread's words among those of a window, or of a row of a block of 16 columns. */
CMK_DEVICE_ int cmk_bytes_which_(cmk_bytes_sizes_ s)
{
    return (int)threadIdx.x % (s.step == 2 ? 2 : 4);
}

/* The column in a strip of the first output of a thread's window n; of wide windows, which are 16 pixels of one row,
 * that of the window's first pixel. A product has two windows of a thread. Windows that are not wide lie side by side:
 * four of one channel, two of several. */
CMK_DEVICE_ int cmk_bytes_window_(cmk_bytes_sizes_ s, int n)
{
    const int group = cmk_fragment_row_((int)threadIdx.x);
    return s.grey ? 16 * group + 4 * n : s.colours ? 8 * group + 4 * n : (8 * n + group) * s.stride;
}

/* The byte in a strip where item n of a thread begins. Wide windows: the item is the thread's word of window n. One
 * channel: items 0 to 3 are the words of the thread's outputs, and item 4 is the word beside these. Several channels,
 * of two neighbours among four threads: the pixels of the first are two before the first output, two from the third and
 * two from the seventh; those of the second are from the first, the fifth and the ninth. Items are whole words. Where
 * pixels are three bytes, items of the first neighbour begin two bytes before its pixels. */
CMK_DEVICE_ int cmk_bytes_item_(cmk_bytes_sizes_ s, int n)
{
    const int which = cmk_bytes_which_(s);
    if (s.bands) return (16 * n + 4 * which) * s.f.channels;
    if (s.colours) return cmk_bytes_window_(s, n) * s.f.channels + (which - 1) * 4 * s.span;
    if (s.grey) return n == 4 ? cmk_bytes_window_(s, which ? 4 : -1) : cmk_bytes_window_(s, n);
    return cmk_bytes_window_(s, n) + 4 * which;
}

/* The column among a strip's outputs of this thread's first output. */
CMK_DEVICE_ int cmk_bytes_output_(cmk_bytes_sizes_ s)
{
    const int which = cmk_bytes_which_(s);
    if (!s.bands) return cmk_bytes_window_(s, 0);
    return s.f.out_size == 1 ? which % 2 * 16 + which / 2 * 8 : 4 * which;
}

/* Returns the byte at from, in global memory, as an unsigned number. */
CMK_DEVICE_ unsigned cmk_bytes_byte_(const char *from)
{
    unsigned char byte;
    cmk_load_value_(&byte, from, 1);
    return byte;
}

/* Loads an item as words. shifted, a compile-time constant: the address may have any alignment, and the words beside
 * the item are inside the image too. over: the bytes from a multiple of 4 to the item; one more word is loaded then.
 * An item has up to 4 words, with bands of 4 channels, hence the 5 words. */
CMK_DEVICE_ void cmk_bytes_load_words_(unsigned *to, cmk_bytes_sizes_ s, const char *from, int shifted)
{
    const int over = shifted ? (int)((size_t)from % 4) : 0;
    unsigned words[5];
    CMK_UNROLL
    for (int i = 0; i < s.span + shifted; ++i) {
        CMK_TURN_(i);
        cmk_load_value_(&words[i], from - over + 4 * i, 4);
    }
    CMK_UNROLL
    for (int i = 0; i < s.span; ++i) {
        const unsigned long long two = (unsigned long long)words[i + shifted] << 32 | words[i];
        to[i] = shifted ? (unsigned)(two >> (8 * over)) : words[i];
    }
    CMK_TURN_(-1);
}

/* Loads an item from byte x of a row on, byte by byte, as the edge has it. row is null for a row that is outside. x
 * counts from the region's first element, which is at row. w->outside stands for bytes that are outside. The edge reads
 * byte `at` of the row for byte x + i. */
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

/* Loads the next step of any warp, inside or in the frame, in row w->next, and moves that on by s.step rows. What lies
 * too far behind the region for an output becomes 0. `aligned`, a compile-time constant: whether rows are aligned.
 * Items that are in the image come as words, all others byte by byte.
 *
 * The edge reads row `at` for row w->next. It may be negative, as rows above the region are. Only cmk_image_none_ is no
 * row: then `row` is null, as w->next is outside. x is the item's first byte, counted from the region's first one. A
 * filter reaches at most 16 pixels behind the region. */
CMK_DEVICE_ void cmk_bytes_load_any_(cmk_bytes_rows_ *rows, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int aligned)
{
    const cmk_image_ *const image = w->task.image;
    const int at = cmk_image_row_at_(image, s.f.edge, w->next), channels = s.f.channels, span = s.span;
    const int beside =
        aligned ? 0 : 4; /* bytes beside an item that are loaded with it where words have any alignment */
    const char *const row = at == cmk_image_none_ ? NULL : w->task.in + at * image->in_pitch;
    CMK_UNROLL
    for (int n = 0; n < s.words / span; ++n) {
        const int x = w->x * channels + cmk_bytes_item_(s, n);
        unsigned *const to = &rows->words[n * span];
        if (row && x - beside >= image->left && x + 4 * span + beside <= image->right) {
            cmk_bytes_load_words_(to, s, row + x, !aligned);
        } else if (x < image->width + 16 * channels) {
            cmk_bytes_load_edge_(to, w, s, row, x);
        } else {
            CMK_UNROLL
            for (int i = 0; i < span; ++i) to[i] = 0;
        }
    }
    w->next += s.step;
}

/* Splits two numbers into halves, which become pair i, 0 or 1. Returns whether one half is exact for each. */
CMK_DEVICE_ int cmk_bytes_halve_(cmk_bytes_halves_ *to, int i, float one, float two)
{
    to->high[i] = cmk_mma_halves_(one, two);
    to->low[i] = cmk_mma_halves_(one - cmk_mma_half_(to->high[i], 0), two - cmk_mma_half_(to->high[i], 1));
    return (to->low[i] & 0x7fff7fffu) == 0;
}

/* Whether IN is a signed type: of one byte 0xff, widened, the float is negative. The compiler knows the answer. */
CMK_DEVICE_ int cmk_bytes_are_signed_(cmk_filter_parts_float_ parts)
{
    const cmk_image_chunk_ minus = {{0xff}};
    float value;
    parts.widen(&value, &minus);
    return value < 0.0f;
}

/* Copies the next 8 rows into a stage of the ring. Four threads copy the chunks of a row, and this thread's row is
 * theirs. `aligned`, a compile-time constant: whether the row begins with a chunk. stage: this thread's row there.
 * w->source moves on by 8 rows. The copies are asynchronous, of 16 bytes each; the caller makes a group of them. Where
 * not aligned, they begin at the multiple of 16 bytes before w->source. */
CMK_DEVICE_ void cmk_bytes_copy_(char *stage, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int aligned)
{
    const int chunks = aligned ? s.chunks : s.unaligned_chunks;
    const char *const from = aligned ? w->source : w->source - (size_t)w->source % 16;
    CMK_UNROLL
    for (int n = 0; n < chunks; n += 4) {
        const int chunk = n + (int)threadIdx.x % 4;
        CMK_TURN_(n);
        if (chunk < chunks) cmk_fill_async_shared_(stage + 16 * chunk, from + 16 * chunk);
    }
    CMK_TURN_(-1);
    w->source += 8 * w->task.image->in_pitch;
}

/* Starts the copies of the first stages of a ring, as many as a warp inside needs. `aligned`, a compile-time constant:
 * whether rows begin with a chunk. ring: the warp's. Each of the s.turn / 8 stages is one group of copies, which may be
 * empty. All threads of the warp call. */
CMK_DEVICE_ void cmk_bytes_begin_(char *ring, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int aligned)
{
    CMK_UNROLL
    for (int n = 0; n < s.turn; n += 8) {
        char *const row = ring + (n + (int)threadIdx.x % 32 / 4) * s.row_bytes;
        if (s.bands || n < w->length + s.early) cmk_bytes_copy_(row, w, s, aligned);
        CMK_FILL_COMMIT(ASYNC);
    }
}

/* Stores `count` words that follow one another, where rows begin anywhere. Stores are aligned chunks of 8 bytes, or of
 * 4 where the count is odd, from the first multiple of that size in global memory on. A chunk that begins at `end` or
 * later is left out. The first word would be at `to`, which is `at` bytes from the strip's first output; `end` is
 * counted from there too. The two words that follow are in behind. The first chunk is `off` bytes behind `to`, and a
 * chunk has `each` words. The count is a constant at compile time. */
CMK_DEVICE_ void cmk_bytes_store_unaligned_(char *to, const unsigned *words, int count, const unsigned *behind, int at,
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

/* Finds the strip and the rows of a warp from the number of its tile. Returns whether the tile is of the frame: of
 * strips at the edges, or of the first or last rows of other strips. The frame comes first, as it takes longer. The
 * last tile of a strip has as many rows as others, and shares some of them with the tile above. *z becomes the number
 * of the image in its batch. each: the tiles of an image in the frame, or inside; sides: those of its strips at the
 * edges. part: the tile's number in its strip among those of its kind, from top to bottom. Sets w->y and w->length. All
 * threads of a warp get the same. at: the tile's number in its image, among the tiles in the frame or those inside. */
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

/* Sets up a warp for the tile of this number: its strip, its rows, and its pointers. All threads of a warp call, each
 * for its own row of a step and words of a window. It leaves is_signed, exact, inverse and taps unset. With a ring
 * w->source is the first chunk of row threadIdx.x % 32 / 4, of the 8 rows that a stage has. A tile that is not in the
 * frame still is not inside where it has fewer rows than others, or reads rows outside the image. column: the strip's
 * first output, in pixels of the region. */
CMK_DEVICE_ void cmk_bytes_find_(cmk_bytes_work_ *w, cmk_image_task_ task, cmk_bytes_sizes_ s, unsigned tile)
{
    const cmk_image_ *const image = task.image;
    const int row = cmk_bytes_row_(s), channels = s.f.channels;
    int strip;
    unsigned z;
    const int in_frame = cmk_bytes_locate_(w, image, tile, &strip, &z);
    const int aligned = image->in_whole && image->out_whole;
    w->x = strip * cmk_bytes_strip_(s, aligned) - image->head / channels - s.before;
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
