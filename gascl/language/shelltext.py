"""Converts parameters given as text on a command line."""

from __future__ import annotations

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
    """None (all vertices), a number to draw, or a list of labels: `5,17`, or `5,` for one."""
    if text in ("None", ""):
        return None
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
