"""Which backend an array belongs to.

A backend is a module with array(x), an array of its own without gaps; empty(shape, dtype); and run(what, definition,
arrays, sizes, numbers), which makes a definition's call, and raises an Error where it fails.
"""

from . import cpu

HOST = (1, 3)  # DLPack's kinds of memory of the host: its own, pinned by CUDA


def on_device(x):
    if hasattr(x, '__cuda_array_interface__'):
        return True
    return hasattr(x, '__dlpack_device__') and x.__dlpack_device__()[0] not in HOST


def backend_of(what, *arrays):
    if any(on_device(x) for x in arrays):
        raise NotImplementedError(f'{what}: arrays in the memory of a GPU are not for this version: bring them to the '
                                  'host (cupy.asnumpy(x), x.cpu()), or use the headers by nvcc')
    return cpu
