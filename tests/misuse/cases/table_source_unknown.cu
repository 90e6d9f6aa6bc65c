/* expect: TEXTURE */
/* says: `CMK_TABLE_IS_TEXTURE_` is undefined */
/* because: the first word is no source */
/* do: LITERAL, CONSTANT, PARAMETER or GLOBAL */
#include <cmk/table.h>

CMK_TABLE(TEXTURE, float, weights, [5]);
