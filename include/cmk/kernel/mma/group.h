/* kernel/mma/group.h: wgmma on sm_90a, the barriers that its threads wait for, and copies in bulk, by PTX.
 * host/tensor.h does the same on the CPU.
 *
 * A group is four warps, which multiply together. A wgmma is D = A B or D + A B. A has 64 rows of 16 halves, B has 16
 * rows of `columns` halves, and D has floats. A and B lie in shared memory in blocks of 8 rows, or of 8 columns of B,
 * by 8 halves along k. A block is 128 consecutive bytes, 16 a row. Blocks of the next 8 rows or columns follow one
 * another. The next 8 halves along k lie `lead` bytes further. That is 16 where rows are windows of a row of an image,
 * 8 elements apart. For each 8 columns of D, thread t has two elements from column 2 (t % 4) on, in row t / 4 % 8 + t /
 * 32 * 16 and in the row 8 further. (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
 * Instructions".)
 *
 * In all functions here:
 *
 *   d            the accumulators of a thread: D has 64 x columns floats, so that it has columns / 2
 *   columns      columns of B and D, known at compile time
 *   adds         0: the product replaces d; else it is added to d. It is a register, which need not be constant
 *   barriers, n  the first barrier of an array in shared memory, and the number of one of them
 *   phase        0 or 1: the phase whose end is awaited
 *   lead         bytes from 8 halves along k to the next 8, in a block of 8 rows or columns
 *   cmk_fill_shared_(pointer)   the address in shared memory as the 32 bits that PTX takes (fill.h)
 *   CMK_TENSOR_HAS_   1 where the code has wgmma (code.h). CMK_DEVICE_ (base.h) is an inlined device function, and
 *                CMK_UNROLL unrolls a loop, so that all d are registers
 *   asm          operands are 32 bits ("r"), 64 bits ("l") or a float ("f"), read unless "=" says written or "+"
 *                both. volatile and "memory" keep the instruction in its place among accesses of memory.
 * __cvta_generic_to_global(p): p as an address in global memory
 *
 * The engines of tensor/ and planes/ call these functions. Where nothing else is said, a thread calls for itself. */
#ifndef CMK_KERNEL_MMA_GROUP_H
#define CMK_KERNEL_MMA_GROUP_H

#include "warp.h"

#if defined(__CUDACC__) && CMK_TENSOR_HAS_

/* Barriers in shared memory. A phase of a barrier ends when `count` threads have arrived. Phases are counted modulo 2,
 * and the one before the first is 1. Threads that wait for the end of a phase see what others wrote before they
 * arrived. The address of the first barrier is an operand that the compiler keeps, as it takes long to find. A barrier
 * has 8 bytes. The address is that of cmk_mma_barriers_of_. One thread calls cmk_mma_begin_barrier_, before a barrier
 * of the block behind which others use it. With cmk_mma_arrive_ the calling thread arrives once, and does not wait; the
 * _ drops a state that the instruction gives. With cmk_mma_await_ it waits until the phase with this parity has ended.
 * The instruction ends after a while even if the phase has not, with 0 in done, and is done again. */
typedef unsigned long long cmk_mma_barrier_;
typedef unsigned cmk_mma_barriers_;
CMK_DEVICE_ cmk_mma_barriers_ cmk_mma_barriers_of_(cmk_mma_barrier_ *first)
{
    unsigned at = cmk_fill_shared_(first);
    asm volatile("" : "+r"(at));
    return at;
}
CMK_DEVICE_ void cmk_mma_begin_barrier_(cmk_mma_barrier_ *barrier, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(cmk_fill_shared_(barrier)), "r"(count) : "memory");
}
CMK_DEVICE_ void cmk_mma_arrive_(cmk_mma_barriers_ barriers, int n)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(barriers + 8 * n) : "memory");
}
CMK_DEVICE_ void cmk_mma_await_(cmk_mma_barriers_ barriers, int n, unsigned phase)
{
    unsigned done;
    do {
        asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                     : "=r"(done)
                     : "r"(barriers + 8 * n), "r"(phase)
                     : "memory");
    } while (done == 0);
}

