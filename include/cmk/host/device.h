/* host/device.h: several devices, by CMK_HOST_DEVICES: which device a host thread has set, which device may access the
 * memory of which, and the variables of kernels. Each device has its own values of these variables.
 *
 * A variable has one address, which holds the values of one device. So where there are several devices, they take
 * turns. What runs on one device waits until nothing runs on another, and then swaps the variables that host code has
 * named. */
#include "../base.h"
#ifndef CMK_HOST_DEVICE_H
#define CMK_HOST_DEVICE_H

/* A variable that host code has named, and its values for the devices that do not have the turn. */
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
CMK_HOST_ONE_ int cmk_host_turn_of_;      /* the device that has the turn: the variables have its values */
CMK_HOST_ONE_ unsigned cmk_host_at_work_; /* how many works run on it */
CMK_HOST_ONE_ cmk_host_image_ *cmk_host_images_;

static inline int cmk_host_is_device_(int device)
{
    return device >= 0 && device < cmk_host_options_read_()->devices_;
}

CMK_HOST_HELPER_ int cmk_host_has_access_(int device, int owner)
{
    return device == owner || (__atomic_load_n(&cmk_host_peers_[device], __ATOMIC_ACQUIRE) >> owner & 1);
}

/* Begin and end of what runs on a device. The options must have been read before. */
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

/* Called when host code names a variable. From then on each device has its own values of it, all as the variable is
 * now. */
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
