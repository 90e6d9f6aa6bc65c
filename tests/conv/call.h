/* call.h: what draw.py's units and program.h share: the arguments of one call, and a definition by name. */
#ifndef CONV_CALL_H
#define CONV_CALL_H

#include "short_floats.h"
#include <cmk/cmk.h>

enum { CONV_PLAIN, CONV_REGION, CONV_BATCH };

struct conv_call {
    long long entry;
    size_t in_pitch, in_step, out_pitch, out_step, rows, columns, row, column, region_rows, region_columns, count;
    const void *in, *weights[2];
    void *out;
};

struct conv_definition {
    const char *name;
    cudaError_t (*run)(const struct conv_call *call); /* null: the compiler has not its types */
};

#define CONV_SAME(table, weights, count) ((void)(weights), (void)(count), cudaSuccess) /* LITERAL: never uploaded */
#define CONV_FILLED(table, weights, count) CMK_TABLE_UPLOAD(table, (const table##_element_ *)(weights), 0, count)

/* fills the tables, then calls name, name_region or name_batch with them */
#define CONV_RUN(name, IN, OUT, FILL_FIRST, FILL_SECOND, ...)                                                          \
    static cudaError_t name##_run(const struct conv_call *c)                                                           \
    {                                                                                                                  \
        const IN *const in = (const IN *)c->in;                                                                        \
        OUT *const out = (OUT *)c->out;                                                                                \
        cudaError_t error = FILL_FIRST;                                                                                \
        if (error == cudaSuccess) error = FILL_SECOND;                                                                 \
        if (error != cudaSuccess) return error;                                                                        \
        if (c->entry == CONV_PLAIN)                                                                                    \
            return name(in, c->in_pitch, out, c->out_pitch, c->rows, c->columns, __VA_ARGS__, 0);                      \
        if (c->entry == CONV_REGION)                                                                                   \
            return name##_region(in, c->in_pitch, out, c->out_pitch, c->rows, c->columns, c->row, c->column,           \
                                 c->region_rows, c->region_columns, __VA_ARGS__, 0);                                   \
        return name##_batch(in, c->in_pitch, c->in_step, out, c->out_pitch, c->out_step, c->rows, c->columns,          \
                            c->count, __VA_ARGS__, 0);                                                                 \
    }

#endif
