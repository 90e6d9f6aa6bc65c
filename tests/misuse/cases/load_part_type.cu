/* expect c: invalid operands to binary - */
/* expect c++: invalid operands of types */
/* expect cuda: no instance of function template "cmk_load_part_" matches the argument list */
/* says: `invalid operands to binary -`, `no instance of function template "cmk_load_part_" matches the argument list` */
/* because: to and from point to different types */
/* do: a local array of the type of the memory */
#include <cmk/load.h>

__global__ void copy(const float *in, double *out)
{
    double v[4];
    CMK_LOAD_PART(READ_ONLY, 16, v, in, 0, 8);
    CMK_STORE(&out[0], v[0]);
}