/* Of two pairs of unsigned numbers of 16 bits, for each half: the larger of the two; and the lesser of `first` and of
 * `second` less 1, where 0 less 1 is the largest number. __viaddmin_u16x2(a, b, c) is the lesser of a + b and c in each
 * half, and 0xffff is -1. */
CMK_DEVICE_ unsigned cmk_mma_most_of_two_(unsigned first, unsigned second)
{
    return __vmaxu2(first, second);
}
CMK_DEVICE_ unsigned cmk_mma_least_of_two_(unsigned first, unsigned second)
{
    return __viaddmin_u16x2(second, 0xffffffffu, first);
}

/* Floats in shared memory, whose address the compiler keeps as that of barriers, and a read of number n of them. */
typedef unsigned cmk_mma_floats_;
CMK_DEVICE_ cmk_mma_floats_ cmk_mma_floats_of_(const float *first)
{
    unsigned at = cmk_fill_shared_(first);
    asm volatile("" : "+r"(at));
    return at;
}
CMK_DEVICE_ float cmk_mma_read_(cmk_mma_floats_ floats, int n)
{
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(floats + 4 * n) : "memory");
    return value;
}

/* Arrives at a barrier, whose phase ends no sooner than when `bytes` bytes have been copied. One thread calls for all
 * copies of the phase. */
CMK_DEVICE_ void cmk_mma_expect_(cmk_mma_barriers_ barriers, int n, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(barriers + 8 * n), "r"(bytes) : "memory");
}

/* Starts to copy `bytes` bytes, a multiple of 16, from global to shared memory, both aligned to 16. One thread calls;
 * the copy counts at barrier n. */
CMK_DEVICE_ void cmk_mma_copy_bulk_(void *to, const void *from, int bytes, cmk_mma_barriers_ barriers, int n)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(cmk_fill_shared_(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barriers + 8 * n)
                 : "memory");
}

/* Threads of a block that multiply take more registers, `count` each, and the others leave some of theirs: 168 where a
 * block has 512 threads, 216 or 232 where it has 384. The others keep 88, 72 or 40. Another count, such as 0, leaves
 * all as it is. Both together are at most the 65536 registers of an SM: 256 threads multiply, and 256 or 128 do not.
 * count is known at compile time, and is the same in both calls. All threads of a group call the first,
 * all threads of the other warps the second. */
CMK_DEVICE_ void cmk_mma_more_registers_(int count)
{
    if (count == 168) asm volatile("setmaxnreg.inc.sync.aligned.u32 168;");
    if (count == 216) asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
    if (count == 232) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
}
CMK_DEVICE_ void cmk_mma_fewer_registers_(int count)
{
    if (count == 168) asm volatile("setmaxnreg.dec.sync.aligned.u32 88;");
    if (count == 216) asm volatile("setmaxnreg.dec.sync.aligned.u32 72;");
    if (count == 232) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}

/* Makes what this thread wrote to shared memory visible to wgmma that begin after the next barrier. Each thread that
 * wrote calls, before that barrier. */
CMK_DEVICE_ void cmk_mma_show_(void)
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* Called before the first of some wgmma, and after the last of them, which cmk_mma_wait_ then waits for. All threads of
 * the group call. */
CMK_DEVICE_ void cmk_mma_begin_(void)
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}
CMK_DEVICE_ void cmk_mma_end_(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* Waits until all wgmma of the group have ended and their sums are in d. Nothing may touch d before. columns: all
 * columns of d, also where several wgmma share them out. The empty asm says to the compiler that d changes here. All
 * threads of the group call. */
CMK_DEVICE_ void cmk_mma_wait_(float *d, int columns)
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    CMK_UNROLL
    for (int i = 0; i < columns / 2; ++i) asm volatile("" : "+f"(d[i]) : : "memory");
}

/* Where matrices lie in shared memory, as a descriptor of wgmma has it: the address, and the distance of 8 rows, in
 * units of 16 bytes. The pointer is a multiple of 16. The function cmk_mma_matrix_ gives the matrix that begins `bytes`
 * bytes further and has this `lead`, both multiples of 16. Its `at` is made by cmk_mma_at_of_, or by a call with a lead
 * of 0. The 8 is the
 * distance of 128 bytes, in bits 32 on; the lead stands in bits 16 on. An address and a lead have 14 bits each, which
 * are 256 KB, more than a block may have: sums carry nothing over. */
