/* expect c++: cmk: C++17 or later is needed: -std=c++17 or -std=gnu++17 */
/* because: the compiler was told -std=c++14 or -std=c++11 */
/* do: `-std=c++17` */
#undef __cplusplus
#define __cplusplus 201402L
#define __STRICT_ANSI__
#include <cmk/cmk.h>
