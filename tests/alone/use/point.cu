typedef struct {
    float x, y;
} pair;

#define MIX(USES)                                                                                                      \
    USES(IN, float, speed)                                                                                             \
    USES(INS, short, many, 2, CMK_POINT_BOX(1), CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_WRAP))                          \
    USES(OUT, double, sum)                                                                                             \
    USES(SAME, float, total)                                                                                           \
    USES(NEXT, float, u, CMK_POINT_STAR(2), CMK_EDGE_REFLECT_ODD)                                                      \
    USES(LEAPFROG, float, w, CMK_POINT_REACH(1, 1, 0), CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))                 \
    USES(VALUE, pair, factor)

CMK_POINT_2D_STAGES(flat, MIX, 1)
{
    if (CMK_POINT_STAGE == 1) return;
    CMK_POINT_SET(sum, (double)(CMK_POINT_AT(many[0], -1, 1) + CMK_POINT_HERE(many[1])));
    CMK_POINT_SET(total, CMK_POINT_HERE(total) + factor.x);
    CMK_POINT_SET(u, CMK_POINT_HERE(speed) * CMK_POINT_AT(u, 2, 0) + factor.y);
    if (!CMK_POINT_INSIDE && CMK_POINT_ROW + 1 == CMK_POINT_ROWS && CMK_POINT_COLUMN < CMK_POINT_COLUMNS)
        CMK_POINT_SET(w, 2.0f * CMK_POINT_AT(w, -1, 0) - CMK_POINT_BEFORE(w));
}
CMK_POINT_3D(deep, MIX)
{
    if (CMK_POINT_PLANE < CMK_POINT_PLANES && CMK_POINT_STEP > 2)
        CMK_POINT_SET(u, factor.y * CMK_POINT_AT(u, 2, 0, 0) + CMK_POINT_AT(w, -1, 1, 0));
}

/* a tile of one row, around which all is 1 */
__global__ void update(float *data)
{
    flat_windows_ windows;
    flat_befores_ befores = CMK_ZEROS_(flat_befores_);
    flat_values_ values = CMK_ZEROS_(flat_values_);
    flat_sets_ sets = CMK_ZEROS_(flat_sets_);
    cmk_point_place_ place = CMK_ZEROS_(cmk_point_place_);
    const pair factor = {0.5f, 0.25f};
    for (int k = 0; k < 96; ++k) windows.u[k] = windows.w[k % 24] = windows.speed[k % 16] = 1.0f;
    for (int k = 0; k < 48; ++k) windows.many[0][k] = windows.many[1][k] = 1;
    windows.total[0] = 1.0f;
    befores.w[0] = 3.0f;
    place.dims = 2;
    place.tile.lanes = 4;
    place.tile.planes = place.tile.rows = place.planes = place.rows = place.columns = 1;
    flat_point_(&windows, (const flat_shapes_ *)0, &befores, &place, &values, &sets, factor);
    data[0] = (float)values.sum[0];
    data[1] = values.total[0];
    data[2] = values.u[0];
    data[3] = values.w[0] + (float)sets.w[1];
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *data, copy[4];
    (void)deep_point_;
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(update, 1, 1, 0, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return (int)copy[0] != 2 || (int)(4 * copy[1]) != 6 || (int)(4 * copy[2]) != 5 || (int)copy[3] != -1;
}
#endif
