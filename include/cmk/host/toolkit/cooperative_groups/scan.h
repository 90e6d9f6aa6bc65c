/* host/toolkit/cooperative_groups/scan.h: CUDA's cooperative groups, of which this is a part */
#include "../cooperative_groups.h"
