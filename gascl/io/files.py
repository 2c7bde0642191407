"""Files as bytes, compressed or not: how readers open one, and writers create one.

Any file may be compressed by gzip, bzip2, xz or Zstandard; its first bytes and its suffix say by
which.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast

from gascl.errors import FormatError
from gascl.util.atomic_file import new_files
from gascl.util.host import free_memory
from gascl.util.progress import Progress

#: The suffix of a compressed file, and its first bytes.
PACKED = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zst": b"\x28\xb5\x2f\xfd",
}


#: After a byte 0x50 to 0x5f: the start of a Zstandard frame that may precede the data.
SKIPPABLE = b"\x2a\x4d\x18"
#: The start of text in UTF-16, little-endian or big-endian.
UTF16 = (b"\xff\xfe", b"\xfe\xff")


#: The display of how much of a file has been read, while a graph is read with `progress=`.
SHOWN: ContextVar[Progress | None] = ContextVar("SHOWN", default=None)


def plain(path: Path) -> Path:
    """The path without the suffix of a compression."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def packing(head: bytes) -> str:
    """The compression of a file with these first bytes, as a suffix such as .gz; "" for none."""
    if head[1:4] == SKIPPABLE and head[0] >> 4 == 5:
        return ".zst"
    return next((suffix for suffix, begin in PACKED.items() if head.startswith(begin)), "")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed if its first bytes say that it is compressed.

    Raises:
        FormatError: it cannot be opened, is named like a compressed file and is not one, is not
            UTF-8 text, is damaged, or does not fit in memory; also for such errors while the
            caller reads.
    """
    suffix = ""
    try:
        with _bytes_of(path) as file:
            head = file.read(6)
            file.seek(0)
            suffix = packing(head)
            _check_name(path, suffix, head)
            if suffix:
                with _packed(suffix, file, "rb", path) as unpacked:
                    yield unpacked
            else:
                yield file
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise FormatError(f"{path} is a directory; name a file in it") from None
    except UnicodeDecodeError as error:
        if not error.start and error.object.startswith(UTF16):
            raise FormatError(
                f"{path} is text in UTF-16; convert it to UTF-8, e.g. with `iconv -f UTF-16 "
                "-t UTF-8`, or in the editor that saved it"
            ) from error
        raise FormatError(
            f"{path}: byte {error.object[error.start]:#04x} is not UTF-8 text; "
            "convert the file to UTF-8"
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise _damaged(path, suffix, error) from error
    except PermissionError:
        raise FormatError(
            f"{path} cannot be read: Permission denied; change its permissions, or copy it"
        ) from None
    except OSError as error:
        if suffix and error.errno is None:  # raised by bz2
            raise _damaged(path, suffix, error) from error
        raise FormatError(
            f"{path} cannot be read: {error.strerror or error}; check that it is a file, and that "
            "its disk is connected"
        ) from error
    except MemoryError as error:
        raise too_large(path) from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise _damaged(path, suffix, error) from error


def _bytes_of(path: Path) -> BinaryIO:
    """The open file, whose reading is shown if it is to be."""
    progress = SHOWN.get()
    if progress is None:
        return path.open("rb")
    progress.begin(path.name, path.stat().st_size, "B")
    return io.BufferedReader(_Watched(path, progress))


class _Watched(io.FileIO):
    """A file that reports how far it has been read; reads through a mapping are not reported."""

    def __init__(self, path: Path, progress: Progress):
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: Any, /) -> int | None:
        count = super().readinto(buffer)
        self._tell()
        return count

    def readall(self) -> bytes:
        contents = super().readall()
        self._tell()
        return contents

    def _tell(self) -> None:
        if self.seekable():
            self._progress.at(self.tell())


def unended(path: Path) -> list[str]:
    """The line of a report on a text whose last line has no end, often the only sign that it was
    cut off; none for other files, and for compressed ones, which have checksums."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        packed = packing(file.read(6))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        if packed or file.read(1) in (b"\n", b""):
            return []
    return [f"{path.name}: the last line has no line end; the file may have been cut off"]


