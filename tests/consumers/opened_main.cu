/* a program that opens a library of kernels by dlopen, which then works on device memory of the program */
#include <cmk/cmk.h>
#include <dlfcn.h>

#define COUNT 100

int main(int argc, char **argv)
{
    float *data, result[COUNT] = {0};
    int (*add_one)(float *, int) = NULL;
    void *const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) return 2;
    *(void **)&add_one = dlsym(library, "library_add_one");
    CMK_CHECK(cudaMalloc((void **)&data, sizeof result));
    CMK_CHECK(cudaMemcpy(data, result, sizeof result, cudaMemcpyHostToDevice));
    if (!add_one || !add_one(data, COUNT)) return 3;
    (void)dlclose(library);
    CMK_CHECK(cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaFree(data));
    printf("%g\n", (double)result[COUNT - 1]);
    return 0;
}
