/* both units upload before either launches, so that a shared table would show */
#include <stdio.h>
#include "units.h"

int main(void)
{
    float threes[100];
    for (int i = 0; i < 100; ++i) threes[i] = 3.0f;
    unit_0.upload();
    unit_1.upload();
    const int wrong = unit_0.launch(threes) + unit_1.launch(threes);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
