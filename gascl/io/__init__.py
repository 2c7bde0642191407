"""Reading and writing graphs.

`formats/` has one module per file format, `adapters/` one per library whose objects become graphs,
and `registry.py` lists the formats and picks the right one. The names below are loaded on first
use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gascl.io.format import Format as Format
    from gascl.io.formats import graphalytics as graphalytics
    from gascl.io.registry import FORMATS as FORMATS
    from gascl.io.registry import read_file as read_file
    from gascl.io.registry import write_file as write_file

_HOME = {
    "FORMATS": "registry",
    "Format": "format",
    "read_file": "registry",
    "write_file": "registry",
}
__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "graphalytics":  # of the formats the only one with functions for users
        return import_module("gascl.io.formats.graphalytics")
    if name not in _HOME:
        raise AttributeError(f"module 'gascl.io' has no attribute {name!r}")
    return getattr(import_module(f"gascl.io.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, "graphalytics"})
