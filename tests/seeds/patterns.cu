// Judges both kernels of text 004, in all four patterns, by the entry that each thread must add.
#include "check.h"
#define main main_of_the_text
#include "sums.cu"
#undef main

const unsigned ENTRIES = 64 * 1024 / 4, MAGIC = 1357, SUMS = 40000;

static unsigned entry_of(int pattern, unsigned block, unsigned thread)
{
    const unsigned entries[4] = {block, thread / 32, thread, thread * MAGIC};
    return entries[pattern] % ENTRIES;
}

static int judged(const char *memory, int pattern, unsigned threads, const int *on_device)
{
    static int found[SUMS];
    CHECK(cudaMemcpy(found, on_device, sizeof found, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < SUMS; i++) {
        const int wanted = (int)(i % 11) + (int)(7 * entry_of(pattern, i / threads, i % threads)) - 3;
        if (found[i] == wanted) continue;
        printf("%s memory, pattern %d, blocks of %u: sum %u is %d, not %d\n", memory, pattern, threads, i, found[i],
               wanted);
        return 0;
    }
    return 1;
}

int main()
{
    static int values[ENTRIES], inputs[SUMS];
    int *table, *in, *sums, right = 1;
    for (unsigned i = 0; i < ENTRIES; i++) values[i] = (int)(7 * i) - 3;
    for (unsigned i = 0; i < SUMS; i++) inputs[i] = (int)(i % 11);
    CHECK(cudaMalloc(&table, sizeof values));
    CHECK(cudaMalloc(&in, sizeof inputs));
    CHECK(cudaMalloc(&sums, sizeof inputs));
    CHECK(cudaMemcpy(table, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, inputs, sizeof inputs, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(const_values, values, sizeof values));
    for (int pattern = 0; pattern < 4; pattern++)
        for (const unsigned threads : {1u, 96u, 1024u}) {
            const AccessPattern access = static_cast<AccessPattern>(pattern);
            CHECK(cudaMemset(sums, 255, sizeof inputs));
            launch_add_constant_constant_memory(sums, in, SUMS, threads, access, 0);
            right &= judged("constant", pattern, threads, sums);
            CHECK(cudaMemset(sums, 255, sizeof inputs));
            launch_add_constant_global_memory(sums, in, table, SUMS, ENTRIES, threads, access, 0);
            right &= judged("global", pattern, threads, sums);
        }
    puts(right ? "right" : "wrong");
    return !right;
}
