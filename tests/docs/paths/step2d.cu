#define CALL heat(&grid, 0)
#include "heat.h"
