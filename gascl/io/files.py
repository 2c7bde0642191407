"""Files as bytes, however they are packed: how readers open one, and writers make one."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast

from gascl.errors import FormatError
from gascl.newfile import new_files

#: Suffix of a packed file, and how it begins.
PACKED = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zst": b"\x28\xb5\x2f\xfd",
}


#: Begins a frame of Zstandard that may come before the data, behind a byte 0x50 to 0x5f.
SKIPPABLE = b"\x2a\x4d\x18"
#: Begin text in UTF-16, big end or little end first.
UTF16 = (b"\xff\xfe", b"\xfe\xff")


def plain(path: Path) -> Path:
    """The path without the suffix of a packed file."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def packing(head: bytes) -> str:
    """How a file that begins so is packed: its suffix, such as .gz; empty where it is not."""
    if head[1:4] == SKIPPABLE and head[0] >> 4 == 5:
        return ".zst"
    return next((suffix for suffix, begin in PACKED.items() if head.startswith(begin)), "")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where it is packed, as its first bytes tell.

    Raises:
        FormatError: it cannot be opened, is named as packed and is not, is no text in UTF-8, its
            packed data are damaged, or memory can't hold what is in it; also for errors of that
            kind while the caller reads on.
    """
    suffix = ""
    try:
        with path.open("rb") as file:
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
                "-t UTF-8`, or by the editor that saved it"
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
        if suffix and error.errno is None:  # bz2's own
            raise _damaged(path, suffix, error) from error
        raise FormatError(
            f"{path} cannot be read: {error.strerror or error}; check that it is a file on a disk "
            "that is there, or copy it to one"
        ) from error
    except MemoryError as error:
        raise too_large(path) from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise _damaged(path, suffix, error) from error


def unended(path: Path) -> list[str]:
    """What a report says of a text whose last line has no end, which may be all that tells that it
    was cut off: nothing for others, and for packed ones, which have checksums."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        packed = packing(file.read(6))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        if packed or file.read(1) in (b"\n", b""):
            return []
    return [f"{path.name}: the last line has no end; if the file was cut off, it lacks something"]


@contextmanager
def created(path: Path) -> Iterator[BinaryIO]:
    """A new file to write bytes to, packed as its suffix says; see `gascl.newfile.new_file`.

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
    """What to raise where memory can't hold the contents of a file, packed ones above all."""
    return FormatError(
        f"{path}: its contents take more memory than there is; read it on a machine with more, or "
        "fetch it again if it should not be so large"
    )


def _check_name(path: Path, suffix: str, head: bytes) -> None:
    """Raises FormatError where a file is named .gz or the like, and holds something else."""
    named = path.suffix.lower()
    if named not in PACKED or named == suffix:
        return
    if not head:
        raise FormatError(f"{path} is empty, and no {named} file is; fetch it again")
    begins = repr(head.decode()) if head.isascii() and head[:1] >= b"\t" else head.hex(" ")
    holds = f"{suffix} data" if suffix else f"what is not packed so, and begins with {begins}"
    better = plain(path).name + suffix
    raise FormatError(
        f"{path} is named {named} and holds {holds}; fetch it again, or, if it is "
        f"{'whole' if suffix else 'plain'}, name it {better}"
    )


def _packed(suffix: str, file: BinaryIO, mode: Any, path: Path) -> BinaryIO:
    if suffix == ".gz":
        return cast(BinaryIO, gzip.GzipFile("", mode, 6, file, mtime=0))
    if suffix == ".zst" and not find_spec("zstandard"):
        raise FormatError(f"{path}: Zstandard needs a package: `pip install zstandard`")
    if mode == "rb":
        return cast(BinaryIO, Unpacked(suffix, file))
    if suffix == ".bz2":
        return cast(BinaryIO, bz2.BZ2File(file, mode))
    if suffix == ".xz":
        return cast(BinaryIO, lzma.LZMAFile(file, mode))
    import zstandard

    packer = zstandard.ZstdCompressor(write_checksum=True)
    return cast(BinaryIO, zstandard.open(file, mode, packer, closefd=False))


def _damaged(path: Path, suffix: str, error: Exception) -> FormatError:
    return FormatError(
        f"{path}: the {suffix[1:]} data are cut off or damaged ({error}); fetch the file again"
    )


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
