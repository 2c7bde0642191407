"""Edge lists as SNAP, KONECT, GAP and most others publish them: one edge per row.

A row is a source, a target and possibly more columns, separated by blanks and tabs, commas,
semicolons or bars. Ids are integers or any text; they become the labels, sorted.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np

from gascl.errors import FormatError, warn
from gascl.graph.field_table import field_name
from gascl.graph.field_types import (
    NO_TEXT,
    NOT_A_TIME,
    Bools,
    Coded,
    FieldType,
    Texts,
    Times,
    cells,
    coded,
    coded_texts,
    described,
    types_of,
)
from gascl.graph.labels import INTEGER, fit_int64
from gascl.graph.raw_graph import RawGraph
from gascl.graph.rounding import is_rounded, may_round, warn_of_rounded
from gascl.io import arrow_csv
from gascl.io.arrow_csv import Layout
from gascl.io.attributes import check_texts
from gascl.io.column_names import (
    WEIGHT,
    ends_of,
    field_and_column,
    known_ends,
    looks_like_weight,
    naming_ends,
    no_weight,
    warn_of_unread,
)
from gascl.io.files import created, opened, plain, unended
from gascl.io.format import OTHER_DIRECTION, Format, check_limits, without
from gascl.io.formats import dimacs, matrix_market
from gascl.io.number_rows import write_rows
from gascl.io.outofcore.spool import EdgeSpool, Spooled
from gascl.io.symmetry import ASSUMED_DIRECTED, MADE_DIRECTED, as_directed
from gascl.io.text_lines import (
    ODD,
    LineReader,
    Splitter,
    cannot_split,
    check_text,
    has_comma,
    is_float64,
    is_int64,
    is_number,
    quoted,
    return_inside,
    shown,
    split_lines,
)
from gascl.io.text_numbers import Columns, Irregular, column_pieces, read_columns
from gascl.io.vertex_ids import numbered
from gascl.user_messages import Message, Option, Placeholder
from gascl.util.extras import imported

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

CHUNK = 1 << 16  # rows split in Python at a time
#: An integer that float64 may round.
LONG = re.compile(rb"(?<![.\w])\d{16,}(?![.\deE])")
TEXTS = 1 << 14  # rows from which pyarrow, which must be loaded, reads columns of text
SAMPLE = 100  # rows, after the first two, by which columns are chosen


@dataclass(frozen=True)
class FieldTally:
    """The statistics of a field for a report."""

    dtype: np.dtype
    nans: int = 0
    infs: int = 0
    may_round: bool = False  # an integer among the fractions may have been rounded

    @classmethod
    def of(cls, values: np.ndarray) -> FieldTally:
        """The statistics of an array."""
        if values.dtype.kind != "f":
            return cls(values.dtype)
        nans, infs = (int(np.count_nonzero(odd(values))) for odd in (np.isnan, np.isinf))
        return cls(values.dtype, nans, infs, may_round(values))

    def combined(self, other: FieldTally) -> FieldTally:
        """The combined statistics of two arrays."""
        dtype = np.result_type(self.dtype, other.dtype)
        large = self.may_round or other.may_round
        return FieldTally(dtype, self.nans + other.nans, self.infs + other.infs, large)


@dataclass
class Tally:
    """The statistics of the rows for a report."""

    rows: int = 0
    comments: int = 0  # lines skipped
    remarks: int = 0  # comments after rows
    odd: tuple[int, str] | None = None  # line and text of the first id that is not an integer
    fields: dict[str, FieldTally] = field(default_factory=dict)
    others: dict[str, Coded] = field(default_factory=dict)  # fields that are not numbers

    def add(self, rows: int, fields: Mapping[str, np.ndarray]) -> None:
        """Count rows with these values of the fields."""
        self.rows += rows
        for name, values in fields.items():
            before = self.fields.get(name, FieldTally(values.dtype))
            self.fields[name] = before.combined(FieldTally.of(values))


@dataclass
class Rows:
    """The contents of the rows. R rows, V ids."""

    labels: np.ndarray  # (V,) int64 or str, sorted
    src: np.ndarray  # (R,) places in `labels`
    dst: np.ndarray  # (R,)
    fields: dict[str, np.ndarray]  # name -> (R,) integers or float64
    tally: Tally
    types: dict[str, FieldType] = field(default_factory=dict)  # of fields that are not numbers


def read(
    path: Path,
    directed: bool | None,
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
    separator: str | None = None,
    comments: str = "#%",
    weight: str | int | None = None,
) -> RawGraph:
    """Read an edge list. The report says how it was interpreted.

    If all ids are 64-bit integers, whatever their order, gaps and signs, they become integer
    labels; otherwise all are text. Values of an edge field are int64 if all are integers of that
    size, otherwise float64; NaN and infinities are kept, and counted in the report. Empty lines are
    skipped. Lines end in LF or CRLF, which the last one may lack. Unless the separator is blanks, a
    column may be "quoted".

    Args:
        directed: by default what a first comment of KONECT ("% sym ...", "% asym ..."), SNAP
            ("# Undirected graph ...") or gascl's own writer says, otherwise True. True makes two
            edges of each if the comment says that they are undirected.
        columns: source, target, and the edge fields to read, by name in the header or by number
            from 0; "weight=minutes" or "weight=3" reads a column under another name. A single field
            is "weight"; others without a name are called as in the header, or "column3" and so on.
            By default the ends are the columns that the header calls source and target, src and
            dst, from and to, caller and callee or the like, or the only two that are not called
            "weight"; without a header, they are the first two. "weight" is the column of that
            name, or the one after the ends if the first rows have numbers there, or the only one
            after them where they do; in a KONECT file the fourth is also read, as "time". Other
            columns are ignored, with a warning if they look like weights.
        header: whether the first row names the columns. By default it does if `columns` has names;
            if its own names are those of ends, such as source and target; or if it has no numbers
            and the row below it has some, as ids or in a later column.
        separator: one character; " " is blanks and tabs. By default a comma if the first row has
            one; a semicolon or a bar if nothing else separates it; otherwise blanks and tabs, but
            only tabs in a .tsv file.
        comments: the characters that start a comment: a line that begins with one is skipped, and
            where blanks separate the columns, what follows one after a blank is removed; in other
            files it is text inside a row. "" for none.
        weight: the column to read as "weight", by name or number, beside the ends and those that
            `columns` may name.

    Raises:
        FormatError: a row has more or fewer columns than the others, an id is empty, or a value of
            an edge field is not a number that float64 can hold; names the line. Or an option does
            not fit the file, or the header or the first rows are ambiguous and an option must
            decide.
    """
    with opened(path) as file:
        lines = _lines(path, file)
        layout = read_layout(path, lines, columns, header, separator, comments, weight)
        rows = _read_integers(path, lines, layout)
    if rows is None:
        rows = _read_any(path, layout)
    _warn_of_rounding(path, layout, rows.tally)
    announced = check_announced(path, layout, len(rows.labels), len(rows.src))
    report = _report(layout, rows.tally, directed) + announced
    parsed = RawGraph(
        src=rows.src,
        dst=rows.dst,
        num_vertices=len(rows.labels),
        directed=layout.is_directed(directed if layout.directed is None else layout.directed),
        labels=rows.labels,
        fields=rows.fields,
        report=report,
        edge_types=rows.types,
        in_range=True,
    )
    parsed = as_directed(parsed, directed)
    parsed.report.extend(unended(path))
    return parsed


def spool(path: Path, directed: bool | None, edges: EdgeSpool, **options: Any) -> Spooled:
    """Read an edge list like `read`, with its options, row by row into a spool."""
    with opened(path) as file:
        lines = _lines(path, file)
        layout = read_layout(path, lines, **options, numbers=True)
        tally = _spool_integers(lines, layout, edges)
    if tally is None:
        edges.restart()
        tally = _spool_any(path, layout, edges)
    _warn_of_rounding(path, layout, tally)
    twice = layout.both_ways(directed)
    return Spooled(
        directed=layout.is_directed(directed),
        report=_report(layout, tally, directed),
        both_ways=twice,
        announced=layout.announced,
        says=layout.says,
        binding=layout.binding,
        end=([MADE_DIRECTED] if twice else []) + unended(path),
    )


def _spool_integers(lines: LineReader, layout: RowLayout, edges: EdgeSpool) -> Tally | None:
    """As `_read_integers`."""
    if layout.width < 2:
        return None
    tally = Tally(comments=layout.skipped)
    try:
        for piece in column_pieces(lines.pieces(layout.rows), layout.numeric()):
            tally.comments += piece.comments
            tally.remarks += piece.remarks
            if piece.values:
                src, dst, *values = piece.values
                wide = [v if v.dtype.kind == "f" else v.astype(np.int64) for v in values]
                fields = dict(zip(layout.fields, wide, strict=True))
                edges.take(src, dst, fields)
                tally.add(len(src), fields)
    except Irregular:
        return None
    if not tally.rows and layout.header:
        return None
    return tally


def _spool_any(path: Path, layout: RowLayout, edges: EdgeSpool) -> Tally:
    """As `_read_any`. Whether the ids are integers shows in the end, and they are read again."""
    rows = TextRows(path, layout)
    for _ in rows.chunks():
        pass
    check_header(path, layout, rows)
    none = {name: np.empty(0, rows.dtype(name)) for name in layout.fields}
    no_ids = np.empty(0, np.int64)
    edges.take(no_ids, no_ids, none)
    tally = Tally(0, rows.comments, rows.remarks, rows.odd)
    tally.add(0, none)
    for tails, heads, texts in TextRows(path, layout).chunks():
        src, dst = (_ids(names, rows.odd is None) for names in (tails, heads))
        values = {name: _numbers(column, rows.dtype(name)) for name, column in texts.items()}
        edges.take(src, dst, values)
        tally.add(len(src), values)
    return tally


def _ids(names: list[str], integers: bool) -> Any:
    """Ids as a spool takes them."""
    if integers:
        return np.array([int(name) for name in names], np.int64)
    pyarrow = imported("pyarrow", "--memory")
    return pyarrow.array(names, pyarrow.large_string())


def _lines(path: Path, file: BinaryIO) -> LineReader:
    """The lines of a file that may be an edge list."""
    lines = LineReader(path, file)
    for other in (matrix_market.FORMAT, dimacs.FORMAT):
        if other.recognizes(lines.head):
            raise FormatError(
                f"{path} begins like a file of the format {other.name}; read it with ",
                Option("format", other.name),
                ", or, if its rows are just a list of edges, delete the lines before them",
            )
    return lines


def _report(layout: RowLayout, tally: Tally, directed: bool | None) -> list[str]:
    report = [f"edge list: rows: {tally.rows:,}; comment lines skipped: {tally.comments:,}"]
    report += layout.report
    if tally.remarks:
        report.append(f"comments after rows removed: {tally.remarks:,}")
    if not tally.rows:
        report.append("the file has no edges: the graph is empty")
    elif tally.odd is not None:
        line, text = tally.odd
        report.append(f"ids read as text, since {text!r} in line {line} is not a 64-bit integer")
        if is_number(text) and {*".eE"} & {*text} and float(text).is_integer():
            report.append(
                f"ids such as {text!r} look like integers but are read as text: write them without "
                "a decimal point, e.g. with numpy.savetxt(..., fmt='%d')"
            )
    else:
        report.append("ids read as integers")
    if layout.says:
        kind = "directed" if layout.directed else "undirected"
        report.append(
            f"read as {kind}, as the comment {layout.says!r} says"
            if directed in (None, layout.directed)
            else Message(
                Option("directed", directed),
                f", though the comment {layout.says!r} declares {kind}",
            )
        )
    elif directed is None:
        report.append(ASSUMED_DIRECTED)
    for name, values in tally.fields.items():
        counted = [f"{n:,} {word}" for n, word in ((values.nans, "NaN"), (values.infs, "inf")) if n]
        odd = f", of which {' and '.join(counted)} (kept)" if counted else ""
        report.append(f"{name}: {values.dtype}{odd}")
    report += [f"{name}: {described(each)}" for name, each in tally.others.items()]
    return report


def _warn_of_rounding(path: Path, layout: RowLayout, tally: Tally) -> None:
    """Warn, for each field, of the first integer that float64 rounds, if there is any."""
    known = tally.fields
    fields = {n: place for n, place in layout.fields.items() if n in known and known[n].may_round}
    if not fields:
        return
    with opened(path) as file:  # line by line takes long
        if not any(LONG.search(piece) for piece in LineReader(path, file).pieces()):
            return
    for number, _, columns in split_lines(path, layout.splitter):
        if not columns or number == layout.header_line:
            continue
        for name in [name for name, place in fields.items() if is_rounded(columns[place])]:
            warn_of_rounded(f"{path}, line {number}", name, columns[fields.pop(name)])
        if not fields:
            return


def check_announced(
    path: Path | str, says: RowLayout | Spooled, num_vertices: int, num_edges: int
) -> list[str]:
    """The line of a report if a comment declares other counts.

    Raises:
        FormatError: gascl's own comment is wrong; others are only reported, since they may count
            each edge once or twice.
    """
    if says.announced is None or tuple(says.announced) == (num_vertices, num_edges):
        return []
    vertices, edges = says.announced
    if not says.binding:
        return [
            f"a comment declares {vertices:,} vertices and {edges:,} edges, and the file has "
            f"{num_vertices:,} and {num_edges:,}"
        ]
    raise FormatError(
        f"{path}: {says.says!r} declares {vertices:,} vertices and {edges:,} edges, and the file "
        f"has {num_vertices:,} and {num_edges:,}; fetch it again, or delete the comment if the "
        "file is complete"
    )


def _read_integers(path: Path, lines: LineReader, layout: RowLayout) -> Rows | None:
    """Read with NumPy, which needs integer ids and plain rows; None if the rows are not."""
    if layout.width < 2 or (layout.texts and not arrow_csv.is_there()):
        return None
    try:
        table = read_columns(lines.pieces(layout.rows), layout.numeric())
        texts = _read_texts(path, layout, table) if layout.texts else {}
    except Irregular:
        return None
    src, dst = table.values.pop(0), table.values.pop(0)
    if not len(src) and layout.header:
        return None  # the comments may be rows
    labels, src, dst = numbered(src, dst)
    numbers = [name for name in layout.fields if name not in layout.texts]
    fields = dict(zip(numbers, table.values, strict=True))
    tally = Tally(comments=layout.skipped + table.comments, remarks=table.remarks)
    tally.add(len(src), fields)
    return _rows(path, layout, (labels, src, dst), fields, texts, tally)


def _read_texts(path: Path, layout: RowLayout, table: Columns) -> dict[str, Dictionary]:
    """The columns of text of a file whose others were read.

    Raises:
        Irregular: the file is short, or has comments between its rows.
    """
    count = len(table.values[0])
    if count < TEXTS or table.comments or layout.skipped >= max(layout.header_line, 1):
        raise Irregular
    places = [layout.fields[name] for name in layout.texts]
    with opened(path) as file:
        read = arrow_csv.read_texts(
            file, layout.width, places, layout.separator or " ", layout.header_line
        )
    if read is None or any(len(codes) != count for codes, _ in read):
        raise Irregular
    return dict(zip(layout.texts, read, strict=True))


def _rows(
    path: Path,
    layout: RowLayout,
    ends: tuple[np.ndarray, np.ndarray, np.ndarray],
    numbers: dict[str, np.ndarray],
    texts: Mapping[str, Dictionary],
    tally: Tally,
) -> Rows:
    """The rows, of whose texts it is decided what they mean; `ends` begins with the labels."""
    meant = {name: _meaning(path, name, *dictionary) for name, dictionary in texts.items()}
    tally.add(0, {name: each.values for name, each in meant.items() if each.type is None})
    tally.others = {name: each for name, each in meant.items() if each.type is not None}
    values = {**numbers, **{name: each.values for name, each in meant.items()}}
    fields = {name: values[name] for name in layout.fields}
    return Rows(*ends, fields, tally, types_of(meant))


def _read_any(path: Path, layout: RowLayout) -> Rows:
    """Read line by line: slower, but handles everything, and can say what is wrong with a line."""
    place: dict[str, int] = {}
    src, dst = array("q"), array("q")
    values: dict[str, list[str]] = {name: [] for name in layout.fields}
    rows = TextRows(path, layout)
    for tails, heads, texts in rows.chunks():
        for tail, head in zip(tails, heads, strict=True):
            src.append(place.setdefault(tail, len(place)))
            dst.append(place.setdefault(head, len(place)))
        for name, column in texts.items():
            values[name] += column
    check_header(path, layout, rows)
    ids = np.array(list(place), dtype=np.int64 if rows.odd is None or not place else None)
    labels, rank = np.unique(ids, return_inverse=True)
    sources, targets = (rank[np.array(end, dtype=np.int64)] for end in (src, dst))
    open_ = {n: dictionary_of(values.pop(n)) for n in layout.fields if n in layout.open}
    fields = {name: _numbers(column, rows.dtype(name)) for name, column in values.items()}
    tally = Tally(0, rows.comments, rows.remarks, rows.odd)
    tally.add(len(src), fields)
    return _rows(path, layout, (labels, sources, targets), fields, open_, tally)


#: Codes (R,), and the distinct texts that they number, "" where there is none.
Dictionary: TypeAlias = tuple[np.ndarray, list[str]]


def dictionary_of(texts: list[str]) -> Dictionary:
    """The texts of a column as codes and distinct texts."""
    place: dict[str, int] = {}
    codes = [place.setdefault(text, len(place)) for text in texts]
    return np.array(codes, np.int32), list(place)


def _meaning(path: Path, name: str, codes: np.ndarray, texts: list[str]) -> Coded:
    """The texts of a column as numbers, NaN where there is none; or else as times, bools or text.
    Warns of numbers with a decimal comma, which are text."""
    present = [text for text in texts if text]
    if all(map(is_float64, present)):
        if present and len(present) == len(texts) and all(map(INTEGER.fullmatch, texts)):
            numbers = list(map(int, texts))
            for kind in (np.int64, np.uint64):
                with suppress(OverflowError):
                    return Coded(np.array(numbers, kind)[codes])
        return Coded(np.array([float(text or "nan") for text in texts])[codes])
    commas = next((text for text in present if has_comma(text)), None)
    if commas is not None and all(is_number(text) or has_comma(text) for text in present):
        warn(
            f"{path}: the {name} is read as text, since {commas!r} has a comma; write a point for "
            "decimals and nothing between thousands"
        )
    values = [text or None for text in texts]
    meant = coded_texts(values) or coded(values)
    assert meant is not None
    return Coded(meant.values[codes], meant.type)


class TextRows:
    """The rows of a file, split into columns line by line, and what `check_header` asks of them.

    Attributes, of what has been read:
        comments: lines.
        remarks: comments after rows.
        odd: line and text of the first id that is not an integer.
        first: line and text of the first row.
        names: the first ids, each once, three at most.
        later_text: whether any id but the first two in `names` is not an integer.
        repeats_first: whether an id of the first row is in another.
        rows: their number.
        like_rows: line and text of the first comment, below the header or a row, that has as many
            columns as the rows.
    """

    def __init__(self, path: Path, layout: RowLayout):
        self._path, self._layout = path, layout
        self.comments = self.remarks = self.rows = 0
        self.like_rows: tuple[int, str] | None = None
        self._spans: dict[str, tuple[int, int] | None] = {name: (0, 0) for name in layout.fields}
        self.odd: tuple[int, str] | None = None
        self.first = (0, "")
        self.names: list[str] = []
        self.later_text = self.repeats_first = False

    def chunks(self) -> Iterator[tuple[list[str], list[str], dict[str, list[str]]]]:
        """Sources, targets, and the texts of the fields, CHUNK rows at a time.

        Raises:
            FormatError: as `read`.
        """
        layout, chunk = self._layout, self._empty()
        splitter = layout.splitter
        for number, line, columns in split_lines(self._path, splitter):
            if not columns:
                self._skip(number, line)
                continue
            if number == layout.header_line:
                continue
            wrong = _what_is_wrong(columns, layout)
            if wrong:
                raise FormatError(f"{self._path}, line {number}: {shown(line)} ", wrong)
            self.remarks += splitter.removed
            tails, heads, texts = chunk
            tail, head = (columns[end] for end in layout.ends)
            self._note_ids(number, line, tail, head)
            tails.append(tail)
            heads.append(head)
            for name, column in layout.fields.items():
                texts[name].append(columns[column])
            if len(tails) == CHUNK:
                self._span(texts)
                yield chunk
                chunk = self._empty()
        if chunk[0]:
            self._span(chunk[2])
            yield chunk

    def dtype(self, name: str) -> np.dtype:
        """The type of a field: int64 or uint64 if all its values are such, else float64."""
        low, high = self._spans[name] or (0, 1 << 64)
        kinds = (np.dtype(kind) for kind in (np.int64, np.uint64))
        fits = (k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
        return next(fits, np.dtype(np.float64))

    def _span(self, texts: dict[str, list[str]]) -> None:
        """Note the least and the greatest value of fields that have had integers alone."""
        for name, column in texts.items():
            if name in self._layout.open:
                continue
            known = self._spans[name]
            if known is None or not all(len(t) < 1000 and INTEGER.fullmatch(t) for t in column):
                self._spans[name] = None
                continue
            values = [*known, *map(int, column)]
            self._spans[name] = min(values), max(values)

    def _skip(self, number: int, line: str) -> None:
        """Note a comment or an empty line."""
        text = line.strip(" \t")
        self.comments += bool(text)
        separator, width = self._layout.separator, self._layout.width
        below = self.rows or 0 < self._layout.header_line < number
        alike = text and separator and below and text.count(separator) == width - 1
        if alike and not self.like_rows:
            self.like_rows = number, text

    def _empty(self) -> tuple[list[str], list[str], dict[str, list[str]]]:
        return [], [], {name: [] for name in self._layout.fields}

    def _note_ids(self, number: int, line: str, tail: str, head: str) -> None:
        self.rows += 1
        if self.rows == 1:
            self.first, self._firsts = (number, line), (tail, head)
        elif not self.repeats_first:
            self.repeats_first = tail in self._firsts or head in self._firsts
        if self.later_text:  # nothing more is asked
            return
        for name in (tail, head):
            if len(self.names) < 3 and name not in self.names:
                self.names.append(name)
            early = name in self.names[:2]
            if (early and self.odd) or is_int64(name):
                continue
            self.odd = self.odd or (number, name)
            self.later_text = self.later_text or not early


def check_header(path: Path, layout: RowLayout, rows: TextRows) -> None:
    """Raises FormatError if it is unclear whether the first row is a header; warns if the first of
    several edges has vertices that no other edge has, as if it were one above ids that are text,
    and of comments between such rows that may be rows as well."""
    wrong = None
    if rows.like_rows is not None and (rows.odd is not None or not rows.rows):
        line, text = rows.like_rows
        warn(
            Message(
                f"{path}, line {line}: {shown(text)} is skipped as a comment, and has as many "
                f"columns as the {'rows' if rows.rows else 'header'}; if it is a row, give ",
                Option("comments", "", of="reader"),
            )
        )
    if layout.told or layout.binding:
        return
    if layout.header is not None and not layout.sure and rows.odd is not None:
        wrong = (
            f"line {layout.header_line}: {', '.join(layout.header)!r} looks like a header, since "
            f"the ids below are integers, but not all of them: {rows.odd[1]!r}"
        )
    elif (
        layout.header is None
        and len(rows.names) > 2
        and not any(map(is_int64, rows.names[:2]))
        and not rows.later_text
    ):
        wrong = (
            f"line {rows.first[0]}: {shown(rows.first[1])} looks like a header, since all other "
            "ids are integers"
        )
    if wrong:
        raise FormatError(
            f"{path}, {wrong}; say whether it is one with ",
            Option("header", True, of="reader"),
            " or ",
            Option("header", False, of="reader"),
        )
    if rows.odd is None or layout.header is not None or rows.rows < 3 or rows.repeats_first:
        return
    line, text = rows.first
    warn(
        Message(
            f"{path}, line {line}: {shown(text)} is read as an edge, and its ids are in no "
            "other line; if it names the columns, give ",
            Option("header", True, of="reader"),
            ", and ",
            Option("header", False, of="reader"),
            " otherwise",
        )
    )


def _numbers(texts: list[str], dtype: np.dtype) -> np.ndarray:
    kind = float if dtype.kind == "f" else int
    return np.array([kind(text) for text in texts], dtype=dtype)


def _what_is_wrong(columns: list[str], layout: RowLayout) -> str | None:
    """What is wrong with a row, and the remedy; None if nothing is."""
    count, wrong = len(columns), ""
    if count != layout.width:
        others = f", and the rows before it have {layout.width}" if layout.width > 1 else ""
        wrong = f"has {count} column{'s' if count > 1 else ''}{others}"
    elif count < 2:
        wrong = "has 1 column"
    elif not all(columns[place] for place in (*layout.ends, *layout.strict.values())):
        wrong = "has an empty column"
    if wrong:
        return (
            f"{wrong}; expected source, target and possibly a weight or more columns; correct the "
            "line, or put # before it if it is not an edge"
        )
    for name, place in layout.strict.items():
        text = columns[place]
        if is_number(text) and not is_float64(text):
            return (
                f"has the {name} {text!r}, which float64 cannot hold: it would become "
                f"{float(text)}; change the unit, or write that"
            )
        if has_comma(text):
            return (
                f"has the {name} {text!r}, a number with a comma; write a point for "
                "decimals and nothing between thousands, or read the file with pandas.read_csv("
                "..., decimal=',') and Graph.from_pandas"
            )
        if not is_number(text):
            if layout.separator and re.search(rf"[ \t][{re.escape(layout.comments or ' ')}]", text):
                return (
                    f"has the {name} {text!r}, which is not a number; put the comment on a line of "
                    "its own: inside a row, it is text"
                )
            rest = {n: other for n, other in layout.strict.items() if n != name}
            unread = {*range(count)} - {*layout.ends, *layout.strict.values()}
            numbers = [other for other in sorted(unread) if is_number(columns[other])]
            instead = ""
            if name == WEIGHT and numbers:
                column = layout.header[numbers[0]] if layout.header else numbers[0]
                instead = Message(
                    "; ", Option("weight", column), " reads another column in its place"
                )
            return Message(
                f"has the {name} {text!r}, which is not a number; correct the line, put "
                "# before it if it is not an edge, or leave the column out if it holds text: ",
                _columns_option(layout, rest),
                instead,
            )
    return None


def _columns_option(layout: RowLayout, fields: dict[str, int]) -> Option:
    """The option `columns` that reads the ends and these fields."""
    header = layout.header
    ends = [header[place] if header else place for place in layout.ends]
    columns = [f"{name}={header[place] if header else place}" for name, place in fields.items()]
    return Option("columns", (*ends, *columns), of="reader")


GASCL = re.compile(r"# gascl: (directed|undirected), (\d{1,999}) vertices, (\d{1,999}) edges\s*")
KONECT = re.compile(r"%\s*(sym|asym|bip)\s+[a-z]+\s*")  # konect.cc, "File format"
KONECT_COUNTS = re.compile(r"%\s*(\d{1,999})\s+(\d{1,999})(?:\s+\d{1,999})?\s*")  # edges first
SNAP = re.compile(r"#\s*(Undirected|Directed) graph\b.*")  # as snap.stanford.edu/data publishes
SNAP_COUNTS = re.compile(r"#\s*Nodes:\s*(\d{1,999})\s+Edges:\s*(\d{1,999})\s*")
BLANKS = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs", None: "blanks or tabs"}

Column = str | int


@dataclass
class RowLayout:
    """How the rows are laid out; columns are numbered from 0."""

    separator: str | None  # None: blanks and tabs
    comments: str
    width: int = 0  # columns per row; 0: there are no rows
    header: list[str] | None = None
    header_line: int = 0  # its line, from 1; 0: none
    told: bool = False  # the caller said whether there is a header
    sure: bool = True  # the header is certainly one
    ends: tuple[int, int] = (0, 1)  # columns of source and target
    fields: dict[str, int] = field(default_factory=dict)  # name -> column
    open: set[str] = field(default_factory=set)  # fields whose values decide what they are
    texts: list[str] = field(default_factory=list)  # those of them with text in the first rows
    directed: bool | None = None  # what a comment says
    says: str = ""  # that comment
    announced: tuple[int, int] | None = None  # vertices and edges according to a comment
    binding: bool = False  # the comment is gascl's own, and must be right
    konect: bool = False
    skipped: int = 0  # comment lines before the rows
    rows: bytes = b""  # already read
    report: list[str] = field(default_factory=list)

    @property
    def strict(self) -> dict[str, int]:
        """The fields that must have a number in each row."""
        return {name: place for name, place in self.fields.items() if name not in self.open}

    @property
    def splitter(self) -> Splitter:
        return Splitter(self.separator, self.comments)

    def numeric(self) -> Layout:
        """The layout without the columns of text."""
        numbers = [place for name, place in self.fields.items() if name not in self.texts]
        return Layout(self.width, self.ends, numbers, self.separator, self.comments)

    def is_directed(self, directed: bool | None) -> bool:
        """Whether the graph is, by the argument of `read`, else by the comment."""
        return self.directed is not False if directed is None else directed

    def both_ways(self, directed: bool | None) -> bool:
        """Whether each edge is to become two."""
        return bool(directed) and self.directed is False


def read_layout(
    path: Path,
    lines: LineReader,
    columns: Sequence[Column] | None = None,
    header: bool | None = None,
    separator: str | None = None,
    comments: str = "#%",
    weight: Column | None = None,
    numbers: bool = False,
) -> RowLayout:
    """Read comments and the first rows; the arguments are those of the edge list's reader.

    Args:
        numbers: read no columns beside the weight and those that the caller names, which must be
            numbers.

    Raises:
        FormatError: an argument is wrong or does not fit the rows, or the layout of the rows is
            ambiguous.
    """
    _check_options(path, columns, header, separator, comments)
    weights = [] if weight is None else [f"{WEIGHT}={weight}"]
    named = [column for column in (*(columns or ()), *weights) if _is_name(column)]
    if header is False and named:
        raise FormatError(
            f"{path}: the column {named[0]!r} has a name, which needs a header; give numbers from 0"
        )
    layout = RowLayout(None if separator == " " else separator, comments)
    first = _next_row(path, lines, layout)
    if first is None:
        return layout
    number, text = first
    if separator is None:
        layout.separator = _separator(path, number, text, comments)
    if layout.separator is not None:
        layout.report.append(
            f"columns separated by {BLANKS.get(layout.separator, layout.separator)}"
        )
    row = _split(path, number, text, layout)
    second = _next_row(path, lines, layout)
    sample = _sample(lines, layout)
    following = None if second is None else _split(path, second[0], second[1], layout)
    places = [column for column in (columns or (0, 1))[:2] if isinstance(column, int)]
    if header is None and named:
        header = True
    layout.told = header is not None
    if header is None:
        header, layout.sure = _looks_like_header(path, layout, row, following, places)
    if header:
        layout.header, layout.header_line = row, number
        layout.report.append(f"line {number} is a header: {', '.join(row)}")
        layout.rows = b"" if second is None else second[1].encode(errors=ODD)
        layout.width = len(row)
    else:
        layout.rows = (text + (second[1] if second else "")).encode(errors=ODD)
        layout.width = len(row)
    rows = [*([] if header else [row]), *([] if following is None else [following]), *sample]
    alike = [row for row in rows if len(row) == layout.width]
    _choose(path, layout, columns, weights, alike, numbers)
    return layout


def _sample(lines: LineReader, layout: RowLayout) -> list[list[str]]:
    """Some of the next rows, as they are split."""
    rows = []
    for text in lines.following(SAMPLE):
        with suppress(ValueError):  # a quote is not closed: an error when it is read
            rows.append(layout.splitter.split(text))
    return rows


def _check_options(
    path: Path,
    columns: Sequence[Column] | None,
    header: bool | None,
    separator: str | None,
    comments: str,
) -> None:
    wrong = None
    listed = isinstance(columns, (list, tuple))
    if columns is not None and not (
        listed and len(columns) >= 2 and all(type(column) in (str, int) for column in columns)
    ):
        wrong = Message(
            Option("columns", columns, of="reader"),
            " must be a list of names of columns or of numbers from 0: source, target, "
            "and then edge fields, e.g. ",
            Option("columns", ("from", "to", "weight=minutes", "km"), of="reader"),
        )
    elif header not in (True, False, None):
        wrong = Message(
            Option("header", header, of="reader"),
            " must be True, False, or None to let the rows decide",
        )
    elif separator is not None and not (
        isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    ):
        wrong = Message(
            Option("separator", separator, of="reader"),
            " must be one ASCII character; ' ' means blanks and tabs",
        )
    elif separator is not None and (separator.isalnum() or separator in '+-."\r\n\0'):
        wrong = Message(
            Option("separator", separator, of="reader"), " occurs in numbers, quotes or line ends"
        )
    elif not isinstance(comments, str) or re.search(r"[^!-~]|[\w+.-]", comments):
        wrong = Message(
            Option("comments", comments, of="reader"),
            " must be the characters that start one, e.g. '#%', or '' for none",
        )
    elif separator is not None and separator in comments:
        wrong = Message(
            Option("separator", separator, of="reader"),
            " also starts comments; give ",
            Option("comments", of="reader"),
            " without it",
        )
    if wrong:
        raise FormatError(f"{path}: ", wrong)


def _next_row(path: Path, lines: LineReader, layout: RowLayout) -> tuple[int, str] | None:
    """Number and text of the next line that is neither a comment nor empty."""
    while (line := lines.line()) is not None:
        text = line.decode(errors=ODD)
        if "\r" in text.rstrip("\r\n"):
            raise return_inside(path, lines.number, text)
        bare = text.strip(" \t\r\n")
        if not bare:
            continue
        if bare[0] not in layout.comments:
            return lines.number, text.rstrip("\r\n") + "\n"
        if not layout.width:
            _interpret_comment(path, layout, bare)
        layout.skipped += 1
    return None


def _interpret_comment(path: Path, layout: RowLayout, comment: str) -> None:
    """Note what a comment before the rows says, if it is one of three known kinds."""
    if found := GASCL.fullmatch(comment):
        layout.directed = found[1] == "directed"
        layout.announced = int(found[2]), int(found[3])
        layout.binding = True
    elif not layout.skipped and (found := KONECT.fullmatch(comment)):
        if found[1] == "bip":
            raise FormatError(
                f"{path}: {comment!r} says that sources and targets are two kinds of vertices, "
                "each numbered from 1, so that an id may mean two vertices; put a letter before "
                "the ids of one column, and delete the comment"
            )
        layout.directed = found[1] == "asym"
        layout.konect = True
    elif not layout.skipped and (found := SNAP.fullmatch(comment)):
        layout.directed = found[1] == "Directed"
    elif layout.konect and not layout.announced and (found := KONECT_COUNTS.fullmatch(comment)):
        layout.announced = int(found[2]), int(found[1])
        return
    elif found := SNAP_COUNTS.fullmatch(comment):
        layout.announced = int(found[1]), int(found[2])
        return
    else:
        return
    layout.says = comment


def _separator(path: Path, number: int, line: str, comments: str) -> str | None:
    suffix = plain(path).suffix.lower()
    line = line.strip(" \r\n")
    bare = re.sub(r'"(?:[^"]|"")*"', '""', line)
    if comments and suffix != ".csv":
        before, *comment = re.split(rf"(?<=[ \t])[{re.escape(comments)}]", bare, maxsplit=1)
        # What looks like a comment may be text, if the only separators are in there.
        there, here = (bool(set(",;|") & {*text}) for text in (before, "".join(comment)))
        if there or not here or all(map(is_number, before.split())):
            bare = before.rstrip(" \t")
    marks = [mark for mark in ",;|" if mark in bare]
    if "," in marks and _in_numbers(bare):
        marks.remove(",")
    if suffix == ".tsv" and "\t" in bare:
        return "\t"
    parts = [part.strip(" ") for part in bare.split("\t")]
    tabs = len(parts) > 1 and any(" " in part for part in parts)
    if len(marks) == 1:
        cells = [part.strip() for part in bare.split(marks[0])]
        inside = "\t" if suffix == ".csv" or marks == [","] else " \t"
        if not any(set(inside) & set(cell) for cell in cells) and (
            marks != [","] or suffix == ".csv" or "\t" not in bare
        ):
            return marks[0]
    texts = [part for part in bare.split() if not is_number(part) and not has_comma(part)]
    if marks or (texts and tabs):
        raise FormatError(
            f"{path}, line {number}: {shown(line)} can be split into columns in two ways; name the "
            "separator with ",
            Option("separator", of="reader"),
            ", e.g. '\\t', ',' or ' ' (blanks and tabs)",
        )
    return None


def _in_numbers(line: str) -> bool:
    """Whether all commas are decimal ones, in columns after the first two that something else
    separates."""
    for mark in ("\t", ";", "|", None):
        cells = [cell.strip() for cell in line.split(mark)]
        commas = ["," in cell for cell in cells]
        if len(cells) > 2 and not any(commas[:2]):
            return all(map(has_comma, (cell for cell in cells if "," in cell)))
    return False


def _split(path: Path, number: int, line: str, layout: RowLayout) -> list[str]:
    try:
        columns = layout.splitter.split(line)
    except ValueError as error:
        raise cannot_split(path, number, line, error) from None
    check_text(path, number, columns)
    return columns


def _looks_like_header(
    path: Path,
    layout: RowLayout,
    row: list[str],
    following: list[str] | None,
    ends: list[int],
) -> tuple[bool, bool]:
    """Whether a row is a header, and whether that is certain."""
    if layout.binding:
        csv = plain(path).suffix.lower() == ".csv"
        return len(row) > 2 or (csv and row == ["source", "target"]), True
    if len(row) < 2 or max(ends) >= len(row) or min(ends) < 0:
        return False, True
    if known_ends([row[end] for end in ends]) or known_ends(row[:2]):
        return True, True
    if following is None or len(following) != len(row):
        return False, True
    if not any(is_number(text) or has_comma(text) for text in row):
        if all(is_int64(following[end]) for end in ends):
            return True, False
        if any(is_number(text) or has_comma(text) for text in following[2:]):
            return True, True
        if known_ends(row) or WEIGHT in map(str.lower, row):
            return True, True
    return False, True


def _choose(
    path: Path,
    layout: RowLayout,
    columns: Sequence[Column] | None,
    weights: Sequence[Column],
    rows: list[list[str]],
    numbers: bool,
) -> None:
    """Assign columns to ends and fields; `weights` are more fields than `columns`, and `rows` the
    first after the header; with `numbers`, fields are numbers, and only those needed are read."""
    width = layout.width
    if width < 2:
        return  # an error that names the line follows
    chosen_by_caller = columns is not None or bool(weights)
    if columns is None and layout.header and not layout.binding:
        weight = next((_field_and_column(column)[1] for column in weights), None)
        weight = layout.header[weight] if isinstance(weight, int) else weight
        ends = ends_of(layout.header, weight)
        if isinstance(ends, str):
            raise FormatError(
                f"{path}, line {layout.header_line}: {ends}; ",
                *naming_ends(layout.header, weight),
            )
        layout.ends = ends
        if layout.ends != (0, 1) or not known_ends(layout.header):
            both = " and ".join(_column_name(layout, place) for place in layout.ends)
            layout.report.append(f"source and target: columns {both}")
    named = columns is None and layout.header is not None
    if columns is not None or weights:
        columns = [*(columns or layout.ends)]
        for weight in weights:  # in the place of the same column under its own name
            place = _place(path, layout, _field_and_column(weight)[1])
            columns[2:] = [
                column
                for column in columns[2:]
                if "=" in str(column) or _place(path, layout, column) != place
            ]
        columns += weights
        fields = [_field_and_column(column) for column in columns[2:]]
        names = [name for name, _ in fields]
        places = [_place(path, layout, c) for c in (*columns[:2], *(c for _, c in fields))]
        _check_once(path, layout, columns, places)
        layout.ends = places[0], places[1]
        for place, name in zip(places[2:], names, strict=True):
            text = not numbers and (_is_text(rows, place) or _is_empty(rows, place))
            alone = WEIGHT if len(names) == 1 and not text else None
            _add_field(path, layout, place, name or alone, text and name != WEIGHT)
        layout.report += no_weight([*layout.strict])
        if named:
            _add_others(path, layout, rows, numbers)
    elif layout.binding:
        for place in range(2, width):
            if not (numbers and _is_text(rows, place)):
                weight = layout.header is not None and layout.header[place] == WEIGHT
                _add_field(path, layout, place, None, not (numbers or weight))
    else:
        _choose_weight(path, layout, rows)
        if width > 3 and layout.konect:
            _add_field(path, layout, 3, "time")
        elif named:
            _add_others(path, layout, rows, numbers)
    quoted = [cell for row in rows for cell in row if cell.startswith('"')]
    if layout.separator is None and quoted:
        warn(
            f"{path}: {quoted[0]!r} begins with a quote, which is part of the text where blanks "
            "separate the columns; if quotes enclose columns, separate these by tabs or commas"
        )
    layout.texts = [
        name
        for name, place in layout.fields.items()
        if name in layout.open and (_is_text(rows, place) or _is_empty(rows, place))
    ]
    used = {*layout.ends, *layout.fields.values()}
    ignored = [place for place in range(width) if place not in used]
    texts = [place for place in ignored if _has_text(rows, place)]
    others = sorted({*ignored} - {*texts})
    if others:
        listed = ", ".join(_column_name(layout, place) for place in others)
        layout.report.append(
            Message(f"columns ignored: {listed}; ", Option("columns", of="reader"), " reads them")
        )
    if texts:
        listed = ", ".join(_column_name(layout, place) for place in texts)
        layout.report.append(
            Message(
                f"columns of text ignored: {listed}; ",
                Option("columns", of="reader"),
                " reads them",
            )
        )
    if not chosen_by_caller:
        beside = {*layout.ends, layout.fields.get(WEIGHT)}
        _warn_of_unread(path, layout, [p for p in range(width) if p not in beside], rows)


def _warn_of_unread(
    path: Path, layout: RowLayout, ignored: list[int], rows: list[list[str]]
) -> None:
    """Warn of columns that look like weights, and are not read."""
    if layout.binding or WEIGHT in map(str.lower, layout.header or ()):
        return
    names = layout.header or [""] * layout.width
    missing = WEIGHT not in layout.fields
    like = [
        layout.header[place] if layout.header else place
        for place in ignored
        if looks_like_weight(
            names[place],
            missing and place > max(layout.ends) and _has_numbers([row[place] for row in rows]),
        )
    ]
    warn_of_unread(str(path), like)
    attributes = [row[2] for row in rows if layout.separator is None and row[2:3]]
    if 2 in ignored and attributes and all(text.startswith("{'") for text in attributes):
        warn(
            f"{path}: column {_column_name(layout, 2)} is not read: it has attributes as "
            f"networkx.write_edgelist writes them, from {attributes[0]!r} on; to keep weights, "
            "write the graph with networkx.write_weighted_edgelist, or convert it with "
            "Graph.from_networkx"
        )


def _add_others(path: Path, layout: RowLayout, rows: list[list[str]], numbers: bool) -> None:
    """Read the columns that the header names beside the ends and the weight, whatever they have, or
    those that have numbers in the first rows."""
    assert layout.header is not None
    used = {*layout.ends, *layout.fields.values()}
    others = [(place, name) for place, name in enumerate(layout.header) if place not in used]
    for place, name in others:
        bare = field_name(name)
        twice = bare in layout.fields or layout.header.count(name) > 1
        twice |= bare != name and bare in [other for _, other in others]
        if twice or not bare.isidentifier():
            why = "its name is taken" if twice else "its name cannot be that of a field"
            layout.report.append(f"column {_column_name(layout, place)} left out: {why}")
        elif numbers and _is_text(rows, place):
            continue
        elif not _is_empty(rows, place) or (len(rows) > SAMPLE and not numbers):
            _add_field(path, layout, place, None, not numbers)
        else:
            layout.report.append(f"column {_column_name(layout, place)} left out: it is empty")


def _is_text(rows: list[list[str]], place: int) -> bool:
    """Whether a column has something in the first rows, and it is mostly not numbers."""
    texts = [row[place] for row in rows]
    return any(texts) and not _has_numbers(texts)


def _is_empty(rows: list[list[str]], place: int) -> bool:
    """Whether a column has nothing in the first rows, so that what it has is unknown."""
    return bool(rows) and not any(row[place] for row in rows)


def _check_once(
    path: Path, layout: RowLayout, columns: Sequence[Column], places: list[int]
) -> None:
    """Raises FormatError if two of `columns` are the same, that at one of `places`."""
    for place in places:
        same = [columns[at] for at, other in enumerate(places) if other == place]
        if len(same) > 1:
            both = " and ".join(map(repr, same))
            raise FormatError(
                f"{path}: columns={tuple(columns)!r}: {both} are the same column, "
                f"{_column_name(layout, place)}; each column can be read once: leave one of them "
                "out, or name another column"
            )


def _has_text(rows: list[list[str]], place: int) -> bool:
    """Whether a column has text, in the first rows, that is not a number."""
    return any(row[place] and not is_number(row[place]) for row in rows)


def _has_numbers(texts: list[str]) -> bool:
    """Whether at least half of the texts in a column are numbers. The others are then errors of
    their lines."""
    nonempty = [text for text in texts if text]
    numbers = sum(is_number(text) or has_comma(text) for text in nonempty)
    return bool(nonempty) and 2 * numbers >= len(nonempty)


def _choose_weight(path: Path, layout: RowLayout, rows: list[list[str]]) -> None:
    """Choose the weight among the columns after the ends: the one that the header calls so, else
    the first of them if it has numbers, else the only one that has."""
    for place, name in enumerate(layout.header or ()):
        if name.lower() == WEIGHT and place not in layout.ends:
            _place(path, layout, name)  # refuses a name that two columns have
            return _add_field(path, layout, place, WEIGHT)
    places = range(max(layout.ends) + 1, layout.width)
    if not places:
        return None
    columns = {place: [row[place] for row in rows] for place in places}
    numeric = [place for place, texts in columns.items() if _has_numbers(texts)]
    unknown = layout.header is not None and len(rows) > SAMPLE  # and it has another name
    if not any(columns[places[0]]) and not unknown:  # an error of the first line
        return _add_field(path, layout, places[0], WEIGHT)
    if places[0] in numeric or (len(numeric) == 1 and not layout.konect):
        return _add_field(path, layout, numeric[0], WEIGHT)
    odd = next((t for t in columns[places[0]] if t and not is_number(t)), None)
    if odd is None:
        return None
    layout.report.append(
        f"column {_column_name(layout, places[0])} is not read as weight: {odd!r} is not a number"
    )
    return None


def _field_and_column(column: Column) -> tuple[str, Column]:
    """The parts of `field=column`, the column a name or a number; the field is "" if not given."""
    if isinstance(column, int):
        return "", column
    field, name = field_and_column(column)
    return field, int(name) if field and name.isdecimal() else name


def _is_name(column: Column) -> bool:
    return isinstance(_field_and_column(column)[1], str)


def _column_name(layout: RowLayout, place: int) -> str:
    return f"{place} ({layout.header[place]!r})" if layout.header else f"{place} (from 0)"


def _place(path: Path, layout: RowLayout, column: Column) -> int:
    if isinstance(column, str):
        assert layout.header is not None
        if layout.header.count(column) == 1:
            return layout.header.index(column)
        count = "more than one column" if column in layout.header else "no column"
        near = [] if column in layout.header else get_close_matches(column, layout.header, 1)
        hint = f"; did you mean {near[0]!r}? Its" if near else "; its"
        known = ", ".join(layout.header)
        raise FormatError(
            f"{path}, line {layout.header_line}: the header has {count} {column!r}{hint} columns "
            f"are {known}; give another name, or a number from 0"
        )
    if not 0 <= column < layout.width:
        raise FormatError(
            f"{path}: there is no column {column}; the rows have {layout.width}, numbered 0 to "
            f"{layout.width - 1}"
        )
    return column


def _add_field(
    path: Path, layout: RowLayout, place: int, name: str | None = None, open_: bool = False
) -> None:
    """Read a column as a field; `open_`: its values decide whether it is numbers."""
    note = f"column {_column_name(layout, place)} read as edge field "
    if name is None:
        name = field_name(layout.header[place]) if layout.header else f"column{place}"
    if name in layout.fields:
        both = f"{_column_name(layout, layout.fields[name])} and {_column_name(layout, place)}"
        raise FormatError(f"{path}: columns {both} are both called {name!r}; rename one of them")
    if not name.isidentifier():
        raise FormatError(
            f"{path}: the name of column {_column_name(layout, place)} cannot be that of an edge "
            "field: letters, digits and _, not starting with a digit; correct the header, or give "
            "a name: ",
            Option("columns", [Placeholder("..."), f"{WEIGHT}={place}"], of="reader"),
        )
    layout.fields[name] = place
    if open_:
        layout.open.add(name)
    layout.report.append(note + name)


#: Text ids that a reader could not separate from their surroundings, or would misread.
UNFIT = re.compile(r"""[\s,;|"\0\ud800-\udfff]|^[#%]|^$""")
#: Those that are quoted in a .csv, and those that cannot be.
QUOTED = re.compile(r"""[\s,;|"#%]""")
UNFIT_QUOTED = re.compile(r"""[\r\n\0\ud800-\udfff]|^$""")
ELSE = "gascl's own format (.npz) can"


