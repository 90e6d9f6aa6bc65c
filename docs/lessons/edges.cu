/* edges: what each edge puts around a picture, and around four samples.
 *   usage: edges [PICTURE]
 *   build: nvcc -arch=native -Iinclude -o edges docs/lessons/edges.cu
 *      or: gcc -Iinclude -x c docs/lessons/edges.cu -o edges -lm -lpthread */
#include <cmk/cmk.h>

enum { SIDE = 64, MARGIN = 40, PANEL = SIDE + 2 * MARGIN, MODES = 5 };
static const char *const names[MODES] = {"ZERO", "CLAMP", "WRAP", "MIRROR", "REFLECT"};
CMK_TABLE_VALUES(LITERAL, int, modes, [MODES], CMK_EDGE_ZERO, CMK_EDGE_CLAMP, CMK_EDGE_WRAP, CMK_EDGE_MIRROR,
                 CMK_EDGE_REFLECT);

/* a panel a mode, side by side; the picture is the middle of each */
#define PIXEL(row, column) CMK_LDG(&in[(row)*SIDE + (column)])
__global__ void surround(const unsigned char *in, unsigned char *out)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    if (x >= MODES * PANEL) return;
    const int edge = CMK_TABLE_AT(modes, x / PANEL), row = y - MARGIN, column = x % PANEL - MARGIN;
    CMK_STORE(&out[y * MODES * PANEL + x], CMK_EDGE_SAMPLE_2D(edge, PIXEL, row, column, SIDE, SIDE));
}

/* the same around 4 letters */
#define LETTER(i) CMK_LDG(&in[i])
__global__ void spell(const char *in, char *out)
{
    const int edge = CMK_TABLE_AT(modes, threadIdx.y), i = (int)threadIdx.x - 6;
    CMK_STORE(&out[threadIdx.y * 16 + threadIdx.x], CMK_EDGE_SAMPLE(edge, LETTER, i, 4));
}

int main(int argc, char **argv)
{
    unsigned char *in, *out;
    char *word, *spelt;
    CMK_CHECK(cudaMallocManaged((void **)&in, SIDE * SIDE, cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&out, MODES * PANEL * PANEL, cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&word, 4, cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&spelt, MODES * 16, cudaMemAttachGlobal));
    for (int i = 0; i < SIDE * SIDE; ++i) { /* a quarter of rings, brighter to the right */
        const int x = i % SIDE, y = i / SIDE, phase = (x * x + y * y) / 12 % 128;
        in[i] = (unsigned char)(60 + x + (phase < 64 ? 2 * phase : 255 - 2 * phase));
    }
    memcpy(word, "abcd", 4);
    CMK_CHECK(CMK_LAUNCH(surround, dim3((MODES * PANEL + 127) / 128, PANEL), 128, 0, 0, in, out));
    CMK_CHECK(CMK_LAUNCH(spell, 1, dim3(16, MODES), 0, 0, word, spelt));
    CMK_CHECK(cudaDeviceSynchronize());
    for (int m = 0; m < MODES; ++m) {
        printf("%-8s", names[m]);
        for (int k = 0; k < 16; ++k)
            printf("%s%c", k == 6 || k == 10 ? " | " : " ", spelt[16 * m + k] ? spelt[16 * m + k] : '0');
        printf("\n");
    }

    FILE *const file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (file) fprintf(file, "P5\n%d %d\n255\n", MODES * PANEL, PANEL);
    if (file) fwrite(out, 1, MODES * PANEL * PANEL, file);
    return file && fclose(file) != 0;
}
