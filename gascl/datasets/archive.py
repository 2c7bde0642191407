"""Archives from elsewhere, unpacked so that nothing gets out of the folder they are given."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from gascl.errors import FormatError
from gascl.io.files import opened

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
    try:
        walk = _zipped if archive.name.lower().endswith(".zip") else _tarred
        total = count = 0
        for name, size, content in walk(archive, part):
            total, count = total + size, count + 1
            if total > limit or count > MEMBERS:
                raise FormatError(
                    f"{archive} unpacks to more than {limit:,} bytes or {MEMBERS:,} files, too "
                    "much for what it should be; it is not used"
                )
            target = part / _inside(archive, name)
            if content is None:
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, target.open("xb") as file:
                shutil.copyfileobj(content, file, 1 << 20)
            if target.stat().st_size != size:
                raise FormatError(f"{archive}: {name!r} is cut off; fetch the archive again")
        part.replace(folder)
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise FormatError(f"{archive} is damaged ({error}); fetch it again") from error
    except (FileExistsError, NotADirectoryError) as error:
        raise FormatError(f"{archive} has {error.filename} twice; it is not used") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _tarred(archive: Path, folder: Path) -> Iterator[tuple[str, int, IO[bytes] | None]]:
    """Each member's name, size and content; folders have none."""
    with opened(archive) as file, tarfile.open(fileobj=file, mode="r|") as tar:
        for member in tar:
            if not (member.isreg() or member.isdir()):
                kind = "link" if member.issym() or member.islnk() else "device"
                raise _refused(archive, member.name, f"is a {kind}")
            check = getattr(tarfile, "data_filter", None)  # in Pythons since mid-2023
            if check is not None:
                check(member, str(folder))
            yield member.name, member.size, None if member.isdir() else tar.extractfile(member)


def _zipped(archive: Path, folder: Path) -> Iterator[tuple[str, int, IO[bytes] | None]]:
    with _zip(archive) as zipped:
        for member in zipped.infolist():
            kind = member.external_attr >> 28  # the file's type, where a Unix made the archive
            if kind not in (0, 0o10, 0o4):
                raise _refused(archive, member.filename, "is a link or a device")
            if member.flag_bits & 1:
                raise _refused(archive, member.filename, "is encrypted")
            yield (
                member.filename,
                member.file_size,
                None if member.is_dir() else zipped.open(member),
            )


@contextmanager
def _zip(archive: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(archive) as zipped:
            yield zipped
    except (EOFError, NotImplementedError) as error:
        raise FormatError(f"{archive} is damaged ({error}); fetch it again") from error


def _inside(archive: Path, name: str) -> PurePosixPath:
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.anchor or ".." in path.parts:
            raise _refused(archive, name, "would be written outside its folder")
    return PurePosixPath(name)


def _refused(archive: Path, name: str, why: str) -> FormatError:
    return FormatError(
        f"{archive}: member {name!r} {why}; the archive is not used, for it is not what it should "
        "be: look where it comes from"
    )
