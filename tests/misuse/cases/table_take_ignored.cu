/* expect c c++: ignoring return value */
/* expect cuda: result of call is not used */
/* expect: cmk_table_take_ */
#include <cmk/table.h>

CMK_TABLE_SLOTS(GLOBAL, float, weights, [2], 2);

int main(void)
{
    const float values[2] = {1.0f, 2.0f};
    weights_table slot;
    CMK_TABLE_TAKE(weights, slot, values, 0);
    return 0;
}
