"""Checks before the work whether a file can be written after it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gascl.newfile import is_replaced


def why_unwritable(path: Path, pipes: bool = False) -> str | None:
    """Why no file can be written to a path in an existing folder, and what to do; None if one can.

    Args:
        pipes: accept a pipe or a device.
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
            f"{error.strerror} in {folder}; check the permissions of that folder, or name a file "
            "in another one"
        )
