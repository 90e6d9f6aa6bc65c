/* Reads shared memory that nobody has written, but by the argument "right", and ends with a status: from main by a
 * number, by exit with "exit" before it. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void copies(int *out, int writes)
{
    __shared__ int tile[32];
    if (writes) tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[threadIdx.x];
}

struct Last {
    ~Last()
    {
        printf("by a destructor\n");
    }
} last;

int main(int, char **words)
{
    int *out;
    const char *word = words[1];
    cudaMalloc(&out, 32 * sizeof *out);
    copies<<<1, 32>>>(out, strcmp(word, "right") == 0);
    cudaFree(out);
    atexit([] { printf(", not ended\nby atexit\n"); });
    printf("right");
    if (strncmp(word, "exit", 4) == 0) exit(atoi(word + 4));
    return atoi(word);
}
