/* expect c++: cmk: a cuda::barrier is one of cuda::thread_scope_block on a CPU */
/* because: its threads wait on stacks of one OS thread, which are those of a block */
/* do: cuda::barrier<cuda::thread_scope_block> for a block, a cooperative launch for a grid */
#include "cmk/host/toolkit/cuda/barrier.h"
__global__ void k(cuda::barrier<cuda::thread_scope_device> *all)
{
    all->arrive_and_wait();
}
