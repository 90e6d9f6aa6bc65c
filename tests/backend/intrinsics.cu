/* intrinsics.cu: min and max as CUDA has them, which a program of cmk gets from host/intrinsics.h where no CUDA
 * compiler compiles: of each type and of those that go together, against the order of the numbers as the common type
 * has them. */
#include <cmk/cmk.h>
#include <cmk/host/intrinsics.h>
#include <math.h>
#include "random.h"
#include "tap.h"

/* a number of any size and sign, by its bits, and often one that is near the ends of int and of unsigned */
static unsigned long long any_bits(void)
{
    static const unsigned long long ends[] = {0,          0x7fffffff,         0x80000000,
                                              0xffffffff, 0x7fffffffffffffff, 0xffffffff80000000};
    const unsigned long long near_end = ends[below(6)] + (unsigned long long)below(5) - 2;
    const unsigned long long high = (unsigned long long)below(1u << 30), low = (unsigned long long)below(1u << 30);
    return below(2) ? near_end : (high << 34 ^ low) >> below(60);
}

/* The kernel has the common type of A and B. A number of it is compared as the 80 bits of a long double, which hold all
 * of these types; one of the two is the result, and no other number is. */
#define PAIR(name, A, B, COMMON, ANY_A, ANY_B)                                                                         \
    __global__ void name##_kernel(const A *a, const B *b, COMMON *low, COMMON *high)                                   \
    {                                                                                                                  \
        const int i = (int)threadIdx.x;                                                                                \
        low[i] = min(a[i], b[i]);                                                                                      \
        high[i] = max(a[i], b[i]);                                                                                     \
    }                                                                                                                  \
    static int name##_wrong(A *a, B *b, COMMON *low, COMMON *high)                                                     \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
        for (int i = 0; i < 1000; ++i) a[i] = (A)ANY_A, b[i] = (B)ANY_B;                                               \
        CMK_CHECK(CMK_LAUNCH(name##_kernel, 1, 1000, 0, 0, a, b, low, high));                                          \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        for (int i = 0; i < 1000; ++i) {                                                                               \
            const long double one = (long double)(COMMON)a[i], other = (long double)(COMMON)b[i];                      \
            wrong += (long double)low[i] != (one < other ? one : other);                                               \
            wrong += (long double)high[i] != (one < other ? other : one);                                              \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }
#define REAL ((double)(long long)any_bits() / 3)
typedef long long i64;
typedef unsigned long long u64;
PAIR(ints, int, int, int, any_bits(), any_bits())
PAIR(unsigneds, unsigned, unsigned, unsigned, any_bits(), any_bits())
PAIR(int_and_unsigned, int, unsigned, unsigned, any_bits(), any_bits())
PAIR(long_longs, i64, i64, i64, any_bits(), any_bits())
PAIR(unsigned_long_longs, u64, u64, u64, any_bits(), any_bits())
PAIR(both_long_longs, u64, i64, u64, any_bits(), any_bits())
PAIR(longs, long, long, long, any_bits(), any_bits())
PAIR(floats, float, float, float, REAL, REAL)
PAIR(doubles, double, double, double, REAL, REAL)
PAIR(float_and_double, float, double, double, REAL, REAL)
PAIR(short_and_int, short, int, int, any_bits(), any_bits())
PAIR(chars, unsigned char, unsigned char, int, any_bits(), any_bits())

/* NaN is no number of either end; an argument is evaluated once; a call within a call */
__global__ void special_kernel(float *x, int *evaluated)
{
    const float nan = x[0];
    int i = 1;
    x[2] = min(nan, x[1]);
    x[3] = max(x[1], nan);
    x[4] = min(nan, nan);
    x[5] = min(max(x[i++], 0.0f), max(1.0f, min(2.0f, x[1])));
    *evaluated = i;
}

static void test_special(float *x, int *evaluated)
{
    x[0] = NAN, x[1] = -3.5f;
    CMK_CHECK(CMK_LAUNCH(special_kernel, 1, 1, 0, 0, x, evaluated));
    CMK_CHECK(cudaDeviceSynchronize());
    tap_check(x[2] == -3.5f && x[3] == -3.5f && x[4] != x[4], "of a number and NaN the number, of two NaN NaN");
    tap_check(x[5] == 0.0f && *evaluated == 2, "a call within a call, each argument evaluated once");
}

int main(void)
{
    void *memory[4];
    tap_need_device();
    for (int n = 0; n < 4; ++n) CMK_CHECK(cudaMallocManaged(&memory[n], 8 * 1000, cudaMemAttachGlobal));
#define TRY(name, A, B, COMMON)                                                                                        \
    tap_check(name##_wrong((A *)memory[0], (B *)memory[1], (COMMON *)memory[2], (COMMON *)memory[3]) == 0,             \
              "min, max of " #A " and " #B)
    TRY(ints, int, int, int);
    TRY(unsigneds, unsigned, unsigned, unsigned);
    TRY(int_and_unsigned, int, unsigned, unsigned);
    TRY(long_longs, i64, i64, i64);
    TRY(unsigned_long_longs, u64, u64, u64);
    TRY(both_long_longs, u64, i64, u64);
    TRY(longs, long, long, long);
    TRY(floats, float, float, float);
    TRY(doubles, double, double, double);
    TRY(float_and_double, float, double, double);
    TRY(short_and_int, short, int, int);
    TRY(chars, unsigned char, unsigned char, int);
    test_special((float *)memory[0], (int *)memory[1]);
    for (int n = 0; n < 4; ++n) CMK_CHECK(cudaFree(memory[n]));
    return tap_done();
}
