/* bits: what docs/same-bits.md promises: updates and filters have the bits of its tables, by every compiler and on
 * every card, in single steps and in passes, whole and split over ranks.
 *
 *   usage: bits [PAGE.md [NAME ...]]     without a page: prints the hashes; with names: these alone
 *   build: nvcc -O3 -arch=native -fmad=false -std=c++17 -Iinclude -Itests -o bits tests/bits/bits.cu
 *      or: gcc -O2 -ffp-contract=off -Iinclude -Itests -x c tests/bits/bits.cu -o bits -lm -lpthread */
#include "bits/updates.h"
#include "bits/filters.h"

#define ALL(DO)                                                                                                        \
    DO(heat)                                                                                                           \
    DO(asked) DO(box) DO(gray_scott) DO(wave) DO(cube) DO(star) DO(fdtd) DO(basin) DO(limiter) DO(jacobi) DO(edges)    \
        DO(sums) DO(results) DO(conv_3x3) DO(conv_9x9) DO(conv_21x20) DO(conv_double) DO(conv_bytes) DO(conv_short)    \
            DO(separable_2) DO(separable_16) DO(separable_double) DO(separable_bytes) DO(volume_3) DO(volume_5)        \
                DO(volume_double)
#define ONE(name) {#name, name##_test},

static const struct {
    const char *name;
    void (*test)(void);
} tests[] = {ALL(ONE)};

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
