#define CALL heat_steps(&grid, 10, 0)
#include "heat.h"
