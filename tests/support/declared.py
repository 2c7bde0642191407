"""Programs that declare much and use none of it, small graphs, and what a result must contain of
whatever a program declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gascl import Graph, Result, VertexProgram, aggregate, arc, edge, param, struct, vertex
from gascl.language.types import Type

GRAPHS = {
    "empty": ([], [], 0),
    "one vertex": ([], [], 1),
    "a self-loop": ([0], [0], 1),
    "no edges": ([], [], 3),
}


def graph_of(name: str, directed: bool = True, **options: Any) -> Graph:
    src, dst, count = GRAPHS[name]
    return Graph.from_edges(src, dst, num_vertices=count, directed=directed, **options)


def check_array(values: np.ndarray, type_: Type, rows: int, lanes: int) -> None:
    """A field has the shape and the type that are declared."""
    shape = (rows, *([lanes] if lanes > 1 else []), *([type_.width] if type_.width > 1 else []))
    assert (values.shape, values.dtype) == (shape, type_.scalar)


def check_number(value: Any, type_: Type) -> None:
    """An aggregator's value has the type that is declared."""
    if type_.members:
        assert len(value) == len(type_.members)
    elif type_.width > 1:
        assert len(value) == type_.width
    else:
        assert type(value) is (float if type_.is_float else int)


def check_result(program: VertexProgram, graph: Graph, result: Result) -> None:
    """Whatever the program declares is in the result, and can be read in each way."""
    spec, lanes = program.spec, program.lanes
    assert result.missing == () and result.converged
    assert set(result.fields) == set(result) == set(spec.vertex_fields)
    for name, declared in spec.vertex_fields.items():
        type_ = declared.resolve(program.dtype)
        check_array(result[name], type_, graph.num_vertices, lanes)
    assert set(result.arc_fields) == set(spec.arc_fields)
    num_arcs = len(graph.arcs(result.edges).out_targets)
    for name, declared in spec.arc_fields.items():
        check_array(result.arc_fields[name], declared.resolve(program.dtype), num_arcs, lanes)
    # A result has what both forms of a program have, whichever of them has run.
    form = program.in_any_order() if "in_any_order" in vars(type(program)) else None
    shown = set(spec.aggregates) & set((form or program).spec.aggregates)
    assert set(result.aggregates) == shown
    for name in shown:
        declared = spec.aggregates[name]
        check_number(result.aggregates[name], declared.resolve(program.dtype))
    assert set(result.types) == {*spec.vertex_fields, *spec.arc_fields}
    assert len(result.to_pandas([*result])) == graph.num_vertices
    if spec.arc_fields:
        assert len(result.to_pandas(arcs=True)) == num_arcs
    for name, values in result.fields.items():
        if values.ndim == 1 and not values.dtype.names:
            assert len(result.top(name)) <= graph.num_vertices


Pair = struct([("near", "float32"), ("who", "vertex"), ("box", "int3")])
PAIR = "(Pair){2, 1, (int3)(4, 5, 6)}"

#: Of a type: its word, `init`, and the value.
FIELDS: list[tuple[Any, Any, Any]] = [
    ("int8", -3, -3),
    ("uint64", 7, 7),
    ("real", 1.5, 1.5),
    ("float64", 0.25, 0.25),
    ("real2", "(real2)(1, 2)", [1, 2]),
    ("int3", "(int3)(4, 5, 6)", [4, 5, 6]),
    ("vertex", None, -1),
    (Pair, PAIR, (2, 1, [4, 5, 6])),
]
#: Of an aggregator: its type and operation, and what it is if nothing is added, by the operation's
#: definition.
AGGREGATES: list[tuple[Any, str, str | None, Any]] = [
    ("int16", "sum", None, 0),
    ("real", "sum", None, 0.0),
    ("int16", "min", None, 2**15 - 1),
    ("uint32", "max", None, 0),
    ("float32", "max", None, -math.inf),
    ("float64", "min", None, math.inf),
    ("real", "mean", None, math.nan),
    ("int64", "count", None, 0),
    ("int64", "max(a, b)", "40 + 2", 42),
    ("int3", "max(a, b)", "(int3)(7, 8, 9)", [7, 8, 9]),
    (Pair, "a.near < b.near ? a : b", PAIR, (2.0, 1, [4, 5, 6])),
]
#: What can be declared and never used, besides these.
UNUSED: dict[str, Any] = {
    "weight": edge.real(default=1),
    "limit": param.real(0.5),
    "start": param.vertex(0),
    "way": param.choice("one", "other"),
    "flag": param.flag(True),
    "Pair": Pair,
    "Unused": struct([("x", "int32")]),
    "functions": "#define TWICE(x) (2 * (x))",
}
#: What a program does, and how many supersteps it makes on a graph with vertices.
BODIES: dict[str, dict[str, Any]] = {
    "scatters": {"scatter": "send(1);"},
    "applies": {"scatter_on": "all", "apply_on": "all", "apply": ";", "stop": "superstep == 1"},
    "nobody scatters": {"mask": "v.id < 0", "scatter": "send(1);"},
    "pairs": {"mask": "v.id < 0", "pairs": "send(1);"},
    "reads one by one": {"combine": None, "gather": "msg = num_messages;", "scatter": "send(1);"},
}


def declared(namespace: Any, type_: Any, *arguments: Any, **options: Any) -> Any:
    if not isinstance(type_, str):
        return namespace.struct(type_, *arguments, **options)
    return getattr(namespace, type_)(*arguments, **options)


def fields(namespace: Any, before: str) -> dict[str, Any]:
    inits = ({} if init is None else {"init": init} for _, init, _ in FIELDS)
    made = zip(FIELDS, inits, strict=True)
    return {f"{before}{i}": declared(namespace, f[0], **init) for i, (f, init) in enumerate(made)}


def program_class(body: Mapping[str, Any], arcs: bool, **more: Any) -> type[VertexProgram]:
    """A program that inherits some of what it declares."""
    numbers = {
        f"agg{i}": declared(aggregate, type_, op, identity=identity)
        for i, (type_, op, identity, _) in enumerate(AGGREGATES)
    }
    inherited = {**fields(vertex, "x"), **(fields(arc, "on") if arcs else {}), **UNUSED}
    base = type("Base", (VertexProgram,), inherited)
    work = {"message": "int32", "combine": "sum", "apply": "v.x0 = v.x0;"}
    return type("Declares", (base,), {**numbers, **work, **body, **more})


def plain(value: Any) -> Any:
    """Lists in place of tuples and arrays."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def same(found: Any, expected: Any) -> bool:
    nan = isinstance(expected, float) and math.isnan(expected)
    return math.isnan(found) if nan else plain(found) == plain(expected)


def check_values(result: Result, body: Mapping[str, Any] | None = None) -> None:
    """All that nothing uses is as it began."""
    for i, (_, _, expected) in enumerate(FIELDS):
        for values in (result.fields.get(f"x{i}"), result.arc_fields.get(f"on{i}")):
            if values is not None:
                assert all(same(each, expected) for each in values)
    for i, (*_, expected) in enumerate(AGGREGATES):
        assert same(result.aggregates[f"agg{i}"], expected), AGGREGATES[i]
