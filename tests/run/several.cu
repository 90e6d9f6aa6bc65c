/* Three files: this one, a kernel of another one with its launch, and a part in C that knows nothing of CUDA. */
#include "parts/several.h"
#include "check.h"

int main()
{
    float x[10];
    for (int i = 0; i < 10; i++) x[i] = (float)i;
    square_all(x, 10); /* parts/square.cu */
    int right = 1;
    for (int i = 0; i < 10; i++) right &= near_enough("squares", i, x[i], (double)i * i);
    right &= near_enough("total", 0, total_of(x, 10), 285.0); /* parts/total.c */
    puts(right ? "right" : "wrong");
    return !right;
}
