/* host/copy.h: copies and fills of memory, in the order of a stream.
 *
 * Wrong arguments give the error that CUDA gives. Pageable memory of the host is what malloc returns and the variables
 * of the program. A copy from pageable memory takes what is there at the call. A copy to pageable memory is done when
 * the call returns. A copy between pinned memory and a device reads and writes when its turn in the stream comes. */
#include "../base.h"
#ifndef CMK_HOST_COPY_H
#define CMK_HOST_COPY_H

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

typedef enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
} cudaChannelFormatKind;

typedef struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    cudaChannelFormatKind f;
} cudaChannelFormatDesc;

/* texture.h has the functions that make one. Its rows have no gaps. */
struct cudaArray {
    cudaChannelFormatDesc format_;
    size_t element_, width_, height_, depth_;
    char *memory_;
    unsigned flags_;
};
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;

typedef struct cudaExtent {
    size_t width, height, depth;
} cudaExtent;

typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct cudaMemcpy3DParms {
    cudaArray_t srcArray; /* with an array, positions and the extent count elements */
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
} cudaMemcpy3DParms;

typedef struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;

/* One side of a box of rows: where it begins, and the bytes from row to row and from plane to plane. */
typedef struct cmk_host_box_ {
    char *start_;
    size_t pitch_, step_;
} cmk_host_box_;

/* What a copy moves, or what a fill sets to the bytes of value_. */
typedef struct cmk_host_move_ {
    cmk_host_box_ to_, from_;
    size_t width_, height_, depth_;
    int kind_;
    unsigned value_;
    int blocks_;     /* the call is not of the Async kind */
    int symbol_;     /* 1: `to`, 2: `from` is a variable of kernels, which the list of allocations may not have */
    int is_live_[2]; /* whether `to` and `from` are allocations, which must be live when the copy runs */
    char *kept_;     /* what was at `from` at the call, in rows and planes without gaps */
} cmk_host_move_;

typedef enum cmk_host_side_ { cmk_host_side_host_, cmk_host_side_device_, cmk_host_side_any_ } cmk_host_side_;

CMK_HOST_C_BEGIN_

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    const cudaExtent extent = {width, height, depth};
    return extent;
}

static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    const cudaPos position = {x, y, z};
    return position;
}

static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height)
{
    const cudaPitchedPtr pitched = {pointer, pitch, width, height};
    return pitched;
}

/* ---- What is wrong with a copy */

