/* element.h: an element of an array whose pointer forgets the type. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <stddef.h>
#include <string.h>

/* the float or double, of `size` bytes, at `at` */
static inline double element(const char *at, size_t size)
{
    float narrow;
    double wide;
    memcpy(&narrow, at, sizeof narrow);
    memcpy(&wide, at, size == sizeof wide ? sizeof wide : 0);
    return size == sizeof wide ? wide : narrow;
}

#endif
