"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(which, check):
    return ['codegen/codegen.py', which, '--only', check]


ROWS = [
    ('edges', 'CMK_EDGE_CLAMP: threads inside only load and add, sm_90', 'edge.h', 'BODY(INTERIOR);', 'BODY(BORDER);'),
    ('equal', 'stencil1d: parts and hand give one cubin, sm_90', 'tile.h', 'cmk_column_ += (int)blockDim.x',
     'cmk_column_ += (int)(blockDim.x * blockDim.y)', 'every'),
    ('equal', 'conv2d: parts and hand give one cubin, sm_80', 'tile.h', '__shared__ __align__(128) T name[COUNT]',
     '__shared__ __align__(128) T name[(COUNT) + 1]'),
    ('spills', 'definition.cu: no spills', 'kernel/stencil1d.h', 'cmk_sums_[cmk_j_] = 0',
     'cmk_sums_[(cmk_j_ + cmk_line_.head) % name##_outputs_] = 0'),
    ('spills', 'convolution.cu: no spills', 'kernel/image/sums.inc', 's.f.rows - 1, s.step, 0);',
     's.f.rows - 1, 0, 1);'),
    ('stencils', 'examples/heat2d.cu: no more spills, sm_90', 'kernel/point/tune.h', 'cmk_point_blocks_near_ = 6',
     'cmk_point_blocks_near_ = 16'),
    ('ptx', 'conv_constant: loads in PTX', 'load.h', 'CMK_LOAD_BY_(cmk_load_by_READ_ONLY_, pointer)',
     'CMK_LOAD(pointer)'),
    ('ptx', 'nothing: kernels of passes, sm_80', 'base.h', '#if defined(__CUDACC__) && !CMK_C_NAMES', '#if 0'),
    ('ptx', 'gather_kernel: loads in PTX', 'kernel/point/window.h', '$f.alignment < 16 ? $f.alignment : 16',
     '$f.alignment'),
    ('ptx', 'every hint, sm_75', 'load.h', '".global.cs"', '".global.cg"'),
    ('ptx', 'every hint, sm_90', 'load.h', '(alignof(T_) < 16 ? (int)alignof(T_) : 16)',
     '(alignof(T_) < 8 ? (int)alignof(T_) : 8)'),
    ('equal', 'read_only: parts and hand give one cubin, sm_90', 'load.h', 'cmk_load_same_(const $T &, const $T &)',
     'cmk_load_same_(const $T &, $T &)'),
    ('equal', 'GLOBAL table: parts and hand give one cubin, sm_80', 'table.h', '(cmk_i64)(j) * (row) + (k))',
     '(cmk_i64)(j) * (row) + (k) + (j))'),
    ('ptx', 'GLOBAL table: loads in PTX', 'table.h',
     'cmk_table_read_(name##_source_, &((const name##_element_ *)VALUES)[$i])',
     '((const name##_element_ *)VALUES)[$i]'),
    ('sass', 'LITERAL table: where the coefficients are, sm_90', 'table.h', '(static, __device__ const,',
     '(static, __device__,'),
    ('sass', 'CONSTANT table: where the coefficients are, sm_80', 'table.h', '(const name##_element_ *)VALUES)[$i]',
     '(const name##_element_ *)VALUES)[$i + threadIdx.x % 2]', 'every'),
    ('sass', 'PARAMETER table: where the coefficients are, sm_120', 'table.h', '(const name##_element_ *)VALUES)[$i]',
     '(const name##_element_ *)VALUES)[$i + threadIdx.x % 2]', 'every'),
    ('sass', 'stencil_1d: no thread loads a coefficient, sm_90', 'table.h', '(const name##_element_ *)VALUES)[$i]',
     '(const name##_element_ *)VALUES)[$i + threadIdx.x % 2]', 'every'),
]
