/* expect: cmk_load_by_STREAM_ */
/* says: `cmk_load_by_STREAM_` is undefined */
/* because: the first word is no hint for loads */
/* do: a word of the table in load.h */
#include <cmk/load.h>

__global__ void copy(const float *in, float *out)
{
    CMK_STORE(&out[0], CMK_LOAD_AS(STREAM, &in[0]));
}
