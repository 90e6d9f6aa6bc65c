/* child.h: a program that calls one stencil on the CPU backend, again and again, for Python: where the backend stops a
 * kernel, or a kernel dies, the program ends, that is an error of the call, and Python goes on.
 *
 *   program MEMORY REPLIES       file descriptors, of a file that both map, and of a pipe
 *
 * For each byte from stdin a call is made, which stands at the beginning of the memory, and a byte is written to
 * REPLIES: 0 where all is well. What is wrong is said on stderr.
 *
 * A source defines before it includes this file
 *   static cudaError_t cmk_python_call(void **arrays, const size_t *sizes, const double *numbers);
 * whose arrays lie in the memory; it may change their order, which the memory then tells. */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { cmk_python_arrays_ = 64, cmk_python_sizes_ = 4, cmk_python_numbers_ = 128 };

typedef struct {
    size_t count; /* of arrays */
    size_t sizes[cmk_python_sizes_];
    double numbers[cmk_python_numbers_];
    size_t arrays[cmk_python_arrays_]; /* bytes of the memory before each */
} cmk_python_request;

static cudaError_t cmk_python_do_(char *memory)
{
    cmk_python_request *const request = (void *)memory;
    void *arrays[cmk_python_arrays_];
    for (size_t k = 0; k < request->count; ++k) arrays[k] = memory + request->arrays[k];
    cudaError_t error = cmk_python_call(arrays, request->sizes, request->numbers);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    for (size_t k = 0; k < request->count; ++k) request->arrays[k] = (size_t)((char *)arrays[k] - memory);
    return error;
}

/* the file in memory, of which this program has mapped so many bytes: it grows; kernels may access it */
static char *cmk_python_map_(int file, char *memory, size_t *bytes)
{
    struct stat now;
    if (fstat(file, &now) != 0) return NULL;
    if ((size_t)now.st_size == *bytes) return memory;
    if (memory && (cudaHostUnregister(memory) != cudaSuccess || munmap(memory, *bytes) != 0)) return NULL;
    *bytes = (size_t)now.st_size;
    memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return NULL;
    return cudaHostRegister(memory, *bytes, cudaHostRegisterDefault) == cudaSuccess ? memory : NULL;
}

int main(int count, char **words)
{
    const struct rlimit none = {0, 0};
    const int file = count == 3 ? atoi(words[1]) : -1, replies = count == 3 ? atoi(words[2]) : -1;
    char *memory = NULL, byte;
    size_t bytes = 0;
    setrlimit(RLIMIT_CORE, &none);
    while (read(STDIN_FILENO, &byte, 1) == 1) {
        memory = cmk_python_map_(file, memory, &bytes);
        if (!memory) return 1;
        const cudaError_t error = cmk_python_do_(memory);
        if (error != cudaSuccess) fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        fflush(NULL);
        byte = error != cudaSuccess;
        if (write(replies, &byte, 1) != 1) return 1;
    }
    return 0;
}
