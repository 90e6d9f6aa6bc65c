CMK_STATIC_ASSERT(CMK_VOLUME_TYPE_(float) && !CMK_VOLUME_TYPE_(int), "");

#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_volume_definition_ box = {4, 3, 3, 3, 0, 0, 4, 4};
    const cmk_volume_call_ call = {0, 0, 1, 1, 1, 1, 0, 1, 1};
    const cmk_volume_filter_ filter = cmk_volume_filter_of_(box);
    cmk_volume_ volume;
    if (cmk_volume_plan_(&call, filter, 1, &volume) != cudaSuccess) return 1;
    return volume.blocks != 0 || filter.tile_rows != 34 || filter.tile_columns != 144;
}
#endif
