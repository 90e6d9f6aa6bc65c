/* transpose/call.h: what a kernel of the transposes is called with, and how it moves elements of any type: as words of
 * their size. In all functions here `size` is the bytes of an element, 1, 2, 4, 8 or 16. It and read_only are known at
 * compile time, once the functions are inlined. A thread calls them for itself; they have no barriers. CMK_TURN_ is for
 * the counters of the CPU backend, and does nothing on a GPU. The function cmk_load_whole_ says whether all lanes from
 * `first` on are inside and aligned as one vector. Of load.h, cmk_load_value_ loads an element by the read-only cache,
 * cmk_load_plain_value_ by an ordinary load, and cmk_load_store_value_ stores one. Rows are aligned to an element: the
 * launcher refuses other pointers (plan.h). CMK_LOAD_16 and CMK_STORE_16 move 16 bytes of global memory at once, by the
 * hint PLAIN, an ordinary access, or READ_ONLY, by that cache. CMK_DEVICE_ (base.h) is an inlined device function, and
 * CMK_UNROLL unrolls the next loop. A vector of 16 bytes has `lanes` elements. */
#ifndef CMK_KERNEL_TRANSPOSE_CALL_H
#define CMK_KERNEL_TRANSPOSE_CALL_H

#include "../../base.h"
#include "../../load.h"

/* The parameter of a kernel, counted in elements. It sets out[m * out_step + c * out_pitch + r] = in[m * in_step + r *
 * in_pitch + c] for every matrix m, row r and column c. Rows that are swapped are not turned: they go to out[m *
 * out_step + r * out_pitch + c]. In place, `in` is `out`, and there are as many columns as rows. */
typedef struct {
    const void *in;
    void *out;
    cmk_i64 in_pitch, in_step, out_pitch, out_step;
    cmk_i64 rows, columns;
    unsigned tiles; /* tiles of a column of tiles, which blocks walk down; only for kernels that move tiles */
    int aligned;    /* 1 where all rows begin at multiples of 16 bytes; vectors are then moved without a look at them */
} cmk_transpose_call_;

/* A chunk: 16 aligned bytes of a row. */
typedef struct {
    unsigned words[4];
} __attribute__((aligned(16))) cmk_transpose_chunk_;

/* Loads 16 bytes, from a multiple of 16. With read_only nobody writes the global memory of `from` while the kernel
 * runs. */
CMK_DEVICE_ void cmk_transpose_load_16_(void *to, const void *from, int read_only)
{
    if (read_only)
        CMK_LOAD_16(READ_ONLY, to, from);
    else
        CMK_LOAD_16(PLAIN, to, from);
}

/* Loads 16 bytes of a row, from element `first` on, which may be below 0. What is before or behind the row's `count`
 * elements is left out. It is one vector where that is whole and aligned; else elements go one by one. `to` is a local
 * variable of 16 bytes, whose elements that are left out keep their values. */
CMK_DEVICE_ void cmk_transpose_load_part_(char *to, const char *row, cmk_i64 first, cmk_i64 count, int size,
                                          int read_only)
{
    const int lanes = 16 / size;
    if (cmk_load_whole_(row, first, count, lanes, (size_t)size)) {
        cmk_transpose_load_16_(to, row + first * size, read_only);
        return;
    }
    CMK_UNROLL
    for (int lane = 0; lane < lanes; ++lane) {
        CMK_TURN_(lane);
        if (first + lane < 0 || first + lane >= count) continue;
        if (read_only)
            cmk_load_value_(to + lane * size, row + (first + lane) * size, size);
        else
            cmk_load_plain_value_(to + lane * size, row + (first + lane) * size, size);
    }
    CMK_TURN_(-1);
}

/* Stores 16 bytes to a row, by the rules of cmk_transpose_load_part_. */
CMK_DEVICE_ void cmk_transpose_store_part_(char *row, cmk_i64 first, cmk_i64 count, const char *from, int size)
{
    const int lanes = 16 / size;
    if (cmk_load_whole_(row, first, count, lanes, (size_t)size)) {
        CMK_STORE_16(PLAIN, row + first * size, from);
        return;
    }
    CMK_UNROLL
    for (int lane = 0; lane < lanes; ++lane) {
        CMK_TURN_(lane);
        if (first + lane < 0 || first + lane >= count) continue;
        cmk_load_store_value_(row + (first + lane) * size, from + lane * size, size);
    }
    CMK_TURN_(-1);
}

#endif
