/* expect: cmk_store_by_LAST_USE_ */
/* says: `cmk_store_by_LAST_USE_` is undefined */
/* because: the first word is no hint for stores */
/* do: a word of the table in load.h */
#include <cmk/load.h>

__global__ void copy(const float *in, float *out)
{
    CMK_STORE_AS(LAST_USE, &out[0], CMK_LDG(&in[0]));
}
