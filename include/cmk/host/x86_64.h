/* host/x86_64.h: the assembly of the CPU backend for x86-64, by the System V calling convention (assembly.h).
 *
 * The processor predicts returns by a stack of its own. A switch between stacks puts this stack out of step, and the
 * return of a kernel that waited would be mispredicted. So a thread goes on through the same instruction that calls
 * kernels, which puts the address behind it on the stack of the processor. All other returns on the way are jumps,
 * which are predicted by where they come from. */
#include "../base.h"
#ifndef CMK_HOST_X86_64_H
#define CMK_HOST_X86_64_H

#include "system.h"

/* clang-format off */
#define CMK_HOST_ASM_FRAME_ \
    "endbr64\n\tpushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp, -16\n\t" \
    "movq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n\tsubq $576, %rsp\n\t"
/* registers_: rdi rsi rdx rcx r8 r9 - -, then vector registers 0 to 7, 64 bytes each. The processor may have only 16 or
 * 32 of these bytes. */
__asm__(CMK_HOST_ASM_BEGIN_(cmk_host_capture_)
        CMK_HOST_ASM_FRAME_
        ".irp register,0,1,2,3,4,5,6,7\n\t"
        "movups %xmm\\register, 64 + 64 * \\register(%rsp)\n\t"
        ".endr\n"
        "1:\n\t"
        "movq %rdi, (%rsp)\n\t"
        "movq %rsi, 8(%rsp)\n\t"
        "movq %rdx, 16(%rsp)\n\t"
        "movq %rcx, 24(%rsp)\n\t"
        "movq %r8, 32(%rsp)\n\t"
        "movq %r9, 40(%rsp)\n\t"
        "movq %rsp, %rdi\n\t"
        "leaq 16(%rbp), %rsi\n\t"
        "movq cmk_host_capture_to_@GOTPCREL(%rip), %rax\n\t"
        "call *(%rax)\n\t"
        "leave\n\t"
        ".cfi_def_cfa %rsp, 8\n\t"
        "ret\n\t"
        ".cfi_endproc\n\t"
        CMK_HOST_ASM_ENTRY_(cmk_host_capture_32_)
        ".cfi_startproc\n\t"
        CMK_HOST_ASM_FRAME_
        ".irp register,0,1,2,3,4,5,6,7\n\t"
        "vmovups %ymm\\register, 64 + 64 * \\register(%rsp)\n\t"
        ".endr\n\t"
        "jmp 1b\n\t"
        ".cfi_endproc\n\t"
        CMK_HOST_ASM_ENTRY_(cmk_host_capture_64_)
        ".cfi_startproc\n\t"
        CMK_HOST_ASM_FRAME_
        ".irp register,0,1,2,3,4,5,6,7\n\t"
        "vmovups %zmm\\register, 64 + 64 * \\register(%rsp)\n\t"
        ".endr\n\t"
        "jmp 1b\n\t"
        CMK_HOST_ASM_END_(cmk_host_capture_)
        CMK_HOST_ASM_BEGIN_(cmk_host_replay_)
        "pushq %rbp\n\t"
        ".cfi_def_cfa_offset 16\n\t"
        ".cfi_offset %rbp, -16\n\t"
        "movq %rsp, %rbp\n\t"
        ".cfi_def_cfa_register %rbp\n\t"
        "movq 8(%rdi), %rcx\n\t"
        "movq 16(%rdi), %rsi\n\t"
        "movq (%rdi), %rax\n\t"
        "leaq 32(%rdi), %r11\n\t"
        "testq %rcx, %rcx\n\t"
        "jz 2f\n\t"
        "movl 24(%rdi), %r10d\n\t"
        "subq %rcx, %rsp\n\t"
        "subq %r10, %rsp\n\t"
        "andq $-256, %rsp\n\t"
        "addq %r10, %rsp\n"
        "1:\n\t"
        "movq -8(%rsi,%rcx), %rdx\n\t"
        "movq %rdx, -8(%rsp,%rcx)\n\t"
        "subq $8, %rcx\n\t"
        "jnz 1b\n"
        "2:\n\t"
        "cmpl $16, 28(%rdi)\n\t"
        "ja 4f\n\t"
        "jb 7f\n\t"
        "vzeroupper\n" /* the rest of each register was 0 */
        "7:\n\t"
        ".irp register,0,1,2,3,4,5,6,7\n\t"
        "movups 64 + 64 * \\register(%r11), %xmm\\register\n\t"
        ".endr\n"
        "3:\n\t"
        "movq (%r11), %rdi\n\t"
        "movq 8(%r11), %rsi\n\t"
        "movq 16(%r11), %rdx\n\t"
        "movq 24(%r11), %rcx\n\t"
        "movq 32(%r11), %r8\n\t"
        "movq 40(%r11), %r9\n\t"
        "9:\n\t"
        "call *%rax\n\t"
        "leave\n\t"
        ".cfi_def_cfa %rsp, 8\n\t"
        "popq %rcx\n\t"
        ".cfi_def_cfa_offset 0\n\t"
        "jmp *%rcx\n"
        "4:\n\t"
        ".cfi_def_cfa %rbp, 16\n\t"
        "cmpl $32, 28(%rdi)\n\t"
        "jne 5f\n\t"
        ".irp register,0,1,2,3,4,5,6,7\n\t"
        "vmovups 64 + 64 * \\register(%r11), %ymm\\register\n\t"
        ".endr\n\t"
        "jmp 3b\n"
        "5:\n\t"
        ".irp register,0,1,2,3,4,5,6,7\n\t"
        "vmovups 64 + 64 * \\register(%r11), %zmm\\register\n\t"
        ".endr\n\t"
        "jmp 3b\n\t"
        CMK_HOST_ASM_ENTRY_(cmk_host_resume_thread_)
        "leaq 6f(%rip), %rax\n\t"
        "jmp 9b\n"
        "6:\n\t"
        "addq $8, %rsp\n\t"
        "jmp cmk_host_resume_\n\t"
        CMK_HOST_ASM_END_(cmk_host_replay_)
        CMK_HOST_ASM_BEGIN_(cmk_host_switch_)
        "pushq %rbp\n\t"
        "pushq %rbx\n\t"
        "pushq %r12\n\t"
        "pushq %r13\n\t"
        "pushq %r14\n\t"
        "pushq %r15\n\t"
        "movq %rdx, (%rdi)\n\t"
        "movq %rsp, 8(%rdi)\n\t"
        "movq 8(%rsi), %rsp\n\t"
        "jmp *(%rsi)\n\t"
        CMK_HOST_ASM_ENTRY_(cmk_host_resume_)
        "popq %r15\n\t"
        "popq %r14\n\t"
        "popq %r13\n\t"
        "popq %r12\n\t"
        "popq %rbx\n\t"
        "popq %rbp\n\t"
        "popq %rcx\n\t"
        "jmp *%rcx\n\t"
        CMK_HOST_ASM_END_(cmk_host_switch_));
/* clang-format on */

#endif
