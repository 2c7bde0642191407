"""gascl: GasCL for Python. Write a graph algorithm as a class, run it on any OpenCL device."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gascl.graph.provided import provide
from gascl.version import __version__ as __version__

if TYPE_CHECKING:
    from gascl import datasets as datasets
    from gascl import generators as generators
    from gascl import io as io
    from gascl.errors import DeviceError as DeviceError
    from gascl.errors import FieldError as FieldError
    from gascl.errors import FormatError as FormatError
    from gascl.errors import GasclError as GasclError
    from gascl.errors import GraphError as GraphError
    from gascl.errors import Interrupted as Interrupted
    from gascl.errors import NotConverged as NotConverged
    from gascl.errors import NotConvergedError as NotConvergedError
    from gascl.errors import ProgramError as ProgramError
    from gascl.errors import RankError as RankError
    from gascl.graph.graph import Graph as Graph
    from gascl.language.fields import aggregate as aggregate
    from gascl.language.fields import arc as arc
    from gascl.language.fields import edge as edge
    from gascl.language.fields import param as param
    from gascl.language.fields import vertex as vertex
    from gascl.language.grouping import by_key as by_key
    from gascl.language.program import VertexProgram as VertexProgram
    from gascl.language.random import uniform as uniform
    from gascl.language.types import struct as struct
    from gascl.opencl.device import devices as devices
    from gascl.results.result import Result as Result
    from gascl.run import memory_estimate as memory  # noqa: F401
    from gascl.run.engine import Engine as Engine

provide(
    read="gascl.io.registry:read_file",
    read_by_ranks="gascl.io.reading_by_ranks:read_by_ranks",
    write="gascl.io.registry:write_file",
    too_large="gascl.io.files:too_large",
    dataset="gascl.datasets:load",
    from_arrow="gascl.io.adapters.arrow:read_arrow",
    from_igraph="gascl.io.adapters.igraph:read_igraph",
    from_networkx="gascl.io.adapters.networkx:read_networkx",
    from_pandas="gascl.io.adapters.pandas:read_pandas",
    from_scipy="gascl.io.adapters.scipy:read_scipy",
    to_arrow="gascl.io.adapters.arrow:write_arrow",
    to_igraph="gascl.io.adapters.igraph:write_igraph",
    to_networkx="gascl.io.adapters.networkx:write_networkx",
    to_stored_networkx="gascl.nx.stored_copy:write_stored_networkx",
    to_pandas="gascl.io.adapters.pandas:write_pandas",
    vertices_to_arrow="gascl.io.adapters.arrow:write_vertices",
    vertices_to_pandas="gascl.io.adapters.pandas:write_vertices",
    vertex_table="gascl.io.vertex_table:read_vertex_table",
)

#: Name -> its module. Loaded when first used, so that `gascl --help` need not wait for pyopencl.
#: `animate` and `draw` are not imported for type checkers: they stand above the programs, which
#: import from here.
_HOME = {
    "Engine": "run.engine",
    "Graph": "graph.graph",
    "Result": "results.result",
    "VertexProgram": "language.program",
    "aggregate": "language.fields",
    "animate": "animation",
    "arc": "language.fields",
    "by_key": "language.grouping",
    "devices": "opencl.device",
    "draw": "drawing",
    "edge": "language.fields",
    "param": "language.fields",
    "struct": "language.types",
    "uniform": "language.random",
    "vertex": "language.fields",
    "DeviceError": "errors",
    "FieldError": "errors",
    "FormatError": "errors",
    "GasclError": "errors",
    "GraphError": "errors",
    "Interrupted": "errors",
    "NotConverged": "errors",
    "NotConvergedError": "errors",
    "ProgramError": "errors",
    "RankError": "errors",
}
#: Modules that are named so, as gascl.generators.rmat is; loaded when first used, too.
_MODULES = {
    "datasets": "datasets",
    "generators": "generators",
    "io": "io",
    "memory": "run.memory_estimate",
    "programs": "programs",
}
#: Without `io`, which would hide the standard library's in a script.
__all__ = [*_HOME, *(name for name in _MODULES if name != "io")]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"gascl.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'gascl' has no attribute {name!r}")
    return getattr(import_module(f"gascl.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
