/* expect: cmk: CMK_STORE_PART: BYTES must be 8 or 16, a multiple of the size of an element */
/* because: a part is one access of 8 or 16 bytes */
/* do: elements of 1, 2, 4, 8 or 16 bytes; others by `CMK_STORE_AS` */
#include <cmk/load.h>

typedef struct {
    float red, green, blue;
} colour;

__global__ void copy(const colour *in, colour *out)
{
    const colour v[1] = {CMK_LDG(&in[0])};
    CMK_STORE_PART(PLAIN, 16, out, 0, 8, v);
}
