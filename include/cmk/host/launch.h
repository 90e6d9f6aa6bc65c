/* host/launch.h: CMK_LAUNCH on the CPU.
 *
 * A kernel is an ordinary function, and C cannot store a call of it for later. So the launch makes the call once,
 * through a pointer of the kernel's type: the compiler converts the arguments by the kernel's own prototype. But the
 * pointer leads to assembly, which stores what the calling convention has put into registers and on the stack. Every
 * CUDA thread later loads these arguments again and calls the kernel.
 *
 * The number of bytes of arguments on the stack is not known. The arguments lie below everything else that the
 * launching function has there. So all between them and a mark of that function is copied. The mark is the end of its
 * outgoing arguments, with AddressSanitizer the end of its frame.
 *
 * Arguments may be anything that the convention passes in general registers, in vector registers, on the stack, or by
 * reference to a copy of the caller, aligned to at most 256 bytes. Scalable vectors are not supported. All threads
 * share a copy that is passed by reference. On aarch64 these are structs above 16 bytes, in C++ classes with a copy
 * constructor. The copy ends with the call, so such a launch is done when CMK_LAUNCH returns. Any other launch waits in
 * its stream (queue.h).
 *
 * What a kernel launches runs when its whole grid has ended, and before what follows the kernel in its stream. The
 * launches run one after the other, each with its own launches before the next. CUDA promises a kernel no more: what it
 * launches may begin later, and the kernel cannot wait for it. */
#include "../base.h"
#ifndef CMK_HOST_LAUNCH_H
#define CMK_HOST_LAUNCH_H

#define CMK_LAUNCH(kernel, ...) CMK_HOST_LAUNCH_(#kernel, kernel, __VA_ARGS__)
#define CMK_HOST_LAUNCH_(name, kernel, grid, block, shared_bytes, stream, ...)                                         \
    ((void)sizeof((kernel)(__VA_ARGS__), 0), /* the compiler reports a wrong call by the kernel's name */              \
     ((__typeof__(&*(kernel)))cmk_host_prepare_(                                                                       \
         (cmk_host_code_)(__typeof__(&*(kernel)))(kernel), name,                                                       \
         cmk_host_config_of_(CMK_HOST_SIZE_(grid), CMK_HOST_SIZE_(block), (shared_bytes), (stream)),                   \
         (uintptr_t)CMK_HOST_STACK_MARK_, cmk_host_module_(), __FILE__, __LINE__))(__VA_ARGS__),                       \
     cmk_host_run_(CMK_HOST_COUNTS_, CMK_HOST_BORROWS_(kernel)))

/* An address right above the outgoing arguments of the function that this stands in. An allocation of no bytes on its
 * stack would begin there. Clang must not know that the allocation has no bytes. But gcc must know it: it then removes
 * what earlier calls have left on the stack before it goes on behind a branch. AddressSanitizer would allocate
 * something. */
#if CMK_HOST_ASAN_
#define CMK_HOST_STACK_MARK_ __builtin_frame_address(0)
#elif defined(__clang__)
#define CMK_HOST_STACK_MARK_ __builtin_alloca(cmk_host_nothing_)
#else
#define CMK_HOST_STACK_MARK_ (cmk_host_nothing_ ? (void *)0 : __builtin_alloca(0))
#endif

/* Room for the largest parameters that CUDA allows, 32,764 bytes, and for the gaps between aligned ones. */
#define CMK_HOST_STACK_BYTES_ ((size_t)40 << 10)

/* The most blocks of a cooperative launch. */
#define CMK_HOST_TOGETHER_ 1024u

typedef void (*cmk_host_code_)(void);

/* The dynamic shared memory that cudaFuncSetAttribute has allowed for a kernel, in bytes. */
typedef struct cmk_host_allowed_ {
    struct cmk_host_allowed_ *next_;
    uintptr_t kernel_;
    size_t bytes_;
} cmk_host_allowed_;

CMK_HOST_C_BEGIN_

