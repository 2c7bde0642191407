"""Unpacks downloaded archives."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from pathlib import Path, PureWindowsPath

from gascl.errors import FormatError
from gascl.io.files import opened

CHUNK = 1 << 20
SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")


def unpack(archive: Path, folder: Path) -> None:
    """Write the files of a .tar, compressed or not, into a new `folder`, which appears once it is
    complete.

    Each file has the last part of its name there, so that none is written elsewhere. Folders, links
    and devices are left out. pooch's own processor, Untar, follows links, does not read Zstandard,
    and extracts into the final folder, which an interruption leaves half full.

    Raises:
        FormatError: the archive is damaged, or two files have one name. Nothing is left on the disk
            then.
    """
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".part", dir=folder.parent))
    files = part / "files"  # with the usual permissions: mkdtemp's are for one user
    try:
        files.mkdir()
        with opened(archive) as file:
            with tarfile.open(fileobj=file, mode="r|") as tar:
                for member in tar:
                    if member.isreg():
                        _extract(archive, tar, member, files)
            while file.read(CHUNK):  # padding, then the checksum of the compression
                pass
        try:
            files.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process has unpacked it meanwhile
                raise
    except (tarfile.TarError, OverflowError, UnicodeError) as error:
        raise FormatError(f"{archive} is damaged ({error}); fetch it again") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _extract(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    content = tar.extractfile(member)
    assert content is not None
    target = folder / PureWindowsPath(member.name).name  # on every system, the stricter rule
    try:
        file = target.open("xb")
    except (OSError, ValueError) as error:
        why = (
            f"two files named {target.name!r}" if target.is_file() else f"{member.name!r} ({error})"
        )
        raise FormatError(f"{archive} contains {why}; it is not used: check its source") from error
    with content, file:
        while chunk := content.read(CHUNK):
            try:
                file.write(chunk)
            except OSError as error:
                raise FormatError(
                    f"{target} cannot be written: {error.strerror}; make room, or name another "
                    "folder with GASCL_DATA"
                ) from error
