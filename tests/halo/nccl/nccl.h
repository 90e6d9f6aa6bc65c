/* nccl.h: a stand-in for NCCL 2.30 where there is no GPU: the calls that exchanges of halos need, on the CPU backend,
 * with all ranks in one process: threads, or one thread whose calls for all ranks are one group.
 *
 * As NCCL does: messages between two ranks are matched by their order, and those of a group move together, when the
 * streams of both ranks have come to them; a group of one communicator is one work of its stream, and may be captured;
 * a put arrives when its own stream has come to it, whatever the other rank does. Unlike NCCL, several ranks may share
 * a device. What would hang there, write past the end of a buffer or mix two messages up ends the program with a
 * sentence, `cmk: NCCL: rank 1 receives ...`; errors that NCCL returns are returned. It is stricter in one thing: a
 * communicator that has registered memory sends and receives no other, and memory is freed when it no longer is. */
#ifndef NCCL_H_
#define NCCL_H_

#include <cmk/base.h>

#define NCCL_MAJOR 2
#define NCCL_MINOR 30
#define NCCL_PATCH 0
#define NCCL_VERSION_CODE 23000
#define NCCL_VERSION(X, Y, Z) ((X)*10000 + (Y)*100 + (Z))
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_WIN_DEFAULT 0x00
#define NCCL_WIN_COLL_SYMMETRIC 0x01
#define NCCL_WIN_REQUIRED_ALIGNMENT 4096

typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;

typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7
} ncclResult_t;

typedef enum {
    ncclInt8 = 0,
    ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclFloat32 = 7,
    ncclFloat = 7,
    ncclFloat64 = 8,
    ncclDouble = 8
} ncclDataType_t;

typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3 } ncclRedOp_t;

typedef struct {
    int opCnt, peer, sigIdx, ctx;
} ncclWaitSignalDesc_t;

enum { cmk_nccl_ranks_ = 64, cmk_nccl_windows_ = 64 };

typedef struct {
    char *start;
    size_t bytes;
} cmk_nccl_memory_;

typedef enum { cmk_nccl_send_, cmk_nccl_receive_, cmk_nccl_reduce_, cmk_nccl_put_, cmk_nccl_wait_ } cmk_nccl_kind_;

/* What a call asks for; the message of its partner when it has been matched. */
typedef struct cmk_nccl_call_ {
    struct cmk_nccl_call_ *next; /* in the list of those without a partner */
    struct cmk_nccl_call_ *partner;
    struct cmk_nccl_group_ *group;
    cmk_nccl_kind_ kind;
    ncclComm_t comm;
    struct cmk_nccl_world_ *world;
    struct cmk_nccl_round_ *round;
    cudaStream_t stream;
    int peer, type, operation; /* operation: of a reduction, and of a wait how many signals */
    char *to;
    const char *from;
    size_t bytes;
    int is_moved, is_registered;
} cmk_nccl_call_;

/* A reduction: the call of each rank. */
typedef struct cmk_nccl_round_ {
    struct cmk_nccl_round_ *next;
    unsigned number;
    int ended; /* ranks */
    cmk_nccl_call_ *call[cmk_nccl_ranks_];
} cmk_nccl_round_;

/* Calls of one communicator in one stream: one run of them. Each call may have a partner's reference. */
typedef struct cmk_nccl_group_ {
    unsigned references;
    int has_come; /* its stream has */
    size_t count;
    cmk_nccl_call_ *calls;
} cmk_nccl_group_;

/* What a work has: the group as it was called, of which a graph has many runs, the one begun last, and its own. */
typedef struct {
    cmk_nccl_group_ *called, *begun;
} cmk_nccl_template_;

typedef struct {
    cmk_nccl_template_ *made;
    cmk_nccl_group_ *group;
} cmk_nccl_work_;

typedef struct cmk_nccl_world_ {
    struct cmk_nccl_world_ *next; /* of those that not all ranks have joined */
    unsigned references;
    int ranks, joined, is_aborted;
    ncclUniqueId id;
    ncclComm_t comm[cmk_nccl_ranks_];
    cmk_nccl_call_ *open[cmk_nccl_ranks_][cmk_nccl_ranks_]; /* sends of the first to the second, or its receives */
    unsigned signals[cmk_nccl_ranks_][cmk_nccl_ranks_];     /* that have come to the first from the second */
    cmk_nccl_memory_ windows[cmk_nccl_windows_][cmk_nccl_ranks_];
    unsigned reductions[cmk_nccl_ranks_]; /* calls of each rank */
    cmk_nccl_round_ *rounds;              /* that not all ranks have ended */
} cmk_nccl_world_;

struct ncclComm {
    cmk_nccl_world_ *world;
    int rank, device, windows;
    ncclResult_t error;
    char said[256];
};

struct ncclWindow_vidmem {
    ncclComm_t comm;
    int number;
};

/* Memory that a communicator has registered. */
typedef struct cmk_nccl_registration_ {
    struct cmk_nccl_registration_ *next;
    ncclComm_t comm;
    cmk_host_range_ range;
} cmk_nccl_registration_;

CMK_HOST_C_BEGIN_

