"""Whether a file can be written, asked before the work."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gascl.newfile import is_replaced


def why_not(path: Path, pipes: bool = False) -> str | None:
    """Why no file can be written to this path, in a folder that is there, and what to do; None
    where one can.

    Args:
        pipes: whether a pipe or a device will do.
    """
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
            f"{error.strerror} in {folder}; check that folder's permissions, or name a file in "
            "another"
        )
