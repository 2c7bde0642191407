"""Slow readers of text formats, line by line in plain Python as the specifications say, with which
fuzz/targets.py compares gascl's readers. Each gives the vertices and edges of a text, or Wrong."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

INTEGER = re.compile(r"[+-]?[0-9]+")
REAL = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)"
)


class Wrong(Exception):
    """The text is not of its format."""


class Unknown(Exception):
    """The text has something that these readers do not handle."""


@dataclass
class Expected:
    """A graph: ends are labels where the format has such, and else vertices from 0."""

    num_vertices: int | None  # None: those in the edges
    edges: list[tuple]  # (source, target, values...)
    vertex_fields: dict[str, list] = field(default_factory=dict)


def whole(text: str) -> int:
    if not INTEGER.fullmatch(text) or len(text.lstrip("+-0")) > 40:
        raise Wrong(f"{text!r} is no integer")
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise Wrong(f"{text} takes more than 64 bits")
    return value


def is_whole(text: object) -> bool:
    try:
        whole(str(text))
    except Wrong:
        return False
    return True


def real(text: str) -> float:
    if not REAL.fullmatch(text.lower()):
        raise Wrong(f"{text!r} is no number")
    mantissa = text.lower().partition("e")[0]
    beyond = math.isinf(float(text)) if mantissa[-1:].isdigit() else False
    if beyond or (float(text) == 0 and re.search("[1-9]", mantissa)):
        raise Wrong(f"{text!r} is beyond float64")
    return float(text)


def lines_of(data: bytes) -> list[str]:
    """The lines, without their ends, which the last line may lack."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def metis(data: bytes, directed: bool | None) -> Expected:
    """METIS 5.1.0's manual, section 4.1.1."""
    lines = [line for line in lines_of(data) if not line.startswith("%")]
    if not lines:
        raise Wrong("no header")
    words = lines[0].split()
    if not 2 <= len(words) <= 4:
        raise Wrong("a header has 2 to 4 numbers")
    num_vertices, num_edges = whole(words[0]), whole(words[1])
    kind = words[2].rjust(3, "0") if len(words) > 2 else "000"
    if not re.fullmatch("[01]{3}", kind):
        raise Wrong("fmt is up to three digits 0 or 1")
    has_size, has_weights, has_edge_weights = (digit == "1" for digit in kind)
    ncon = whole(words[3]) if len(words) > 3 else 0
    lead = int(has_size) + ((ncon or 1) if has_weights else 0)
    if len(lines) - 1 < num_vertices or any(line.strip() for line in lines[1 + num_vertices :]):
        raise Wrong("a vertex has a line")
    arcs, sizes, weights = [], [], []
    for vertex, line in enumerate(lines[1 : 1 + num_vertices]):
        numbers = [whole(word) for word in line.split()]
        if len(numbers) < lead:
            raise Wrong("a size or weight lacks")
        leading, rest = numbers[:lead], numbers[lead:]
        if has_size:
            sizes.append(leading.pop(0))
        weights.append(leading[0] if len(leading) == 1 else leading)
        step = 2 if has_edge_weights else 1
        if len(rest) % step:
            raise Wrong("an edge's weight lacks")
        for at in range(0, len(rest), step):
            if not 1 <= rest[at] <= num_vertices:
                raise Wrong("no such neighbor")
            arcs.append((vertex, rest[at] - 1, *rest[at + 1 : at + step]))
    if len(arcs) != 2 * num_edges:
        raise Wrong("the header has other edges")
    if sorted(arcs) != sorted((head, tail, *rest) for tail, head, *rest in arcs):
        raise Wrong("an edge stands at both its ends")
    fields = {"size": sizes} if has_size else {}
    if has_weights:
        fields["weight"] = weights
    edges = arcs if directed else [arc for arc in arcs if arc[0] < arc[1]]
    return Expected(num_vertices, edges, fields)


def dimacs(graph: bytes, coordinates: bytes | None) -> Expected:
    """9th DIMACS Implementation Challenge, "File formats"."""
    (num_vertices, count), rows = _dimacs_rows(graph, ["p", "sp"], 2, "a")
    if len(rows) != count:
        raise Wrong("the problem line has other arcs")
    for source, target, _ in rows:
        if not (1 <= source <= num_vertices and 1 <= target <= num_vertices):
            raise Wrong("no such vertex")
    edges = [(source - 1, target - 1, weight) for source, target, weight in rows]
    if coordinates is None:
        return Expected(num_vertices, edges)
    (count,), rows = _dimacs_rows(coordinates, ["p", "aux", "sp", "co"], 1, "v")
    if sorted(row[0] for row in rows) != list(range(1, num_vertices + 1)) or count != num_vertices:
        raise Wrong("every vertex has coordinates")
    return Expected(num_vertices, edges, {"coordinates": [row[1:] for row in sorted(rows)]})


def _dimacs_rows(
    data: bytes, problem: list[str], count: int, letter: str
) -> tuple[list[int], list[list[int]]]:
    sizes: list[int] = []
    rows = []
    for line in lines_of(data):
        words = line.split()
        if not words or words[0].startswith("c"):
            continue
        if words[0] == "p":
            if sizes or words[: len(problem)] != problem or len(words) != len(problem) + count:
                raise Wrong("one problem line")
            sizes = [whole(word) for word in words[len(problem) :]]
        elif words[0] != letter or len(words) != 4 or not sizes:
            raise Wrong("no row")
        else:
            rows.append([whole(word) for word in words[1:]])
    if not sizes:
        raise Wrong("no problem line")
    return sizes, rows


