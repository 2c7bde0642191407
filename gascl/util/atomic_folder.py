"""Folders that are written completely or not at all, by one process or by all ranks of a run.

Files are written into a folder beside it, `.gascl-....part`. When they are complete, the earlier
folder is renamed to `.gascl-....old`, and the new one takes its name. A kill that Python cannot
handle may leave these folders, and between the two renames, none of the name itself.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gascl.errors import FormatError
from gascl.util.atomic_file import check_writable

#: What `part_name` returns.
_PART = re.compile(r"part-\d{5,}\.parquet")


def part_name(rank: int) -> str:
    """The name of the file that a rank writes into a folder."""
    return f"part-{rank:05}.parquet"


def check_folder(path: Path, named: str = "") -> None:
    """Raise FormatError if no folder of parts can be written to a path, or replaced there.

    Args:
        named: what the message calls it; by default the path.
    """
    named, path = named or str(path), Path(os.path.realpath(path))
    if path.exists() and not path.is_dir():
        raise FormatError(
            f"{named} is a file; name a folder, or for one file, a name that ends in .parquet"
        )
    if path.exists():
        _check_parts_alone(path, named)
    if os.path.ismount(path):
        raise FormatError(f"{named}: a mount point cannot be replaced; name a folder in it")
    check_writable(path.with_name(f".gascl-{part_name(0)}"), named)  # where its name is


def _check_parts_alone(folder: Path, named: str) -> None:
    """Raise FormatError if a folder has anything but parts, which would be lost."""
    for each in sorted(folder.iterdir()):
        if not _PART.fullmatch(each.name) or each.is_symlink() or not each.is_file():
            raise FormatError(
                f"{named}: this folder has other files, such as {each.name}; name another"
            )


@contextmanager
def new_folder(path: Path, ranks: Any = None) -> Iterator[Path]:
    """A new folder to write files into; when the block ends, it replaces the folder of that name.

    Args:
        ranks: the `Ranks` of a run, which write into it together: all must call this, and an error
            in one of them is raised in all. None: there is one process.

    Raises:
        FormatError: it cannot be written, or there is a folder with files of another kind; also
            for any OSError inside the block.
    """
    first, path = ranks is None or ranks.rank == 0, Path(os.path.realpath(path))
    part = path.with_name(f".gascl-{secrets.token_hex(8)}.part")
    try:
        with _together(path, ranks):
            if first:
                check_folder(path)
                part.mkdir()
        part = part if ranks is None else ranks.broadcast(part)
        with _together(path, ranks):
            yield part
        with _together(path, ranks):
            if first:
                _take_name(part, path)
    finally:
        if first:
            shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _together(path: Path, ranks: Any) -> Iterator[None]:
    """A block whose errors, and Ctrl-C, are raised in all ranks."""
    raise_in_all = ranks.raise_in_all if ranks else _raise
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error)
        raise_in_all(
            FormatError(
                f"{path} cannot be written: {cause}; name a folder where there is room, and which "
                "all ranks see"
            )
        )
    except BaseException as error:
        raise_in_all(error)
    raise_in_all(None)


def _raise(error: BaseException | None) -> None:
    if error is not None:
        raise error


def _take_name(part: Path, path: Path) -> None:
    """Rename a folder; no file system replaces one that has files, so it is renamed first."""
    if not path.exists():
        part.rename(path)
        return
    old = part.with_suffix(".old")
    path.rename(old)
    try:
        _check_parts_alone(old, str(path))  # once more: a run takes long
    except BaseException:
        old.rename(path)
        raise
    with suppress(OSError):
        shutil.copymode(old, part)
    try:
        part.rename(path)
    except OSError:
        if not path.exists():
            old.rename(path)
        raise  # another process may just have put its own parts there
    finally:
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
