/* halo/reduce.h: the sums and extremes of a step (SUM, MAX and MIN of point.h) over all ranks of a halo.
 *
 *   int name_results(name_grid *grid, cmk_result *results)
 *       of a stencil: writes its results, in the order of LIST, and returns how many they are: CMK_HALO_RESULTS, 16, at
 *       most are written
 *   cudaError_t cmk_halo_reduce(cmk_halo *halo, const cmk_result *results, int count, cudaStream_t stream)
 *       collective: all ranks call it behind the step, with the same results, between the end of an exchange and the
 *       next begin. Then each rank has the results of all, complete in the order of stream, in the first bytes of each
 *       result. Their bits are those of one rank, whatever the split is
 *   cudaError_t cmk_halo_reduce_all(cmk_halo *halos, int ranks, const cmk_result *results, int count,
 *                                   const cudaStream_t *streams)
 *       the same for all ranks that this process holds: halos and streams are arrays, as for cmk_halo_begin_all, and
 *       results[r * count] is the first one of rank r
 *
 * An error has its sentence in halo->why: cudaErrorInvalidValue where count is not 1 to CMK_HALO_RESULTS, a result is
 * NULL, or an exchange is under way; else that of a launch or of the transport.
 *
 * The step has more_parts = 1 in its grid (stencil2d.h), so that it leaves its sums open. Set it for the steps whose
 * result is reduced, and for no others: the sums of all steps since the last reduction add up. Of several steps in one
 * call the last one counts.
 *
 * With all transports but MPI the host does not wait, and the call may be captured; with MPI it waits as in
 * cmk_halo_end. cmk_halo_peer reduces over 64 ranks at most. What travels of a result is 1280 bytes a rank.
 *
 *   cmk_result results[CMK_HALO_RESULTS];
 *   const int count = heat_results(&grid, results);
 *   grid.more_parts = 1;
 *   CMK_CHECK(heat(&grid, 0.2f, stream));
 *   CMK_CHECK(cmk_halo_reduce(&halo, results, count, stream)); */
#ifndef CMK_HALO_REDUCE_H
#define CMK_HALO_REDUCE_H

#include "../base.h"
#include "../halo.h"
#include "../kernel/point/reduce.h"

/* Folds the copies of a word into two, of which the second has what is above 32 bits: a sum over ranks is larger than
 * 64 bits. Thread `word` of a block of cmk_point_partial_words_ calls it. */
CMK_INLINED_ void cmk_halo_fold_(void *result, int word)
{
    unsigned long long *const at = (unsigned long long *)(void *)((cmk_point_result_ *)result)->copies + word;
    const int is_most = word >= cmk_point_tops_ && word <= cmk_point_floats_words_;
    unsigned long long most = 0, low = 0, high = 0;
    CMK_UNROLL
    for (int copy = 0; copy < cmk_point_copies_; ++copy) {
        const unsigned long long value = *cmk_point_of_copy_(at, copy);
        most = value > most ? value : most;
        low += value & 0xffffffffull;
        high += (unsigned long long)((cmk_i64)value >> 32);
    }
    for (int copy = 2; copy < cmk_point_copies_; ++copy) *cmk_point_of_copy_(at, copy) = 0;
    *at = is_most ? most : low;
    *cmk_point_of_copy_(at, 1) = is_most ? 0 : high;
}

#if CMK_HAS_HOST_

/* a block of a launch for each of the results of a rank */
typedef struct {
    cmk_result result[CMK_HALO_RESULTS];
} cmk_halo_results_;

CMK_STATIC_ __global__ void __launch_bounds__(cmk_point_partial_words_) cmk_halo_fold_kernel_(cmk_halo_results_ all)
{
    cmk_halo_fold_(all.result[blockIdx.x].memory, (int)threadIdx.x);
}

