/* halo/pack.h: the kernel that packs pieces of fields into messages, and unpacks messages that were received. */
#ifndef CMK_HALO_PACK_H
#define CMK_HALO_PACK_H

#include "../base.h"
#include "../load.h"

enum { cmk_halo_threads_ = 64, cmk_halo_each_ = 4 }; /* threads of a block; units that each of them moves */

/* a box of a field; its rows follow one another where it is packed */
typedef struct cmk_halo_piece_ {
    char *field, *packed;
    cmk_i64 row_pitch, plane_pitch;       /* of the field, in bytes */
    unsigned unit, columns, rows, planes; /* unit: bytes that move at once, 1 to 16; columns in units */
    unsigned first_block, message;
    size_t at; /* offset in the buffer of its message */
} cmk_halo_piece_;

typedef unsigned char cmk_halo_unit_1_;
typedef unsigned short __attribute__((may_alias)) cmk_halo_unit_2_;
typedef unsigned __attribute__((may_alias)) cmk_halo_unit_4_;
typedef unsigned long long __attribute__((may_alias)) cmk_halo_unit_8_;
typedef struct __attribute__((may_alias, aligned(16))) cmk_halo_unit_16_ {
    unsigned long long half[2];
} cmk_halo_unit_16_;

CMK_INLINED_ cmk_halo_unit_16_ cmk_halo_load_(const char *from, unsigned unit)
{
    cmk_halo_unit_16_ value = {{0, 0}};
    if (unit == 16) value = CMK_LOAD((const cmk_halo_unit_16_ *)from);
    if (unit == 8) value.half[0] = CMK_LOAD((const cmk_halo_unit_8_ *)from);
    if (unit == 4) value.half[0] = CMK_LOAD((const cmk_halo_unit_4_ *)from);
    if (unit == 2) value.half[0] = CMK_LOAD((const cmk_halo_unit_2_ *)from);
    if (unit == 1) value.half[0] = CMK_LOAD((const cmk_halo_unit_1_ *)from);
    return value;
}

CMK_INLINED_ void cmk_halo_store_(char *to, cmk_halo_unit_16_ value, unsigned unit)
{
    if (unit == 16) CMK_STORE((cmk_halo_unit_16_ *)to, value);
    if (unit == 8) CMK_STORE((cmk_halo_unit_8_ *)to, value.half[0]);
    if (unit == 4) CMK_STORE((cmk_halo_unit_4_ *)to, (cmk_halo_unit_4_)value.half[0]);
    if (unit == 2) CMK_STORE((cmk_halo_unit_2_ *)to, (cmk_halo_unit_2_)value.half[0]);
    if (unit == 1) CMK_STORE((cmk_halo_unit_1_ *)to, (cmk_halo_unit_1_)value.half[0]);
}

/* the piece of a block: the last one that begins at this block or before it */
CMK_INLINED_ cmk_halo_piece_ cmk_halo_piece_of_(const cmk_halo_piece_ *pieces, unsigned count, unsigned block)
{
    unsigned low = 0, high = count;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (CMK_LOAD(&pieces[middle].first_block) <= block)
            low = middle;
        else
            high = middle;
    }
    return CMK_LOAD(&pieces[low]);
}

CMK_STATIC_ __global__ void __launch_bounds__(cmk_halo_threads_)
    cmk_halo_pack_kernel_(const cmk_halo_piece_ *pieces, unsigned count, int unpack)
{
    const cmk_halo_piece_ piece = cmk_halo_piece_of_(pieces, count, blockIdx.x);
    const unsigned first = (blockIdx.x - piece.first_block) * cmk_halo_threads_ * cmk_halo_each_ + threadIdx.x;
    const unsigned plane = piece.rows * piece.columns, all = piece.planes * plane;
    cmk_halo_unit_16_ value[cmk_halo_each_];
    char *there[cmk_halo_each_];
    CMK_UNROLL
    for (unsigned k = 0; k < cmk_halo_each_; ++k) {
        const unsigned i = first + k * cmk_halo_threads_;
        const cmk_i64 z = i / plane, y = i % plane / piece.columns, x = i % piece.columns;
        there[k] = piece.field + z * piece.plane_pitch + y * piece.row_pitch + x * (cmk_i64)piece.unit;
        if (i < all) value[k] = cmk_halo_load_(unpack ? &piece.packed[(size_t)i * piece.unit] : there[k], piece.unit);
    }
    CMK_UNROLL
    for (unsigned k = 0; k < cmk_halo_each_; ++k) {
        const unsigned i = first + k * cmk_halo_threads_;
        if (i < all) cmk_halo_store_(unpack ? there[k] : &piece.packed[(size_t)i * piece.unit], value[k], piece.unit);
    }
}

#if CMK_HAS_HOST_

/* packs or unpacks `count` pieces, an array on the device; `blocks` is the number of blocks of all of them together */
static inline cudaError_t cmk_halo_pack_(const cmk_halo_piece_ *pieces, int count, unsigned blocks, int unpack,
                                         cudaStream_t stream)
{
    if (count == 0) return cudaSuccess;
    return CMK_LAUNCH(cmk_halo_pack_kernel_, blocks, cmk_halo_threads_, 0, stream, pieces, (unsigned)count, unpack);
}

#endif

#endif
