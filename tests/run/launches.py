"""The rewriter of ./cmk run: what it makes of each construct, what it leaves alone, what it names; and mutants of it.

usage: launches.py [GROUP...] [--rewriter DIR]    DIR holds lexer.py, launches.py and ptx.py: run/
"""

import argparse
import importlib
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, folder, report, run  # noqa: E402

SHORT = {'@L': 'CMK_HOST_PLAIN_LAUNCH_', '@C': 'CMK_HOST_PLAIN_CALL_', '@S': 'CMK_HOST_PLAIN_SHARED_',
         '@A': 'cmk_host_plain_address_',
         '@P': '({ extern void cmk_host_ptx_(void) __attribute__((error("cmk says: inline PTX is not there on a CPU: '
               'it is the assembly of GPUs"))); cmk_host_ptx_(); })'}
TEMPLATE = 'template <typename T, int N> __global__ void k(T *x);\n'

# name, text, the text that it becomes as C++; @L, @C, @S and @A stand for the macros of host/plain.h
REWRITTEN = [
    ('grid and block', 'k<<<g, b>>>(x, y);', '@L((k), ((g), (b)), (x, y));'),
    ('bytes', 'k<<<g, b, 4 * n>>>(x);', '@L((k), ((g), (b), (4 * n)), (x));'),
    ('bytes and stream', 'k<<<g, b, 0, s[1]>>>(x);', '@L((k), ((g), (b), (0), (s[1])), (x));'),
    ('no arguments', 'k<<<1, 2>>>();', '@L((k), ((1), (2)), ());'),
    ('dim3', 'k<<<dim3(4, 2), dim3(32, 8, 1)>>>(x);', '@L((k), ((dim3(4, 2)), (dim3(32, 8, 1))), (x));'),
    ('braces', 'k<<<{4, 2}, {32, 8}>>>(x);', '@L((k), (dim3{4, 2}, dim3{32, 8}), (x));'),
    ('spaces', 'k <<< g , b >>> ( x );', '@L((k), ( (g) , (b) ), ( x ));'),
    ('spaces within the brackets', 'k << <g, b >> > (x);', '@L((k), ((g), (b) ), (x));'),
    ('spaces within the brackets, beside templates', 'k< <<f<A<int> >(n), b> >>(x);',
     '@L((k), ((f<A<int> >(n)), (b)), (x));'),
    ('lines', 'k<<<g,\n  b\n  >>>(x,\n  y);\nz', '@L((k), ((g),\n  (b)\n  ), (x,\n  y));\nz'),
    ('a line that ends before the brackets', 'k\n<<<g, b>>>\n(x);\nz', '@L((k), (\n(g), (b)), (\nx));\nz'),
    ('comments within', 'k<<<g /* > */, b // >>>(\n>>>(x);', '@L((k), ((g) /* > */, (b) // >>>(\n), (x));'),
    ('a macro as the configuration', 'k<<<CONFIG>>>(x);', '@L((k), (CONFIG), (x));'),
    ('calls within', 'k<<<f(n, 2), g(b)>>>(h(x, 1), (y));', '@L((k), ((f(n, 2)), (g(b))), (h(x, 1), (y)));'),
    ('shifts within', 'k<<<n >> 3, 1 << 4>>>(x >> 1);', '@L((k), ((n >> 3), (1 << 4)), (x >> 1));'),
    ('a shift without spaces', 'k<<<n>>3, m<<2>>>(x);', '@L((k), ((n>>3), (m<<2)), (x));'),
    ('a comparison within', 'k<<<n < 9 ? 1 : n, 64>>>(x);', '@L((k), ((n < 9 ? 1 : n), (64)), (x));'),
    ('templates within', 'k<<<f<A<B<int>>>(n), 64>>>(x);', '@L((k), ((f<A<B<int>>>(n)), (64)), (x));'),
    ('a template ends with the brackets', 'k<<<1, N<2>>>>(x);', '@L((k), ((1), (N<2>)), (x));'),
    ('commas of templates within', 'k<<<f<1, 2>(n), 64>>>(x);', '@L((k), ((f<1, 2>(n)), (64)), (x));'),
    ('comparisons that look like a template', 'k<<<a < b, 64>>>(x);', '@L((k), ((a < b), (64)), (x));'),
    ('a lambda among the arguments', 'k<<<1, 2>>>([=](int i) { return i, 1; });',
     '@L((k), ((1), (2)), ([=](int i) { return i, 1; }));'),
    ('a pack', 'k<<<g, b>>>(args...);', '@L((k), ((g), (b)), (args...));'),
    ('a launch among the arguments', 'k<<<f([] { j<<<1, 1>>>(); }), 1>>>(x);',
     '@L((k), ((f([] { @L((j), ((1), (1)), ()); })), (1)), (x));'),
    ('a namespace', 'return a::b::k<<<1, 2>>>(x);', 'return @L((a::b::k), ((1), (2)), (x));'),
    ('the global namespace', 'else ::k<<<1, 2>>>(x);', 'else @L((::k), ((1), (2)), (x));'),
    ('a pointer in parentheses', 'if (x) (*p)<<<1, 2>>>(x);', 'if (x) @L(((*p)), ((1), (2)), (x));'),
    ('a pointer in parentheses behind a word', 'return (p)<<<1, 2>>>(x);', 'return @L(((p)), ((1), (2)), (x));'),
    ('a pointer of a table', 'p[i][2]<<<1, 2>>>(x);', '@L((p[i][2]), ((1), (2)), (x));'),
    ('a member', 'this->a.p<<<1, 2>>>(x);', '@L((this->a.p), ((1), (2)), (x));'),
    ('what a call returns', 'pick(n)<<<1, 2>>>(x);', '@L((pick(n)), ((1), (2)), (x));'),
    ('template arguments', 'k<float, 3><<<1, 2>>>(x, y);',
     '@C((k<float, 3>), ((1), (2)), ([=, cmk_0_ = (x), cmk_1_ = ( y)] { k<float, 3>(cmk_0_, cmk_1_); }));'),
    ('template arguments of templates', 'a::k<b<c<int>>, (n > 1)><<<1, 2>>>();',
     '@C((a::k<b<c<int>>, (n > 1)>), ((1), (2)), ([=, cmk_0_ = cmk_host_plain_pack_()] { cmk_0_.give('
     '[&](auto... cmk_1_) { a::k<b<c<int>>, (n > 1)>(cmk_1_...); }); }));'),
    ('a literal may be a pointer', 'k<3><<<1, 2>>>(0, NULL, n);',
     '@C((k<3>), ((1), (2)), ([=, cmk_0_ = (0), cmk_1_ = ( NULL), cmk_2_ = ( n)] { k<3>(0, NULL, cmk_2_); }));'),
    ('a template by its name', TEMPLATE + 'k<<<1, 2>>>(x);',
     TEMPLATE + '@C((k), ((1), (2)), ([=, cmk_0_ = (x)] { k(cmk_0_); }));'),
    ('a template whose qualifiers come first', 'template <class T>\nstatic __global__ void k(T x);k<<<1, 2>>>(x);',
     'template <class T>\nstatic __global__ void k(T x);@C((k), ((1), (2)), ([=, cmk_0_ = (x)] { k(cmk_0_); }));'),
    ('a template beside it',
     'template <class T> T f(T x);\n__global__ void __launch_bounds__(64) k(int x);k<<<1, 2>>>(x);',
     'template <class T> T f(T x);\n__global__ void __launch_bounds__(64) k(int x);@L((k), ((1), (2)), (x));'),
    ('declared and defined',
     '__global__ void k(const float *, int);__global__ void k(const float *x, int n) {}k<<<1, 2>>>(x);',
     '__global__ void k(const float *, int);__global__ void k(const float *x, int n) {}@L((k), ((1), (2)), (x));'),
    ('overloaded', '__global__ void k(int *x);__global__ void k(float *x);k<<<1, 2>>>(x);',
     '__global__ void k(int *x);__global__ void k(float *x);@C((k), ((1), (2)), ([=, cmk_0_ = (x)] { k(cmk_0_); }));'),
    ('an argument by default', '__global__ void k(int x, int y = 3);k<<<1, 2>>>(x);',
     '__global__ void k(int x, int y = 3);@C((k), ((1), (2)), ([=, cmk_0_ = (x)] { k(cmk_0_); }));'),
    ('a pack of a template', 'k<3><<<1, 2>>>(x, y...);',
     '@C((k<3>), ((1), (2)), ([=, cmk_0_ = cmk_host_plain_pack_(x, y...)] { cmk_0_.give([&](auto... cmk_1_)'
     ' { k<3>(cmk_1_...); }); }));'),
    ('in a macro', '#define GO(k, n) k<<<(n) / 32, 32>>>(n)\n', '#define GO(k, n) @L((k), (((n) / 32), (32)), (n))\n'),
    ('the address of a kernel', '__global__ void k(int);p = (void *)k; f((const void *) &k, 1);',
     '__global__ void k(int);p = @A("k", k); f(@A("k",  &k), 1);'),
    ('the address of a template', TEMPLATE + 'p = (void*)a::k<int, f(1)>;',
     TEMPLATE + 'p = @A("a::k<int,f(1)>", a::k<int, f(1)>);'),
    ('addresses of no kernel', '__global__ void k(int);p = (void *)x; (void *)k(3); (void *)k[1]; (void)k; (void **)k;',
     '__global__ void k(int);p = (void *)x; (void *)k(3); (void *)k[1]; (void)k; (void **)k;'),
    ('in a macro, a name that is pasted', '#define GO(n) k##n<<<1, n>>>(x)',
     '#define GO(n) @L((k##n), ((1), (n)), (x))'),
    ('in a macro without parameters', '#define GO (k)<<<1, 2>>>(x)', '#define GO @L(((k)), ((1), (2)), (x))'),
    ('in a macro of several lines', '#define GO(k) \\\n k<<<1, \\\n 2 \\\n >>>(x); \\\n f()\nz',
     '#define GO(k) \\\n @L((k), ((1), \\\n (2) \\\n ), (x)); \\\n f()\nz'),
    ('a macro of another system goes on', '#define GO \\\r\n k<<<1, 2>>>(x)\r\nz',
     '#define GO \\\r\n @L((k), ((1), (2)), (x))\r\nz'),
    ('in a macro, whose line ends before the brackets', '#define GO(k) k \\\n<<<1, 2>>>(x)\nz',
     '#define GO(k) @L((k), ( \\\n(1), (2)), (x))\nz'),
    ('in a macro beside templates', TEMPLATE + '#define GO(f, ...) f<<<1, 2>>>(__VA_ARGS__)',
     TEMPLATE + '#define GO(f, ...) @C((f), ((1), (2)), ([=, cmk_0_ = cmk_host_plain_pack_(__VA_ARGS__)]'
     ' { cmk_0_.give([&](auto... cmk_1_) { f(cmk_1_...); }); }))'),
    ('among the arguments of a macro', 'CHECK((k<<<1, 2>>>(x)));', 'CHECK((@L((k), ((1), (2)), (x))));'),
    ('a directive among the arguments', 'k<<<1, 2>>>(x,\n#ifdef A\n  y\n#else\n  z\n#endif\n);',
     '@L((k), ((1), (2)), (x,\n#ifdef A\n  y\n#else\n  z\n#endif\n));'),
    ('behind #else of #if 0', '#if 0\n"\n#else\nk<<<1, 2>>>("");\n#endif',
     '#if 0\n"\n#else\n@L((k), ((1), (2)), (""));\n#endif'),
    ('ends of lines of another system', 'k<<<1,\r\n2>>>(x);\r\n', '@L((k), ((1),\r\n(2)), (x));\r\n'),
    ('behind digits in groups', "n = 1'000; k<<<1, 2>>>('\\'');", "n = 1'000; @L((k), ((1), (2)), ('\\''));"),
    ('dynamic shared memory', 'void f() { extern __shared__ float s[]; }',
     'void f() { float (*const s) = (float (*))cmk_host_plain_dynamic_(); }'),
    ('dynamic shared memory, its words in another order',
     'void f() {\n__shared__ extern __align__(16)\nvolatile T s[][32];\n}',
     'void f() {\nvolatile T (*const s)[32] = (volatile T (*)[32])cmk_host_plain_dynamic_()\n;\n}'),
    ('dynamic shared memory at file scope',
     'namespace a { extern __shared__ int s[]; }\n__global__ void k(int *x) { *x = s[0]; }',
     'namespace a { ; }\n'
     '__global__ void k(int *x) { int (*const s) = (int (*))cmk_host_plain_dynamic_(); *x = s[0]; }'),
    ('... and functions that have the name', 'extern __shared__ int s[];\n__device__ int f(int *s) { return *s; }'
     '__device__ int g() { int s = 1; return s; }', ';\n__device__ int f(int *s) { return *s; }'
     '__device__ int g() { int s = 1; return s; }'),
    ('shared memory', 'void f() { __shared__ float s[8][9]; }', 'void f() { auto &s = @S(s, float [8][9]); }'),
    ('shared memory, several names', 'void f() { static __shared__ volatile int a[N + 1], b; }',
     'void f() { auto &a = @S(a, volatile int [N + 1]); auto &b = @S(b, volatile int ); }'),
    ('shared memory of a template', 'void f() { __shared__ a::S<T, 3> s; __shared__ typename R::X *p[4]; }',
     'void f() { auto &s = @S(s, a::S<T, 3> ); auto &p = @S(p, typename R::X * [4]); }'),
    ('shared memory, aligned', 'void f() { __shared__ __align__(16) float s[4]; alignas(8) __shared__ int t; }',
     'void f() { auto &s = @S(s, float [4]); auto &t = @S(t, int ); }'),
    ('not inlined', '__noinline__ int f(); __attribute__((__noinline__)) int g();',
     '__attribute__((noinline)) int f(); __attribute__((__noinline__)) int g();'),
    ('a lambda of the device', '[=] __host__ __device__ (int i) {}', '[=]   (int i) {}'),
]

