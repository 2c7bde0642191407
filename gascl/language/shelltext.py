"""Values of parameters that come as text, from a shell."""

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
    """None for all; a number, how many to draw; or labels with commas between: `5,` is one."""
    if text in ("None", ""):
        return None
    if _NUMBER.fullmatch(text):
        count = number(text)
        if count < 1 or count != int(count):
            raise ValueError(
                "expected None for all, a number of vertices to draw, 1 or more, or labels with "
                f"commas between; {text}, with a comma, is one label"
            )
        return int(count)
    parts = text.removesuffix(",").split(",")
    if "" in parts:
        raise ValueError("expected a label before each comma, such as 5,17 or, of one alone, 5,")
    return parts  # `Graph.index_of` finds integers from text
