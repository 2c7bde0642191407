"""The columns of a table of edges, whatever holds it: which are the ends, which is the weight."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gascl.errors import warn
from gascl.graph.field_table import field_name
from gascl.graph.raw_graph import RawGraph
from gascl.user_messages import Message, Option, Placeholder

#: The edge field that programs read by default.
WEIGHT = "weight"

#: Usual names of the columns of sources and targets, compared without case; if none are found,
#: also without blanks, _ and a last "id"; and at last with a word that both have in common, as in
#: "from stop" and "to stop".
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

#: Words that two columns have in common that are no ends, such as "start date" and "end date".
_NO_ENDS = {
    *("time", "date", "day", "year", "hour", "minute", "timestamp", "at"),
    *("x", "y", "lat", "lon", "lng", "latitude", "longitude", *WEIGHTS),
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
    words = [re.split(r"[\W_]+", str(name).lower()) for name in names]
    return [
        (source, target)
        for source, one in enumerate(words)
        for target, other in enumerate(words)
        if source != target and _are_ends(one, other)
    ]


def _are_ends(one: list[str], other: list[str]) -> bool:
    """Whether the words of two names are the same but for a pair of usual ones."""
    if len(one) != len(other) or len(one) < 2:
        return False
    differ = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return len(differ) == 1 and differ[0] in ENDS and not _NO_ENDS.intersection(one)


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


def naming_ends(names: Sequence[Any], weight: Any = None) -> tuple[str | Option, ...]:
    """The end of a message that asks for the columns of the ends, and does not lose the weight,
    since columns that are not named are not read.

    Args:
        weight: the column that the caller has named.
    """
    ends = Option("columns", (Placeholder("SOURCE"), Placeholder("TARGET")), of="reader")
    likely = [name for name in names if _bare(name) in WEIGHTS]
    if weight is None and len(likely) == 1:
        weight = likely[0]
    if weight is not None:
        return "name them with ", ends, Option(WEIGHT, weight)
    return (
        "name them with ",
        ends,
        ", and the weight, if there is one, with ",
        Option(WEIGHT, Placeholder("COLUMN")),
    )


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
                f"{where}: column {name!r} looks like a weight and is not read as one; ",
                Option("weight", name),
                " reads it, and ",
                Option("columns", of="reader"),
                " says which columns to read",
            )
        )


def weight_column(numeric: Sequence[Any]) -> Any:
    """The numeric column named "weight", in any case, or the only one; else None."""
    named = [name for name in numeric if str(name).lower() == WEIGHT]
    candidates = [WEIGHT] if WEIGHT in named else named or numeric
    return candidates[0] if len(candidates) == 1 else None


def chosen_fields(
    names: Sequence[Any],
    wanted: Mapping[Any, str] | None,
    weight: Any,
    type_of: Callable[[Any], tuple[str, bool, bool]],
    report: list[str],
    error: Callable[[str], Exception],
    renamed: bool = True,
) -> dict[str, Any]:
    """The column of each edge field of a table; reports the columns that are left out.

    Args:
        names: of the columns, without those of the ends.
        wanted: the field of each column to read, "" for its own name; None: all possible columns.
        weight: the column to read as the field "weight"; None: by its name.
        type_of: the name of a column's type, whether it has integers or floats, and whether it has
            bools, texts or times.
        error: makes the error with a message.
        renamed: a single numeric column becomes "weight".

    Raises:
        error: a column that the caller has named cannot be a field.
    """
    fields = dict.fromkeys(names, "") if wanted is None else dict(wanted)
    named = {*(wanted or ())} | ({weight} - {None})
    if weight is not None:
        if WEIGHT not in (wanted or ()):
            fields.pop(WEIGHT, None)
        fields[weight] = WEIGHT
    alone = None
    if renamed and WEIGHT not in fields.values():
        alone = weight_column([name for name in names if name in fields and type_of(name)[1]])
    report += [f"column {name!r} left out" for name in names if name not in fields]
    taken: dict[str, Any] = {}
    for name, given in fields.items():
        kind, numeric, other = type_of(name)
        own = field_name(name) if isinstance(name, str) else name
        field = given or (WEIGHT if name == alone else own)
        wrong = ""
        if names.count(name) > 1:
            wrong = "it occurs twice"
        elif not (numeric or other) or (
            field == WEIGHT and other and not kind.startswith("bool")  # read as a number
        ):
            wrong = f"its type, {kind}, is not numeric"
        elif not (isinstance(field, str) and field.isidentifier()):
            wrong = "its name is not an identifier"
        elif field in taken or (field == own != name and own in fields):
            wrong = f"another one is called {field!r}"
        if wrong and name in named:
            odd = "its type" in wrong
            remedy = "convert it to integers or floats, or leave it out" if odd else "rename it"
            raise error(f"column {name!r} cannot be a field: {wrong}; {remedy}")
        if wrong:
            report.append(f"column {name!r} left out: {wrong}")
            continue
        if field != name:
            report.append(f"column {name!r} read as edge field {field}")
        taken[field] = name
    return taken


def field_and_column(text: str) -> tuple[str, str]:
    """The two parts of `field=column`; for a column alone, "" and the column."""
    field, equals, column = text.partition("=")
    return (field, column) if equals else ("", text)


def as_weight(raw: RawGraph, name: str) -> RawGraph:
    """The graph with one of its fields, of numbers or bools, under the name "weight", and a line in
    the report about that."""
    if name == WEIGHT:
        return raw
    fields, types = raw.fields, raw.edge_types
    lines = [f"edge field {name!r} read as {WEIGHT}"]
    lines += [f"edge field {WEIGHT!r} left out"] if WEIGHT in fields else []
    others = {n: values for n, values in fields.items() if n not in (name, WEIGHT)}
    kept = {n: type_ for n, type_ in types.items() if n not in (name, WEIGHT)}
    return replace(
        raw,
        fields={WEIGHT: fields[name], **others},
        edge_types={**kept, **({WEIGHT: types[name]} if name in types else {})},
        report=[*raw.report, *lines],
    )


def no_weight(fields: Sequence[str]) -> list[str]:
    """The line of a report if several fields are read and none of them is the weight."""
    if len(fields) < 2 or WEIGHT in fields:
        return []
    return [
        Message(
            f"no edge field is called {WEIGHT}, which programs read: ",
            Option(WEIGHT, Placeholder("COLUMN")),
            " chooses one",
        )
    ]
