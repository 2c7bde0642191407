"""Conditions on the columns of a table, written as in Python: "minutes < 30 and kind == 'tram'".

They are parsed by Python's `ast`, and only what is listed here is computed; nothing is executed.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

import numpy as np

from gascl.errors import GraphError, warn
from gascl.graph.field_table import field_name, no_column
from gascl.graph.field_types import (
    NO_TEXT,
    NOT_A_TIME,
    Bools,
    Coded,
    Texts,
    Times,
    decoded,
    moment,
)

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
#: The same comparisons with the sides exchanged.
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
#: What a comparison with a point in time between two counts of a field is, with the later of them.
BETWEEN_COUNTS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    **COMPARISONS,
    ast.Eq: lambda counts, _: np.zeros(len(counts), bool),
    ast.NotEq: lambda counts, _: np.ones(len(counts), bool),
    ast.LtE: operator.lt,
    ast.Gt: operator.ge,
}
#: Methods of texts.
METHODS: dict[str, Callable[[str, str], bool]] = {
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": str.__contains__,
}
#: Texts in quotes, and names in backquotes.
_QUOTED = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`([^`]*)`""")
ALLOWED = (
    "names of columns (in backquotes if Python could not read them), numbers, texts in quotes, "
    "comparisons (also `a < x < b`, `in [...]` and `is None`), and, or, not, + - * / // % **, "
    "abs(...), and for texts .startswith(...), .endswith(...) and .contains(...)"
)


#: What other languages write, and Python does not, and what to write instead.
INSTEAD = {"=": "==", "<>": "!=", "&&": "and", "||": "or", "!": "not", "AND": "and", "OR": "or",
           "NOT": "not"}  # fmt: skip
_FOREIGN = re.compile(r"<>|&&|\|\||(?<![<>=!])=(?!=)|!(?!=)|\b(?:AND|OR|NOT)\b")

#: Integers from here on are computed as float64.
LARGE = 2**63
#: Among so many texts of a column, at most, one that is near another is looked for.
MOST_TEXTS = 10_000


@dataclass(frozen=True)
class Names:
    """What the names of an expression stand for.

    Attributes:
        columns: all names, for errors.
        find: the values of a name; its argument is among the columns.
        noun: "edges" or "vertices".
        report: for edges, that of the graph, which says how columns were read.
    """

    columns: tuple[str, ...]
    find: Callable[[str], Coded]
    noun: str
    report: Sequence[str] = ()


