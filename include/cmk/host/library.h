/* host/library.h: the CPU backend of a program that has shared libraries.
 *
 * A program and the libraries that are linked to it have one backend: the linker makes one of all variables of
 * CMK_HOST_ONE_ (system.h), and their types must be those of one version of cmk. A library that a program loads by
 * dlopen shares them only where the program shows its symbols (-rdynamic). A library whose symbols a version script
 * hides never does. Such a library has a backend of its own, which knows nothing of the memory of the program.
 *
 * So each backend of a process maps a page of the name cmk-backend, by which the others find it. A kernel that accesses
 * memory of another backend fails with a sentence that says so. A library whose work is in a stream, or whose kernels
 * were launched, stays loaded, since the backend and the C library call functions of it later. */
#include "../base.h"
#ifndef CMK_HOST_LIBRARY_H
#define CMK_HOST_LIBRARY_H

/* What the backends of a process know of one another. */
typedef struct cmk_host_page_ {
    int version_;                     /* CMK_VERSION, by which the layout may differ */
    int (*holds_)(uintptr_t address); /* whether an address lies in live device memory; null before the first */
    void (*finish_)(void);            /* runs what the streams have; null before the first stream */
} cmk_host_page_;

typedef struct cmk_host_named_ {
    const char *file_;
    void *base_;
    const char *name_;
    void *address_;
} cmk_host_named_;

CMK_HOST_C_BEGIN_

/* Functions of the C library that strict C11 mode hides. Each may be missing. */
int cmk_host_dladdr_(const void *address, cmk_host_named_ *symbol) __asm__("dladdr") __attribute__((weak));
void *cmk_host_dlopen_(const char *file, int flags) __asm__("dlopen") __attribute__((weak));
int cmk_host_ftruncate_(int file, long bytes) __asm__("ftruncate");
int cmk_host_memfd_create_(const char *name, unsigned flags) __asm__("memfd_create") __attribute__((weak));

CMK_HOST_ONE_ __thread char cmk_a_program_has_objects_of_nvcc_and_of_the_CPU_backend_; /* base.h has it for nvcc */
CMK_HOST_ONE_ int cmk_host_version_ = CMK_VERSION;
CMK_HOST_ONE_ cmk_host_page_ *cmk_host_page_own_;
CMK_HOST_ONE_ pthread_mutex_t cmk_host_page_lock_ = PTHREAD_MUTEX_INITIALIZER;

/* Every object file compares its version with the one that the linker took. */
__attribute__((constructor)) static void cmk_host_same_version_(void)
{
    if (cmk_host_version_ == CMK_VERSION) return;
    fprintf(stderr,
            "cmk: parts of this program are compiled with cmk %d.%d.%d, others with %d.%d.%d: the CPU backend needs "
            "one version for all\n",
            CMK_VERSION_MAJOR, CMK_VERSION_MINOR, CMK_VERSION_PATCH, cmk_host_version_ / 10000,
            cmk_host_version_ / 100 % 100, cmk_host_version_ % 100);
    abort();
}

/* Keeps the library that this object file is part of in memory, also behind dlclose. Code of a program alone is not
 * compiled by -fPIC. */
CMK_HOST_QUIET_ void cmk_host_stay_(void)
{
#if defined(__PIC__) && !defined(__PIE__)
    enum { LAZY = 1, NO_LOAD = 4, NO_DELETE = 0x1000 };
    static int stays;
    cmk_host_named_ own = {NULL, NULL, NULL, NULL};
    if (CMK_HOST_LIKELY_(__atomic_load_n(&stays, __ATOMIC_RELAXED))) return;
    __atomic_store_n(&stays, 1, __ATOMIC_RELAXED);
    if (cmk_host_dlopen_ && cmk_host_dladdr_ && cmk_host_dladdr_(&stays, &own) != 0 && own.file_)
        (void)cmk_host_dlopen_(own.file_, LAZY | NO_LOAD | NO_DELETE);
#endif
}

/* The page of this backend. Without memory for it the others do not find this backend. */
CMK_HOST_QUIET_ cmk_host_page_ *cmk_host_page_get_(void)
{
    static cmk_host_page_ unseen;
    enum { BYTES = 4096 };
    pthread_mutex_lock(&cmk_host_page_lock_);
    if (!cmk_host_page_own_) {
        const int file = cmk_host_memfd_create_ ? cmk_host_memfd_create_("cmk-backend", 0) : -1;
        void *page = MAP_FAILED;
        if (file >= 0 && cmk_host_ftruncate_(file, BYTES) == 0)
            page = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
        if (file >= 0) (void)close(file);
        cmk_host_page_own_ = page == MAP_FAILED ? &unseen : (cmk_host_page_ *)page;
        cmk_host_page_own_->version_ = CMK_VERSION;
        cmk_host_stay_();
    }
    pthread_mutex_unlock(&cmk_host_page_lock_);
    return cmk_host_page_own_;
}

/* The page of the next other backend in /proc/self/maps; null where there is no more. */
CMK_HOST_HELPER_ const cmk_host_page_ *cmk_host_page_next_(FILE *maps)
{
    char line[4352]; /* a path and what stands before it */
    while (maps && fgets(line, sizeof line, maps)) {
        const cmk_host_page_ *page = (const cmk_host_page_ *)(uintptr_t)strtoull(line, NULL, 16);
        if (strstr(line, "/memfd:cmk-backend") && page != cmk_host_page_own_ && page->version_ == CMK_VERSION)
            return page;
    }
    return NULL;
}

/* Whether an address lies in live device memory of another backend. */
CMK_HOST_HELPER_ int cmk_host_is_foreign_(uintptr_t address)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    const cmk_host_page_ *page = cmk_host_page_next_(maps);
    while (page && !(page->holds_ && page->holds_(address))) page = cmk_host_page_next_(maps);
    if (maps) fclose(maps);
    return page != NULL;
}

/* Runs what the streams of all other backends have, as a wait for the device does on a GPU. */
CMK_HOST_CALLED_ void cmk_host_finish_others_(void)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    for (const cmk_host_page_ *page; (page = cmk_host_page_next_(maps)) != NULL;)
        if (page->finish_) page->finish_();
    if (maps) fclose(maps);
}

CMK_HOST_C_END_

#endif
