/* halo/field.h: the fields of an exchange, and the results of reductions, as stencils give them and as halo.h takes
 * them. */
#ifndef CMK_HALO_FIELD_H
#define CMK_HALO_FIELD_H

#include "../base.h"
#include "../grid.h"

#if CMK_HAS_HOST_

#ifndef CMK_HALO_FIELDS
#define CMK_HALO_FIELDS 32 /* the most fields of an exchange: a halo has room for them */
#endif

typedef struct cmk_field {
    void *data, *next;
    size_t size;
    cmk_i64 row_pitch, plane_pitch;
    int reach[3];
    int corners;
    const char *name;
    cmk_box held;
} cmk_field;

enum { CMK_HALO_RESULTS = 16 }; /* the most results that are reduced together */

/* a result of a stencil: name_results writes it */
typedef struct cmk_result {
    void *memory;
    int kind, size;
    const char *name;
} cmk_result;

#endif

#endif
