/* A stencil whose elements are aligned to more bytes than one access moves: each is loaded and stored 16 bytes a
 * time. */
#define CMK_C_NAMES 1
#include <cmk/cmk.h>

typedef struct alignas(32) {
    double sum, least, most, last;
} series;
#define SERIES(USES)                                                                                                   \
    USES(IN, series, new_one, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                       \
    USES(SAME, series, all, CMK_POINT_STAR(0), CMK_EDGE_CLAMP)
CMK_POINT_2D(gather, SERIES)
{
    series one = CMK_POINT_AT(new_one, 0, 1), s = CMK_POINT_HERE(all);
    s.sum += one.sum, s.least = one.most, s.most = one.last, s.last = one.least;
    CMK_POINT_SET(all, s);
}
CMK_DEFINE_STENCIL2D(gather, SERIES);
