/* kernel/point/spares.h: on the host: name_prepare, which gives a grid the spare buffers that a pass of several steps
 * needs, and name_release, which takes them back.
 *
 * Everywhere `now` is a copy of the grid. The grid becomes that copy where nothing fails.
 *
 * In all functions here, which the host calls:
 *
 *   grid, now      a name_grid, the caller's and its copy; they begin with cmk_point_sizes_ (grid.h), and no more is
 *                  known here
 *   all, members   a cmk_point_member_ (members.h) for each name of a field, and the number of these names
 *   m              one of them; m->pointers, others, spares and other_spares are bytes from the start of the struct
 *   b              the number of a buffer of a name: below m->count the fields' own and their spare ones, then the
 *                  second ones and the spare ones of the level before in time
 *   why            set to the sentence of a call that is refused, or to NULL
 *   prepared       of memory: that of name_prepare, s.prepared_bytes_ bytes from the address s.prepared_ on
 *   cmk_point_spare_, cmk_point_buffer_, cmk_point_pointer_    of members.h: a pointer that the grid has
 *   cmk_point_bytes_    of members.h: the bytes of a buffer of a field, from its first element to behind its last. It
 *                  is not 0 where cmk_point_complete_ (refuse.h) found the grid right and set its pitches
 *   cmk_point_prepared_, cmk_point_fits_    of members.h: a buffer begins in prepared memory; and fits there
 *   members.h      cmk_point_spare_count_: the spare buffers of a name. cmk_point_sizes_of_, cmk_point_set_sizes_: read
 *                  and write the sizes of a grid. cmk_point_number_: the address of a pitch. cmk_point_empty_: the part
 *                  has no points
 *   refuse.h       cmk_point_sizes_why_, cmk_point_spares_why_, cmk_point_pitches_: why sizes, spare buffers or pitches
 *                  are not right, or NULL; the last sets pitches that are 0. cmk_point_refused_ makes an error of it.
 *                  cmk_point_buffer_word_, cmk_point_spare_word_: the name of a buffer, as text. cmk_why_ makes a
 *                  sentence, by a format of printf
 *   passes.h       cmk_point_strips_fit_, cmk_point_pass_runs_: whether a pass fits the grid, and its shared memory the
 *                  device. cmk_point_captured_: whether the stream is, or may be
 *   CMK_COLD_      (base.h) compiled for size, in less time */
#ifndef CMK_KERNEL_POINT_SPARES_H
#define CMK_KERNEL_POINT_SPARES_H

#include "passes.h"

#if CMK_HAS_HOST_

/* Returns where pointer b of a name is in the grid, in bytes. The first m->count pointers begin at `ones`, the others
 * at `seconds`, both of them bytes from the start of the struct. */
static inline size_t cmk_point_slot_of_(const cmk_point_member_ *m, size_t ones, size_t seconds, int b)
{
    return (b < m->count ? ones : seconds) + (size_t)(b % m->count) * sizeof(void *);
}

/* Writes a pointer to the grid, `at` bytes from its start. */
static inline void cmk_point_give_(void *grid, size_t at, const void *pointer)
{
    memcpy((char *)grid + at, (const void *)&pointer, sizeof pointer);
}

/* Copies the sizes and all pointers of `now` to the grid, but not the pitches of fields: those that were 0 stay 0. */
static inline void cmk_point_adopt_(void *grid, const void *now, const cmk_point_member_ *all, int members)
{
    memcpy(grid, now, sizeof(cmk_point_sizes_));
    for (int i = 0; i < members; ++i) {
        const size_t at[] = {all[i].pointers, all[i].others, all[i].spares, all[i].other_spares};
        for (int k = 0; k < 4; ++k)
            if (at[k] != 0)
                memcpy((char *)grid + at[k], (const char *)now + at[k], (size_t)all[i].count * sizeof(void *));
    }
}

/* Makes parts of memory the spare buffers that are missing in `now`. The parts begin at multiples of 256 bytes, and
 * *bytes becomes the end of the last, rounded up. cudaMalloc gives such multiples too, and a pass needs multiples of
 * 16. Without memory, which is NULL then, they are only counted. Returns 0 where size_t does not hold the bytes: the
 * 255 are the most that rounding adds. The call is refused then. */
