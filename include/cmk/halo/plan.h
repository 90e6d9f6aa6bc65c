/* halo/plan.h: what travels in an exchange: the pieces and messages that a halo makes of its fields. */
#ifndef CMK_HALO_PLAN_H
#define CMK_HALO_PLAN_H

#include "../base.h"
#include "../check.h"
#include "../grid.h"
#include "field.h"
#include "pack.h"

#if CMK_HAS_HOST_

#include <stdarg.h>

#ifndef CMK_HALO_PATIENCE
#define CMK_HALO_PATIENCE 60 /* seconds that the host waits for a message; any step takes less */
#endif

enum { CMK_HALO_STAR, CMK_HALO_BOX };
enum { cmk_halo_directions_ = 27, cmk_halo_sums_ = 5 };

/* The words of a result that travel: from number cmk_halo_tops_ on the largest of all ranks are taken of some, of all
 * others the sum. They are in its memory, with room behind them for those of other ranks (kernel/point/reduce.h). */
enum { cmk_halo_words_ = 160, cmk_halo_tops_ = 14, cmk_halo_tops_words_ = 3, cmk_halo_reduced_most_ = 64 };

/* Between two ranks messages have the same order on both sides: by the directions of the sender, then by the fields.
 * tag is the place of a message in this order. */
typedef struct cmk_halo_message_ {
    int peer, tag, pending;
    char *memory;
    size_t at, bytes; /* at: the offset in the buffer, if packed */
} cmk_halo_message_;

/* all that a rank sends of a level, or all that it receives */
typedef struct cmk_halo_way_ {
    cmk_halo_message_ *message;
    cmk_halo_piece_ *piece; /* on the device */
    int messages, pieces;
    unsigned blocks;
} cmk_halo_way_;

struct cmk_halo;

/* How messages travel. Each function is called for the halos of all ranks that the process holds. It returns an error
 * with a sentence in `why` of the halo that has failed. All but start, finish and reduce may be NULL where there is
 * nothing to do.
 *
 *   accept              checks whether the plan can travel, without messages to other processes
 *   largest             sets values[i] to the largest that any rank has
 *   open                makes what is needed before the first exchange
 *   start               comes after packing, in the order of the stream of each halo
 *   finish              comes before unpacking
 *   reduce              reduces the words of results over all ranks; they come in the order of the stream of each halo
 *   look                checks whether the transport has failed, for a halo that the host waits for
 *   close               frees what a halo has whose of_transport is not NULL
 *   allocate, release   give and take the memory of packed messages */
typedef struct cmk_halo_transport {
    const char *name;
    void *context;
    int staged;    /* messages lie in page-locked memory of the host */
    int one_sided; /* not 0: messages do not wait for the receiver; their windows begin at multiples of this */
    cudaError_t (*accept)(struct cmk_halo *halos, int ranks);
    cudaError_t (*largest)(struct cmk_halo *halos, int ranks, cmk_i64 *values, int count);
    cudaError_t (*open)(struct cmk_halo *halos, int ranks);
    cudaError_t (*start)(struct cmk_halo *halos, int ranks);
    cudaError_t (*finish)(struct cmk_halo *halos, int ranks);
    cudaError_t (*reduce)(struct cmk_halo *halos, int ranks, const cmk_result *results, int count);
    cudaError_t (*look)(struct cmk_halo *halo);
    void (*close)(struct cmk_halo *halo);
    cudaError_t (*allocate)(void **memory, size_t bytes);
    cudaError_t (*release)(void *memory);
} cmk_halo_transport;

typedef enum cmk_halo_state_ { cmk_halo_new_, cmk_halo_created_, cmk_halo_ready_, cmk_halo_begun_ } cmk_halo_state_;

typedef struct cmk_halo {
    cudaStream_t stream;
    char why[400];
    double patience;
    cmk_grid grid;
    int device;

    cmk_halo_state_ state;
    cmk_halo_transport transport;
    void *of_transport;
    cmk_field field[CMK_HALO_FIELDS];
    int fields, shape, direct, other; /* direct: messages lie in the fields; other: the level lies in `next` */
    cmk_halo_way_ send[2], receive[2];
    char *out, *in;
    size_t out_bytes, in_bytes;
    cudaEvent_t before, packed, sent, done;
} cmk_halo;

