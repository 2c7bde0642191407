"""Files that are written completely or not at all.

The content is written to a temporary file in the same folder, which is renamed once it is complete.
So an error, a full disk, Ctrl-C or a kill at any moment leaves the old file unchanged. A kill that
Python cannot handle (SIGKILL) may also leave the temporary file, `.gascl-....part`, which is safe
to delete.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from gascl.errors import FormatError

_BINARY = getattr(os, "O_BINARY", 0)  # only on Windows
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A new file to write bytes to; when the block ends, it replaces the file of that name.

    Symbolic links are followed and kept. The new file has the permissions of the one that it
    replaces; other hard links to that one keep the old content. Anything but a regular file, such
    as a pipe or /dev/stdout, is written to directly.

    Raises:
        FormatError: the file cannot be written; also for any OSError inside the block.
    """
    with new_files(path) as files:
        yield files[0]


@contextmanager
def new_files(*paths: Path) -> Iterator[list[BinaryIO]]:
    """Several new files that belong together: none is replaced until all are complete.

    Then they are renamed one after the other, since no file system renames several at once. A kill
    in between leaves some files new and the others old, each of them complete.
    """
    parts = [_Part(path) for path in paths]
    path = paths[0]  # the one that error messages name
    handled = sys.exc_info()[1]
    try:
        with ExitStack() as stack:
            files = []
            for part in parts:
                path = part.path
                files.append(stack.enter_context(part.opened()))
            path = paths[0]
            yield files
            for part in parts:
                path = part.path
                part.complete()
        for part in parts:
            path = part.path
            part.take_name()
    except Exception as error:
        if _hides_ctrl_c(error, handled):
            raise KeyboardInterrupt from error
        # A closed pipe may only mean that its reader has read enough: the caller decides.
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise FormatError(f"{path} cannot be written: {_reason(path, error)}") from error
        raise
    finally:
        for part in parts:
            part.drop()


def is_replaced(path: Path) -> bool:
    """Whether writing to `path` creates a new file in its folder. A pipe, a device, and the file
    that is this process's stdout or stderr are written to directly instead."""
    try:
        old = os.stat(path)
    except OSError:
        return True
    return stat.S_ISREG(old.st_mode) and not any(_is_file_of(fd, old) for fd in (1, 2))


def check_writable(path: Path, named: str = "", pipes: bool = False) -> None:
    """Raise FormatError if no file can be written to a path.

    Args:
        named: what the message calls it; by default the path.
        pipes: accept a pipe or a device.
    """
    named = named or str(path)
    if not path.parent.is_dir():
        raise FormatError(f"{named}: there is no folder {path.parent}; create it first")
    if why := _why_unwritable(path, pipes):
        raise FormatError(f"{named} cannot be written: {why}")


def _why_unwritable(path: Path, pipes: bool) -> str | None:
    """Why no file can be written to a path in an existing folder, and what to do; None if one
    can."""
    if path.is_dir():
        return "it is a folder; name another file"
    if path.exists() and not path.is_file() and not pipes:
        return "it is a device or a pipe; name another file"
    if path.exists() and not os.access(path, os.W_OK):
        return "Permission denied; name another file"
    if not is_replaced(path):
        return None
    folder = Path(os.path.realpath(path)).parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return (
            f"{error.strerror} in {folder}; check the permissions of that folder, or name a file "
            "in another one"
        )


class _Part:
    """One new file while it is being written."""

    def __init__(self, path: Path):
        self.path = path
        self.target = path
        self.part: Path | None = None
        self.file: BinaryIO | None = None
        self.old: os.stat_result | None = None

    def opened(self) -> BinaryIO:
        direct = self._opened_directly()
        if direct is not None:
            self.file = direct
            return direct
        self.target = Path(os.path.realpath(self.path))
        # Set before the file is created, so that it is deleted after an interrupt in between. The
        # random name keeps others from guessing it and placing a link there, and keeps two threads
        # or processes from choosing the same one.
        self.part = self.target.with_name(f".gascl-{secrets.token_hex(8)}.part")
        mode = 0o666 if self.old is None else stat.S_IMODE(self.old.st_mode) & 0o777
        try:
            self.file = os.fdopen(os.open(self.part, _NEW, mode), "wb")
        except FileExistsError:
            self.part = None  # it belongs to another process
            raise
        return self.file

    def _opened_directly(self) -> BinaryIO | None:
        """The file if it must be written to directly; else None, and `old` is set."""
        # Open it as if to overwrite it, so that the system's own checks apply: permissions,
        # read-only file systems, and links that others have placed in a shared folder.
        try:
            fd = os.open(self.path, os.O_WRONLY | _BINARY)
        except FileNotFoundError:
            return None
        try:
            old = os.fstat(fd)
            own = next((n for n in (1, 2) if _is_file_of(n, old)), None)
            if stat.S_ISREG(old.st_mode) and own is None:
                self.old = old
                return None
            # If it is this process's own output file, a second file description would start at
            # its beginning and overwrite it: use the existing one.
            return os.fdopen(os.dup(fd if own is None else own), "wb")
        finally:
            os.close(fd)

    def complete(self) -> None:
        """Finish the new file: all bytes have been written."""
        assert self.file is not None
        self.file.flush()
        if self.old is None or self.part is None:
            return
        self._take_over(self.part, self.old)
        # After a power failure, the new name may be on the disk, but not yet the bytes: then both
        # the old and the new content would be lost. So write the bytes first. (A kill alone loses
        # nothing; and where there is no old file, there is no need to wait.)
        os.fsync(self.file.fileno())

    def _take_over(self, part: Path, old: os.stat_result) -> None:
        """Give the new file the old one's permissions and, if allowed, its owner."""
        new = os.stat(part)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            for owner in (old.st_uid, -1):
                with suppress(PermissionError):
                    os.chown(part, owner, old.st_gid)
                    break
        mode = stat.S_IMODE(old.st_mode) & 0o777
        if stat.S_IMODE(new.st_mode) != mode:
            os.chmod(part, mode)

    def take_name(self) -> None:
        if self.part is not None:
            os.replace(self.part, self.target)

    def drop(self) -> None:
        """Delete the temporary file, unless it has been renamed."""
        if self.part is not None:
            with suppress(OSError):
                self.part.unlink(missing_ok=True)


def _hides_ctrl_c(error: BaseException, handled: BaseException | None) -> bool:
    """Whether the error was raised during the clean-up after Ctrl-C, for example by zipfile.

    Args:
        handled: an exception that was already being handled before, and does not count.
    """
    cause = error.__context__
    while cause is not None and cause is not handled:
        if isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__context__
    return False


def _is_file_of(fd: int, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), file)
    except OSError:  # closed
        return False


def _reason(path: Path, error: OSError) -> str:
    """Why the file cannot be written, and what to do."""
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        return "it is a folder; name a file in it"
    if not folder.is_dir():
        return f"there is no folder {folder}; create it first"
    cause = error.strerror or str(error)
    if error.errno in _FULL:
        return f"{cause}; make room there, or name a file in another folder"
    if path.exists() and not os.access(path, os.W_OK):
        return f"{cause}; change the file's permissions, or name another file"
    return f"{cause}; check the permissions of {folder}, or name a file in another folder"
