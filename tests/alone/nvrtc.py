"""NVRTC, the run-time compiler of the CUDA toolkit: it needs neither a GPU nor a driver."""

import ctypes
import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, Skip, toolkit  # noqa: E402


@functools.lru_cache(maxsize=None)
def library():
    for place in (folder for folder in toolkit('LIBRARIES') if 'stubs' not in folder):
        for path in sorted(Path(place).glob('libnvrtc.so*')):
            return ctypes.CDLL(str(path))
    raise Skip('no libnvrtc beside nvcc')


class Nvrtc:
    def __init__(self):
        self.library = library()

    def log(self, handle):
        size = ctypes.c_size_t()
        self.library.nvrtcGetProgramLogSize(handle, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(handle, text)
        return text.value.decode(errors='replace')

    def run(self, source, options):
        """a program that has been compiled, the status, and the compiler's errors and warnings"""
        handle = ctypes.c_void_p()
        words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        self.library.nvrtcCreateProgram(ctypes.byref(handle), source.encode(), b'source.cu', 0, None, None)
        status = self.library.nvrtcCompileProgram(handle, len(options), words)
        log = self.log(handle)
        return handle, log or (f'nvrtcCompileProgram: {status}' if status else '')

    def compile(self, source, options):
        """the compiler's errors and warnings: empty where there are none"""
        handle, log = self.run(source, options)
        self.library.nvrtcDestroyProgram(ctypes.byref(handle))
        return log

    def ptx(self, source, options):
        handle, log = self.run(source, options)
        size = ctypes.c_size_t()
        if self.library.nvrtcGetPTXSize(handle, ctypes.byref(size)) != 0:
            raise Failure(log)
        text = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetPTX(handle, text)
        self.library.nvrtcDestroyProgram(ctypes.byref(handle))
        return text.value.decode()