/* All under the lock of the backend's queue, but for what a host thread has of its own. */
CMK_HOST_ONE_ cmk_nccl_world_ *cmk_nccl_joining_;
CMK_HOST_ONE_ unsigned cmk_nccl_ids_;
CMK_HOST_ONE_ cmk_nccl_registration_ *cmk_nccl_registrations_; /* of all communicators */
CMK_HOST_ONE_ int cmk_nccl_registers_nothing_;                 /* registers nothing */
CMK_HOST_ONE_ int cmk_nccl_refuses_captures_;                  /* refuses them */
CMK_HOST_ONE_ __thread int cmk_nccl_depth_;                    /* of groups */
CMK_HOST_ONE_ __thread ncclResult_t cmk_nccl_first_error_;
CMK_HOST_ONE_ __thread cmk_nccl_call_ *cmk_nccl_calls_;
CMK_HOST_ONE_ __thread size_t cmk_nccl_count_;
CMK_HOST_ONE_ __thread cmk_nccl_world_ *cmk_nccl_waited_[cmk_nccl_ranks_]; /* for, when the group ends */
CMK_HOST_ONE_ __thread int cmk_nccl_waits_;

/* ---- What goes wrong */
__attribute__((noreturn, format(printf, 1, 2))) CMK_HOST_ONE_ void cmk_nccl_stop_(const char *format, ...)
{
    va_list values;
    fflush(stdout);
    fputs("cmk: NCCL: ", stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    abort();
}

static inline void cmk_nccl_tell_call_(const cmk_nccl_call_ *call, char *text, size_t bytes)
{
    const char *does[] = {"sends %zu bytes to rank %d", "receives %zu bytes from rank %d", "reduces %zu bytes",
                          "puts %zu bytes to rank %d", "waits"};
    const int length = snprintf(text, bytes, "rank %d ", call->comm->rank);
    if (call->kind == cmk_nccl_wait_)
        snprintf(text + length, bytes - (size_t)length, "waits for %d signals of rank %d", call->operation, call->peer);
    else
        snprintf(text + length, bytes - (size_t)length, does[call->kind], call->bytes, call->peer);
}

__attribute__((noreturn)) static inline void cmk_nccl_stop_call_(const cmk_nccl_call_ *call, const char *why)
{
    char text[160];
    cmk_nccl_tell_call_(call, text, sizeof text);
    cmk_nccl_stop_("%s: %s", text, why);
}

static inline ncclResult_t cmk_nccl_said_(ncclComm_t comm, ncclResult_t result, const char *what)
{
    snprintf(comm->said, sizeof comm->said, "%s", what);
    return result;
}

static inline const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const text[] = {"no error",
                                       "unhandled cuda error",
                                       "unhandled system error",
                                       "internal error",
                                       "invalid argument",
                                       "invalid usage",
                                       "remote process exited or there was a network error",
                                       "NCCL operation in progress"};
    return (unsigned)result < sizeof text / sizeof text[0] ? text[result] : "unknown result code";
}

static inline const char *ncclGetLastError(ncclComm_t comm)
{
    return comm ? comm->said : "";
}

static inline ncclResult_t ncclGetVersion(int *version)
{
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

/* ---- Communicators */
static inline cmk_nccl_world_ *cmk_nccl_world_new_(int ranks)
{
    void *memory = cmk_host_need_(calloc(1, sizeof(cmk_nccl_world_)), "a communicator");
    cmk_nccl_world_ *world = (cmk_nccl_world_ *)memory;
    world->ranks = ranks;
    return world;
}

static inline void cmk_nccl_world_release_(cmk_nccl_world_ *world)
{
    if (--world->references == 0) free(world);
}

static inline ncclComm_t cmk_nccl_join_(cmk_nccl_world_ *world, int rank, int device)
{
    ncclComm_t comm = (ncclComm_t)cmk_host_need_(calloc(1, sizeof *comm), "a communicator");
    if (world->comm[rank]) cmk_nccl_stop_("rank %d of %d has joined twice", rank, world->ranks);
    comm->world = world;
    comm->rank = rank;
    comm->device = device;
    world->comm[rank] = comm;
    world->joined++;
    world->references++;
    return comm;
}

/* devices null: 0, 1, ..., and from the first again where there are fewer */
static inline ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ranks, const int *devices)
{
    int count = 1;
    if (!comms || ranks < 1 || ranks > cmk_nccl_ranks_) return ncclInvalidArgument;
    (void)cudaGetDeviceCount(&count);
    for (int r = 0; devices && r < ranks; r++)
        if (devices[r] < 0 || devices[r] >= count) return ncclInvalidArgument;
    cmk_nccl_world_ *world = cmk_nccl_world_new_(ranks);
    for (int r = 0; r < ranks; r++) comms[r] = cmk_nccl_join_(world, r, devices ? devices[r] : r % count);
    return ncclSuccess;
}

static inline ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    if (!id) return ncclInvalidArgument;
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "%u", __atomic_add_fetch(&cmk_nccl_ids_, 1, __ATOMIC_RELAXED));
    return ncclSuccess;
}

/* Until all ranks have joined, with the lock held. */
static inline void cmk_nccl_wait_for_all_(cmk_nccl_world_ *world)
{
    int naps = 0;
    while (world->joined < world->ranks) {
        struct timespec when;
        (void)timespec_get(&when, TIME_UTC);
        when.tv_sec += 1;
        if (cmk_host_is_alone_() || naps++ > CMK_HOST_PATIENCE_)
            cmk_nccl_stop_("%d of %d ranks have joined a communicator, and wait for the others", world->joined,
                           world->ranks);
        (void)pthread_cond_timedwait(&cmk_host_queue_moves_, &cmk_host_queue_lock_, &when);
    }
}

