/* random.h: the same random numbers on every system. random_state is where they begin, set before the first. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>

static unsigned long long random_state;

static inline void draw_as(const char *name) /* random_state of a test by its name, whatever ran before it */
{
    for (random_state = 1; *name; ++name) random_state = random_state * 31 + (unsigned char)*name;
}

static size_t below(size_t bound) /* a number from 0 to bound - 1 */
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % bound;
}

#endif