# name, text that stays as it is, as C++ and as C
LEFT = [
    ('a string', 'puts("k<<<1, 2>>>(x)");'),
    ('a string with a quote', r'puts("\"k<<<1, 2>>>(x)");'),
    ('a string with a quote of another kind', 'puts("it\'s k<<<1, 2>>>(x)");'),
    ('a string over two lines', 'puts("a\\\nk<<<1, 2>>>(x)");'),
    ('a string over two lines of another system', 'puts("a\\\r\nk<<<1, 2>>>(x)");'),
    ('a comment', '/* k<<<1, 2>>>(x); */'),
    ('a comment of a line', '// k<<<1, 2>>>(x);\n'),
    ('a comment of a line that goes on', '// a \\\n k<<<1, 2>>>(x);\n'),
    ('a raw string', 'puts(R"(" k<<<1, 2>>>(x))");'),
    ('a raw string with a delimiter', 'puts(u8R"a()" k<<<1, 2>>>(x) )a");'),
    ('a character', "f('\"', k, '\"', '<');"),
    ('what is left out', '#if 0\nk<<<1, 2>>>(x); it\'s\n#endif\n'),
    ('what is left out within it', '#if 0\n#ifdef A\n#else\nk<<<\n#endif\nk<<<\n#endif\n'),
    ('the text of an error', "#error it's k<<<1\n"),
    ('a shift', 'a << b; a <<= 1; a>>1; a >> > b;'),
    ('a shift and a comparison', 'a << < b;'),
    ('an operator', 'operator<<<int>(x, 1); x.operator<<<>(1);'),
    ('templates', 'A<B<C<int>>> a; A<B<C<D<int>>>> b(1);'),
    ('a mark of a conflict', '<<<<<<< a\n'),
    ('constants', '__constant__ float c[4]; extern __constant__ int d;'),
]