static inline cmk_nccl_world_ *cmk_nccl_world_of_(const ncclUniqueId *id, int ranks)
{
    cmk_nccl_world_ *world = cmk_nccl_joining_;
    while (world && memcmp(&world->id, id, sizeof *id) != 0) world = world->next;
    if (!world) {
        world = cmk_nccl_world_new_(ranks);
        world->id = *id;
        world->references = 1; /* the list's */
        world->next = cmk_nccl_joining_;
        cmk_nccl_joining_ = world;
    }
    if (world->ranks != ranks)
        cmk_nccl_stop_("a rank joins a communicator of %d ranks, another one of %d", ranks, world->ranks);
    return world;
}

/* In a group the others join until it ends, else in other host threads. */
static inline ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    if (!comm || ranks < 1 || ranks > cmk_nccl_ranks_ || rank < 0 || rank >= ranks) return ncclInvalidArgument;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_nccl_world_ *world = cmk_nccl_world_of_(&id, ranks);
    *comm = cmk_nccl_join_(world, rank, cmk_host_device_now_);
    if (world->joined == ranks) {
        cmk_nccl_world_ **link = &cmk_nccl_joining_;
        while (*link != world) link = &(*link)->next;
        *link = world->next;
        world->references--;
        pthread_cond_broadcast(&cmk_host_queue_moves_);
    }
    if (cmk_nccl_depth_ > 0 && cmk_nccl_waits_ < cmk_nccl_ranks_)
        cmk_nccl_waited_[cmk_nccl_waits_++] = world;
    else
        cmk_nccl_wait_for_all_(world);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return ncclSuccess;
}

static inline ncclResult_t ncclCommCount(ncclComm_t comm, int *ranks)
{
    if (!comm || !ranks) return ncclInvalidArgument;
    *ranks = comm->world->ranks;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank)
{
    if (!comm || !rank) return ncclInvalidArgument;
    *rank = comm->rank;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommCuDevice(ncclComm_t comm, int *device)
{
    if (!comm || !device) return ncclInvalidArgument;
    *device = comm->device;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    if (!comm || !error) return ncclInvalidArgument;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    *error = comm->error == ncclSuccess && comm->world->is_aborted ? ncclRemoteError : comm->error;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return ncclSuccess;
}

/* For tests: the communicator has this error from now on, and its messages do not arrive. */
static inline void cmk_nccl_break(ncclComm_t comm, ncclResult_t error)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    comm->error = error;
    (void)cmk_nccl_said_(comm, error, "broken by a test");
    pthread_mutex_unlock(&cmk_host_queue_lock_);
}

static inline ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    if (!comm) return ncclInvalidArgument;
    cmk_host_finish_device_(comm->device);
    return ncclSuccess;
}

/* ---- Registered memory: a list of all communicators, with the lock held */
static inline void cmk_nccl_forget_(cmk_nccl_registration_ *registration)
{
    cmk_nccl_registration_ **link = &cmk_nccl_registrations_;
    while (*link != registration) link = &(*link)->next;
    *link = registration->next;
    free(registration);
}

static inline cmk_nccl_registration_ *cmk_nccl_registration_of_(ncclComm_t comm)
{
    cmk_nccl_registration_ *one = cmk_nccl_registrations_;
    while (one && one->comm != comm) one = one->next;
    return one;
}

static inline int cmk_nccl_is_registered_(ncclComm_t comm, const char *memory, size_t bytes)
{
    const cmk_nccl_registration_ *one = cmk_nccl_registrations_;
    while (one && (one->comm != comm || !cmk_host_inside_(&one->range, (uintptr_t)memory, bytes))) one = one->next;
    return one != NULL;
}

static inline void cmk_nccl_comm_free_(ncclComm_t comm)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_nccl_world_release_(comm->world);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    free(comm);
}

static inline ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (!comm) return ncclInvalidArgument;
    cmk_host_finish_device_(comm->device);
    if (cmk_nccl_registration_of_(comm)) cmk_nccl_stop_("rank %d is destroyed with memory registered", comm->rank);
    cmk_nccl_comm_free_(comm);
    return ncclSuccess;
}

/* What is under way ends, on all ranks, and does nothing. */
static inline ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    if (!comm) return ncclInvalidArgument;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    comm->world->is_aborted = 1;
    comm->error = ncclSuccess;
    for (cmk_nccl_registration_ *one; (one = cmk_nccl_registration_of_(comm)) != NULL;) cmk_nccl_forget_(one);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return ncclCommDestroy(comm);
}

/* ---- Matching, with the lock held */
static inline int cmk_nccl_bytes_(int type)
{
    static const int bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8};
    return type >= 0 && type < (int)(sizeof bytes / sizeof bytes[0]) ? bytes[type] : 0;
}

static inline void cmk_nccl_match_(cmk_nccl_call_ *call)
{
    const int sends = call->kind == cmk_nccl_send_;
    const int from = sends ? call->comm->rank : call->peer, to = sends ? call->peer : call->comm->rank;
    cmk_nccl_call_ **link = &call->world->open[from][to];
    cmk_nccl_call_ *other = *link;
    if (!other || other->kind == call->kind) { /* nobody waits for it: behind the others of its kind */
        while (*link) link = &(*link)->next;
        *link = call;
        return;
    }
    *link = other->next;
    other->next = NULL;
    if (other->bytes != call->bytes || other->type != call->type) {
        char text[160];
        cmk_nccl_tell_call_(other, text, sizeof text);
        char why[224];
        snprintf(why, sizeof why, "the message that comes first differs, where %s", text);
        cmk_nccl_stop_call_(call, why);
    }
    if (other->is_registered != call->is_registered)
        cmk_nccl_stop_call_(call, "the memory of one is registered, of the other not: it hangs, or is wrong");
    call->partner = other;
    other->partner = call;
    call->group->references++;
    other->group->references++;
}