/* ---- Sizes of grid and block */
#if defined(__cplusplus)
#define CMK_HOST_SIZE_(size) cmk_host_size_(size)
static inline uint3 cmk_host_size_(dim3 size)
{
    return size;
}
#else
#define CMK_HOST_SIZE_(size) _Generic((size), dim3 : cmk_host_size_, default : cmk_host_size_x_)(size)
static inline uint3 cmk_host_size_(dim3 size)
{
    return size;
}

static inline uint3 cmk_host_size_x_(unsigned x)
{
    return make_uint3(x, 1, 1);
}
#endif

CMK_HOST_C_END_

/* Whether a kernel takes arguments by reference. In C++ the types show it; for C see cmk_host_borrows_. */
#if defined(__cplusplus)
#define CMK_HOST_BORROWS_(kernel) cmk_host_borrows_of_((__typeof__(&*(kernel)))0)
template <class... argument> constexpr int cmk_host_borrows_of_(void (*)(argument...))
{
#if defined(__aarch64__)
    return (0 || ... || (sizeof(argument) > 16 || !__is_trivially_copyable(argument)));
#else
    return (0 || ... || !__is_trivially_copyable(argument));
#endif
}
#else
#define CMK_HOST_BORROWS_(kernel) 0
#endif

CMK_HOST_C_BEGIN_

/* ---- Capture */
/* Launches of this OS thread whose grid has not run yet, the innermost first. There may be several, as an argument of a
 * launch may be the result of a function that launches. */
CMK_HOST_ONE_ __thread cmk_host_launch_ *cmk_host_pending_;

/* To ThreadSanitizer the threads of a kernel that launch are threads, though one OS thread runs them. It accepts atomic
 * accesses. */
CMK_HOST_HELPER_ cmk_host_launch_ *cmk_host_prepared_(void)
{
    return __atomic_load_n(&cmk_host_pending_, __ATOMIC_RELAXED);
}

CMK_HOST_ONE_ volatile size_t cmk_host_nothing_; /* 0, but the compiler must not know that */

/* Whether any captured vector register has other values than 0 in its bytes `from` to `to`. */
static inline int cmk_host_is_wide_(const uint64_t *registers, size_t from, size_t to)
{
    for (size_t i = 0; i < 64; i++) {
        if (i % 8 >= from / 8 && i % 8 < to / 8 && registers[8 + i]) return 1;
    }
    return 0;
}

/* Copies the captured arguments. It also reads what the caller has beside them on the stack, which AddressSanitizer
 * must not see. */
CMK_HOST_QUIET_ __attribute__((no_sanitize_address)) void cmk_host_captured_(const uint64_t *registers,
                                                                             const uint64_t *stack)
{
    cmk_host_launch_ *launch = cmk_host_prepared_();
    cmk_host_arguments_ *arguments = &launch->arguments_;
    if (launch->fiber_ && launch->fiber_ != cmk_host_worker_now_->running_)
        cmk_host_fail_(launch->file_, launch->line_, "launches kernel %s with an argument that waits for other threads",
                       launch->name_);
    size_t bytes = launch->stack_mark_ > (uintptr_t)stack ? launch->stack_mark_ - (uintptr_t)stack : 0;
    if (CMK_HOST_ASAN_ && bytes > CMK_HOST_STACK_BYTES_) bytes = CMK_HOST_STACK_BYTES_; /* the frame is large */
    bytes = bytes / 8 * 8;
    memcpy(arguments->registers_, registers, sizeof arguments->registers_);
    while (arguments->vector_bytes_ > 16 &&
           !cmk_host_is_wide_(registers, arguments->vector_bytes_ / 2, arguments->vector_bytes_))
        arguments->vector_bytes_ /= 2; /* the upper halves are 0: threads load less */
    if (bytes == 0) return;
    uint64_t *copy = (uint64_t *)cmk_host_need_(malloc(bytes), "the arguments of a launch");
    const volatile uint64_t *word = stack;
    for (size_t i = 0; i < bytes / 8; i++) copy[i] = word[i];
    arguments->stack_ = copy;
    arguments->stack_bytes_ = bytes;
    arguments->stack_low_ = (unsigned)((uintptr_t)stack % 256);
}

/* The address through which a kernel must be called for a capture. It depends on the vector registers of the
 * processor. */
