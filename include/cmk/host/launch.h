/* host/launch.h: CMK_LAUNCH on the CPU.
 *
 * A kernel is an ordinary function, and C has no way to store a call of it for later. So the launch makes
 * the call once, through a pointer of the kernel's type: the compiler converts the arguments against the
 * kernel's own prototype. But the pointer leads to a piece of assembly that stores where the calling
 * convention put the arguments (registers and stack). Every CUDA thread later loads them again and calls the
 * kernel.
 *
 * Arguments may be anything that the convention passes in general registers, in the low 128 bits of vector
 * registers, on the stack, or by reference to a copy of the caller, up to 24 of them in C. */
#include "../base.h"
#ifndef CMK_HOST_LAUNCH_H
#define CMK_HOST_LAUNCH_H

#define CMK_LAUNCH(kernel_, grid_, block_, shared_bytes_, stream_, ...)                                      \
    ((void)sizeof((kernel_)(__VA_ARGS__), 0), /* a wrong call is told of by the kernel's name */             \
     ((__typeof__(&*(kernel_)))cmk_host_prepare_(                                                            \
         (cmk_host_code_)(__typeof__(&*(kernel_)))(kernel_), #kernel_, CMK_HOST_SIZE_(grid_),                \
         CMK_HOST_SIZE_(block_), (shared_bytes_), (stream_), CMK_HOST_ARGUMENT_BYTES_(kernel_, __VA_ARGS__), \
         cmk_host_module_(), __FILE__, __LINE__))(__VA_ARGS__),                                              \
     cmk_host_run_(CMK_HOST_COUNTS_))

typedef void (*cmk_host_code_)(void);

/* Dynamic shared memory that cudaFuncSetAttribute allowed a kernel. */
typedef struct cmk_host_allowed_ {
    struct cmk_host_allowed_ *next_;
    uintptr_t kernel_;
    size_t bytes_;
} cmk_host_allowed_;

CMK_HOST_C_BEGIN_

/* ---- Sizes of grid and block */
#if defined(__cplusplus)
#define CMK_HOST_SIZE_(size_) cmk_host_size_(size_)
static inline uint3 cmk_host_size_(dim3 size_)
{
    return size_;
}
#else
#define CMK_HOST_SIZE_(size_) _Generic((size_), dim3 : cmk_host_size_, default : cmk_host_size_x_)(size_)
static inline uint3 cmk_host_size_(dim3 size_)
{
    return size_;
}

static inline uint3 cmk_host_size_x_(unsigned x_)
{
    return make_uint3(x_, 1, 1);
}
#endif

CMK_HOST_C_END_

/* ---- An upper bound of the bytes of stack arguments. Each argument counts as its size rounded up to 16, one
 * above 8 bytes also as 2^20: a sum up to 96 says that all fit into registers. */
#define CMK_HOST_MANY_ ((size_t)1 << 20)

static inline size_t cmk_host_round_(size_t bytes_)
{
    return (bytes_ + 15) / 16 * 16 + (bytes_ > 8 ? CMK_HOST_MANY_ : 0);
}

static inline size_t cmk_host_stack_bytes_(size_t sum_)
{
    return sum_ <= 96 ? 0 : sum_ % CMK_HOST_MANY_;
}

#if defined(__cplusplus)
template <class... parameters_> static inline size_t cmk_host_sum_(void (*)(parameters_...))
{
    return (cmk_host_round_(sizeof(parameters_)) + ... + 0);
}
#define CMK_HOST_ARGUMENT_BYTES_(kernel_, ...)                                                               \
    cmk_host_stack_bytes_(cmk_host_sum_((__typeof__(&*(kernel_)))(kernel_)))
#else
#define CMK_HOST_ARGUMENT_BYTES_(kernel_, ...)                                                               \
    CMK_HOST_JOIN_(CMK_HOST_BYTES_, CMK_HOST_IS_EMPTY_(__VA_ARGS__))(__VA_ARGS__)
#define CMK_HOST_BYTES_1(...) ((size_t)0)
#define CMK_HOST_BYTES_0(...)                                                                                \
    cmk_host_stack_bytes_(                                                                                   \
        CMK_HOST_SUM_24_(                                                                                    \
            __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) -           \
        16 * (24 - CMK_HOST_COUNT_(__VA_ARGS__)))

