"""Vertex programs as small trees, and those trees as C snippets.

`oracle.run` interprets a tree; `namespace` renders it to the class body that gascl compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Const:
    value: int | float


@dataclass(frozen=True)
class Var:
    """`space.name`, where space is v, e, p, g, prev or agg; superstep, msg, has_msg have none."""

    space: str
    name: str


@dataclass(frozen=True)
class Bin:
    """A C operator, or min, max (of integers), fmin, fmax; integer / and % truncate as in C."""

    op: str
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Cond:
    test: Expr
    then: Expr
    orelse: Expr


@dataclass(frozen=True)
class Clamp:
    """`x` kept within low and high; `real` says how it is rendered (fmin/fmax, or long)."""

    x: Expr
    low: int
    high: int
    real: bool


@dataclass(frozen=True)
class Vertex:
    """The vertex whose id is `x` modulo the number of vertices (never negative)."""

    x: Expr


@dataclass(frozen=True)
class ToInt:
    x: Expr


@dataclass(frozen=True)
class GetMask:
    """`get_mask()`, or `get_mask_of(of)`."""

    of: Expr | None = None


Expr = Const | Var | Bin | Cond | Clamp | Vertex | ToInt | GetMask

# Statements ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assign:
    name: str
    value: Expr
    op: str = "="  # or "+="


@dataclass(frozen=True)
class If:
    test: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Send:
    value: Expr


@dataclass(frozen=True)
class SetMask:
    """`set_mask()`, or `set_mask_of(of)`."""

    of: Expr | None = None


@dataclass(frozen=True)
class UnsetMask:
    pass


@dataclass(frozen=True)
class Aggregate:
    name: str
    value: Expr


Stmt = Assign | If | Send | SetMask | UnsetMask | Aggregate


def contains(block: tuple[Stmt, ...], kind: type) -> bool:
    """Whether a statement of this kind stands in the block, on any path."""
    return any(
        isinstance(s, kind)
        or (isinstance(s, If) and (contains(s.then, kind) or contains(s.orelse, kind)))
        for s in block
    )


@dataclass(frozen=True)
class Field:
    type: str  # NumPy's name, or "real"
    init: Expr = Const(0)


@dataclass(frozen=True)
class Program:
    fields: Mapping[str, Field]
    message: str
    combine: str
    identity: int | float | None = None  # of a custom combine
    edge_fields: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)  # default
    params: Mapping[str, tuple[str, int]] = field(default_factory=dict)  # type, default
    aggregates: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # type, how
    mask: Expr | None = None  # absent: every vertex, unless init sets masks
    scatter_on: str = "mask"
    apply_on: str = "message"
    edges: str = "out"
    init: tuple[Stmt, ...] = ()
    scatter: tuple[Stmt, ...] = ()
    apply: tuple[Stmt, ...] = ()
    stop: Expr | None = None
    converged: Callable[[Any], bool] | None = None  # of a Step
    has_supersteps: bool = False  # declares param.supersteps, with this default
    supersteps: int | None = None


# C text --------------------------------------------------------------------------------------

# Of these C would turn a signed operand into an unsigned one: they are read as `long`.
UNSIGNED = ("uint32", "uint64")
WRAP = "int wrap(int x, int n) { x = x % n; return x < 0 ? x + n : x; }"
EXTREMES = {-(2**31): "INT_MIN", -(2**63): "LONG_MIN"}


def constant(value: int | float) -> str:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = EXTREMES.get(int(value)) or repr(value)
    if isinstance(value, int) and value >= 2**31:
        text += "L"
    return f"({text})" if text.startswith("-") else text


def declared_type(program: Program, space: str, name: str) -> str:
    """The declared type of a variable; "int32" for what gascl itself provides."""
    if space == "v" and name in program.fields:
        return program.fields[name].type
    if space == "e" and name in program.edge_fields:
        return program.edge_fields[name][0]
    if space == "p":
        return program.params[name][0]
    if space in ("prev", "agg"):
        return program.aggregates[name][0]
    return program.message if name == "msg" else "int32"


def c_expr(program: Program, x: Expr) -> str:
    def text(y: Expr) -> str:
        return c_expr(program, y)

    if isinstance(x, Const):
        return constant(x.value)
    if isinstance(x, Var):
        name = f"{x.space}.{x.name}" if x.space else x.name
        return f"(long){name}" if declared_type(program, x.space, x.name) in UNSIGNED else name
    if isinstance(x, Bin):
        a, b = text(x.a), text(x.b)
        if x.op in ("min", "max"):
            return f"{x.op}((long)({a}), (long)({b}))"
        if x.op in ("fmin", "fmax"):
            return f"{x.op}((real)({a}), (real)({b}))"
        return f"({a} {x.op} {b})"
    if isinstance(x, Cond):
        return f"({text(x.test)} ? {text(x.then)} : {text(x.orelse)})"
    if isinstance(x, Clamp):
        cast, name = ("(real)", "fm") if x.real else ("(long)", "m")
        low, high = cast + constant(x.low), cast + constant(x.high)
        return f"{name}in({name}ax({cast}({text(x.x)}), {low}), {high})"
    if isinstance(x, Vertex):
        return f"wrap({text(x.x)}, g.num_vertices)"
    if isinstance(x, ToInt):
        return f"(int)({text(x.x)})"
    return "get_mask()" if x.of is None else f"get_mask_of({text(x.of)})"


def c_block(program: Program, block: tuple[Stmt, ...], indent: str = "    ") -> str:
    lines = []
    for s in block:
        if isinstance(s, If):
            lines.append(f"{indent}if ({c_expr(program, s.test)}) {{")
            lines.append(c_block(program, s.then, indent + "    "))
            if s.orelse:
                lines.append(f"{indent}}} else {{")
                lines.append(c_block(program, s.orelse, indent + "    "))
            lines.append(f"{indent}}}")
            continue
        if isinstance(s, Assign):
            line = f"v.{s.name} {s.op} {c_expr(program, s.value)}"
        elif isinstance(s, Send):
            line = f"send({c_expr(program, s.value)})"
        elif isinstance(s, Aggregate):
            line = f"aggregate_{s.name}({c_expr(program, s.value)})"
        elif isinstance(s, UnsetMask):
            line = "unset_mask()"
        else:
            line = "set_mask()" if s.of is None else f"set_mask_of({c_expr(program, s.of)})"
        lines.append(f"{indent}{line};")
    return "\n".join(lines)


def texts(program: Program) -> dict[str, str]:
    """Every part of the class body that is text: snippets, expressions and choices."""
    body = {"message": program.message, "combine": program.combine}
    if program.identity is not None:
        body["identity"] = constant(program.identity)
    body |= {
        "scatter_on": program.scatter_on,
        "apply_on": program.apply_on,
        "edges": program.edges,
    }
    if program.mask is not None:
        body["mask"] = c_expr(program, program.mask)
    if program.stop is not None:
        body["stop"] = c_expr(program, program.stop)
    for name in ("init", "scatter", "apply"):
        if block := getattr(program, name):
            body[name] = "\n" + c_block(program, block) + "\n"
    inits = [c_expr(program, f.init) for f in program.fields.values()]
    if any("wrap(" in text for text in [*body.values(), *inits]):
        body["functions"] = WRAP
    return body


def namespace(program: Program) -> dict[str, Any]:
    """The body of the program's class."""
    from gascl import aggregate, edge, param, vertex

    body: dict[str, Any] = dict(texts(program))
    for name, f in program.fields.items():
        body[name] = getattr(vertex, f.type)(init=c_expr(program, f.init))
    for name, (kind, default) in program.edge_fields.items():
        declare = getattr(edge, kind)
        body[name] = declare() if default is None else declare(default=default)
    for name, (kind, default) in program.params.items():
        body[name] = getattr(param, kind)(default=default)
    for name, (kind, how) in program.aggregates.items():
        body[name] = getattr(aggregate, kind)(how)
    if program.has_supersteps:
        body["supersteps"] = param.supersteps(default=program.supersteps)
    if program.converged is not None:
        rule = program.converged
        body["converged"] = lambda self, step: rule(step)
    return body


def build(program: Program) -> Any:
    """The VertexProgram subclass."""
    from gascl import VertexProgram

    return type("Random", (VertexProgram,), namespace(program))


def listing(program: Program) -> str:
    """The program as one would have typed it, for the reader of a failure."""
    lines = ["class Random(VertexProgram):"]
    for name, f in program.fields.items():
        lines.append(f"    {name} = vertex.{f.type}(init={c_expr(program, f.init)!r})")
    for name, (kind, default) in program.edge_fields.items():
        lines.append(f"    {name} = edge.{kind}({'' if default is None else f'default={default}'})")
    lines += [f"    {n} = param.{kind}(default={d})" for n, (kind, d) in program.params.items()]
    lines += [f"    {n} = aggregate.{k}({how!r})" for n, (k, how) in program.aggregates.items()]
    if program.has_supersteps:
        lines.append(f"    supersteps = param.supersteps(default={program.supersteps})")
    if program.converged is not None:
        lines.append("    converged = ...  # see the tree")
    for name, text in texts(program).items():
        lines.append(f'    {name} = """{text}"""' if "\n" in text else f"    {name} = {text!r}")
    return "\n".join(lines)
