"""Builds the wheel of cmk-kernels (PEP 517): the package and the headers, in a zip. No build tool is needed for that,
so that pip has nothing to fetch.
"""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE if (HERE / 'include').is_dir() else HERE.parent  # of a source archive, of a checkout
BASE = (ROOT / 'include/cmk/base.h').read_text(encoding='utf-8')
VERSION = '.'.join(re.findall(r'#define CMK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', BASE))
STEM = f'cmk_kernels-{VERSION}'
METADATA = f'''Metadata-Version: 2.1
Name: cmk-kernels
Version: {VERSION}
Summary: Convolutions, transposes and stencils by the kernels of cmk, on arrays of CuPy, PyTorch and NumPy
License: MIT
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.9
Requires-Dist: numpy
'''
WHEEL = '''Wheel-Version: 1.0
Generator: cmk
Root-Is-Purelib: true
Tag: py3-none-any
'''
WHEN = (1980, 1, 1, 0, 0, 0)  # the same files make the same wheel


def package():
    """the files of the module, by their names in it"""
    files = {f'cmk/{path.name}': path for path in sorted((HERE / 'cmk').iterdir()) if path.suffix in ('.py', '.h')}
    headers = sorted(path for path in (ROOT / 'include').rglob('*') if path.suffix in ('.h', '.inc'))
    return {**files, **{f'cmk/include/{path.relative_to(ROOT / "include").as_posix()}': path for path in headers}}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {name: path.read_bytes() for name, path in package().items()}
    about = f'{STEM}.dist-info'
    files[f'{about}/LICENSE'] = (ROOT / 'LICENSE').read_bytes()
    files[f'{about}/METADATA'] = METADATA.encode()
    files[f'{about}/WHEEL'] = WHEEL.encode()
    record = ''
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()
        record += f'{name},sha256={digest},{len(content)}\n'
    files[f'{about}/RECORD'] = (record + f'{about}/RECORD,,\n').encode()
    name = f'{STEM}-py3-none-any.whl'
    with zipfile.ZipFile(Path(wheel_directory) / name, 'w', zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, WHEN)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    files = {name.replace('cmk/include/', 'include/', 1): path.read_bytes() for name, path in package().items()}
    files.update({name: (HERE / name).read_bytes() for name in ('backend.py', 'pyproject.toml')})
    files['LICENSE'] = (ROOT / 'LICENSE').read_bytes()
    files['PKG-INFO'] = METADATA.encode()
    name = f'{STEM}.tar.gz'
    with tarfile.open(Path(sdist_directory) / name, 'w:gz') as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f'{STEM}/{path}')
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return name
