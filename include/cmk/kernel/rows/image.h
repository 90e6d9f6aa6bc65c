/* kernel/rows/image.h: an image, the region of it that a launch computes, and where a warp is in it.
 *
 * A lane owns `lanes` adjacent elements of a row, in which channels lie side by side. A warp has a strip 32 times as
 * wide, and a block has four warps. Coordinates are counted from the region's first element, and columns in elements.
 * The frame is outputs that may need what is outside the image, or chunks that are not aligned: columns of warps at the
 * left and the right, rows above and below. Its warps come first in the grid.
 *
 * In all functions here, which kernels of the image engine call; those of rows and columns are called by others
 * too:
 *   image    the parameter of the kernel, which the host has made (image/plan.h; for tensor cores, the plan of the
 *            engine). Engines of tensor cores divide in other ways: bytes/plan.h says which members mean something
 *            else there
 *   place    where the thread is, as it is found here
 *   lanes    elements of a row that a thread computes, a constant at compile time. A chunk is what a thread loads
 *            at once, up to 16 bytes
 *   inside   what is not of the frame, as a warp, a strip or a row
 *   column   in the functions that find a place, the number of a column of warps, or strip
 *   base.h   CMK_DEVICE_, CMK_INLINED_: an inlined device function, the latter on the CPU too. CMK_FUNCTION: one of
 *            host and device; CMK_FOLDED_: it is a constant for constant arguments
 *
 * Images have at most 0x7fff0000 rows, and rows as many elements; larger ones are refused (cmk_image_why_). So rows and
 * columns that a filter reaches are ints, and none of them is cmk_image_none_. Of edge.h, for an index i that may be
 * outside: cmk_edge_index(edge, i, count) is the one of 0 to count - 1 that the edge reads, and cmk_edge_empty_ says
 * whether it reads none. CMK_EDGE_ROW and CMK_EDGE_COLUMN are the edges of rows and of columns. */
#ifndef CMK_KERNEL_ROWS_IMAGE_H
#define CMK_KERNEL_ROWS_IMAGE_H

#include "../../base.h"
#include "../../edge.h"

/* Threads and warps of a block; 32-bit registers of an SM for each thread of one block, 65,536 / 128; and what stands
 * for no row or column. It is below all of them, and no index: who gets it must not read. */
enum { cmk_image_threads_ = 128, cmk_image_warps_ = 4, cmk_image_registers_ = 512, cmk_image_none_ = -0x7fffffff };

/* An image, a region of it, and how the region is divided among warps. With a skew other than 0, chunks are not
 * aligned, but rows of in and of out begin alike: row y of image z stands lead + y * skew + z * lead_step elements
 * behind a chunk, modulo the elements of a chunk. Then each row of a thread begins with the chunk below. */
typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step; /* elements from row to row and from image to image */
    int top, bottom, left, right;                   /* the image: rows top to bottom - 1, columns left to right - 1 */
    int rows, width;                                /* the region: its rows, and the elements of a row */
    int head;                                       /* elements from a multiple of a chunk to the region's first */
    int in_whole, out_whole;                        /* whether chunks of in and of out are aligned */
    int skew, lead, lead_step;                      /* see above; all 0 but in the direct way */
    int left_whole, right_whole;                    /* whether image and region both begin, and end, with a chunk */
    int columns, before, behind;                    /* columns of warps; the frame's at the left, and at the right */
    int above, below;                               /* rows of the frame above and below */
    int length, frame_length;                       /* rows of a warp inside; rows of a warp in the frame's columns */
    int sides;                                      /* warps in the frame's columns */
    unsigned frame;                                 /* blocks of the frame */
    int start;                                      /* the first row of the launch */
} cmk_image_;

/* What a launch computes on tensor cores: a region of images, the strips of an image, and the rows of all strips of all
 * images. The engines sweep/ and tensor/ set strips and rows, and sweep/plan.h counts rows in quarters. The engine
 * bytes/ sets the image alone. */
typedef struct {
    cmk_image_ image;
    int strips;
    cmk_i64 rows;
} cmk_image_region_;

/* What a thread loads at once. */
typedef struct {
    unsigned char bytes[16];
} __attribute__((aligned(16))) cmk_image_chunk_;

/* The pointers of a kernel. in and out: the region's first element of the launch's first image. outside: the element in
 * place of what is outside, null for zeros. image: the parameter of the kernel. */
typedef struct {
    const char *in;
    char *out;
    const cmk_image_ *image;
    const void *outside;
} cmk_image_task_;

/* Returns the task of these pointers. A kernel calls (ways.h). */
CMK_INLINED_ cmk_image_task_ cmk_image_task_of_(const char *in, char *out, const cmk_image_ *image, const void *outside)
{
    const cmk_image_task_ task = {in, out, image, outside};
    return task;
}

/* Where this thread's first output is: column x, row y of image blockIdx.z. length: the rows of its warp. Those before
 * row done belong to another warp too, which writes them. lane: the thread's number in its warp; warp: that number in
 * the block. done counts rows from y on. */
typedef struct {
    int x, y, lane, warp, length, done;
} cmk_image_place_;

/* Returns value rounded up to a multiple, and 0 where it is below 0. */
CMK_FOLDED_ int cmk_image_up_(int value, int multiple)
{
    return value <= 0 ? 0 : (value + multiple - 1) / multiple * multiple;
}