typedef unsigned long long cmk_mma_at_;
CMK_DEVICE_ cmk_mma_at_ cmk_mma_at_of_(const void *pointer)
{
    unsigned address = cmk_fill_shared_(pointer) / 16 & 0x3fff;
    asm volatile("" : "+r"(address));
    return address | 8ull << 32;
}
CMK_DEVICE_ cmk_mma_at_ cmk_mma_matrix_(cmk_mma_at_ at, int bytes, int lead)
{
    return at + (unsigned)(bytes / 16 + lead / 16 * 65536);
}

/* The operands of wgmma. CMK_MMA_D_N_ names 8 N floats of d for the compiler, and CMK_MMA_TEXT_N_ the same ones in the
 * instruction. _AND_4_ has four more. */
/* clang-format off: lists of operands */
#define CMK_MMA_FOUR_(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define CMK_MMA_D_(i) CMK_MMA_FOUR_(i), CMK_MMA_FOUR_(i + 4)
#define CMK_MMA_D_1_ CMK_MMA_D_(0)
#define CMK_MMA_D_2_ CMK_MMA_D_1_, CMK_MMA_D_(8)
#define CMK_MMA_D_3_ CMK_MMA_D_2_, CMK_MMA_D_(16)
#define CMK_MMA_D_4_ CMK_MMA_D_3_, CMK_MMA_D_(24)
#define CMK_MMA_D_5_ CMK_MMA_D_4_, CMK_MMA_D_(32)
#define CMK_MMA_D_6_ CMK_MMA_D_5_, CMK_MMA_D_(40)
#define CMK_MMA_D_7_ CMK_MMA_D_6_, CMK_MMA_D_(48)
#define CMK_MMA_D_8_ CMK_MMA_D_7_, CMK_MMA_D_(56)
#define CMK_MMA_D_9_ CMK_MMA_D_8_, CMK_MMA_D_(64)
#define CMK_MMA_D_10_ CMK_MMA_D_9_, CMK_MMA_D_(72)
#define CMK_MMA_D_11_ CMK_MMA_D_10_, CMK_MMA_D_(80)
#define CMK_MMA_D_12_ CMK_MMA_D_11_, CMK_MMA_D_(88)
#define CMK_MMA_D_13_ CMK_MMA_D_12_, CMK_MMA_D_(96)
#define CMK_MMA_D_14_ CMK_MMA_D_13_, CMK_MMA_D_(104)
#define CMK_MMA_D_15_ CMK_MMA_D_14_, CMK_MMA_D_(112)
#define CMK_MMA_D_16_ CMK_MMA_D_15_, CMK_MMA_D_(120)
#define CMK_MMA_D_6_AND_4_ CMK_MMA_D_6_, CMK_MMA_FOUR_(48)
#define CMK_MMA_D_7_AND_4_ CMK_MMA_D_7_, CMK_MMA_FOUR_(56)
#define CMK_MMA_D_8_AND_4_ CMK_MMA_D_8_, CMK_MMA_FOUR_(64)
#define CMK_MMA_TEXT_1_ "%0, %1, %2, %3, %4, %5, %6, %7"
#define CMK_MMA_TEXT_2_ CMK_MMA_TEXT_1_ ", %8, %9, %10, %11, %12, %13, %14, %15"
#define CMK_MMA_TEXT_3_ CMK_MMA_TEXT_2_ ", %16, %17, %18, %19, %20, %21, %22, %23"
#define CMK_MMA_TEXT_4_ CMK_MMA_TEXT_3_ ", %24, %25, %26, %27, %28, %29, %30, %31"
#define CMK_MMA_TEXT_5_ CMK_MMA_TEXT_4_ ", %32, %33, %34, %35, %36, %37, %38, %39"
#define CMK_MMA_TEXT_6_ CMK_MMA_TEXT_5_ ", %40, %41, %42, %43, %44, %45, %46, %47"
#define CMK_MMA_TEXT_7_ CMK_MMA_TEXT_6_ ", %48, %49, %50, %51, %52, %53, %54, %55"
#define CMK_MMA_TEXT_8_ CMK_MMA_TEXT_7_ ", %56, %57, %58, %59, %60, %61, %62, %63"
#define CMK_MMA_TEXT_9_ CMK_MMA_TEXT_8_ ", %64, %65, %66, %67, %68, %69, %70, %71"
#define CMK_MMA_TEXT_10_ CMK_MMA_TEXT_9_ ", %72, %73, %74, %75, %76, %77, %78, %79"
#define CMK_MMA_TEXT_11_ CMK_MMA_TEXT_10_ ", %80, %81, %82, %83, %84, %85, %86, %87"
#define CMK_MMA_TEXT_12_ CMK_MMA_TEXT_11_ ", %88, %89, %90, %91, %92, %93, %94, %95"
#define CMK_MMA_TEXT_13_ CMK_MMA_TEXT_12_ ", %96, %97, %98, %99, %100, %101, %102, %103"
#define CMK_MMA_TEXT_14_ CMK_MMA_TEXT_13_ ", %104, %105, %106, %107, %108, %109, %110, %111"
#define CMK_MMA_TEXT_15_ CMK_MMA_TEXT_14_ ", %112, %113, %114, %115, %116, %117, %118, %119"
#define CMK_MMA_TEXT_16_ CMK_MMA_TEXT_15_ ", %120, %121, %122, %123, %124, %125, %126, %127"
#define CMK_MMA_TEXT_6_AND_4_ CMK_MMA_TEXT_6_ ", %48, %49, %50, %51"
#define CMK_MMA_TEXT_7_AND_4_ CMK_MMA_TEXT_7_ ", %56, %57, %58, %59"
#define CMK_MMA_TEXT_8_AND_4_ CMK_MMA_TEXT_8_ ", %64, %65, %66, %67"
/* clang-format on */
/* Parts of the instruction: a predicate from operand `number`; its name, with N columns; and the operands behind d.
 * These are the descriptors of A and B, the predicate, factors 1 and 1 of A and B, and 0 and 0, as neither is
 * transposed. */
