"""Runs on a Dask cluster: edges from a Dask DataFrame, a part of the arcs on each worker, and the
results as a Dask DataFrame."""

from gascl.dask.daskresult import DaskResult as DaskResult
from gascl.dask.daskrun import run as run

__all__ = ["DaskResult", "run"]
