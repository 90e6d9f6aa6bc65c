/* kernel/plan.h: the launches of a call of a definition, as plain C. They are for programs that launch its kernels by
 * other means than its launchers: by cuLaunchKernel of a module that NVRTC has compiled, by CuPy, or in a process of
 * Python. The launchers launch by the same plans.
 *
 *   name_call                        a struct of each definition: a call, and its launch at hand. Only its first
 *                                    member, plan, is public
 *   cudaError_t name_plan(name_call *call, const cmk_plan_device *device, the arguments of name but the stream)
 *   cudaError_t name_batch_plan(...), name_region_plan(...) and so on: one for each launcher
 *                                    begins a call; where there is nothing to launch, the error is that of the launcher
 *   const char *name_why(the arguments of name but the stream), name_batch_why(...), name_region_why(...) and so on
 *                                    why a launcher refuses a call: a sentence with the words of its arguments, such as
 *                                    "in and out overlap". NULL where it does not. The sentence holds until this host
 *                                    thread asks again. A stencil has one name_why(const name_grid *grid, ...) for all
 *                                    of its launchers. Launchers of the CPU backend print the sentence: "cmk: blur: in
 *                                    and out overlap". Those of a GPU do so where CMK_SAY_WHY is 1 (why.h)
 *   int name_next(name_call *call)   1: call->plan is the next launch. 0: there is none; call->plan.error says why, and
 *                                    is cudaSuccess behind the last launch
 *
 *   cmk_plan                         a launch
 *       error, why                       those of name_plan and name_why
 *       kernel                       the kernel's name: cuModuleGetFunction finds it where NVRTC has compiled the
 *                                    definition, or nvcc with CMK_C_NAMES
 *       function                     its address, for cudaLaunchKernel; NULL where CMK_PLAN_ONLY is 1
 *       grid[3], block[3], shared_bytes
 *                                    more than 49152 bytes of dynamic shared memory must be allowed first, by
 *                                    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
 *       arguments, argument_bytes, argument_count
 *                                    the addresses of the values of the kernel's parameters, as cuLaunchKernel takes
 *                                    them, the bytes of each value, and their number. They lie in the call, and hold
 *                                    until the next name_next
 *
 *   cmk_plan_device                  what a plan takes into account: see its members. NULL, or one of 0 processors,
 *                                    stands for the current device: the runtime is asked about it, and about the code
 *                                    that this program has for it
 *   CMK_C_NAMES                      1, defined ahead of cmk's headers: nvcc gives kernels the names of their plans, as
 *                                    NVRTC does, and compiles the passes of all stencils
 *
 *   blur_call call;
 *   error = blur_plan(&call, &device, in, pitch, out, pitch, rows, columns, weights);
 *   while (blur_next(&call)) {
 *       const cmk_plan *p = &call.plan;
 *       cuModuleGetFunction(&function, module, p->kernel);
 *       cuLaunchKernel(function, p->grid[0], p->grid[1], p->grid[2], p->block[0], p->block[1], p->block[2],
 *                      (unsigned)p->shared_bytes, stream, p->arguments, NULL);
 *   }
 *
 * The host's part needs no CUDA. gcc compiles, with the CPU backend, the source that NVRTC compiles. A plan for a
 * device is then what nvcc's launcher does on that device. With -DCMK_PLAN_ONLY=1 the kernels are not compiled for the
 * CPU, and all takes a third of a second to compile. A CONSTANT or GLOBAL table is the variable name_values_ of the
 * module. */
#ifndef CMK_KERNEL_PLAN_H
#define CMK_KERNEL_PLAN_H

#include "../base.h"

#if CMK_HAS_HOST_

typedef struct cmk_plan {
    cudaError_t error;
    const char *why;
    const char *kernel;
    const void *function;
    unsigned grid[3], block[3];
    size_t shared_bytes;
    void **arguments;
    const size_t *argument_bytes;
    int argument_count;
} cmk_plan;

typedef struct cmk_plan_device {
    int processors;   /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */
    int shared_bytes; /* CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */
    int bus_bits;     /* CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: of an H100 5120, of an H200 6016 */
    int code;         /* what its kernels are compiled for: 75 for sm_75, 90 for sm_90 and sm_90a */
    int is_sm_90a;    /* 1: for sm_90a, on an H100 or H200 */
    int resident;     /* blocks of name_kernel, as planned with 0 here, that an SM has room for:
                         cuOccupancyMaxActiveBlocksPerMultiprocessor; 0: as many as its launch bounds say */
} cmk_plan_device;

