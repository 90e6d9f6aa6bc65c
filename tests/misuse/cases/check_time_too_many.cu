/* expect: cmk: CMK_CHECK_TIME: RUNS must be from 1 to 99 */
/* because: it keeps the time of each */
/* do: an integer constant */
#include <cmk/check.h>

int main(void)
{
    float milliseconds;
    CMK_CHECK_TIME(milliseconds, 100, cudaDeviceSynchronize());
    return milliseconds > 1.0f;
}
