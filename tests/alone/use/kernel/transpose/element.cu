__global__ void turn(cmk_transpose_call_ call)
{
    cmk_transpose_any_(call, 2);
}

__global__ void turn_lines(cmk_transpose_call_ call)
{
    cmk_transpose_thin_(call, 4);
}

__global__ void swap(cmk_transpose_call_ call)
{
    cmk_transpose_swap_(call, 1);
}