/* The address of a kernel. A kernel whose address is taken is compiled. */
#if defined(CMK_PLAN_ONLY) && CMK_PLAN_ONLY && !defined(__CUDACC__)
#define CMK_PLAN_FUNCTION_(kernel) ((size_t)0)
#else
#define CMK_PLAN_FUNCTION_(kernel) ((size_t)(kernel))
#endif
#define CMK_PLAN_TEXT_(kernel) #kernel

/* Returns whether a plan is for a device that the caller describes, not for the current one. */
static inline int cmk_plan_is_given_(const cmk_plan_device *device)
{
    return device != NULL && device->processors > 0;
}

static inline cmk_plan_device cmk_plan_device_of_(const cmk_plan_device *device)
{
    const cmk_plan_device at_work = {0, 0, 0, 0, 0, 0};
    return device != NULL ? *device : at_work;
}

/* Writes a fact of a device: `told`, where the caller describes the device, or an attribute of the current one. */
static inline cudaError_t cmk_plan_fact_(const cmk_plan_device *device, int told, enum cudaDeviceAttr attribute,
                                         int *value)
{
    int number = 0;
    if (cmk_plan_is_given_(device)) {
        *value = told;
        return cudaSuccess;
    }
    const cudaError_t error = cudaGetDevice(&number);
    return error != cudaSuccess ? error : cudaDeviceGetAttribute(value, attribute, number);
}

static inline cudaError_t cmk_plan_processors_(const cmk_plan_device *device, int *processors)
{
    return cmk_plan_fact_(device, device == NULL ? 0 : device->processors, cudaDevAttrMultiProcessorCount, processors);
}

static inline cudaError_t cmk_plan_shared_bytes_(const cmk_plan_device *device, int *bytes)
{
    return cmk_plan_fact_(device, device == NULL ? 0 : device->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                          bytes);
}

static inline cudaError_t cmk_plan_bus_bits_(const cmk_plan_device *device, int *bits)
{
    return cmk_plan_fact_(device, device == NULL ? 0 : device->bus_bits, cudaDevAttrGlobalMemoryBusWidth, bits);
}

/* An argument of a launch: where its value is, and its bytes. */
typedef struct {
    void *at;
    size_t bytes;
} cmk_plan_argument_;
static inline cmk_plan_argument_ cmk_plan_argument_of_(const void *at, size_t bytes)
{
    const cmk_plan_argument_ argument = {(void *)at, bytes};
    return argument;
}
#define CMK_PLAN_ARGUMENT_(value) cmk_plan_argument_of_(&(value), sizeof(value))

/* Writes the kernel of a launch to its plan, and its arguments. There are all_bytes bytes of them. The arrays
 * `arguments` and `bytes` of the call get the address and the size of each. */
static inline void cmk_plan_show_(cmk_plan *plan, const char *kernel, size_t function, const cmk_plan_argument_ *all,
                                  size_t all_bytes, void **arguments, size_t *bytes)
{
    plan->kernel = kernel;
    plan->function = (const void *)function;
    plan->argument_count = (int)(all_bytes / sizeof *all);
    for (int i = 0; i < plan->argument_count; ++i) {
        arguments[i] = all[i].at;
        bytes[i] = all[i].bytes;
    }
    plan->arguments = arguments;
    plan->argument_bytes = bytes;
}

/* Writes the error of a plan that an engine made, and why. Returns the error. */
static inline cudaError_t cmk_plan_made_(cmk_plan *plan, cudaError_t error, const char *why)
{
    plan->error = error;
    plan->why = why;
    return error;
}

/* Returns is_next, whether an engine has another launch, and writes its error to the plan. */
static inline int cmk_plan_goes_on_(cmk_plan *plan, int is_next, const cudaError_t *error)
{
    plan->error = *error;
    return is_next;
}

static inline void cmk_plan_show_sizes_(cmk_plan *plan, dim3 grid, dim3 block, size_t shared_bytes)
{
    plan->grid[0] = grid.x, plan->grid[1] = grid.y, plan->grid[2] = grid.z;
    plan->block[0] = block.x, plan->block[1] = block.y, plan->block[2] = block.z;
    plan->shared_bytes = shared_bytes;
}

#endif

#endif
