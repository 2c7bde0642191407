"""Slow readers, as in naive_formats.py, for formats with columns: edge lists and Matrix Market."""

from __future__ import annotations

import csv
import math
import re

from support.naive_formats import Expected, Unknown, Wrong, is_whole, lines_of, real, whole

MARKS = {"commas": ",", "semicolons": ";", "bars": "|", "tabs": "\t"}


def edge_list(data: bytes, report: list[str]) -> Expected:
    """An edge list, laid out as gascl's report says that it took it."""
    separator, header, fields, kinds = None, 0, {}, {}
    for line in report:
        if found := re.fullmatch("columns separated by (.*)", line):
            separator = MARKS.get(found[1], found[1])
        elif found := re.match(r"line (\d+) is a header", line):
            header = int(found[1])
        elif found := re.fullmatch(r"column (\d+) .*? read as edge field (\w+)", line):
            fields[found[2]] = int(found[1])
        elif found := re.match(r"(\w+): (text|times|bool)\b", line):
            kinds[found[1]] = found[2]
    rows = []
    for number, line in enumerate(lines_of(data), start=1):
        columns = _split(line, separator, "#%")
        if columns and number != header:
            rows.append(columns)
    if len({len(row) for row in rows}) > 1 or any(len(row) < 2 for row in rows):
        raise Wrong("rows have as many columns")
    ids = [text for row in rows for text in row[:2]]
    if not all(ids):
        raise Wrong("an id is empty")
    kind = whole if all(map(is_whole, ids)) else str
    values = []
    for name, place in fields.items():
        column = [row[place] for row in rows]
        if name in kinds:
            values.append(_coded(column, kinds[name]))
            continue
        if name != "weight" and not all(column):
            values.append([real(text) if text else math.nan for text in column])
            continue
        values.append([(whole if all(map(is_whole, column)) else real)(text) for text in column])
        unsigned = all(re.fullmatch("[+]?[0-9]{1,40}|-0+", text) for text in column)
        if unsigned and max(map(int, column), default=0) < 2**64:
            values[-1] = [*map(int, column)]
    edges = [
        (kind(row[0]), kind(row[1]), *(column[at] for column in values))
        for at, row in enumerate(rows)
    ]
    return Expected(None, edges)


def _coded(column: list[str], kind: str) -> list[int]:
    """Texts as places among all of them, sorted; bools as 0 or 1."""
    if kind == "times":
        raise Unknown
    if kind == "bool":
        return [["false", "true"].index(text.lower()) for text in column]
    places = {text: place for place, text in enumerate(sorted({*column} - {""}))}
    return [places.get(text, -1) for text in column]


def _split(line: str, separator: str | None, marks: str) -> list[str]:
    """The columns of a line; none of a comment. A comment begins at the line's begin, or where
    blanks separate the columns behind one."""
    line = line.removesuffix("\r").strip(" \t\r")
    quoted = separator is not None and '"' in line
    before = " "
    for at, letter in enumerate(line):
        if letter in marks and before in " \t" and not (separator and at):
            line = line[:at].rstrip(" \t")
            break
        before = letter
    if not line:
        return []
    if "\0" in line or "\r" in line or any("\udc80" <= letter <= "\udcff" for letter in line):
        raise Wrong("no text")
    if separator is None:
        return [word for word in re.split("[ \t]+", line) if word]
    columns = line.split(separator)
    if quoted:
        try:
            (columns,) = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
        except csv.Error as error:
            raise Wrong(str(error)) from None
        begin = rf"(?:^|(?<={re.escape(separator)}))"
        parts = re.findall(begin + r'[ \t]*("(?:[^"]|"")*")', line)
        inside = {part[1:-1].replace('""', '"') for part in parts}
        return [column if column in inside else column.strip(" \t") for column in columns]
    return [column.strip(" \t") for column in columns]


def matrix_market(data: bytes, directed: bool | None) -> Expected:
    """NISTIR 5935; comments may come later, too."""
    lines = lines_of(data)
    words = lines[0].lower().split() if lines else []
    if words[:2] != ["%%matrixmarket", "matrix"] or len(words) != 5:
        raise Unknown  # to SciPy's reader of headers some of these are none
    layout, kind, symmetry = words[2:]
    rows = [columns for line in lines[1:] if (columns := _split(line, None, "%"))]
    if not rows:
        raise Wrong("no sizes")
    sizes = [whole(text) for text in rows.pop(0)]
    if len(sizes) < (2 if layout == "array" else 3) or sizes[0] != sizes[1]:
        raise Wrong("no sizes of a square")
    number = whole if kind == "integer" else real
    if kind == "unsigned-integer":
        number = _unsigned
    if layout == "array":
        places = _places(sizes[0], symmetry)
        if [len(row) for row in rows] != [1] * len(places):
            raise Wrong("an entry a line, and all of them")
        values = [number(row[0]) for row in rows]
        entries = [(*place, v) for place, v in zip(places, values, strict=True) if v != 0]
    else:
        if len(rows) != sizes[2]:
            raise Wrong("the sizes have other entries")
        width = 2 if kind == "pattern" else 3
        if any(len(row) != width for row in rows):
            raise Wrong("an entry has row, column and value")
        entries = [(whole(r[0]) - 1, whole(r[1]) - 1, *map(number, r[2:])) for r in rows]
    if any(not (0 <= row < sizes[0] and 0 <= column < sizes[0]) for row, column, *_ in entries):
        raise Wrong("no such row or column")
    if symmetry == "skew-symmetric":
        entries += [(column, row, -value) for row, column, value in entries]
    elif symmetry == "symmetric" and directed:
        entries += [(column, row, *rest) for row, column, *rest in entries if row != column]
    return Expected(sizes[0], entries)


def _unsigned(text: str) -> int:
    if not re.fullmatch("[+-]?0*[0-9]{1,40}", text) or not 0 <= int(text) < 2**64:
        raise Wrong("no integer of 64 bits without a sign")
    return int(text)


def _places(size: int, symmetry: str) -> list[tuple[int, int]]:
    """The entries that an array stores, column by column."""
    if size > 1000:
        raise Unknown
    least = {"general": -size, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    return [(row, column) for column in range(size) for row in range(size) if row - column >= least]