/* Finds the live allocation that an address lies in: its range and owner. Value: 0 where there is none. */
static inline int cmk_host_live_at_(const void *address, cmk_host_range_ *range, cmk_host_owner_ *owner)
{
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const cmk_host_range_ *found = cmk_host_find_(cmk_host_live_, cmk_host_live_count_, address, 1);
    if (found) {
        *range = *found;
        *owner = cmk_host_live_owner_[found - cmk_host_live_];
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return found != NULL;
}

/* Whether a range of memory may be this side of a copy. */
static inline int cmk_host_side_is_right_(const void *start, size_t bytes, cmk_host_side_ side)
{
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner = {cmk_host_device_, 0};
    if (!start) return 0;
    if (!cmk_host_live_at_(start, &range, &owner)) return side != cmk_host_side_device_;
    const int host = owner.kind_ != cmk_host_device_ && owner.kind_ != cmk_host_symbol_;
    return (host || side != cmk_host_side_host_) && cmk_host_inside_(&range, (uintptr_t)start, bytes);
}

/* Bytes from the first of a box to its last. */
static inline size_t cmk_host_box_bytes_(const cmk_host_move_ *move, const cmk_host_box_ *box)
{
    if (move->width_ == 0 || move->height_ == 0 || move->depth_ == 0) return 0;
    return box->step_ * (move->depth_ - 1) + box->pitch_ * (move->height_ - 1) + move->width_;
}

static inline cudaError_t cmk_host_check_move_(const cmk_host_move_ *move)
{
    const size_t to_bytes = cmk_host_box_bytes_(move, &move->to_), from_bytes = cmk_host_box_bytes_(move, &move->from_);
    cmk_host_side_ to = cmk_host_side_any_, from = cmk_host_side_any_;
    if (move->kind_ < cudaMemcpyHostToHost || move->kind_ > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (move->width_ > move->to_.pitch_ || move->width_ > move->from_.pitch_) return cudaErrorInvalidPitchValue;
    if (move->kind_ != cudaMemcpyDefault) {
        to = move->kind_ & 1 ? cmk_host_side_device_ : cmk_host_side_host_;
        from = move->kind_ & 2 ? cmk_host_side_device_ : cmk_host_side_host_;
    }
    if (to_bytes == 0) return cudaSuccess;
    if (!cmk_host_side_is_right_(move->to_.start_, to_bytes, to)) return cudaErrorInvalidValue;
    return cmk_host_side_is_right_(move->from_.start_, from_bytes, from) ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- What a copy does */

/* Checks a copy that runs late: the program may have freed the memory that it needs. */
static inline void cmk_host_check_late_(const cmk_host_move_ *move, const cmk_host_box_ *box, const char *what)
{
    if (!move->is_live_[box == &move->from_]) return;
    const size_t bytes = cmk_host_box_bytes_(move, box);
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const cmk_host_range_ *freed = cmk_host_freed_at_((uintptr_t)box->start_, 1);
    if (freed && !cmk_host_find_(cmk_host_live_, cmk_host_live_count_, box->start_, bytes))
        cmk_host_fail_(
            __FILE__, __LINE__,
            "a copy or a fill of %zu bytes %s %p, in the %zu-byte allocation at 0x%zx, was put into a stream "
            "and had not run when that was freed",
            bytes, what, (void *)box->start_, freed->bytes_, (size_t)freed->low_);
    pthread_mutex_unlock(&cmk_host_memory_lock_);
}

static inline void cmk_host_move_rows_(const cmk_host_move_ *move, const cmk_host_box_ *to, const cmk_host_box_ *from)
{
    const int flat = move->height_ == 1 || (to->pitch_ == move->width_ && from->pitch_ == move->width_);
    for (size_t plane = 0; plane < move->depth_; plane++) {
        char *target = to->start_ + plane * to->step_;
        const char *source = from->start_ + plane * from->step_;
        if (flat) memmove(target, source, move->width_ * move->height_);
        for (size_t row = 0; row < move->height_ && !flat; row++)
            memmove(target + row * to->pitch_, source + row * from->pitch_, move->width_);
    }
}

static inline void cmk_host_drop_copy_(void *what)
{
    cmk_host_move_ *move = (cmk_host_move_ *)what;
    free(move->kept_);
    move->kept_ = NULL;
}

/* Memory of the host program that is not pinned. */
static inline int cmk_host_is_pageable_(const void *address)
{
    cmk_host_range_ range;
    cmk_host_owner_ owner;
    return !cmk_host_live_at_(address, &range, &owner);
}

static inline int cmk_host_is_on_device_(const void *address)
{
    cmk_host_range_ range;
    cmk_host_owner_ owner;
    return cmk_host_live_at_(address, &range, &owner) && owner.kind_ == cmk_host_device_;
}

/* Whether the call waits for the copy or the fill: for a copy to pageable memory, and, if the call is not Async, for
 * any but one from device to device and a fill of the device. */
static inline int cmk_host_waits_for_move_(const cmk_host_move_ *move)
{
    const void *const to = move->to_.start_, *const from = move->from_.start_;
    if (cmk_host_box_bytes_(move, &move->to_) == 0) return move->blocks_;
    if (from && move->symbol_ != 1 && cmk_host_is_pageable_(to)) return 1;
    return move->blocks_ && !(cmk_host_is_on_device_(to) && (!from || cmk_host_is_on_device_(from)));
}

/* Looks whether another stream or the host may access what a copy or a fill does (clock.h). */
static inline void cmk_host_look_at_move_(const cmk_host_move_ *move)
{
#if CMK_HOST_RACES_
    const cmk_host_box_ *const to = &move->to_, *const from = &move->from_;
    const size_t depth = move->from_.start_ && !move->kept_ ? move->depth_ : 0;
    const cmk_host_area_ written = {(uintptr_t)to->start_, move->width_, move->height_,
                                    move->depth_,          to->pitch_,   to->step_};
    const cmk_host_area_ read = {
        (uintptr_t)from->start_, move->width_, move->height_, depth, from->pitch_, from->step_};
    cmk_host_global_copy_(written, read, from->start_ ? 0 : (uint64_t)1 << 32 | move->value_);
    if (cmk_host_waits_for_move_(move)) cmk_host_clock_waited_();
#endif
    (void)move;
}

CMK_HOST_CALLED_ void cmk_host_run_copy_(void *what)
{
    const cmk_host_move_ *move = (const cmk_host_move_ *)what;
    const cmk_host_box_ kept = {move->kept_, move->width_, move->width_ * move->height_};
    cmk_host_check_late_(move, &move->to_, "to");
    if (!move->kept_) cmk_host_check_late_(move, &move->from_, "from");
    cmk_host_look_at_move_(move);
    if (cmk_host_box_bytes_(move, &move->to_) > 0)
        cmk_host_move_rows_(move, &move->to_, move->kept_ ? &kept : &move->from_);
    cmk_host_drop_copy_(what);
}

static inline void cmk_host_keep_source_(cmk_host_move_ *move)
{
    move->kept_ = (char *)cmk_host_need_(malloc(move->width_ * move->height_ * move->depth_), "what a copy moves");
    const cmk_host_box_ kept = {move->kept_, move->width_, move->width_ * move->height_};
    cmk_host_move_rows_(move, &kept, &move->from_);
}

/* Four bytes with the same value. */
static inline unsigned cmk_host_fourfold_(int value)
{
    return (unsigned char)value * 0x1010101u;
}

static inline void cmk_host_fill_row_(char *row, unsigned value, size_t bytes)
{
    if (value == cmk_host_fourfold_((int)value))
        memset(row, (int)value, bytes);
    else
        for (size_t i = 0; i < bytes; i++) row[i] = (char)(value >> i % 4 * 8);
}

CMK_HOST_CALLED_ void cmk_host_run_fill_(void *what)
{
    const cmk_host_move_ *move = (const cmk_host_move_ *)what;
    cmk_host_check_late_(move, &move->to_, "at");
    cmk_host_look_at_move_(move);
    for (size_t row = 0; row < move->height_; row++)
        cmk_host_fill_row_(move->to_.start_ + row * move->to_.pitch_, move->value_, move->width_);
}

/* ---- Copies and fills of two streams that nothing orders. The caller holds the queue's lock. */

/* The copy or fill that a work is; null where it is another work, or one of another source file. */
static inline const cmk_host_move_ *cmk_host_moved_by_(const cmk_host_work_ *work)
{
    const int moves = work->job_->run_ == cmk_host_run_copy_ || work->job_->run_ == cmk_host_run_fill_;
    return moves ? (const cmk_host_move_ *)work->what_ : NULL;
}

/* Whether two boxes share a byte. Boxes of volumes, and of many rows with gaps, are not compared. */
static inline int cmk_host_boxes_meet_(const cmk_host_move_ *one, const cmk_host_box_ *a, const cmk_host_move_ *two,
                                       const cmk_host_box_ *b)
{
    const int is_flat = a->pitch_ == one->width_, others_flat = b->pitch_ == two->width_;
    const size_t rows = is_flat ? 1 : one->height_, others = others_flat ? 1 : two->height_;
    const size_t width = is_flat ? one->width_ * one->height_ : one->width_;
    const size_t others_width = others_flat ? two->width_ * two->height_ : two->width_;
    if (one->depth_ != 1 || two->depth_ != 1 || rows > 4096 / (others + 1)) return 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < others; j++) {
            const uintptr_t low = (uintptr_t)a->start_ + i * a->pitch_, high = (uintptr_t)b->start_ + j * b->pitch_;
            if (low < high + others_width && high < low + width) return 1;
        }
    return 0;
}

/* Fails where `box`, which a new copy or fill reads or writes, is a side of another one too. */
static inline void cmk_host_check_side_(const cmk_host_move_ *move, const cmk_host_box_ *box, const char *verb,
                                        const cmk_host_move_ *other, const cmk_host_box_ *side, const char *does)
{
    cmk_host_range_ range = {(uintptr_t)box->start_, 0};
    cmk_host_owner_ owner;
    if (!cmk_host_boxes_meet_(move, box, other, side)) return;
    (void)cmk_host_live_at_(box->start_, &range, &owner);
    cmk_host_fail_(
        __FILE__, __LINE__,
        "a copy or a fill of %zu bytes %s %p, in the %zu-byte allocation at 0x%zx, of which a copy or a fill "
        "in another stream %s a part: no event orders the two",
        cmk_host_box_bytes_(move, box), verb, (void *)box->start_, range.bytes_, (size_t)range.low_, does);
}

/* Where streams run late, compares a copy or a fill that has got its place in a stream with those of other streams that
 * have not run. Two fills by one value may come in any order. */
static inline void cmk_host_check_order_(const cmk_host_move_ *move)
{
    const cmk_host_work_ *work = NULL;
    if (!cmk_host_options_now_.late_ || cmk_host_box_bytes_(move, &move->to_) == 0) return;
    for (const cmk_host_stream_ *stream = cmk_host_streams_; stream && !work; stream = stream->next_)
        if (stream->last_ && stream->last_->what_ == (const void *)move) work = stream->last_;
    for (const cmk_host_stream_ *stream = cmk_host_streams_; stream && work; stream = stream->next_)
        for (const cmk_host_work_ *before = stream->first_; before; before = before->next_) {
            const cmk_host_move_ *other = cmk_host_moved_by_(before);
            cmk_host_searches_++;
            if (!other || cmk_host_is_behind_(work, before)) continue;
            const int fills = !move->from_.start_ && !other->from_.start_ && move->value_ == other->value_;
            if (!fills) cmk_host_check_side_(move, &move->to_, "writes", other, &other->to_, "writes");
            if (other->from_.start_ && !other->kept_)
                cmk_host_check_side_(move, &move->to_, "writes", other, &other->from_, "reads");
            if (move->from_.start_ && !move->kept_)
                cmk_host_check_side_(move, &move->from_, "reads", other, &other->to_, "writes");
        }
}

CMK_HOST_CALLED_ int cmk_host_keep_copy_(void *what)
{
    cmk_host_move_ *move = (cmk_host_move_ *)what;
    if (cmk_host_box_bytes_(move, &move->to_) == 0) return move->blocks_;
    const int from_pages = move->symbol_ != 2 && cmk_host_is_pageable_(move->from_.start_);
    const int to_pages = move->symbol_ != 1 && cmk_host_is_pageable_(move->to_.start_);
    move->is_live_[0] = !to_pages && move->symbol_ != 1;
    move->is_live_[1] = !from_pages && move->symbol_ != 2;
    if (from_pages) cmk_host_keep_source_(move);
    cmk_host_check_order_(move);
    return cmk_host_waits_for_move_(move);
}

static inline cudaError_t cmk_host_submit_copy_(cmk_host_move_ *move, cudaStream_t stream)
{
    static const cmk_host_job_ job = {cmk_host_run_copy_, NULL, cmk_host_keep_copy_, cmk_host_drop_copy_, NULL, 0};
    return cmk_host_result_(cmk_host_submit_(stream, &job, move, sizeof *move));
}

static inline cudaError_t cmk_host_move_in_(cmk_host_move_ *move, cudaStream_t stream, int blocks)
{
    cudaError_t error = cmk_host_check_move_(move);
    if (error == cudaSuccess && blocks) error = cmk_host_unsafe_();
    move->blocks_ = blocks;
    return error == cudaSuccess ? cmk_host_submit_copy_(move, stream) : cmk_host_result_(error);
}

static inline cmk_host_move_ cmk_host_move_of_(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                               size_t width, size_t height, int kind)
{
    const cmk_host_box_ target = {(char *)to, to_pitch, 0}, source = {(char *)(uintptr_t)from, from_pitch, 0};
    const cmk_host_move_ move = {target, source, width, height, 1, kind, 0, 0, 0, {0, 0}, NULL};
    return move;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    cmk_host_move_ move = cmk_host_move_of_(to, bytes, from, bytes, bytes, 1, (int)kind);
    return cmk_host_move_in_(&move, stream, 0);
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cmk_host_move_ move = cmk_host_move_of_(to, bytes, from, bytes, bytes, 1, (int)kind);
    return cmk_host_move_in_(&move, NULL, 1);
}

static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind,
                                            cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    cmk_host_move_ move = cmk_host_move_of_(to, to_pitch, from, from_pitch, width, height, (int)kind);
    return cmk_host_move_in_(&move, stream, 0);
}

static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind)
{
    cmk_host_move_ move = cmk_host_move_of_(to, to_pitch, from, from_pitch, width, height, (int)kind);
    return cmk_host_move_in_(&move, NULL, 1);
}

