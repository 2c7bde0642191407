"""gascl: GasCL for Python. Write a graph algorithm as a class, run it on any OpenCL device."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gascl import datasets as datasets
    from gascl import generators as generators
    from gascl import io as io
    from gascl import memory as memory
    from gascl.device import devices as devices
    from gascl.engine import Engine as Engine
    from gascl.errors import DeviceError as DeviceError
    from gascl.errors import FieldError as FieldError
    from gascl.errors import FormatError as FormatError
    from gascl.errors import GasclError as GasclError
    from gascl.errors import GraphError as GraphError
    from gascl.errors import Interrupted as Interrupted
    from gascl.errors import NotConverged as NotConverged
    from gascl.errors import NotConvergedError as NotConvergedError
    from gascl.errors import ProgramError as ProgramError
    from gascl.fields import aggregate as aggregate
    from gascl.fields import arc as arc
    from gascl.fields import edge as edge
    from gascl.fields import param as param
    from gascl.fields import vertex as vertex
    from gascl.graph import Graph as Graph
    from gascl.program import VertexProgram as VertexProgram
    from gascl.result import Result as Result
    from gascl.types import struct as struct

__version__ = "0.1.0"

#: Name -> its module. Loaded when first used, so that `gascl --help` need not wait for pyopencl.
_HOME = {
    "Engine": "engine",
    "Graph": "graph",
    "Result": "result",
    "VertexProgram": "program",
    "aggregate": "fields",
    "arc": "fields",
    "devices": "device",
    "edge": "fields",
    "param": "fields",
    "struct": "types",
    "vertex": "fields",
    "DeviceError": "errors",
    "FieldError": "errors",
    "FormatError": "errors",
    "GasclError": "errors",
    "GraphError": "errors",
    "Interrupted": "errors",
    "NotConverged": "errors",
    "NotConvergedError": "errors",
    "ProgramError": "errors",
}
#: Modules that are named so, as gascl.generators.rmat is; loaded when first used, too.
_MODULES = ("datasets", "generators", "io", "memory", "programs")
__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"gascl.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'gascl' has no attribute {name!r}")
    return getattr(import_module(f"gascl.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
