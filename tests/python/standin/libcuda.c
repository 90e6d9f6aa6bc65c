/* A stand-in for CUDA's driver, on a machine without one: two devices, and launches that are written down and run
 * nothing. Functions of its own, for the test:
 *
 *   void standin_sizes(const char *kernel, const size_t *bytes, int count)      how long a kernel's arguments are
 *   void standin_forget(void)             that they are
 *   void standin_fail(int status)         what the next launch returns; all, where it is negative
 *   const char *standin_log(void)         a line for each launch since the last call: kernel, grid, block, bytes of
 *                                         shared memory, stream, context, and the bytes of its arguments */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { most = 256, devices = 2 };

typedef struct {
    char name[64];
    const void *module;
    size_t bytes[16]; /* of arguments; of all modules */
    int count, dynamic_bytes;
} function;

static function functions[most], told[most];
static int known, names, modules, failure;
static char lines[1 << 20], taken[1 << 20];
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static __thread void *contexts[most];
static __thread int depth;

static function *find(function *all, int *count, const void *module, const char *name)
{
    for (int k = 0; k < *count; ++k)
        if (all[k].module == module && strcmp(all[k].name, name) == 0) return &all[k];
    if (*count == most) return NULL;
    snprintf(all[*count].name, sizeof all[*count].name, "%s", name);
    all[*count].module = module;
    all[*count].count = 0;
    all[*count].dynamic_bytes = 49152;
    return &all[(*count)++];
}

void standin_sizes(const char *kernel, const size_t *bytes, int count)
{
    function *const f = find(told, &names, NULL, kernel);
    memcpy(f->bytes, bytes, (size_t)count * sizeof *bytes);
    f->count = count;
}

void standin_forget(void)
{
    names = 0;
}

void standin_fail(int status)
{
    failure = status;
}

const char *standin_log(void)
{
    pthread_mutex_lock(&writing);
    strcpy(taken, lines);
    lines[0] = '\0';
    pthread_mutex_unlock(&writing);
    return taken;
}

/* ---- the driver */
int cuInit(unsigned flags)
{
    return flags == 0 ? 0 : 1;
}

int cuGetErrorName(int status, const char **name)
{
    *name = status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return 0;
}

int cuGetErrorString(int status, const char **text)
{
    *text = status == 700 ? "an illegal memory access was encountered" : "another error";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = devices;
    return 0;
}

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return number < devices ? 0 : 101;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const int first[] = {132, 5120, 9, 0, 232448}, second[] = {108, 5120, 8, 0, 166912};
    const int *const all = device == 0 ? first : second;
    *value = attribute == 16   ? all[0]
             : attribute == 37 ? all[1]
             : attribute == 75 ? all[2]
             : attribute == 76 ? all[3]
             : attribute == 97 ? all[4]
                               : -1;
    return *value < 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = (void *)(size_t)(0x1000 + device);
    return 0;
}

int cuCtxGetCurrent(void **context)
{
    *context = depth > 0 ? contexts[depth - 1] : NULL;
    return 0;
}

int cuCtxPushCurrent_v2(void *context)
{
    contexts[depth++] = context;
    return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = contexts[--depth];
    return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
    static char all[most];
    *module = &all[modules++ % most];
    return depth > 0 && image ? 0 : 201;
}

int cuModuleGetFunction(void **found, void *module, const char *name)
{
    *found = find(functions, &known, module, name);
    return module && *found ? 0 : 500;
}

int cuFuncGetAttribute(int *value, int attribute, void *of)
{
    *value = attribute == 1 ? 1024 : 0;
    return !of;
}

int cuFuncSetAttribute(void *of, int attribute, int value)
{
    if (attribute != 8 || value > 232448 - 1024) return 1;
    ((function *)of)->dynamic_bytes = value;
    return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *of, int threads, size_t bytes)
{
    (void)bytes;
    *blocks = of ? 2048 / threads : 0;
    return 0;
}

int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer)
{
    *(int *)value = 0;
    return attribute != 9 || pointer == 0;
}

int cuLaunchKernel(void *of, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned bytes, void *stream, void **arguments, void **extra)
{
    const function *const f = of, *const its = find(told, &names, NULL, f->name);
    const int status = failure < 0 ? -failure : failure;
    if (failure > 0) failure = 0;
    if (status != 0) return status;
    if (depth == 0 || extra || (int)bytes > f->dynamic_bytes) return 1;
    pthread_mutex_lock(&writing);
    char *at = lines + strlen(lines);
    at += sprintf(at, "%s %u %u %u, %u %u %u, %u, %zx, %zx:", f->name, grid_x, grid_y, grid_z, block_x, block_y,
                  block_z, bytes, (size_t)stream, (size_t)contexts[depth - 1]);
    for (int k = 0; k < its->count; ++k) {
        at += sprintf(at, " ");
        for (size_t i = 0; i < its->bytes[k]; ++i) at += sprintf(at, "%02x", ((unsigned char *)arguments[k])[i]);
    }
    sprintf(at, "\n");
    pthread_mutex_unlock(&writing);
    return 0;
}