/* ---- Boxes of volumes */
static inline cmk_host_box_ cmk_host_box_of_(cudaPitchedPtr memory, cudaPos position)
{
    const size_t step = memory.pitch * memory.ysize;
    const cmk_host_box_ box = {(char *)memory.ptr + position.z * step + position.y * memory.pitch + position.x,
                               memory.pitch, step};
    return box;
}

static inline cmk_host_box_ cmk_host_array_box_(const struct cudaArray *array, cudaPos position)
{
    const cudaPitchedPtr memory = {array->memory_, array->element_ * array->width_, array->width_,
                                   array->height_ ? array->height_ : 1};
    const cudaPos place = {position.x * array->element_, position.y, position.z};
    return cmk_host_box_of_(memory, place);
}

static inline cudaError_t cmk_host_copy_3d_(const cudaMemcpy3DParms *p, cudaStream_t stream, int blocks)
{
    if (!p || !p->srcPtr.ptr == !p->srcArray || !p->dstPtr.ptr == !p->dstArray)
        return cmk_host_result_(cudaErrorInvalidValue);
    const size_t element = p->dstArray ? p->dstArray->element_ : p->srcArray ? p->srcArray->element_ : 1;
    const size_t width = element * p->extent.width;
    cmk_host_move_ move = cmk_host_move_of_(NULL, 0, NULL, 0, width, p->extent.height, (int)p->kind);
    move.to_ = p->dstArray ? cmk_host_array_box_(p->dstArray, p->dstPos) : cmk_host_box_of_(p->dstPtr, p->dstPos);
    move.from_ = p->srcArray ? cmk_host_array_box_(p->srcArray, p->srcPos) : cmk_host_box_of_(p->srcPtr, p->srcPos);
    move.depth_ = p->extent.depth;
    return cmk_host_move_in_(&move, stream, blocks);
}

static inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters,
                                            cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    return cmk_host_copy_3d_(parameters, stream, 0);
}

static inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters)
{
    return cmk_host_copy_3d_(parameters, NULL, 1);
}

/* ---- Copies between devices. They need no peer access: without it they go through the host. */
static inline int cmk_host_is_of_(const void *address, int device)
{
    cmk_host_range_ range;
    cmk_host_owner_ owner;
    if (!cmk_host_live_at_(address, &range, &owner)) return 0;
    return owner.kind_ != cmk_host_device_ || owner.device_ == device;
}

static inline cudaError_t cmk_host_check_peers_(const void *to, int to_device, const void *from, int from_device)
{
    if (!cmk_host_is_device_(to_device) || !cmk_host_is_device_(from_device)) return cudaErrorInvalidDevice;
    const int right = cmk_host_is_of_(to, to_device) && cmk_host_is_of_(from, from_device);
    return right ? cudaSuccess : cudaErrorInvalidValue;
}

static inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                              cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    const cudaError_t error = bytes > 0 ? cmk_host_check_peers_(to, to_device, from, from_device) : cudaSuccess;
    if (error != cudaSuccess) return cmk_host_result_(error);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

/* Runs in order with all work of both devices and of the current device. */
static inline cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    cmk_host_finish_device_(-1);
    const cudaError_t error = cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
    cmk_host_finish_device_(-1);
    return error;
}

