/* expect c c++: cmk: the CPU backend runs on 64-bit Linux on x86-64 and aarch64 only */
/* because: `-m32` or `-mx32`, or another system */
/* do: build for 64 bits; on other systems use WSL or a container */
#undef __LP64__
#include <cmk/cmk.h>
