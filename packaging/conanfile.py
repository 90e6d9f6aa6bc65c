"""Conan 2: `conan create packaging` in a checkout of cmk. The recipe takes the headers from there, and no network."""

import os
import re

from conan import ConanFile
from conan.tools.files import copy, load


class Cmk(ConanFile):
    name = 'cmk'
    description = 'CUDA kernels from C macros, on the GPU and on the CPU'
    license = 'MIT'
    topics = ('cuda', 'stencil', 'convolution', 'header-only')
    package_type = 'header-library'
    settings = 'os', 'arch', 'compiler', 'build_type'
    no_copy_source = True

    def root(self):
        return os.path.dirname(self.recipe_folder)

    def set_version(self):
        text = load(self, os.path.join(self.root(), 'include/cmk/base.h'))
        self.version = '.'.join(re.findall(r'#define CMK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', text))

    def export_sources(self):
        for pattern in ('include/*', 'LICENSE'):
            copy(self, pattern, self.root(), self.export_sources_folder)

    def package(self):
        copy(self, 'include/*', self.source_folder, self.package_folder)
        copy(self, 'LICENSE', self.source_folder, os.path.join(self.package_folder, 'licenses'))

    def package_id(self):
        self.info.clear()  # headers alone: one package for all compilers

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        self.cpp_info.system_libs = ['m', 'pthread']  # the CPU backend's
