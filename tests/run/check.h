/* check.h: what the programs of this folder share: each compares what kernels made with a plain loop in double. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                                     \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* whether two numbers are near; says which are not */
static inline int near_enough(const char *what, int at, double found, double wanted)
{
    if (fabs(found - wanted) <= 1e-5 * (fabs(wanted) + 1.0)) return 1;
    printf("%s: element %d is %.9g, not %.9g\n", what, at, found, wanted);
    return 0;
}

#endif