# the same of PTX
REWRITTEN += [
    ('PTX in a kernel', '__global__ void k()\n{\n    asm("trap;");\n}', '__global__ void k()\n{\n    @P;\n}'),
    ('PTX over lines', '__device__ int f() { asm volatile("a"\n "b" : "=r"(x)\n : "r"(y)); }',
     '__device__ int f() { @P\n\n; }'),
    ('PTX in a lambda', 'f([=] __device__ (int i) { __asm__ __volatile__("exit;"); });', 'f([=]  (int i) { @P; });'),
    ('PTX by its text', 'void f() { asm("mov.u32 %0, %%r;" : "=r"(x)); }', 'void f() { @P; }'),
    ('PTX by its registers', 'void f() { asm("mov %0, %%laneid;" : "=r"(x)); }', 'void f() { @P; }'),
    ('PTX in a macro', '#define FENCE() \\\n    asm volatile("membar.cta; exit;" ::: "memory")\n',
     '#define FENCE() \\\n    @P\n'),
    ('one instruction of PTX', 'void f() { asm("prmt.b32 %0, %1, %2, 0x3210;"\n : "=r"(x) : "r"(y[1]), "r"(z)); }',
     'void f() { (void)((x) = (__byte_perm(((unsigned)((y[1]))), ((unsigned)((z))), ((unsigned)(0x3210)))))\n; }'),
    ('... in a macro', '#define FENCE() \\\n    asm volatile("membar.gl;" ::: "memory")\n',
     '#define FENCE() \\\n    __threadfence()\n'),
    ('... that reads its result', 'void f() { asm("add.s32 %0, %0, 1;" : "+r"(x)); }',
     'void f() { (void)((x) = (((int)((x))) + ((int)(1)))); }'),
    ('... of a register', 'void f() { asm("mov.u32 %0, %%laneid;" : "=r"(x)); }',
     'void f() { (void)((x) = (((unsigned)(cmk_host_lane_())))); }'),
    ('... of bits of another type', 'void f() { asm("mov.b32 %0, %1;" : "=r"(x) : "f"(y)); }',
     'void f() { (void)((x) = __float_as_uint(y)); }'),
    ('... of memory', 'void f() { asm("ld.global.cg.s32 %0, [%1+8];" : "=r"(x) : "l"(p) : "memory"); }',
     'void f() { (void)((x) = (*(const volatile int *)((uintptr_t)(p) + 8))); }'),
    ('... without a result', 'void f() { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(y)); }',
     'void f() { *(volatile unsigned *)((uintptr_t)(p) + 0) = (unsigned)(y); }'),
    *((f'PTX that is not known: {words}', f'__global__ void f() {{ asm({words}); }}', '__global__ void f() { @P; }')
      for words in ('"add.u32 %0, %1, %2; exit;" : "=r"(x) : "r"(y), "r"(z)', '"add.u32 %0, %1;" : "=r"(x) : "r"(y)',
                    '"add.u32 %0, %1, 1, 2;" : "=r"(x) : "r"(y)',
                    '"{add.u32 %0, %1, 1;}" : "=r"(x) : "r"(y)', '"add.f32 %0, %1, %2;" : "=f"(x) : "f"(y), "r"(z)',
                    '"add.u32 %1, %0, 1;" : "=r"(x), "=r"(y)', '"frob.u32 %0, %1;" : "=r"(x) : "r"(y)',
                    '"mov.u32 %0, %%envreg;" : "=r"(x)', '"add.u32 %0, %1, %2;" : "=r"(x) : "r"(y)')),
]
LEFT += [
    ('a barrier for the compiler in a kernel', '__global__ void k() { asm volatile("" ::: "memory"); }'),
    ('assembly of a CPU', 'long f() { asm volatile("rdtsc" : "=a"(x)); asm("lock; incl %0\\n\\t.global s"); }'),
    ('a label of an object', 'int f(void) __asm__("other");'),
    ('PTX that is left out', '__global__ void k()\n{\n#if 0\n    asm("trap;");\n#endif\n}'),
]