__attribute__((format(printf, 3, 4))) static inline cudaError_t cmk_halo_fail_(cmk_halo *halo, cudaError_t error,
                                                                               const char *format, ...)
{
    va_list values;
    const int written = snprintf(halo->why, sizeof halo->why, "rank %d: ", halo->grid.rank);
    va_start(values, format);
    (void)vsnprintf(halo->why + written, sizeof halo->why - (size_t)written, format, values);
    va_end(values);
    return cmk_check_say_(error, halo->why);
}

/* the error of a call; writes a sentence about it where there is none yet */
static inline cudaError_t cmk_halo_said_(cmk_halo *halo, cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return error;
    if (halo->why[0]) return cmk_check_say_(error, halo->why);
    return cmk_halo_fail_(halo, error, "%s: %s: %s", call, cudaGetErrorName(error), cudaGetErrorString(error));
}

/* the words of a result */
static inline unsigned long long *cmk_halo_words_of_(const cmk_result *result)
{
    return (unsigned long long *)result->memory + 16;
}

/* ---- Checks of a plan */

/* The words of a field in a sentence: its number, and its name where a stencil has given it. */
typedef struct {
    char text[96];
} cmk_halo_word_;

static inline cmk_halo_word_ cmk_halo_word_of_(const cmk_field *f, int field)
{
    cmk_halo_word_ word;
    if (f->name)
        snprintf(word.text, sizeof word.text, "field %d (%.64s)", field, f->name);
    else
        snprintf(word.text, sizeof word.text, "field %d", field);
    return word;
}

/* What a stencil has said of its field must do for the exchange: which neighbours it reads, and how many points its
 * memory holds. The reach along axes without neighbours is 0 here. A field by hand says nothing. */
static inline cudaError_t cmk_halo_check_told_(cmk_halo *halo, int field)
{
    static const char *const axes[3] = {"planes", "rows", "columns"};
    const cmk_field *const f = &halo->field[field];
    const cmk_box held = cmk_grid_held(&halo->grid, f->reach);
    const int along = (f->reach[0] > 0) + (f->reach[1] > 0) + (f->reach[2] > 0);
    const cmk_halo_word_ word = cmk_halo_word_of_(f, field);
    for (int a = 0; a < 3 && f->held.count[a] > 0; ++a)
        if (f->held.first[a] + f->held.count[a] < halo->grid.count[a])
            return cmk_halo_fail_(halo, cudaErrorInvalidValue,
                                  "%s has %lld %s from its part on, but the part of the rank has %lld", word.text,
                                  f->held.first[a] + f->held.count[a], axes[a], halo->grid.count[a]);
    for (int a = 0; a < 3 && f->held.count[a] > 0; ++a) {
        const cmk_i64 before = -f->held.first[a], behind = f->held.count[a] - before - halo->grid.count[a];
        const int is_few_before = held.first[a] < -before;
        if (is_few_before || held.first[a] + held.count[a] - halo->grid.count[a] > behind)
            return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%s reaches %d %s, but its grid has %lld of ghosts",
                                  word.text, f->reach[a], axes[a], is_few_before ? before : behind);
    }
    if (f->corners && along > 1 && halo->shape == CMK_HALO_STAR)
        return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%s is read at corners too: its shape is CMK_HALO_BOX",
                              word.text);
    return cudaSuccess;
}

