/* kernel/image/fill.h: rows of an image into the ring of a warp, by bytes, every edge treated on the way.
 *
 * The ring of a warp is private shared memory, `stages` steps of `step` rows; the rings of a block's four warps lie
 * side by side, stage by stage. A chunk (16 bytes mostly) comes by an asynchronous copy. Zeros outside need no frame
 * where rows begin and end with a chunk: there a chunk outside is a copy of no bytes. */
#ifndef CMK_KERNEL_IMAGE_FILL_H
#define CMK_KERNEL_IMAGE_FILL_H

#include "../../tile.h"
#include "../rows/copy.h"
#include "../rows/image.h"
#include "sizes.h"

/* A row of the ring of a warp of the frame, whose first element is column x: elements low to high - 1 are chunks inside
 * and aligned; those before low and from high to end - 1 come one by one; nothing needs what follows end. */
typedef struct {
    int x, low, high, end;
} cmk_image_span_;

/* a warp on its way down */
typedef struct {
    const cmk_image_ *image;
    const void *outside;
    cmk_image_place_ place;
    cmk_image_span_ span; /* of the frame */
    int *columns;         /* what the edge reads for the elements of a row */
    const char *in;       /* the image's first element of the region */
    const char *source;   /* the lane's first element of the next row to fill */
    char *target;         /* its first output of the rows that are complete next */
    char *stage;          /* its first chunk of the stage to fill next, which holds the oldest rows */
    int first;            /* column of its first chunk in a row of the ring */
    int bottom;           /* behind the last row that the warp reads */
    int next, stage_index;
} cmk_image_march_;

/* the span of width elements from column x, of which those up to beyond behind the image are needed */
CMK_FUNCTION cmk_image_span_ cmk_image_span_at_(const cmk_image_ *image, int x, int lanes, int width, int beyond)
{
    const int inside = image->right - x, left = cmk_image_up_(image->left - x, lanes);
    const int needed = cmk_image_up_(inside + beyond, lanes);
    const int low = image->in_whole && left < width ? left : width;
    const int high = inside >= width ? width : inside < low ? low : inside & -lanes;
    const cmk_image_span_ span = {x, low, high, low == width || needed > width ? width : needed};
    return span;
}

/* whether the lane has a chunk among 32 from chunk c of a row */
CMK_DEVICE_ int cmk_image_has_(cmk_image_sizes_ k, int lane, int c)
{
    return c + 32 <= k.chunks || lane < k.chunks - c;
}

/* the rows of a step of a warp whose chunks are all inside and aligned */
CMK_DEVICE_ void cmk_image_fill_inside_(const cmk_image_march_ *m, cmk_image_sizes_ k)
{
    CMK_UNROLL
    for (int j = 0; j < k.step; ++j) {
        const char *const from = m->source + j * m->image->in_pitch * k.f.in_size;
        const int in_row = k.f.zeros ? cmk_image_within_(m->next + j, m->image->top, m->bottom) : m->next < m->bottom;
        CMK_UNROLL
        for (int c = 0; c < k.chunks; c += 32)
            if (cmk_image_has_(k, m->place.lane, c)) {
                const int in = cmk_image_within_(m->first + c * k.lanes, m->image->left, m->image->right);
                CMK_TURN_(j * 64 + c / 32);
                cmk_fill_async_(k.chunk_bytes, m->stage + j * k.row_bytes + c * k.chunk_bytes, from + c * k.chunk_bytes,
                                in_row && (!k.f.zeros || in));
            }
    }
    CMK_TURN_(-1);
}

/* where element i of a row lies that starts at an address, which may be that of no row */
CMK_DEVICE_ const char *cmk_image_from_(size_t start, int i, int size)
{
    return (const char *)(start + (size_t)i * (size_t)size);
}

/* the chunks of row j of a step that are inside and aligned, and those that nothing needs */
CMK_DEVICE_ void cmk_image_fill_chunks_(const cmk_image_march_ *m, cmk_image_sizes_ k, int j, size_t start)
{
    CMK_UNROLL
    for (int n = 0; n < k.chunks; n += 32) {
        const int c = (n + m->place.lane) * k.lanes, copied = c >= m->span.low && c < m->span.high;
        char *const to = m->stage + j * k.row_bytes + n * k.chunk_bytes;
        if (!cmk_image_has_(k, m->place.lane, n)) break;
        CMK_TURN_(j * 64 + n / 32);
        if (m->outside && copied && start == 0) {
            cmk_image_chunk_ chunk;
            CMK_UNROLL
            for (int e = 0; e < k.lanes; ++e) memcpy(&chunk.bytes[e * k.f.in_size], m->outside, (size_t)k.f.in_size);
            cmk_load_store_value_(to, &chunk, k.chunk_bytes);
        } else if (copied || c >= m->span.end) {
            cmk_fill_async_(k.chunk_bytes, to, cmk_image_from_(start, m->span.x + c, k.f.in_size),
                            start != 0 && copied);
        }
    }
}

