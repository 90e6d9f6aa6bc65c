/* CMK_CHECK with a hook of the program's own in place of its end. */
static void keep(const char *text);
#define CMK_CHECK_FAILED(text) keep(text)
#include <cmk/cmk.h>
#include "tap.h"

static char kept[2048]; /* as long as the text may be */
static int failures;

static void keep(const char *text)
{
    snprintf(kept, sizeof kept, "%s", text);
    ++failures;
}

static cudaError_t wrong(void)
{
    return cudaErrorInvalidValue;
}

int main(void)
{
    float milliseconds = -1.0f;
    void *memory = NULL;
    tap_need_device();
    CMK_CHECK(wrong());
    tap_check(failures == 1 && strstr(kept, "check.cu:26: wrong(): cudaErrorInvalidValue: invalid argument") != NULL,
              "the hook gets a line that says which, where and why: %s", kept);
    CMK_CHECK(cudaMalloc(&memory, 16));
    CMK_CHECK(cudaFree(memory));
    tap_check(failures == 1, "a call that succeeds does not reach it");
    CMK_CHECK_TIME(milliseconds, 3, wrong());
    tap_check(failures == 5 && milliseconds >= 0.0f, "timed calls that fail end after their runs: %d failures",
              failures);
    return tap_done();
}
