/* host/device.h: several devices, by CMK_HOST_DEVICES: which one a host thread has set, who may access whose memory,
 * and the variables of kernels, of which each device has values of its own.
 *
 * A variable has one address, in which the values of one device are. So devices take turns where there are several:
 * what runs on one waits until nothing runs on another, and swaps the variables that host code has named. */
#include "../base.h"
#ifndef CMK_HOST_DEVICE_H
#define CMK_HOST_DEVICE_H

/* A variable that host code has named, and its values on the devices that are not at work. */
typedef struct cmk_host_image_ {
    struct cmk_host_image_ *next_;
    char *variable_;
    size_t bytes_;
    char *of_[CMK_HOST_MOST_DEVICES_];
} cmk_host_image_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ __thread int cmk_host_device_now_;
CMK_HOST_ONE_ unsigned cmk_host_peers_[CMK_HOST_MOST_DEVICES_]; /* bit b of a: device a may access memory of b */

CMK_HOST_ONE_ pthread_mutex_t cmk_host_turn_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_turn_ends_ = PTHREAD_COND_INITIALIZER;
CMK_HOST_ONE_ int cmk_host_turn_of_;      /* the device whose values the variables have */
CMK_HOST_ONE_ unsigned cmk_host_at_work_; /* what runs on it */
CMK_HOST_ONE_ cmk_host_image_ *cmk_host_images_;

static inline int cmk_host_is_device_(int device)
{
    return device >= 0 && device < cmk_host_options_read_()->devices_;
}

static inline int cmk_host_has_access_(int device, int owner)
{
    return device == owner || (__atomic_load_n(&cmk_host_peers_[device], __ATOMIC_ACQUIRE) >> owner & 1);
}

/* Begins what runs on a device, and ends it. The options have been read. */
CMK_HOST_CALLED_ void cmk_host_turn_begin_(int device)
{
    if (cmk_host_options_now_.devices_ == 1) return;
    pthread_mutex_lock(&cmk_host_turn_lock_);
    while (cmk_host_turn_of_ != device && cmk_host_at_work_ > 0)
        pthread_cond_wait(&cmk_host_turn_ends_, &cmk_host_turn_lock_);
    for (cmk_host_image_ *image = cmk_host_images_; image && cmk_host_turn_of_ != device; image = image->next_) {
        cmk_host_copy_(image->of_[cmk_host_turn_of_], image->variable_, image->bytes_);
        cmk_host_copy_(image->variable_, image->of_[device], image->bytes_);
    }
    cmk_host_turn_of_ = device;
    cmk_host_at_work_++;
    pthread_mutex_unlock(&cmk_host_turn_lock_);
}

CMK_HOST_CALLED_ void cmk_host_turn_end_(void)
{
    if (cmk_host_options_now_.devices_ == 1) return;
    pthread_mutex_lock(&cmk_host_turn_lock_);
    cmk_host_at_work_--;
    pthread_cond_broadcast(&cmk_host_turn_ends_);
    pthread_mutex_unlock(&cmk_host_turn_lock_);
}

static inline int cmk_host_is_known_(const void *variable)
{
    for (const cmk_host_image_ *image = cmk_host_images_; image; image = image->next_)
        if (image->variable_ == variable) return 1;
    return 0;
}

/* Host code names a variable: from now on each device has values of its own, which begin as they are. */
CMK_HOST_CALLED_ void cmk_host_know_(void *variable, size_t bytes)
{
    const int devices = cmk_host_options_read_()->devices_;
    if (devices == 1) return;
    pthread_mutex_lock(&cmk_host_turn_lock_);
    while (cmk_host_at_work_ > 0) pthread_cond_wait(&cmk_host_turn_ends_, &cmk_host_turn_lock_);
    if (!cmk_host_is_known_(variable)) {
        cmk_host_image_ *image = (cmk_host_image_ *)cmk_host_need_(calloc(1, sizeof *image), "a variable");
        image->variable_ = (char *)variable;
        image->bytes_ = bytes;
        for (int i = 0; i < devices; i++) {
            image->of_[i] = (char *)cmk_host_need_(malloc(bytes), "a variable");
            memcpy(image->of_[i], variable, bytes);
        }
        image->next_ = cmk_host_images_;
        cmk_host_images_ = image;
    }
    pthread_mutex_unlock(&cmk_host_turn_lock_);
}

CMK_HOST_C_END_

#endif