def write(path: Path, graph: Graph) -> None:
    """Write an edge list: one edge per row, in order, with its edge fields.

    The first line is "# gascl: directed, V vertices, E edges" (or undirected); if there are edge
    fields, and in a .csv file always, a header follows. Columns are separated by commas in a .csv
    file, where labels with commas, blanks and the like are quoted, and by tabs elsewhere. The ids
    are the labels, or the vertices' indices; when read again they are labels, sorted. Floats have
    as many digits as distinguish them from all others of their type.

    GAP's .el and .wel (Beamer, Asanovic, Patterson, "The GAP Benchmark Suite", 2015) have neither
    comment nor header: they hold directed graphs without a field and with "weight", respectively.

    Raises:
        FormatError: the graph has vertices without edges, vertex fields, or labels that an edge
            list can't hold.
    """
    check_limits(path, graph, "an edge list", labels=None, edge_fields=None, types=True)
    suffix = plain(path).suffix.lower()
    wrong = _unfit(graph, suffix) or _unfit_for_gap(graph, suffix)
    if wrong:
        raise FormatError(f"{path}: ", wrong)
    check_texts(path, graph, suffix or "an edge list")
    mark = {".csv": ",", ".el": " ", ".wel": " "}.get(suffix, "\t")
    ids = range(graph.num_vertices) if graph.labels is None else graph.labels
    texts = [str(label) for label in ids]
    if suffix == ".csv" and graph.labels is not None and graph.labels.dtype.kind == "U":
        texts = [quoted(text) if QUOTED.search(text) else text for text in texts]
    names = np.array(texts, dtype=object)
    fields, types = graph.edge_fields, graph.edge_types
    quote = np.vectorize(lambda text: quoted(text) if QUOTED.search(text) else text, otypes="O")

    def columns(part: slice) -> list[np.ndarray]:
        ends = [names[end[part]] for end in (graph.edge_src, graph.edge_dst)]
        for name, values in fields.items():
            known = types.get(name)
            if known is None or (name == WEIGHT and isinstance(known, Bools)):
                ends.append(values[part])
                continue
            column = cells(values[part], known)
            ends.append(quote(column) if isinstance(known, Texts) and suffix == ".csv" else column)
        return ends

    with created(path) as file:
        if suffix not in (".el", ".wel"):
            kind = "directed" if graph.directed else "undirected"
            counts = f"{graph.num_vertices} vertices, {graph.num_edges} edges"
            file.write(f"# gascl: {kind}, {counts}\n".encode())
            if fields or suffix == ".csv":
                file.write((mark.join(["source", "target", *fields]) + "\n").encode())
        write_rows(file, graph.num_edges, columns, mark)