static inline cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p,
                                                cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    if (!p) return cmk_host_result_(cudaErrorInvalidValue);
    const cudaMemcpy3DParms same = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                    p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    const cudaError_t error = cmk_host_check_peers_(p->dstPtr.ptr, p->dstDevice, p->srcPtr.ptr, p->srcDevice);
    return error == cudaSuccess ? cudaMemcpy3DAsync(&same, stream) : cmk_host_result_(error);
}

/* ---- Fills */
static inline cudaError_t cmk_host_and_wait_(cudaError_t error)
{
    return error == cudaSuccess ? cmk_host_result_(cmk_host_finish_stream_(NULL)) : error;
}

static inline int cmk_host_keep_fill_(void *what)
{
    cmk_host_move_ *move = (cmk_host_move_ *)what;
    move->is_live_[0] = move->width_ > 0;
    cmk_host_check_order_(move);
    return cmk_host_waits_for_move_(move);
}

static inline cudaError_t cmk_host_fill_in_(void *start, size_t pitch, unsigned value, size_t width, size_t height,
                                            cudaStream_t stream, int blocks)
{
    static const cmk_host_job_ job = {cmk_host_run_fill_, NULL, cmk_host_keep_fill_, NULL, NULL, 0};
    cmk_host_move_ move = cmk_host_move_of_(start, pitch, NULL, pitch, width, height, cudaMemcpyDefault);
    const size_t bytes = cmk_host_box_bytes_(&move, &move.to_);
    move.value_ = value;
    move.blocks_ = blocks;
    if (bytes == 0) move.width_ = move.height_ = 0;
    if (bytes > 0 && width > pitch) return cmk_host_result_(cudaErrorInvalidPitchValue);
    if (bytes > 0 && !cmk_host_side_is_right_(start, bytes, cmk_host_side_device_))
        return cmk_host_result_(cudaErrorInvalidValue);
    return cmk_host_result_(cmk_host_submit_(stream, &job, &move, sizeof move));
}

