/* the header of a project, for linked.cu: two tables for all files, and for each file a table and a kernel of its own;
 * compiled with -DWHERE=CONSTANT, PARAMETER or GLOBAL */
#include <cmk/table.h>

/* a macro that stands for the source is expanded here, and pasted by cmk */
#define EXTERN_TABLE(SOURCE, T, name, SHAPE) CMK_TABLE_EXTERN(SOURCE, T, name, SHAPE)
#define OWN_TABLE(SOURCE, T, name, SHAPE) CMK_TABLE(SOURCE, T, name, SHAPE)
#define DEFINE_TABLE(SOURCE, name) CMK_TABLE_DEFINE(SOURCE, name)
#define DEFINE_TABLE_VALUES(SOURCE, name, ...) CMK_TABLE_DEFINE_VALUES(SOURCE, name, __VA_ARGS__)

EXTERN_TABLE(WHERE, float, linked, [2][3]);
EXTERN_TABLE(WHERE, float, blank, [2]);
OWN_TABLE(WHERE, float, own, [1]);

static __global__ void own_kernel(float *out, CMK_TABLE_PARAMETER(own))
{
    *out = CMK_TABLE_AT(own, 0);
}

static inline int own_upload(float value)
{
    return CMK_TABLE_UPLOAD(own, &value, 0, 1) == cudaSuccess;
}

static inline int own_launch(float *out)
{
    return CMK_LAUNCH(own_kernel, 1, 1, 0, 0, out, own) == cudaSuccess;
}