def evaluated(text: str, names: Names, count: int) -> np.ndarray:
    """bool (count,): where an expression is true.

    Raises:
        GraphError: it cannot be parsed, has a name that is no column, compares what cannot be
            compared, or is no condition; shows the place.
    """
    quoted: dict[str, str] = {}

    def identifier(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        return quoted.setdefault(found[1], f"_quoted_{len(quoted)}_")

    source = _QUOTED.sub(identifier, " ".join(text.splitlines()).strip())
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = getattr(error, "offset", None)
        place = f" at {source[at - 1 :][:20]!r}" if at and at <= len(source) else ""
        why = getattr(error, "msg", None) or str(error)
        if found := _FOREIGN.search(_QUOTED.sub("", source)):
            why = f"write {INSTEAD[found[0]]} instead of {found[0]}"
        raise GraphError(f"{text!r} cannot be read{place}: {why}; it may have {ALLOWED}") from None
    try:
        value = _Reader(source, names, {v: k for k, v in quoted.items()}).of(tree.body)
    except GraphError:
        raise
    except RecursionError:
        raise GraphError(f"{text[:80]!r}... is nested too deeply; write it in parts") from None
    except (ArithmeticError, ValueError) as error:
        raise GraphError(f"{text!r} cannot be computed: {error}") from None
    mask = _truth(value)
    if mask is None:
        raise GraphError(f"{text!r} is no condition; compare it with something")
    return np.array(np.broadcast_to(mask, (count,)))


def _truth(value: Any) -> Any:
    """A value as true or false; None if it is neither."""
    if isinstance(value, Coded):
        return value.values.astype(bool) if isinstance(value.type, Bools) else None
    if isinstance(value, np.ndarray):
        return value if value.dtype == bool else None
    return value if isinstance(value, bool | np.bool_) else None


def _needs_floats(op: ast.operator, left: Any, right: Any) -> bool:
    """Whether int64 would overflow, have no quotient by 0, or no fraction, in some row."""
    if isinstance(op, ast.Pow):
        return True
    if any(np.asarray(side).dtype.kind == "f" for side in (left, right)):
        return False
    if isinstance(op, ast.FloorDiv | ast.Mod):
        columns = isinstance(left, np.ndarray) or isinstance(right, np.ndarray)
        return columns and not np.all(right)
    one, two = (float(np.abs(np.float64(side)).max(initial=0)) for side in (left, right))
    return (one * two if isinstance(op, ast.Mult) else one + two) >= LARGE


class _Reader:
    """Computes the parts of an expression: columns (`Coded`), arrays of bool, or constants."""

    def __init__(self, text: str, names: Names, quoted: Mapping[str, str]):
        """`quoted`: the columns in backquotes, by the identifiers that stand for them in `text`."""
        self.source, self.names, self.quoted = text, names, quoted
        self.text = self._written(text)

    def _written(self, part: str) -> str:
        """A part of the text as the user has written it."""
        for name, column in self.quoted.items():
            part = part.replace(name, f"`{column}`")
        return part

    def of(self, node: ast.expr) -> Any:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            self._refuse(node, "is not allowed")
        return method(node)

    def _refuse(self, node: ast.AST, why: str) -> NoReturn:
        part = self._written(ast.get_source_segment(self.source, node) or self.source)
        where = "" if part == self.text else f": {part!r}"
        raise GraphError(f"{self.text!r}{where} {why}; an expression may have {ALLOWED}")

    def _constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, bool | int | float | str | None):
            self._refuse(node, "is not allowed")
        return node.value

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> list[Any]:
        values = [self.of(each) for each in node.elts]
        if any(isinstance(value, Coded | np.ndarray) for value in values):
            self._refuse(node, "has columns in a list")
        return values

    _tuple = _set = _list

    def _name(self, node: ast.Name) -> Coded:
        return self._column(node.id)

    def _attribute(self, node: ast.Attribute) -> Coded:
        if not isinstance(node.value, ast.Name):
            self._refuse(node, "is not allowed")
        return self._column(f"{node.value.id}.{node.attr}")

    def _column(self, name: str) -> Coded:
        first, dot, last = name.rpartition(".")
        if last in self.quoted:
            name = first + dot + field_name(self.quoted[last])
        if name not in self.names.columns:
            error = no_column(name, self.names.columns, self.names.noun, self.names.report)
            raise GraphError(f"{self.text!r}: ", error.message)
        return self.names.find(name)

    def _boolop(self, node: ast.BoolOp) -> Any:
        join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        masks = [self._condition(each) for each in node.values]
        found = masks[0]
        for mask in masks[1:]:
            found = join(found, mask)
        return found

    def _condition(self, node: ast.expr) -> Any:
        mask = _truth(self.of(node))
        if mask is None:
            self._refuse(node, "is neither true nor false: compare it with something")
        return mask

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not | ast.Invert):
            return np.logical_not(self._condition(node.operand))
        number = self._number(node.operand)
        return -number if isinstance(node.op, ast.USub) else number

    def _binop(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.BitAnd | ast.BitOr):
            join = np.logical_and if isinstance(node.op, ast.BitAnd) else np.logical_or
            return join(self._condition(node.left), self._condition(node.right))
        compute = ARITHMETIC.get(type(node.op))
        if compute is None:
            self._refuse(node, "is not allowed")
        left, right = self._number(node.left), self._number(node.right)
        if _needs_floats(node.op, left, right):
            left, right = np.float64(left), np.float64(right)
        with np.errstate(all="ignore"):
            return compute(left, right)

    def _number(self, node: ast.expr) -> Any:
        """A number, or an array of them: integers are int64, or float64 if they are too large."""
        value = self.of(node)
        if isinstance(value, Coded) and value.type is None:
            values = value.values
            if values.dtype.kind not in "iu":
                return values
            large = values.dtype == np.uint64 and values.max(initial=0) >= LARGE
            return values.astype(np.float64 if large else np.int64)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value) if abs(value) >= LARGE else value
        if isinstance(value, np.ndarray | np.number) and np.asarray(value).dtype != bool:
            return value
        kind = value.type.name if isinstance(value, Coded) and value.type else "no number"
        self._refuse(node, f"is {kind}, and a number is needed")

    def _call(self, node: ast.Call) -> Any:
        function = node.func
        if node.keywords:
            self._refuse(node, "is not allowed")
        if isinstance(function, ast.Name) and function.id == "abs" and len(node.args) == 1:
            return np.abs(self._number(node.args[0]))
        if isinstance(function, ast.Attribute) and function.attr in METHODS and len(node.args) == 1:
            column, text = self.of(function.value), self.of(node.args[0])
            texts = isinstance(column, Coded) and isinstance(column.type, Texts)
            if texts and isinstance(text, str):
                test = METHODS[function.attr]
                return self._of_texts(column, lambda each: test(each, text), False)
        self._refuse(node, "is not allowed")

    @staticmethod
    def _of_texts(column: Coded, test: Callable[[str], bool], none: bool) -> np.ndarray:
        """Where the texts of a column pass a test; `none`: whether a missing one does."""
        assert isinstance(column.type, Texts)
        table = np.array([*map(test, column.type.values), none], bool)
        return table[column.values]

    def _compare(self, node: ast.Compare) -> Any:
        left, found = self.of(node.left), None
        for op, side in zip(node.ops, node.comparators, strict=True):
            right = self.of(side)
            mask = self._compared(node, left, op, right)
            found = mask if found is None else np.logical_and(found, mask)
            left = right
        return found

    def _compared(self, node: ast.Compare, left: Any, op: ast.cmpop, right: Any) -> Any:
        if isinstance(op, ast.Is | ast.IsNot):
            op = ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()
            if right is not None:
                self._refuse(node, "has `is`, which is for None alone: use ==")
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, list):
                self._refuse(node, "has `in` without a list behind it, as in `in ['a', 'b']`")
            masks = [self._compared(node, left, ast.Eq(), value) for value in right]
            some = np.logical_or.reduce(masks) if masks else np.zeros((), bool)
            return np.logical_not(some) if isinstance(op, ast.NotIn) else some
        if isinstance(left, list) or isinstance(right, list):
            self._refuse(node, "compares with a list, which only `in` can")
        typed = isinstance(left, Coded) and left.type is not None
        if isinstance(right, Coded) and (not isinstance(left, Coded) or (right.type and not typed)):
            left, op, right = right, TURNED[type(op)](), left
        compare = COMPARISONS[type(op)]
        if right is None:
            return self._is_none(node, left, op)
        if isinstance(left, Coded) and left.type is not None:
            return self._compared_typed(node, left, op, right)
        sides = [side.values if isinstance(side, Coded) else side for side in (left, right)]
        for kind, name in ((str, "text"), (type(None), "None")):
            if any(isinstance(side, kind) for side in sides):
                self._refuse(node, f"compares numbers with {name}")
        return compare(*sides)

    def _is_none(self, node: ast.Compare, column: Any, op: ast.cmpop) -> Any:
        if not isinstance(column, Coded) or not isinstance(op, ast.Eq | ast.NotEq):
            self._refuse(node, "compares with None what is no column, or not by == or !=")
        values = column.values
        if isinstance(column.type, Texts):
            none = values == NO_TEXT
        elif isinstance(column.type, Times):
            none = values == NOT_A_TIME
        else:
            none = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
        return none if isinstance(op, ast.Eq) else ~none

    def _place(self, node: ast.Compare, kind: Texts, text: str) -> int:
        """The place of a text among ordered categories."""
        places = np.flatnonzero(kind.values == text)
        if not len(places):
            known = ", ".join(map(repr, kind.values))
            self._refuse(node, f"compares ordered categories, {known}, with {text!r}")
        return int(places[0])

    def _compared_texts(self, node: ast.Compare, left: Coded, op: ast.cmpop, right: Coded) -> Any:
        """A comparison of two columns of texts: ordered categories by their order, which both must
        have, and other texts by the alphabet."""
        kinds = left.type, right.type
        assert isinstance(kinds[0], Texts) and isinstance(kinds[1], Texts)
        ordered = kinds[0].ordered and kinds[1].ordered
        ordered &= np.array_equal(kinds[0].values, kinds[1].values)
        if not (ordered or isinstance(op, ast.Eq | ast.NotEq)) and (
            kinds[0].ordered or kinds[1].ordered
        ):
            self._refuse(node, "compares ordered categories with others")
        texts = {*kinds[0].values, *kinds[1].values}
        places = {t: n for n, t in enumerate(kinds[0].values if ordered else sorted(texts))}
        one, two = (
            np.array([*map(places.__getitem__, kind.values), NO_TEXT])[side.values]
            for kind, side in ((kinds[0], left), (kinds[1], right))
        )
        there = (one != NO_TEXT) & (two != NO_TEXT)
        compared = COMPARISONS[type(op)](one, two)
        return np.where(there, compared, isinstance(op, ast.NotEq))

    def _warn_of_unknown(self, kind: Texts, text: str) -> None:
        """Warn of a text that no row can have, since it is not among those of the column."""
        if text in kind.values:
            return
        near = get_close_matches(text, kind.values[:MOST_TEXTS].tolist(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        warn(f"{self.text!r}: none of the {self.names.noun} has the text {text!r}{hint}")

    def _compared_typed(self, node: ast.Compare, left: Coded, op: ast.cmpop, right: Any) -> Any:
        """A comparison of texts, times or bools; one that is missing is only unequal."""
        compare, unequal = COMPARISONS[type(op)], isinstance(op, ast.NotEq)
        kind = left.type
        if isinstance(kind, Texts) and isinstance(right, str):
            if kind.ordered and not isinstance(op, ast.Eq | ast.NotEq):
                place = self._place(node, kind, right)
                return (left.values != NO_TEXT) & compare(left.values, place)
            if isinstance(op, ast.Eq | ast.NotEq):
                self._warn_of_unknown(kind, right)
            return self._of_texts(left, lambda each: compare(each, right), unequal)
        if isinstance(kind, Texts) and isinstance(right, Coded) and isinstance(right.type, Texts):
            return self._compared_texts(node, left, op, right)
        if isinstance(kind, Times):
            if isinstance(right, Coded) and isinstance(right.type, Times):
                times = [decoded(*side) for side in (left, right)]
                there = ~np.isnat(times[0]) & ~np.isnat(times[1])
                return np.where(there, compare(*times), unequal)
            if isinstance(right, str):
                wanted, exact = moment(right, kind, self.text)
                compare = compare if exact else BETWEEN_COUNTS[type(op)]
                there = left.values != NOT_A_TIME
                return np.where(there, compare(left.values, wanted), unequal)
        if isinstance(kind, Bools):
            numbers = isinstance(right, Coded) and isinstance(right.type, Bools | None)
            other = right.values if numbers else right
            if isinstance(other, bool | int | float | np.ndarray | np.generic):
                return compare(left.values, other)
        name = kind.name if kind is not None else "number"
        other_name = repr(right)[:30]
        if isinstance(right, Coded | np.ndarray):
            other_name = right.type.name if isinstance(right, Coded) and right.type else "numbers"
        if isinstance(kind, Times):
            other_name += "; write times as '2024-05-31' or '2024-05-31T18:30'"
        self._refuse(node, f"compares {name} with {other_name}")


def columns_of(fields: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Coded]:
    """Fields that have one value each, as columns."""
    arrays = {name: np.asarray(values) for name, values in fields.items()}
    return {n: Coded(values, types.get(n)) for n, values in arrays.items() if values.ndim == 1}
