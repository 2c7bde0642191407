"""The folder where PoCL keeps compiled kernels: a writable one, without files that were cut short.

PoCL offers no platform at all where it cannot write there, and aborts the process where a kernel in
it is damaged, as after a power cut.
"""

from __future__ import annotations

import atexit
import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path


def prepare() -> None:
    """See to the folder, before PoCL is loaded; another one where the user's cannot be written."""
    folder = place()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if writable:
        for path in damaged(folder):
            path.unlink(missing_ok=True)
    elif not os.environ.get("POCL_CACHE_DIR"):
        os.environ["POCL_CACHE_DIR"] = tempfile.mkdtemp(prefix="gascl-pocl-")
        atexit.register(shutil.rmtree, os.environ["POCL_CACHE_DIR"], ignore_errors=True)


def place() -> Path:
    """The folder that PoCL will use (pocl_cache_init_topdir in lib/CL/pocl_cache.c)."""
    if os.environ.get("POCL_CACHE_DIR"):
        return Path(os.environ["POCL_CACHE_DIR"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "pocl", "kcache")
    if os.environ.get("HOME"):
        return Path(os.environ["HOME"], ".cache", "pocl", "kcache")
    return Path("/tmp/pocl/kcache")


def damaged(folder: Path) -> Iterator[Path]:
    """Compiled kernels and programs below the folder that are not whole.

    Another process may be writing one: PoCL and the linker do that in files of the folder itself,
    which then move to where they belong (llvm_codegen in lib/CL/devices/common.c).
    """
    whole = {".so": _is_whole_library, ".bc": _is_whole_bitcode}
    for parent, _, names in os.walk(folder):
        for name in names if Path(parent) != folder else ():
            check = whole.get(os.path.splitext(name)[1])
            path = Path(parent, name)
            try:
                if check is not None and not check(path):
                    yield path
            except OSError:  # removed meanwhile, or another user's
                continue


def _is_whole_library(path: Path) -> bool:
    """A shared library of 64 bits, whose table of sections stands at its end."""
    with path.open("rb") as file:
        header = file.read(64)
        if len(header) < 64 or header[:4] != b"\x7fELF":
            return False
        (table,) = struct.unpack_from("<Q", header, 40)
        size, count = struct.unpack_from("<HH", header, 58)
        return os.fstat(file.fileno()).st_size >= table + size * count


def _is_whole_bitcode(path: Path) -> bool:
    """LLVM's bitcode: blocks, each with its length in words behind the first word of it."""
    data = path.read_bytes()
    at = 4
    while at + 8 <= len(data):
        at += 8 + 4 * int(struct.unpack_from("<I", data, at + 4)[0])
    return data[:4] == b"BC\xc0\xde" and at == len(data) > 4
