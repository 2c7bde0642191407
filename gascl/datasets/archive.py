"""Archives from elsewhere, unpacked so that nothing gets out of the folder they are given."""

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

#: A member's name, its size, and its content; a folder has none.
Member = tuple[str, int, IO[bytes] | None]

CHUNK = 1 << 20
MEMBERS = 10_000
#: Text of edges packs to a tenth, seldom to a twentieth. What unpacks to more is no such text.
EXPANSION, ALWAYS = 50, 64 << 20

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip")


def unpack(archive: Path, folder: Path, limit: int | None = None) -> None:
    """Write the files of a .tar (packed or not) or .zip into `folder`, a new one.

    Only plain files and folders, under relative names: permissions, owners and links are not
    taken over. The folder appears when it is whole.

    Args:
        limit: bytes that the files may have together; by default 50 times those of the archive.

    Raises:
        FormatError: the archive is damaged, has a member that would get out of the folder, a link
            or a device, or more than the limit. Nothing of it is left.
    """
    limit = max(ALWAYS, EXPANSION * archive.stat().st_size) if limit is None else limit
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    opening = _zip if archive.name.lower().endswith(".zip") else _tar
    total = count = 0
    try:
        with opening(archive, part) as members:
            for name, size, content in members:
                total, count = total + size, count + 1
                if total > limit or count > MEMBERS:
                    raise FormatError(
                        f"{archive} unpacks to more than {limit:,} bytes or {MEMBERS:,} files, too "
                        "much for what it should be; it is not used"
                    )
                _write(archive, name, size, content, part / _inside(archive, name))
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _tar(archive: Path, folder: Path) -> Iterator[Iterator[Member]]:
    try:
        with opened(archive) as file, tarfile.open(fileobj=file, mode="r|") as tar:
            yield _tarred(archive, tar, folder)
            rest = 0
            while got := len(file.read(CHUNK)):  # padding, and then the packing's checksum
                rest += got
                if rest > CHUNK:
                    raise FormatError(f"{archive} goes on after its end; it is not used")
    except (tarfile.TarError, OverflowError, UnicodeError) as error:
        raise FormatError(f"{archive} is damaged ({error}); fetch it again") from error


def _tarred(archive: Path, tar: tarfile.TarFile, folder: Path) -> Iterator[Member]:
    for member in tar:
        if not (member.isreg() or member.isdir()):
            kind = "link" if member.issym() or member.islnk() else "device"
            raise _refused(archive, member.name, f"is a {kind}")
        _inside(archive, member.name)
        check = getattr(tarfile, "data_filter", None)  # in Pythons since mid-2023
        if check is not None:
            try:
                check(member, str(folder))
            except NotADirectoryError as error:  # Pythons since mid-2025 look where links lead
                raise _twice(archive, member.name) from error
        yield member.name, member.size, None if member.isdir() else tar.extractfile(member)


@contextmanager
def _zip(archive: Path, folder: Path) -> Iterator[Iterator[Member]]:
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
        kind = member.external_attr >> 28  # the file's type, where a Unix made the archive
        if kind not in (0, 0o10, 0o4):
            raise _refused(archive, member.filename, "is a link or a device")
        if member.flag_bits & 1:
            raise _refused(archive, member.filename, "is encrypted")
        yield member.filename, member.file_size, None if member.is_dir() else zipped.open(member)


def _write(archive: Path, name: str, size: int, content: IO[bytes] | None, target: Path) -> None:
    """One member, its content read by the archive's reader, whose errors are for that to tell."""
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
        raise _refused(archive, name, "has a name that no file has")
    return PurePosixPath(name)


def _twice(archive: Path, name: str) -> FormatError:
    return FormatError(f"{archive} has {name!r} twice; it is not used")


def _refused(archive: Path, name: str, why: str) -> FormatError:
    return FormatError(
        f"{archive}: member {name!r} {why}; the archive is not used, for it is not what it should "
        "be: look where it comes from"
    )
