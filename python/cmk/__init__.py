"""cmk: convolutions, transposes and stencils by the kernels of cmk.

    conv2d(x, taps)         2D correlations and convolutions of images, of batches and channels too
    separable(x, taps)      the same by taps of one axis each, of images and volumes
    conv3d(x, taps)         of volumes
    transpose(x)            of matrices and volumes
    stencil(uses, body)     an update of a grid's points, with its body in C: a function of arrays
    get_include()           the folder of the headers, for compilers
    __version__             that of the headers

Modes, cval and origin are those of scipy.ndimage. Arrays of CuPy and PyTorch in the memory of a GPU are worked on
there, on their library's current stream, by kernels that NVRTC compiles; NumPy arrays by plain loops, stencils of them
by cmk's CPU backend. Both need a C compiler. What is compiled is kept. What goes wrong is an exception with a sentence.
"""

from .cpu import get_include, version
from .errors import CompileError, Error
from .filters import conv2d, conv3d, separable, transpose
from .stencils import stencil

__all__ = ['CompileError', 'Error', 'conv2d', 'conv3d', 'get_include', 'separable', 'stencil', 'transpose']
__version__ = version()
