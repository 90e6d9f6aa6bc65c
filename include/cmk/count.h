/* count.h: what a kernel costs. The CPU backend counts the numbers that a profiler shows, without a GPU.
 *
 * Counting is on in a file that defines CMK_COUNT as 1 before it includes cmk, or is compiled with -DCMK_COUNT=1, and
 * that no CUDA compiler compiles. In other files nothing is counted and nothing is slower.
 *
 *   cmk_i64 cmk_count(const char *kernel, int counter)
 *       the total of the counter over the launches of the kernel since the start or the last cmk_count_clear. -1 where
 *       nothing is counted, the kernel has not run or there is no such counter
 *   int cmk_count_clean(const char *kernel)
 *       whether the kernel has run, has no bank conflict, and uses every byte of the sectors that it moves. Otherwise
 *       the reasons go to stderr, one line for each line of the source
 *   int cmk_count_report(FILE *text, FILE *csv)
 *       writes what each kernel and each of its accesses cost: to text for people, to csv as a table. Either may be
 *       null. Value: whether everything could be written; 0 where a CUDA compiler compiles
 *   void cmk_count_clear(void)
 *       forgets all counts
 *   CMK_COUNT_OPERATIONS(n);
 *       in a kernel: adds n to the operations of this thread. The bodies of stencil.h do so themselves
 *   CMK_COUNT_TURN(i);
 *       in a loop in which some lanes of a warp skip accesses: gives the number i of the turn, from 0 up. Only accesses
 *       of the same turn then count as one request. Behind the loop, i is -1. The fills of tile.h and the transposes do
 *       so themselves
 *
 *   counter                              the profiler's name                                                   exact
 *   CMK_COUNT_SHARED_LOAD_WAVEFRONTS     smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum        yes
 *   CMK_COUNT_SHARED_STORE_WAVEFRONTS    smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum        yes
 *   CMK_COUNT_SHARED_LOAD_REQUESTS       smsp__sass_inst_executed_op_shared_ld.sum                             yes
 *   CMK_COUNT_SHARED_STORE_REQUESTS      smsp__sass_inst_executed_op_shared_st.sum                             yes
 *   CMK_COUNT_SHARED_LOAD_CONFLICTS      wavefronts beyond one for each group of lanes that is served          yes
 *   CMK_COUNT_SHARED_STORE_CONFLICTS                                                                           yes
 *   CMK_COUNT_GLOBAL_LOAD_REQUESTS       l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum                       yes
 *   CMK_COUNT_GLOBAL_STORE_REQUESTS      l1tex__t_requests_pipe_lsu_mem_global_op_st.sum                       yes
 *   CMK_COUNT_GLOBAL_LOAD_SECTORS        l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum                        yes
 *   CMK_COUNT_GLOBAL_STORE_SECTORS       l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum                        yes
 *   CMK_COUNT_GLOBAL_LOAD_BYTES          distinct bytes that the requests ask for                              estimate
 *   CMK_COUNT_GLOBAL_STORE_BYTES                                                                               estimate
 *   CMK_COUNT_CONSTANT_REPLAYS           sm__idc_divergent_instruction_replays.sum                             yes
 *   CMK_COUNT_OPERATIONS_DONE            none                                                                  estimate
 *
 * A counting program that finds CMK_COUNT_REPORT=FILE.csv in its environment writes the table there when it exits, and
 * the text to stderr. ./cmk report does so for any .cu, and makes a page of it; of programs of plain CUDA it counts
 * plain accesses too (docs/report.md). A kernel is listed by the name in its launch. If the launch has another
 * expression, such as kernels[k], the name is the kernel's symbol, if the program shows it (-rdynamic).
 *
 * A report has an efficiency. For shared memory it is the groups of lanes over the wavefronts, and for global memory
 * the bytes used over the bytes of the sectors. For constants it is the requests over the requests with their replays.
 * The PAD in a report is the smallest one at which the costliest request of the access has no conflict, and no other
 * access of the tile has more conflicts. Bytes are those between L1 and L2.
 *
 * The counters are exact for what the source asks for, access by access: through CMK_TILE_, CMK_LOAD, CMK_STORE,
 * CMK_LDG, CMK_TABLE_AT and fills by PLAIN. A request is one access of one warp. Lanes that come to an access for the
 * n-th time since the last barrier make one request together. One CPU core runs the blocks.
 * Atomic operations are listed, and in no counter.
 * The counters do not see accesses that the compiler removes, merges or widens, spills, or plain pointers and arrays.
 * They do not see copies by cp.async and the tensor engine, caches, or turns that lanes skip in a loop without
 * CMK_COUNT_TURN. tests/data has readings of 269 kernels from an H200; tests/model has what of them is not exact, and
 * why. */
#ifndef CMK_COUNT_H
#define CMK_COUNT_H

#include "base.h"

enum {
    CMK_COUNT_SHARED_LOAD_REQUESTS,
    CMK_COUNT_SHARED_LOAD_WAVEFRONTS,
    CMK_COUNT_SHARED_LOAD_CONFLICTS,
    CMK_COUNT_SHARED_STORE_REQUESTS,
    CMK_COUNT_SHARED_STORE_WAVEFRONTS,
    CMK_COUNT_SHARED_STORE_CONFLICTS,
    CMK_COUNT_GLOBAL_LOAD_REQUESTS,
    CMK_COUNT_GLOBAL_LOAD_SECTORS,
    CMK_COUNT_GLOBAL_LOAD_BYTES,
    CMK_COUNT_GLOBAL_STORE_REQUESTS,
    CMK_COUNT_GLOBAL_STORE_SECTORS,
    CMK_COUNT_GLOBAL_STORE_BYTES,
    CMK_COUNT_CONSTANT_REQUESTS,
    CMK_COUNT_CONSTANT_REPLAYS,
    CMK_COUNT_OPERATIONS_DONE
};

#define CMK_COUNT_OPERATIONS(n) CMK_OPERATIONS_(n)
#define CMK_COUNT_TURN(i) CMK_TURN_(i)

#if defined(__CUDACC__)

#if CMK_HAS_HOST_
static inline cmk_i64 cmk_count(const char *kernel, int counter)
{
    (void)kernel;
    (void)counter;
    return -1;
}

static inline int cmk_count_clean(const char *kernel)
{
    fprintf(stderr, "cmk: kernel %s: nothing is counted on a GPU\n", kernel);
    return 0;
}

static inline int cmk_count_report(FILE *text, FILE *csv)
{
    (void)text;
    (void)csv;
    return 0;
}

static inline void cmk_count_clear(void)
{
}
#endif

#else

static inline cmk_i64 cmk_count(const char *kernel, int counter)
{
    return cmk_host_count_total_(kernel, counter);
}

static inline int cmk_count_clean(const char *kernel)
{
    return cmk_host_count_clean_(kernel);
}

static inline int cmk_count_report(FILE *text, FILE *csv)
{
    return cmk_host_count_report_(text, csv);
}

static inline void cmk_count_clear(void)
{
    cmk_host_count_clear_();
}

#endif

#endif
