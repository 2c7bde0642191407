"""LDBC Graphalytics: a graph in three files, `.properties`, `.v` and `.e`.

Iosup and others, "The LDBC Graphalytics Benchmark", specification 1.0.6, section 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parallel import blocks as blocks_of
from gascl.graph.parallel import extremes, in_threads
from gascl.graph.raw_graph import RawGraph
from gascl.io.files import PACKED, created_together, opened, plain, unended
from gascl.io.format import Format, check_integers, check_limits
from gascl.io.number_rows import read_rows, write_rows
from gascl.io.symmetry import as_directed
from gascl.io.text_lines import (
    INT64,
    Splitter,
    integer,
    line_of_row,
    numbered_lines,
)
from gascl.user_messages import Message, Option
from gascl.util.paths import checked_path

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

NAME = "Graphalytics"
SPLITTER = Splitter(None, "")
TYPES = {"integer": np.int64, "real": np.float64}
KEY = re.compile(r"graph\.(.+)\.(?:vertex-file|edge-file|directed)")


def read(path: Path, directed: bool | None) -> RawGraph:
    """Read a graph from its `.properties`, or from its `.v` or `.e` and the files of the same name
    beside them; each may be compressed. The ids, 64-bit integers, become labels in the order of
    `.v`; the numbers after an edge's ends become fields.

    Without properties the graph is directed, and a third column is the field "weight".

    Args:
        directed: by default what the properties say. True makes two edges of each undirected one,
            one in each direction; False makes every edge of a directed graph undirected.

    Raises:
        FormatError: a file is missing or damaged, an id is repeated, an edge's end is not a vertex,
            or the counts in the properties are wrong; names the line.
    """
    files = _files(path)
    labels = _read_vertices(files.vertices)
    src, dst, fields = _read_edges(files, labels)
    _check_counts(files, len(labels), len(src))
    report = [
        f"Graphalytics: vertices from {files.vertices.name}, edges from {files.edges.name}",
        "ids read as labels",
        *(line for each in (files.vertices, files.edges) for line in unended(each)),
    ]
    stored = files.directed
    if files.source is not None:
        known = "undirected" if stored is False else "directed"
        note = "" if stored is not None else ", the default, since they do not say"
        report.append(f"properties from {files.source.name}: {known}{note}")
    elif directed is None:
        report.append(
            Message(
                "read as directed, since there are no properties; ",
                Option("directed", False),
                ": undirected",
            )
        )
    for name, values in fields.items():
        report.append(f"column {3 + list(fields).index(name)} read as {name}, {values.dtype}")
    parsed = RawGraph(
        src=src,
        dst=dst,
        num_vertices=len(labels),
        directed=stored is not False,
        labels=labels,
        fields=fields,
        report=report,
        in_range=True,
    )
    return as_directed(parsed, directed, "edge of the directed graph" if stored else "")


def read_properties(path: str | Path) -> dict[str, str]:
    """The properties of the graph in a `.properties` file, without "graph.NAME." before them.

    "name" is the graph's name; "bfs.source-vertex" and the like are the algorithms' parameters.

    Raises:
        FormatError: the file describes no graph or several.
    """
    properties = load_properties(path)
    names = sorted({match[1] for key in properties if (match := KEY.fullmatch(key))})
    if len(names) != 1:
        described = f"describes the graphs {', '.join(names)}" if names else "describes no graph"
        raise FormatError(
            f"{path}: it {described}; expected one, in lines such as 'graph.NAME.vertex-file = "
            "NAME.v'"
        )
    begin = f"graph.{names[0]}."
    own = {key[len(begin) :]: value for key, value in properties.items() if key.startswith(begin)}
    return {"name": names[0], **own}


def write(path: Path, graph: Graph) -> None:
    """Write all three files, under the name before `.properties`, `.v` or `.e` in `path` and
    compressed like it. The ids are the labels, which must be integers, or the vertices' indices.

    Raises:
        FormatError: the labels are not 64-bit integers, or there are vertex fields.
    """
    if plain(path).suffix.lower() not in (".properties", ".v", ".e"):
        raise FormatError(f"{path}: the files of {NAME} end in .properties, .v and .e; name one")
    check_limits(path, graph, NAME, labels=True, edge_fields=None)
    for name, values in graph.edge_fields.items():
        if values.dtype.kind != "f":
            check_integers(path, NAME, f"edge field {name!r}", values, INT64.min, INT64.max)
    stem = plain(path).stem
    packing = "" if plain(path) == path else path.suffix
    paths = [path.with_name(f"{stem}{end}{packing}") for end in (".properties", ".v", ".e")]
    labels = graph.labels if graph.labels is not None else np.arange(graph.num_vertices)
    columns = [labels[graph.edge_src], labels[graph.edge_dst], *graph.edge_fields.values()]
    with created_together(*paths) as (properties, vertices, edges):
        write_rows(vertices, len(labels), lambda part: [labels[part]])
        write_rows(edges, graph.num_edges, lambda part: [column[part] for column in columns])
        properties_of = _properties_of(graph, stem, paths[1].name, paths[2].name)
        properties.write(properties_text(properties_of).encode())


@dataclass(frozen=True)
class Files:
    """The files of a graph, and what its properties say."""

    source: Path | None  # the .properties
    properties: dict[str, str]
    vertices: Path
    edges: Path

    @property
    def directed(self) -> bool | None:
        declared = self.properties.get("directed", "").strip().lower()
        if declared not in ("true", "false", ""):
            raise FormatError(
                f"{self.source}: directed is {declared!r}; correct it to true or false"
            )
        return {"true": True, "false": False}.get(declared)

    @property
    def columns(self) -> dict[str, type] | None:
        """The columns after an edge's ends; None without properties."""
        if self.source is None:
            return None
        names, types = (
            [word.strip() for word in self.properties.get(key, "").split(",") if word.strip()]
            for key in ("edge-properties.names", "edge-properties.types")
        )
        wrong = None
        if len(names) != len(types):
            wrong = f"there are {len(names)} edge-properties.names and {len(types)} types"
        elif unknown := [word for word in types if word not in TYPES]:
            wrong = f"edge-properties.types has {unknown[0]!r}, and only integer and real are known"
        elif odd := [name for name in names if not name.isidentifier() or names.count(name) > 1]:
            wrong = f"edge-properties.names has {odd[0]!r}, and names must be unique identifiers"
        if wrong:
            raise FormatError(f"{self.source}: {wrong}; correct the properties")
        return {name: TYPES[word] for name, word in zip(names, types, strict=True)}


