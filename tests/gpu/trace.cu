/* A trace of a CUDA program that this file is linked into: the name of each call of the runtime, a line each, in the
 * file that CMK_TRACE names. CUPTI (docs.nvidia.com/cupti) calls back when a call begins. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *trace;

static void CUPTIAPI note(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    const CUpti_CallbackData *const call = (const CUpti_CallbackData *)data;
    (void)unused, (void)domain, (void)id;
    if (call->callbackSite == CUPTI_API_ENTER) fprintf(trace, "%s\n", call->functionName);
}

static void check(CUptiResult result)
{
    const char *text = "";
    if (result == CUPTI_SUCCESS) return;
    cuptiGetResultString(result, &text);
    fprintf(stderr, "trace: CUPTI says %s\n", text);
    exit(EXIT_FAILURE);
}

__attribute__((constructor)) static void begin(void)
{
    const char *const name = getenv("CMK_TRACE");
    CUpti_SubscriberHandle subscriber;
    trace = name != NULL ? fopen(name, "w") : NULL;
    if (trace == NULL) {
        fprintf(stderr, "trace: CMK_TRACE names no file that can be written\n");
        exit(EXIT_FAILURE);
    }
    check(cuptiSubscribe(&subscriber, note, NULL));
    check(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
}
