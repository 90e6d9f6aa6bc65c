#include <cmk/cmk.h>
#include <cmk/halo.h>

/* ranks in a square of 2 x 2, each with 16 x 32 points and ghosts around them */
int main(void)
{
    const int parts[3] = {1, 2, 2};
    const cmk_i64 global[3] = {1, 32, 64};
    cmk_halo halos[4];
    cudaStream_t streams[4] = {0, 0, 0, 0};
    for (int rank = 0; rank < 4; ++rank) {
        cmk_grid grid;
        void *data;
        if (!cmk_grid_split(&grid, rank, 4, global, parts, NULL)) return puts(grid.why);
        CMK_CHECK(cudaMalloc(&data, 64 * 64 * sizeof(float)));
        CMK_CHECK(cudaMemset(data, 0, 64 * 64 * sizeof(float)));
        const cmk_field field = {(float *)data + 4 * 64 + 8, NULL, sizeof(float), 64, 0, {0, 1, 1}, 0, NULL,
                                 {{0, 0, 0}, {0, 0, 0}}};
        if (cmk_halo_create(&halos[rank], &grid, cmk_halo_peer(), CMK_HALO_STAR, &field, 1) != cudaSuccess)
            return puts(halos[rank].why);
    }
    if (cmk_halo_connect_all(halos, 4) != cudaSuccess) return puts(halos[0].why);
    CMK_CHECK(cmk_halo_begin_all(halos, 4, 0, streams));
    CMK_CHECK(cmk_halo_end_all(halos, 4, streams));
    CMK_CHECK(cudaDeviceSynchronize());
    return cmk_halo_destroy_all(halos, 4) != cudaSuccess;
}
