"""Runs on a Dask cluster: edges from a Dask DataFrame, a part of the arcs on each worker, and the
results as a Dask DataFrame."""

from gascl.dask.launch import run as run
from gascl.dask.result import DaskResult as DaskResult

__all__ = ["DaskResult", "run"]
