/* Every body of stencil.h in 2D and 3D, and the queue along an axis, against sums in double over all taps of a box. */
#include <cmk/load.h>
#include <cmk/stencil.h>
#include <cmk/table.h>
#include <cmk/check.h>
#include <math.h>
#include <stdlib.h>
#include "tap.h"

enum { R = 2, SIDE = 2 * R + 1, planes = 6 + 2 * R, rows = 5 + 2 * R, columns = 7 + 2 * R };
enum { count = planes * rows * columns, middle = SIDE * SIDE * SIDE / 2 };

CMK_TABLE(CONSTANT, float, box, [SIDE][SIDE][SIDE]);
CMK_TABLE(CONSTANT, float, star, [3][SIDE]);
static float h_box[SIDE * SIDE * SIDE], h_star[3 * SIDE], h_in[count], h_out[count];

#define BOX_3D(p, r, c) CMK_TABLE_AT(box, p, r, c)
#define BOX_2D(r, c) CMK_TABLE_AT(box, R, r, c)
#define STAR(axis, k) CMK_TABLE_AT(star, axis, k)
#define STAR_2D(axis, k) CMK_TABLE_AT(star, 1 + axis, k)
#define LINE(k) CMK_TABLE_AT(star, 0, k)
#define IN(dz, dy, dx) CMK_LOAD(&in[((z + (dz)) * rows + y + (dy)) * columns + x + (dx)])
#define IN_2D(dy, dx) IN(0, dy, dx)
#define QUEUED(d) CMK_STENCIL_QUEUE_AT(queue, R, d)

static const char *const names[] = {
    "3D_BOX", "3D_BOX_SYMMETRIC",  "3D_BOX_ANTISYMMETRIC", "3D_STAR", "3D_STAR_SYMMETRIC",
    "2D_BOX", "2D_BOX_SYMMETRIC",  "2D_BOX_ANTISYMMETRIC", "2D_STAR", "2D_STAR_SYMMETRIC",
    "QUEUE",  "3D_STAR, RADIUS 0", "3D_BOX, RADIUS 0"};
enum { forms = sizeof names / sizeof names[0] };

/* a thread has a column of points, from plane R on */
__global__ void apply(const float *in, float *out, int form)
{
    const int y = R + (int)threadIdx.y, x = R + (int)threadIdx.x;
    CMK_STENCIL_QUEUE(float, queue, R);
    for (int k = 0; k < SIDE; ++k) queue[k] = 0.0f;
    for (int z = 0; z < R; ++z) CMK_STENCIL_QUEUE_PUSH(queue, R, IN(0, 0, 0));
    for (int z = 0; z < R; ++z) CMK_STENCIL_QUEUE_PUSH(queue, R, IN(R, 0, 0));
    for (int z = R; z < planes - R; ++z) {
        float sum = 0.0f;
        CMK_STENCIL_QUEUE_PUSH(queue, R, IN(R, 0, 0));
        if (form == 0) CMK_STENCIL_3D_BOX(sum, R, BOX_3D, IN);
        if (form == 1) CMK_STENCIL_3D_BOX_SYMMETRIC(sum, R, BOX_3D, IN);
        if (form == 2) CMK_STENCIL_3D_BOX_ANTISYMMETRIC(sum, R, BOX_3D, IN);
        if (form == 3) CMK_STENCIL_3D_STAR(sum, R, STAR, IN);
        if (form == 4) CMK_STENCIL_3D_STAR_SYMMETRIC(sum, R, STAR, IN);
        if (form == 5) CMK_STENCIL_2D_BOX(sum, R, BOX_2D, IN_2D);
        if (form == 6) CMK_STENCIL_2D_BOX_SYMMETRIC(sum, R, BOX_2D, IN_2D);
        if (form == 7) CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, R, BOX_2D, IN_2D);
        if (form == 8) CMK_STENCIL_2D_STAR(sum, R, STAR_2D, IN_2D);
        if (form == 9) CMK_STENCIL_2D_STAR_SYMMETRIC(sum, R, STAR_2D, IN_2D);
        if (form == 10) CMK_STENCIL_1D(sum, R, LINE, QUEUED);
        if (form == 11) CMK_STENCIL_3D_STAR(sum, 0, STAR, IN);
        if (form == 12) CMK_STENCIL_3D_BOX(sum, 0, BOX_3D, IN);
        CMK_STORE(&out[(z * rows + y) * columns + x], sum);
    }
}

