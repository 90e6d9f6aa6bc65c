/* expect: passed 6 arguments, but takes just 5 */
/* says: `macro "CMK_DEFINE_SEPARABLE_IN_ORDER" passed 6 arguments, but takes just 5` */
/* because: its arguments are those of `CMK_DEFINE_SEPARABLE_AS`, in groups */
/* do: `(float, float, float, 1)` for T, `(DOWN, ACROSS)`, `(EDGE, 0)` */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_IN_ORDER(blur, float, 1, ones, ones, CMK_EDGE_CLAMP);
