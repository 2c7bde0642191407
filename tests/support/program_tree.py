"""Vertex programs as small trees.

`oracle.run` interprets a tree; `program_text` renders it to the class that gascl compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple

from support.values import Structs, components, element

# Expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Const:
    value: int | float


@dataclass(frozen=True)
class Var:
    """`space.name`, where space is v, u, e, p, g, prev or agg; words such as msg have none.

    Within a gather snippet `item` is one of the messages and `found` what its loop has found.
    """

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


@dataclass(frozen=True)
class Member:
    """A scalar of a vector or struct, by its path: `v.best.x`."""

    x: Expr
    path: str


@dataclass(frozen=True)
class Item:
    """A component of an array, `x[index]`; the index modulo the length, unless it is `plain`."""

    x: Expr
    index: Expr
    plain: bool = False


@dataclass(frozen=True)
class Make:
    """A vector, array or struct of these scalars."""

    kind: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Of:
    """`FIELD_of(of)`."""

    name: str
    of: Expr


@dataclass(frozen=True)
class Neighbor:
    """`neighbor(i)`, or `neighbor_of(of, i)` of a vertex; i modulo their number; the vertex itself
    where there are none."""

    i: Expr
    of: Expr | None = None


@dataclass(frozen=True)
class HasEdge:
    a: Expr
    b: Expr


@dataclass(frozen=True)
class To:
    """`FIELD_to(i)`, i modulo the number of neighbors; 0 where there are none."""

    name: str
    i: Expr


@dataclass(frozen=True)
class Common:
    """`common(a, b)`."""

    a: Expr
    b: Expr


@dataclass(frozen=True)
class From:
    """`FIELD_from_first(w)` or `FIELD_from_second(w)`, inside a `ForCommon`."""

    name: str
    end: str


@dataclass(frozen=True)
class Hash:
    """`hash(x)` modulo 1000."""

    x: Expr


@dataclass(frozen=True)
class Uniform:
    """`uniform(keys...)` as one of the numbers 0 ... 63."""

    keys: tuple[Expr, ...]


@dataclass(frozen=True)
class Is:
    """Whether a parameter is one of its words."""

    name: str
    word: str


@dataclass(frozen=True)
class Entry:
    """`p.NAME[i]`, or `p.NAME[i][j]`, of an array parameter; each index modulo its length."""

    name: str
    indices: tuple[Expr, ...]


Expr = (
    Const | Var | Bin | Cond | Clamp | Vertex | ToInt | GetMask | Member | Make | Of | Neighbor
) | (HasEdge | To | Common | From | Hash | Uniform | Is | Entry | Item)

# Statements ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assign:
    """To `v.NAME` or `e.NAME`; the name may go on to a member: "best.x"."""

    name: str
    value: Expr
    op: str = "="  # or "+="
    space: str = "v"


@dataclass(frozen=True)
class If:
    test: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Send:
    """`send(value)`, or `send_to(to, value)`."""

    value: Expr
    to: Expr | None = None


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


@dataclass(frozen=True)
class Return:
    """Leaves the snippet; what it has done so far stays."""


@dataclass(frozen=True)
class Repeat:
    """A loop that does the same so many times."""

    times: int
    block: tuple[Stmt, ...]


@dataclass(frozen=True)
class ForCommon:
    """`for_common(w, a, b)`; in the block, the vertex is `Var("", "w")`."""

    a: Expr
    b: Expr
    block: tuple[Stmt, ...]


@dataclass(frozen=True)
class Reduce:
    """A loop over neighbors that reduces to a field: how is "sum", "min", "max" or, if it ends at
    the first assignment, "any". In its expressions, the neighbor is `Var("", "near")`, and the
    number of the arc `Var("", "i")`."""

    how: str
    assign: Assign
    test: Expr


@dataclass(frozen=True)
class Each:
    """A loop over the components of an array of `v`, in which the index is `Var("", "k")`:
    `v.NAME[k] = value`."""

    name: str
    value: Expr


Stmt = (
    Assign | If | Send | SetMask | UnsetMask | Aggregate | Return | Repeat | ForCommon | Reduce
) | Each


@dataclass(frozen=True)
class Gather:
    """A gather snippet: one of the forms of `gathers`, which finds a number among the messages.

    `item` is a number computed of each message (`Var("", "item")`), `result` what `msg` becomes
    of the number found (`Var("", "found")`).
    """

    form: str
    item: Expr
    result: Expr
    real: bool = False  # whether the numbers are floats


@dataclass(frozen=True)
class Grouping:
    """`by_key`: the struct "Group" is the type of a group.

    Attributes:
        key: the member of a message that is the key; "" if a message is one.
        values: how the other members are combined.
        score: without a gather snippet, the group with the highest score is preferred, a number
            computed of `Var("", "item")`; if it is None, that with the highest count.
    """

    key: str = ""
    values: tuple[tuple[str, str], ...] = ()
    score: Expr | None = None


def contains(block: tuple[Stmt, ...], kind: type) -> bool:
    """Whether a statement of this kind stands in the block, on any path."""
    return any(isinstance(node, kind) for node in walk(block))


def walk(node: Any) -> Iterator[Any]:
    """Every expression and statement in a tree or block."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif is_dataclass(node):
        yield node
        for f in fields(node):
            yield from walk(getattr(node, f.name))


