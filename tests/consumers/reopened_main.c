/* a program without cmk, which opens and closes a library of kernels many times: each time the result is right, and the
 * process has no more mappings, files and OS threads than before */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 20000 /* blocks enough that each OS thread of the backend gets some of them in the first turns */

static int entries(const char *folder)
{
    DIR *const open = opendir(folder);
    int count = 0;
    while (open && readdir(open)) count++;
    if (open) (void)closedir(open);
    return count;
}

/* mappings, open files and OS threads of this process, one kind in each array element */
static void look(int has[3])
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    int c;
    has[0] = 0;
    while (maps && (c = getc(maps)) != EOF) has[0] += c == '\n';
    if (maps) (void)fclose(maps);
    has[1] = entries("/proc/self/fd");
    has[2] = entries("/proc/self/task");
}

static int use(const char *path)
{
    float values[COUNT];
    int (*add_one)(float *, int) = NULL, wrong = 0;
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 1;
    *(void **)&add_one = dlsym(library, "library_add_one_to_host");
    for (int i = 0; i < COUNT; i++) values[i] = (float)i;
    if (!add_one || !add_one(values, COUNT)) return 1;
    for (int i = 0; i < COUNT; i++) wrong += !(values[i] > (float)i && values[i] < (float)(i + 2));
    return dlclose(library) != 0 || wrong > 0;
}

int main(int argc, char **argv)
{
    int first[3], last[3];
    for (int turn = 0; argc == 3 && turn < atoi(argv[2]); turn++) {
        if (use(argv[1])) return 1;
        if (turn == 20) look(first);
    }
    look(last);
    printf("mappings %d, files %d, threads %d more\n", last[0] - first[0], last[1] - first[1], last[2] - first[2]);
    return 0;
}