def _files(path: Path) -> Files:
    unpacked = plain(path)
    packing = path.name[len(unpacked.name) :]
    suffix = unpacked.suffix.lower()
    if suffix in (".v", ".e"):
        source = _found(unpacked.with_suffix(".properties"), packing)
        properties = {} if source is None else read_properties(source)
        other = _sibling(path, unpacked.with_suffix(".e" if suffix == ".v" else ".v"), packing)
        vertices, edges = (path, other) if suffix == ".v" else (other, path)
        return Files(source, properties, vertices, edges)
    properties = read_properties(path)
    parts = []
    for key in ("vertex-file", "edge-file"):
        if not properties.get(key):
            raise FormatError(
                f"{path}: it names no {key}; add 'graph.{properties['name']}.{key} = ...'"
            )
        parts.append(_sibling(path, path.parent / properties[key], ""))
    return Files(path, properties, parts[0], parts[1])


def _found(path: Path, packing: str) -> Path | None:
    """The file, with this compression if there is one, else with any."""
    for suffix in (packing, "", *PACKED):
        each = path.with_name(path.name + suffix)
        try:
            if each.is_file():
                return each
        except OSError:  # an impossible name
            return None
    return None


def _sibling(path: Path, wanted: Path, packing: str) -> Path:
    files = _found(wanted, packing)
    if files is None:
        plain_list = Message(", or read a plain list of edges with ", Option("format", "edgelist"))
        raise FormatError(
            f"{path}: {wanted} belongs to it and is missing; fetch it",
            plain_list if wanted.suffix == ".v" else "",
        )
    return files


