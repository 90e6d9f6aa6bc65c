/* expect c: ISO C99 requires at least one argument for the */
/* says: `ISO C99 requires at least one argument for the "..."` */
/* because: the kernel has no parameters */
/* do: end the list with a comma: `CMK_LAUNCH(k, 1, 1, 0, 0, )` */
#include <cmk/check.h>

__global__ void nothing(void)
{
}

int main(void)
{
    CMK_CHECK(CMK_LAUNCH(nothing, 1, 1, 0, 0));
    return 0;
}
