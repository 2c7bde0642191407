"""Writes the parameters of a run into the record from which kernels read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.errors import ProgramError
from gascl.graph.graph import Graph
from gascl.language.fields import Lanes, Param, TimeParam, VertexParam
from gascl.language.program import VertexProgram
from gascl.run.times import count_of
from gascl.user_messages import DOUBLE

#: Up to this many arcs a vertex, a graph is sparse.
SPARSE = 8


def set_parameters(
    run: np.ndarray,
    program: VertexProgram,
    graph: Graph,
    gpu: bool,
    finite: bool = True,
    queued: bool = False,
) -> None:
    """Write the parameters of each lane into a record, as kernels read them.

    Args:
        run: one record of the header's `run`.
        gpu: the run is on a GPU.
        finite: in debug mode, a value that becomes infinite is a fault.
    """
    if "priority" in program.spec.snippets:
        run["graph"]["gascl_delta"] = bucket_width(program, graph, gpu, queued)
    if "gascl_finite" in (run["graph"].dtype.names or ()):
        run["graph"]["gascl_finite"] = finite
    for name, param in program.spec.params.items():
        if not param.in_run or name in program.spec.arrays:
            continue
        value, given = getattr(program, name), run["params"][name]
        for lane in range(program.lanes):
            one = value[lane] if isinstance(value, Lanes) else value
            if isinstance(param, TimeParam):
                one = count_of(program, graph, param, one)
            elif isinstance(param, VertexParam):  # a program runs on the empty graph, too
                one = graph.index_of(one) if graph.num_vertices else -1
            elif given.dtype.kind == "f":
                _check_float(program, param, one, given.dtype)
            given[0, lane] = one


def array_parameters(program: VertexProgram, layout: np.dtype) -> np.ndarray:
    """The array parameters as one record of the header's `tables`."""
    tables = np.zeros(1, layout)
    for name, param in program.spec.arrays.items():
        values = getattr(program, name)
        if tables[name].dtype.kind == "f":
            checked = values[np.isfinite(values) & (values != 0)]
            sizes = np.abs(checked)
            for at in (sizes.argmax(), sizes.argmin()) if len(sizes) else ():
                _check_float(program, param, checked[at], tables[name].dtype)
        tables[name][0] = values
    return tables


def bucket_width(program: VertexProgram, graph: Graph, gpu: bool, queued: bool = False) -> float:
    """The width of a bucket of priorities: the program's `delta`, or one by the weights.

    Four times the mean weight by the mean degree (Meyer and Sanders, Delta-Stepping, 2003, section
    3, have the maximum by the degree): on two CPU cores, half and twice as much were up to a fifth
    slower on Kronecker and uniform graphs. A GPU needs wider frontiers than sparse graphs have, and
    takes wider buckets for them, even wider ones where work-groups relax for several rounds before
    they meet. On CPUs, where vertices are queued, a bucket costs less, and half of that was faster
    but on grids.
    """
    spec = program.spec
    if spec.delta is not None:
        return float(spec.delta)
    read = spec.snippet("scatter").reads("e")
    fields = [n for n in spec.edge_fields if n in read and n in graph.edge_fields]
    known = [graph.edge_summary(name) for name in fields]
    mean = max((one.mean for one in known if one.count), default=1.0)
    degree = max(1.0, graph.num_arcs / max(1, graph.num_vertices))
    if gpu and degree <= SPARSE:
        mean *= 32 if queued else 16
    elif queued and not gpu and degree >= SPARSE:
        mean /= 2
    width = min(4 * mean / degree, float(np.finfo(program.dtype).max))
    return width if width > 0 else 1.0


def _check_float(program: VertexProgram, param: Param, value: Any, type_: np.dtype) -> None:
    with np.errstate(all="ignore"):
        held = type_.type(value)
    if (np.isinf(held) and np.isfinite(value)) or (held == 0 and value != 0):
        limits = np.finfo(type_)
        raise ProgramError(
            f"{program!r}: {param.name}={value} does not fit {type_}, whose values are from "
            f"{limits.smallest_subnormal:.3g} to {limits.max:.3g}, and 0; use ",
            DOUBLE,
        )