# name, text, the line, a part of the sentence
NAMED = [
    ('arguments that are not closed', '\nk<<<1, 2>>>(x;', 2, 'the ( of the arguments of this launch is not closed'),
    ('arguments that another bracket closes', 'k<<<1, 2>>>(x];', 1, 'is not closed'),
    ('brackets that are not closed', '\n\nk<<<1, 2(x);', 3, 'no >>> closes this <<<'),
    ('a shift of one too many', 'x<<<1;', 1, 'no >>> closes this <<<'),
    ('no arguments', 'k<<<1, 2>>>;', 1, 'no arguments follow'),
    ('a macro without its kernel', '#define GO(a, b) <<<a, b>>>\n', 1, 'must stand together'),
    ('no kernel', 'x = 3 <<<1, 2>>>(x);', 1, 'no kernel stands before'),
    ('no configuration', 'k<<<>>>(x);', 1, 'neither grid nor block'),
    ('a part of it missing', 'k<<<1, , 2>>>(x);', 1, 'is missing'),
    ('a comment without an end', '\n/* k', 2, 'the comment has no end'),
    ('a raw string without an end', '\nR"(k', 2, 'the raw string has no end'),
    ('two dynamic arrays in one', 'void f() { extern __shared__ int a[], b[]; }', 1, 'must declare one array'),
    ('a dynamic one that is no array', 'void f() { extern __shared__ int a; }', 1, 'must declare one array'),
]

