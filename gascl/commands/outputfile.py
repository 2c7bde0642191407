"""Whether a file can be written, asked before the work."""

from __future__ import annotations

import tempfile
from pathlib import Path


def why_not(path: Path) -> str | None:
    """Why no file can take this path, in a folder that is there, and what to do; None: one can.

    A file takes the place when it is whole: a device or a pipe must not be lost to it.
    """
    if path.is_dir():
        return "it is a folder; name another file"
    if path.exists() and not path.is_file():
        return "it is a device or a pipe; name another file"
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return None
    except OSError as error:
        return (
            f"{error.strerror} in {path.parent.resolve()}; see to that folder's permissions, or "
            "name a file in another"
        )
