"""Unpacks downloaded archives safely: nothing is written outside their folder."""

from __future__ import annotations

import lzma
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from gascl.errors import FormatError
from gascl.io.files import opened

#: A member's name, its size, and its content, which is None for a folder.
Member = tuple[str, int, IO[bytes] | None]

CHUNK = 1 << 20
MEMBERS = 10_000
#: Edge lists are compressed to a tenth, rarely to a twentieth. Files that expand more are refused.
EXPANSION, ALWAYS = 50, 64 << 20

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip")


def unpack(archive: Path, folder: Path, limit: int | None = None) -> None:
    """Write the files of a .tar (compressed or not) or .zip into a new `folder`.

    Only regular files and folders with relative names are accepted, and permissions and owners are
    ignored. The folder appears once it is complete.

    pooch's own processors (Untar, Unzip) extract links, have no limit of size, and extract into the
    final folder, which an interruption leaves half full.

    Args:
        limit: the largest total size of the files in bytes; by default 50 times the archive's.

    Raises:
        FormatError: the archive is damaged, exceeds the limit, or has a link, a device, or a member
            outside the folder. Nothing is left on the disk then.
    """
    limit = max(ALWAYS, EXPANSION * archive.stat().st_size) if limit is None else limit
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    opening = _zip if archive.name.lower().endswith(".zip") else _tar
    total = count = 0
    try:
        with opening(archive) as members:
            for name, size, content in members:
                total, count = total + size, count + 1
                if total > limit or count > MEMBERS:
                    raise FormatError(
                        f"{archive} unpacks to more than {limit:,} bytes or {MEMBERS:,} files, far "
                        "more than a dataset should have; it is not used: check its source"
                    )
                _write(archive, name, size, content, part / _inside(archive, name))
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _tar(archive: Path) -> Iterator[Iterator[Member]]:
    try:
        with opened(archive) as file, tarfile.open(fileobj=file, mode="r|") as tar:
            yield _tarred(archive, tar)
            rest = 0
            while got := len(file.read(CHUNK)):  # padding, then the checksum of the compression
                rest += got
                if rest > CHUNK:
                    raise FormatError(f"{archive} continues after its end; fetch it again")
    except (tarfile.TarError, OverflowError, UnicodeError) as error:
        raise FormatError(f"{archive} is damaged ({error}); fetch it again") from error


def _tarred(archive: Path, tar: tarfile.TarFile) -> Iterator[Member]:
    for member in tar:
        if not (member.isreg() or member.isdir()):
            kind = "link" if member.issym() or member.islnk() else "device"
            raise _refused(archive, member.name, f"is a {kind}")
        yield member.name, member.size, None if member.isdir() else tar.extractfile(member)


@contextmanager
def _zip(archive: Path) -> Iterator[Iterator[Member]]:
    try:
        with zipfile.ZipFile(archive) as zipped:
            yield _zipped(archive, zipped)
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        NotImplementedError,
        OverflowError,
        UnicodeError,
    ) as error:
        raise FormatError(f"{archive} is damaged ({error}); fetch it again") from error


def _zipped(archive: Path, zipped: zipfile.ZipFile) -> Iterator[Member]:
    for member in zipped.infolist():
        kind = member.external_attr >> 28  # the file's type, if the archive was made on Unix
        if kind not in (0, 0o10, 0o4):
            raise _refused(archive, member.filename, "is a link or a device")
        if member.flag_bits & 1:
            raise _refused(archive, member.filename, "is encrypted")
        yield member.filename, member.file_size, None if member.is_dir() else zipped.open(member)


def _write(archive: Path, name: str, size: int, content: IO[bytes] | None, target: Path) -> None:
    """Write one member; errors in reading its content are left to the archive's reader."""
    try:
        (target if content is None else target.parent).mkdir(parents=True, exist_ok=True)
        if content is None:
            return
        file = target.open("xb")
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise _twice(archive, name) from error
    except OSError as error:
        raise _unwritten(target, error) from error
    written = 0
    with content, file:
        while chunk := content.read(CHUNK):
            try:
                file.write(chunk)
            except OSError as error:
                raise _unwritten(target, error) from error
            written += len(chunk)
    if written != size:
        raise FormatError(f"{archive}: {name!r} is cut off; fetch the archive again")


def _unwritten(target: Path, error: OSError) -> FormatError:
    return FormatError(
        f"{target} cannot be written: {error.strerror or error}; make room, or name another folder "
        "with GASCL_DATA"
    )


def _inside(archive: Path, name: str) -> PurePosixPath:
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.anchor or ".." in path.parts:
            raise _refused(archive, name, "would be written outside its folder")
    if any(ord(character) < 32 for character in name):
        raise _refused(archive, name, "has control characters in its name")
    return PurePosixPath(name)


def _twice(archive: Path, name: str) -> FormatError:
    return FormatError(f"{archive} contains {name!r} twice; it is not used: fetch it again")


def _refused(archive: Path, name: str, why: str) -> FormatError:
    return FormatError(
        f"{archive}: member {name!r} {why}; such an archive is not used: check its source"
    )