static inline cudaError_t cudaMemset2DAsync(void *start, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    return cmk_host_fill_in_(start, pitch, cmk_host_fourfold_(value), width, height, stream, 0);
}

static inline cudaError_t cudaMemset2D(void *start, size_t pitch, int value, size_t width, size_t height)
{
    return cmk_host_fill_in_(start, pitch, cmk_host_fourfold_(value), width, height, NULL, 1);
}

static inline cudaError_t cudaMemsetAsync(void *start, int value, size_t bytes,
                                          cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    return cmk_host_fill_in_(start, bytes, cmk_host_fourfold_(value), bytes, 1, stream, 0);
}

static inline cudaError_t cudaMemset(void *start, int value, size_t bytes)
{
    return cmk_host_fill_in_(start, bytes, cmk_host_fourfold_(value), bytes, 1, NULL, 1);
}

static inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                                            cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    const size_t step = memory.pitch * memory.ysize;
    cudaError_t error = cudaSuccess;
    for (size_t plane = 0; plane < extent.depth && error == cudaSuccess; plane++)
        error = cmk_host_fill_in_((char *)memory.ptr + plane * step, memory.pitch, cmk_host_fourfold_(value),
                                  extent.width, extent.height, stream, 0);
    return error;
}

static inline cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent)
{
    const cudaError_t error = cudaMemset3DAsync(memory, value, extent, NULL);
    return error == cudaSuccess && !cmk_host_is_on_device_(memory.ptr) ? cmk_host_and_wait_(error) : error;
}

