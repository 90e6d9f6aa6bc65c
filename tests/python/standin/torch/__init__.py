"""A stand-in for PyTorch on a machine without a GPU: as much as cmk uses of it, in the host's memory."""

import types

import numpy as np

streams = {0: 0x80, 1: 0x81}  # the current one of each device


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f'torch.{self.name}'


NAMES = 'float16 float32 float64 uint8 int8 int16 uint16 int32 int64 bool complex64 bfloat16 float8_e4m3fn'.split()
globals().update({name: dtype(name) for name in NAMES})
BITS = np.dtype([('bfloat16', np.uint16)])  # of a host array of bfloat16


class Tensor:
    def __init__(self, host, device=0, requires_grad=False, is_neg=False, is_conj=False):
        self.host, self.device, self.requires_grad = host, device, requires_grad
        self.is_neg, self.is_conj = (lambda: is_neg), (lambda: is_conj)
        self.is_cuda, self.dtype = device >= 0, bfloat16 if host.dtype == BITS else globals()[host.dtype.name]

    shape = property(lambda self: tuple(self.host.shape))

    def get_device(self):
        return self.device

    def resolve_conj(self):
        return Tensor(self.host.conj(), self.device, is_neg=self.is_neg()) if self.is_conj() else self

    def resolve_neg(self):
        return Tensor(-self.host, self.device) if self.is_neg() else self

    def is_contiguous(self):
        return self.host.flags.c_contiguous

    def contiguous(self):
        return self if self.is_contiguous() else Tensor(self.host.copy(), self.device)

    def data_ptr(self):
        return self.host.ctypes.data

    def __getitem__(self, key):
        return Tensor(self.host[key], self.device)

    def __setitem__(self, key, value):
        self.host[key] = getattr(value, 'host', value)

    def __array__(self, *_, **__):
        if self.is_cuda:
            raise TypeError("can't convert cuda device type tensor to numpy")
        return self.host


def empty(shape, dtype, device):
    return Tensor(np.empty(shape, BITS if dtype is bfloat16 else dtype.name), device)


_C = types.SimpleNamespace(_cuda_getCurrentRawStream=streams.get)
