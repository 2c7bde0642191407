"""Paths as users give them, checked before anything is opened."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from gascl.errors import FormatError

#: A URL, also after pathlib has merged its slashes.
URL = re.compile(r"(?:https?|ftps?|s3|gs|file|doi):/.*", re.IGNORECASE)


def checked_path(value: Any, what: str = "the file") -> Path:
    """`value` as a Path.

    Raises:
        FormatError: it is not a str or Path (but an open file, None, bytes), or it is a URL.
    """
    if not isinstance(value, (str, os.PathLike)):
        remedy = "give its path, a str or a Path"
        name = getattr(value, "name", None)
        if isinstance(name, str) and name:
            remedy = f"give its path, {name!r}: gascl opens files itself"
        elif isinstance(value, bytes):
            remedy = f"give its path as text, {os.fsdecode(value)!r}"
        elif hasattr(value, "read"):
            remedy = "gascl reads files by path: write the contents to a file"
        raise FormatError(f"{what} is given as {_shown(value)}; {remedy}")
    text = os.fspath(value)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if not text or "\0" in text:
        raise FormatError(f"{what} is given as {text!r}, which is not a path; give its name")
    path = Path(text)
    if URL.fullmatch(text) and not path.exists():
        remedy = (
            "download the file first, or use Graph.dataset(name) if `gascl datasets` lists the "
            "graph"
        )
        if text.lower().startswith("file:"):
            remedy = "give the path alone, without file://"
        raise FormatError(f"{text} is a URL, and {what} must be given by its path; {remedy}")
    return path


def _shown(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, (bytes, int)) else type(value).__name__
