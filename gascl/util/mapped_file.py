"""Files that are mapped into memory, and whether they are still what was mapped."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gascl.errors import FormatError


class MappedFile(mmap.mmap):
    """A file that is mapped into memory, read-only.

    The system ends a process that reads what a truncated file no longer has, and nothing but a look
    at the file, before it is read, can tell.
    """

    path: Path
    _begin: os.stat_result

    def __new__(cls, path: Path, file: BinaryIO) -> MappedFile:
        mapped = super().__new__(cls, file.fileno(), 0, access=mmap.ACCESS_READ)
        mapped.path, mapped._begin = path.absolute(), os.fstat(file.fileno())
        return mapped

    def check(self) -> None:
        """Raises FormatError if the file has been changed. To be replaced, or deleted, leaves what
        is mapped as it is."""
        begin = self._begin
        changed = self.size() < len(self)
        try:
            now = os.stat(self.path)
        except OSError:
            now = begin
        if (now.st_dev, now.st_ino) == (begin.st_dev, begin.st_ino):
            changed |= (now.st_size, now.st_mtime_ns) != (begin.st_size, begin.st_mtime_ns)
        if changed:
            raise FormatError(
                f"{self.path} was changed after it was mapped into memory, where the graph has its "
                "data; read it again, and replace such files (as Graph.write does) instead "
                "of writing into them, or read them with mmap=False"
            )


def mapped_file_of(array: np.ndarray) -> mmap.mmap | None:
    """The mapped file that an array is a view of, whoever mapped it; None for others."""
    owner: Any = array
    while isinstance(owner, (np.ndarray, memoryview)):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    return owner if isinstance(owner, mmap.mmap) else None


def mapped_files(arrays: Iterable[Any]) -> tuple[MappedFile, ...]:
    """The files that the arrays are views of, each once."""
    files = {*map(mapped_file_of, arrays)}
    return tuple(file for file in files if isinstance(file, MappedFile))