def _unfit(graph: Graph, suffix: str) -> str | None:
    """Why an edge list with this extension cannot hold the graph."""
    used = np.zeros(graph.num_vertices, dtype=bool)
    used[graph.edge_src] = used[graph.edge_dst] = True
    if not used.all():
        alone = int(np.argmin(used))
        return (
            f"an edge list cannot hold vertices without edges, such as {graph.label_of(alone)!r}, "
            f"one of {np.count_nonzero(~used):,}; {ELSE}"
        )
    for name, kind in graph.edge_types.items():
        unfit = UNFIT_QUOTED if suffix == ".csv" else UNFIT
        lacks = _missing(graph.edge_fields[name], kind)
        if len(lacks) and lacks.all():
            return (
                f"no edge has a {kind.name} in the edge field {name!r}, which would be read back "
                f"as numbers; {ELSE}; {without('edge-fields')}"
            )
        texts = kind.values if isinstance(kind, Texts) else ()
        odd = next((text for text in texts if unfit.search(text)), None)
        if odd is None and suffix != ".csv" and lacks.any():
            odd = ""
        if odd is not None:
            other = "" if suffix == ".csv" else "a .csv can, in quotes, and "
            return (
                f"{suffix or 'such a file'} cannot hold {odd!r} in the edge field {name!r}; "
                f"{other}{ELSE}; {without('edge-fields')}"
            )
    labels = graph.labels
    if labels is not None and not fit_int64(labels):
        return (
            f"the label {labels.max()} is not a 64-bit integer, and all would be read back as "
            f"text; {ELSE}; {without('labels')}"
        )
    if labels is None or labels.dtype.kind in "iu" or not len(labels):
        return None
    for label in labels.tolist():
        if not isinstance(label, str) or UNFIT_QUOTED.search(label):
            return f"an edge list cannot hold the label {label!r}; {ELSE}; {without('labels')}"
        if suffix != ".csv" and UNFIT.search(label):
            return (
                f"{suffix or 'such a file'} cannot hold the label {label!r}; a .csv can, in "
                f"quotes, and {ELSE}; {without('labels')}"
            )
    if all(INTEGER.fullmatch(label) for label in labels.tolist()):
        return (
            f"the labels are text, and would be read back as integers: {labels[0].item()!r}; an "
            f"edge list cannot tell them apart, {ELSE}; {without('labels')}"
        )
    return None


