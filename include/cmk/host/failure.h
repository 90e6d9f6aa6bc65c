/* host/failure.h: the one line that a failed check prints before it aborts the program:
 *
 *   cmk: kernel NAME, block (x,y,z), thread (x,y,z): FILE:LINE: sentence
 *
 * Behind NAME stands ", launched at FILE:LINE" where this is another file: of the kernel of a definition it is the line
 * of the definition. The sentence begins with "field `NAME`: " where an engine moves a field of an update. With
 * CMK_HOST_ERRORS=return the program goes on, and cudaGetErrorString has this line for the error of the launch. */
#include "../base.h"
#ifndef CMK_HOST_FAILURE_H
#define CMK_HOST_FAILURE_H

/* The place of an access. Where counters are on (count.h), the bits above the line number count the accesses on one
 * line. */
#if defined(CMK_COUNT) && CMK_COUNT
#define CMK_HOST_COUNTS_ 1
#define CMK_HOST_LINE_ (__LINE__ | __COUNTER__ % 2048 << 20)
#else
#define CMK_HOST_COUNTS_ 0
#define CMK_HOST_LINE_ __LINE__
#endif
#define CMK_HOST_LINE_OF_(line_) ((line_)&0xfffff)
#define CMK_HOST_PART_(line_, part_) ((line_) ^ (int)(part_) << 27) /* one of up to 16 accesses of a line */

/* Where an access stands in the source: the name of a file and a line, or an address of the code, where line_ is 0. */
typedef struct cmk_host_origin_ {
    const void *place_;
    int line_;
} cmk_host_origin_;

CMK_HOST_C_BEGIN_

CMK_HOST_INLINE_ cmk_host_origin_ cmk_host_origin_of_(const void *place, int line)
{
    const cmk_host_origin_ origin = {place, line};
    return origin;
}

/* Null where the origin is an address of the code. */
CMK_HOST_INLINE_ const char *cmk_host_origin_file_(cmk_host_origin_ origin)
{
    return origin.line_ ? (const char *)origin.place_ : NULL;
}

/* The names of the kernel that this OS thread runs and of the field that it moves; null elsewhere. Where the kernel is
 * launched, which is not known of a launch by an address. */
CMK_HOST_ONE_ __thread const char *cmk_host_kernel_name_;
CMK_HOST_ONE_ __thread cmk_host_origin_ cmk_host_launch_place_;
CMK_HOST_ONE_ __thread const char *cmk_host_field_;
CMK_HOST_ONE_ int cmk_host_failed_;

CMK_HOST_ONE_ __thread const void *cmk_host_code_place_; /* where the code goes on behind a plain access (watch.h) */
CMK_HOST_ONE_ __thread int cmk_host_speaks_;             /* the backend prints; its own accesses are not watched */

/* Functions of later files. The first prints FILE:LINE of cmk_host_code_place_ (watch.h). The second, for this OS
 * thread, makes a CUDA thread leave its block, with the failure as the error of the launch (block.h). It returns where
 * a thread cannot leave, and is null where it may not. */
CMK_HOST_ONE_ void (*cmk_host_print_code_)(FILE *out);
CMK_HOST_ONE_ __thread void (*cmk_host_leave_)(const char *file, int line, const char *format, va_list values);

/* To ThreadSanitizer CUDA threads are threads, though one OS thread runs them. It accepts atomic accesses. */
static inline void cmk_host_name_field_(const char *name)
{
    __atomic_store_n(&cmk_host_field_, name, __ATOMIC_RELAXED);
}

/* Prints FILE:LINE, or where file is null that of cmk_host_code_place_. */
static inline void cmk_host_print_line_(FILE *out, const char *file, int line)
{
    if (file)
        fprintf(out, "%s:%d", file, CMK_HOST_LINE_OF_(line));
    else
        cmk_host_print_code_(out);
}

/* Prints the place of a failure. threadIdx and blockIdx are those of the running CUDA thread. */
static inline void cmk_host_print_place_(FILE *out, const char *file, int line)
{
    fputs("cmk: ", out);
    if (cmk_host_kernel_name_) {
        const char *const launched = cmk_host_origin_file_(cmk_host_launch_place_);
        fprintf(out, "kernel %s, ", cmk_host_kernel_name_);
        if (file && launched && strcmp(file, launched))
            fprintf(out, "launched at %s:%d, ", launched, cmk_host_launch_place_.line_);
        fprintf(out, "block (%u,%u,%u), ", blockIdx.x, blockIdx.y, blockIdx.z);
        fprintf(out, "thread (%u,%u,%u): ", threadIdx.x, threadIdx.y, threadIdx.z);
    }
    cmk_host_print_line_(out, file, line);
    fputs(": ", out);
    const char *const field = __atomic_load_n(&cmk_host_field_, __ATOMIC_RELAXED);
    if (field) fprintf(out, "field `%s`: ", field);
}

/* ---- What is reported while the kernel goes on: once for each place */
enum { CMK_HOST_REPORTS_ = 64 };
CMK_HOST_ONE_ pthread_mutex_t cmk_host_reports_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ cmk_host_origin_ cmk_host_reported_[CMK_HOST_REPORTS_];
CMK_HOST_ONE_ unsigned cmk_host_reports_;

/* Whether a place has not been reported yet. It is added to the list, which holds a limited number. */
CMK_HOST_HELPER_ int cmk_host_is_new_(cmk_host_origin_ origin)
{
    pthread_mutex_lock(&cmk_host_reports_lock_);
    int known = cmk_host_reports_ == CMK_HOST_REPORTS_;
    for (unsigned i = 0; i < cmk_host_reports_; i++)
        known |= cmk_host_reported_[i].place_ == origin.place_ && cmk_host_reported_[i].line_ == origin.line_;
    if (!known) cmk_host_reported_[cmk_host_reports_++] = origin;
    pthread_mutex_unlock(&cmk_host_reports_lock_);
    return !known;
}

FILE *cmk_host_fmemopen_(void *memory, size_t bytes, const char *mode) __asm__("fmemopen"); /* hidden in C11 mode */

/* keeps the sentence of the first thread that fails, and the error */
CMK_HOST_QUIET_ void cmk_host_note_stop_(const char *file, int line, const char *format, va_list values)
{
    if (__atomic_exchange_n(&cmk_host_lasting_error_, cudaErrorLaunchFailure, __ATOMIC_ACQ_REL) != cudaSuccess) return;
    FILE *const out = cmk_host_fmemopen_(cmk_host_stop_, sizeof cmk_host_stop_ - 1, "w");
    if (!out) return;
    cmk_host_print_place_(out, file, line);
    vfprintf(out, format, values);
    fclose(out);
}

__attribute__((noreturn, cold, format(printf, 3, 4))) CMK_HOST_QUIET_ void cmk_host_fail_(const char *file, int line,
                                                                                          const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (cmk_host_leave_) cmk_host_leave_(file, line, format, values);
    /* With several cores only the first failure is printed. */
    while (__atomic_exchange_n(&cmk_host_failed_, 1, __ATOMIC_ACQ_REL)) pause();
    fflush(stdout);
    cmk_host_print_place_(stderr, file, line);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    cmk_host_print_seed_();
    fflush(stderr);
    abort();
}

CMK_HOST_HELPER_ void *cmk_host_need_(void *memory, const char *purpose)
{
    if (!memory) cmk_host_fail_(__FILE__, __LINE__, "no memory is left for %s", purpose);
    return memory;
}

CMK_HOST_C_END_

#endif
