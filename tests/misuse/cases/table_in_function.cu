/* expect: cmk: tables and definitions must stand at file scope, not in a function */
/* because: they define functions and variables, which C has at file scope only */
/* do: the line above the function; in C++ a namespace may be around it */
#include <cmk/table.h>

float middle(void);
float middle(void)
{
    CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1, 2, 1);
    return 2.0f;
}
