/* cmk.h: all of cmk. Each part also works alone: copy base.h, host/ and the headers that you use. */
#ifndef CMK_CMK_H
#define CMK_CMK_H

#include "base.h"
#include "check.h"
#include "count.h"
#include "edge.h"
#include "fill.h"
#include "filter.h"
#include "load.h"
#include "point.h"
#include "stencil.h"
#include "stream.h"
#include "table.h"
#include "tile.h"

#include "kernel/bordered.h"
#include "kernel/conv2d.h"
#include "kernel/conv3d.h"
#include "kernel/separable.h"
#include "kernel/stencil1d.h"
#include "kernel/stencil2d.h"
#include "kernel/stencil3d.h"
#include "kernel/transpose.h"

#endif
