#include "several.h"

double total_of(const float *x, int count)
{
    double new = 0.0; /* no name in C++ */
    for (int i = 0; i < count; i++) new += x[i];
    return new;
}
