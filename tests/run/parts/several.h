#ifndef SEVERAL_H
#define SEVERAL_H

void square_all(float *x, int count);

#ifdef __cplusplus
extern "C"
#endif
    double
    total_of(const float *x, int count);

#endif
