/* launch.h: launches the calls of one definition of cmk by CUDA's driver: its plans are made here, its kernels are
 * those of a module. No header of CUDA is needed: the driver is found when the library is opened.
 *
 *   void *cmk_python_prepare(const cmk_python_place *place, const size_t *sizes, const double *numbers, int *status)
 *       a call of these 4 sizes on a device, its tables filled; NULL, and a status, where that fails
 *   void cmk_python_end(void *call)
 *       of one that was prepared
 *   int cmk_python_launch(void *call, void **arrays, const double *numbers, void *stream)
 *       arrays are those of the definition, which may change their order
 *   PyObject *cmk_python_filter(PyObject *call, PyObject *const *words, Py_ssize_t count)
 *       the same of two arrays that do not overlap, for Python: a function of METH_FASTCALL, whose self is the call and
 *       whose words are in, out and stream; all are numbers, and so is the status that it returns. Python calls its own
 *       functions in a fraction of the time that ctypes takes
 *   void cmk_python_meet(const cmk_python_words *python)
 *       what cmk_python_filter calls of Python
 *   const char *cmk_python_name(int status), *cmk_python_sentence(int status)
 *       of a status above 0
 *
 * A status is 0 where all is well, a cudaError_t of the plan above 0, or below it a CUresult of the driver, negative.
 * Several threads may launch one call.
 *
 * A source defines before it includes this file, of a definition:
 *   typedef struct { ... } cmk_python_tables;
 *   static cudaError_t cmk_python_fill(cmk_python_tables *tables, const double *numbers);
 *   typedef int cmk_python_visit(void *state, const cmk_plan *plan);
 *   static int cmk_python_walk(const cmk_plan_device *device, const cmk_python_tables *tables, void **arrays,
 *                              const size_t *sizes, const double *numbers, cmk_python_visit *visit, void *state);
 *       visits the launches of a call, until one returns another status than 0 */
#include <dlfcn.h>
#include <pthread.h>

#define CMK_PYTHON_PUBLIC_ __attribute__((visibility("default")))

/* functions of Python's stable interface, of their names; an object is a void * */
typedef struct {
    void *(*PyLong_AsVoidPtr)(void *number);
    void *(*PyLong_FromLong)(long number);
    void *(*PyErr_Occurred)(void);
    void *(*PyEval_SaveThread)(void);
    void (*PyEval_RestoreThread)(void *thread);
} cmk_python_words;

typedef struct {
    cmk_plan_device device;
    void *context, *module; /* CUcontext, CUmodule */
} cmk_python_place;

/* ---- The driver: CUfunction, CUstream and CUcontext are void * */
typedef struct {
    int (*get_function)(void **function, void *module, const char *name);
    int (*get_attribute)(int *value, int attribute, void *function);
    int (*set_attribute)(void *function, int attribute, int value);
    int (*occupancy)(int *blocks, void *function, int threads, size_t bytes);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned bytes, void *stream, void **arguments, void **extra);
    int (*current)(void **context);
    int (*push)(void *context);
    int (*pop)(void **context);
} cmk_python_driver_;

enum {
    cmk_python_static_bytes_ = 1,  /* CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES */
    cmk_python_dynamic_bytes_ = 8, /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    cmk_python_not_found_ = 500    /* CUDA_ERROR_NOT_FOUND */
};

static cmk_python_driver_ cmk_python_cuda_;
static int cmk_python_found_;

static void cmk_python_find_(void *library, const char *name, void *function)
{
    void *const found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
    cmk_python_found_ = cmk_python_found_ && found;
}

__attribute__((constructor)) static void cmk_python_find_driver_(void)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    cmk_python_found_ = 1;
    cmk_python_find_(library, "cuModuleGetFunction", &cmk_python_cuda_.get_function);
    cmk_python_find_(library, "cuFuncGetAttribute", &cmk_python_cuda_.get_attribute);
    cmk_python_find_(library, "cuFuncSetAttribute", &cmk_python_cuda_.set_attribute);
    cmk_python_find_(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", &cmk_python_cuda_.occupancy);
    cmk_python_find_(library, "cuLaunchKernel", &cmk_python_cuda_.launch);
    cmk_python_find_(library, "cuCtxGetCurrent", &cmk_python_cuda_.current);
    cmk_python_find_(library, "cuCtxPushCurrent_v2", &cmk_python_cuda_.push);
    cmk_python_find_(library, "cuCtxPopCurrent_v2", &cmk_python_cuda_.pop);
}

/* ---- A call */
enum {
    cmk_python_sizes_ = 4,
    cmk_python_arrays_ = 64,
    cmk_python_kernels_ = 16 /* more than a definition has */
};

typedef struct {
    const char *name; /* of the plan, at its address */
    void *function;
} cmk_python_kernel_;

typedef struct {
    cmk_python_place place;
    size_t sizes[cmk_python_sizes_];
    cmk_python_tables tables;
    cmk_python_kernel_ kernels[cmk_python_kernels_];
    int count; /* of kernels that are known */
    pthread_mutex_t adding;
} cmk_python_call_;

static void *cmk_python_known_(const cmk_python_call_ *call, const char *name)
{
    const int count = __atomic_load_n(&call->count, __ATOMIC_ACQUIRE);
    for (int k = 0; k < count; ++k)
        if (call->kernels[k].name == name) return call->kernels[k].function;
    return NULL;
}

/* A kernel of the module. It may have all shared memory of a block: other calls have it too, whose need is another. */
static int cmk_python_get_(const cmk_python_call_ *call, const char *name, void **function)
{
    int bytes = 0, status = cmk_python_cuda_.get_function(function, call->place.module, name);
    if (status == 0) status = cmk_python_cuda_.get_attribute(&bytes, cmk_python_static_bytes_, *function);
    if (status == 0)
        status = cmk_python_cuda_.set_attribute(*function, cmk_python_dynamic_bytes_,
                                                call->place.device.shared_bytes - bytes);
    return -status;
}

