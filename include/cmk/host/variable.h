/* host/variable.h: which variables of the program a kernel may access.
 *
 * A variable at file scope that is `__device__` or `__constant__` begins at a multiple of CMK_HOST_VARIABLE_ALIGN_
 * (cuda.h). So a variable that begins elsewhere is the host's. No variable lies in the rest of this alignment behind a
 * `__device__` variable. The bounds and the names are in the symbol table of the program's file, which is read when a
 * kernel first accesses a variable. Three kinds of variables are not known, and every access to them passes: all where
 * the table is missing (strip), variables within functions, and variables of the host that begin at a multiple by
 * chance. */
#include "../base.h"
#ifndef CMK_HOST_VARIABLE_H
#define CMK_HOST_VARIABLE_H

#include <elf.h>

typedef struct cmk_host_range_ {
    uintptr_t low_;
    size_t bytes_;
} cmk_host_range_;

typedef struct cmk_host_variable_ {
    cmk_host_range_ range;
    const char *name;
    int writable;
} cmk_host_variable_;

/* The variables of a program or library, sorted by address. Of variables that begin at the same address the smallest is
 * last. */
typedef struct cmk_host_symbols_ {
    struct cmk_host_symbols_ *next;
    Elf64_Ehdr header; /* a copy: another library may be loaded in its place later */
    uintptr_t start;
    cmk_host_variable_ *all;
    size_t count;
    int complete; /* whether static variables are among them */
} cmk_host_symbols_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_symbols_lock_ = PTHREAD_MUTEX_INITIALIZER; /* held while the list changes */
CMK_HOST_ONE_ cmk_host_symbols_ *cmk_host_symbols_list_;

CMK_HOST_INLINE_ int cmk_host_inside_(const cmk_host_range_ *range, uintptr_t address, size_t bytes)
{
    uintptr_t offset = address - range->low_;
    return offset < range->bytes_ && bytes <= range->bytes_ - offset;
}

/* ---- The program. The linker defines both symbols in every executable and library. */
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
extern const char _end[] __attribute__((weak, visibility("hidden")));

/* The range of the thread-local variables of the executable, which hold plain `__shared__` data. Their block lies at
 * the thread pointer: below it on x86-64, behind two words on aarch64. */
CMK_HOST_QUIET_ cmk_host_range_ cmk_host_thread_locals_(void)
{
    cmk_host_range_ range = {0, 0};
    const Elf64_Ehdr *file = (const Elf64_Ehdr *)(uintptr_t)__ehdr_start;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)((uintptr_t)__ehdr_start + file->e_phoff);
    uintptr_t pointer = 0;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    for (unsigned i = 0; i < file->e_phnum; i++) {
        if (segment[i].p_type != PT_TLS) continue;
        uintptr_t align = segment[i].p_align ? segment[i].p_align : 1;
        range.bytes_ = segment[i].p_memsz;
#if defined(__x86_64__)
        range.low_ = pointer - (range.bytes_ + align - 1) / align * align;
#else
        range.low_ = pointer + (16 + align - 1) / align * align;
#endif
    }
    return range;
}

/* ---- Its file */

/* Reads a part of the file into memory that the caller frees; null where that fails. */
CMK_HOST_HELPER_ void *cmk_host_file_part_(FILE *file, uint64_t offset, uint64_t bytes)
{
    void *part = bytes > 0 && bytes < (uint64_t)1 << 31 ? malloc((size_t)bytes + 1) : NULL;
    if (part && fseek(file, (long)offset, SEEK_SET) == 0 && fread(part, 1, (size_t)bytes, file) == bytes) {
        ((char *)part)[bytes] = 0;
        return part;
    }
    free(part);
    return NULL;
}

/* Opens the file that is mapped at this address. It must begin as the memory does; null where it does not. */
CMK_HOST_HELPER_ FILE *cmk_host_file_at_(uintptr_t start)
{
    enum { most = 4352 }; /* bytes of a path and what stands before it in a line */
    FILE *maps = fopen("/proc/self/maps", "r"), *file = NULL;
    char *line = (char *)malloc(most);
    while (maps && line && !file && fgets(line, most, maps)) {
        char *path = strchr(line, '/');
        if (!path || strtoull(line, NULL, 16) != start) continue;
        path[strcspn(path, "\n")] = 0;
        file = fopen(path, "r");
        if (!file) break;
    }
    if (maps) fclose(maps);
    free(line);
    Elf64_Ehdr *header = file ? (Elf64_Ehdr *)cmk_host_file_part_(file, 0, sizeof *header) : NULL;
    if (file && (!header || memcmp(header, (const void *)start, sizeof *header) != 0)) {
        fclose(file);
        file = NULL;
    }
    free(header);
    return file;
}

