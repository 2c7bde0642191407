"""Edge lists as SNAP and most others publish them: a row an edge.

A row is a source, a target and perhaps a weight, parted by spaces, tabs or commas. Ids are integers
or any text without separators; they become the labels, sorted. A comment begins a line, or follows
a separator, with # or %. Lines may end in CRLF; empty ones are skipped.
"""

from __future__ import annotations

import io
import itertools
import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from gascl.errors import FormatError
from gascl.io.files import opened
from gascl.io.parsed import Format, Parsed, load_rows
from gascl.labels import INTEGER

COMMENT = re.compile(r"(?:^|(?<=[\s,]))[#%].*", re.DOTALL)
SEPARATOR = re.compile(r"\s*,\s*|\s+")
EXPECTED = "expected source, target and perhaps a weight, parted by spaces, tabs or commas"


@dataclass
class Rows:
    """What the rows say. R rows, V ids."""

    labels: np.ndarray  # (V,) int64 or str, sorted
    src: np.ndarray  # (R,) places in `labels`
    dst: np.ndarray  # (R,)
    weight: np.ndarray | None  # (R,) int64 or float64
    comments: int  # lines skipped


def read(path: Path, directed: bool | None) -> Parsed:
    """Read an edge list; directed unless `directed` is False.

    Raises:
        FormatError: a row has one column, more than three or not as many as the others, or a
            weight is not a number; names the line.
    """
    rows = _read_integers(path) or _read_any(path)
    report = [f"edge list: rows: {len(rows.src):,}; comment lines skipped: {rows.comments:,}"]
    if not len(rows.src):
        report.append("the file has no edges: the graph is empty")
    elif rows.labels.dtype.kind == "U":
        text = next(label for label in rows.labels.tolist() if not _is_int64(label))
        report.append(f"ids taken as text, since {text!r} is not an integer of 64 bits")
    else:
        report.append("ids taken as integers")
    if directed is None:
        report.append("read as directed, which the format can't say; else directed=False")
    if rows.weight is not None:
        report.append(f"third column taken as weight, {rows.weight.dtype}")
    return Parsed(
        src=rows.src,
        dst=rows.dst,
        num_vertices=len(rows.labels),
        directed=directed is not False,
        labels=rows.labels,
        fields={} if rows.weight is None else {"weight": rows.weight},
        report=report,
    )


FORMAT = Format(
    name="edgelist",
    extensions=(".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".e", ".dat"),
    recognizes=lambda head: False,  # any text might be one
    read=read,
)


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    with opened(path) as file:
        yield io.TextIOWrapper(file, encoding="utf-8-sig")


def _split(line: str) -> list[str]:
    """The columns of a line, without its comment."""
    if "#" in line or "%" in line:
        line = COMMENT.sub("", line)
    if "," in line:
        return SEPARATOR.split(line.strip())
    return line.split()


def _is_int64(text: str) -> bool:
    return INTEGER.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63


def _read_integers(path: Path) -> Rows | None:
    """Read by NumPy's parser in C, which takes only plain files of integer ids; else None.

    Plain: the same separators in all rows, and no comments after the first row.
    """
    for weight in (np.int64, np.float64):
        with _text(path) as file:
            comments = 0
            for first in file:
                width = len(_split(first))
                if width:
                    break
                comments += bool(first.strip())
            else:
                return None
            types = {"src": np.int64, "dst": np.int64, "weight": weight}
            if width == 2:
                del types["weight"]
            delimiter = "," if "," in first else None
            try:
                table = load_rows(itertools.chain([first], file), types, delimiter=delimiter)
            except ValueError:
                if width == 3:
                    continue
                return None
        labels, src, dst = _numbered(table["src"], table["dst"])
        return Rows(labels, src, dst, table["weight"] if width == 3 else None, comments)
    return None


def _numbered(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sorted unique ids, and the places of `src` and `dst` (int64 (R,)) in them."""
    ids = np.concatenate([src, dst])
    least = int(ids.min())
    span = int(ids.max()) - least + 1
    if span <= 4 * len(ids):
        # A table over the whole span is small, and much faster than sorting.
        used = np.zeros(span, dtype=bool)
        used[ids - least] = True
        places = (np.cumsum(used) - 1)[ids - least]
        labels = np.flatnonzero(used) + least
    else:
        labels, places = np.unique(ids, return_inverse=True)
    return labels, places[: len(src)], places[len(src) :]


def _read_any(path: Path) -> Rows:
    """Read line by line: slower, takes everything, and tells what is wrong with a line."""
    place: dict[str, int] = {}
    src, dst = array("q"), array("q")
    weights: list[str] = []
    comments = width = 0
    first = (0, "")  # the first row's line
    with _text(path) as file:
        for number, line in enumerate(file, start=1):
            columns = _split(line)
            if not columns:
                comments += bool(line.strip())
                continue
            if not width:
                width, first = len(columns), (number, line.strip())
            wrong = _what_is_wrong(columns, width)
            if wrong:
                raise FormatError(
                    f"{path}, line {number}: {line.strip()!r} {wrong}; {EXPECTED}; correct the "
                    "line, or begin it with # if it is no edge"
                )
            src.append(place.setdefault(columns[0], len(place)))
            dst.append(place.setdefault(columns[1], len(place)))
            weights.extend(columns[2:])
    names = list(place)
    if len(src) > 1 and not any(map(_is_int64, names[:2])) and all(map(_is_int64, names[2:])):
        raise FormatError(
            f"{path}, line {first[0]}: {first[1]!r} looks like a header, since all other ids are "
            f"whole numbers; {EXPECTED}; begin the line with # or delete it"
        )
    if all(map(_is_int64, names)):
        labels, rank = np.unique(np.array(names, dtype=np.int64), return_inverse=True)
    else:
        labels, rank = np.unique(np.array(names), return_inverse=True)
    weight = None
    if width == 3:
        kind = np.int64 if all(map(_is_int64, weights)) else np.float64
        weight = np.array([kind(text) for text in weights])
    return Rows(
        labels, rank[np.array(src, np.int64)], rank[np.array(dst, np.int64)], weight, comments
    )


def _what_is_wrong(columns: list[str], width: int) -> str | None:
    count = len(columns)
    if not 2 <= count <= 3:
        return f"has {count} column{'s' if count > 1 else ''}"
    if count != width:
        return f"has {count} columns, and the rows before it have {width}"
    if "" in columns:
        return "has an empty column"
    if count == 3 and not _is_number(columns[2]):
        return f"has the weight {columns[2]!r}, which is not a number"
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text  # which Python allows, and no file means
