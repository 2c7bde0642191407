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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def prepare() -> None:
    """See to the folder, before PoCL is loaded; another one where the user's cannot be written."""
    folder = place()
    if writable(folder):
        for path in damaged(folder):
            with suppress(OSError):  # another user's
                path.unlink()
    elif not os.environ.get("POCL_CACHE_DIR"):
        os.environ["POCL_CACHE_DIR"] = tempfile.mkdtemp(prefix="gascl-pocl-")
        atexit.register(_remove, os.environ["POCL_CACHE_DIR"], os.getpid())


def writable(folder: Path) -> bool:
    """Whether files can be written in the folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def _remove(folder: str, process: int) -> None:
    """At exit, but not at that of a forked child."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


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
    checks = {".so": _is_whole_library, ".bc": _is_whole_bitcode}
    folders = [entry for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    while folders:
        for entry in _entries(folders.pop()):
            check = checks.get(entry.name[-3:])
            if check is not None and not _passes(check, entry.path):
                yield Path(entry.path)
            elif check is None and entry.is_dir(follow_symlinks=False):
                folders.append(entry)


def _entries(folder: os.DirEntry[str]) -> Iterable[os.DirEntry[str]]:
    try:
        return os.scandir(folder)
    except OSError:  # removed meanwhile, or another user's
        return ()


def _passes(check: Callable[[int, int], bool], path: str) -> bool:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        return check(file, os.fstat(file).st_size)
    finally:
        os.close(file)


def _is_whole_library(file: int, size: int) -> bool:
    """A shared library of 64 bits, whose table of sections stands at its end."""
    header = os.pread(file, 64, 0)
    if len(header) < 64 or header[:4] != b"\x7fELF":
        return False
    (table,) = struct.unpack_from("<Q", header, 40)
    each, count = struct.unpack_from("<HH", header, 58)
    return bool(size >= table + each * count)


def _is_whole_bitcode(file: int, size: int) -> bool:
    """LLVM's bitcode: blocks, each with its length in words behind the first word of it."""
    at = 4
    while at + 8 <= size:
        at += 8 + 4 * int(struct.unpack("<I", os.pread(file, 4, at + 4))[0])
    return os.pread(file, 4, 0) == b"BC\xc0\xde" and at == size > 4
