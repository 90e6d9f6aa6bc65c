/* The values of the definition, then those that either file uploads, are the same in both; each keeps its own table. */
#include <stdio.h>
#include "linked_units.h"

static int wrong(const struct linked_unit *unit, float first, int count)
{
    float values[8];
    int differ = !unit->read(values, count);
    for (int k = 0; k < count; ++k) {
        const float wanted = first + (float)k;
        differ += !(values[k] >= wanted && values[k] <= wanted);
    }
    return differ;
}

static int wrong_own(const struct linked_unit *unit, float wanted)
{
    float value = 0.0f;
    return !unit->read_own(&value) || !(value >= wanted && value <= wanted);
}

int main(void)
{
    int failures = wrong(&linked_0, 1.0f, 6) + wrong(&linked_1, 1.0f, 6);
    failures += !linked_1.upload(11.0f) + wrong(&linked_0, 11.0f, 8) + wrong(&linked_1, 11.0f, 8);
    failures += !linked_0.upload(21.0f) + wrong(&linked_0, 21.0f, 8) + wrong(&linked_1, 21.0f, 8);
    failures += !linked_0.upload_own(2.0f) + !linked_1.upload_own(3.0f);
    failures += wrong_own(&linked_0, 2.0f) + wrong_own(&linked_1, 3.0f);
    printf("%d wrong\n", failures);
    return failures > 0;
}
