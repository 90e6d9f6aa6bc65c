/* expect: cmk: CMK_DEFINE_CONV3D: T must be float or double */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

typedef struct {
    float re, im;
} complex_number;
CMK_DEFINE_CONV3D(smooth, complex_number, (1, 3, 1), ones, CMK_EDGE_ZERO);