static inline cudaError_t cmk_halo_check_pitches_(cmk_halo *halo, int field)
{
    const cmk_field *const f = &halo->field[field];
    const cmk_box held = cmk_grid_held(&halo->grid, f->reach);
    const cmk_i64 planes = held.count[0], rows = held.count[1], columns = held.count[2];
    const double most = 1e18 / (double)f->size;
    const cmk_halo_word_ word = cmk_halo_word_of_(f, field);
    if ((double)planes * (double)f->plane_pitch > most || (double)rows * (double)f->row_pitch > most ||
        (double)planes * (double)rows * (double)columns > most)
        return cmk_halo_fail_(halo, cudaErrorInvalidPitchValue, "%s has more than 10^18 bytes from end to end",
                              word.text);
    if (rows > 1 && f->row_pitch < columns)
        return cmk_halo_fail_(halo, cudaErrorInvalidPitchValue,
                              "%s has a row_pitch of %lld, but rows of %lld columns with the ghosts of reach %d",
                              word.text, f->row_pitch, columns, f->reach[2]);
    if (planes > 1 && f->plane_pitch < (rows > 1 ? (rows - 1) * f->row_pitch + columns : columns))
        return cmk_halo_fail_(halo, cudaErrorInvalidPitchValue,
                              "%s has a plane_pitch of %lld, but planes of %lld rows with the ghosts of reach "
                              "%d, %lld elements apart",
                              word.text, f->plane_pitch, rows, f->reach[1], f->row_pitch);
    return cudaSuccess;
}

static inline cudaError_t cmk_halo_check_field_(cmk_halo *halo, int field)
{
    static const char *const axes[3] = {"planes", "rows", "columns"};
    cmk_field *const f = &halo->field[field];
    const cmk_halo_word_ word = cmk_halo_word_of_(f, field);
    if (!f->data) return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%s has no data", word.text);
    if (f->size < 1 || f->size > 16)
        return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%s has elements of %zu bytes, not 1 to 16", word.text,
                              f->size);
    for (int a = 0; a < 3; ++a) {
        if (f->reach[a] < 0)
            return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%s reaches %d %s", word.text, f->reach[a], axes[a]);
        if (!cmk_grid_has_neighbours(&halo->grid, a)) f->reach[a] = 0;
        if (f->reach[a] > cmk_grid_smallest(&halo->grid, a))
            return cmk_halo_fail_(halo, cudaErrorInvalidValue,
                                  "%s reaches %d %s, but the smallest of %d parts has %lld", word.text, f->reach[a],
                                  axes[a], halo->grid.parts[a], cmk_grid_smallest(&halo->grid, a));
    }
    const cudaError_t error = cmk_halo_check_told_(halo, field);
    return error == cudaSuccess ? cmk_halo_check_pitches_(halo, field) : error;
}

/* ---- Boxes of fields */

/* whether something is sent in this direction */
static inline int cmk_halo_by_(const cmk_halo *halo, int direction, int by[3])
{
    int axes = 0;
    by[0] = direction / 9 - 1, by[1] = direction / 3 % 3 - 1, by[2] = direction % 3 - 1;
    for (int a = 0; a < 3; ++a) axes += by[a] != 0;
    return axes > 0 && (halo->shape == CMK_HALO_BOX || axes == 1);
}

/* The box of a field that is sent in a direction. With ghosts, the box that the neighbour fills when it sends in this
 * direction, which lies on the other side. Value: 0 where the box is empty. */
static inline int cmk_halo_box_(const cmk_halo *halo, const cmk_field *f, const int by[3], int ghosts, cmk_box *box)
{
    for (int a = 0; a < 3; ++a) {
        const cmk_i64 count = halo->grid.count[a], reach = f->reach[a];
        const cmk_i64 low = ghosts ? -reach : 0, high = ghosts ? count : count - reach;
        const int at_high = ghosts ? by[a] < 0 : by[a] > 0;
        box->first[a] = by[a] == 0 ? 0 : at_high ? high : low;
        box->count[a] = by[a] == 0 ? count : reach;
        if (box->count[a] == 0) return 0;
    }
    return 1;
}

static inline char *cmk_halo_address_(const cmk_field *f, int other, const cmk_i64 at[3])
{
    char *const data = (char *)(other && f->next ? f->next : f->data);
    return data + (at[0] * f->plane_pitch + at[1] * f->row_pitch + at[2]) * (cmk_i64)f->size;
}