/* The n-th reduction of each rank is one. */
static inline cmk_nccl_round_ *cmk_nccl_round_of_(cmk_nccl_world_ *world, unsigned number)
{
    cmk_nccl_round_ *round = world->rounds;
    while (round && round->number != number) round = round->next;
    if (round) return round;
    round = (cmk_nccl_round_ *)cmk_host_need_(calloc(1, sizeof *round), "a reduction");
    round->number = number;
    round->next = world->rounds;
    world->rounds = round;
    return round;
}

static inline void cmk_nccl_match_reduction_(cmk_nccl_call_ *call)
{
    cmk_nccl_world_ *world = call->world;
    cmk_nccl_round_ *round = cmk_nccl_round_of_(world, world->reductions[call->comm->rank]++);
    for (int r = 0; r < world->ranks; r++) {
        const cmk_nccl_call_ *other = round->call[r];
        if (other && (other->bytes != call->bytes || other->type != call->type || other->operation != call->operation))
            cmk_nccl_stop_call_(call, "another rank reduces something else");
    }
    round->call[call->comm->rank] = call;
    call->round = round;
    call->group->references++;
}

static inline int cmk_nccl_is_reducible_(const cmk_nccl_call_ *call)
{
    for (int r = 0; r < call->world->ranks; r++)
        if (!call->round->call[r] || !call->round->call[r]->group->has_come) return 0;
    return 1;
}

static inline int cmk_nccl_is_ready_(const cmk_nccl_call_ *call)
{
    const cmk_nccl_world_ *world = call->world;
    if (world->is_aborted || call->is_moved) return 1;
    if (call->comm->error != ncclSuccess) return 0;
    if (call->kind == cmk_nccl_reduce_) return cmk_nccl_is_reducible_(call);
    if (call->kind == cmk_nccl_wait_)
        return (int)(world->signals[call->comm->rank][call->peer] - (unsigned)call->operation) >= 0;
    if (call->kind == cmk_nccl_put_) return 1;
    return call->partner && call->partner->group->has_come && call->partner->comm->error == ncclSuccess;
}

/* ---- Moving, with the lock held */
static inline void cmk_nccl_group_release_(cmk_nccl_group_ *group)
{
    if (!group || --group->references > 0) return;
    for (size_t i = 0; i < group->count; i++) cmk_nccl_world_release_(group->calls[i].world);
    free(group->calls);
    free(group);
}

static inline void cmk_nccl_reduce_all_(const cmk_nccl_call_ *call)
{
    const cmk_nccl_round_ *round = call->round;
    for (size_t i = 0; i < call->bytes / 8; i++) {
        cmk_i64 value = 0;
        for (int r = 0; r < call->world->ranks; r++) {
            cmk_i64 one;
            memcpy(&one, round->call[r]->from + 8 * i, sizeof one);
            const unsigned long long sign = call->type == ncclUint64 ? 0 : 1ull << 63; /* so that both are unsigned */
            const unsigned long long a = (unsigned long long)one ^ sign, b = (unsigned long long)value ^ sign;
            const int takes = r == 0 || (call->operation == ncclMax ? a > b : a < b);
            if (call->operation == ncclSum)
                value += one;
            else if (takes)
                value = one;
        }
        for (int r = 0; r < call->world->ranks; r++) memcpy(round->call[r]->to + 8 * i, &value, sizeof value);
    }
}

static inline void cmk_nccl_end_reduction_(cmk_nccl_call_ *call)
{
    cmk_nccl_round_ *round = call->round, **link = &call->world->rounds;
    if (!call->is_moved && !call->world->is_aborted) {
        cmk_nccl_reduce_all_(call);
        for (int r = 0; r < call->world->ranks; r++) round->call[r]->is_moved = 1;
    }
    if (++round->ended < call->world->ranks) return;
    while (*link != round) link = &(*link)->next;
    *link = round->next;
    for (int r = 0; r < call->world->ranks; r++) cmk_nccl_group_release_(round->call[r]->group);
    free(round);
}

/* Each message is moved by the rank that comes to it first. */
static inline void cmk_nccl_move_(cmk_nccl_call_ *call)
{
    cmk_nccl_world_ *world = call->world;
    cmk_nccl_call_ *partner = call->partner;
    if (call->kind == cmk_nccl_reduce_) cmk_nccl_end_reduction_(call);
    if (world->is_aborted) return;
    if (call->kind == cmk_nccl_put_) {
        if (call->bytes > 0) memmove(call->to, call->from, call->bytes);
        world->signals[call->peer][call->comm->rank]++;
    }
    if (call->kind == cmk_nccl_wait_) world->signals[call->comm->rank][call->peer] -= (unsigned)call->operation;
    if (!partner || call->is_moved) return;
    call->is_moved = partner->is_moved = 1;
    if (call->kind == cmk_nccl_send_)
        memmove(partner->to, call->from, call->bytes);
    else
        memmove(call->to, partner->from, call->bytes);
}

/* ---- A group in its stream: first that it has come, then all that it asks for */
static inline cmk_nccl_group_ *cmk_nccl_group_new_(const cmk_nccl_call_ *calls, size_t count)
{
    cmk_nccl_group_ *group = (cmk_nccl_group_ *)cmk_host_need_(calloc(1, sizeof *group), "a group");
    group->references = 1;
    group->count = count;
    group->calls = (cmk_nccl_call_ *)cmk_host_need_(malloc(count * sizeof *calls), "a group");
    memcpy(group->calls, calls, count * sizeof *calls);
    for (size_t i = 0; i < count; i++) {
        group->calls[i].group = group;
        group->calls[i].world->references++;
    }
    return group;
}