#define CMK_MMA_ADDS_(number) "{ .reg .pred adds; setp.ne.b32 adds, %" #number ", 0; "
#define CMK_MMA_OF_(N) "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 "
#define CMK_MMA_FROM_(a_number, b_number) "%" #a_number ", %" #b_number ", adds, 1, 1, 0, 0; }"
/* A wgmma of N columns, where LIST names the operands of d. They are numbers 0 to N / 2 - 1, so that A, B and adds are
 * N / 2 and the next two. */
#define CMK_MMA_PRODUCT_(N, LIST, a_number, b_number, add_number)                                                      \
    asm volatile(CMK_MMA_ADDS_(add_number) CMK_MMA_OF_(N) "{" CMK_MMA_TEXT_##LIST##_                                   \
                 "}, " CMK_MMA_FROM_(a_number, b_number)                                                               \
                 : CMK_MMA_D_##LIST##_                                                                                 \
                 : "l"(left), "l"(right), "r"(adds))

/* d = A B, or d + A B where adds is 1. columns, a compile-time constant: a multiple of 16 up to 256, or 104, 120 or
 * 136. Of another number nothing is computed; tensor/sizes.h makes none (cmk_tensor_slots_). left and right: A and B,
 * by cmk_mma_matrix_. It only starts, and cmk_mma_wait_ waits for its end. All threads of the group call. */
