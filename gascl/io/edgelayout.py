"""What the beginning of an edge list tells: its columns, and what comments say of the graph."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gascl.errors import FormatError
from gascl.graph.labels import INTEGER
from gascl.io.files import plain
from gascl.io.lines import ODD, Lines, Splitter, check_text, return_inside, shown
from gascl.io.weightcolumn import WEIGHT, field_and_column, no_weight

#: What headers call the ends of an edge, compared without case, blanks, _ and "id".
ENDS = {("source", "target"), ("src", "dst"), ("from", "to"), ("fromnode", "tonode")}
ENDS |= {
    ("source", "destination"),
    ("tail", "head"),
    ("node1", "node2"),
    ("u", "v"),
    ("src", "dest"),
}

GASCL = re.compile(r"# gascl: (directed|undirected), (\d{1,999}) vertices, (\d{1,999}) edges\s*")
KONECT = re.compile(r"%\s*(sym|asym|bip)\s+[a-z]+\s*")  # konect.cc, "File format"
KONECT_COUNTS = re.compile(r"%\s*(\d{1,999})\s+(\d{1,999})(?:\s+\d{1,999})?\s*")  # edges first
SNAP = re.compile(r"#\s*(Undirected|Directed) graph\b.*")  # as snap.stanford.edu/data publishes
SNAP_COUNTS = re.compile(r"#\s*Nodes:\s*(\d{1,999})\s+Edges:\s*(\d{1,999})\s*")
BLANKS = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs", None: "blanks or tabs"}

Column = str | int


@dataclass
class Layout:
    """How the rows are laid out; columns count from 0."""

    separator: str | None  # None: blanks and tabs
    comments: str
    width: int = 0  # columns of a row; 0: there are no rows
    header: list[str] | None = None
    header_line: int = 0  # its line, from 1; 0: none
    told: bool = False  # by the caller, whether there is a header
    sure: bool = True  # that the header is one
    ends: tuple[int, int] = (0, 1)  # columns of source and target
    fields: dict[str, int] = field(default_factory=dict)  # name -> column
    directed: bool | None = None  # as a comment says
    says: str = ""  # that comment
    announced: tuple[int, int] | None = None  # vertices and edges, as a comment says
    binding: bool = False  # the comment is gascl's own, and must be right
    konect: bool = False
    skipped: int = 0  # comment lines before the rows
    rows: bytes = b""  # read already
    report: list[str] = field(default_factory=list)

    @property
    def splitter(self) -> Splitter:
        return Splitter(self.separator, self.comments)


def read_layout(
    path: Path,
    lines: Lines,
    columns: Sequence[Column] | None,
    header: bool | None,
    separator: str | None,
    comments: str,
) -> Layout:
    """Read comments and the first rows; the arguments are those of the edge list's reader.

    Raises:
        FormatError: an argument is wrong, or does not go with the rows, or it cannot be told how
            the rows are laid out.
    """
    _check_options(path, columns, header, separator, comments)
    layout = Layout(None if separator == " " else separator, comments)
    first = _next_row(path, lines, layout)
    if first is None:
        return layout
    number, text = first
    if separator is None:
        layout.separator = _separator(path, number, text, comments)
    if layout.separator is not None:
        layout.report.append(f"columns parted by {BLANKS.get(layout.separator, layout.separator)}")
    row = _split(path, number, text, layout)
    second = _next_row(path, lines, layout)
    following = None if second is None else _split(path, second[0], second[1], layout)
    named = any(map(_is_name, columns or ()))
    numbers = [column for column in (columns or (0, 1))[:2] if isinstance(column, int)]
    if header is None and named:
        header = True
    layout.told = header is not None
    if header is None:
        header, layout.sure = _looks_like_header(path, layout, row, following, numbers)
    if header:
        layout.header, layout.header_line = row, number
        layout.report.append(f"line {number} is a header: {', '.join(row)}")
        layout.rows = b"" if second is None else second[1].encode(errors=ODD)
        layout.width = len(row)
    else:
        layout.rows = (text + (second[1] if second else "")).encode(errors=ODD)
        layout.width = len(row)
    _choose(path, layout, columns, [following] if header else [row, following])
    return layout


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    # Python allows these, and no file means them
    return text.isascii() and "_" not in text and not (text[0].isspace() or text[-1].isspace())


def is_int64(text: str) -> bool:
    # int() refuses very long ones
    return (
        len(text) < 1000 and INTEGER.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63
    )


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
        wrong = (
            f"columns={columns!r} must be names or numbers (from 0) of columns: source, target, "
            "and then edge fields, e.g. columns=('from', 'to', 'weight=minutes', 'km')"
        )
    elif columns is not None and len(set(columns)) < len(columns):
        wrong = f"columns={columns!r} names a column twice"
    elif header not in (True, False, None):
        wrong = f"header={header!r} must be True, False, or None: what the rows tell"
    elif separator is not None and not (
        isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    ):
        wrong = f"separator={separator!r} must be one ASCII character; ' ' is blanks and tabs"
    elif separator is not None and (separator.isalnum() or separator in '+-."\r\n\0'):
        wrong = f"separator={separator!r} is part of numbers, of quotes, or of lines"
    elif not isinstance(comments, str) or re.search(r"[^!-~]|[\w+.-]", comments):
        wrong = f"comments={comments!r} must be the characters that begin one, e.g. '#%'; '': none"
    elif header is False and any(map(_is_name, columns or ())):
        wrong = f"columns={columns!r} has names, which need a header; give numbers, from 0"
    elif separator is not None and separator in comments:
        wrong = f"separator={separator!r} begins comments, too; give comments= without it"
    if wrong:
        raise FormatError(f"{path}: {wrong}")


def _next_row(path: Path, lines: Lines, layout: Layout) -> tuple[int, str] | None:
    """Number and text of the next line that is no comment and not empty."""
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
            _heed(path, layout, bare)
        layout.skipped += 1
    return None


def _heed(path: Path, layout: Layout, comment: str) -> None:
    """What a comment before the rows says, of three kinds that are known."""
    if found := GASCL.fullmatch(comment):
        layout.directed = found[1] == "directed"
        layout.announced = int(found[2]), int(found[3])
        layout.binding = True
    elif not layout.skipped and (found := KONECT.fullmatch(comment)):
        if found[1] == "bip":
            raise FormatError(
                f"{path}: {comment!r} says that sources and targets are two kinds of vertices, "
                "each numbered from 1, so that an id may mean two of them; put a letter before the "
                "ids of one column, and delete the comment"
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
    if comments:
        line = re.sub(rf"(?<=[ \t,;|])[{re.escape(comments)}].*", "", line).rstrip(" \t")
    if suffix == ".tsv" and "\t" in line:
        return "\t"
    if "," in line and (suffix == ".csv" or "\t" not in line):
        return ","
    for mark in ";|":
        parts = [part.strip() for part in line.split(mark)]
        if len(parts) > 1 and (
            suffix == ".csv" or not any(set(" \t") & set(part) for part in parts)
        ):
            return mark
    parts = [part.strip(" ") for part in line.split("\t")]
    texts = [part for part in line.split() if not is_number(part)]
    tabs = len(parts) > 1 and any(" " in part for part in parts)
    if set(",;|") & set(line) or (texts and tabs):
        raise FormatError(
            f"{path}, line {number}: {shown(line)} may be parted in two ways; say by what with "
            "separator=, e.g. '\\t', ',' or ' ' (blanks and tabs alike)"
        )
    return None


def _split(path: Path, number: int, line: str, layout: Layout) -> list[str]:
    try:
        columns = layout.splitter.split(line)
    except ValueError as error:
        raise FormatError(
            f"{path}, line {number}: {shown(line)} cannot be parted ({error}); correct its quotes"
        ) from None
    check_text(path, number, columns)
    return columns


def _looks_like_header(
    path: Path,
    layout: Layout,
    row: list[str],
    following: list[str] | None,
    ends: list[int],
) -> tuple[bool, bool]:
    """Whether a row is a header, and whether that is sure."""
    if layout.binding:
        csv = plain(path).suffix.lower() == ".csv"
        return len(row) > 2 or (csv and row == ["source", "target"]), True
    if len(row) < 2 or max(ends) >= len(row) or min(ends) < 0:
        return False, True
    names = [re.sub(r"[\W_]|id$", "", name.lower()) for name in row]
    if (names[ends[0]], names[ends[1]]) in ENDS or tuple(names[:2]) in ENDS:
        return True, True
    if following is None or len(following) != len(row):
        return False, True
    if not any(is_number(text) for text in row):
        if all(is_int64(following[end]) for end in ends):
            return True, False
        if any(is_number(text) for text in following[2:]):
            return True, True
        if ENDS.intersection(itertools.pairwise(names)):
            return True, True
    return False, True


def _choose(
    path: Path,
    layout: Layout,
    columns: Sequence[Column] | None,
    rows: list[list[str] | None],
) -> None:
    """Which columns are what; `rows` are the first that are no header, None where there is none."""
    width = layout.width
    if width < 2:
        return  # an error that names the line is to come
    if columns is not None:
        fields = [_field_and_column(column) for column in columns[2:]]
        names = [name for name, _ in fields]
        places = [_place(path, layout, c) for c in (*columns[:2], *(c for _, c in fields))]
        if len(set(places)) < len(places):
            raise FormatError(f"{path}: columns={columns!r} names a column twice")
        layout.ends = places[0], places[1]
        for place, name in zip(places[2:], names, strict=True):
            _add_field(path, layout, place, name or (WEIGHT if len(names) == 1 else None))
        layout.report += no_weight([*layout.fields], f"columns=(SOURCE, TARGET, '{WEIGHT}=COLUMN')")
    else:
        _check_ends(path, layout)
        if layout.binding:
            for place in range(2, width):
                _add_field(path, layout, place)
        elif width > 2:
            _choose_weight(path, layout, rows)
            if width > 3 and layout.konect:
                _add_field(path, layout, 3, "time")
    used = {*layout.ends, *layout.fields.values()}
    ignored = [_column_name(layout, place) for place in range(width) if place not in used]
    if ignored:
        layout.report.append(f"columns ignored: {', '.join(ignored)}; columns= takes them")


def _choose_weight(path: Path, layout: Layout, rows: list[list[str] | None]) -> None:
    """Take the weight from the columns behind the ends: the third if it has numbers, else the one
    that has; but where the header calls one so, that one."""
    places = range(2, layout.width)
    firsts = {place: [row[place] for row in rows if row and len(row) > place] for place in places}
    header = layout.header or []
    for place in places:
        if place < len(header) and header[place].lower() == WEIGHT:
            return _add_field(path, layout, place, WEIGHT)
    # A first value that is missing or wrong is an error in its line, if others are numbers.
    if not firsts[2] or any(not text or is_number(text) for text in firsts[2]):
        return _add_field(path, layout, 2, WEIGHT)
    numeric = [place for place, texts in firsts.items() if all(map(is_number, texts))]
    if len(numeric) == 1 and not layout.konect:
        return _add_field(path, layout, numeric[0], WEIGHT)
    layout.report.append(
        f"column {_column_name(layout, 2)} is not taken as weight: {firsts[2][0]!r} is not a number"
    )


def _field_and_column(column: Column) -> tuple[str, Column]:
    """What `field=column` says, the column a name or a number; the field "" where it is unsaid."""
    if isinstance(column, int):
        return "", column
    field, name = field_and_column(column)
    return field, int(name) if field and name.isdecimal() else name


def _is_name(column: Column) -> bool:
    return isinstance(_field_and_column(column)[1], str)


def _column_name(layout: Layout, place: int) -> str:
    return f"{place} ({layout.header[place]!r})" if layout.header else f"{place} (from 0)"


def _check_ends(path: Path, layout: Layout) -> None:
    """Raises FormatError where the header says that the first two columns are no ends."""
    names = [re.sub(r"[\W_]|id$", "", name.lower()) for name in layout.header or ()]
    places = [at for at, pair in enumerate(itertools.pairwise(names)) if pair in ENDS]
    if places and places[0] and layout.header:
        pair = layout.header[places[0] : places[0] + 2]
        raise FormatError(
            f"{path}, line {layout.header_line}: {pair[0]!r} and {pair[1]!r} are not its first "
            f"columns; say which columns are source and target: columns={tuple(pair)!r}"
        )


def _place(path: Path, layout: Layout, column: Column) -> int:
    if isinstance(column, str):
        assert layout.header is not None
        if layout.header.count(column) == 1:
            return layout.header.index(column)
        found = "more than one column" if column in layout.header else "no column"
        known = ", ".join(layout.header)
        raise FormatError(
            f"{path}, line {layout.header_line}: the header has {found} {column!r}; its columns "
            f"are {known}; give another name, or a number from 0"
        )
    if not 0 <= column < layout.width:
        raise FormatError(
            f"{path}: there is no column {column}; the rows have {layout.width}, numbered 0 to "
            f"{layout.width - 1}"
        )
    return column


def _add_field(path: Path, layout: Layout, place: int, name: str | None = None) -> None:
    said = f"column {_column_name(layout, place)} taken as edge field "
    if name is None:
        name = layout.header[place] if layout.header else f"column{place}"
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
    if name in layout.fields:
        both = f"{_column_name(layout, layout.fields[name])} and {_column_name(layout, place)}"
        raise FormatError(f"{path}: columns {both} are both called {name!r}; rename one of them")
    if not name.isidentifier():
        raise FormatError(
            f"{path}: column {_column_name(layout, place)} gives no name for an edge field, which "
            "is of letters, digits and _; correct the header, or give one: "
            f"columns=(..., '{WEIGHT}={place}')"
        )
    layout.fields[name] = place
    layout.report.append(said + name)
