#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_i64 global[3] = {8, 8, 9};
    const int periodic[3] = {1, 0, 0}, width[3] = {1, 1, 1};
    cmk_grid grid;
    cmk_box border[6], interior, owned;
    if (!cmk_grid_split(&grid, 1, 2, global, NULL, periodic)) return puts(grid.why);
    interior = cmk_grid_interior(&grid, width);
    owned = cmk_grid_owned(&grid);
    return cmk_grid_border(&grid, width, border) != 2 || interior.count[0] + 2 != owned.count[0] ||
           cmk_grid_neighbour(&grid, 1, 0, 0) != 0 || !cmk_grid_has_neighbours(&grid, 0) ||
           cmk_grid_smallest(&grid, 2) != 9;
}
#endif
