"""The columns of a table of edges, whatever holds it: which are the ends, which is the weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

#: The edge field that programs read by default.
WEIGHT = "weight"

#: Usual names of the columns of sources and targets, in the order in which they are looked for.
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("source_id", "target_id"),
    ("src_id", "dst_id"),
    ("tail", "head"),
    ("u", "v"),
)
#: More that the header of a text file may have, compared without case, blanks, _ and "id".
_HEADER_ENDS = {
    *ENDS,
    ("fromnode", "tonode"),
    ("source", "destination"),
    ("node1", "node2"),
    ("src", "dest"),
}


def ends_of(names: Sequence[str]) -> tuple[tuple[str, str], bool]:
    """The columns of sources and targets, and whether their names say so; else the first two."""
    lower = [str(name).lower() for name in names]
    for source, target in ENDS:
        if lower.count(source) == lower.count(target) == 1:
            return (names[lower.index(source)], names[lower.index(target)]), True
    return (names[0], names[1]), False


def are_ends(source: str, target: str) -> bool:
    """Whether two columns of a text file's header are named like source and target."""
    names = (re.sub(r"[\W_]|id$", "", name.lower()) for name in (source, target))
    return tuple(names) in _HEADER_ENDS


def weight_column(numeric: Sequence[Any]) -> Any:
    """The numeric column named "weight", in any case, or the only one; else None."""
    named = [name for name in numeric if str(name).lower() == WEIGHT]
    found = [WEIGHT] if WEIGHT in named else named or numeric
    return found[0] if len(found) == 1 else None


def field_and_column(text: str) -> tuple[str, str]:
    """The two parts of `field=column`; for a column alone, "" and the column."""
    field, equals, column = text.partition("=")
    return (field, column) if equals else ("", text)


def as_weight(fields: Mapping[str, np.ndarray], report: Sequence[str], name: str) -> dict[str, Any]:
    """The fields, one of which takes the name "weight", and the report with a line about that."""
    if name == WEIGHT:
        return {"fields": fields, "report": [*report]}
    lines = [f"edge field {name!r} read as {WEIGHT}"]
    lines += [f"edge field {WEIGHT!r} left out"] if WEIGHT in fields else []
    others = {n: values for n, values in fields.items() if n not in (name, WEIGHT)}
    return {"fields": {WEIGHT: fields[name], **others}, "report": [*report, *lines]}


def no_weight(fields: Sequence[str], remedy: str) -> list[str]:
    """What a report says if several fields are read and none of them is the weight."""
    if len(fields) < 2 or WEIGHT in fields:
        return []
    return [f"no edge field is called {WEIGHT}, which programs read: choose one with {remedy}"]
