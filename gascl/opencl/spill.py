"""`Spill`: memory in files, for devices that compute in the host's memory.

The system writes pages that are not in use to these files, so that a run may need more memory than
there is.
"""

from __future__ import annotations

import errno
import mmap
import os
import platform
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.errors import DeviceError, GasclError
from gascl.opencl import fork_guard
from gascl.user_messages import Option
from gascl.util.mapped_file import mapped_file_of
from gascl.util.units import amount

#: The fewest bytes of a buffer that is in a file.
SPILLED = 1 << 16


class _File(mmap.mmap):
    """A file without a name that is mapped into memory."""


class SpilledBuffer(cl.Buffer):
    """A buffer in a file.

    Attributes:
        memory: uint8, that file.
    """

    memory: np.ndarray

    def read(self, queue: Any) -> np.ndarray:
        """uint8: what the buffer has, once the commands of a queue have run. It stays if the buffer
        is released."""
        flags = cl.map_flags.READ
        mapped: Any = cl.enqueue_map_buffer(queue, self, flags, 0, (self.size,), np.dtype("u1"))[0]
        mapped.base.release(queue)
        return self.memory


class Spill:
    """Memory in files of a folder. They have no names there, so that they vanish with what uses
    them, also if the process is killed.

    Raises:
        GasclError: there is no such folder, or it cannot be written to.
    """

    def __init__(self, folder: str | Path):
        named = Option("spill", str(folder) if isinstance(folder, Path) else folder)
        if not isinstance(folder, (str, Path)) or folder == "":
            raise GasclError(named, " must be the path of a folder")
        self.folder = Path(folder)
        if not self.folder.is_dir() or not os.access(self.folder, os.W_OK):
            raise GasclError(named, ": name a folder that can be written to")

    @property
    def disk(self) -> tuple[str, int]:
        """The disk that has the folder; equal for folders on the same one."""
        return platform.node(), os.stat(self.folder).st_dev

    def check(self, needed: int) -> None:
        """Raise DeviceError unless the disk has so many free bytes."""
        if needed > shutil.disk_usage(self.folder).free:
            raise self._full(needed)

    def _full(self, needed: int) -> DeviceError:
        free = shutil.disk_usage(self.folder).free
        return DeviceError(
            f"what runs keep of the vertices needs {amount(needed, up=True)} in files of "
            f"{self.folder}, whose disk has {amount(free)} free: name a folder of another disk "
            "with ",
            Option("spill"),
        )

    def array(self, size: int) -> np.ndarray:
        """uint8 (size,), all 0, in a file.

        Raises:
            DeviceError: the disk is full, or the file cannot be made.
        """
        try:
            with tempfile.TemporaryFile(dir=self.folder, buffering=0) as file:
                if hasattr(os, "posix_fallocate"):  # else a full disk would end the process later
                    os.posix_fallocate(file.fileno(), 0, max(size, 1))
                else:
                    file.truncate(max(size, 1))
                return np.frombuffer(_File(file.fileno(), max(size, 1)), np.uint8)[:size]
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.ENOMEM):
                raise self._full(size) from error
            raise DeviceError(
                f"no file of {amount(size, up=True)} can be made in {self.folder}: "
                f"{error.strerror}; name another folder with ",
                Option("spill"),
            ) from error

    def buffer(self, context: Any, values: np.ndarray) -> Any:
        """A buffer with the values of an array, which is copied to a file unless it is in one."""
        memory = values
        if not isinstance(mapped_file_of(values), _File):
            memory = self.array(values.nbytes).view(values.dtype).reshape(values.shape)
            memory[...] = values
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        made = SpilledBuffer(context, flags, hostbuf=memory)
        made.memory = memory.reshape(-1).view(np.uint8)
        fork_guard.holds_opencl(made)
        return made
