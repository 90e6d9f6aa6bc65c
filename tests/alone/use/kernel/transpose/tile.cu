__global__ void turn(cmk_transpose_call_ call)
{
    cmk_transpose_tiles_(call, 16);
}

__global__ void turn_square(cmk_transpose_call_ call)
{
    cmk_transpose_square_(call, 8);
}
