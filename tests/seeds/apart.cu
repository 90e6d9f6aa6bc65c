// The kernel of text 002 in a file of its own, with the filter of convolution.cu.
#include "elsewhere.cuh"
#include "convolve.cuh"