static inline int cmk_nccl_keep_arrival_(void *what)
{
    cmk_nccl_work_ *work = (cmk_nccl_work_ *)what;
    cmk_nccl_group_ *group = cmk_nccl_group_new_(work->made->called->calls, work->made->called->count);
    for (size_t i = 0; i < group->count; i++) {
        const cmk_nccl_kind_ kind = group->calls[i].kind;
        if (kind == cmk_nccl_reduce_) cmk_nccl_match_reduction_(&group->calls[i]);
        if (kind == cmk_nccl_send_ || kind == cmk_nccl_receive_) cmk_nccl_match_(&group->calls[i]);
    }
    work->group = work->made->begun = group;
    return 0;
}

static inline int cmk_nccl_keep_end_(void *what)
{
    cmk_nccl_work_ *work = (cmk_nccl_work_ *)what;
    work->group = work->made->begun;
    return 0;
}

static inline void cmk_nccl_drop_end_(void *what)
{
    cmk_nccl_template_ *made = ((cmk_nccl_work_ *)what)->made;
    cmk_nccl_group_release_(made->called);
    free(made);
}

static inline void cmk_nccl_run_arrival_(void *what)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    ((cmk_nccl_work_ *)what)->group->has_come = 1;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
}

static inline int cmk_nccl_ready_(const void *what)
{
    const cmk_nccl_group_ *group = ((const cmk_nccl_work_ *)what)->group;
    for (size_t i = 0; i < group->count; i++)
        if (!cmk_nccl_is_ready_(&group->calls[i])) return 0;
    return 1;
}

static inline void cmk_nccl_run_end_(void *what)
{
    cmk_nccl_group_ *group = ((cmk_nccl_work_ *)what)->group;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (size_t i = 0; i < group->count; i++) cmk_nccl_move_(&group->calls[i]);
    for (size_t i = 0; i < group->count; i++)
        if (group->calls[i].partner) cmk_nccl_group_release_(group->calls[i].partner->group);
    cmk_nccl_group_release_(group);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
}

static inline void cmk_nccl_tell_(const void *what, char *text, size_t bytes)
{
    const cmk_nccl_group_ *group = ((const cmk_nccl_work_ *)what)->group;
    char call[160] = "";
    for (size_t i = 0; i < group->count && !call[0]; i++)
        if (!cmk_nccl_is_ready_(&group->calls[i])) cmk_nccl_tell_call_(&group->calls[i], call, sizeof call);
    snprintf(text, bytes, "waits for NCCL, where %s", call);
}

/* ---- Groups of calls */
static inline ncclResult_t ncclGroupStart(void)
{
    if (cmk_nccl_depth_++ == 0) cmk_nccl_first_error_ = ncclSuccess;
    return ncclSuccess;
}

static inline void cmk_nccl_submit_group_(cmk_nccl_work_ work, ncclComm_t comm, cudaStream_t stream)
{
    static const cmk_host_job_ arrival = {cmk_nccl_run_arrival_, NULL, cmk_nccl_keep_arrival_, NULL, NULL, 1};
    static const cmk_host_job_ end = {cmk_nccl_run_end_,  cmk_nccl_ready_, cmk_nccl_keep_end_,
                                      cmk_nccl_drop_end_, cmk_nccl_tell_,  1};
    const int device = cmk_host_device_now_;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cmk_host_device_now_ = comm->device;
    cudaError_t error = cmk_nccl_refuses_captures_ ? cudaStreamIsCapturing(stream, &status) : cudaSuccess;
    if (status != cudaStreamCaptureStatusNone) error = cudaErrorNotSupported;
    if (error == cudaSuccess) error = cmk_host_submit_(stream, &arrival, &work, sizeof work);
    if (error == cudaSuccess)
        error = cmk_host_submit_(stream, &end, &work, sizeof work);
    else
        cmk_nccl_drop_end_(&work);
    cmk_host_device_now_ = device;
    if (error == cudaSuccess || cmk_nccl_first_error_ != ncclSuccess) return;
    (void)cmk_nccl_said_(comm, ncclUnhandledCudaError, cudaGetErrorString(error));
    cmk_nccl_first_error_ = ncclUnhandledCudaError;
}

/* Puts go first, waits last, so that both may stand in one group. */
static inline int cmk_nccl_class_(const cmk_nccl_call_ *call)
{
    return call->kind == cmk_nccl_put_ ? 0 : call->kind == cmk_nccl_wait_ ? 2 : 1;
}

/* Puts those calls into their stream that have the communicator, the stream and the class of the first; how many. */
static inline size_t cmk_nccl_submit_(cmk_nccl_call_ *calls, size_t count)
{
    const cmk_nccl_call_ first = calls[0];
    size_t own = 0;
    for (size_t i = 0; i < count; i++) {
        const cmk_nccl_call_ call = calls[i];
        if (call.comm != first.comm || call.stream != first.stream || cmk_nccl_class_(&call) != cmk_nccl_class_(&first))
            continue;
        memmove(&calls[own + 1], &calls[own], (i - own) * sizeof call);
        calls[own++] = call;
    }
    cmk_nccl_work_ work = {NULL, NULL};
    work.made = (cmk_nccl_template_ *)cmk_host_need_(calloc(1, sizeof *work.made), "a group");
    pthread_mutex_lock(&cmk_host_queue_lock_);
    work.made->called = cmk_nccl_group_new_(calls, own);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    cmk_nccl_submit_group_(work, first.comm, first.stream);
    return own;
}

