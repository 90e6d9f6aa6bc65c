/* kernel/rows/image.h: an image, the region of it that a launch computes, and where a warp is in it.
 *
 * A lane owns `lanes` adjacent elements of a row (channels lie side by side), a warp a strip 32 times as wide, a block
 * four warps. Coordinates are counted from the region's first element, columns in elements. Outputs that may need what
 * is outside the image, or chunks that are not aligned, are the frame: columns of warps at the left and the right, rows
 * above and below. Its warps come first in the grid. */
#ifndef CMK_KERNEL_ROWS_IMAGE_H
#define CMK_KERNEL_ROWS_IMAGE_H

#include "../../base.h"
#include "../../edge.h"

/* of a block, and 32-bit registers of an SM for each of its threads; no row or column */
enum { cmk_image_threads_ = 128, cmk_image_warps_ = 4, cmk_image_registers_ = 512, cmk_image_none_ = -0x7fffffff };

/* an image, a region of it, and how it is divided among warps */
typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step; /* elements from row to row and from image to image */
    int top, bottom, left, right;                   /* the image: rows top to bottom - 1 */
    int rows, width;                                /* the region */
    int head;                                       /* elements from a multiple of a chunk to the first */
    int in_whole, out_whole;                        /* whether chunks of in and out are aligned, */
    int left_whole, right_whole;                    /* and image and region begin and end with one */
    int columns, before, behind;                    /* columns of warps; of the frame at the left, at the right */
    int above, below;                               /* rows of the frame */
    int length, frame_length;                       /* rows of a warp inside, and of one of the frame's columns */
    int sides;                                      /* warps of the frame's columns */
    unsigned frame;                                 /* blocks of the frame */
    int start;                                      /* first row of the launch */
} cmk_image_;

/* what a launch computes: a region of images, in strips; rows of all strips of all images */
typedef struct {
    cmk_image_ image;
    int strips;
    cmk_i64 rows;
} cmk_image_region_;

/* what a thread loads at once */
typedef struct {
    unsigned char bytes[16];
} __attribute__((aligned(16))) cmk_image_chunk_;

/* the pointers of a kernel: an image's first element of the region; outside: the element in place of what is outside,
 * null for zeros */
typedef struct {
    const char *in;
    char *out;
    const cmk_image_ *image;
    const void *outside;
} cmk_image_task_;

CMK_INLINED_ cmk_image_task_ cmk_image_task_of_(const char *in, char *out, const cmk_image_ *image, const void *outside)
{
    const cmk_image_task_ task = {in, out, image, outside};
    return task;
}

/* the first output of this thread: column x, row y of image blockIdx.z; the rows of its warp, of which those before
 * done are another's too, and are written by that */
typedef struct {
    int x, y, lane, warp, length, done;
} cmk_image_place_;

CMK_FOLDED_ int cmk_image_up_(int value, int multiple)
{
    return value <= 0 ? 0 : (value + multiple - 1) / multiple * multiple;
}

/* low <= value < high, where low <= high */
CMK_FUNCTION int cmk_image_within_(int value, int low, int high)
{
    return (unsigned)value - (unsigned)low < (unsigned)high - (unsigned)low;
}

/* the row of the image that edge reads for row y, cmk_image_none_ for what is outside */
CMK_DEVICE_ int cmk_image_row_at_(const cmk_image_ *image, int edge, int y)
{
    const int row = y - image->top, rows = image->bottom - image->top;
    if (cmk_edge_empty_(CMK_EDGE_ROW(edge), row, rows)) return cmk_image_none_;
    return (int)cmk_edge_index(CMK_EDGE_ROW(edge), row, rows) + image->top;
}

/* the same for a column of elements; pixels have their channels side by side */
CMK_DEVICE_ int cmk_image_column_at_(const cmk_image_ *image, int edge, int channels, int x)
{
    const int from = x - image->left, pixels = (image->right - image->left) / channels;
    const int pixel = (from < 0 ? from - (channels - 1) : from) / channels;
    if (cmk_edge_empty_(CMK_EDGE_COLUMN(edge), pixel, pixels)) return cmk_image_none_;
    return ((int)cmk_edge_index(CMK_EDGE_COLUMN(edge), pixel, pixels) - pixel) * channels + x;
}

/* The direct way: the warps of a block have `height` rows each, below each other, of one column. */
CMK_DEVICE_ cmk_image_place_ cmk_image_locate_direct_(const cmk_image_ *image, int lanes, int height)
{
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    const cmk_image_place_ place = {((int)blockIdx.x * 32 + lane) * lanes - image->head,
                                    image->start + ((int)blockIdx.y * cmk_image_warps_ + warp) * height,
                                    lane,
                                    warp,
                                    height,
                                    0};
    return place;
}

/* Inside: the warps of a block lie side by side; the last rows reach up into those of another warp, so that all are as
 * many. */
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

/* The frame: rows of one of its columns, or those above or below in one column of warps. */
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
