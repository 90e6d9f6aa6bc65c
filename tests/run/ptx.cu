/* Inline PTX of one instruction, judged by the definitions of PTX; and operations on the numbers of a word. */
#include <cuda_runtime.h>
#include "check.h"

enum { THREADS = 70, WORDS = 20 };

__device__ __forceinline__ unsigned byte_of(unsigned word, unsigned which)
{
    unsigned byte;
    asm("bfe.u32 %0, %1, %2, 8;" : "=r"(byte) : "r"(word), "r"(which << 3));
    return byte;
}

__global__ void registers(unsigned *all)
{
    unsigned *out = all + threadIdx.x * WORDS;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(out[0]));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(out[1]));
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(out[2]));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(out[3]));
    asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(out[4]));
    asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(out[5]));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(out[6]));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(out[7]));
    asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(out[8]));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(out[9]));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(out[10]));
}

__global__ void instructions(const unsigned *in, unsigned *all)
{
    const unsigned x = in[0], y = in[1], z = in[2];
    unsigned *out = all;
    unsigned long long wide;
    int number;
    float real;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out[0]) : "r"(x), "r"(y), "r"(0x9630u));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(out[1]) : "r"(x), "r"(y), "r"(z));
    asm("bfe.s32 %0, %1, 5, 30;" : "=r"(number) : "r"(x));
    out[2] = (unsigned)number;
    asm("bfi.b32 %0, %1, %2, %3, 7;" : "=r"(out[3]) : "r"(x), "r"(y), "r"(29));
    asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(out[4]) : "r"(x), "r"(y), "r"(z));
    out[5] = byte_of(x, 2);
    asm volatile("ld.global.cg.u32 %0, [%1+4];" : "=r"(out[6]) : "l"(in) : "memory");
    asm volatile("st.global.u32 [%0], %1;" ::"l"(out + 7), "r"(z) : "memory");
    asm volatile("membar.gl;" ::: "memory");
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(x), "r"(y));
    out[8] = (unsigned)(wide >> 32);
    asm("mov.b32 %0, %1;" : "=f"(real) : "r"(0x40490fdb));
    out[9] = (unsigned)(1000 * real);
    out[10] = z;
    asm("mad.lo.u32 %0, %1, %0, 3;" : "+r"(out[10]) : "r"(x));
    asm("shr.s32 %0, %1, 40;" : "=r"(out[11]) : "r"(-5));
    asm("shl.b32 %0, %1, 32;" : "=r"(out[12]) : "r"(x));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wide));
    out[13] = wide > 0;
    asm("max.s32 %0, %1, %2;" : "=r"(out[14]) : "r"(-3), "r"(2));
}

static int is(const char *what, unsigned found, unsigned wanted)
{
    if (found == wanted) return 1;
    printf("%s: %08x, not %08x\n", what, found, wanted);
    return 0;
}

static int of_registers(unsigned *out)
{
    int right = 1;
    registers<<<1, THREADS>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (unsigned t = 0; t < THREADS; t++, out += WORDS) {
        const unsigned lane = t % 32;
        right &= is("laneid", out[0], lane) & is("warpid", out[1], t / 32) & is("lanemask_eq", out[2], 1u << lane);
        for (unsigned other = 0; other < 32; other++)
            right &= is("lanemask_lt", out[3] >> other & 1, other < lane) &
                     is("lanemask_le", out[4] >> other & 1, other <= lane) &
                     is("lanemask_gt", out[5] >> other & 1, other > lane) &
                     is("lanemask_ge", out[6] >> other & 1, other >= lane);
        right &= is("tid", out[7], t) & is("ntid", out[8], THREADS) & is("smid", out[9] < out[10], 1);
    }
    return right;
}

static int of_instructions(unsigned *in, unsigned *out, unsigned x, unsigned y, unsigned z)
{
    unsigned sum = z;
    for (int at = 0; at < 32; at += 8) sum += (unsigned)abs((int)(x >> at & 255) - (int)(y >> at & 255));
    in[0] = x, in[1] = y, in[2] = z;
    instructions<<<1, 1>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    const unsigned permuted = (x & 255) | (x >> 24) << 8 | (y >> 16 & 255) << 16 | (x >> 15 & 1) * 255u << 24;
    return is("prmt", out[0], permuted) & is("vabsdiff4", out[1], sum) &
           is("bfe.s32", out[2], (unsigned)((int)x >> 5)) & is("bfi", out[3], (y & 0x1fffffff) | x << 29) &
           is("lop3", out[4], (x & y) | (~x & z)) & is("bfe.u32", out[5], x >> 16 & 255) & is("ld", out[6], y) &
           is("st", out[7], z) & is("mul.wide", out[8], (unsigned)((unsigned long long)x * y >> 32)) &
           is("mov", out[9], 3141) & is("mad", out[10], x * z + 3) & is("shr", out[11], 0xffffffff) &
           is("shl", out[12], 0) & is("globaltimer", out[13], 1) & is("max", out[14], 2);
}

int main()
{
    unsigned *out, *in, state = 1;
    CHECK(cudaMallocManaged(&out, THREADS * WORDS * sizeof *out));
    CHECK(cudaMallocManaged(&in, 64));
    int right = of_registers(out);
    for (int n = 0; n < 200; n++) {
        unsigned words[3];
        for (unsigned &word : words) word = (state = state * 1664525u + 1013904223u) ^ state >> 15;
        right &= of_instructions(in, out, words[0], words[1], words[2]);
    }
    puts(right ? "right" : "wrong");
    return !right;
}
