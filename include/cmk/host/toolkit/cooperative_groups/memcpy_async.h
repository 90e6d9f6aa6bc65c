/* host/toolkit/cooperative_groups/memcpy_async.h: CUDA's cooperative groups, of which this is a part */
#include "../cooperative_groups.h"
