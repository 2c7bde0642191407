"""Packed streams, one behind another, as one file of bytes.

Python's bz2 and lzma end silently where what follows a stream is damaged, and zstandard behind the
first frame and wherever a file is cut off. Here either is an error.
"""

from __future__ import annotations

import bz2
import io
import lzma
from collections.abc import Callable
from typing import Any, BinaryIO

CHUNK = 1 << 16  # bytes read at once
#: Of Zstandard, which unpacks to up to 32,000 times as much, and all of that at once.
LITTLE = 1 << 12
MOST = 1 << 20  # bytes unpacked at once, by the others


class Unpacked(io.BufferedIOBase):
    """The bytes in a file of streams packed as `suffix` says: .bz2, .xz or .zst.

    Reading raises EOFError where the file is cut off, and what the unpacker raises at damage.
    """

    def __init__(self, suffix: str, file: BinaryIO):
        self._buffer = io.BufferedReader(_Streams(suffix, file), CHUNK)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return self._buffer.read(size)

    def read1(self, size: int = -1, /) -> bytes:
        return self._buffer.read1(size)

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._buffer.readline(-1 if size is None else size)


class _Streams(io.RawIOBase):
    def __init__(self, suffix: str, file: BinaryIO):
        self._file = file
        self._new = _unpacker(suffix)
        self._limits = () if suffix == ".zst" else (MOST,)
        self._chunk = LITTLE if suffix == ".zst" else CHUNK
        self._padding = b"\0" if suffix == ".xz" else b""  # between streams, as the format allows
        self._unpacker: Any = None
        self._ready = memoryview(b"")  # unpacked, and not given yet

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._ready:
            self._ready = memoryview(self._more())
        part = self._ready[: len(buffer)]
        self._ready = self._ready[len(part) :]
        buffer[: len(part)] = part
        return len(part)

    def readall(self) -> bytes:
        parts = [bytes(self._ready)]
        self._ready = memoryview(b"")
        while found := self._more():
            parts.append(found)
        return b"".join(parts)

    def _more(self) -> bytes:
        """What comes next; nothing at the end."""
        while True:
            packed = b""
            if self._unpacker is None or self._unpacker.eof:
                packed = self._next_stream()
                if not packed:
                    return b""
                self._unpacker = self._new()
            elif getattr(self._unpacker, "needs_input", True):
                packed = self._file.read(self._chunk)
                if not packed:
                    raise EOFError("it ends inside of a stream")
            found = self._unpacker.decompress(packed, *self._limits)
            if found:
                return found

    def _next_stream(self) -> bytes:
        """How the next stream begins; nothing at the end."""
        packed = b"" if self._unpacker is None else self._unpacker.unused_data
        while not (packed := packed.lstrip(self._padding)):
            packed = self._file.read(self._chunk)
            if not packed:
                break
        return packed


def _unpacker(suffix: str) -> Callable[[], Any]:
    if suffix == ".bz2":
        return bz2.BZ2Decompressor
    if suffix == ".xz":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)
    import zstandard

    return lambda: zstandard.ZstdDecompressor().decompressobj()