def _properties_of(graph: Graph, name: str, vertices: str, edges: str) -> dict[str, str]:
    rows = {
        "vertex-file": vertices,
        "edge-file": edges,
        "meta.vertices": str(graph.num_vertices),
        "meta.edges": str(graph.num_edges),
        "directed": str(graph.directed).lower(),
    }
    if graph.edge_fields:
        kinds = [values.dtype.kind for values in graph.edge_fields.values()]
        rows["edge-properties.names"] = ", ".join(graph.edge_fields)
        rows["edge-properties.types"] = ", ".join("real" if k == "f" else "integer" for k in kinds)
    return {f"graph.{name}.{key}": value for key, value in rows.items()}


def _read_vertices(path: Path) -> np.ndarray:
    """The ids, int64 (V,), each once."""
    wrong = "is not a vertex; expected one id, a 64-bit integer; correct the line"
    (ids,) = read_rows(path, 1, [], wrong, prepare=_without_comments, split=_words)
    ids = ids.astype(np.int64, copy=False)
    if (ids[1:] > ids[:-1]).all():
        return ids
    order = np.argsort(ids, kind="stable")
    again = order[1:][np.diff(ids[order]) == 0]
    if len(again):
        row = int(again.min())
        number, _ = line_of_row(path, row, _is_row)
        before, _ = line_of_row(path, int(np.argmax(ids == ids[row])), _is_row)
        raise FormatError(
            f"{path}, line {number}: the vertex {ids[row]} is already in line {before}; delete "
            "one of the lines"
        )
    return ids


def _words(line: str) -> list[str]:
    """The columns of a line; none for an empty one or a comment."""
    return [] if line.startswith("#") else SPLITTER.split(line)


def _is_row(_: int, line: str) -> bool:
    return bool(_words(line))


def _without_comments(block: bytes) -> bytes:
    return re.sub(rb"(?m)^#[^\n]*", b"", block) if b"#" in block else block