/* The number to add to the addresses in the file. */
CMK_HOST_HELPER_ uintptr_t cmk_host_file_bias_(uintptr_t start)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(start + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_offset == 0) return start - segment[i].p_vaddr;
    return 0;
}

/* ---- Its symbols */
CMK_HOST_HELPER_ int cmk_host_variable_compare_(const void *left, const void *right)
{
    const cmk_host_range_ one = ((const cmk_host_variable_ *)left)->range;
    const cmk_host_range_ two = ((const cmk_host_variable_ *)right)->range;
    if (one.low_ != two.low_) return one.low_ < two.low_ ? -1 : 1;
    return one.bytes_ != two.bytes_ ? (one.bytes_ > two.bytes_ ? -1 : 1) : 0;
}

/* Takes the symbols of one table. Their names are kept. */
CMK_HOST_HELPER_ void cmk_host_symbols_take_(cmk_host_symbols_ *symbols, const Elf64_Sym *table, size_t count,
                                             const char *names, const Elf64_Shdr *sections, uintptr_t bias)
{
    symbols->all = (cmk_host_variable_ *)calloc(count + 1, sizeof *symbols->all);
    for (size_t i = 0; symbols->all && i < count; i++) {
        const Elf64_Sym *symbol = &table[i];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_shndx >= symbols->header.e_shnum)
            continue;
        cmk_host_variable_ *taken = &symbols->all[symbols->count++];
        taken->range.low_ = bias + symbol->st_value;
        taken->range.bytes_ = symbol->st_size;
        taken->name = names + symbol->st_name;
        taken->writable = (sections[symbol->st_shndx].sh_flags & SHF_WRITE) != 0;
        symbols->complete |= ELF64_ST_BIND(symbol->st_info) == STB_LOCAL && taken->writable;
    }
    if (symbols->count > 0) qsort(symbols->all, symbols->count, sizeof *symbols->all, cmk_host_variable_compare_);
}

CMK_HOST_HELPER_ void cmk_host_symbols_read_(cmk_host_symbols_ *symbols, FILE *file)
{
    const unsigned count = symbols->header.e_shnum;
    const uintptr_t bias = cmk_host_file_bias_(symbols->start);
    Elf64_Shdr *sections = (Elf64_Shdr *)cmk_host_file_part_(file, symbols->header.e_shoff, count * sizeof *sections);
    for (unsigned i = 0; sections && i < count && !symbols->all; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= count) continue;
        const Elf64_Shdr *text = &sections[section->sh_link];
        Elf64_Sym *table = (Elf64_Sym *)cmk_host_file_part_(file, section->sh_offset, section->sh_size);
        char *names = (char *)cmk_host_file_part_(file, text->sh_offset, text->sh_size);
        if (table && names)
            cmk_host_symbols_take_(symbols, table, section->sh_size / sizeof *table, names, sections, bias);
        if (symbols->count == 0) free(names);
        free(table);
    }
    free(sections);
}

/* The symbols of the program or library that begins here; null where they have not been read. */
CMK_HOST_HELPER_ const cmk_host_symbols_ *cmk_host_symbols_find_(uintptr_t start)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    const cmk_host_symbols_ *symbols = __atomic_load_n(&cmk_host_symbols_list_, __ATOMIC_ACQUIRE);
    while (symbols && !(symbols->start == start && symbols->header.e_entry == header->e_entry &&
                        symbols->header.e_shoff == header->e_shoff))
        symbols = symbols->next;
    return symbols;
}

