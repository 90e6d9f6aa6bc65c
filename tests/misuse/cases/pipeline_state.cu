/* expect c++: cmk: the state of a cuda::pipeline is that of a block on a CPU */
/* because: its threads wait on stacks of one OS thread, which are those of a block */
/* do: cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> */
#include "cmk/host/toolkit/cuda/pipeline.h"
__global__ void k(void)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> state;
    (void)state;
}
