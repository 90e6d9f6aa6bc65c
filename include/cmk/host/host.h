/* host/host.h: the CPU backend. base.h includes it where no CUDA compiler compiles. A .cu file then compiles as C11 or
 * C++17 with gcc or clang, links with -lpthread -lm and runs with CUDA's thread semantics.
 *
 *   system.h   what is taken from the C library, the compiler and the sanitizers
 *   cuda.h     CUDA's vocabulary: qualifiers, dim3, vector types, built-in indices, small intrinsics
 *   error.h    cudaError_t, its names and sentences, the last error of a host thread
 *   options.h  the environment variables
 *   failure.h  the one line that a failed check prints before it aborts the program
 *   library.h  shared libraries: one backend or several in a process
 *   device.h   several devices: which one is set, who may access whose memory, variables by device
 *   beside.h   which fields the update of a point has read beside it
 *   variable.h the variables of the program that kernels may access
 *   shared.h   shared memory of a block: poisoned, with redzones, and for each byte whether it was written
 *   assembly.h capture and replay of arguments, the switch of stacks; x86_64.h and aarch64.h have the code
 *   fiber.h    stacks for CUDA threads that wait
 *   worker.h   what an OS thread has to run blocks, and which CUDA thread it runs next
 *   race.h     races of the threads of a block for its shared memory
 *   clock.h    which works of streams, and which accesses of the host, are ordered
 *   global.h   races for device memory, of threads and of streams
 *   fault.h    where a kernel was that ends by a memory fault
 *   count/     what the accesses of a kernel cost (model.h), in the source and in machine code (forms.h), what caches
 *              keep of them (cache.h), where they stand (spot.h), and who made them (record.h)
 *   memory.h   device allocations and the check of every global access
 *   spin.h     threads that wait for a word, in a loop
 *   element.h  the check of every access to an element of a tile
 *   barrier.h  __syncthreads
 *   fill.h     fills of tiles that arrive when they are waited for
 *   warp.h     shuffles, votes, __syncwarp
 *   block.h    the threads of one block, from their start to their end
 *   atomic.h   atomic operations of kernels
 *   queue.h    what streams have yet to do, and which of it runs next
 *   pool.h     the blocks of a grid on one or several CPU cores
 *   graph.h    graphs, captured from streams
 *   stream.h   streams and events
 *   launch.h   CMK_LAUNCH: argument capture and replay
 *   plain.h    launches and shared memory of plain CUDA, as ./cmk run rewrites it
 *   watch.h    the check of plain accesses, where the compiler reports them
 *   count/     the count of plain accesses (trace.h) and of branches (branch.h), and the report (table.h)
 *   copy.h     copies and fills of memory
 *   property.h the properties of a device
 *   kernel.h   attributes of a kernel, and launches by its address
 *   node.h     graphs that are made node by node
 *   runtime.h  the other calls of the CUDA runtime
 *
 * A file uses only names of the files before it; tests/style/includes.py checks that. Beside them is
 *
 *   toolkit/   headers with the names of CUDA's, for programs of CUDA alone. base.h includes none of them, nor
 *              the files that only they need: intrinsics.h, half.h, short_float.inc, texture.h
 *
 * The threads of a block run one after the other on one CPU core. A thread that waits at a barrier or a warp operation
 * is set aside on a stack of its own. Nothing is preempted: a kernel that spins until another thread writes does not
 * end. Environment variables change how a program runs, but never the result of a right program:
 *
 *   CMK_HOST_CORES=N|all                           CPU cores that share the blocks of a grid; 1 unless set
 *   CMK_HOST_ORDER=forward|reverse|shuffle[:SEED]  order of threads between two barriers, and of blocks
 *   CMK_HOST_STREAMS=order|shuffle[:SEED]          when streams run: at once, or late, in any order that they allow
 *   CMK_HOST_DEVICES=N[:apart]                     devices; 1 unless set
 *   CMK_HOST_ERRORS=stop|return                    an error in a kernel ends the program, or is returned
 *   CMK_HOST_RACES=on|off                          races in a block are reported, in programs that ./cmk run builds
 *
 * It runs on Linux on x86-64 and aarch64, also under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer.
 * To ThreadSanitizer every CUDA thread is a thread, so that a missing barrier shows as a data race. */
#include "../base.h"
#ifndef CMK_HOST_HOST_H
#define CMK_HOST_HOST_H

#if defined(__HIPCC__) || defined(__HIP__)
#error "cmk: no HIP backend: hipcc would compile kernels for the CPU; use nvcc for a GPU, gcc or clang for the CPU"
#include "cmk: the error above" /* which does not exist: hundreds of errors would follow */
#elif defined(__CUDA_RUNTIME_H__) || defined(__CUDA_RUNTIME_API_H__) || defined(__DRIVER_TYPES_H__) ||                 \
    defined(__VECTOR_TYPES_H__)
#error "cmk: CUDA's own headers come before cmk's, but no CUDA compiler is at work: use nvcc, or leave them out"
#include "cmk: the error above" /* which does not exist: hundreds of errors would follow */
#endif

#include "system.h"

#include "cuda.h"
#include "error.h"
#include "options.h"
#include "failure.h"
#include "library.h"

#include "device.h"
#include "beside.h"
#include "variable.h"
#include "shared.h"

#include "assembly.h"
#include "fiber.h"
#include "worker.h"
#include "race.h"
#include "clock.h"
#include "global.h"
#include "fault.h"
#include "count/model.h"
#include "count/cache.h"
#include "count/spot.h"
#include "count/forms.h"
#include "count/record.h"

#include "memory.h"
#include "spin.h"
#include "element.h"
#include "barrier.h"
#include "fill.h"
#include "warp.h"
#include "block.h"
#include "atomic.h"

#include "queue.h"
#include "pool.h"
#include "graph.h"
#include "stream.h"
#include "launch.h"
#include "plain.h"
#include "watch.h"
#include "count/trace.h"
#include "count/branch.h"
#include "count/table.h"
#include "copy.h"
#include "property.h"
#include "kernel.h"
#include "node.h"
#include "runtime.h"

#endif
