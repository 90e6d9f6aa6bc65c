/* expect c c++: CMK_TABLE_UPLOAD */
/* expect c c++: requires 4 arguments */
/* expect cuda: CMK_TABLE_UPLOAD */
/* says: `macro "CMK_TABLE_UPLOAD" requires 4 arguments, but only 3 given` */
/* because: an upload of a part names its first element and how many they are; a copy that waits has no stream */
/* do: `CMK_TABLE_UPLOAD(taps, source, 0, 3)`; with a stream `CMK_TABLE_UPLOAD_ASYNC(taps, source, 0, 3, stream)` */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, taps, [3]);

int main(void)
{
    const float source[3] = {0.25f, 0.5f, 0.25f};
    return CMK_TABLE_UPLOAD(taps, source, 0) != cudaSuccess;
}
