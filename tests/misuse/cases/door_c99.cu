/* expect c: cmk: C11 or later is needed: -std=c11 or -std=gnu11 */
/* because: the compiler was told -std=c99, or is one whose default is older than C11 */
/* do: `-std=c11`, or nothing */
#undef __STDC_VERSION__
#define __STDC_VERSION__ 199901L
#include <cmk/cmk.h>