static inline cmk_host_code_ cmk_host_capture_by_(unsigned *vector_bytes)
{
    *vector_bytes = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) {
        *vector_bytes = 64;
        return cmk_host_capture_64_;
    }
    if (__builtin_cpu_supports("avx")) {
        *vector_bytes = 32;
        return cmk_host_capture_32_;
    }
#endif
    return cmk_host_capture_;
}

/* The fiber of the CUDA thread that launches; null where the host launches. */
static inline const cmk_host_fiber_ *cmk_host_launcher_(const char *name, const char *file, int line)
{
    if (cmk_host_is_in_kernel_()) return cmk_host_worker_now_->running_;
    if (cmk_host_kernel_name_)
        cmk_host_fail_(file, line,
                       "launches kernel %s: the kernel before was left by longjmp, and after that the CPU backend has "
                       "no further launches",
                       name);
    return NULL;
}

CMK_HOST_INLINE_ cmk_host_config_ cmk_host_config_of_(uint3 grid, uint3 block, size_t dynamic_bytes,
                                                      cudaStream_t stream)
{
    const cmk_host_config_ config = {grid, block, dynamic_bytes, stream};
    return config;
}

/* Notes a launch. Value: the address through which its kernel must be called once. */
CMK_HOST_CALLED_ cmk_host_code_ cmk_host_prepare_(cmk_host_code_ kernel, const char *name, cmk_host_config_ config,
                                                  uintptr_t stack_mark, cmk_host_range_ module, const char *file,
                                                  int line)
{
    cmk_host_stay_();
    const cmk_host_fiber_ *fiber = cmk_host_launcher_(name, file, line);
    cmk_host_launch_ *launch = (cmk_host_launch_ *)cmk_host_need_(calloc(1, sizeof *launch), "a launch");
    launch->fiber_ = fiber;
    launch->file_ = file;
    launch->line_ = line;
    launch->arguments_.kernel_ = kernel;
    launch->stack_mark_ = stack_mark;
    launch->name_ = name;
    launch->module_ = module;
    launch->grid_ = config.grid_;
    launch->block_ = config.block_;
    launch->dynamic_bytes_ = config.dynamic_bytes_;
    launch->stream_ = config.stream_;
    launch->outer_ = cmk_host_prepared_();
    __atomic_store_n(&cmk_host_capture_to_, &cmk_host_captured_, __ATOMIC_RELAXED);
    __atomic_store_n(&cmk_host_pending_, launch, __ATOMIC_RELAXED);
    return cmk_host_capture_by_(&launch->arguments_.vector_bytes_);
}

/* ---- The limits of a launch */
CMK_HOST_ONE_ pthread_mutex_t cmk_host_allowed_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ cmk_host_allowed_ *cmk_host_allowed_list_;

/* The bytes that a kernel is allowed. Kernel 0 stands for one whose address is not known (plain.h), and has the most of
 * all kernels. */
static inline size_t cmk_host_allowed_bytes_(uintptr_t kernel)
{
    size_t bytes = CMK_HOST_STATIC_LIMIT_;
    pthread_mutex_lock(&cmk_host_allowed_lock_);
    for (cmk_host_allowed_ *entry = cmk_host_allowed_list_; entry; entry = entry->next_) {
        if (kernel && entry->kernel_ != kernel) continue;
        bytes = entry->bytes_ > bytes ? entry->bytes_ : bytes;
        if (kernel) break;
    }
    pthread_mutex_unlock(&cmk_host_allowed_lock_);
    return bytes;
}

/* Adds an entry for a kernel. The newest entry of a kernel comes first in the list and holds. */
static inline void cmk_host_allow_(uintptr_t kernel, size_t bytes)
{
    void *memory = cmk_host_need_(malloc(sizeof(cmk_host_allowed_)), "a kernel's attributes");
    cmk_host_allowed_ *entry = (cmk_host_allowed_ *)memory;
    entry->kernel_ = kernel;
    entry->bytes_ = bytes;
    pthread_mutex_lock(&cmk_host_allowed_lock_);
    entry->next_ = cmk_host_allowed_list_;
    cmk_host_allowed_list_ = entry;
    pthread_mutex_unlock(&cmk_host_allowed_lock_);
}