#: What a parameter that is a choice may be; the first is the default.
WORDS = ("near", "far", "away")

# Programs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    type: str  # a name as in `values`
    init: Expr = Const(0)


class Aggregator(NamedTuple):
    type: str
    how: str  # an op, or C text over a and b
    identity: int | Make | None = None  # of such a text


@dataclass(frozen=True)
class Program:
    fields: Mapping[str, Field]
    message: str
    combine: str | None = None
    identity: int | float | Make | None = None  # of a custom combine or a gather snippet
    edge_fields: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)  # default
    # Type and default; the type may also be "flag", "vertex" or "choice", whose words are WORDS.
    params: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    # Array parameters: the type of their numbers, and these, nested as they are indexed.
    tables: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    aggregates: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # see Aggregator
    mask: Expr | None = None  # absent: every vertex, unless init sets masks
    scatter_on: str = "mask"
    apply_on: str = "message"
    edges: str = "out"
    ends: str = "mask"
    order: str = "supersteps"
    init: tuple[Stmt, ...] = ()
    scatter: tuple[Stmt, ...] = ()
    pairs: tuple[Stmt, ...] = ()
    apply: tuple[Stmt, ...] = ()
    stop: Expr | None = None
    converged: Callable[[Any], bool] | None = None  # of a Step
    has_supersteps: bool = False  # declares param.supersteps, with this default
    supersteps: int | None = None
    structs: Structs = field(default_factory=dict)
    arc_fields: Mapping[str, Field] = field(default_factory=dict)
    gather: Gather | None = None
    gathered: str | None = None
    grouping: Grouping | None = None
    lanes: int | None = None  # the class attribute
    listed: int | None = None  # without it: a parameter is to be given as a list of so many
    receive_if: Expr | None = None
    enough: Expr | None = None
    priority: Expr | None = None
    delta: int | None = None  # of a priority: the oracle cannot tell what gascl would choose
    # Of custom rules that `combiners.CUSTOM` has not: C text -> the rule in Python.
    folds: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)

    @property
    def msg_type(self) -> str:
        return self.gathered or self.message

    def aggregator(self, name: str) -> Aggregator:
        return Aggregator(*self.aggregates[name])


def kind_of(program: Program, x: Expr) -> str:
    """The type of an expression that reads something declared; "int32" of anything else."""
    if isinstance(x, Member):
        parts = dict(components(kind_of(program, x.x), program.structs))
        return parts[x.path]
    if isinstance(x, Make):
        return x.kind
    if isinstance(x, Item):
        return element(kind_of(program, x.x))[0]
    if isinstance(x, Of):
        return program.fields[x.name].type
    if isinstance(x, To | From):
        return program.edge_fields[x.name][0]
    if isinstance(x, Entry):
        return program.tables[x.name][0]
    if isinstance(x, Cond):
        return kind_of(program, x.then)
    return declared_type(program, x.space, x.name) if isinstance(x, Var) else "int32"


def declared_type(program: Program, space: str, name: str) -> str:
    """The declared type of a variable; "int32" for what gascl itself provides."""
    if space in ("v", "u") and name in program.fields:
        return program.fields[name].type
    if space == "e" and name in program.arc_fields:
        return program.arc_fields[name].type
    if space == "e" and name in program.edge_fields:
        return program.edge_fields[name][0]
    if space == "p":
        kind = program.params[name][0]
        return "int32" if kind in ("flag", "vertex") else kind
    if space in ("prev", "agg"):
        aggregator = program.aggregator(name)
        return {"count": "int64", "mean": "float64"}.get(aggregator.how, aggregator.type)
    item = program.message if program.grouping is None else "Group"
    return {"msg": program.msg_type, "item": item}.get(name, "int32")
