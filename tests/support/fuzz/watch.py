"""The state of a fuzzing process, in a file shared with the process that watches it:
libFuzzer's own alarm cannot interrupt native code, and a killed process reports no counts."""

from __future__ import annotations

import mmap
import struct
import subprocess
import time
from pathlib import Path

HEAD = struct.Struct("<QQ")  # inputs begun, bytes of the last


class Watched:
    """The shared file; `size` bytes of an input fit."""

    def __init__(self, path: Path, size: int):
        if not path.exists():
            path.write_bytes(bytes(HEAD.size + size))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)
        self._count = 0

    def begin(self, data: bytes) -> None:
        self._count += 1
        self._memory[HEAD.size : HEAD.size + len(data)] = data
        HEAD.pack_into(self._memory, 0, self._count, len(data))

    @property
    def count(self) -> int:
        return HEAD.unpack_from(self._memory)[0]

    @property
    def data(self) -> bytes:
        return self._memory[HEAD.size : HEAD.size + HEAD.unpack_from(self._memory)[1]]


def wait(process: subprocess.Popen, watched: Watched, seconds: float) -> bytes | None:
    """Wait until the process ends; None. If it begins no input for so many seconds it is killed,
    and the input that it was at returned."""
    count, since = -1, time.monotonic()
    while process.poll() is None:
        if count != watched.count:
            count, since = watched.count, time.monotonic()
        elif count and time.monotonic() - since > seconds:
            process.kill()
            process.wait()
            return watched.data
        time.sleep(0.5)
    return None
