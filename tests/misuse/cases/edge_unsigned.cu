/* expect c c++: comparison of unsigned expression */
/* says: `comparison of unsigned expression ... >= 0 is always true` */
/* because: an unsigned index cannot be left of the domain */
/* do: make the index of `CMK_EDGE_SAMPLE` signed */
#include <cmk/edge.h>

#define AT(i) in[i]

int sample(const int *in, unsigned i, int count);
int sample(const int *in, unsigned i, int count)
{
    return CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, AT, i, count);
}
