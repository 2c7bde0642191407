"""The columns of a table of edges, whatever holds it: which are the ends, which is the weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

#: The edge field that programs read by default.
WEIGHT = "weight"

#: Usual names of the columns of sources and targets, in the order in which they are looked for,
#: compared without case; then also without blanks, _ and a last "id".
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("tail", "head"),
    ("u", "v"),
    ("fromnode", "tonode"),
    ("source", "destination"),
    ("origin", "destination"),
    ("node1", "node2"),
    ("src", "dest"),
)


def ends_of(names: Sequence[Any]) -> tuple[int, int] | None:
    """The places of the columns of sources and targets, if their names say so; else None."""
    lower = [str(name).lower() for name in names]
    for compared in (lower, [re.sub(r"[\W_]|id$", "", name) for name in lower]):
        for source, target in ENDS:
            if compared.count(source) == compared.count(target) == 1:
                return compared.index(source), compared.index(target)
    return None


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


def no_weight(fields: Sequence[str]) -> list[str]:
    """What a report says if several fields are read and none of them is the weight."""
    if len(fields) < 2 or WEIGHT in fields:
        return []
    return [f"no edge field is called {WEIGHT}, which programs read: {WEIGHT}=COLUMN chooses one"]
