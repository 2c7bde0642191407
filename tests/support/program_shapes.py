"""The shape of a random program: its combiner, its types, and the features that it must have."""

from __future__ import annotations

from dataclasses import dataclass

from support.combiners import BUILT_IN, CUSTOM
from support.gather_snippets import FORMS

NARROW = ("int8", "uint8")
WIDE = ("int64", "uint64")
GATHERS = tuple(f"gather: {form}" for form in FORMS)
#: Messages are grouped by key: a gather snippet reads the groups, or one is preferred.
GROUPINGS = ("groups", "preferred group")
#: An arc carries one message at most.
SINGLE = (*GATHERS, *GROUPINGS)
COMBINERS = (*BUILT_IN, *CUSTOM, "least", "by component", *SINGLE, "first")
#: Those that may have had enough.
BOUNDED = ("min", "max", "or", "and", "a < b ? a : b", "a > b ? a : b")
INTEGER_ONLY = ("or", "and", "(a + b) % 1009", "a ^ b")
VECTORS = ("int2", "real2", "short2", "uchar4", "long2", "float3", "uint4", "double2", "char3")
VECTORS += ("ushort3", "ulong2", "short8", "uchar16", "real4", "float8")
# Those of 4 and 8 bytes may be combined by atomics.
STRUCTS = (
    (("x", "int32"), ("y", "uint32")),
    (("x", "float32"), ("y", "int32")),
    (("x", "int16"), ("y", "uint16")),
    (("x", "real"), ("n", "uint8"), ("y", "int64")),
    (("p", "real2"), ("n", "int32"), ("q", "uchar4")),
    (("n", "uint16"), ("x", "float64"), ("y", "int8"), ("z", "uint64")),
    (("x", "real"), ("parent", "vertex")),
)
# With "arrays", messages may also be these.
ARRAY_STRUCTS = (
    (("p", "real(3)"), ("n", "int32"), ("q", "uint8(5)")),
    (("x", "int16"), ("p", "int32(4)")),
    (("p", "uint16(2)"), ("y", "int32")),
)
WIDTHS = (2, 3, 4, 5, 8, 17, 33)  # of arrays
# "lanes" by the class, "listed" by a parameter that is a list; "others" is FIELD_of; "on_mask" is
# apply_on = "mask"; with "own_mask", nobody but the vertex itself sets its mask, or asks for it.
WANTS = (
    *("send_to", "arc", "lanes", "listed", "others", "adjacency", "aggregators", "pairs"),
    *("receive_if", "enough", "priority", "on_mask", "own_mask", "arrays"),
)


def possible(combine: str, wants: frozenset[str]) -> frozenset[str]:
    """Those of some WANTS that a program with this combiner may have together."""
    if combine in (*SINGLE, "first"):
        wants -= {"send_to", "pairs"}
    if combine in GROUPINGS:
        wants -= {"priority"}
    if "arrays" in wants:
        wants -= {"pairs"}  # which read none
    if combine not in BOUNDED:
        wants -= {"enough"}
    if combine in ("sum", "prod") or "aggregators" in wants or "pairs" in wants:
        wants -= {"priority"}
    if wants & {"on_mask", "priority"}:
        wants -= {"own_mask"}
    return wants


@dataclass(frozen=True)
class Shape:
    """What is not left to chance.

    Attributes:
        combine: one of COMBINERS.
        message, field: the type of the message, and of the vertex field `x0`, a scalar;
            "struct" and "vector" stand for one of these.
        wants: of WANTS, all of them `possible` with the combiner.
        shows: `features` that a run must have made use of, besides.
        only: nothing of WANTS but what is wanted.
    """

    combine: str
    message: str | None = None
    field: str | None = None
    wants: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()
    only: bool = False