static inline void cmk_nccl_sort_(cmk_nccl_call_ *calls, size_t count)
{
    size_t sorted = 0;
    for (int class_ = 0; class_ < 3; class_++)
        for (size_t i = sorted; i < count; i++) {
            const cmk_nccl_call_ call = calls[i];
            if (cmk_nccl_class_(&call) != class_) continue;
            memmove(&calls[sorted + 1], &calls[sorted], (i - sorted) * sizeof call);
            calls[sorted++] = call;
        }
}

/* Whether another host thread may bring the partner of a message: if none can, NCCL would hang. */
static inline void cmk_nccl_check_open_(const cmk_nccl_world_ *world)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (int from = 0; from < world->ranks && !world->is_aborted; from++)
        for (int to = 0; to < world->ranks; to++) {
            const cmk_nccl_call_ *call = world->open[from][to];
            if (call && call->comm->error == ncclSuccess && cmk_host_is_alone_())
                cmk_nccl_stop_call_(call, call->kind == cmk_nccl_send_ ? "no rank receives it in this group: deadlock"
                                                                       : "no rank sends it in this group: deadlock");
        }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
}

static inline ncclResult_t ncclGroupEnd(void)
{
    if (cmk_nccl_depth_ == 0) return ncclInvalidUsage;
    if (--cmk_nccl_depth_ > 0) return ncclSuccess;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    while (cmk_nccl_waits_ > 0) cmk_nccl_wait_for_all_(cmk_nccl_waited_[--cmk_nccl_waits_]);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    cmk_nccl_call_ *calls = cmk_nccl_calls_;
    const size_t count = cmk_nccl_count_;
    cmk_nccl_calls_ = NULL;
    cmk_nccl_count_ = 0;
    cmk_nccl_sort_(calls, count);
    for (size_t first = 0; first < count && cmk_nccl_first_error_ == ncclSuccess;)
        first += cmk_nccl_submit_(calls + first, count - first);
    for (size_t i = 0; i < count && cmk_nccl_first_error_ == ncclSuccess; i++)
        if (i == 0 || calls[i].comm != calls[i - 1].comm) cmk_nccl_check_open_(calls[i].world);
    free(calls);
    return cmk_nccl_first_error_;
}

/* Memory of a message: of the communicator's device, and all of it. */
static inline void cmk_nccl_check_memory_(const cmk_nccl_call_ *call, const char *memory)
{
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner = {cmk_host_device_, 0};
    if (call->bytes == 0) return;
    if (!memory || !cmk_host_live_at_(memory, &range, &owner))
        cmk_nccl_stop_call_(call, "its buffer is no memory of a device");
    if (!cmk_host_inside_(&range, (uintptr_t)memory, call->bytes))
        cmk_nccl_stop_call_(call, "it passes the end of the allocation that its buffer is in");
    if (owner.kind_ == cmk_host_device_ && owner.device_ != call->comm->device)
        cmk_nccl_stop_call_(call, "its buffer is of another device than its communicator");
}

static inline ncclResult_t cmk_nccl_add_(cmk_nccl_call_ call, ncclResult_t error)
{
    ncclGroupStart();
    if (error == ncclSuccess && cmk_host_device_error_(call.stream, call.comm->device) != cudaSuccess &&
        call.stream != cudaStreamLegacy && call.stream != cudaStreamPerThread)
        error = cmk_nccl_said_(call.comm, ncclInvalidUsage, "the stream is of another device than the communicator");
    if (error == ncclSuccess) {
        const size_t bytes = (cmk_nccl_count_ + 1) * sizeof call;
        cmk_nccl_calls_ = (cmk_nccl_call_ *)cmk_host_need_(realloc(cmk_nccl_calls_, bytes), "a group");
        cmk_nccl_calls_[cmk_nccl_count_++] = call;
    } else if (cmk_nccl_first_error_ == ncclSuccess) {
        cmk_nccl_first_error_ = error;
    }
    const ncclResult_t result = ncclGroupEnd();
    return error == ncclSuccess ? result : error;
}

/* whether what is sent or received is in memory that has been registered */
static inline int cmk_nccl_knows_(const cmk_nccl_call_ *call, const char *memory)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const int has = cmk_nccl_registration_of_(call->comm) != NULL;
    const int knows = cmk_nccl_is_registered_(call->comm, memory, call->bytes);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    if (has && !knows && call->bytes > 0) cmk_nccl_stop_call_(call, "not all of it is registered, and other memory is");
    return knows;
}

static inline cmk_nccl_call_ cmk_nccl_call_of_(cmk_nccl_kind_ kind, ncclComm_t comm, cudaStream_t stream, int peer,
                                               size_t count, int type)
{
    cmk_nccl_call_ call;
    memset(&call, 0, sizeof call);
    call.kind = kind;
    call.comm = comm;
    call.world = comm ? comm->world : NULL;
    call.stream = stream;
    call.peer = peer;
    call.type = type;
    call.bytes = count * (size_t)cmk_nccl_bytes_(type);
    return call;
}