static inline int cmk_point_supply_(void *now, const cmk_point_member_ *all, int members, char *memory, size_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < members; ++i)
        for (int b = 0; b < cmk_point_spare_count_(&all[i]); ++b) {
            const size_t each = cmk_point_bytes_(now, &all[i]);
            if (cmk_point_spare_(now, &all[i], b) != NULL) continue;
            if (each > (size_t)-1 - 255 - *bytes) return 0;
            if (memory != NULL)
                cmk_point_give_(now, cmk_point_slot_of_(&all[i], all[i].spares, all[i].other_spares, b),
                                memory + *bytes);
            *bytes += (each + 255) / 256 * 256;
        }
    return 1;
}

/* Allocates `bytes` bytes for the spare buffers of a complete grid, and sets them in `now`. Where the spare buffers are
 * not right, as one of the caller's may not be, it frees the memory and *why says so. The error of a failed cudaMalloc
 * is taken from the runtime, so that later calls do not report it again. */
static inline cudaError_t cmk_point_allocate_(void *now, const cmk_point_member_ *all, int members, size_t bytes,
                                              const char **why)
{
    void *memory = NULL;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return error;
    }
    cmk_point_sizes_ s = cmk_point_sizes_of_(now);
    s.prepared_ = (size_t)memory;
    s.prepared_bytes_ = bytes;
    cmk_point_set_sizes_(now, s);
    (void)cmk_point_supply_(now, all, members, (char *)memory, &bytes);
    *why = cmk_point_spares_why_(now, all, members);
    if (*why != NULL) (void)cudaFree(memory);
    return cmk_point_refused_(*why);
}

/* Returns why nothing is allocated: the grid has prepared memory already, or the stream is captured. */
static inline const char *cmk_point_why_no_more_(const cmk_point_sizes_ *s, cudaStream_t stream)
{
    if (s->prepared_bytes_ != 0) return "the grid has prepared buffers: name_release comes first";
    return cmk_point_captured_(stream) ? "the stream is captured" : NULL;
}

/* Does what name_prepare does. An empty part, or a grid of which no pass would be made, gets no memory and no error.
 * `passes` are those of a call of 0 steps, so passes.steps are the steps that a pass can have. NULL stands for the
 * current device. */
CMK_COLD_ static inline cudaError_t cmk_point_prepare_(cmk_point_grids_ g, const char **why, cudaStream_t stream,
                                                       cmk_point_passes_ passes)
{
    size_t bytes = 0;
    int processors = 0;
    if (g.caller == NULL) return cudaErrorInvalidValue;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(g.now);
    *why = cmk_point_sizes_why_(&s);
    if (*why != NULL || cmk_point_empty_(&s)) return cmk_point_refused_(*why);
    *why = cmk_point_complete_(g.now, g.all, g.members);
    if (*why != NULL) return cmk_point_refused_(*why);
    if (passes.steps < 2 || !cmk_point_strips_fit_(g.now, g.all, g.members, &passes) ||
        !cmk_point_pass_runs_(&passes, NULL, &processors))
        return cudaSuccess;
    if (!cmk_point_supply_(g.now, g.all, g.members, NULL, &bytes))
        *why = "spare buffers need more bytes than there are addresses";
    else
        *why = bytes == 0 ? cmk_point_spares_why_(g.now, g.all, g.members) : cmk_point_why_no_more_(&s, stream);
    if (*why != NULL || bytes == 0) return cmk_point_refused_(*why);
    const cudaError_t error = cmk_point_allocate_(g.now, g.all, g.members, bytes, why);
    if (error == cudaSuccess) cmk_point_adopt_(g.caller, g.now, g.all, g.members);
    return error;
}

/* Copies `width` bytes of each row, by copies in the stream that the call does not wait for. The pitch is in bytes. A
 * 2D copy takes pitches of less than 2 GB; rows of larger ones are copied one by one. */
