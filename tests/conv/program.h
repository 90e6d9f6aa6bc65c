/* program.h: runs the calls that judge.py asks for. Included by one unit, behind its list conv_units.
 *
 * usage: PROGRAM REQUESTS RESULTS        one after another, in the order of the requests
 * request: the numbers of the enum below, of 64 bit; then the bytes of in, of the weights, and of out before the call
 * result: status, whether in was changed (64 bit each), the bytes of out after it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFINITION,
    ENTRY,
    IN_BYTES,
    OUT_BYTES,
    WEIGHTS_BYTES, /* and the next */
    IN_OFFSET = WEIGHTS_BYTES + 2,
    OUT_OFFSET,
    IN_PITCH,
    IN_STEP,
    OUT_PITCH,
    OUT_STEP,
    ROWS,
    COLUMNS,
    ROW,
    COLUMN,
    REGION_ROWS,
    REGION_COLUMNS,
    COUNT,
    FLAGS,
    FIELDS
};
enum { NO_IN = 1, NO_OUT = 2, OUT_IS_IN = 4, OUT_BEFORE_IN = 8 };
enum { ABSENT = -1 }; /* the status of a definition that the compiler could not build */

static void *must_read(FILE *file, size_t bytes)
{
    void *const data = malloc(bytes + 1);
    if (data == NULL || fread(data, 1, bytes, file) != bytes) {
        fputs("the requests cannot be read\n", stderr);
        exit(2);
    }
    return data;
}

static const struct conv_definition *definition(long long number)
{
    for (size_t k = 0; k < sizeof conv_units / sizeof *conv_units; ++k)
        for (const struct conv_definition *d = conv_units[k]; d->name != NULL; ++d)
            if (atoll(d->name + 4) == number) return d;
    fprintf(stderr, "no definition %lld\n", number);
    exit(2);
}

static void answer(const long long *fields, FILE *requests, FILE *results)
{
    const size_t in_bytes = (size_t)fields[IN_BYTES], out_bytes = (size_t)fields[OUT_BYTES];
    char *const in = (char *)must_read(requests, in_bytes);
    void *const first = must_read(requests, (size_t)fields[WEIGHTS_BYTES]);
    void *const second = must_read(requests, (size_t)fields[WEIGHTS_BYTES + 1]);
    char *const out = (char *)must_read(requests, out_bytes), *const in_after = (char *)malloc(in_bytes + 1);
    const struct conv_definition *const d = definition(fields[DEFINITION]);
    long long result[2] = {ABSENT, 0};
    char *device_in = NULL, *device_out = NULL;
    struct conv_call call;
    CMK_CHECK(cudaMalloc((void **)&device_in, in_bytes));
    CMK_CHECK(cudaMalloc((void **)&device_out, out_bytes));
    CMK_CHECK(cudaMemcpy(device_in, in, in_bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(device_out, out, out_bytes, cudaMemcpyHostToDevice));
    call.entry = fields[ENTRY];
    call.in_pitch = (size_t)fields[IN_PITCH];
    call.in_step = (size_t)fields[IN_STEP];
    call.out_pitch = (size_t)fields[OUT_PITCH];
    call.out_step = (size_t)fields[OUT_STEP];
    call.rows = (size_t)fields[ROWS];
    call.columns = (size_t)fields[COLUMNS];
    call.row = (size_t)fields[ROW];
    call.column = (size_t)fields[COLUMN];
    call.region_rows = (size_t)fields[REGION_ROWS];
    call.region_columns = (size_t)fields[REGION_COLUMNS];
    call.count = (size_t)fields[COUNT];
    call.weights[0] = first;
    call.weights[1] = second;
    call.in = fields[FLAGS] & NO_IN ? NULL : device_in + fields[IN_OFFSET];
    call.out = fields[FLAGS] & NO_OUT ? NULL : device_out + fields[OUT_OFFSET];
    if (fields[FLAGS] & OUT_IS_IN) call.out = device_in + fields[IN_OFFSET];
    if (fields[FLAGS] & OUT_BEFORE_IN) call.out = device_in;
    if (d->run != NULL) {
        result[0] = d->run(&call);
        if (result[0] == cudaSuccess) result[0] = cudaDeviceSynchronize();
    }
    CMK_CHECK(cudaMemcpy(in_after, device_in, in_bytes, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(out, device_out, out_bytes, cudaMemcpyDeviceToHost));
    result[1] = memcmp(in, in_after, in_bytes) != 0;
    fwrite(result, sizeof *result, 2, results);
    fwrite(out, 1, out_bytes, results);
    fflush(results);
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in_after);
    free(out);
    free(second);
    free(first);
    free(in);
}

int main(int count, char **words)
{
    long long fields[FIELDS];
    FILE *const requests = count == 3 ? fopen(words[1], "rb") : NULL;
    FILE *const results = count == 3 ? fopen(words[2], "wb") : NULL;
    if (requests == NULL || results == NULL) {
        fputs("usage: PROGRAM REQUESTS RESULTS\n", stderr);
        return 2;
    }
    while (fread(fields, sizeof *fields, FIELDS, requests) == FIELDS) answer(fields, requests, results);
    fclose(requests);
    return fclose(results) != 0;
}