# as C, which has neither references nor captures
AS_C = [
    ('a launch', 'k<<<1, 2>>>(x);', '@L((k), ((1), (2)), (x));'),
    ('shared memory', 'void f() { __shared__ float s[8]; }', 'void f() { __shared__ float s[8]; }'),
    ('dynamic shared memory', 'void f() { extern __shared__ float s[]; }',
     'void f() { float (*const s) = (float (*))cmk_host_plain_dynamic_(); }'),
    ('two definitions', '__global__ void k(int *x);__global__ void k(float *x);k<<<1, 2>>>(x);',
     '__global__ void k(int *x);__global__ void k(float *x);@L((k), ((1), (2)), (x));'),
]

# file, its text, what replaces it, the check that must fail then
MUTANTS = [
    ('lexer.py', "return 3 if self.text.startswith('\\\\\\r\\n', at) else 0", 'return 0',
     'left: a string over two lines of another system'),
    ('lexer.py', 'at = end + 1\n', 'return end\n', 'left: a comment of a line that goes on'),
    ('lexer.py', "if self.text.startswith('//', self.at):", 'if False:', 'left: a comment of a line'),
    ('lexer.py', "if not self.text.startswith('/*', self.at):", 'if True:', 'left: a comment'),
    ('lexer.py', 'if letter == quote:\n', 'if letter in "\\"\\\'":\n',
     'left: a string with a quote of another kind'),
    ('lexer.py', "if letter == '\\\\' else 1", 'if False else 1', 'left: a string with a quote'),
    ('lexer.py', "if letter == '\\n':\n                return None", 'if False:\n                return None',
     'rewritten: behind #else of #if 0'),
    ('lexer.py', '+ self.text[self.at + 1:bracket] +', '+', 'left: a raw string with a delimiter'),
    ('lexer.py', 'if token.text in RAW and', 'if False and', 'left: a raw string'),
    ('lexer.py', "divided = letter == \"'\" and", 'divided = False and', 'rewritten: behind digits in groups'),
    ('lexer.py', "self.dead.append(words == ['if', '0'])", 'self.dead.append(False)', 'left: what is left out'),
    ('lexer.py', "self.dead[-1] = False", 'pass', 'rewritten: behind #else of #if 0'),
    ('lexer.py', "if open_ones.pop() != text:", 'open_ones.pop()\n            if False:',
     'named: arguments that another bracket closes'),
    ('launches.py', "'CMK_HOST_PLAIN_CALL_' if by_call else", "'CMK_HOST_PLAIN_LAUNCH_' if by_call else",
     'rewritten: template arguments'),
    ('launches.py', 'any(first < at < end for first, end in kernels) or', '', 'rewritten: PTX in a kernel'),
    ('launches.py', "all(word.text == '\"\"' for word in found[0][0])", 'False',
     'left: a barrier for the compiler in a kernel'),
    ('launches.py', 'or PTX.search(words_of(parts[0]))', '', 'rewritten: PTX by its text'),
    ('launches.py', '|%%?\\w*(?:laneid|lanemask', '|%%?\\w*(?:lanemask', 'rewritten: PTX by its registers'),
    ('launches.py', r"(?<!\\n)(?<!\\t)", '', 'left: assembly of a CPU'),
    ('ptx.py', 'max(needed, default=0) != len(words) - 1', 'max(needed, default=0) > len(words) - 1',
     'rewritten: PTX that is not known: "add.u32 %0, %1, 1, 2;" : "=r"(x) : "r"(y)'),
    ('ptx.py', "(letter in 'fd') != (of_type[0] == 'f')", 'False',
     'rewritten: PTX that is not known: "add.f32 %0, %1, %2;" : "=f"(x) : "f"(y), "r"(z)'),
    ('ptx.py', "found.group(2) or 0", '0', 'rewritten: ... of memory'),
    ('ptx.py', '(letter, source[0]) in BITS', 'False', 'rewritten: ... of bits of another type'),
    ('launches.py', "not in ('operator', '<')", "not in ('<',)", 'left: an operator'),
    ('launches.py', "text_at(tokens, at + 3) != '<'", 'True', 'left: a mark of a conflict'),
    ('launches.py', 'at = template_end(tokens, at) or at', 'pass', 'rewritten: templates within'),
    ('launches.py', ' or configuration_end(tokens, at + 3, templates=False)', '',
     'rewritten: comparisons that look like a template'),
    ('launches.py', 'if len(pieces) == 1:', 'if False:', 'rewritten: a macro as the configuration'),
    ('launches.py', "opened = 'dim3' if", "opened = '(' if", 'rewritten: braces'),
    ('launches.py', 'at = closed if closed and closed < end else at', 'pass',
     'rewritten: commas of templates within'),
    ('launches.py', 'literal = end == begin + 1 and', 'literal = False and', 'rewritten: a literal may be a pointer'),
    ('launches.py', "lists) > 1 or", 'lists) > 9 or', 'rewritten: overloaded'),
    ('launches.py', "if text_at(tokens, end) in ('', ',', ')', '}', ';'):", 'if True:',
     'rewritten: addresses of no kernel'),
    ('launches.py', "cast != ['void', '*']", "cast[:1] != ['void']", 'rewritten: addresses of no kernel'),
    ('launches.py', 'if text_at(tokens, end) not in self.program.parameters:', 'if False:',
     'rewritten: addresses of no kernel'),
    ('launches.py', "any('=' in words for words in lists)", 'False', 'rewritten: an argument by default'),
    ('launches.py', "if len(names) > 1 and", 'if False and', 'rewritten: declared and defined'),
    ('launches.py', 'and self.program.has_ambiguous()', 'and False', 'rewritten: in a macro beside templates'),
    ('launches.py', "if text_at(tokens, 2) == '(' and touches(tokens, 1):", "if text_at(tokens, 2) == '(':",
     'rewritten: in a macro without parameters'),
    ('launches.py', "' \\\\\\n' if line.endswith", "'\\n' if line.endswith",
     'rewritten: in a macro, whose line ends before the brackets'),
    ('launches.py', "('::', '.', '->', '##', 'template')", "('::', '.', '->', 'template')",
     'rewritten: in a macro, a name that is pasted'),
    ('launches.py', "tokens[at - 1].text in KEYWORDS:\n            return at", 'False:\n            return at',
     'rewritten: a pointer in parentheses behind a word'),
    ('launches.py', "if joint == '::' and", 'if False and', 'rewritten: the global namespace'),
    ('launches.py', "yield at, not any(open_ones)", 'yield at, False',
     'rewritten: dynamic shared memory at file scope'),
    ('launches.py', 'open_ones.append(not opens_namespace(tokens, at))', 'open_ones.append(True)',
     'rewritten: dynamic shared memory at file scope'),
    ('launches.py', 'if before.kind == \'name\' and before.text not in KEYWORDS}', 'if False}',
     'rewritten: ... and functions that have the name'),
    ('launches.py', 'if outer or not self.cplusplus or not found:', 'if outer or not found:', 'as C: shared memory'),
    ('launches.py', 'if not found or len(found) > 1 or', 'if not found or', 'named: two dynamic arrays in one'),
    ('launches.py', "while text_at(tokens, at) in ('__device__', '__host__'):", 'while False:',
     'rewritten: a lambda of the device'),
    ('launches.py', "and text_at(tokens, at - 1) != '('", '', 'rewritten: not inlined'),
]