def graphalytics(
    properties: bytes | None, vertices: bytes, edges: bytes, directed: bool | None
) -> Expected:
    """LDBC Graphalytics, section 2.2; lines that begin with # are skipped, too."""
    kinds: list[str] | None = None
    said: dict[str, str] = {}
    if properties is not None:
        if b"\\" in properties or b"\r" in properties or not properties.isascii():
            raise Unknown
        for line in lines_of(properties):
            found = re.fullmatch(r"[ \t\f]*([^#!=: \t\f][^=: \t\f]*)[ \t\f]*[=: \t\f]?(.*)", line)
            if found:
                said[found[1]] = found[2].strip(" \t\f")
        whose = [
            re.fullmatch(r"(graph\..+\.)(vertex-file|edge-file|directed)", key) for key in said
        ]
        begin = {found[1] for found in whose if found}.pop()
        said = {key.removeprefix(begin): said[key] for key in said if key.startswith(begin)}
        kinds = [word.strip() for word in said.get("edge-properties.types", "").split(",")]
        kinds = [word for word in kinds if word]
    labels = []
    for line in lines_of(vertices):
        words = [] if line.startswith("#") else line.split()
        if len(words) > 1:
            raise Wrong("one id a line")
        labels += [whole(word) for word in words]
    known = set(labels)
    if len(known) < len(labels):
        raise Wrong("a vertex is twice there")
    rows: list[tuple] = []
    for line in lines_of(edges):
        words = [] if line.startswith("#") else line.split()
        if not words:
            continue
        ends = [whole(word) for word in words[:2]]
        if len(ends) < 2 or not {*ends} <= known:
            raise Wrong("an edge has two vertices")
        if kinds is not None and len(words) != 2 + len(kinds):
            raise Wrong("an edge has other properties")
        if kinds is None and len(words) > 3:
            raise Wrong("an edge may have a weight")
        if rows and len(words) != len(rows[0]):
            raise Wrong("edges have all the same properties")
        rows.append((*ends, *words[2:]))
    if kinds is None:
        kinds = [
            "integer" if all(map(is_whole, column)) else "real"
            for column in zip(*rows, strict=True)
        ][2:]
    numbers = [whole if name == "integer" else real for name in kinds]
    rows = [
        (*row[:2], *(n(text) for n, text in zip(numbers, row[2:], strict=True))) for row in rows
    ]
    for name, count in (("meta.vertices", len(labels)), ("meta.edges", len(rows))):
        if name in said and whole(said[name]) != count:
            raise Wrong(f"{name} is another")
    if directed and said.get("directed", "").lower() == "false":
        rows += [(head, tail, *rest) for tail, head, *rest in rows if tail != head]
    return Expected(len(labels), rows)


TOKEN = re.compile(
    r'(?P<blank>\s+|#[^\n]*)|(?P<text>"[^"]*")|(?P<mark>[\[\]])|(?P<name>[A-Za-z][0-9A-Za-z_]*)|'
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+|INF)(?:[eE][+-]?[0-9]+)?)"
)


def gml(data: bytes) -> Expected:
    """GML's lists of names and values: the nodes and edges of its graph."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode().replace("\r\n", "\n").replace("\r", "\n")
    tokens, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise Wrong("a quote has no end, or this is no word")
        at = found.end()
        if found.lastgroup != "blank":
            tokens.append(found.group())
    tokens.reverse()
    graphs = [value for name, value in _gml_list(tokens, False) if name == "graph"]
    if len(graphs) != 1 or not isinstance(graphs[0], list):
        raise Wrong("one graph")
    if any(name in ("node", "edge") and not isinstance(value, list) for name, value in graphs[0]):
        raise Wrong("a node is a list")
    place: dict[str, int] = {}
    for name, node in graphs[0]:
        if name == "node":
            ids = [value for key, value in node if key == "id"]
            if len(ids) != 1 or ids[0] in place:
                raise Wrong("a node has an id of its own")
            place[ids[0]] = len(place)
    edges = []
    for name, edge in graphs[0]:
        if name == "edge":
            ends = [[v for key, v in edge if key == end] for end in ("source", "target")]
            if any(len(end) != 1 for end in ends):
                raise Wrong("an edge has a source and a target")
            if any(end[0] not in place for end in ends):  # maybe written in another way: +1
                raise Unknown
            edges.append((place[ends[0][0]], place[ends[1][0]]))
    return Expected(len(place), edges)


def _gml_list(tokens: list[str], inside: bool) -> list[tuple]:
    pairs: list[tuple] = []
    while tokens:
        name = tokens.pop()
        if name == "]" and inside:
            return pairs
        if not re.match("[A-Za-z]", name) or not tokens:
            raise Wrong("a name and its value")
        value = tokens.pop()
        if value == "]":
            raise Wrong("a name without a value")
        pairs.append((name, _gml_list(tokens, True) if value == "[" else value))
    if inside:
        raise Wrong("a list without an end")
    return pairs


def graphml(data: bytes) -> Expected:
    """Nodes and edges in GraphML's namespace, or in none; others are extensions."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Wrong(str(error)) from None
    place: dict[str, int] = {}
    edges = []
    for element in root.iter():
        kind = element.tag.removeprefix("{http://graphml.graphdrawing.org/xmlns}")
        if kind == "node":
            place[element.attrib["id"]] = len(place)
        elif kind == "edge":
            edges.append((element.attrib["source"], element.attrib["target"]))
    if any(end not in place for edge in edges for end in edge):
        raise Wrong("an edge has two nodes")
    return Expected(len(place), [(place[source], place[target]) for source, target in edges])