@contextmanager
def created(path: Path) -> Iterator[BinaryIO]:
    """A new file to write bytes to, compressed as its suffix says; see `atomic_file.new_file`.

    Raises:
        FormatError: it cannot be written.
    """
    with created_together(path) as files:
        yield files[0]


@contextmanager
def created_together(*paths: Path) -> Iterator[list[BinaryIO]]:
    """Several such files, none of which is replaced until all are complete.

    Raises:
        FormatError: one of them cannot be written.
    """
    with new_files(*paths) as files, ExitStack() as packers:
        yield [
            packers.enter_context(_packed(suffix, file, "wb", path)) if suffix in PACKED else file
            for path, file, suffix in zip(
                paths, files, (path.suffix.lower() for path in paths), strict=True
            )
        ]


def too_large(path: str | os.PathLike[str]) -> FormatError:
    """The error for a file, often a compressed one, whose contents do not fit in memory."""
    return FormatError(
        f"{path}: its contents take more memory than there is; read it on a machine with more, or "
        "fetch it again if it should not be so large"
    )


def check_fits(path: str | os.PathLike[str], size: int) -> None:
    """Raises FormatError unless so many bytes of a file's contents fit in the memory that is free,
    with a little left, as far as the system tells."""
    free = free_memory()
    if free is not None and size > free - SPARE:
        raise too_large(path)


def _check_name(path: Path, suffix: str, head: bytes) -> None:
    """Raises FormatError if a file is named .gz or the like, and contains something else."""
    named = path.suffix.lower()
    if named not in PACKED or named == suffix:
        return
    if not head:
        raise FormatError(f"{path} is empty, which a {named} file never is; fetch it again")
    begins = repr(head.decode()) if head.isascii() and head[:1] >= b"\t" else head.hex(" ")
    holds = f"{suffix} data" if suffix else f"uncompressed data, which starts with {begins}"
    better = plain(path).name + suffix
    raise FormatError(
        f"{path} is named {named} and contains {holds}; fetch it again, or, if it is what it "
        f"should be, name it {better}"
    )


def _packed(suffix: str, file: BinaryIO, mode: Any, path: Path) -> BinaryIO:
    if suffix == ".zst" and not find_spec("zstandard"):
        raise FormatError(f"{path}: Zstandard needs a package: `pip install zstandard`")
    if mode == "rb":
        return cast(BinaryIO, Unpacked(suffix, file, path))
    if suffix == ".gz":
        return cast(BinaryIO, gzip.GzipFile("", mode, 6, file, mtime=0))
    if suffix == ".bz2":
        return cast(BinaryIO, bz2.BZ2File(file, mode))
    if suffix == ".xz":
        return cast(BinaryIO, lzma.LZMAFile(file, mode))
    import zstandard

    packer = zstandard.ZstdCompressor(write_checksum=True)
    return cast(BinaryIO, zstandard.open(file, mode, packer, closefd=False))


def _damaged(path: Path, suffix: str, error: Exception) -> FormatError:
    return FormatError(
        f"{path}: the {suffix[1:]} data is cut off or damaged ({error}); fetch the file again"
    )


CHUNK = 1 << 16  # compressed bytes read at a time
#: The same for Zstandard, which decompresses them all at once, to up to 32,768 times as much: half
#: of SPARE, and as much again to join the blocks.
LITTLE = 1 << 10
MOST = 1 << 20  # bytes that the others decompress at a time
CHECKED = 1 << 24  # decompressed bytes after which the memory that is left is looked at again
SPARE = 1 << 26  # bytes of memory that are left free


class Unpacked(io.BufferedIOBase):
    """The bytes of compressed streams, one after another, in a file: .gz, .bz2, .xz or .zst.

    A few compressed bytes may expand to more than memory holds: reading fails with an error when
    memory runs out, or at once if all is read and a stream declares a size that does not fit, as
    most of Zstandard do.

    Python's bz2 and lzma end silently if what follows a stream is damaged, and zstandard after the
    first frame and wherever a file is cut off. Here either is an error: EOFError if the file is cut
    off, and what the decompressor raises for damage.
    """

    def __init__(self, suffix: str, file: BinaryIO, path: Path):
        raw = _Gzip(file, path) if suffix == ".gz" else _Streams(suffix, file, path)
        self._buffer = io.BufferedReader(raw, CHUNK)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return self._buffer.read(size)

    def read1(self, size: int = -1, /) -> bytes:
        return self._buffer.read1(size)

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._buffer.readline(-1 if size is None else size)


