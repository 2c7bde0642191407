"""Arrays as members of an uncompressed zip, aligned so that they can be mapped into memory.

NumPy's .npz is such a zip of .npy members (NEP 1; PKWARE's APPNOTE 6.3 for the zip). Here every
member's data starts at a multiple of 64 bytes in the file, by padding in the zip's extra field.
"""

from __future__ import annotations

import io
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parallel import in_threads
from gascl.io.files import opened
from gascl.io.outofcore.disk_array import DiskArray
from gascl.io.outofcore.id_map import MappedIds
from gascl.user_messages import Option
from gascl.util.mapped_file import MappedFile
from gascl.util.progress import Progress

#: The items of a member, in memory or on disk.
Items: TypeAlias = np.ndarray | DiskArray | MappedIds

ALIGNMENT = 64
#: Bytes of a file from which on it is mapped. A smaller one is read, so that nothing happens to the
#: graph when the file is changed.
MAPPED = 1 << 24
#: The start of a zip, and of each of its members.
SIGNATURE = b"PK\x03\x04"
#: Android's zipalign pads with an extra field of this id: the alignment, then zeros.
_PADDING = 0xD935
#: Sizes from here on are in a second extra field of 20 bytes, for which room is reserved.
_ZIP64 = 2**31 - 1
#: Bytes written and checked at a time: few enough to stay in a processor's cache.
_CHUNK = 2**20
_HEADER = struct.Struct("<4s5H3I2H")  # of a member: ..., sizes, lengths of name and extra
#: The errors that zipfile and NumPy's reader of a member's header raise for damaged files.
_DAMAGES = (
    *(zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error),
    *(SyntaxError, tokenize.TokenError, TypeError, RecursionError, MemoryError),
    *(UserWarning, zlib.error),
)


def write_members(
    file: BinaryIO,
    arrays: Iterable[tuple[str, Items]],
    progress: Progress | None = None,
) -> None:
    """Write arrays, none of them of objects, as a zip of NAME.npy members, in this order.

    The same arrays give the same bytes. `file` must be seekable. `progress` counts the bytes of
    the arrays.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays:
            info = zipfile.ZipInfo(f"{name}.npy")
            wide = array.nbytes >= _ZIP64
            begin = file.tell() + _HEADER.size + len(info.filename.encode()) + 20 * wide + 6
            padding = -begin % ALIGNMENT
            info.extra = struct.pack("<3H", _PADDING, 2 + padding, ALIGNMENT) + bytes(padding)
            with archive.open(info, "w", force_zip64=wide) as member:
                member.write(_head(array))
                for part in _parts(array):
                    member.write(part)
                    if progress is not None:
                        progress.advance(part.nbytes)


def checksum(array: Items) -> int:
    """The checksum that the array will have as a member."""
    crc = zlib.crc32(_head(array))
    for part in _parts(array):
        crc = zlib.crc32(part, crc)
    return crc


def _parts(array: Items) -> Iterator[memoryview]:
    """The bytes of the items, some at a time."""
    if not isinstance(array, np.ndarray):
        for block in array.blocks(max(_CHUNK // array.dtype.itemsize, 1)):
            yield block.view(np.uint8).data
        return
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    for start in range(0, len(data), _CHUNK):
        yield data[start : start + _CHUNK].data


def _head(array: Items) -> bytes:
    """A member's bytes before those of the array."""
    head = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(array.dtype)
    data = {"shape": array.shape, "fortran_order": False, "descr": descr}
    np.lib.format.write_array_header_1_0(head, data)
    return head.getvalue()


