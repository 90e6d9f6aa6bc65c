/* bits: what docs/same-bits.md promises: updates and filters have the bits of its tables, by every compiler and on
 * every card, in single steps and in passes, whole and split over ranks.
 *
 *   usage: bits [PAGE.md [NAME ...]]     without a page: prints the hashes; with names: these alone
 *   build: nvcc -O3 -arch=native -fmad=false -std=c++17 -Iinclude -Itests -o bits tests/bits/bits.cu
 *      or: gcc -O2 -ffp-contract=off -Iinclude -Itests -x c tests/bits/bits.cu -o bits -lm -lpthread */
#include "bits/updates.h"
#include "bits/filters.h"

#define ONE(name)                                                                                                      \
    {                                                                                                                  \
        name##_test, #name                                                                                             \
    }

static const struct {
    void (*test)(void);
    const char *name;
} tests[] = {ONE(heat),
             ONE(asked),
             ONE(box),
             ONE(gray_scott),
             ONE(wave),
             ONE(cube),
             ONE(star),
             ONE(fdtd),
             ONE(basin),
             ONE(limiter),
             ONE(jacobi),
             ONE(edges),
             ONE(sums),
             ONE(results),
             ONE(conv_3x3),
             ONE(conv_9x9),
             ONE(conv_21x20),
             ONE(conv_double),
             ONE(conv_bytes),
             ONE(conv_short),
             ONE(separable_2),
             ONE(separable_16),
             ONE(separable_double),
             ONE(separable_bytes),
             ONE(volume_3),
             ONE(volume_5),
             ONE(volume_double)};

static int is_wanted(const char *name, char **names, int count)
{
    for (int k = 0; k < count; ++k)
        if (strcmp(names[k], name) == 0) return 1;
    return count <= 0;
}

int main(int argc, char **argv)
{
    tap_need_device();
    is_shown = argc < 2;
    if (!is_shown) read_page(argv[1]);
    if (!is_shown) tap_check(cmk_check_exact() == cudaSuccess, "compiled for these bits");
    for (int k = 0; k < (int)(sizeof tests / sizeof *tests); ++k)
        if (is_wanted(tests[k].name, argv + 2, argc - 2)) tests[k].test();
    return is_shown ? 0 : tap_done();
}
