"""Which column of a table is the weight that programs read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

WEIGHT = "weight"


def weight_column(numeric: Sequence[Any]) -> Any:
    """Of the columns of numbers the one called so, in any case, or the only one; else None."""
    named = [name for name in numeric if str(name).lower() == WEIGHT]
    found = [WEIGHT] if WEIGHT in named else named or numeric
    return found[0] if len(found) == 1 else None


def field_and_column(text: str) -> tuple[str, str]:
    """`field=column` in its parts; of a column alone, "" and the column."""
    field, equals, column = text.partition("=")
    return (field, column) if equals else ("", text)


def no_weight(fields: Sequence[str], remedy: str) -> list[str]:
    """What the report says where several fields are read and none of them is the weight."""
    if len(fields) < 2 or WEIGHT in fields:
        return []
    return [f"no edge field is called {WEIGHT}, as programs read it: {remedy} takes one as that"]
