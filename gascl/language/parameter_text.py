"""Converts parameters given as text on a command line."""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def number(text: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ValueError("expected a number")


def vertices(text: str) -> Any:
    """None (all vertices), a number to draw, or a list of labels: `5,17`, or `5,` for one.

    Labels that contain commas are given as a list in JSON: `["Doe, J.", "Roe, R."]`.
    """
    if not text:
        return None
    if text.startswith("["):
        return _json_list(text)
    if _NUMBER.fullmatch(text):
        count = number(text)
        if count < 1 or count != int(count):
            raise ValueError(
                "expected None (all vertices), a number of vertices to draw (at least 1), or "
                f"labels separated by commas; {text}, with a comma, is one label"
            )
        return int(count)
    parts = text.removesuffix(",").split(",")
    if "" in parts:
        raise ValueError("expected a label before each comma, such as 5,17, or 5, for a single one")
    return parts  # `Graph.index_of` also finds integer labels by their text


def _json_list(text: str) -> list[Any]:
    """Labels as a list in JSON. Brackets in there are tuples, which are labels, too."""
    example = """such as '["Doe, J.", "Roe, R."]'"""
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise ValueError(
            f"a value that begins with [ is a list of labels in JSON, {example}, but this is "
            f"not valid: {error}"
        ) from None
    return [_label(each) for each in parsed]


def _label(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_label, value))
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return value
    raise ValueError(f"{json.dumps(value)} in the list is not a label: give texts or numbers")