/* the tap at an offset from the centre; in 2D and along a line, of the box's middle, and of one axis */
static double box_tap(int form, const int *d)
{
    const int tap = ((d[0] + R) * SIDE + d[1] + R) * SIDE + d[2] + R, opposite = 2 * middle - tap;
    if (form % 5 == 0) return h_box[tap];
    if (form % 5 == 1) return h_box[tap <= middle ? tap : opposite];
    return tap < middle ? h_box[tap] : tap > middle ? -h_box[opposite] : 0.0;
}

static double star_tap(int symmetric, int first, const int *d)
{
    int along = first;
    for (int axis = first; axis < 3; ++axis)
        if (d[axis] != 0) along = axis;
    for (int axis = 0; axis < 3; ++axis)
        if (axis != along && d[axis] != 0) return 0.0;
    return h_star[along * SIDE + (symmetric ? abs(d[along]) : d[along] + R)];
}

static double tap(int form, const int *d)
{
    const int centre = d[0] == 0 && d[1] == 0 && d[2] == 0;
    if (form == 10) return d[1] == 0 && d[2] == 0 ? h_star[d[0] + R] : 0.0;
    if (form == 11) return centre ? h_star[0] : 0.0;
    if (form == 12) return centre ? h_box[0] : 0.0;
    if (form >= 5 && d[0] != 0) return 0.0;
    return form % 5 < 3 ? box_tap(form, d) : star_tap(form % 5 == 4, form >= 5, d);
}

static int wrong_at(int form, int z, int y, int x)
{
    double sum = 0.0, scale = 0.0;
    for (int n = 0; n < SIDE * SIDE * SIDE; ++n) {
        const int d[3] = {n / SIDE / SIDE - R, n / SIDE % SIDE - R, n % SIDE - R};
        const double term = tap(form, d) * (double)h_in[((z + d[0]) * rows + y + d[1]) * columns + x + d[2]];
        sum += term;
        scale += fabs(term);
    }
    return !(fabs((double)h_out[(z * rows + y) * columns + x] - sum) <= SIDE * SIDE * SIDE * 5.9604645e-8 * scale);
}

int main(void)
{
    float *in, *out;
    tap_need_device();
    for (int k = 0; k < SIDE * SIDE * SIDE; ++k) h_box[k] = (float)rand() / (float)RAND_MAX - 0.5f;
    for (int k = 0; k < 3 * SIDE; ++k) h_star[k] = (float)rand() / (float)RAND_MAX - 0.5f;
    for (int k = 0; k < count; ++k) h_in[k] = (float)rand() / (float)RAND_MAX;
    CMK_CHECK(CMK_TABLE_UPLOAD(box, h_box, 0, SIDE * SIDE * SIDE));
    CMK_CHECK(CMK_TABLE_UPLOAD(star, h_star, 0, 3 * SIDE));
    CMK_CHECK(cudaMalloc((void **)&in, sizeof h_in));
    CMK_CHECK(cudaMalloc((void **)&out, sizeof h_out));
    CMK_CHECK(cudaMemcpy(in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    for (int form = 0; form < forms; ++form) {
        int wrong = 0;
        CMK_CHECK(cudaMemset(out, 0xff, sizeof h_out));
        CMK_CHECK(CMK_LAUNCH(apply, 1, dim3(columns - 2 * R, rows - 2 * R), 0, 0, in, out, form));
        CMK_CHECK(cudaMemcpy(h_out, out, sizeof h_out, cudaMemcpyDeviceToHost));
        for (int z = R; z < planes - R; ++z)
            for (int y = R; y < rows - R; ++y)
                for (int x = R; x < columns - R; ++x) wrong += wrong_at(form, z, y, x);
        tap_check(wrong == 0, "CMK_STENCIL_%s: %d points wrong", names[form], wrong);
    }
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