/* the elements of a step beside those chunks, one by one */
CMK_DEVICE_ void cmk_image_fill_elements_(const cmk_image_march_ *m, cmk_image_sizes_ k, const size_t *starts)
{
    const int low = m->span.low, high = m->span.high, end = m->span.end, lane = m->place.lane;
    const int *const columns = m->columns;
    char *const stage = m->stage - lane * k.chunk_bytes;
    CMK_NO_UNROLL
    for (int n = 0; n < low + end - high; n += 32) {
        const int c = n + lane < low ? n + lane : n + lane - low + high;
        if (c >= end) break;
        const int at = CMK_LOAD(&columns[c]);
        CMK_UNROLL
        for (int j = 0; j < k.step; ++j) {
            const int inside = at != cmk_image_none_ && starts[j] != 0;
            char *const to = cmk_image_at_(stage + j * k.row_bytes, c, k.f.in_size);
            CMK_TURN_(j * 64 + n / 32);
            cmk_image_copy_(to, cmk_image_from_(starts[j], at, k.f.in_size), k.f.in_size, inside, m->outside);
        }
    }
}

/* The rows of a step of a warp of the frame. Each lane finds the start of a row for all others. */
CMK_DEVICE_ void cmk_image_fill_frame_(const cmk_image_march_ *m, cmk_image_sizes_ k)
{
    const int row = cmk_image_row_at_(m->image, k.f.edge, m->next + m->place.lane);
    const size_t at = (size_t)(const void *)m->in + (size_t)(row * m->image->in_pitch) * (size_t)k.f.in_size;
    const size_t start = row != cmk_image_none_ ? at : 0;
    size_t starts[cmk_conv2d_rolled_step_]; /* of step rows, no kernel has more; 0 for one that is outside */
    CMK_UNROLL
    for (int j = 0; j < k.step; ++j) {
        starts[j] = __shfl_sync(0xffffffffu, start, j);
        cmk_image_fill_chunks_(m, k, j, starts[j]);
    }
    cmk_image_fill_elements_(m, k, starts);
    CMK_TURN_(-1);
}

/* starts the copies of the next step, and goes on to the stage after it */
CMK_DEVICE_ void cmk_image_fill_(cmk_image_march_ *m, cmk_image_sizes_ k, int in_frame)
{
    if (in_frame)
        cmk_image_fill_frame_(m, k);
    else
        cmk_image_fill_inside_(m, k);
    CMK_FILL_COMMIT(ASYNC);
    m->next += k.step;
    m->source += k.step * m->image->in_pitch * k.f.in_size;
    m->stage_index = m->stage_index < k.stages - 1 ? m->stage_index + 1 : 0;
    m->stage += (m->stage_index > 0 ? cmk_image_warps_ : -(k.stages - 1) * cmk_image_warps_) * k.step * k.row_bytes;
}

/* What follows may fill the stage that was read. A barrier of the block keeps its warps on neighbouring addresses, and
 * in the same part of a code larger than the instruction cache. */
CMK_DEVICE_ void cmk_image_sync_(int whole_block)
{
    if (whole_block)
        __syncthreads();
    else
        __syncwarp();
}

/* a warp at its first row */
CMK_DEVICE_ cmk_image_march_ cmk_image_begin_(cmk_image_task_ task, cmk_image_sizes_ k)
{
    const cmk_image_ *const image = task.image;
    CMK_TILE_DYNAMIC(char, ring);
    cmk_image_march_ m = CMK_ZEROS_(cmk_image_march_);
    m.image = image;
    m.outside = task.outside;
    m.place = cmk_image_locate_(image, k.lanes);
    m.columns = (int *)(void *)(ring + k.ring_bytes) + m.place.warp * k.chunks * k.lanes;
    m.first = m.place.x - k.before;
    m.next = m.place.y - k.f.row;
    const int last = m.place.y + m.place.length - k.f.row + k.f.rows - 1;
    m.bottom = last < image->bottom ? last : image->bottom;
    m.stage_index = 0;
    m.stage = ring + m.place.warp * k.step * k.row_bytes + m.place.lane * k.chunk_bytes;
    m.in = task.in + blockIdx.z * image->in_step * k.f.in_size;
    m.source = m.in + (m.next * image->in_pitch + m.first) * k.f.in_size;
    m.target = task.out + (blockIdx.z * image->out_step + (m.place.y + 1 - k.f.rows) * image->out_pitch + m.place.x) *
                              k.f.out_size;
    return m;
}

/* what a warp of the frame reads for the elements of a row */
CMK_DEVICE_ void cmk_image_find_columns_(cmk_image_march_ *m, cmk_image_sizes_ k)
{
    const int x = m->first - m->place.lane * k.lanes, width = k.chunks * k.lanes;
    for (int n = m->place.lane; n < width; n += 32)
        CMK_STORE(&m->columns[n], cmk_image_column_at_(m->image, k.f.edge, k.f.channels, x + n));
    __syncwarp();
    m->span = cmk_image_span_at_(m->image, x, k.lanes, width, k.f.beyond);
}

#endif
