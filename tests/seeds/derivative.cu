// Judges both derivatives of text 000: sums in double, and the derivative of a straight line, which is 1 but for the
// rounding of the taps.
#include "check.h"
#define main main_of_the_text
#include "stencil.cu"
#undef main

const int BLOCKS = 40, COUNT = BLOCKS * BDIM, HALO = 4;
const float TAPS[HALO + 1] = {0.0f, 0.8f, -0.2f, 0.03809f, -0.00357f};

static double derivative(const float *in, int at)
{
    double sum = 0.0;
    for (int tap = 1; tap <= HALO; tap++) sum += (double)TAPS[tap] * ((double)in[at + tap] - in[at - tap]);
    return sum;
}

int main()
{
    static float in[COUNT + 2 * HALO], out[2][COUNT];
    float *on_device, *result, *taps;
    int right = 1;
    CHECK(cudaMalloc(&on_device, sizeof in));
    CHECK(cudaMalloc(&result, sizeof out[0]));
    CHECK(cudaMalloc(&taps, sizeof TAPS));
    CHECK(cudaMemcpy(taps, TAPS, sizeof TAPS, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(coef, TAPS, sizeof TAPS));
    for (int line = 0; line < 2; line++) {
        for (int i = 0; i < COUNT + 2 * HALO; i++) in[i] = line ? (float)i / 64.0f : (float)(i * 37 % 101) / 50.0f;
        CHECK(cudaMemcpy(on_device, in, sizeof in, cudaMemcpyHostToDevice));
        for (int way = 0; way < 2; way++) {
            CHECK(cudaMemset(result, 255, sizeof out[way]));
            if (way)
                stencil_1d_read_only<<<BLOCKS, BDIM>>>(on_device + HALO, result, taps);
            else
                stencil_1d<<<BLOCKS, BDIM>>>(on_device + HALO, result);
            CHECK(cudaMemcpy(out[way], result, sizeof out[way], cudaMemcpyDeviceToHost));
            for (int i = 0; i < COUNT; i++) {
                right &= near_enough("derivative", i, out[way][i], derivative(in, i + HALO));
                right &= !line || near_enough("of a line", i, out[way][i] * 64.0, 0.99998);
            }
        }
    }
    puts(right ? "right" : "wrong");
    return !right;
}
