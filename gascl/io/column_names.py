"""The columns of a table of edges, whatever holds it: which are the ends, which is the weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gascl.errors import warn
from gascl.messages import Message, Option, Word

#: The edge field that programs read by default.
WEIGHT = "weight"

#: Usual names of the columns of sources and targets, compared without case; if none are found,
#: also without blanks, _ and a last "id".
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("tail", "head"),
    ("u", "v"),
    ("i", "j"),
    ("fromnode", "tonode"),
    ("sourcenode", "targetnode"),
    ("source", "destination"),
    ("source", "dest"),
    ("origin", "destination"),
    ("origin", "dest"),
    ("start", "end"),
    ("node1", "node2"),
    ("vertex1", "vertex2"),
    ("id1", "id2"),
    ("src", "dest"),
    ("caller", "callee"),
    ("sender", "receiver"),
    ("sender", "recipient"),
    ("follower", "followee"),
    ("citing", "cited"),
    ("payer", "payee"),
)

#: Usual names of weights, compared in the same way.
WEIGHTS = {
    *("weight", "weights", "w", "wt", "wgt", "value", "val", "cost", "costs", "price", "amount"),
    *("distance", "dist", "length", "len", "km", "miles", "meters", "metres", "capacity", "cap"),
    *("duration", "minutes", "seconds", "hours", "strength", "count", "counts", "score"),
    *("similarity", "probability", "prob", "edgeweight"),
}


def _bare(name: Any) -> str:
    """A column's name without case, blanks, _ and a last "id"."""
    return re.sub(r"[\W_]|id$", "", str(name).lower())


def known_ends(names: Sequence[Any]) -> list[tuple[int, int]]:
    """The places of columns of sources and targets by their usual names, each pair once."""
    for compared in ([str(name).lower() for name in names], [_bare(name) for name in names]):
        pairs = [
            (compared.index(source), compared.index(target))
            for source, target in ENDS
            if compared.count(source) == compared.count(target) == 1
        ]
        if pairs:
            return list(dict.fromkeys(pairs))
    return []


def ends_of(names: Sequence[Any], weight: Any = None) -> tuple[int, int] | str:
    """The places of the columns of sources and targets, or why their names do not say which.

    Args:
        weight: the name of a column that is a weight.
    """
    pairs = known_ends(names)
    if len(pairs) > 1:
        each = [" and ".join(repr(names[place]) for place in pair) for pair in pairs]
        return f"source and target could be {', or '.join(each)}"
    if pairs:
        return pairs[0]
    others = [
        place
        for place, name in enumerate(names)
        if len(names) == 2 or (name != weight and str(name).lower() != WEIGHT)
    ]
    if len(others) == 2:
        return others[0], others[1]
    listed = ", ".join(map(repr, names))
    return f"the names of the columns do not say which are source and target: {listed}"


def looks_like_weight(name: Any, numeric: bool) -> bool:
    """Whether a column of this name, which is not read, could be meant as a weight.

    Args:
        numeric: it has numbers, and no other column is read as the weight.
    """
    lower = str(name).lower()
    return _bare(name) in WEIGHTS or (numeric and not re.search(r"(id|time|date|year)$", lower))


def warn_of_unread(where: str, names: Sequence[Any]) -> None:
    """Warn of columns that look like weights and are not read; a number is a column's place."""
    for name in names:
        warn(
            Message(
                f"{where}: column {name!r} looks like a weight and is not read; ",
                Option("weight", name),
                " reads it, and ",
                Option("columns", of="reader"),
                " says which columns to read",
            )
        )


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
    """The line of a report if several fields are read and none of them is the weight."""
    if len(fields) < 2 or WEIGHT in fields:
        return []
    return [
        Message(
            f"no edge field is called {WEIGHT}, which programs read: ",
            Option(WEIGHT, Word("COLUMN")),
            " chooses one",
        )
    ]