static int cmk_python_add_(cmk_python_call_ *call, const char *name, void **function)
{
    pthread_mutex_lock(&call->adding);
    const int status = cmk_python_get_(call, name, function);
    if (status == 0 && call->count < cmk_python_kernels_ && !cmk_python_known_(call, name)) {
        const cmk_python_kernel_ kernel = {name, *function};
        call->kernels[call->count] = kernel;
        __atomic_store_n(&call->count, call->count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&call->adding);
    return status;
}

/* ---- The launches of a call */
typedef struct {
    cmk_python_call_ *call;
    void *stream;
} cmk_python_launching_;

static int cmk_python_launch_(void *state, const cmk_plan *plan)
{
    const cmk_python_launching_ *const now = state;
    void *function = cmk_python_known_(now->call, plan->kernel);
    const int status = function ? 0 : cmk_python_add_(now->call, plan->kernel, &function);
    if (status != 0) return status;
    return -cmk_python_cuda_.launch(function, plan->grid[0], plan->grid[1], plan->grid[2], plan->block[0],
                                    plan->block[1], plan->block[2], (unsigned)plan->shared_bytes, now->stream,
                                    plan->arguments, NULL);
}

/* in the context of the call, which is that of the thread in most programs */
static int cmk_python_launch_all_(cmk_python_call_ *call, void **arrays, const double *numbers, void *stream)
{
    cmk_python_launching_ now = {call, stream};
    void *context = NULL;
    int status = cmk_python_cuda_.current(&context);
    const int is_another = status == 0 && context != call->place.context;
    if (is_another) status = cmk_python_cuda_.push(call->place.context);
    if (status != 0) return -status;
    status =
        cmk_python_walk(&call->place.device, &call->tables, arrays, call->sizes, numbers, cmk_python_launch_, &now);
    if (is_another) cmk_python_cuda_.pop(&context);
    return status;
}

CMK_PYTHON_PUBLIC_ int cmk_python_launch(void *call, void **arrays, const double *numbers, void *stream)
{
    return cmk_python_launch_all_(call, arrays, numbers, stream);
}

/* Other threads of Python run while a launch waits for room in the stream. */
static cmk_python_words cmk_python_;

CMK_PYTHON_PUBLIC_ void cmk_python_meet(const cmk_python_words *python)
{
    cmk_python_ = *python;
}

CMK_PYTHON_PUBLIC_ void *cmk_python_filter(void *call, void *const *words, ptrdiff_t count)
{
    void *at[3] = {NULL, NULL, NULL};
    if (count != 3) return cmk_python_.PyLong_FromLong(cudaErrorInvalidValue);
    for (int k = 0; k < 3; ++k) at[k] = cmk_python_.PyLong_AsVoidPtr(words[k]);
    call = cmk_python_.PyLong_AsVoidPtr(call);
    if (cmk_python_.PyErr_Occurred()) return NULL;
    void *const thread = cmk_python_.PyEval_SaveThread();
    const int status = cmk_python_launch_all_(call, at, NULL, at[2]);
    cmk_python_.PyEval_RestoreThread(thread);
    return cmk_python_.PyLong_FromLong(status);
}

/* ---- Preparation */
enum { cmk_python_seen_ = 1 << 20 }; /* a status, of no error */

static int cmk_python_occupy_(void *state, const cmk_plan *plan)
{
    cmk_python_call_ *const call = state;
    const int threads = (int)(plan->block[0] * plan->block[1] * plan->block[2]);
    void *function = NULL;
    int status = cmk_python_get_(call, plan->kernel, &function);
    if (status == 0)
        status = -cmk_python_cuda_.occupancy(&call->place.device.resident, function, threads, plan->shared_bytes);
    return status == 0 ? cmk_python_seen_ : status;
}

/* how many blocks of the first kernel an SM has room for, by a plan without tensor cores, of arrays that are nowhere */
static int cmk_python_measure_(cmk_python_call_ *call, const double *numbers)
{
    cmk_plan_device device = call->place.device;
    void *arrays[cmk_python_arrays_];
    for (int k = 0; k < cmk_python_arrays_; ++k) arrays[k] = (void *)(((size_t)k + 1) << 56);
    device.code = 75, device.is_sm_90a = 0;
    const int status = cmk_python_walk(&device, &call->tables, arrays, call->sizes, numbers, cmk_python_occupy_, call);
    return status == cmk_python_seen_ ? 0 : status;
}

CMK_PYTHON_PUBLIC_ void *cmk_python_prepare(const cmk_python_place *place, const size_t *sizes, const double *numbers,
                                            int *status)
{
    cmk_python_call_ *const call = calloc(1, sizeof *call);
    *status = !call ? cudaErrorMemoryAllocation : cmk_python_found_ ? 0 : -cmk_python_not_found_;
    if (*status == 0) {
        call->place = *place;
        memcpy(call->sizes, sizes, sizeof call->sizes);
        pthread_mutex_init(&call->adding, NULL);
        *status = cmk_python_fill(&call->tables, numbers);
    }
    if (*status == 0) *status = cmk_python_measure_(call, numbers);
    if (*status == 0) return call;
    free(call);
    return NULL;
}

CMK_PYTHON_PUBLIC_ void cmk_python_end(void *call)
{
    free(call);
}

CMK_PYTHON_PUBLIC_ const char *cmk_python_name(int status)
{
    return cudaGetErrorName((cudaError_t)status);
}

CMK_PYTHON_PUBLIC_ const char *cmk_python_sentence(int status)
{
    return cudaGetErrorString((cudaError_t)status);
}
