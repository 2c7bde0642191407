"""What a vertex program means, as slow and plain Python: the oracle of the random-program tests.

A program is a small tree (`program_tree`) that is rendered to C snippets and that `run` interprets
here, vertex by vertex and arc by arc, word for word after the rules of a superstep. Nothing of
gascl is imported: the arcs are derived from the plain edge list once more.

Exactness: every number is a small integer (or an infinity, or the extreme value of an integer
type), also where it is held in a `real`. The interpreter computes with Python's int and float and
raises `Inexact` whenever an arithmetic result leaves +-2**24, a stored value does not fit its type,
or (under float32) a float is not a float32. So where `run` returns, int32, int64, float32 and
float64 arithmetic in C agree with it to the last bit and in every order of evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from program_tree import (
    Aggregate,
    Assign,
    Bin,
    Clamp,
    Cond,
    Const,
    Expr,
    If,
    Program,
    Send,
    SetMask,
    Stmt,
    ToInt,
    UnsetMask,
    Var,
    Vertex,
    contains,
)

LIMIT = 2**24


class Inexact(Exception):
    """A value left the range in which every type computes the same: the example proves nothing."""


# A combine rule that is C text, and the same rule in Python.
CUSTOM: dict[str, Callable[[Any, Any], Any]] = {
    "a < b ? a : b": min,
    "a > b ? a : b": max,
    "(a + b) % 1009": lambda a, b: (a + b) % 1009,
    "a ^ b": lambda a, b: a ^ b,
}
BUILT_IN: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": min,
    "max": max,
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
}


@dataclass(frozen=True)
class PlainGraph:
    num_vertices: int
    edges: tuple[tuple[int, int], ...]
    directed: bool = True
    fields: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __str__(self) -> str:
        edges = self.edges if len(self.edges) < 40 else f"{self.edges[:3]} ... {self.edges[-3:]}"
        kind = "directed" if self.directed else "undirected"
        some = {name: list(values[:40]) for name, values in self.fields.items()}
        return f"{kind}, {self.num_vertices} vertices, {len(self.edges)} edges {edges}, {some}"

    def arcs(self, along: str) -> list[tuple[int, int, int, int]]:
        """(scattering vertex, other end, edge id, reversed) of every arc."""
        arcs = []
        for i, (a, b) in enumerate(self.edges):
            forth, back = (a, b, i, 0), (b, a, i, 1)
            if not self.directed or along == "both":
                arcs += [forth] if a == b else [forth, back]
            else:
                arcs += [forth if along == "out" else back]
        return arcs


@dataclass
class Step:
    superstep: int
    active: int
    messages: int
    aggregates: dict[str, Any]


@dataclass
class Outcome:
    fields: dict[str, np.ndarray]
    supersteps: int
    converged: bool
    trace: list[Step]


def identity_of(how: str, dtype: np.dtype) -> int | float:
    """The value that leaves every other unchanged."""
    real = dtype.kind == "f"
    if how in ("sum", "or", "prod"):
        value = 1 if how == "prod" else 0
        return float(value) if real else value
    if how == "and":
        return -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)
    if real:
        return math.inf if how == "min" else -math.inf
    info = np.iinfo(dtype)
    return int(info.max if how == "min" else info.min)


class _Run:
    """The state of one run. `v`, `arc`, `msg` and `has_msg` are what the snippet sees just now."""

    def __init__(self, program: Program, graph: PlainGraph, dtype: str, params: Mapping[str, Any]):
        self.program, self.graph = program, graph
        self.single = dtype == "float32"
        self.real = np.dtype(dtype)
        self.params = {
            name: self.fit(self.type(kind), params.get(name, default))
            for name, (kind, default) in program.params.items()
        }
        self.message = self.type(program.message)
        self.fold = BUILT_IN.get(program.combine) or CUSTOM[program.combine]
        self.identity = (
            program.identity
            if program.identity is not None
            else identity_of(program.combine, self.message)
        )
        self.edge_fields = {}
        for name, (kind, default) in program.edge_fields.items():
            given = graph.fields.get(name, [default] * len(graph.edges))
            self.edge_fields[name] = [self.fit(self.type(kind), x) for x in given]
        n = graph.num_vertices
        self.out_degree, self.in_degree = [0] * n, [0] * n
        for a, b, _, _ in graph.arcs("out"):
            self.out_degree[a] += 1
            self.in_degree[b] += 1
        self.fields: dict[str, list[Any]] = {name: [None] * n for name in program.fields}
        self.mask = [0] * n
        self.superstep, self.has_msg = 0, 0
        self.v, self.arc, self.msg = -1, (0, 0, 0, 0), self.identity
        self.prev: dict[str, Any] = {}
        self.agg = self.no_aggregates()
        self.set_by: list[set[str]] = []

    def type(self, name: str) -> np.dtype:
        return self.real if name == "real" else np.dtype(name)

    def aggregate_type(self, kind: str, how: str) -> np.dtype:
        dtype = self.type(kind)
        return np.dtype("f8" if dtype.kind == "f" else "i8") if how == "sum" else dtype

    def no_aggregates(self) -> dict[str, Any]:
        return {
            name: identity_of(how, self.aggregate_type(kind, how))
            for name, (kind, how) in self.program.aggregates.items()
        }

    def fit(self, dtype: np.dtype, value: Any) -> int | float:
        """`value` as C stores it into `dtype`, which must hold it exactly."""
        if dtype.kind == "f":
            return self.exact(float(value)) if dtype.itemsize == 4 else float(value)
        if not math.isfinite(value) or value != int(value):
            raise Inexact(f"{value} into {dtype}")
        if not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise Inexact(f"{value} into {dtype}")
        return int(value)

    def exact(self, x: Any) -> Any:
        if isinstance(x, float):
            if self.single and math.isfinite(x) and float(np.float32(x)) != x:
                raise Inexact(f"{x} is no float32")
        elif abs(x) > LIMIT:
            raise Inexact(f"{x} is too large")
        return x

    def ev(self, x: Expr) -> Any:
        """The value of an expression, for the vertex, arc and message of the moment."""
        if isinstance(x, Const):
            return x.value
        if isinstance(x, Var):
            return self.variable(x.space, x.name)
        if isinstance(x, Bin):
            return self.binary(x)
        if isinstance(x, Cond):
            return self.ev(x.then) if self.ev(x.test) else self.ev(x.orelse)
        if isinstance(x, Clamp):
            value = min(max(self.ev(x.x), x.low), x.high)
            return float(value) if x.real else value
        if isinstance(x, Vertex):
            return self.ev(x.x) % self.graph.num_vertices
        if isinstance(x, ToInt):
            return int(self.ev(x.x))
        return self.mask[self.v if x.of is None else self.ev(x.of)]

    def variable(self, space: str, name: str) -> Any:
        if space == "v":
            if name in self.fields:
                return self.fields[name][self.v]
            if name == "id":
                return self.v
            return (self.in_degree if name == "in_degree" else self.out_degree)[self.v]
        if space == "e":
            if name in self.edge_fields:
                return self.edge_fields[name][self.arc[2]]
            return self.arc[("src", "dst", "id", "reversed").index(name)]
        if space == "g":
            return self.graph.num_vertices if name == "num_vertices" else len(self.graph.edges)
        if space:
            return {"p": self.params, "prev": self.prev, "agg": self.agg}[space][name]
        return {"superstep": self.superstep, "msg": self.msg, "has_msg": self.has_msg}[name]

    def binary(self, x: Bin) -> Any:
        a = self.ev(x.a)
        if x.op == "&&":
            return int(bool(a) and bool(self.ev(x.b)))
        if x.op == "||":
            return int(bool(a) or bool(self.ev(x.b)))
        b = self.ev(x.b)
        if x.op in ("<", "<=", ">", ">=", "==", "!="):
            return int(
                {
                    "<": a < b,
                    "<=": a <= b,
                    ">": a > b,
                    ">=": a >= b,
                    "==": a == b,
                    "!=": a != b,
                }[x.op]
            )
        if x.op in ("min", "max"):
            return min(a, b) if x.op == "min" else max(a, b)
        if x.op in ("fmin", "fmax"):
            return float(min(a, b) if x.op == "fmin" else max(a, b))
        if x.op in ("&", "|", "^"):
            return a & b if x.op == "&" else a | b if x.op == "|" else a ^ b
        if x.op in ("/", "%"):
            if isinstance(a, float) or isinstance(b, float):
                return self.exact(a / b)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if x.op == "/" else a - quotient * b
        return self.exact(a + b if x.op == "+" else a - b if x.op == "-" else a * b)

    def do(self, block: Sequence[Stmt], sent: list[Any] | None = None) -> None:
        """Run statements; `sent` collects what is sent along the arc of the moment."""
        for s in block:
            if isinstance(s, If):
                self.do(s.then if self.ev(s.test) else s.orelse, sent)
            elif isinstance(s, Assign):
                values = self.fields[s.name]
                value = self.ev(s.value)
                if s.op == "+=":
                    value = self.exact(values[self.v] + value)
                values[self.v] = self.fit(self.type(self.program.fields[s.name].type), value)
            elif isinstance(s, Send):
                assert sent is not None
                sent.append(self.fit(self.message, self.ev(s.value)))
            elif isinstance(s, Aggregate):
                kind, how = self.program.aggregates[s.name]
                value = self.fit(self.type(kind), self.ev(s.value))
                value = BUILT_IN[how](self.agg[s.name], value)
                self.agg[s.name] = self.fit(self.aggregate_type(kind, how), value)
            elif isinstance(s, UnsetMask):
                self.unset()
            elif s.of is None:
                self.set_own()
            else:
                self.set_by[self.ev(s.of)].add("other")

    # Who set a vertex in the next mask: "scatter" (anybody), "own" (itself in apply) or "other"
    # (a set_mask_of in apply, or in init). unset_mask() takes back the first two.
    def set_own(self) -> None:
        self.set_by[self.v].add("own")

    def unset(self) -> None:
        self.set_by[self.v] -= {"own", "scatter"}

    def first(self, given: Mapping[str, Any]) -> None:
        """Field inits, the init snippet and the mask."""
        n = self.graph.num_vertices
        self.set_by = [set() for _ in range(n)]
        for self.v in range(n):
            for name, declared in self.program.fields.items():
                value = given[name][self.v] if name in given else self.ev(declared.init)
                self.fields[name][self.v] = self.fit(self.type(declared.type), value)
            self.do(self.program.init)
        # Without `mask` it is every vertex, unless the init snippet says who (on any path).
        unsaid = not contains(self.program.init, SetMask)
        for self.v in range(n):
            wanted = unsaid if self.program.mask is None else self.ev(self.program.mask)
            self.mask[self.v] = int(bool(wanted) or bool(self.set_by[self.v]))

    def step(self) -> Step:
        """One superstep: scatter, gather, apply; the next mask is in place afterwards."""
        program, n = self.program, self.graph.num_vertices
        self.prev, self.agg = self.agg, self.no_aggregates()
        self.set_by = [set() for _ in range(n)]
        inbox: list[list[Any]] = [[] for _ in range(n)]
        messages = 0
        for arc in self.graph.arcs(program.edges):
            if program.scatter_on == "all" or self.mask[arc[0]]:
                self.arc, self.v = arc, arc[0]
                sent: list[Any] = []
                self.do(program.scatter, sent)
                inbox[arc[1]] += sent
                messages += bool(sent)
        self.set_by = [{"scatter"} if by else set() for by in self.set_by]
        for self.v in range(n):
            received = inbox[self.v]
            self.has_msg, self.msg = int(bool(received)), self.identity
            if received:
                self.msg = received[0]
                for other in received[1:]:
                    self.msg = self.fit(self.message, self.fold(self.msg, other))
            if received or program.apply_on == "all":
                self.do(program.apply)
        active = n if program.scatter_on == "all" else sum(self.mask)
        self.mask = [int(bool(by)) for by in self.set_by]
        return Step(self.superstep, active, messages, dict(self.agg))


def run(
    program: Program,
    graph: PlainGraph,
    *,
    dtype: str = "float32",
    params: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    max_supersteps: int = 100_000,
) -> Outcome:
    """Interpret a program; `given` are the fields passed at construction. May raise `Inexact`."""
    params = params or {}
    r = _Run(program, graph, dtype, params)
    r.first(given or {})
    supersteps = params.get("supersteps", program.supersteps)
    on_mask = program.scatter_on == "mask"
    trace: list[Step] = []
    converged = graph.num_vertices == 0 or supersteps == 0 or (on_mask and not any(r.mask))
    while not converged and len(trace) < max_supersteps:
        step = r.step()
        trace.append(step)
        if supersteps is not None:
            converged = len(trace) == supersteps
        else:
            converged = bool(
                (program.stop is not None and r.ev(program.stop))
                or (program.converged is not None and program.converged(step))
            )
        converged = converged or (on_mask and not any(r.mask))
        r.superstep += 1
    fields = {
        name: np.array(r.fields[name], r.type(declared.type))
        for name, declared in program.fields.items()
    }
    return Outcome(fields, len(trace), converged, trace)
