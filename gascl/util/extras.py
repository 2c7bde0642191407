"""Imports of optional packages, each when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gascl.errors import FormatError, GasclError

NAMES = {"networkx": "NetworkX", "duckdb": "DuckDB", "dask": "Dask", "distributed": "Dask"}


def imported(module: str, purpose: str, error: type[GasclError] = FormatError) -> Any:
    """The module, such as pyarrow.parquet.

    Raises:
        FormatError, or `error`: its package is not installed; the message begins with `purpose`.
    """
    package = module.split(".")[0]
    try:
        return import_module(module)
    except ImportError:
        name = NAMES.get(package, package)
        raise error(f"{purpose} needs {name}: `pip install {package}`") from None
