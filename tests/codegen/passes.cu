/* Stencils of which a program calls what CALLED says: codegen.py looks for the kernels of passes in its PTX. */
#define CMK_STEPS_MOST 2 /* fewer levels compile faster */
#include <cmk/cmk.h>

#ifndef CALLED
#define CALLED 0
#endif

#define FLAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
CMK_POINT_2D(flat, FLAT)
{
    CMK_POINT_SET(u, 0.5f * CMK_POINT_AT(u, 0, 1) + 0.5f * CMK_POINT_AT(u, 1, 0));
}
CMK_DEFINE_STENCIL2D(flat, FLAT);

#define DEEP(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
CMK_POINT_3D(deep, DEEP)
{
    CMK_POINT_SET(u, 0.5f * CMK_POINT_AT(u, 0, 0, 1) + 0.5f * CMK_POINT_AT(u, 1, 0, 0));
}
CMK_DEFINE_STENCIL3D(deep, DEEP);
CMK_DEFINE_BORDERED(deep, DEEP);

/* what does no pass */
cudaError_t single(flat_grid *grid, deep_grid *volume, cmk_point_border *border)
{
    cudaError_t error = flat_why(grid) != NULL || deep_why(volume) != NULL ? cudaErrorInvalidValue : cudaSuccess;
    if (error == cudaSuccess) error = flat_prepare(grid, 0);
    if (error == cudaSuccess) error = flat(grid, 0);
    if (error == cudaSuccess) error = deep_bordered(volume, border, 0);
    return error == cudaSuccess ? flat_release(grid, 0) : error;
}

#if CALLED == 1
cudaError_t several(flat_grid *grid)
{
    return flat_steps(grid, 8, 0);
}
#elif CALLED == 2
int planned(flat_grid *grid)
{
    flat_call call;
    return flat_steps_plan(&call, NULL, grid, 8, 0) == cudaSuccess && flat_next(&call);
}
#elif CALLED == 3
cudaError_t (*pointer)(flat_grid *, size_t, cudaStream_t) = &flat_steps;
#elif CALLED == 4
template <typename GRID> cudaError_t several(GRID *grid)
{
    return deep_steps(grid, 8, 0);
}
cudaError_t called(deep_grid *grid)
{
    return several(grid);
}
#elif CALLED == 5
cudaError_t several(deep_grid *grid, cmk_point_border *border)
{
    return deep_bordered_steps(grid, border, 8, 0);
}
#endif
