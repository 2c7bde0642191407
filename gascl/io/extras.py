"""Packages that only some formats need, and that need not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gascl.errors import FormatError, GraphError

NAMES = {"networkx": "NetworkX", "pyarrow": "pyarrow", "pandas": "pandas", "igraph": "igraph"}


def imported(module: str, purpose: str, error: type[GraphError] = FormatError) -> Any:
    """The module, such as pyarrow.parquet.

    Raises:
        FormatError, or `error`: its package is not installed; says so of `purpose`.
    """
    package = module.split(".")[0]
    try:
        return import_module(module)
    except ImportError:
        raise error(f"{purpose} needs {NAMES[package]}: `pip install {package}`") from None