class _Decompressed(io.RawIOBase):
    """Decompressed bytes, as long as memory is left."""

    def __init__(self, path: Path):
        self._path = path
        self._ready = memoryview(b"")  # decompressed, and not yet returned
        self._unchecked = 0
        self._declared = 0  # bytes in the streams that have begun, as far as they say

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._ready:
            self._ready = memoryview(self._more())
            self._check(len(self._ready), 0)
        part = self._ready[: len(buffer)]
        self._ready = self._ready[len(part) :]
        buffer[: len(part)] = part
        return len(part)

    def readall(self) -> bytes:
        parts = [bytes(self._ready)]
        self._ready = memoryview(b"")
        size = len(parts[0])
        known = 0
        while more := self._more():
            parts.append(more)
            size += len(more)
            self._check(len(more), size)  # as much again is needed to join them
            if self._declared > known:
                known = self._declared
                check_fits(self._path, 2 * known - size)
        return b"".join(parts)

    def _check(self, count: int, needed: int) -> None:
        """Raises FormatError, once in a while, unless so many more bytes fit in memory.

        Args:
            count: the bytes that have been decompressed since the last call.
        """
        self._unchecked += count
        if self._unchecked >= CHECKED:
            self._unchecked = 0
            check_fits(self._path, needed)

    def _more(self) -> bytes:
        """The next bytes; none at the end."""
        raise NotImplementedError


class _Gzip(_Decompressed):
    def __init__(self, file: BinaryIO, path: Path):
        super().__init__(path)
        self._file = gzip.GzipFile("", "rb", fileobj=file)

    def _more(self) -> bytes:
        return self._file.read1(MOST)


class _Streams(_Decompressed):
    def __init__(self, suffix: str, file: BinaryIO, path: Path):
        super().__init__(path)
        self._file = file
        self._new = _unpacker(suffix)
        self._limits = () if suffix == ".zst" else (MOST,)
        self._chunk = LITTLE if suffix == ".zst" else CHUNK
        self._padding = b"\0" if suffix == ".xz" else b""  # between streams, as the format allows
        self._unpacker: Any = None

    def _more(self) -> bytes:
        while True:
            packed = b""
            if self._unpacker is None or self._unpacker.eof:
                packed = self._next_stream()
                if not packed:
                    return b""
                self._unpacker = self._new()
                self._declared += _declared(packed)
            elif getattr(self._unpacker, "needs_input", True):
                packed = self._file.read(self._chunk)
                if not packed:
                    raise EOFError("it ends inside a stream")
            unpacked = self._unpacker.decompress(packed, *self._limits)
            if unpacked:
                return unpacked

    def _next_stream(self) -> bytes:
        """The first bytes of the next stream; none at the end."""
        packed = b"" if self._unpacker is None else self._unpacker.unused_data
        while not (packed := packed.lstrip(self._padding)):
            packed = self._file.read(self._chunk)
            if not packed:
                break
        return packed


def _declared(stream: bytes) -> int:
    """How many bytes a compressed stream with these first bytes says it holds; 0 where it does not
    say so there, as only Zstandard does."""
    if not stream.startswith(PACKED[".zst"]):
        return 0
    import zstandard

    try:
        size = zstandard.get_frame_parameters(stream).content_size
    except zstandard.ZstdError:  # the header goes on in the next bytes, or is damaged
        return 0
    return 0 if size == zstandard.CONTENTSIZE_UNKNOWN else size


def _unpacker(suffix: str) -> Callable[[], Any]:
    if suffix == ".bz2":
        return bz2.BZ2Decompressor
    if suffix == ".xz":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)
    import zstandard

    return lambda: zstandard.ZstdDecompressor().decompressobj()