CMK_DEVICE_ void cmk_mma_multiply_(float *d, int columns, cmk_mma_at_ left, cmk_mma_at_ right, int adds)
{
    if (columns == 16) CMK_MMA_PRODUCT_(16, 1, 8, 9, 10);
    if (columns == 32) CMK_MMA_PRODUCT_(32, 2, 16, 17, 18);
    if (columns == 48) CMK_MMA_PRODUCT_(48, 3, 24, 25, 26);
    if (columns == 64) CMK_MMA_PRODUCT_(64, 4, 32, 33, 34);
    if (columns == 80) CMK_MMA_PRODUCT_(80, 5, 40, 41, 42);
    if (columns == 96) CMK_MMA_PRODUCT_(96, 6, 48, 49, 50);
    if (columns == 112) CMK_MMA_PRODUCT_(112, 7, 56, 57, 58);
    if (columns == 128) CMK_MMA_PRODUCT_(128, 8, 64, 65, 66);
    if (columns == 104) CMK_MMA_PRODUCT_(104, 6_AND_4, 52, 53, 54);
    if (columns == 120) CMK_MMA_PRODUCT_(120, 7_AND_4, 60, 61, 62);
    if (columns == 136) CMK_MMA_PRODUCT_(136, 8_AND_4, 68, 69, 70);
    if (columns == 144) CMK_MMA_PRODUCT_(144, 9, 72, 73, 74);
    if (columns == 160) CMK_MMA_PRODUCT_(160, 10, 80, 81, 82);
    if (columns == 176) CMK_MMA_PRODUCT_(176, 11, 88, 89, 90);
    if (columns == 192) CMK_MMA_PRODUCT_(192, 12, 96, 97, 98);
    if (columns == 208) CMK_MMA_PRODUCT_(208, 13, 104, 105, 106);
    if (columns == 224) CMK_MMA_PRODUCT_(224, 14, 112, 113, 114);
    if (columns == 240) CMK_MMA_PRODUCT_(240, 15, 120, 121, 122);
    if (columns == 256) CMK_MMA_PRODUCT_(256, 16, 128, 129, 130);
}

/* The same for A in registers: CMK_MMA_HELD_D_N_ and _TEXT_N_ are the N / 2 floats of d of N columns. */
/* clang-format off: lists of operands */
#define CMK_MMA_HELD_D_40_ CMK_MMA_D_2_, CMK_MMA_FOUR_(16)
#define CMK_MMA_HELD_D_48_ CMK_MMA_D_3_
#define CMK_MMA_HELD_D_56_ CMK_MMA_D_3_, CMK_MMA_FOUR_(24)
#define CMK_MMA_HELD_TEXT_40_ CMK_MMA_TEXT_2_ ", %16, %17, %18, %19"
#define CMK_MMA_HELD_TEXT_48_ CMK_MMA_TEXT_3_
#define CMK_MMA_HELD_TEXT_56_ CMK_MMA_TEXT_3_ ", %24, %25, %26, %27"
/* clang-format on */
/* A wgmma of N columns with A in registers, operands N / 2 to N / 2 + 3; B and adds are the next two. The 0 says that B
 * is not transposed. */
#define CMK_MMA_HELD_PRODUCT_(N, left_numbers, right_number, add_number)                                               \
    asm volatile(CMK_MMA_ADDS_(add_number) CMK_MMA_OF_(N) "{" CMK_MMA_HELD_TEXT_##N##_                                 \
                 "}, {" left_numbers "}, %" #right_number ", adds, 1, 1, 0; }"                                         \
                 : CMK_MMA_HELD_D_##N##_                                                                               \
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(adds))

/* d = A B, or d + A B where adds is 1, with A in registers. Thread t of the group has two halves from 2 (t % 4) on of
 * row t / 4 % 8 + t / 32 * 16 in left[0], and of the row 8 further in left[1]. The same of the next 8 halves is in
 * left[2] and left[3]. right: B, by cmk_mma_matrix_. columns, a compile-time constant: 40, 48 or 56, 8 for each of the
 * 5 to 7 rows of a filter of planes/; of another number nothing is computed. It only starts, as
 * cmk_mma_multiply_ does, and left may not change before its end. All threads of the group call. */
CMK_DEVICE_ void cmk_mma_multiply_held_(float *d, int columns, const unsigned *left, cmk_mma_at_ right, int adds)
{
    if (columns == 40) CMK_MMA_HELD_PRODUCT_(40, "%20, %21, %22, %23", 24, 25);
    if (columns == 48) CMK_MMA_HELD_PRODUCT_(48, "%24, %25, %26, %27", 28, 29);
    if (columns == 56) CMK_MMA_HELD_PRODUCT_(56, "%28, %29, %30, %31", 32, 33);
}

#endif

#endif
