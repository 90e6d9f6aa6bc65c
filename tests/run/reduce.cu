/* A sum by warp shuffles; its kernel and its launch stand in a header of a folder of -I, its size in -D. */
#include <reduce.cuh>
#include "check.h"

int main(int count, char **words)
{
    double sum = 0.0;
    float *x = (float *)malloc(SIZE * sizeof *x);
    for (int i = 0; i < SIZE; i++) x[i] = (float)(i % 13) - 5.5f;
    for (int i = 0; i < SIZE; i++) sum += x[i];
    const int right = near_enough("sum", 0, sum_of(x, SIZE), sum);
    free(x);
    if (count != 3) printf("%d words\n", count);
    for (int i = 1; i < count; i++) printf("[%s]", words[i]);
    puts(right ? "right" : "wrong");
    return right ? 3 : 1; /* a status of its own */
}
