"""GML, by NetworkX's parser.

Himsolt, "GML: A portable Graph File Format", University of Passau, 1997.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.graph.field_types import types_of
from gascl.graph.raw_graph import RawGraph
from gascl.io.adapters.networkx import (
    InOrder,
    check_labels,
    node_labels,
    without_labels,
)
from gascl.io.attributes import attributes_of, check_texts, warn_of_weights
from gascl.io.files import created, opened
from gascl.io.format import Format, without
from gascl.io.regular_markup import Records, without_nodes
from gascl.io.symmetry import as_directed
from gascl.io.text_lines import is_float64
from gascl.io.text_numbers import Irregular
from gascl.user_messages import Option
from gascl.util.extras import imported

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

KEY = re.compile(r"[A-Za-z][0-9A-Za-z_]*")  # what NetworkX writes and reads as a name
PLACE = re.compile(r" ?at \((\d+), \d+\)$")  # at the end of an error of its parser
BEGIN = re.compile(
    rb'(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n|[A-Za-z]\w*\s+(?:"[^"]*"|[\d.]+))*graph\s*\['
)

#: A node with nothing but an id, an edge of numbers, and the numbers in either.
NODE = re.compile(rb"\bnode\s*\[\s+id\s+\d+\s*\]")
EDGE = re.compile(
    rb"\bedge\s*\[\s+source\s+\d+\s+target\s+\d+(?:\s+[A-Za-z]\w*\s+[-+.\d][-+.\deE]*)*\s*\]"
)
NUMBERS = re.compile(rb"(?<=\s)()([-+]?\.?\d[-+.\deE]*)(?=[\s\]])")

# Attributes that carry the edges' order in the file, and whether they are directed, through
# NetworkX's parser, which returns undirected edges in another order and with their ends swapped.
ORDER, DIRECTED = "gasclOrder", "gasclDirected"
TEXTS = re.compile(r'(?P<text>"[^"]*")|(?P<open>")|(?P<comment>#[^\n]*)')
NAMES = re.compile(
    r'(?P<text>"[^"]*")|(?P<graph>\bgraph\s*\[)|(?P<edge>\bedge\s*\[)|'
    r"(?P<directed>\bdirected(?=\s+[\"\d+-]))|(?P<bare>\b(?:id|label|source|target)\s*\])|"
    r"(?P<real>(?<![\w.])[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.]))|"
    r"(?P<power>(?<![\w.])[+-]?\d+(?=[eE][+-]?\d+\b))|"
    r"(?P<glued>(?<![\w.])[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![eE][+-]?\d)[^\W\d])"
)


def read(path: Path, directed: bool | None, label: str | None = None) -> RawGraph:
    """Read a GML graph; its vertices and edges are in the order of the file.

    Labels that are all 64-bit integers become integers, even if they are quoted.

    Args:
        directed: by default what the file says; GML without `directed 1` is undirected.
            True makes two edges of each undirected one.
        label: the node attribute that gives the labels; "id": the ids. By default `label` if every
            node has a different one, otherwise the ids.

    Raises:
        FormatError: the file is damaged (names the line), NetworkX is not installed, or the nodes
            have no such labels.
    """
    imported("networkx", f"{path}: GML")
    with opened(path) as file:
        data = file.read()
        text = data.decode("utf-8-sig")
    records = Records.cut(data, b"edge", EDGE, NUMBERS)
    if records is not None:
        rest, ids = records.rest, list[str]()
        if label in (None, "id"):
            rest, ids = without_nodes(rest, b"node", NODE, NUMBERS)
        if ids:
            rest = _of_node(rest, ids[0].encode())
        with suppress(Irregular, FormatError):  # an error names the line of the whole file
            return _read(path, rest.decode("utf-8-sig"), directed, label, records, ids)
    return _read(path, text, directed, label)


def _read(
    path: Path,
    text: str,
    directed: bool | None,
    label: str | None,
    records: Records | None = None,
    ids: Sequence[str] = (),
) -> RawGraph:
    """`read` of a text; `records` has the edges that were cut out of it, and `ids` are those of all
    nodes if they were."""
    networkx = imported("networkx", f"{path}: GML")
    if text.lstrip().startswith("<"):
        raise FormatError(
            f"{path} is XML (perhaps GraphML, or Geography Markup Language, which has the same "
            "extension); read GraphML with ",
            Option("format", "graphml"),
        )
    report = ["GML, by NetworkX"]
    try:
        G = networkx.parse_gml(_prepared(path, text).split("\n"), label="id")
        nodes = [(id, dict(attributes)) for id, attributes in G.nodes(data=True)]
        edges = [(tail, head, dict(a)) for tail, head, a in G.edges(data=True)]
        keyed = any(isinstance(key, str) for *_, key in G.edges(keys=True))
        edges.sort(key=lambda edge: int(edge[2].pop(ORDER)))
    except FormatError:
        raise
    except Exception as error:  # damage makes its parser fail in many ways
        raise FormatError(f"{path}{_explained(error, text)}; correct the file") from error
    if ids:
        if nodes != [(int(ids[0]), {})] or len({*ids}) < len(ids):
            raise Irregular  # the first one stands in a comment, or one is there twice
        nodes = [(int(id), {}) for id in ids]
    declared = G.graph.get(DIRECTED, 0)
    if declared not in (0, 1, "0", "1"):
        raise FormatError(
            f"{path}: `directed` is {declared!r}, and must be 0 or 1; correct the file"
        )
    declared = declared in (1, "1")
    if directed not in (None, declared):
        report.append(f"directed={directed}, though the file says directed {int(declared)}")
    if keyed:
        report.append("edge attribute 'key' left out: not all its values are numbers")
    of_graph = {name: value for name, value in G.graph.items() if name != DIRECTED}
    labels = without_labels(
        of_graph,
        node_labels(
            [id for id, _ in nodes],
            [attributes for _, attributes in nodes],
            label or "label",
            report,
            lambda node: f"{path}: node {nodes[node][0]!r}",
            optional=label is None,
        ),
        report,
    )
    place = {id: number for number, (id, _) in enumerate(nodes)}
    src = np.array([place[tail] for tail, _, _ in edges], dtype=np.int64)
    dst = np.array([place[head] for _, head, _ in edges], dtype=np.int64)
    left_out: dict[str, str] = {}
    coded = attributes_of([a for *_, a in edges], "edge", report, text=True, left_out=left_out)
    fields = {name: field.values for name, field in coded.items()}
    of_vertices = attributes_of([attributes for _, attributes in nodes], "node", report, text=True)
    if records is not None:
        if types_of(coded):
            raise Irregular
        src, dst, fields = records.edges(place, fields, report, len(edges))
    warn_of_weights(path, left_out)
    parsed = RawGraph(
        src=src,
        dst=dst,
        num_vertices=len(nodes),
        directed=declared,
        labels=labels,
        fields=fields,
        report=report,
        vertex_fields={name: field.values for name, field in of_vertices.items()},
        edge_types=types_of(coded),
        vertex_types=types_of(of_vertices),
    )
    return as_directed(parsed, directed)


def _of_node(data: bytes, id: bytes) -> bytes:
    """The text after its first edge, whose nodes may have been cut out, was made a loop."""
    edge = EDGE.search(data)
    if edge is None:
        return data
    tail, head = list(NUMBERS.finditer(edge[0]))[:2]
    loop = edge[0][: tail.start(2)] + id + edge[0][tail.end(2) : head.start(2)] + id
    return data[: edge.start()] + loop + edge[0][head.end(2) :] + data[edge.end() :]


def _prepared(path: Path, text: str) -> str:
    """`text` changed such that NetworkX's parser reads it correctly, with the same lines.

    A quote in a comment hides lines from that parser, an empty line in quotes stops it, it needs
    `multigraph 1` for parallel edges, and it loses the edges' order (see ORDER).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    graphs = edges = 0

    def plain(match: re.Match[str]) -> str:
        kind, found = match.lastgroup, match.group()
        if kind == "text":  # moved to one line, with the line ends after it
            parts = [part.strip() for part in found.split("\n")]
            return " ".join(parts) + "\n" * (len(parts) - 1) if len(parts) > 1 else found
        if kind == "open":
            line = text.count("\n", 0, match.start()) + 1
            raise FormatError(
                f"{path}, line {line}: the text that starts here has no closing quote; correct "
                "the file, or fetch it again if it is cut off"
            )
        return ""  # a comment

    def prepared(match: re.Match[str]) -> str:
        nonlocal graphs, edges
        kind, found = match.lastgroup, match.group()
        if kind == "directed":
            return DIRECTED
        if kind == "graph":
            graphs += 1
            return found + " multigraph 1 directed 1 " if graphs == 1 else found
        if kind == "edge":
            edges += 1
            return f"{found} {ORDER} {edges} "
        if kind == "real" and not is_float64(found):
            line = match.string.count("\n", 0, match.start()) + 1
            raise FormatError(
                f"{path}, line {line}: {found} is a number that float64 cannot hold: it would "
                f"become {float(found)}; change the unit, or write that"
            )
        if kind == "real":  # NetworkX reads 1e5 as 1 and a name e5, or even e
            return found if "." in found else re.sub("(?=[eE])", ".0", found)
        if kind == "power":
            return f"{found}.0"
        if kind in ("bare", "glued"):  # it would take the bracket for the value, and 1x for 1 and x
            wrong = f"{found[:-1].strip()!r} has no value"
            if kind == "glued":
                wrong = f"{found!r} is neither a number nor a name"
            line = match.string.count("\n", 0, match.start()) + 1
            raise FormatError(f"{path}, line {line}: {wrong}; correct the file")
        return found

    return NAMES.sub(prepared, TEXTS.sub(plain, text))