/* Where a level of a field begins: its first point that is held. *bytes are those from there to its last point. */
static inline char *cmk_halo_range_(const cmk_halo *halo, const cmk_field *f, int other, size_t *bytes)
{
    const cmk_box held = cmk_grid_held(&halo->grid, f->reach);
    cmk_i64 last[3];
    for (int a = 0; a < 3; ++a) last[a] = held.first[a] + held.count[a] - 1;
    char *const begin = cmk_halo_address_(f, other, held.first);
    *bytes = (size_t)(cmk_halo_address_(f, other, last) - begin) + f->size;
    return begin;
}

/* ---- The draft of one way: messages and pieces in the memory of the host */

typedef struct cmk_halo_draft_ {
    cmk_halo_message_ *message;
    cmk_halo_piece_ *piece;
    int messages, pieces, tags;
    unsigned blocks;
    size_t bytes;
} cmk_halo_draft_;

static inline void cmk_halo_add_message_(cmk_halo_draft_ *draft, int peer, char *memory, size_t at, size_t bytes)
{
    const cmk_halo_message_ message = {peer, draft->tags++, 0, memory, at, bytes};
    draft->message[draft->messages++] = message;
}

/* adds the planes of a box as one message, as they lie in memory */
static inline void cmk_halo_add_slab_(cmk_halo_draft_ *draft, int peer, const cmk_field *f, int other,
                                      const cmk_box *box)
{
    const cmk_i64 elements = (box->count[0] - 1) * f->plane_pitch + (box->count[1] - 1) * f->row_pitch + box->count[2];
    cmk_halo_add_message_(draft, peer, cmk_halo_address_(f, other, box->first), 0, (size_t)elements * f->size);
}

/* Adds a box as a piece of a message. Pieces begin at multiples of 16 bytes of a message. The unit divides the address
 * where the rows begin, and the length of the rows. Value: 0 where the kernel that packs could not count the units, or
 * the blocks. */
static inline int cmk_halo_add_piece_(cmk_halo_draft_ *draft, const cmk_field *f, int other, const cmk_box *box)
{
    const size_t bytes = (size_t)(box->count[0] * box->count[1] * box->count[2]) * f->size;
    cmk_halo_piece_ piece;
    memset(&piece, 0, sizeof piece);
    piece.field = cmk_halo_address_(f, other, box->first);
    piece.row_pitch = f->row_pitch * (cmk_i64)f->size, piece.plane_pitch = f->plane_pitch * (cmk_i64)f->size;
    size_t ends = (size_t)piece.field | (size_t)box->count[2] * f->size | 16;
    if (box->count[1] > 1) ends |= (size_t)piece.row_pitch;
    if (box->count[0] > 1) ends |= (size_t)piece.plane_pitch;
    piece.unit = (unsigned)(ends & (~ends + 1));
    const size_t units = bytes / piece.unit, blocks = (units - 1) / (cmk_halo_threads_ * cmk_halo_each_) + 1;
    if (units > 0x7fffffff || draft->blocks + blocks > 0x7fffffff) return 0;
    piece.planes = (unsigned)box->count[0], piece.rows = (unsigned)box->count[1];
    piece.columns = (unsigned)((size_t)box->count[2] * f->size / piece.unit);
    piece.message = (unsigned)draft->messages, piece.first_block = draft->blocks, piece.at = draft->bytes;
    draft->bytes += (bytes + 15) / 16 * 16;
    draft->blocks += (unsigned)blocks;
    draft->piece[draft->pieces++] = piece;
    return 1;
}

/* adds all that is sent to a peer, or received from it */
static inline int cmk_halo_add_peer_(const cmk_halo *halo, cmk_halo_draft_ *draft, int peer, int ghosts, int other)
{
    const int back = ghosts ? -1 : 1;
    const size_t begin = draft->bytes;
    draft->tags = 0;
    for (int direction = 0; direction < cmk_halo_directions_; ++direction) {
        int by[3];
        if (!cmk_halo_by_(halo, direction, by) ||
            cmk_grid_neighbour(&halo->grid, back * by[0], back * by[1], back * by[2]) != peer)
            continue;
        for (int i = 0; i < halo->fields; ++i) {
            cmk_box box;
            if (!cmk_halo_box_(halo, &halo->field[i], by, ghosts, &box)) continue;
            if (halo->direct)
                cmk_halo_add_slab_(draft, peer, &halo->field[i], other, &box);
            else if (!cmk_halo_add_piece_(draft, &halo->field[i], other, &box))
                return 0;
        }
    }
    if (draft->bytes > begin) cmk_halo_add_message_(draft, peer, NULL, begin, draft->bytes - begin);
    return 1;
}