@dataclass(frozen=True)
class ZipMember:
    """One array of a zip: read-only, and a view of the file's bytes."""

    path: Path
    name: str
    array: np.ndarray
    header: np.ndarray  # uint8: the member's bytes before those of the array
    crc: int

    def check(self, limit: int | None = None) -> None:
        """Raises FormatError if the checksum is wrong, or an item is not in [0, limit)."""
        crc = zlib.crc32(self.header.data)
        flat = self.array.reshape(-1)
        step = max(_CHUNK // max(flat.itemsize, 1), 1)
        outside = None
        for start in range(0, len(flat), step):
            part = flat[start : start + step]
            crc = zlib.crc32(part.view(np.uint8).data, crc)
            if limit is not None and outside is None:
                low, high = int(part.min()), int(part.max())
                outside = low if low < 0 else high if high >= limit else None
        if crc != self.crc:
            raise FormatError(
                f"{self.path}: {self.name} is damaged (its checksum is {crc:08x}, and "
                f"{self.crc:08x} was written); fetch or write the file again"
            )
        if outside is not None:
            raise FormatError(
                f"{self.path}: {self.name} contains {outside}, and its values must be from 0 to "
                f"{limit - 1 if limit else 'none'}; write the file again with Graph.write"
            )


def read_members(path: Path, mapped: bool) -> dict[str, ZipMember]:
    """The arrays of such a zip, or of any other that is not compressed, by name, in order.

    Args:
        mapped: map the file into memory, which reads only what is used; else read it all. A
            compressed file (.gz and so on) is decompressed into memory in any case.

    Raises:
        FormatError: the file is not such a zip, or cut off or damaged outside the members' bytes.
    """
    with opened(path) as file:
        plain = isinstance(file, io.BufferedReader)  # else it is decompressed while it is read
        data = _bytes(path, file, mapped) if plain else np.frombuffer(file.read(), np.uint8)
        check_begin(path, data[:4].tobytes())
        try:
            with zipfile.ZipFile(file if plain else io.BytesIO(data.data)) as archive:
                infos = archive.infolist()
        except _DAMAGES as error:
            raise FormatError(
                f"{path}: the zip is cut off or damaged ({error}); fetch the file again"
            ) from error
        members = (_member(path, info, _content(path, data, info)) for info in infos)
        return {member.name: member for member in members}


def check_begin(path: Path, begin: bytes) -> None:
    """Raises FormatError unless a file that begins like this may be such a zip."""
    if not begin:
        raise FormatError(f"{path} is empty; fetch or write it again")
    if not begin.startswith(SIGNATURE):
        raise FormatError(
            f"{path} is not an .npz file, which starts with PK; name its format, or leave out ",
            Option("format"),
        )


def check_all(checks: Iterable[tuple[ZipMember, int | None]]) -> None:
    """Run `ZipMember.check` on several threads; checksums and comparisons release Python's lock."""
    in_threads(lambda check: check[0].check(check[1]), checks)


def _bytes(path: Path, file: BinaryIO, mapped: bool) -> np.ndarray:
    """The file's bytes as uint8 (n,), read-only; a small file is read, not mapped."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if mapped and size >= MAPPED:
        try:
            return np.frombuffer(MappedFile(path, file), np.uint8)
        except OSError:  # a pipe, or a file system that can't
            pass
    data = np.empty(size, np.uint8)
    data = data[: file.readinto(data.data)]  # type: ignore[attr-defined]
    data.setflags(write=False)
    return data


@contextmanager
def _explained(path: Path, info: zipfile.ZipInfo) -> Iterator[None]:
    try:
        yield
    except FormatError:
        raise
    except _DAMAGES as error:
        raise FormatError(
            f"{path}: {info.filename!r} is cut off or damaged ({error}); fetch the file again"
        ) from error


def _content(path: Path, data: np.ndarray, info: zipfile.ZipInfo) -> np.ndarray:
    """uint8: a member's bytes."""
    with _explained(path, info):
        header = data[info.header_offset :][: _HEADER.size].tobytes()
        signature, _, flags, method, *_, name, extra = _HEADER.unpack(header)
        begin = info.header_offset + _HEADER.size
        written = data[begin : begin + name].tobytes()
        begin += name + extra
        content = data[begin : begin + info.compress_size]
        if signature != SIGNATURE or written != info.filename.encode():
            raise ValueError("the table of contents does not match the members")
        if len(content) != info.compress_size:
            raise ValueError(f"{info.compress_size:,} bytes are listed, {len(content):,} are there")
        if method or info.compress_type or info.compress_size != info.file_size:
            raise ValueError("it is compressed; see numpy.savez, which is not")
        if (flags | info.flag_bits) & 1:
            raise ValueError("it is encrypted; see numpy.savez, which is not")
        return content
    raise AssertionError("errors are raised")


def _member(path: Path, info: zipfile.ZipInfo, content: np.ndarray) -> ZipMember:
    with _explained(path, info):
        stream = io.BytesIO(content[: 2**16].tobytes())
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("its .npy version is not 1.0")
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # for headers written by Python 2
            shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
        if dtype.hasobject:
            raise FormatError(
                f"{path}: {info.filename!r} is an array of Python objects, which are never "
                "unpickled; write numbers or text"
            )
        if not dtype.itemsize or (by_column and len(shape) > 1):
            raise ValueError(
                f"it is an array of {dtype}, in {'column' if by_column else 'row'} order"
            )
        head, body = content[: stream.tell()], content[stream.tell() :]
        if len(body) != dtype.itemsize * int(np.prod(shape, dtype=object)):
            raise ValueError(f"{len(body):,} bytes do not give shape {shape} and type {dtype}")
        array = np.frombuffer(body, dtype).reshape(shape) if len(body) else np.empty(shape, dtype)
        if not array.flags.aligned:  # written by something else
            array = array.copy()
        array.setflags(write=False)
    return ZipMember(path, info.filename.removesuffix(".npy"), array, head, info.CRC)
