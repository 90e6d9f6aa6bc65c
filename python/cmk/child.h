/* child.h: calls one definition of cmk on the CPU backend, in a child process: where the backend stops a kernel, or a
 * kernel dies, that is an error of the call, with the sentence that was said, and Python goes on.
 *
 *   int cmk_python_run(cmk_python_array *arrays, int count, const size_t *sizes, const double *numbers,
 *                      char *sentence, size_t capacity);
 *       0 where all is well; sentence is what was said on stderr, if anything
 *
 * A source defines before it includes this file
 *   static cudaError_t cmk_python_call(void **arrays, const size_t *sizes, const double *numbers);
 * whose arrays are device memory; it may change their order. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    void *data;
    size_t bytes;
    int read, written; /* read: from data before the call; written: to data after it */
    void *shared;      /* for this file: where the child leaves it */
} cmk_python_array;

enum { cmk_python_most_ = 64 }; /* arrays */

static cudaError_t cmk_python_copy_in_(const cmk_python_array *array, void **device)
{
    cudaError_t error = cudaMalloc(device, array->bytes);
    if (error == cudaSuccess && array->read)
        error = cudaMemcpy(*device, array->data, array->bytes, cudaMemcpyHostToDevice);
    return error;
}

/* in the child */
static cudaError_t cmk_python_do_(const cmk_python_array *arrays, int count, const size_t *sizes, const double *numbers)
{
    void *device[cmk_python_most_] = {NULL};
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < count && error == cudaSuccess; ++k) error = cmk_python_copy_in_(&arrays[k], &device[k]);
    if (error == cudaSuccess) error = cmk_python_call(device, sizes, numbers);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    for (int k = 0; k < count && error == cudaSuccess; ++k)
        if (arrays[k].written) error = cudaMemcpy(arrays[k].shared, device[k], arrays[k].bytes, cudaMemcpyDeviceToHost);
    return error;
}

static void cmk_python_child_(const cmk_python_array *arrays, int count, const size_t *sizes, const double *numbers)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const cudaError_t error = cmk_python_do_(arrays, count, sizes, numbers);
    if (error != cudaSuccess) fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    fflush(stdout);
    fflush(stderr);
    _exit(error != cudaSuccess);
}

/* what comes from the other end until it is closed; what exceeds the capacity is dropped */
static void cmk_python_listen_(int from, char *sentence, size_t capacity)
{
    char piece[512];
    size_t length = 0;
    for (;;) {
        const ssize_t got = read(from, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t k = 0; k < got && length + 1 < capacity; ++k) sentence[length++] = piece[k];
    }
    sentence[length] = '\0';
}

/* the child's status, with a sentence where it died without one */
static int cmk_python_wait_(pid_t child, char *sentence, size_t capacity)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    if (WIFSIGNALED(status) && !sentence[0])
        snprintf(sentence, capacity, "the kernel was ended by signal %d", WTERMSIG(status));
    return status;
}

static int cmk_python_fork_(const cmk_python_array *arrays, int count, const size_t *sizes, const double *numbers,
                            char *sentence, size_t capacity)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        cmk_python_child_(arrays, count, sizes, numbers);
    }
    close(ends[1]);
    if (child > 0) cmk_python_listen_(ends[0], sentence, capacity);
    close(ends[0]);
    return child > 0 ? cmk_python_wait_(child, sentence, capacity) : -1;
}

static void *cmk_python_map_(size_t bytes)
{
    void *const shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? NULL : shared;
}

__attribute__((visibility("default"))) int cmk_python_run(cmk_python_array *arrays, int count, const size_t *sizes,
                                                          const double *numbers, char *sentence, size_t capacity)
{
    int status = count > cmk_python_most_ ? -1 : 0;
    sentence[0] = '\0';
    for (int k = 0; k < count && status == 0; ++k) {
        arrays[k].shared = arrays[k].written ? cmk_python_map_(arrays[k].bytes) : NULL;
        if (arrays[k].written && !arrays[k].shared) status = -1;
    }
    if (status == 0) status = cmk_python_fork_(arrays, count, sizes, numbers, sentence, capacity);
    if (status == -1 && !sentence[0]) snprintf(sentence, capacity, "no memory or no process for the call");
    for (int k = 0; k < count; ++k) {
        if (!arrays[k].shared) continue;
        if (status == 0) memcpy(arrays[k].data, arrays[k].shared, arrays[k].bytes);
        munmap(arrays[k].shared, arrays[k].bytes);
    }
    return status;
}