/* ---- Symbols: variables of kernels. Each device has its own values of them (device.h). */
#define CMK_HOST_SYMBOL_(symbol) (void *)(uintptr_t) & (symbol), sizeof(symbol)
#if !defined(__cplusplus)
#define cudaMemcpyToSymbol(symbol, ...) cmk_host_and_wait_(cudaMemcpyToSymbolAsync(symbol, __VA_ARGS__))
#define cudaMemcpyToSymbolAsync(symbol, source, ...) CMK_HOST_TO_SYMBOL_(symbol, source, __VA_ARGS__, 0, 0, 0, 0)
#define CMK_HOST_TO_SYMBOL_(symbol, source, bytes, offset, kind, stream, ...)                                          \
    cmk_host_to_symbol_(CMK_HOST_SYMBOL_(symbol), (source), (bytes), (offset), (int)(kind), (stream))
#define cudaMemcpyFromSymbol(to, ...) cmk_host_and_wait_(cudaMemcpyFromSymbolAsync(to, __VA_ARGS__))
#define cudaMemcpyFromSymbolAsync(to, symbol, ...) CMK_HOST_FROM_SYMBOL_(to, symbol, __VA_ARGS__, 0, 0, 0, 0)
#define CMK_HOST_FROM_SYMBOL_(to, symbol, bytes, offset, kind, stream, ...)                                            \
    cmk_host_from_symbol_((to), (const void *)&(symbol), sizeof(symbol), (bytes), (offset), (int)(kind), (stream))
#endif

/* Checks a copy of part of a symbol; its other end has to be memory of this side. */
static inline cudaError_t cmk_host_symbol_range_(size_t size, size_t bytes, size_t offset, const void *other, int kind)
{
    cmk_host_side_ side = kind == cudaMemcpyDeviceToDevice ? cmk_host_side_device_ : cmk_host_side_host_;
    if (kind == cudaMemcpyDefault) side = cmk_host_side_any_;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    return bytes == 0 || cmk_host_side_is_right_(other, bytes, side) ? cudaSuccess : cudaErrorInvalidValue;
}

static inline cudaError_t cmk_host_to_symbol_(void *symbol, size_t size, const void *from, size_t bytes, size_t offset,
                                              int kind, cudaStream_t stream)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault || kind == cudaMemcpyDeviceToHost)
        return cmk_host_result_(cudaErrorInvalidMemcpyDirection);
    const cudaError_t error = cmk_host_symbol_range_(size, bytes, offset, from, kind);
    if (error != cudaSuccess) return cmk_host_result_(error);
    cmk_host_know_(symbol, size);
    cmk_host_move_ move = cmk_host_move_of_((char *)symbol + offset, bytes, from, bytes, bytes, 1, cudaMemcpyDefault);
    move.symbol_ = 1;
    return cmk_host_submit_copy_(&move, stream);
}

static inline cudaError_t cmk_host_from_symbol_(void *to, const void *symbol, size_t size, size_t bytes, size_t offset,
                                                int kind, cudaStream_t stream)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault || kind == cudaMemcpyHostToDevice)
        return cmk_host_result_(cudaErrorInvalidMemcpyDirection);
    const cudaError_t error = cmk_host_symbol_range_(size, bytes, offset, to, kind);
    if (error != cudaSuccess) return cmk_host_result_(error);
    cmk_host_know_((void *)(uintptr_t)symbol, size);
    cmk_host_move_ move =
        cmk_host_move_of_(to, bytes, (const char *)symbol + offset, bytes, bytes, 1, cudaMemcpyDefault);
    move.symbol_ = 2;
    return cmk_host_submit_copy_(&move, stream);
}

CMK_HOST_C_END_

#if defined(__cplusplus)
template <class variable>
cudaError_t cudaMemcpyToSymbolAsync(const variable &symbol, const void *from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cmk_host_to_symbol_(CMK_HOST_SYMBOL_(symbol), from, bytes, offset, (int)kind, stream);
}

template <class variable>
cudaError_t cudaMemcpyToSymbol(const variable &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cmk_host_and_wait_(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind));
}

template <class variable>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const variable &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return cmk_host_from_symbol_(to, &symbol, sizeof(symbol), bytes, offset, (int)kind, stream);
}

template <class variable>
cudaError_t cudaMemcpyFromSymbol(void *to, const variable &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cmk_host_and_wait_(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind));
}
#endif

#endif