/* Whether low <= value < high. low must not be above high. Any of them may be negative: a value below low becomes a
 * large unsigned number. */
CMK_FUNCTION int cmk_image_within_(int value, int low, int high)
{
    return (unsigned)value - (unsigned)low < (unsigned)high - (unsigned)low;
}

/* The row of the image that the edge reads for row y, or cmk_image_none_ for what is outside. Both are counted from the
 * region's first row, so that rows of the image may be negative. edge: an edge of edge.h, a constant at compile time.
 */
CMK_DEVICE_ int cmk_image_row_at_(const cmk_image_ *image, int edge, int y)
{
    const int row = y - image->top, rows = image->bottom - image->top;
    if (cmk_edge_empty_(CMK_EDGE_ROW(edge), row, rows)) return cmk_image_none_;
    return (int)cmk_edge_index(CMK_EDGE_ROW(edge), row, rows) + image->top;
}

/* The column of elements that the edge reads for column x, or cmk_image_none_ for what is outside. The channels of a
 * pixel lie side by side. Both count elements from the region's first one, and may be negative. The edge works on
 * pixels, and the channel of an element stays. The division by channels rounds down, so that -1 is in pixel -1. */
CMK_DEVICE_ int cmk_image_column_at_(const cmk_image_ *image, int edge, int channels, int x)
{
    const int from = x - image->left, pixels = (image->right - image->left) / channels;
    const int pixel = (from < 0 ? from - (channels - 1) : from) / channels;
    if (cmk_edge_empty_(CMK_EDGE_COLUMN(edge), pixel, pixels)) return cmk_image_none_;
    return ((int)cmk_edge_index(CMK_EDGE_COLUMN(edge), pixel, pixels) - pixel) * channels + x;
}

/* Finds the place of a thread in the direct way. The warps of a block have `height` rows each, below each other, in one
 * column of warps. image->start is the first row of the launch. A thread has `lanes` elements of each row, a power of
 * two; both numbers are known at compile time. Of a skewed image the first of these rows begins with a chunk: its
 * number is a multiple of `lanes`, so that it begins as row 0 does. The last 0: no rows belong to another warp too. */
CMK_DEVICE_ cmk_image_place_ cmk_image_locate_direct_(const cmk_image_ *image, int lanes, int height)
{
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    const int y = image->start + ((int)blockIdx.y * cmk_image_warps_ + warp) * height;
    const int lead = (image->lead + (int)blockIdx.z * image->lead_step) & (lanes - 1);
    const cmk_image_place_ place = {
        ((int)blockIdx.x * 32 + lane) * lanes - image->head - lead, y, lane, warp, height, 0};
    return place;
}

/* Finds the place of a warp inside. The warps of a block lie side by side. The last rows of a column reach up into
 * those of another warp, so that all warps have as many. warp: its number in the block. *column becomes the number of
 * its strip, and place gets y, length and done. end: the row behind the last inside. */
CMK_DEVICE_ void cmk_image_locate_inside_(const cmk_image_ *image, int warp, int *column, cmk_image_place_ *place)
{
    const int end = image->rows - image->below;
    const unsigned wide = (unsigned)(image->columns - (image->before + image->behind));
    const unsigned at = cmk_image_warps_ * (blockIdx.x - image->frame) + (unsigned)warp, down = at / wide;
    const cmk_i64 y = image->above + (cmk_i64)down * image->length;
    *column = image->before + (int)(at - down * wide);
    place->length = image->length;
    place->done = y > end - image->length ? (int)(y - (end - image->length)) : 0;
    place->y = (int)(y - place->done);
}

/* Finds the place of a warp of the frame: rows in one of the frame's columns, or the rows above or below in one column
 * of warps. at: the warp's number in the grid. The first image->sides of them are in the frame's columns, then come
 * those above, then those below, one for each column. Warps that are left over get 0 rows. */
CMK_DEVICE_ void cmk_image_locate_frame_(const cmk_image_ *image, int warp, int *column, cmk_image_place_ *place)
{
    const int end = image->rows - image->below, at = (int)blockIdx.x * cmk_image_warps_ + warp;
    if (at < image->sides) {
        const int edges = image->before + image->behind, down = at / edges, edge = at - down * edges;
        *column = edge < image->before ? edge : edge + image->columns - edges;
        place->y = (int)(image->above + (cmk_i64)down * image->frame_length);
        place->length = end - place->y < image->frame_length ? end - place->y : image->frame_length;
    } else {
        const int strip = at - image->sides + (image->above > 0 ? 0 : image->columns);
        const int is_above = strip < image->columns;
        *column = is_above ? strip : strip - image->columns;
        place->y = is_above ? 0 : end;
        place->length = is_above ? image->above : *column < image->columns ? image->below : 0;
    }
}

/* Finds the place of a thread in the marching way. Blocks of the frame come first in the grid. Without a frame all are
 * inside. A warp's strip is 32 * lanes elements wide, and begins image->head elements before a multiple of that. */
CMK_DEVICE_ cmk_image_place_ cmk_image_locate_(const cmk_image_ *image, int lanes)
{
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    int column = 0;
    cmk_image_place_ place = {0, 0, lane, warp, 0, 0};
    if (blockIdx.x >= image->frame)
        cmk_image_locate_inside_(image, warp, &column, &place);
    else
        cmk_image_locate_frame_(image, warp, &column, &place);
    place.x = (column * 32 + lane) * lanes - image->head;
    return place;
}

#endif
