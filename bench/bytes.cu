/* bytes: times small filters of pictures of bytes, each verified at every point before it is timed.
 *
 *   usage: bytes [CSV]      prints the table; CSV is a file to append it to as well */
#include "convolution.h"

/* name_row(text, a): the row of a kernel of N x N taps, of so many CHANNELS, from bytes to OUT */
#define FILTER(name, OUT, CHANNELS, N, EDGE)                                                                           \
    CMK_TABLE(CONSTANT, float, name##_taps, [N][N]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (unsigned char, float, OUT, CHANNELS), (N, N), (N / 2, N / 2),             \
                         name##_taps, (EDGE, 0));                                                                      \
    static void name##_row(const char *text, array a)                                                                  \
    {                                                                                                                  \
        float weights[N * N];                                                                                          \
        weigh_bytes<OUT>(weights, N * N);                                                                              \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, weights, 0, N *N));                                                    \
        filter f = box(1, N, N, weights);                                                                              \
        f.channels = CHANNELS;                                                                                         \
        measure_ways<unsigned char, OUT>(                                                                              \
            text, a, f, 2 * N * N, (EDGE) == CMK_EDGE_CLAMP ? CLAMPED : ZEROS,                                         \
            [=] {                                                                                                      \
                return name((const unsigned char *)in, a.pitch, (OUT *)out, a.pitch, a.rows, a.columns / CHANNELS,     \
                            name##_taps, 0);                                                                           \
            },                                                                                                         \
            WAYS(name, unsigned char, OUT, a, CHANNELS, name##_taps));                                                 \
    }

/* the same of a separable filter */
#define SEPARABLE(name, CHANNELS, R, EDGE)                                                                             \
    CMK_TABLE(CONSTANT, float, name##_down, [2 * R + 1]);                                                              \
    CMK_TABLE(CONSTANT, float, name##_across, [2 * R + 1]);                                                            \
    CMK_DEFINE_SEPARABLE_AS(name, (unsigned char, float, unsigned char, CHANNELS), R, (name##_down, name##_across),    \
                            (EDGE, 0));                                                                                \
    static void name##_row(const char *text, array a)                                                                  \
    {                                                                                                                  \
        const int taps = 2 * R + 1;                                                                                    \
        float weights[2 * taps];                                                                                       \
        weigh(weights, taps, true);                                                                                    \
        weigh(weights + taps, taps, true);                                                                             \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_down, weights, 0, taps));                                                    \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_across, weights + taps, 0, taps));                                           \
        filter f = product(2, R, weights);                                                                             \
        f.channels = CHANNELS;                                                                                         \
        measure_ways<unsigned char, unsigned char>(                                                                    \
            text, a, f, 4 * taps, (EDGE) == CMK_EDGE_CLAMP ? CLAMPED : ZEROS,                                          \
            [=] {                                                                                                      \
                return name((const unsigned char *)in, a.pitch, (unsigned char *)out, a.pitch, a.rows,                 \
                            a.columns / CHANNELS, name##_down, name##_across, 0);                                      \
            },                                                                                                         \
            WAYS(name, unsigned char, unsigned char, a, CHANNELS, name##_down, name##_across));                        \
    }

/* positive taps of the sum 1 for bytes; sobel's for what is wider */
template <class OUT> static void weigh_bytes(float *weights, int count)
{
    const float sobel[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
    weigh(weights, count, true);
    for (int k = 0; sizeof(OUT) > 1 && k < count; ++k) weights[k] = sobel[k % 9];
}

FILTER(grey_3, unsigned char, 1, 3, CMK_EDGE_ZERO)
FILTER(grey_3_clamped, unsigned char, 1, 3, CMK_EDGE_CLAMP)
FILTER(sobel, short, 1, 3, CMK_EDGE_ZERO)
FILTER(grey_5, unsigned char, 1, 5, CMK_EDGE_ZERO)
FILTER(grey_7, unsigned char, 1, 7, CMK_EDGE_ZERO)
FILTER(grey_9, unsigned char, 1, 9, CMK_EDGE_ZERO)
FILTER(rgb_3, unsigned char, 3, 3, CMK_EDGE_ZERO)
FILTER(rgb_5, unsigned char, 3, 5, CMK_EDGE_ZERO)
SEPARABLE(grey_separable_2, 1, 2, CMK_EDGE_ZERO)
SEPARABLE(grey_separable_4, 1, 4, CMK_EDGE_ZERO)
SEPARABLE(grey_separable_8, 1, 8, CMK_EDGE_ZERO)
SEPARABLE(grey_separable_16, 1, 16, CMK_EDGE_ZERO)
SEPARABLE(rgb_separable_2, 3, 2, CMK_EDGE_ZERO)
SEPARABLE(rgb_separable_8, 3, 8, CMK_EDGE_ZERO)

static const kind grey[] = {
    {"3x3", grey_3_row},
    {"3x3 clamped", grey_3_clamped_row},
    {"sobel to 16 bits", sobel_row},
    {"5x5", grey_5_row},
    {"7x7", grey_7_row},
    {"9x9", grey_9_row},
    {"separable r=2", grey_separable_2_row},
    {"separable r=4", grey_separable_4_row},
    {"separable r=8", grey_separable_8_row},
    {"separable r=16", grey_separable_16_row},
};
static const kind rgb[] = {
    {"RGB 3x3", rgb_3_row},
    {"RGB 5x5", rgb_5_row},
    {"RGB separable r=2", rgb_separable_2_row},
    {"RGB separable r=8", rgb_separable_8_row},
};

int main(int argc, char **argv)
{
    const array odd = pitched(16381, 16411);
    begin_convolutions(argc, argv, odd, "filters of bytes, zeros outside, unless it says otherwise");
    kind_rows<unsigned char>("bytes", grey, "16384^2", dense(1, 16384, 16384));
    kind_rows<unsigned char>("bytes", rgb, "16384 x 5461", {1, 16384, 16383, 16384, (size_t)16384 * 16384});
    kind_rows<unsigned char>("bytes", grey, "8192^2", dense(1, 8192, 8192));
    kind_rows<unsigned char>("bytes", rgb, "8192 x 2730", {1, 8192, 8190, 8192, (size_t)8192 * 8192});
    kind_rows<unsigned char>("bytes", grey, "4096^2", dense(1, 4096, 4096));
    kind_rows<unsigned char>("bytes", rgb, "4000 x 3000", dense(1, 3000, 12000));
    kind_rows<unsigned char>("bytes", grey, "16381 x 16411 pitched", odd);
    kind_rows<unsigned char>("bytes", grey, "16381 x 16411, no pitch", dense(1, 16381, 16411));
    kind_rows<unsigned char>("bytes", grey, "4001 x 4099, no pitch", dense(1, 4001, 4099));
    kind_rows<unsigned char>("bytes", grey, "1080p", dense(1, 1080, 1920));
    kind_rows<unsigned char>("bytes", rgb, "1080p", dense(1, 1080, 5760));
    return end();
}