static inline ncclResult_t cmk_nccl_check_(const cmk_nccl_call_ *call)
{
    if (!call->comm) return ncclInvalidArgument;
    if (cmk_nccl_bytes_(call->type) == 0) return cmk_nccl_said_(call->comm, ncclInvalidArgument, "no such type");
    if (call->peer >= 0 && call->peer < call->comm->world->ranks) return ncclSuccess;
    return cmk_nccl_said_(call->comm, ncclInvalidArgument, "no such rank");
}

/* ---- Messages and reductions */
static inline ncclResult_t ncclSend(const void *memory, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                                    cudaStream_t stream)
{
    cmk_nccl_call_ call = cmk_nccl_call_of_(cmk_nccl_send_, comm, stream, peer, count, (int)type);
    const ncclResult_t error = cmk_nccl_check_(&call);
    call.from = (const char *)memory;
    if (error == ncclSuccess) cmk_nccl_check_memory_(&call, call.from);
    if (error == ncclSuccess) call.is_registered = cmk_nccl_knows_(&call, call.from);
    return cmk_nccl_add_(call, error);
}

static inline ncclResult_t ncclRecv(void *memory, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                                    cudaStream_t stream)
{
    cmk_nccl_call_ call = cmk_nccl_call_of_(cmk_nccl_receive_, comm, stream, peer, count, (int)type);
    const ncclResult_t error = cmk_nccl_check_(&call);
    call.to = (char *)memory;
    if (error == ncclSuccess) cmk_nccl_check_memory_(&call, call.to);
    if (error == ncclSuccess) call.is_registered = cmk_nccl_knows_(&call, call.to);
    return cmk_nccl_add_(call, error);
}

/* of ncclInt64 and ncclUint64: the sum, the largest or the smallest */
static inline ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                                         ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream)
{
    cmk_nccl_call_ call = cmk_nccl_call_of_(cmk_nccl_reduce_, comm, stream, 0, count, (int)type);
    const ncclResult_t error = cmk_nccl_check_(&call);
    call.operation = (int)operation;
    call.from = (const char *)from;
    call.to = (char *)to;
    if (error != ncclSuccess) return cmk_nccl_add_(call, error);
    if ((type != ncclInt64 && type != ncclUint64) || operation == ncclProd)
        cmk_nccl_stop_("this stand-in reduces ncclInt64 and ncclUint64 only, by ncclSum, ncclMax or ncclMin");
    cmk_nccl_check_memory_(&call, call.from);
    cmk_nccl_check_memory_(&call, call.to);
    return cmk_nccl_add_(call, error);
}

/* ---- Memory, and that which is registered */
static inline ncclResult_t ncclMemAlloc(void **memory, size_t bytes)
{
    const size_t whole = (bytes + 4095) / 4096 * 4096;
    *memory = bytes > 0 ? aligned_alloc(4096, whole) : NULL;
    if (!*memory) return bytes > 0 ? ncclUnhandledCudaError : ncclSuccess;
    memset(*memory, 0xff, bytes);
    __atomic_fetch_add(&cmk_host_allocated_, bytes, __ATOMIC_RELAXED);
    cmk_host_live_add_(*memory, bytes, cmk_host_device_);
    return ncclSuccess;
}

static inline ncclResult_t ncclMemFree(void *memory)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const cmk_nccl_registration_ *one = cmk_nccl_registrations_;
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner;
    if (!memory || !cmk_host_live_at_(memory, &range, &owner)) one = NULL;
    for (; one; one = one->next)
        if (cmk_host_inside_(&range, one->range.low_, one->range.bytes_))
            cmk_nccl_stop_("memory is freed that rank %d has registered", one->comm->rank);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cudaFree(memory) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

/* For tests: whether NCCL registers nothing from now on, as by NCCL_LOCAL_REGISTER=0. */
static inline void cmk_nccl_register_nothing(int nothing)
{
    cmk_nccl_registers_nothing_ = nothing;
}

/* For tests: whether captures are refused from now on, as in a loop that does not hold what NCCL adds. */
static inline void cmk_nccl_refuse_captures(int refuse)
{
    cmk_nccl_refuses_captures_ = refuse;
}

