/* expect: cmk: CMK_DEFINE_TRANSPOSE: the size of T must be 1, 2, 4, 8 or 16 bytes */
#include <cmk/kernel/transpose.h>

typedef struct {
    float red, green, blue;
} colour;

CMK_DEFINE_TRANSPOSE(transpose, colour);
