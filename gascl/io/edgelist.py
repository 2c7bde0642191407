"""Edge lists as SNAP, KONECT, GAP and most others publish them: a row an edge.

A row is a source, a target and perhaps more columns, parted by blanks and tabs, by commas, by
semicolons or by bars. Ids are integers or any text; they become the labels, sorted.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parsed import Format, Parsed
from gascl.io import dimacs, matrixmarket
from gascl.io.bothways import SAID, both_ways
from gascl.io.columns import Irregular, read_columns
from gascl.io.edgelayout import KONECT, Layout, is_int64, is_number, read_layout
from gascl.io.edgerows import write
from gascl.io.files import opened, unended
from gascl.io.ids import numbered
from gascl.io.lines import Lines, shown, split_lines

EXPECTED = "expected source, target and perhaps a weight or more columns"


@dataclass
class Rows:
    """What the rows say. R rows, V ids."""

    labels: np.ndarray  # (V,) int64 or str, sorted
    src: np.ndarray  # (R,) places in `labels`
    dst: np.ndarray  # (R,)
    fields: dict[str, np.ndarray]  # name -> (R,) integers or float64
    comments: int  # lines skipped
    remarks: int  # comments behind rows, if counted
    odd: tuple[int, str] | None = None  # line and text of the first id that is no integer


def read(
    path: Path,
    directed: bool | None,
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
    separator: str | None = None,
    comments: str = "#%",
) -> Parsed:
    """Read an edge list. The report says what was taken for what.

    Ids that are all integers of 64 bits are integer labels, whatever their order, gaps and signs;
    else all are text. Values of an edge field are int64 if all are integers of that size, else
    float64; NaN and infinities are kept, and counted in the report. Empty lines are skipped. Lines
    end in LF or CRLF, the last one perhaps in nothing. In columns parted by other than blanks, a
    column may be "quoted".

    Args:
        directed: by default what a first comment of KONECT ("% sym ...", "% asym ..."), SNAP
            ("# Undirected graph ...") or gascl's own writer says, and else True. True makes two
            edges of each where the comment says that they are undirected.
        columns: source, target, and the edge fields to take, by name in the header or by number
            from 0; "weight=minutes" or "weight=3" takes a column under another name. A single field
            is "weight", others without a name are called as in the header, or "column3" and so on.
            By default the first two columns, and as "weight" the column that the header calls so,
            or the third if its first value is a number, or another if it is the only one whose is;
            of a KONECT file also "time" from the fourth. Other columns are ignored.
        header: whether the first row names the columns. By default it does where `columns` has
            names; where its names are those of ends, such as source and target; or where it has no
            numbers and the row below it has them, as ids or in a later column.
        separator: one character; " " is blanks and tabs. By default a comma if the first row has
            one; a semicolon or a bar if nothing else parts it; else blanks and tabs, but only tabs
            in a .tsv file.
        comments: the characters that begin a comment, at the begin of a line or behind a
            separator; "" for none.

    Raises:
        FormatError: a row has not as many columns as the others, an id is empty, or a value of an
            edge field is no number; names the line. An option does not go with the file, or the
            first rows can be taken in two ways and an option must say which.
    """
    with opened(path) as file:
        lines = Lines(path, file)
        for other in (matrixmarket.FORMAT, dimacs.FORMAT):
            if other.recognizes(lines.head):
                raise FormatError(
                    f"{path} begins as files of the format {other.name} do; read it with "
                    f"format={other.name!r}, or, if its rows are a mere list of edges, delete the "
                    "lines before them"
                )
        layout = read_layout(path, lines, columns, header, separator, comments)
        rows = _read_integers(lines, layout)
    if rows is None:
        rows = _read_any(path, layout)
    _check_announced(path, layout, rows)
    report = _report(layout, rows, directed)
    src, dst, fields = rows.src, rows.dst, rows.fields
    if directed and layout.directed is False:
        report.append(SAID)
        src, dst, fields = both_ways(src, dst, fields)
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=len(rows.labels),
        directed=layout.directed is not False if directed is None else directed,
        labels=rows.labels,
        fields=fields,
        report=report + unended(path),
    )


FORMAT = Format(
    name="edgelist",
    extensions=(".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".dat"),
    # Any text might be one; these are for certain.
    recognizes=lambda head: (
        head.startswith(b"# gascl: ")
        or KONECT.fullmatch(head.partition(b"\n")[0].decode("latin-1")) is not None
    ),
    read=read,
    write=write,
)


def _report(layout: Layout, rows: Rows, directed: bool | None) -> list[str]:
    report = [f"edge list: rows: {len(rows.src):,}; comment lines skipped: {rows.comments:,}"]
    report += layout.report
    if rows.remarks:
        report.append(f"comments behind rows left off: {rows.remarks:,}")
    if not len(rows.src):
        report.append("the file has no edges: the graph is empty")
    elif rows.labels.dtype.kind == "U":
        line, text = rows.odd or (0, "")
        report.append(
            f"ids taken as text, since {text!r} in line {line} is not an integer of 64 bits"
        )
        if is_number(text) and {*".eE"} & {*text} and float(text).is_integer():
            report.append(
                f"ids such as {text!r} are text, and not the integers that they seem to be: write "
                "those without a point, e.g. by numpy.savetxt(..., fmt='%d')"
            )
    else:
        report.append("ids taken as integers")
    if layout.says:
        said = "directed" if layout.directed else "undirected"
        report.append(
            f"read as {said}, as the comment {layout.says!r} says"
            if directed in (None, layout.directed)
            else f"directed={directed}, though the comment {layout.says!r} says {said}"
        )
    elif directed is None:
        report.append("read as directed, which the format can't say; else directed=False")
    for name, values in rows.fields.items():
        report.append(f"{name}: {values.dtype}{_not_finite(values)}")
    if layout.announced is not None:
        vertices, edges = layout.announced
        if (vertices, edges) != (len(rows.labels), len(rows.src)):
            report.append(
                f"a comment announces {vertices:,} vertices and {edges:,} edges, and the file has "
                f"{len(rows.labels):,} and {len(rows.src):,}"
            )
    return report


def _not_finite(values: np.ndarray) -> str:
    if values.dtype.kind != "f":
        return ""
    counts = {"NaN": np.count_nonzero(np.isnan(values)), "inf": np.count_nonzero(np.isinf(values))}
    found = [f"{count:,} {name}" for name, count in counts.items() if count]
    return f", of which {' and '.join(found)} (kept)" if found else ""


def _check_announced(path: Path, layout: Layout, rows: Rows) -> None:
    """Raises FormatError where gascl's own comment is wrong; others are only reported, since they
    may count each edge once or twice."""
    if not layout.binding or layout.announced is None:
        return
    vertices, edges = layout.announced
    if (vertices, edges) != (len(rows.labels), len(rows.src)):
        raise FormatError(
            f"{path}: {layout.says!r} announces {vertices:,} vertices and {edges:,} edges, and the "
            f"file has {len(rows.labels):,} and {len(rows.src):,}; fetch it again, or, if it is "
            "whole, delete the comment"
        )


def _read_integers(lines: Lines, layout: Layout) -> Rows | None:
    """Read in NumPy, which takes only integers as ids; None: the rows are others."""
    if layout.width < 2:
        return None
    try:
        table = read_columns(
            lines.pieces(layout.rows),
            layout.width,
            layout.ends,
            list(layout.fields.values()),
            layout.separator,
            layout.comments,
        )
    except Irregular:
        return None
    src, dst = table.values.pop(0), table.values.pop(0)
    labels, src, dst = numbered(src, dst)
    fields = {name: _wide(values) for name, values in zip(layout.fields, table.values, strict=True)}
    return Rows(labels, src, dst, fields, layout.skipped + table.comments, table.remarks)


def _wide(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int64) if values.dtype.kind == "i" else values


def _read_any(path: Path, layout: Layout) -> Rows:
    """Read line by line: slower, takes everything, and tells what is wrong with a line."""
    place: dict[str, int] = {}
    src, dst = array("q"), array("q")
    values: dict[str, list[str]] = {name: [] for name in layout.fields}
    tail, head = layout.ends
    comments = 0
    first = (0, "")  # the first row's line
    odd = None
    for number, line, columns in split_lines(path, layout.splitter):
        if not columns:
            comments += bool(line.strip())
            continue
        if number == layout.header_line:
            continue
        if not src:
            first = (number, line)
        wrong = _what_is_wrong(columns, layout)
        if wrong:
            raise FormatError(
                f"{path}, line {number}: {shown(line)} {wrong}; {EXPECTED}; correct the line, or "
                "begin it with # if it is no edge"
            )
        for end, places in ((tail, src), (head, dst)):
            name = columns[end]
            if odd is None and name not in place and not is_int64(name):
                odd = (number, name)
            places.append(place.setdefault(name, len(place)))
        for name, column in layout.fields.items():
            values[name].append(columns[column])
    names = list(place)
    integers = odd is None
    _check_header(path, layout, names, integers, first)
    ids = np.array(names, dtype=np.int64 if integers or not names else None)
    labels, rank = np.unique(ids, return_inverse=True)
    tails, heads = (rank[np.array(end, dtype=np.int64)] for end in (src, dst))
    fields = {name: _numbers(texts) for name, texts in values.items()}
    return Rows(labels, tails, heads, fields, comments, 0, odd)


def _check_header(
    path: Path, layout: Layout, names: list[str], integers: bool, first: tuple[int, str]
) -> None:
    """Raises FormatError where it cannot be told whether the first row is a header."""
    wrong = None
    if layout.told or layout.binding:
        return
    if layout.header is not None and not layout.sure and not integers:
        text = next(name for name in names if not is_int64(name))
        wrong = (
            f"line {layout.header_line}: {', '.join(layout.header)!r} looks like a header, since "
            f"the ids below are whole numbers, but not all: {text!r}"
        )
    elif (
        layout.header is None
        and len(names) > 2
        and not any(map(is_int64, names[:2]))
        and all(map(is_int64, names[2:]))
    ):
        wrong = (
            f"line {first[0]}: {shown(first[1])} looks like a header, since all other ids are "
            "whole numbers"
        )
    if wrong:
        raise FormatError(f"{path}, {wrong}; say which it is with header=True or header=False")


def _numbers(texts: list[str]) -> np.ndarray:
    kind = np.int64 if all(map(is_int64, texts)) else np.float64
    return np.array([kind(text) for text in texts], dtype=kind)


def _what_is_wrong(columns: list[str], layout: Layout) -> str | None:
    count = len(columns)
    if count != layout.width:
        others = f", and the rows before it have {layout.width}" if layout.width > 1 else ""
        return f"has {count} column{'s' if count > 1 else ''}{others}"
    if count < 2:
        return "has 1 column"
    for end in layout.ends:
        if not columns[end]:
            return "has an empty column"
    for name, place in layout.fields.items():
        if not columns[place]:
            return "has an empty column"
        if not is_number(columns[place]):
            return f"has the {name} {columns[place]!r}, which is not a number"
    return None
