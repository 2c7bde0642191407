"""Runs on a Dask cluster: edges from a Dask DataFrame, a part of the arcs on each worker, and the
results as a Dask DataFrame."""

from gascl.errors import GasclError
from gascl.util.extras import imported

imported("distributed", "gascl.dask", GasclError)  # the modules below import what comes with it

from gascl.dask.launch import run as run  # noqa: E402
from gascl.dask.result import DaskResult as DaskResult  # noqa: E402

__all__ = ["DaskResult", "run"]
