#if !defined(__CUDACC_RTC__)
static cudaError_t exchange(cmk_halo *halo, const cmk_grid *grid, cudaStream_t stream)
{
    cmk_field field = {NULL, NULL, sizeof(float), 8, 64, {1, 0, 0}, 0, NULL, {{0, 0, 0}, {0, 0, 0}}};
    cudaError_t error = cudaMalloc(&field.data, 10 * 64 * sizeof(float));
    if (error == cudaSuccess) error = cudaMemset(field.data, 0, 10 * 64 * sizeof(float));
    float *const memory = (float *)field.data;
    field.data = memory + 64;
    if (error == cudaSuccess) error = cmk_halo_create(halo, grid, cmk_halo_peer(), CMK_HALO_STAR, &field, 1);
    if (error == cudaSuccess) error = cmk_halo_connect(halo);
    if (error == cudaSuccess) error = cmk_halo_follow(halo, stream);
    if (error == cudaSuccess) error = cmk_halo_begin(halo, 1, halo->stream);
    if (error == cudaSuccess) error = cmk_halo_end(halo, stream);
    if (error == cudaSuccess) error = cmk_halo_begin_all(halo, 1, 2, &stream);
    if (error == cudaSuccess) error = cmk_halo_end_all(halo, 1, &stream);
    if (error == cudaSuccess) error = cmk_halo_wait(halo, stream);
    if (error == cudaSuccess) error = cmk_halo_destroy(halo);
    return error == cudaSuccess ? cudaFree(memory) : error;
}

int main(void)
{
    const cmk_i64 global[3] = {8, 8, 8};
    const int periodic[3] = {1, 0, 0};
    cmk_grid grid;
    cmk_halo halo;
    if (!cmk_grid_split(&grid, 0, 1, global, NULL, periodic)) return puts(grid.why);
    return exchange(&halo, &grid, 0) == cudaSuccess ? 0 : puts(halo.why);
}
#endif
