"""Makes sure that the folder where PoCL caches kernels is writable and has no truncated files.

If PoCL cannot write there, it offers no platform at all; and if a cached kernel is damaged, as
after a power failure, it aborts the process. Checking all files takes a second for each 30,000,
and is done once after each start of the system, and after the disk was full.
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

#: The file that names the start of the system since which the others are known to be complete.
CHECKED = "gascl-checked"


def prepare() -> None:
    """Check the folder before PoCL is loaded; use another one if it cannot be written."""
    folder = place()
    if writable(folder):
        start = _start_of_system()
        if start and _checked(folder) == start:
            return
        for path in damaged(folder):
            with suppress(OSError):  # it belongs to another user
                path.unlink()
        with suppress(OSError):
            (folder / CHECKED).write_text(start, encoding="ascii")
    elif not os.environ.get("POCL_CACHE_DIR"):
        os.environ["POCL_CACHE_DIR"] = tempfile.mkdtemp(prefix="gascl-pocl-")
        atexit.register(_remove, os.environ["POCL_CACHE_DIR"], os.getpid())


def suspect() -> None:
    """Make the next process check the folder."""
    with suppress(OSError):
        (place() / CHECKED).unlink()


def _start_of_system() -> str:
    """Linux's identifier of the system's current start; "" if it is unknown."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _checked(folder: Path) -> str:
    try:
        return (folder / CHECKED).read_text(encoding="ascii")
    except (OSError, ValueError):  # not yet, or damaged
        return ""


def writable(folder: Path) -> bool:
    """Whether files can be written to the folder, which is created if necessary."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def _remove(folder: str, process: int) -> None:
    """Delete the folder at exit, but not at the exit of a forked child."""
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
    """The truncated kernels and programs in subfolders of the folder.

    Files that another process is still writing are not among these: PoCL and the linker write them
    in the folder itself, and then move them (llvm_codegen in lib/CL/devices/common.c).
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
    except OSError:  # deleted meanwhile, or another user's
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
    """Whether a 64-bit ELF library is complete: its section table is at the end."""
    header = os.pread(file, 64, 0)
    if len(header) < 64 or header[:4] != b"\x7fELF":
        return False
    (table,) = struct.unpack_from("<Q", header, 40)
    each, count = struct.unpack_from("<HH", header, 58)
    return bool(size >= table + each * count)


def _is_whole_bitcode(file: int, size: int) -> bool:
    """Whether LLVM bitcode is complete: blocks, each with its length in its second word."""
    at = 4
    while at + 8 <= size:
        at += 8 + 4 * int(struct.unpack("<I", os.pread(file, 4, at + 4))[0])
    return os.pread(file, 4, 0) == b"BC\xc0\xde" and at == size > 4
