"""HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

#: The rows of a table that notebooks show.
ROWS = 10


def page(title: str, *parts: str) -> str:
    """A title in bold, as text, and parts, as HTML."""
    return f"<div><b>{escape(title)}</b>{''.join(parts)}</div>"


def line(text: str) -> str:
    """A line of text."""
    return f"<div>{escape(text)}</div>"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], more: int = 0) -> str:
    """A table of values as text; numbers are right-aligned, and None is an empty cell.

    Args:
        more: the number of rows left out at the end.
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    rest = line(f"... {more:,} more") if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.6g}</td>'
    if isinstance(value, int):
        return f'<td style="text-align: right">{value}</td>'
    return f"<td>{'' if value is None else escape(str(value))}</td>"