/* The conditional makes a pointer of an array. A 0 behind the arguments counts 16 bytes. */
#define CMK_HOST_BYTES_OF_(argument_) cmk_host_round_(sizeof(1 ? (argument_) : (argument_)))
/* clang-format off */
#define CMK_HOST_SUM_4_(a_, b_, c_, d_) \
    (CMK_HOST_BYTES_OF_(a_) + CMK_HOST_BYTES_OF_(b_) + CMK_HOST_BYTES_OF_(c_) + CMK_HOST_BYTES_OF_(d_))
#define CMK_HOST_SUM_24_(a_, b_, c_, d_, e_, f_, g_, h_, i_, j_, k_, l_, m_, n_, o_, p_, q_, r_, s_, t_, \
                         u_, v_, w_, x_, ...)                                                            \
    (CMK_HOST_SUM_4_(a_, b_, c_, d_) + CMK_HOST_SUM_4_(e_, f_, g_, h_) +                                 \
     CMK_HOST_SUM_4_(i_, j_, k_, l_) + CMK_HOST_SUM_4_(m_, n_, o_, p_) +                                 \
     CMK_HOST_SUM_4_(q_, r_, s_, t_) + CMK_HOST_SUM_4_(u_, v_, w_, x_))

#define CMK_HOST_COUNT_(...)                                                                             \
    CMK_HOST_25TH_(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6,  \
                   5, 4, 3, 2, 1, 0)
#define CMK_HOST_25TH_(a_, b_, c_, d_, e_, f_, g_, h_, i_, j_, k_, l_, m_, n_, o_, p_, q_, r_, s_, t_,   \
                       u_, v_, w_, x_, y_, ...) y_

/* 1 for an empty list, which differs from one argument in that COMMA () shows a comma, but neither half. */
#define CMK_HOST_IS_EMPTY_(...)                                                                          \
    CMK_HOST_JOIN_(CMK_HOST_EMPTY_,                                                                      \
                   CMK_HOST_JOIN_(CMK_HOST_HAS_COMMA_(CMK_HOST_COMMA_ __VA_ARGS__),                      \
                                  CMK_HOST_JOIN_(CMK_HOST_HAS_COMMA_(__VA_ARGS__()),                     \
                                                 CMK_HOST_HAS_COMMA_(CMK_HOST_COMMA_ __VA_ARGS__()))))
#define CMK_HOST_COMMA_(...) ,
#define CMK_HOST_HAS_COMMA_(...)                                                                         \
    CMK_HOST_25TH_(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)
#define CMK_HOST_EMPTY_000 0
#define CMK_HOST_EMPTY_001 1
#define CMK_HOST_EMPTY_010 0
#define CMK_HOST_EMPTY_011 0
#define CMK_HOST_EMPTY_100 0
#define CMK_HOST_EMPTY_101 0
#define CMK_HOST_EMPTY_110 0
#define CMK_HOST_EMPTY_111 0
#define CMK_HOST_JOIN_(left_, right_) CMK_HOST_JOIN_NOW_(left_, right_)
#define CMK_HOST_JOIN_NOW_(left_, right_) left_##right_
/* clang-format on */
#endif

CMK_HOST_C_BEGIN_

/* ---- Capture */
/* Launches of this OS thread whose grid has not run yet, the innermost first: an argument of a launch may be
 * the result of a function that launches. */
CMK_HOST_ONE_ __thread cmk_host_launch_ *cmk_host_pending_;

/* Reads what the caller left beside its stack arguments too, which AddressSanitizer must not see. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ __attribute__((no_sanitize_address)) void cmk_host_captured_(
    const uint64_t *registers_, const uint64_t *stack_)
{
    cmk_host_arguments_ *arguments_ = &cmk_host_pending_->arguments_;
    uint64_t *copy_ = (uint64_t *)arguments_->stack_;
    const volatile uint64_t *word_ = stack_;
    memcpy(arguments_->registers_, registers_, sizeof arguments_->registers_);
    for (size_t i_ = 0; i_ < arguments_->stack_bytes_ / 8; i_++)
        copy_[i_] = word_[i_];
}

/* Notes a launch and gives the address through which its kernel must be called once. */
CMK_HOST_ONE_ __attribute__((noinline)) cmk_host_code_ cmk_host_prepare_(
    cmk_host_code_ kernel_, const char *name_, uint3 grid_, uint3 block_, size_t dynamic_bytes_,
    struct CUstream_st *stream_, size_t argument_bytes_, cmk_host_range_ module_, const char *file_, int line_)
{
    if (cmk_host_kernel_name_)
        cmk_host_fail_(
            file_, line_, "launches kernel %s: the CPU backend has no launches from kernels", name_);
    size_t bytes_ = sizeof(cmk_host_launch_) + argument_bytes_;
    cmk_host_launch_ *launch_ = (cmk_host_launch_ *)cmk_host_need_(calloc(1, bytes_), "a launch");
    launch_->arguments_.kernel_ = kernel_;
    launch_->arguments_.stack_ = launch_ + 1;
    launch_->arguments_.stack_bytes_ = argument_bytes_;
    launch_->name_ = name_;
    launch_->module_ = module_;
    launch_->grid_ = grid_;
    launch_->block_ = block_;
    launch_->dynamic_bytes_ = dynamic_bytes_;
    launch_->stream_ = stream_;
    launch_->outer_ = cmk_host_pending_;
    cmk_host_pending_ = launch_;
    return cmk_host_capture_;
}