CMK_STATIC_ __global__ void __launch_bounds__(32) cmk_halo_conclude_kernel_(cmk_halo_results_ all)
{
    cmk_point_field_ f = CMK_ZEROS_(cmk_point_field_);
    f.kind = all.result[blockIdx.x].kind;
    f.size = all.result[blockIdx.x].size;
    cmk_point_conclude_(all.result[blockIdx.x].memory, f, 1);
}

CMK_STATIC_ASSERT((int)cmk_halo_words_ == 2 * cmk_point_partial_words_ && (int)cmk_halo_tops_ == (int)cmk_point_tops_ &&
                      cmk_halo_tops_ + cmk_halo_tops_words_ == cmk_point_floats_words_ + 1 &&
                      (int)cmk_halo_reduced_most_ == cmk_point_copies_ / 2,
                  "the words of halo/plan.h are those of kernel/point/reduce.h");

/* whether results can be reduced; an error with a sentence where they cannot */
static inline cudaError_t cmk_halo_check_results_(cmk_halo *halos, int ranks, const cmk_result *results, int count)
{
    if (count < 1 || count > CMK_HALO_RESULTS)
        return cmk_halo_fail_(halos, cudaErrorInvalidValue, "%d results are not 1 to CMK_HALO_RESULTS, %d", count,
                              CMK_HALO_RESULTS);
    for (int i = 0; i < ranks * count; ++i)
        if (results[i].memory == NULL)
            return cmk_halo_fail_(&halos[i / count], cudaErrorInvalidValue, "%s is NULL", results[i].name);
    return cudaSuccess;
}

static inline cudaError_t cmk_halo_fold_one_(cmk_halo *halo, const cmk_halo_results_ *all, int count,
                                             cudaStream_t stream)
{
    cudaError_t error = cudaSetDevice(halo->device);
    if (error == cudaSuccess) error = cmk_halo_follow(halo, stream);
    if (error == cudaSuccess)
        error = CMK_LAUNCH(cmk_halo_fold_kernel_, (unsigned)count, cmk_point_partial_words_, 0, halo->stream, *all);
    return error == cudaSuccess ? cudaEventRecord(halo->packed, halo->stream) : error;
}

static inline cudaError_t cmk_halo_conclude_one_(cmk_halo *halo, const cmk_halo_results_ *all, int count,
                                                 cudaStream_t stream)
{
    cudaError_t error = cudaSetDevice(halo->device);
    if (error == cudaSuccess) error = CMK_LAUNCH(cmk_halo_conclude_kernel_, (unsigned)count, 32, 0, halo->stream, *all);
    if (error == cudaSuccess) error = cudaEventRecord(halo->done, halo->stream);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, halo->done, 0) : error;
}

static inline cudaError_t cmk_halo_reduce_all(cmk_halo *halos, int ranks, const cmk_result *results, int count,
                                              const cudaStream_t *streams)
{
    int device = 0;
    cmk_halo_results_ all;
    cudaError_t error = cmk_halo_are_(halos, ranks, cmk_halo_ready_, "reduce comes behind connect, or an end");
    if (error == cudaSuccess) error = cmk_halo_check_results_(halos, ranks, results, count);
    if (error != cudaSuccess) return error;
    error = cudaGetDevice(&device);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) {
        memcpy(all.result, &results[r * count], (size_t)count * sizeof *results);
        error = cmk_halo_fold_one_(&halos[r], &all, count, streams[r]);
    }
    if (error == cudaSuccess) error = halos->transport.reduce(halos, ranks, results, count);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) {
        memcpy(all.result, &results[r * count], (size_t)count * sizeof *results);
        error = cmk_halo_conclude_one_(&halos[r], &all, count, streams[r]);
    }
    return cmk_halo_ends_(halos, ranks, error, device, "cmk_halo_reduce");
}

static inline cudaError_t cmk_halo_reduce(cmk_halo *halo, const cmk_result *results, int count, cudaStream_t stream)
{
    return cmk_halo_reduce_all(halo, 1, results, count, &stream);
}

#endif

#endif
