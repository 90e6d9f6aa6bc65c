/* expect: cmk: the functions of filter.h make taps of float or double */
/* because: their values are fractions */
/* do: an array of float or double */
#include <cmk/filter.h>

void make(int *taps)
{
    cmk_filter_gauss(taps, 3, 1.0);
}