/* ---- The limits of a launch */
CMK_HOST_ONE_ pthread_mutex_t cmk_host_allowed_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ cmk_host_allowed_ *cmk_host_allowed_list_;

static inline size_t cmk_host_allowed_bytes_(uintptr_t kernel_)
{
    size_t bytes_ = CMK_HOST_STATIC_LIMIT_;
    pthread_mutex_lock(&cmk_host_allowed_lock_);
    for (cmk_host_allowed_ *entry_ = cmk_host_allowed_list_; entry_; entry_ = entry_->next_) {
        if (entry_->kernel_ == kernel_) {
            bytes_ = entry_->bytes_ > bytes_ ? entry_->bytes_ : bytes_;
            break;
        }
    }
    pthread_mutex_unlock(&cmk_host_allowed_lock_);
    return bytes_;
}

/* The newest entry of a kernel comes first and holds. */
static inline void cmk_host_allow_(uintptr_t kernel_, size_t bytes_)
{
    void *memory_ = cmk_host_need_(malloc(sizeof(cmk_host_allowed_)), "a kernel's attributes");
    cmk_host_allowed_ *entry_ = (cmk_host_allowed_ *)memory_;
    entry_->kernel_ = kernel_;
    entry_->bytes_ = bytes_;
    pthread_mutex_lock(&cmk_host_allowed_lock_);
    entry_->next_ = cmk_host_allowed_list_;
    cmk_host_allowed_list_ = entry_;
    pthread_mutex_unlock(&cmk_host_allowed_lock_);
}

static inline int cmk_host_size_is_right_(const cmk_host_launch_ *launch_)
{
    uint3 grid_ = launch_->grid_;
    uint3 block_ = launch_->block_;
    int grid_fits_ = grid_.x <= 0x7fffffffu && grid_.y <= 65535 && grid_.z <= 65535;
    int block_fits_ = block_.x <= 1024 && block_.y <= 1024 && block_.z <= 64;
    if (!grid_.x || !grid_.y || !grid_.z || !block_.x || !block_.y || !block_.z || !grid_fits_ ||
        !block_fits_)
        return 0;
    uintptr_t kernel_ = (uintptr_t)launch_->arguments_.kernel_;
    size_t allowed_ = cmk_host_allowed_bytes_(kernel_);
    return block_.x * block_.y * block_.z <= CMK_HOST_THREADS_ && launch_->dynamic_bytes_ <= allowed_;
}

/* Whether the stream exists (runtime.h). */
CMK_HOST_ONE_ int cmk_host_is_stream_(struct CUstream_st *stream_);

/* Runs the launch prepared last. */
__attribute__((warn_unused_result)) CMK_HOST_ONE_ cudaError_t cmk_host_run_(int counts_)
{
    cmk_host_launch_ *launch_ = cmk_host_pending_;
    cudaError_t error_ = cudaSuccess;
    cmk_host_pending_ = launch_->outer_;
    (void)pthread_once(&cmk_host_options_once_, cmk_host_read_environment_);
    if (!cmk_host_size_is_right_(launch_))
        error_ = cudaErrorInvalidValue; /* CUDA 13; 12 says cudaErrorInvalidConfiguration */
    else if (!cmk_host_is_stream_(launch_->stream_))
        error_ = cudaErrorInvalidResourceHandle;
    if (error_ == cudaSuccess) {
        launch_->threads_ = launch_->block_.x * launch_->block_.y * launch_->block_.z;
        launch_->blocks_ = (unsigned long long)launch_->grid_.x * launch_->grid_.y * launch_->grid_.z;
        if (counts_)
            cmk_host_count_begin_(launch_);
        cmk_host_run_grid_(launch_);
        if (counts_)
            cmk_host_count_end_();
    }
    free(launch_);
    return error_; /* as on the GPU: reported here, and left to no later cudaGetLastError */
}

CMK_HOST_C_END_

#endif