static inline cudaError_t cmk_halo_draft_way_(cmk_halo *halo, cmk_halo_draft_ *draft, int ghosts, int other)
{
    draft->messages = 0, draft->pieces = 0, draft->blocks = 0, draft->bytes = 0;
    for (int peer = 0; peer < halo->grid.ranks; ++peer)
        if (!cmk_halo_add_peer_(halo, draft, peer, ghosts, other))
            return cmk_halo_fail_(halo, cudaErrorInvalidValue,
                                  "a face has more than 2^31 - 1 units to be packed, or all have 2^39: a unit is the "
                                  "most of 1 to 16 bytes that divides rows and pitches");
    return cudaSuccess;
}

/* ---- The plan */

static inline cudaError_t cmk_halo_buffer_(const cmk_halo *halo, char **buffer, size_t bytes)
{
    if (*buffer || bytes == 0) return cudaSuccess;
    if (halo->transport.allocate) return halo->transport.allocate((void **)buffer, bytes);
    return halo->transport.staged ? cudaMallocHost((void **)buffer, bytes) : cudaMalloc((void **)buffer, bytes);
}

/* gives packed messages their places; what a rank sends to itself is unpacked from where it was packed */
static inline void cmk_halo_place_(const cmk_halo *halo, cmk_halo_draft_ *draft, int ghosts, int other)
{
    const size_t beside = halo->transport.one_sided && ghosts && other ? draft->bytes : 0;
    char *own = NULL;
    for (int i = 0; ghosts && i < halo->send[0].messages; ++i)
        if (halo->send[0].message[i].peer == halo->grid.rank) own = halo->send[0].message[i].memory;
    for (int i = 0; i < draft->messages; ++i) {
        cmk_halo_message_ *const m = &draft->message[i];
        m->memory = ghosts && m->peer == halo->grid.rank ? own : (ghosts ? halo->in : halo->out) + beside + m->at;
    }
    for (int i = 0; i < draft->pieces; ++i) {
        cmk_halo_piece_ *const p = &draft->piece[i];
        p->packed = draft->message[p->message].memory + (p->at - draft->message[p->message].at);
    }
}

static inline cudaError_t cmk_halo_keep_(cmk_halo *halo, const cmk_halo_draft_ *draft, cmk_halo_way_ *way)
{
    const size_t bytes = (size_t)draft->pieces * sizeof *draft->piece;
    cudaError_t error = cudaSuccess;
    way->messages = draft->messages, way->pieces = draft->pieces, way->blocks = draft->blocks;
    way->message = (cmk_halo_message_ *)malloc(((size_t)draft->messages + 1) * sizeof *way->message);
    if (!way->message) return cudaErrorMemoryAllocation;
    memcpy(way->message, draft->message, (size_t)draft->messages * sizeof *way->message);
    if (draft->pieces == 0) return cudaSuccess;
    error = cudaMalloc((void **)&way->piece, bytes);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(way->piece, draft->piece, bytes, cudaMemcpyHostToDevice, halo->stream);
    return error == cudaSuccess ? cudaStreamSynchronize(halo->stream) : error;
}

static inline cudaError_t cmk_halo_plan_way_(cmk_halo *halo, cmk_halo_draft_ *draft, int ghosts, int other)
{
    cudaError_t error = cmk_halo_draft_way_(halo, draft, ghosts, other);
    size_t *const bytes = ghosts ? &halo->in_bytes : &halo->out_bytes;
    *bytes = ghosts && halo->transport.one_sided ? 2 * draft->bytes : draft->bytes;
    if (error == cudaSuccess) error = cmk_halo_buffer_(halo, ghosts ? &halo->in : &halo->out, *bytes);
    if (error != cudaSuccess) return error;
    if (!halo->direct) cmk_halo_place_(halo, draft, ghosts, other);
    return cmk_halo_keep_(halo, draft, ghosts ? &halo->receive[other] : &halo->send[other]);
}