def _missing(values: np.ndarray, kind: FieldType) -> np.ndarray:
    """bool (E,): where a text or a time is missing."""
    none = NOT_A_TIME if isinstance(kind, Times) else NO_TEXT  # which no bool is
    missing: np.ndarray = np.asarray(values) == none
    return missing


def _unfit_for_gap(graph: Graph, suffix: str) -> str | None:
    if suffix not in (".el", ".wel"):
        return None
    if not graph.directed:
        return (
            f"{suffix} cannot say that the graph is undirected; name the file .txt, which can, or "
            + OTHER_DIRECTION[False]
        )
    if [*graph.edge_fields] != (["weight"] if suffix == ".wel" else []):
        has = ", ".join(graph.edge_fields) or "none"
        held = "the edge field 'weight'" if suffix == ".wel" else "no edge fields"
        return (
            f"{suffix} holds {held}, and the graph has {has}; name the file .txt, which holds any"
        )
    kind = graph.labels is None or graph.labels.dtype.kind in "iu"
    return None if kind else f"{suffix} has integers as ids, not text; name the file .txt"


FORMAT = Format(
    name="edgelist",
    extensions=(".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".dat"),
    # Any text might be an edge list; these certainly are.
    recognizes=lambda head: (
        head.startswith(b"# gascl: ")
        or KONECT.fullmatch(head.partition(b"\n")[0].decode("latin-1")) is not None
    ),
    read=read,
    write=write,
    spool=spool,
)