static inline int cmk_host_size_is_right_(const cmk_host_launch_ *launch)
{
    uint3 grid = launch->grid_;
    uint3 block = launch->block_;
    int grid_fits = grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535;
    int block_fits = block.x <= 1024 && block.y <= 1024 && block.z <= 64;
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z || !grid_fits || !block_fits) return 0;
    uintptr_t kernel = launch->kept_ ? 0 : (uintptr_t)launch->arguments_.kernel_;
    size_t allowed = cmk_host_allowed_bytes_(kernel);
    return block.x * block.y * block.z <= CMK_HOST_THREADS_ && launch->dynamic_bytes_ <= allowed;
}

/* ---- The launch in its stream */

/* A node of a graph may run several times. So what is queued has a copy of its own to run. */
typedef struct cmk_host_launched_ {
    cmk_host_launch_ *launch_, *copy_;
    int borrows_; /* it has arguments that end with the call */
} cmk_host_launched_;

static inline void cmk_host_free_launch_(cmk_host_launch_ *launch)
{
    if (launch->kept_) launch->drop_kept_(launch->kept_);
    free(launch->arguments_.stack_);
    free(launch);
}

/* Runs the grid, and what it launches. */
CMK_HOST_CALLED_ void cmk_host_run_all_of_(cmk_host_launch_ *launch)
{
    if (cmk_host_lasting_() == cudaSuccess) {
        if (launch->counts_) cmk_host_count_begin_(launch);
        cmk_host_run_grid_(launch);
        if (launch->counts_) cmk_host_count_end_();
    }
    for (int tail = 0; tail < 2; tail++) {
        while (launch->children_[tail]) {
            cmk_host_launch_ *child = launch->children_[tail];
            launch->children_[tail] = child->sibling_;
            cmk_host_run_all_of_(child);
            cmk_host_free_launch_(child);
        }
    }
}

CMK_HOST_ONE_ pthread_mutex_t cmk_host_children_lock_ = PTHREAD_MUTEX_INITIALIZER;

/* Adds a launch to the launch of the kernel that makes it. */
static inline void cmk_host_add_child_(cmk_host_launch_ *child)
{
    cmk_host_launch_ *launch = (cmk_host_launch_ *)(uintptr_t)cmk_host_worker_now_->launch_;
    const int tail = child->stream_ == cudaStreamTailLaunch;
    pthread_mutex_lock(&cmk_host_children_lock_);
    if (launch->children_[tail])
        launch->newest_[tail]->sibling_ = child;
    else
        launch->children_[tail] = child;
    launch->newest_[tail] = child;
    pthread_mutex_unlock(&cmk_host_children_lock_);
}

CMK_HOST_CALLED_ void cmk_host_run_launch_(void *what)
{
    cmk_host_launched_ *launched = (cmk_host_launched_ *)what;
    cmk_host_run_all_of_(launched->copy_ ? launched->copy_ : launched->launch_);
    free(launched->copy_);
}

static inline int cmk_host_keep_launch_(void *what)
{
    cmk_host_launched_ *launched = (cmk_host_launched_ *)what;
    launched->copy_ = (cmk_host_launch_ *)cmk_host_need_(malloc(sizeof *launched->copy_), "a launch");
    *launched->copy_ = *launched->launch_;
    return launched->borrows_;
}

static inline void cmk_host_drop_launch_(void *what)
{
    cmk_host_free_launch_(((cmk_host_launched_ *)what)->launch_);
}

/* Whether a general register holds an address in the caller's frame, perhaps of a copy. Where the frame ends is not
 * known. */
static inline int cmk_host_borrows_(const cmk_host_launch_ *launch)
{
#if defined(__aarch64__)
    for (int i = 0; i < 8; i++)
        if (launch->arguments_.registers_[i] - launch->stack_mark_ < (uint64_t)1 << 16) return 1;
#endif
    (void)launch;
    return 0;
}