class Kit:
    def __init__(self, rewriter):
        sys.path.insert(0, str(rewriter))
        self.lexer, self.launches = importlib.import_module('lexer'), importlib.import_module('launches')

    def rewrite(self, text, cplusplus=True):
        """(text, [(line, sentence)])"""
        try:
            source = self.lexer.Source(text)
        except self.lexer.Trouble as trouble:
            return text, [(text.count('\n', 0, trouble.at) + 1, str(trouble))]
        program = self.launches.Program()
        try:
            self.launches.collect(source, program)
        except self.lexer.Trouble:
            pass  # named again below
        became, troubles, _ = self.launches.rewritten(source, program, cplusplus)
        return became, [(source.line(trouble.at), str(trouble)) for trouble in troubles]


def long(text):
    for short, word in SHORT.items():
        text = text.replace(short, word)
    return text


def becomes(kit, text, wanted, cplusplus=True):
    became, troubles = kit.rewrite(text, cplusplus)
    if troubles or became != long(wanted):
        raise Failure(f'{troubles}\n{became!r}\nnot\n{long(wanted)!r}')
    if became.count('\n') != text.count('\n'):
        raise Failure('the number of lines differs')


def stays(kit, text):
    becomes(kit, text, text)
    becomes(kit, text, text, cplusplus=False)


