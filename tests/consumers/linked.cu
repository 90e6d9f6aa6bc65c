/* one of two files that share tables, compiled with -DUNIT=0 and -DUNIT=1, and with -DDEFINES where it defines them */
#include "linked.h"
#include "linked_units.h"

#define NAME_OF(unit) NAME_WITH(unit)
#define NAME_WITH(unit) linked_##unit

#if defined(DEFINES)
DEFINE_TABLE_VALUES(WHERE, linked, {1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f});
DEFINE_TABLE(WHERE, blank);
#endif

static __global__ void read_linked(float *out, CMK_TABLE_PARAMETER(linked), CMK_TABLE_PARAMETER(blank))
{
    const int k = (int)threadIdx.x;
    out[k] = k < 6 ? CMK_TABLE_AT(linked, k / 3, k % 3) : CMK_TABLE_AT(blank, k - 6);
}

static int upload(float first)
{
    float values[8];
    for (int k = 0; k < 8; ++k) values[k] = first + (float)k;
    return CMK_TABLE_UPLOAD(linked, values, 0, 6) == cudaSuccess &&
           CMK_TABLE_UPLOAD(blank, values + 6, 0, 2) == cudaSuccess;
}

static int fetch(float *to, float *from, int count)
{
    const int right = cudaMemcpy(to, from, (size_t)count * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    return cudaFree(from) == cudaSuccess && right;
}

static int read_elements(float *to, int count)
{
    float *out = NULL;
    return cudaMalloc((void **)&out, 8 * sizeof(float)) == cudaSuccess &&
           CMK_LAUNCH(read_linked, 1, (unsigned)count, 0, 0, out, linked, blank) == cudaSuccess &&
           fetch(to, out, count);
}

static int read_own(float *to)
{
    float *out = NULL;
    return cudaMalloc((void **)&out, sizeof(float)) == cudaSuccess && own_launch(out) && fetch(to, out, 1);
}

const struct linked_unit NAME_OF(UNIT) = {upload, read_elements, own_upload, read_own};
