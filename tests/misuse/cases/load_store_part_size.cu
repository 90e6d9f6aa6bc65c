/* expect: cmk: CMK_STORE_PART: BYTES must be 8 or 16, a multiple of the size of an element */
#include <cmk/load.h>

typedef struct {
    float red, green, blue;
} colour;

__global__ void copy(const colour *in, colour *out)
{
    const colour v[1] = {CMK_LDG(&in[0])};
    CMK_STORE_PART(PLAIN, 16, out, 0, 8, v);
}
