/* host/toolkit/cooperative_groups/reduce.h: CUDA's cooperative groups, of which this is a part */
#include "../cooperative_groups.h"