def is_named(kit, text, line, part):
    _, troubles = kit.rewrite(text)
    if not any(where == line and part in sentence for where, sentence in troubles):
        raise Failure(f'{troubles}, not line {line}: {part}')


def tables(kit):
    return ([(f'rewritten: {name}', lambda row=(text, wanted): becomes(kit, *row))
             for name, text, wanted in REWRITTEN] +
            [(f'as C: {name}', lambda row=(text, wanted): becomes(kit, *row, cplusplus=False))
             for name, text, wanted in AS_C] +
            [(f'left: {name}', lambda text=text: stays(kit, text)) for name, text in LEFT] +
            [(f'named: {name}', lambda row=tuple(row): is_named(kit, *row)) for name, *row in NAMED])


def is_killed(name, old, new, check):
    with folder() as work:
        copy = Path(work) / 'run'
        shutil.copytree(ROOT / 'run', copy, ignore=shutil.ignore_patterns('__pycache__'))
        text = (copy / name).read_text()
        if text.count(old) != 1:
            raise Failure(f'{name} has it in {text.count(old)} places: {old}')
        (copy / name).write_text(text.replace(old, new))
        output = run([sys.executable, '-B', __file__, 'tables', '--rewriter', copy])[1]
    failed = [line for line in output.splitlines() if line.startswith('not ok ')]
    if not any(line.endswith(' - ' + check) for line in failed):
        raise Failure('\n'.join([f'expected to fail: {check}; failed:', *failed, output[-600:]]))


def mutants(_):
    return [(f'{check}: fails after {name}: {old.strip()} -> {new.strip()}'.replace('#', '').replace('\n', ' '),
             lambda row=(name, old, new, check): is_killed(*row)) for name, old, new, check in MUTANTS]


GROUPS = {'tables': tables, 'mutants': mutants}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', nargs='*', metavar='GROUP', help='one or more of: ' + ' '.join(GROUPS))
    parser.add_argument('--rewriter', type=Path, default=ROOT / 'run')
    parser.add_argument('--only', default='', metavar='TEXT', help='only checks with this text in their name')
    options = parser.parse_args()
    kit = Kit(options.rewriter)
    report([check for name in options.which or GROUPS for check in GROUPS[name](kit)], options)


if __name__ == '__main__':
    main()
