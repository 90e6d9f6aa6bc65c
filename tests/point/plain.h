/* plain.h: a field of a grid in double on the host, for references in plain loops, and its copies on the device. */
#ifndef POINT_PLAIN_H
#define POINT_PLAIN_H

#include <math.h>
#include "edge_walk.h"
#include "tap.h"

typedef struct {
    int planes, rows, columns;
    int edges[3][2]; /* of planes, rows and columns: low and high */
    double outside, *now, *next;
} plain_field;

/* what the tests have taken from the host and the device, until plain_end() */
static void *plain_held[64], *plain_on_device[64];
static int plain_holds, plain_holds_on_device;

static void *plain_hold(size_t bytes)
{
    return plain_held[plain_holds++] = malloc(bytes);
}

static void plain_end(void)
{
    while (plain_holds > 0) free(plain_held[--plain_holds]);
    while (plain_holds_on_device > 0) CMK_CHECK(cudaFree(plain_on_device[--plain_holds_on_device]));
}

#define PLAIN_EACH(f, z, y, x)                                                                                         \
    for (int z = 0; z < (f).planes; ++z)                                                                               \
        for (int y = 0; y < (f).rows; ++y)                                                                             \
            for (int x = 0; x < (f).columns; ++x)

static size_t plain_count(const plain_field *f)
{
    return (size_t)f->planes * (size_t)f->rows * (size_t)f->columns;
}

static size_t plain_index(const plain_field *f, long long z, long long y, long long x)
{
    return (size_t)((z * f->rows + y) * f->columns + x);
}

/* at any place, outside too */
static double plain_value(const plain_field *f, int z, int y, int x)
{
    int odd = 0;
    const long long plane = edge_walk_sides(f->edges[0], z, f->planes, &odd);
    const long long row = edge_walk_sides(f->edges[1], y, f->rows, &odd);
    const long long column = edge_walk_sides(f->edges[2], x, f->columns, &odd);
    if (plane < 0 || row < 0 || column < 0) return f->outside;
    const double value = f->now[plain_index(f, plane, row, column)];
    return odd ? 2 * f->outside - value : value;
}

__attribute__((unused)) static void plain_set(const plain_field *f, int z, int y, int x, double value)
{
    f->next[plain_index(f, z, y, x)] = value;
}

/* what was set is the new level */
__attribute__((unused)) static void plain_advance(plain_field *f)
{
    memcpy(f->now, f->next, plain_count(f) * sizeof *f->now);
}

/* random floats */
static plain_field plain_make(int planes, int rows, int columns, int edge, double low, double high)
{
    plain_field f = {planes, rows, columns, {{edge, edge}, {edge, edge}, {edge, edge}}, 0.0, NULL, NULL};
    f.now = (double *)plain_hold(plain_count(&f) * sizeof *f.now);
    f.next = (double *)plain_hold(plain_count(&f) * sizeof *f.next);
    for (size_t k = 0; k < plain_count(&f); ++k) f.now[k] = (float)(low + (high - low) * rand() / RAND_MAX);
    memcpy(f.next, f.now, plain_count(&f) * sizeof *f.next);
    return f;
}

/* an element of 1 byte, of an unsigned short, of a float or of a double */
static double plain_element(const char *at, size_t size)
{
    unsigned short two;
    float narrow;
    double wide;
    if (size == 1) return *(const unsigned char *)at;
    memcpy(&two, at, sizeof two);
    if (size == sizeof two) return two;
    memcpy(&narrow, at, sizeof narrow);
    memcpy(&wide, at, size == sizeof wide ? sizeof wide : 0);
    return size == sizeof wide ? wide : narrow;
}

static void plain_put(char *at, double value, size_t size)
{
    const float narrow = (float)value;
    const unsigned char byte = (unsigned char)(size == 1 ? value : 0);
    const unsigned short two = (unsigned short)(size == sizeof two ? value : 0);
    memcpy(at,
           size == 1               ? (const void *)&byte
           : size == sizeof two    ? (const void *)&two
           : size == sizeof narrow ? (const void *)&narrow
                                   : (const void *)&value,
           size);
}

/* on the device, in elements of so many bytes; NaN between the rows */
static void *plain_upload(const plain_field *f, size_t size, size_t row_pitch)
{
    const size_t bytes = (size_t)(f->planes * f->rows) * row_pitch * size;
    char *const held = (char *)malloc(bytes);
    void *device = NULL;
    memset(held, 0xFF, bytes);
    for (size_t k = 0; k < plain_count(f); ++k) {
        const size_t columns = (size_t)f->columns;
        plain_put(held + (k / columns * row_pitch + k % columns) * size, f->now[k], size);
    }
    CMK_CHECK(cudaMalloc(&device, bytes));
    CMK_CHECK(cudaMemcpy(device, held, bytes, cudaMemcpyHostToDevice));
    free(held);
    plain_on_device[plain_holds_on_device++] = device;
    return device;
}

/* the largest difference from the device's elements, of the largest value; infinite where one is no number */
static double plain_error(const plain_field *f, const void *device, size_t size, size_t row_pitch)
{
    const size_t bytes = (size_t)(f->planes * f->rows) * row_pitch * size, columns = (size_t)f->columns;
    char *const held = (char *)malloc(bytes);
    double worst = 0.0, largest = 1e-30;
    CMK_CHECK(cudaMemcpy(held, device, bytes, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < plain_count(f); ++k) largest = fmax(largest, fabs(f->now[k]));
    for (size_t k = 0; k < plain_count(f); ++k) {
        const double got = plain_element(held + (k / columns * row_pitch + k % columns) * size, size);
        const double error = fabs(got - f->now[k]) / largest;
        if (!(error <= worst)) worst = error == error ? error : INFINITY;
    }
    free(held);
    return worst;
}

#define PLAIN_CHECK(T, pointer, f, row_pitch, tolerance, name)                                                         \
    do {                                                                                                               \
        const double error = plain_error(&(f), pointer, sizeof(T), row_pitch);                                         \
        tap_check(error <= (tolerance), "%s: wrong by at most %.0e of the largest value: %.1e", name,                  \
                  (double)(tolerance), error);                                                                         \
    } while (0)

#endif