/* The error for a graph: arguments that end with the call cannot be in it. */
static inline cudaError_t cmk_host_borrow_error_(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    return error == cudaSuccess && status != cudaStreamCaptureStatusNone ? cudaErrorStreamCaptureUnsupported : error;
}

static inline cudaError_t cmk_host_device_error_(cudaStream_t stream, int device)
{
    if (!stream || cmk_host_options_now_.devices_ == 1) return cudaSuccess;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const cmk_host_stream_ *found = cmk_host_stream_of_(stream);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return found && found->device_ == device ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* What is wrong with a launch. A launch by a kernel runs later, when arguments that end with the call are gone. */
static inline cudaError_t cmk_host_launch_error_(const cmk_host_launch_ *launch, int borrows)
{
    if (!cmk_host_size_is_right_(launch)) return cudaErrorInvalidValue; /* CUDA 13; 12: cudaErrorInvalidConfiguration */
    if (launch->cooperative_ && launch->grid_.x * launch->grid_.y * launch->grid_.z > CMK_HOST_TOGETHER_)
        return cudaErrorCooperativeLaunchTooLarge;
    if (launch->fiber_ && borrows)
        cmk_host_fail_(launch->file_, launch->line_, "launches kernel %s with an argument that ends with the call",
                       launch->name_);
    if (launch->fiber_) return cudaSuccess;
    const cudaError_t error = cmk_host_device_error_(launch->stream_, cmk_host_device_now_);
    return error == cudaSuccess && borrows ? cmk_host_borrow_error_(launch->stream_) : error;
}

/* Whether launches go on beside the host: from the first one on after an allocation of memory that the host sees. */
static inline int cmk_host_goes_beside_(void)
{
#if CMK_HOST_WATCH_
    int seen = cmk_host_first_aside_ != NULL;
    if (CMK_HOST_TRACE_) return 0; /* accesses are counted on one OS thread */
    pthread_mutex_lock(&cmk_host_memory_lock_);
    for (size_t i = 0; i < cmk_host_live_count_ && !seen; i++)
        seen = cmk_host_live_owner_[i].kind_ != cmk_host_device_ && cmk_host_live_owner_[i].kind_ != cmk_host_symbol_;
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return seen;
#else
    return 0;
#endif
}

/* Runs the launch that was prepared last, or leaves it to its stream. */
__attribute__((warn_unused_result)) CMK_HOST_CALLED_ cudaError_t cmk_host_run_(int counts, int borrows)
{
    static const cmk_host_job_ jobs[2] = {
        {cmk_host_run_launch_, NULL, cmk_host_keep_launch_, cmk_host_drop_launch_, NULL, 0},
        {cmk_host_run_launch_, NULL, cmk_host_keep_launch_, cmk_host_drop_launch_, NULL, 2}};
    cmk_host_launch_ *launch = cmk_host_prepared_();
    cmk_host_launched_ launched = {launch, NULL, borrows};
    __atomic_store_n(&cmk_host_pending_, launch->outer_, __ATOMIC_RELAXED);
    (void)cmk_host_options_read_();
    launched.borrows_ = borrows || cmk_host_borrows_(launch);
    cudaError_t error = cmk_host_launch_error_(launch, launched.borrows_);
    if (error == cudaSuccess) error = cmk_host_lasting_();
    if (error != cudaSuccess) {
        cmk_host_drop_launch_(&launched);
        return error;
    }
    launch->threads_ = launch->block_.x * launch->block_.y * launch->block_.z;
    launch->blocks_ = (unsigned long long)launch->grid_.x * launch->grid_.y * launch->grid_.z;
    launch->device_ = launch->fiber_ ? cmk_host_worker_now_->launch_->device_ : cmk_host_device_now_;
    launch->counts_ = counts;
    if (launch->fiber_) {
        cmk_host_add_child_(launch);
        return cudaSuccess;
    }
    /* leaves no last error behind */
    error = cmk_host_submit_(launch->stream_, &jobs[cmk_host_goes_beside_()], &launched, sizeof launched);
    const cudaError_t lasting = cmk_host_lasting_();
    return lasting != cudaSuccess ? lasting : error;
}

CMK_HOST_C_END_

#endif