static inline cudaError_t cmk_halo_plan_(cmk_halo *halo)
{
    const size_t most = (size_t)(cmk_halo_directions_ * halo->fields);
    cudaError_t error = cudaErrorMemoryAllocation;
    cmk_halo_draft_ draft;
    memset(&draft, 0, sizeof draft);
    draft.message = (cmk_halo_message_ *)malloc(most * sizeof *draft.message);
    draft.piece = (cmk_halo_piece_ *)malloc(most * sizeof *draft.piece);
    if (draft.message && draft.piece) error = cudaSuccess;
    for (int k = 0; k < 4 && error == cudaSuccess; ++k) error = cmk_halo_plan_way_(halo, &draft, k / 2, k % 2);
    free(draft.message), free(draft.piece);
    return error;
}

/* Whether slabs go as they lie in memory. Then the outermost axis with more than one point is the only one that is
 * split or has ghosts, so that all parts have the same rows. By a one-sided transport each peer must get one slab, and
 * the ghosts of each level must have a buffer of their own. */
static inline int cmk_halo_is_direct_(const cmk_halo *halo)
{
    int busy[3], outermost = 0;
    for (int a = 0; a < 3; ++a) {
        busy[a] = halo->grid.parts[a] > 1;
        for (int i = 0; i < halo->fields; ++i) busy[a] |= halo->field[i].reach[a] > 0;
    }
    while (outermost < 2 && halo->grid.global[outermost] == 1 && !busy[outermost]) ++outermost;
    const int twice = halo->grid.parts[outermost] == 2 && halo->grid.periodic[outermost];
    if (halo->transport.one_sided && (twice || halo->fields > 1 || !halo->field[0].next)) return 0;
    return !halo->transport.staged && busy[0] + busy[1] + busy[2] == busy[outermost];
}

/* ---- What must be the same on all ranks */

static inline void cmk_halo_mix_(cmk_i64 *sum, cmk_i64 value)
{
    *sum = (cmk_i64)(((unsigned long long)*sum ^ (unsigned long long)value) * 1099511628211ull);
}

/* checksums of 62 bits: of the transport, the grid, the shape, the number of fields, and the fields */
static inline void cmk_halo_sums_of_(const cmk_halo *halo, cmk_i64 sums[cmk_halo_sums_])
{
    for (int k = 0; k < cmk_halo_sums_; ++k) sums[k] = 1469598103;
    for (const char *c = halo->transport.name; *c; ++c) cmk_halo_mix_(&sums[0], *c);
    for (int a = 0; a < 3; ++a) {
        cmk_halo_mix_(&sums[1], halo->grid.global[a]);
        cmk_halo_mix_(&sums[1], halo->grid.parts[a]);
        cmk_halo_mix_(&sums[1], halo->grid.periodic[a]);
    }
    cmk_halo_mix_(&sums[2], halo->shape * 2 + halo->direct);
    cmk_halo_mix_(&sums[3], halo->fields);
    for (int i = 0; i < halo->fields; ++i) {
        const cmk_field *const f = &halo->field[i];
        cmk_halo_mix_(&sums[4], (cmk_i64)f->size);
        for (int a = 0; a < 3; ++a) cmk_halo_mix_(&sums[4], f->reach[a]);
        if (halo->direct && halo->grid.global[0] > 1) cmk_halo_mix_(&sums[4], f->plane_pitch);
        if (halo->direct && halo->grid.global[1] > 1) cmk_halo_mix_(&sums[4], f->row_pitch);
        if (!halo->direct || !halo->transport.one_sided) continue;
        cmk_halo_mix_(&sums[4], (cmk_i64)((size_t)f->data % (size_t)halo->transport.one_sided));
        cmk_halo_mix_(&sums[4], (cmk_i64)((size_t)f->next % (size_t)halo->transport.one_sided));
    }
    for (int k = 0; k < cmk_halo_sums_; ++k) sums[k] = (cmk_i64)((unsigned long long)sums[k] >> 2);
}

#endif

#endif