static inline cudaError_t cmk_point_copy_rows_(char *to, const char *from, size_t pitch, size_t width, size_t rows,
                                               cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (pitch <= 0x7fffffff) return cudaMemcpy2DAsync(to, pitch, from, pitch, width, rows, cudaMemcpyDefault, stream);
    for (size_t row = 0; row < rows && error == cudaSuccess; ++row)
        error = cudaMemcpyAsync(to + row * pitch, from + row * pitch, width, cudaMemcpyDefault, stream);
    return error;
}

/* Copies the elements of a field, but not what is between its rows, plane by plane. The pitches are those of field m in
 * elements, and become bytes here. */
static inline cudaError_t cmk_point_copy_field_(void *now, const cmk_point_member_ *m, char *to, const char *from,
                                                cudaStream_t stream)
{
    const size_t row = *cmk_point_number_(now, m->row_pitch) * m->size;
    const size_t plane = *cmk_point_number_(now, m->plane_pitch) * m->size;
    cudaError_t error = cudaSuccess;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(now);
    for (size_t z = 0; z < s.planes && error == cudaSuccess; ++z)
        error = cmk_point_copy_rows_(to + z * plane, from + z * plane, row, s.columns * m->size, s.rows, stream);
    return error;
}

/* Makes buffer b of a field, which may be prepared memory, the caller's own one. That is its spare buffer then, `home`,
 * as the two have changed places. The elements are copied there, in the stream. A spare buffer that is prepared memory,
 * or that has become the field's, is NULL afterwards. */
static inline cudaError_t cmk_point_return_(void *now, const cmk_point_member_ *m, int b, cudaStream_t stream,
                                            const char **why)
{
    const size_t at = cmk_point_slot_of_(m, m->pointers, m->others, b);
    const size_t spare_at = cmk_point_slot_of_(m, m->spares, m->other_spares, b), bytes = cmk_point_bytes_(now, m);
    const char *const here = cmk_point_buffer_(now, m, b);
    char *const home = cmk_point_pointer_(now, spare_at, 0); /* 0: the pointer at spare_at itself */
    const cmk_point_sizes_ s = cmk_point_sizes_of_(now);
    const int is_prepared = cmk_point_prepared_(&s, here), spare_is_prepared = cmk_point_prepared_(&s, home);
    if (is_prepared || spare_is_prepared) cmk_point_give_(now, spare_at, NULL);
    if (!is_prepared) return cudaSuccess;
    if (home == NULL || spare_is_prepared || bytes == 0 || !cmk_point_fits_(now, here, bytes)) {
        *why = cmk_why_("%s is prepared, but %s is no buffer for what it holds", cmk_point_buffer_word_(m, b).text,
                        cmk_point_spare_word_(m, b).text);
        return cudaErrorInvalidValue;
    }
    cmk_point_give_(now, at, home);
    return cmk_point_copy_field_(now, m, home, here, stream);
}

/* Does what name_release does: returns all buffers to the caller, waits for the stream, and frees the prepared memory.
 * A grid that has none stays as it is. */
CMK_COLD_ static inline cudaError_t cmk_point_release_(cmk_point_grids_ g, const char **why, cudaStream_t stream)
{
    if (g.caller == NULL) return cudaErrorInvalidValue;
    cmk_point_sizes_ s = cmk_point_sizes_of_(g.now);
    *why = NULL;
    if (s.prepared_bytes_ == 0) return cudaSuccess;
    *why = cmk_point_sizes_why_(&s);
    if (*why == NULL) *why = cmk_point_pitches_(g.now, g.all, g.members);
    if (*why == NULL && cmk_point_captured_(stream)) *why = "the stream is captured";
    if (*why != NULL) return cmk_point_refused_(*why);
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < g.members; ++i)
        for (int b = 0; b < cmk_point_spare_count_(&g.all[i]) && error == cudaSuccess; ++b)
            error = cmk_point_return_(g.now, &g.all[i], b, stream, why);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return error;
    }
    void *const memory = (void *)s.prepared_;
    s.prepared_ = s.prepared_bytes_ = 0;
    cmk_point_set_sizes_(g.now, s);
    cmk_point_adopt_(g.caller, g.now, g.all, g.members);
    return cudaFree(memory);
}

#endif

#endif
