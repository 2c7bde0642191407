"""Rules that combine two values into one: in C (a name, or text over a and b) and in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from support.program_tree import Const, Make
from support.values import (
    Structs,
    c_name,
    components,
    element,
    is_array,
    is_scalar,
    is_vector,
    scalar_dtype,
)

Fold = Callable[[Any, Any], Any]

BUILT_IN: dict[str, Fold] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": min,
    "max": max,
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
}
# A combine rule that is C text, and the same rule in Python.
CUSTOM: dict[str, Fold] = {
    "a < b ? a : b": min,
    "a > b ? a : b": max,
    "(a + b) % 1009": lambda a, b: (a + b) % 1009,
    "a ^ b": lambda a, b: a ^ b,
}
MEMBERS = {"sum": "a.{0} + b.{0}", "min": "min(a.{0}, b.{0})", "max": "max(a.{0}, b.{0})"}
REAL_MEMBERS = MEMBERS | {"min": "fmin(a.{0}, b.{0})", "max": "fmax(a.{0}, b.{0})"}


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


def custom_identity(how: str, kind: str) -> int:
    """That of a rule in CUSTOM, for a type: beyond what programs send."""
    narrow = {"int8": 120, "uint8": 250, "int16": 30_000, "uint16": 60_000}
    most = narrow.get(kind, 1_000_000)
    if how == "a > b ? a : b":
        return 0 if kind.startswith("u") else -most
    return most if how == "a < b ? a : b" else 0


class Rule(NamedTuple):
    """A custom rule over a vector or struct."""

    text: str
    fold: Fold
    identity: Make
    ops: tuple[str, ...]  # of each component; none where the least as a whole wins


def literal(kind: str, structs: Structs, parts: list[str]) -> str:
    """The C text of a vector or struct of these scalars."""
    if is_vector(kind):
        scalar = c_name(element(kind)[0])
        return f"({kind})({', '.join(f'({scalar})({part})' for part in parts)})"
    if is_array(kind):  # in a struct
        scalar = c_name(element(kind)[0])
        return f"{{{', '.join(f'({scalar})({part})' for part in parts)}}}"
    rest, texts = list(parts), []
    for _, member_kind in structs[kind]:
        size = max(1, len(components(member_kind, structs)))
        inner, rest = rest[:size], rest[size:]
        texts.append(inner[0] if is_scalar(member_kind) else literal(member_kind, structs, inner))
    return f"({kind}){{{', '.join(texts)}}}"


def least(kind: str, structs: Structs, real: str) -> Rule:
    """The least: by the first scalar, ties by the second, and so on."""
    parts = components(kind, structs)
    text = ""
    for path, _ in reversed(parts):
        tie = f" || (a.{path} == b.{path} && ({text}))" if text else ""
        text = f"a.{path} < b.{path}{tie}" if text else f"a.{path} <= b.{path}"
    ends = tuple(
        Const(identity_of("min", scalar_dtype(member_kind, real))) for _, member_kind in parts
    )
    return Rule(f"{text} ? a : b".replace(".[", "["), min, Make(kind, ends), ())


def by_component(kind: str, structs: Structs, real: str, ops: tuple[str, ...]) -> Rule:
    """An op ("sum", "min" or "max") for each scalar."""
    parts = components(kind, structs)
    texts, ends = [], []
    for (path, member_kind), op in zip(parts, ops, strict=True):
        dtype = scalar_dtype(member_kind, real)
        texts.append((REAL_MEMBERS if dtype.kind == "f" else MEMBERS)[op].format(path))
        ends.append(Const(identity_of(op, dtype)))

    same = len(set(ops)) == 1 and is_vector(kind)
    text = {"sum": "a + b", "min": "min(a, b)", "max": "max(a, b)"}[ops[0]] if same else ""
    text = text or literal(kind, structs, texts).replace(".[", "[")
    return Rule(text, partial(_folded, ops), Make(kind, tuple(ends)), ops)


def _folded(ops: tuple[str, ...], a: Any, b: Any) -> Any:
    return tuple(BUILT_IN[op](x, y) for op, x, y in zip(ops, a, b, strict=True))
