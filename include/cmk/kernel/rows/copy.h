/* kernel/rows/copy.h: copies elements of a row of an image one by one into shared memory, with what is outside. Each
 * function is called by a thread. The parameter size, 1, 2, 4 or 8 bytes of an element, is known at compile time. Both
 * addresses of a copy are multiples of size: a call whose pointers are not is refused, and pitches count elements.
 * cmk_fill_async_(size, to, from, inside) of fill.h starts a copy, or writes zeros where inside is 0.
 * cmk_load_store_value_ of load.h stores `size` bytes at once. CMK_DEVICE_ is an inlined device function. */
#ifndef CMK_KERNEL_ROWS_COPY_H
#define CMK_KERNEL_ROWS_COPY_H

#include "../../fill.h"
#include "../../load.h"
#include "image.h"

/* Where element i of a row lies; i may be negative. It is written as the index of an array: nvcc keeps a product of 64
 * bits in registers. The casts only choose the size of an element, and nothing is read by these types. */
CMK_DEVICE_ char *cmk_image_at_(const char *row, int i, int size)
{
    if (size == 8) return (char *)((const cmk_i64 *)(const void *)row + i);
    if (size == 4) return (char *)((const int *)(const void *)row + i);
    if (size == 2) return (char *)((const short *)(const void *)row + i);
    return (char *)row + i;
}

/* Starts to copy an element of `size` bytes. Where it is not inside, stores what stands for the outside: the element
 * that outside points to, or zeros where that is null. Copies of 4 and of 8 bytes are asynchronous from sm_80 on,
 * others are done at once. The caller makes them a group by CMK_FILL_COMMIT(ASYNC) of fill.h, and waits for that.
 * Nothing is read at from where it is not inside. */
CMK_DEVICE_ void cmk_image_copy_(char *to, const char *from, int size, int inside, const void *outside)
{
    if (outside && !inside)
        cmk_load_store_value_(to, outside, size);
    else
        cmk_fill_async_(size, to, from, inside);
}

#endif