def _explained(error: Exception, text: str) -> str:
    """The message of an error of NetworkX's parser, starting with the line if it names one."""
    message = " ".join(str(error).split()).replace(DIRECTED, "directed")
    if isinstance(error, RecursionError):
        message = "lists are nested too deeply"
    elif not isinstance(error, (ValueError, KeyError)) and "NetworkX" not in type(error).__name__:
        message = f"a node, an edge or the graph is not a list of names and values ({message})"
    place = PLACE.search(message)
    if not place:
        return f": {message[:200]}"
    lines = text.splitlines() or [""]
    number = min(int(place[1]), len(lines))
    shown = f"{lines[number - 1].strip()[:80]!r}: "
    message = message[: place.start()].replace("'EOF'", "EOF").replace("EOF", "the end of the file")
    if message.startswith("cannot tokenize"):
        message = "expected a name, a number, text in double quotes, '[' or ']'"
    return f", line {number}: {shown}{message[:200]}"


def write(path: Path, graph: Graph) -> None:
    """Write a graph as GML: labels quoted, fields as attributes, `multigraph 1` where needed.

    Attributes are written at edges and vertices: a graph without them comes back without fields.

    Raises:
        FormatError: GML cannot hold its labels or a field's name, or NetworkX is not installed.
    """
    networkx = imported("networkx", f"{path}: GML")
    check_labels(path, graph, "GML")
    check_texts(path, graph, "GML")
    taken = {"edge": {"source", "target", "key"}, "vertex": {"id", "label"}}
    for noun, fields in (("edge", graph.edge_fields), ("vertex", graph.vertex_fields)):
        for name in fields:
            if name in taken[noun] or not KEY.fullmatch(name):
                raise FormatError(
                    f"{path}: GML cannot hold the {noun} field {name!r}: names consist of letters "
                    f"A to Z, digits and _, and are not {' or '.join(sorted(taken[noun]))}; rename "
                    f"it, or write .graphml; {without(f'{noun}-fields')}"
                )
    with created(path) as file:
        for line in networkx.generate_gml(InOrder(graph, plain=True)):
            if '"' not in line:
                line = line.replace(".E", ".0E")  # igraph cannot read NetworkX's 1.E-05
            file.write((line + "\n").encode("ascii"))


FORMAT = Format(
    name="gml",
    extensions=(".gml",),
    recognizes=lambda head: BEGIN.match(head) is not None,
    read=read,
    write=write,
)