static inline ncclResult_t ncclCommRegister(ncclComm_t comm, void *memory, size_t bytes, void **handle)
{
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner = {cmk_host_device_, 0};
    if (!comm || !handle) return ncclInvalidArgument;
    *handle = NULL;
    if (cmk_nccl_registers_nothing_) return ncclSuccess;
    if (!memory || !cmk_host_live_at_(memory, &range, &owner) || owner.kind_ != cmk_host_device_)
        return cmk_nccl_said_(comm, ncclUnhandledCudaError, "what is registered is no memory of a device");
    if (!cmk_host_inside_(&range, (uintptr_t)memory, bytes) || owner.device_ != comm->device)
        cmk_nccl_stop_("rank %d registers %zu bytes: they pass the end of their allocation, or are of another device",
                       comm->rank, bytes);
    cmk_nccl_registration_ *made = (cmk_nccl_registration_ *)cmk_host_need_(calloc(1, sizeof *made), "a registration");
    made->comm = comm;
    made->range.low_ = (uintptr_t)memory;
    made->range.bytes_ = bytes;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    made->next = cmk_nccl_registrations_;
    cmk_nccl_registrations_ = made;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    *handle = made;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommDeregister(ncclComm_t comm, void *handle)
{
    cmk_host_range_ range;
    cmk_host_owner_ owner;
    if (!comm) return ncclInvalidArgument;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_nccl_registration_ *one = cmk_nccl_registrations_;
    while (one && (one != handle || one->comm != comm)) one = one->next;
    if (one && !cmk_host_live_at_((const void *)one->range.low_, &range, &owner))
        cmk_nccl_stop_("rank %d deregisters %zu bytes that have been freed", comm->rank, one->range.bytes_);
    if (one) cmk_nccl_forget_(one);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return one || !handle ? ncclSuccess : cmk_nccl_said_(comm, ncclInvalidUsage, "it is not registered");
}

/* ---- Windows, puts and signals

   Windows of the same number are one. */
static inline ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *memory, size_t bytes, ncclWindow_t *window,
                                                  int flags)
{
    (void)flags;
    if (!comm || !window) return ncclInvalidArgument;
    if ((uintptr_t)memory % NCCL_WIN_REQUIRED_ALIGNMENT != 0)
        return cmk_nccl_said_(comm, ncclInvalidArgument, "a window begins at a multiple of 4096 bytes");
    if (!cmk_host_side_is_right_(memory, bytes, cmk_host_side_device_))
        return cmk_nccl_said_(comm, ncclInvalidArgument, "a window is in one allocation of a device");
    int number = 0; /* the first that is free */
    while (number < comm->windows && comm->world->windows[number][comm->rank].start) number++;
    if (number == cmk_nccl_windows_) cmk_nccl_stop_("more than %d windows", cmk_nccl_windows_);
    ncclWindow_t made = (ncclWindow_t)cmk_host_need_(calloc(1, sizeof *made), "a window");
    made->comm = comm;
    made->number = number;
    if (number == comm->windows) comm->windows++;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    comm->world->windows[made->number][comm->rank].start = (char *)memory;
    comm->world->windows[made->number][comm->rank].bytes = bytes;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    *window = made;
    return ncclSuccess;
}

static inline ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window)
{
    if (!comm || !window || window->comm != comm) return ncclInvalidArgument;
    cmk_host_finish_device_(-1);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    comm->world->windows[window->number][comm->rank].start = NULL;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    free(window);
    return ncclSuccess;
}

static inline int cmk_nccl_is_in_window_(ncclComm_t comm, const char *memory, size_t bytes)
{
    for (int i = 0; i < comm->windows; i++) {
        const cmk_nccl_memory_ *window = &comm->world->windows[i][comm->rank];
        const cmk_host_range_ range = {(uintptr_t)window->start, window->bytes};
        if (window->start && cmk_host_inside_(&range, (uintptr_t)memory, bytes)) return 1;
    }
    return 0;
}

static inline ncclResult_t ncclPutSignal(const void *memory, size_t count, ncclDataType_t type, int peer,
                                         ncclWindow_t window, size_t offset, int signal, int context, unsigned flags,
                                         ncclComm_t comm, cudaStream_t stream)
{
    cmk_nccl_call_ call = cmk_nccl_call_of_(cmk_nccl_put_, comm, stream, peer, count, (int)type);
    ncclResult_t error = cmk_nccl_check_(&call);
    if (error == ncclSuccess && (signal != 0 || context != 0 || flags != 0 || !window))
        error = cmk_nccl_said_(comm, ncclInvalidArgument, "signal, context and flags must be 0, and a window there");
    if (error != ncclSuccess) return cmk_nccl_add_(call, error);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const cmk_nccl_memory_ target = comm->world->windows[window->number][peer];
    const int registered = cmk_nccl_is_in_window_(comm, (const char *)memory, call.bytes);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    if (!target.start) cmk_nccl_stop_call_(&call, "that rank has no such window");
    if (offset > target.bytes || call.bytes > target.bytes - offset)
        cmk_nccl_stop_call_(&call, "it passes the end of the window");
    if (call.bytes > 0 && !registered) cmk_nccl_stop_call_(&call, "what it puts is in no window of its own");
    call.from = (const char *)memory;
    call.to = target.start + offset;
    return cmk_nccl_add_(call, error);
}

static inline ncclResult_t ncclSignal(int peer, int signal, int context, unsigned flags, ncclComm_t comm,
                                      cudaStream_t stream)
{
    cmk_nccl_call_ call = cmk_nccl_call_of_(cmk_nccl_put_, comm, stream, peer, 0, ncclChar);
    ncclResult_t error = cmk_nccl_check_(&call);
    if (error == ncclSuccess && (signal != 0 || context != 0 || flags != 0))
        error = cmk_nccl_said_(comm, ncclInvalidArgument, "signal, context and flags must be 0");
    return cmk_nccl_add_(call, error);
}

static inline ncclResult_t ncclWaitSignal(int count, ncclWaitSignalDesc_t *signals, ncclComm_t comm,
                                          cudaStream_t stream)
{
    ncclResult_t result = comm && (count == 0 || signals) ? ncclSuccess : ncclInvalidArgument;
    if (result != ncclSuccess) return result;
    ncclGroupStart();
    for (int i = 0; i < count && result == ncclSuccess; i++) {
        cmk_nccl_call_ call = cmk_nccl_call_of_(cmk_nccl_wait_, comm, stream, signals[i].peer, 0, ncclChar);
        ncclResult_t error = cmk_nccl_check_(&call);
        if (error == ncclSuccess && (signals[i].sigIdx != 0 || signals[i].ctx != 0 || signals[i].opCnt < 1))
            error = cmk_nccl_said_(comm, ncclInvalidArgument, "signal and context must be 0, the count 1 at least");
        call.operation = signals[i].opCnt;
        result = cmk_nccl_add_(call, error);
    }
    const ncclResult_t end = ncclGroupEnd();
    return result == ncclSuccess ? end : result;
}

CMK_HOST_C_END_

#endif