def _read_edges(
    files: Files, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Source and target of each edge as positions in `labels`, and the fields, all (E,)."""
    names, whole = _read_rows(files)
    src, dst = (_places(files, labels, ends) for ends in whole[:2])
    return src, dst, dict(zip(names, whole[2:], strict=True))


def _read_rows(files: Files) -> tuple[list[str], list[np.ndarray]]:
    """The names of the fields, and all columns, (E,) each.

    Raises:
        FormatError: a row is not an edge; names the line.
    """
    known = files.columns is not None
    kinds: dict[str, Any] = {**(files.columns or {})}
    if not known:
        first = next((w for _, line in numbered_lines(files.edges) if (w := _words(line))), [])
        kinds = {"weight": None} if len(first) == 3 else {}
    held = ["SOURCE", "TARGET"]
    held += [f"{name} ({np.dtype(kind or np.float64).name})" for name, kind in kinds.items()]
    wrong = (
        f"is not an edge; expected '{' '.join(held)}' with 64-bit integers as ids, and values "
        "that float64 can hold; correct the line or the edge-properties in .properties"
    )
    types = list(kinds.values())
    rows = read_rows(files.edges, 2, types, wrong, prepare=_without_comments, split=_words)
    return list(kinds), rows


def _places(files: Files, labels: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """int32 (E,): the position of each of `ends` in `labels`."""
    if not len(ends):
        return np.empty(0, dtype=np.int32)
    least, most = extremes(labels) if len(labels) else (0, -1)
    table: np.ndarray = np.empty(0, np.int32)
    order: np.ndarray = np.empty(0, np.int64)
    if most - least < 4 * len(labels):
        # A table over the whole span is small, and much faster than searching.
        table = np.full(most - least + 1, -1, dtype=np.int32)
        table[labels - least] = np.arange(len(labels), dtype=np.int32)
    else:
        order = np.argsort(labels, kind="stable")
    places = np.zeros(len(ends), dtype=np.int32)

    def found(block: slice) -> bool:
        wanted = ends[block]
        if len(table):
            places[block] = table[np.clip(wanted, np.int64(least), np.int64(most)) - least]
        else:
            near = np.searchsorted(labels, wanted, sorter=order)
            places[block] = order[np.minimum(near, len(labels) - 1)]
        # -1 gives the last label, which differs.
        return bool((labels[places[block]] == wanted).all())

    if len(labels) and all(in_threads(found, blocks_of(len(ends)))):
        return places
    wrong = labels[places] != ends if len(labels) else np.ones(len(ends), bool)
    if wrong.any():
        row = int(np.argmax(wrong))
        number, _ = line_of_row(files.edges, row, _is_row)
        raise FormatError(
            f"{files.edges}, line {number}: {ends[row]} is not a vertex; {files.vertices.name} "
            f"lists {len(labels):,}: add it there, or correct the line"
        )
    return places


def _check_counts(files: Files, num_vertices: int, num_edges: int) -> None:
    for noun, count in (("vertices", num_vertices), ("edges", num_edges)):
        declared = files.properties.get(f"meta.{noun}")
        if declared is not None and integer(declared) != count:
            raise FormatError(
                f"{files.source}: meta.{noun} is {declared}, and the files have {count:,}; fetch "
                "them again, or correct the number"
            )


BLANKS = r" \t\f"
PROPERTY = re.compile(rf"((?:\\.|[^\\=:{BLANKS}])*)[{BLANKS}]*[=:]?[{BLANKS}]*(.*)", re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def load_properties(path: str | Path) -> dict[str, str]:
    """The properties in a file, in UTF-8, as `java.util.Properties.load` reads them, but without
    blanks at the ends of values. If a key occurs twice, the last value counts.

    Raises:
        FormatError: the file cannot be read.
    """
    path = checked_path(path)
    with opened(path) as file:
        text = file.read().decode("utf-8-sig")
    found: dict[str, str] = {}
    kept = ""  # the start of a line that continues on the next
    for line in [*re.split("\r\n|\r|\n", text), ""]:
        line = line.lstrip(" \t\f")
        if not kept and (not line or line[0] in "#!"):
            continue
        line = kept + line
        if (len(line) - len(line.rstrip("\\"))) % 2:
            kept = line[:-1]
            continue
        kept = ""
        match = PROPERTY.fullmatch(line)
        assert match is not None  # every line matches
        key, value = (_unescaped(part) for part in match.groups())
        found[key] = value.rstrip(" \t\f")
    return found


def properties_text(properties: Mapping[str, str]) -> str:
    """The text of a file with these properties, in ASCII."""
    return "".join(f"{_escaped(k, True)} = {_escaped(v, False)}\n" for k, v in properties.items())


def _unescaped(text: str) -> str:
    text = ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else CONTROL.get(m[2], m[2]), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(text: str, is_key: bool) -> str:
    special = r"[\\=:#! \t\f\r\n]" if is_key else r"\\|^ |[\r\n\t\f]"
    letters = {value: key for key, value in CONTROL.items()}
    text = re.sub(special, lambda m: "\\" + letters.get(m[0], m[0]), text)
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


FORMAT = Format(
    name="graphalytics",
    extensions=(".properties", ".v", ".e"),
    recognizes=lambda head: re.search(rb"(?m)^graph\.\S+\.vertex-file\s*[=:]", head) is not None,
    read=read,
    write=write,
)