CMK_HOST_HELPER_ void cmk_host_symbols_load_(uintptr_t start)
{
    pthread_mutex_lock(&cmk_host_symbols_lock_);
    if (!cmk_host_symbols_find_(start)) {
        void *memory = cmk_host_need_(calloc(1, sizeof(cmk_host_symbols_)), "the symbols of the program");
        cmk_host_symbols_ *symbols = (cmk_host_symbols_ *)memory;
        FILE *file = cmk_host_file_at_(start);
        symbols->start = start;
        memcpy(&symbols->header, (const void *)start, sizeof symbols->header);
        if (file) cmk_host_symbols_read_(symbols, file);
        if (file) fclose(file);
        symbols->next = cmk_host_symbols_list_;
        __atomic_store_n(&cmk_host_symbols_list_, symbols, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&cmk_host_symbols_lock_);
}

CMK_HOST_HELPER_ const cmk_host_symbols_ *cmk_host_symbols_of_(uintptr_t start)
{
    if (!cmk_host_symbols_find_(start)) cmk_host_symbols_load_(start);
    return cmk_host_symbols_find_(start);
}

/* The program or library that the caller is compiled into. It is for CMK_LAUNCH, since the functions that check have
 * one instance for all programs and libraries. ThreadSanitizer would take what a CUDA thread reads from the file for
 * data of the thread. With it the launch reads the file. */
CMK_HOST_INLINE_ cmk_host_range_ cmk_host_module_(void)
{
    cmk_host_range_ range = {(uintptr_t)__ehdr_start, (uintptr_t)_end - (uintptr_t)__ehdr_start};
    if (CMK_HOST_TSAN_ && range.low_) cmk_host_symbols_load_(range.low_);
    return range;
}

/* Index of the first symbol that begins above the address. */
CMK_HOST_HELPER_ size_t cmk_host_symbols_search_(const cmk_host_symbols_ *symbols, uintptr_t address)
{
    size_t first = 0, count = symbols->count;
    while (count > 0) {
        size_t half = count / 2;
        int below = symbols->all[first + half].range.low_ <= address;
        first += below ? half + 1 : 0;
        count = below ? count - half - 1 : half;
    }
    return first;
}

/* The variable that an address lies in; null where it is not known. */
CMK_HOST_HELPER_ const cmk_host_variable_ *cmk_host_variable_at_(const cmk_host_symbols_ *symbols, uintptr_t address)
{
    const size_t above = cmk_host_symbols_search_(symbols, address);
    const cmk_host_variable_ *variable = above > 0 ? &symbols->all[above - 1] : NULL;
    return variable && cmk_host_inside_(&variable->range, address, 1) ? variable : NULL;
}

/* ---- What a symbol is */

/* Whether a variable has the alignment of a `__device__` variable. A variable of the host has it only by chance. */
CMK_HOST_HELPER_ int cmk_host_variable_is_device_(const cmk_host_variable_ *variable)
{
    return variable->range.low_ % CMK_HOST_VARIABLE_ALIGN_ == 0;
}

/* Whether a variable is within a function or made by the compiler: in C its name has a dot, in C++ it begins with _ZZ.
 * It may belong to a kernel. */
CMK_HOST_HELPER_ int cmk_host_variable_is_local_(const cmk_host_variable_ *variable)
{
    return strchr(variable->name, '.') || strncmp(variable->name, "_ZZ", 3) == 0;
}

/* The name as it stands in the source. In C++ the symbol of a static variable begins with _ZL and the length of the
 * name. */
CMK_HOST_HELPER_ const char *cmk_host_variable_name_(const cmk_host_variable_ *variable)
{
    const char *name = variable->name;
    return strncmp(name, "_ZL", 3) == 0 ? name + 3 + strspn(name + 3, "0123456789") : name;
}

/* The `__device__` variable that the address lies behind, so near that no other `__device__` variable can begin
 * between; null where there is none. `index` is that of the first symbol above the address. */
CMK_HOST_HELPER_ const cmk_host_variable_ *cmk_host_variable_behind_(const cmk_host_symbols_ *symbols, size_t index,
                                                                     uintptr_t address)
{
    while (index > 0 && !cmk_host_variable_is_device_(&symbols->all[index - 1])) index--;
    if (index == 0 || !symbols->all[index - 1].writable) return NULL;
    const cmk_host_range_ range = symbols->all[index - 1].range;
    uintptr_t end = range.low_ + range.bytes_;
    uintptr_t next = (end + CMK_HOST_VARIABLE_ALIGN_ - 1) / CMK_HOST_VARIABLE_ALIGN_ * CMK_HOST_VARIABLE_ALIGN_;
    return address >= end && address < next ? &symbols->all[index - 1] : NULL;
}

#if CMK_HOST_WATCH_

#if !defined(CMK_HOST_CONSTANTS_)
#define CMK_HOST_CONSTANTS_ "|" /* the names of the program's `__constant__` variables, each between two bars */
#endif

/* Whether a symbol has a name in it: in C the symbol is the name, in C++ it has the length ahead of it, and may have
 * namespaces before it and arguments of a template behind it. */
CMK_HOST_HELPER_ int cmk_host_symbol_has_(const char *symbol, const char *name, int length)
{
    char part[256];
    if (strncmp(symbol, "_Z", 2) != 0) return (int)strlen(symbol) == length && strncmp(symbol, name, length) == 0;
    snprintf(part, sizeof part, "%d%.*s", length, length, name);
    const char *found = strstr(symbol, part);
    return found && !(found[-1] >= '0' && found[-1] <= '9');
}

CMK_HOST_HELPER_ int cmk_host_variable_is_constant_(const cmk_host_variable_ *variable)
{
    int length = 0;
    for (const char *name = &(CMK_HOST_CONSTANTS_)[1]; *name; name += length + 1) {
        length = (int)strcspn(name, "|");
        if (length > 0 && cmk_host_symbol_has_(variable->name, name, length)) return 1;
    }
    return 0;
}

#endif

CMK_HOST_C_END_

#endif
