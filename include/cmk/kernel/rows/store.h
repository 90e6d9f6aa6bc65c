/* kernel/rows/store.h: stores the outputs of a thread, whole or as far as they are in the region.
 *
 * Outputs lie in runs: a run is s.each elements side by side. Run n begins n % 2 * s.right columns to the right of the
 * thread's first output, and n / 2 % 2 * s.below + n / 4 * s.beyond rows below it. A thread calls each function for
 * itself:
 *
 *   s        cmk_store_runs_, known at compile time
 *   from     the outputs as they are stored, in a local array: run n begins n * s.apart bytes behind run 0
 *   load.h   cmk_load_store_value_(to, from, size) stores `size` bytes at once, at a multiple of as many. size is 1, 2,
 *            4, 8 or 16
 *   image.h  cmk_image_within_(a, 0, count): 0 <= a < count, where count is not negative
 *
 * CMK_TURN_ is for the counters of the CPU backend, and does nothing on a GPU. CMK_UNROLL unrolls the next loop. */
#ifndef CMK_KERNEL_ROWS_STORE_H
#define CMK_KERNEL_ROWS_STORE_H

#include "../../load.h"
#include "image.h"

/* The runs of a thread: how many, and the elements of each; bytes of an element, of a store of cmk_store_whole_, which
 * divides a run, and from run to run in `from`; then where runs are. */
typedef struct {
    int runs, each;
    int size, bytes, apart;
    int right, below, beyond;
} cmk_store_runs_;

/* Where a thread's first output is: in memory, and in a region of *rows x *columns elements, outside of which it may
 * lie. *pitch: elements from row to row. These are pointers as a parameter of the kernel is then read where it is
 * needed, and takes no register before. */
typedef struct {
    char *to;
    const cmk_i64 *pitch;
    int row, column;
    const int *rows, *columns;
} cmk_store_place_;

/* Stores all outputs. They are in the region, and the stores are aligned. */
CMK_DEVICE_ void cmk_store_whole_(char *to, cmk_i64 pitch, const void *from, cmk_store_runs_ s)
{
    const int stores = s.each * s.size / s.bytes;
    CMK_UNROLL
    for (int i = 0; i < s.runs * stores; ++i) {
        const int n = i / stores, at = i % stores * s.bytes, down = n / 2 % 2 * s.below + n / 4 * s.beyond;
        CMK_TURN_(i);
        cmk_load_store_value_(to + (down * pitch + n % 2 * s.right) * s.size + at,
                              (const char *)from + n * s.apart + at, s.bytes);
    }
    CMK_TURN_(-1);
}

/* Stores the outputs that are in the region, one by one. */
CMK_DEVICE_ void cmk_store_inside_(cmk_store_place_ p, const void *from, cmk_store_runs_ s)
{
    CMK_UNROLL
    for (int i = 0; i < s.runs * s.each; ++i) {
        const int n = i / s.each, down = n / 2 % 2 * s.below + n / 4 * s.beyond, beside = n % 2 * s.right + i % s.each;
        CMK_TURN_(i);
        if (cmk_image_within_(p.row + down, 0, *p.rows) && cmk_image_within_(p.column + beside, 0, *p.columns))
            cmk_load_store_value_(p.to + (down * *p.pitch + beside) * s.size,
                                  (const char *)from + n * s.apart + i % s.each * s.size, s.size);
    }
    CMK_TURN_(-1);
}

#endif
