/* expect: cmk: CMK_DEFINE_TRANSPOSE: the size of T must be 1, 2, 4, 8 or 16 bytes */
/* because: rows move in 16 bytes of whole elements */
/* do: a padded struct; a larger one in parts of 16 bytes, a batch of them */
#include <cmk/kernel/transpose.h>

typedef struct {
    float red, green, blue;
} colour;

CMK_DEFINE_TRANSPOSE(transpose, colour);
