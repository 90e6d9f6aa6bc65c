"""Which backend an array belongs to: cpu, for what NumPy takes, or a library of cuda, for what is in a GPU's memory.

A backend has filtered(what, make, x, output, taps, parameters), which makes a filter's call; and for stencils
shape_of(x), copy(x), zeros(shape, dtype), and run(what, definition, arrays, sizes, numbers).
"""

import numpy as np

from . import cpu, cuda

LIBRARIES = {}  # by the types of arrays
FILTERED = {}  # filtered() of those that are not cpu, by the types of arrays


def library_of(x):
    """the library of an array, or cpu where its type is never in the memory of a GPU"""
    kind = type(x)
    found = LIBRARIES.get(kind)
    if found is None:
        known = isinstance(x, (np.ndarray, np.generic, list, tuple, int, float, complex))
        found = LIBRARIES[kind] = cpu if known else cuda.library_of(x) or cpu
        if found is not cpu:
            FILTERED[kind] = found.filtered
    return found


def filtered(what, make, x, output, taps, parameters):
    library = library_of(x)
    if library is cpu:
        cuda.refuse(what, output=output, taps=taps)
    return library.filtered(what, make, x, output, taps, parameters)


def backend_of(what, arrays):
    """the backend of arrays by their names: they are all of one"""
    found = [(name, library_of(x)) for name, x in arrays.items()]
    on_gpu = [(name, library) for name, library in found if library is not cpu and library.is_on_gpu(arrays[name])]
    if not on_gpu:
        return cpu
    name, library = on_gpu[0]
    return cuda.Grids(what, library, name, arrays)
