/* expect c c++: ignoring return value */
/* expect cuda: result of call is not used */
/* expect: cmk_table_upload_ */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, weights, [2]);

int main(void)
{
    const float values[2] = {1.0f, 2.0f};
    CMK_TABLE_UPLOAD(weights, values, 0, 2);
    return 0;
}
