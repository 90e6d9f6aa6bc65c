#include <cmk/cmk.h>
int run(float *out);
int main(void) { float *d, h[4]; CMK_CHECK(cudaMalloc((void **)&d, sizeof h)); run(d); CMK_CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)); printf("%g\n", h[3]); return 0; }
