"""GraphML, its attributes by NetworkX's reader.

Brandes, Eiglsperger, Herman, Himsolt, Marshall, "GraphML Progress Report", Graph Drawing 2001;
http://graphml.graphdrawing.org.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parsed import Parsed
from gascl.io.adapters import imported
from gascl.io.adapters.networkx import (
    InOrder,
    check_labels,
    numeric_attributes,
    whole_or_text,
    without_labels,
)
from gascl.io.files import created, opened
from gascl.io.format import Format, without
from gascl.io.undirected import MADE_DIRECTED, both_ways

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
IN_GRAPH = ("desc", "data", "node", "edge", "hyperedge", "locator")  # by the schema
#: In which elements, by the schema, these may stand.
PARENTS = {
    **{"graphml": (), "graph": ("graphml", "node", "edge")},
    **{"node": ("graph",), "edge": ("graph",), "hyperedge": ("graph",)},
}
DIRECTIONS = {"directed": True, "undirected": False}


def read(path: Path, directed: bool | None, label: str = "id") -> Parsed:
    """Read a GraphML graph; its vertices and edges are in the order of the file.

    Labels that are all whole numbers of 64 bits are taken as such. An attribute's default stands
    where it is left out. Nodes and edges of nested graphs are of the graph itself.

    Args:
        directed: by default what the file says. True makes two edges of each undirected one.
        label: the node attribute that gives the labels, such as "name"; "id": the nodes' ids.

    Raises:
        FormatError: the file is damaged or declares entities (names the line), holds what no Graph
            can (several graphs, hyperedges, edges some with and some without direction), NetworkX
            is missing, or the nodes have no such labels.
    """
    reading = imported("networkx.readwrite.graphml", f"{path}: GraphML")
    with opened(path) as file:
        root = tree(path, file, NAMESPACE)
    graph = _only_graph(path, root)
    nodes, edges = _elements(graph, "node"), _elements(graph, "edge")
    place = _places(path, nodes, edges)
    report = ["GraphML, attributes by NetworkX"]
    said = _direction(path, graph, edges)
    if directed not in (None, said):
        report.append(f"directed={directed}, though the file's edges are {_word(said)}")
    reader = reading.GraphMLReader()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            keys, defaults = reader.find_graphml_keys(root)
        except Exception as error:  # it takes all keys for good ones
            raise FormatError(
                f"{path}: a <key> lacks its name, or is of a type or has a default that is not "
                f"known ({error!r}); correct it"
            ) from error
    report.extend(f"NetworkX: {warning.message}" for warning in warned)
    rows: dict[str, list[dict[str, Any]]] = {}
    for noun, elements in (("node", nodes), ("edge", edges)):
        of_noun = {
            id: value for id, value in defaults.items() if keys[id]["for"] in (noun, "all", None)
        }
        preset = {keys[id]["name"]: value for id, value in of_noun.items()}
        rows[noun] = [{**preset, **_values(path, reader, keys, element)} for element in elements]
    for left_out, what in (("port", "ports of nodes"), ("graph", "borders of nested graphs")):
        count = len(_elements(graph, left_out)) - (left_out == "graph")
        if count:
            report.append(f"{what} left out: {count:,}")
    labels = _labels(path, nodes, rows["node"], label, report)
    kept = without_labels(_values(path, reader, keys, graph), labels, report)
    src = np.array([place[edge.attrib["source"]] for edge in edges], dtype=np.int64)
    dst = np.array([place[edge.attrib["target"]] for edge in edges], dtype=np.int64)
    fields = numeric_attributes(rows["edge"], "edge", report, text=True)
    if directed and not said:
        report.append(MADE_DIRECTED)
        src, dst, fields = both_ways(src, dst, fields)
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=len(nodes),
        directed=said if directed is None else directed,
        labels=kept,
        fields=fields,
        report=report,
        vertex_fields=numeric_attributes(rows["node"], "node", report, text=True),
    )


def _elements(graph: Located, name: str) -> list[Any]:
    return list(graph.iter(f"{{{NAMESPACE}}}{name}"))


def _word(directed: bool) -> str:
    return "directed" if directed else "undirected"


def _only_graph(path: Path, root: Located) -> Any:
    if root.tag != f"{{{NAMESPACE}}}graphml":
        raise FormatError(
            f"{path} is XML, but no GraphML: it begins with <{root.tag.split('}')[-1]}>, and "
            "<graphml> is expected; check the path"
        )
    _check_places(path, root)
    graphs: list[Any] = root.findall(f"{{{NAMESPACE}}}graph")
    if len(graphs) != 1:
        raise FormatError(
            f"{path} holds {len(graphs)} graphs, and a file to read holds one; "
            + ("save each in a file of its own" if graphs else "add <graph> with nodes and edges")
        )
    hyperedges = _elements(graphs[0], "hyperedge")
    if hyperedges:
        raise FormatError(
            f"{path}, line {hyperedges[0].line}: has a hyperedge, which no Graph can hold; write "
            "its pairs as edges"
        )
    return graphs[0]


def _check_places(path: Path, root: Located) -> None:
    """Raises FormatError where a graph, node or edge is in another element than the schema says, or
    a graph holds something else; so that nothing is left out because a tag is damaged."""
    begin = f"{{{NAMESPACE}}}"
    parents = {begin + name: [begin + each for each in PARENTS[name]] for name in PARENTS}
    inside = [begin + name for name in IN_GRAPH]
    for parent in root.iter():
        graph = parent.tag == begin + "graph"
        for child in parent:
            tag = child.tag
            if parent.tag in parents.get(tag, (parent.tag,)) and not (
                graph and tag not in inside and tag.startswith(begin)
            ):
                continue
            names = [each.tag.split("}")[-1] for each in (child, parent)]
            line = child.line  # type: ignore[attr-defined]
            raise FormatError(
                f"{path}, line {line}: <{names[0]}> stands in <{names[1]}>; <node> and <edge> "
                "stand in <graph>, and little else does; correct the tags"
            )


def _places(path: Path, nodes: list[Any], edges: list[Any]) -> dict[str, int]:
    """The number of each node by its id, once nodes and edges are known to have what they need."""
    place: dict[str, int] = {}
    for node in nodes:
        name = node.get("id")
        if name is None or name in place:
            wrong = "has no id" if name is None else f"has the id {name!r}, as one before it"
            raise FormatError(f"{path}, line {node.line}: a node {wrong}; give it one of its own")
        place[name] = len(place)
    for edge in edges:
        for end in ("source", "target"):
            name = edge.get(end)
            if name not in place:
                wrong = "no " + end if name is None else f"the {end} {name!r}, which is no node"
                raise FormatError(
                    f"{path}, line {edge.line}: an edge has {wrong}; correct it or add the node"
                )
    return place


def _direction(path: Path, graph: Any, edges: list[Any]) -> bool:
    """Whether the edges are directed: all of them, or none."""
    usual = None
    for each in _elements(graph, "graph"):  # itself, and those nested in it
        word = each.get("edgedefault", "undirected" if usual is None else _word(usual))
        if word not in DIRECTIONS or usual not in (None, DIRECTIONS[word]):
            expected = "directed or undirected" if usual is None else _word(usual)
            raise FormatError(
                f"{path}, line {each.line}: edgedefault is {word!r}, and {expected} is expected; "
                "correct it"
            )
        usual = DIRECTIONS[word]
    first = None
    for edge in edges:
        word = edge.get("directed")
        if word not in (None, "true", "false"):
            raise FormatError(
                f"{path}, line {edge.line}: an edge has directed={word!r}, and true or false is "
                "expected; correct it"
            )
        way = usual if word is None else word == "true"
        if first not in (None, way):
            raise FormatError(
                f"{path}, line {edge.line}: an edge is {_word(bool(way))}, and others before it "
                "are not; a Graph's edges are all alike: write an undirected one as two directed"
            )
        first = way
    return bool(usual if first is None else first)


def _values(path: Path, reader: Any, keys: Any, element: Any) -> dict[str, Any]:
    try:
        return reader.decode_data_elements(keys, element)
    except Exception as error:  # NetworkXError, or ValueError and KeyError of the conversions
        noun = element.tag.split("}")[-1]
        raise FormatError(
            f"{path}, line {element.line}: the <data> of this {noun} are not as their key says: "
            f"{str(error)[:200]}; correct them or the key"
        ) from error


def _labels(
    path: Path, nodes: list[Any], rows: list[dict[str, Any]], name: str, report: list[str]
) -> np.ndarray:
    """The labels, as `label` says; takes them out of the attributes."""
    if name == "id":
        labels = whole_or_text([node.get("id") for node in nodes])
    else:
        first: dict[str, int] = {}
        for node, row in zip(nodes, rows, strict=True):
            value = str(row.pop(name)) if name in row else None
            if value is None or value in first:
                wrong = f"has no {name!r}" if value is None else f"has the {name} {value!r} again"
                raise FormatError(
                    f"{path}, line {node.line}: a node {wrong}; choose labels that all nodes have "
                    "and that differ, such as label='id'"
                )
            first[value] = node.line
        labels = whole_or_text(list(first))
    kind = "integers" if labels.dtype.kind == "i" else "text"
    report.append(f"labels: the nodes' {'ids' if name == 'id' else name}, {kind}")
    return labels


def write(path: Path, graph: Graph) -> None:
    """Write a graph as GraphML: labels as ids, fields as attributes (long and double).

    Raises:
        FormatError: GraphML cannot hold its labels or fields, or NetworkX is missing.
    """
    networkx = imported("networkx", f"{path}: GraphML")
    check_labels(path, graph, "GraphML")
    for name, values in graph.vertex_fields.items():
        if values.ndim > 1:
            raise FormatError(
                f"{path}: GraphML can't hold the vertex field {name!r}, which has "
                f"{values.shape[1]} values a vertex; write .gml, or one field for each; "
                f"{without('vertex-fields')}"
            )
    if graph.labels is not None and graph.labels.dtype.kind == "U":
        wrong = next((name for name in graph.labels.tolist() if NOT_IN_XML.search(name)), None)
        if wrong is not None:
            raise FormatError(
                f"{path}: GraphML can't hold the label {wrong!r}: XML has no such character; "
                "write .gml, or give other labels"
            )
    with created(path) as file:
        networkx.write_graphml_xml(InOrder(graph), file)


class Located(Element):
    """An element and the line of the file where it begins."""

    line = 0


def tree(path: Path, file: BinaryIO, namespace: str) -> Located:
    """The root element. Elements in no namespace are taken for those of `namespace`.

    Entities are refused where they are declared: some would grow without bounds, and others name
    files to be read. (Lots of tiny entities are "billion laughs".)

    Raises:
        FormatError: it is damaged, or declares entities; names the line.
    """
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    builder = TreeBuilder(element_factory=Located)
    prefix = f"{{{namespace}}}"

    def begin(name: str, attributes: dict[str, str]) -> None:
        element: Any = builder.start("{" + name if "}" in name else prefix + name, attributes)
        element.line = parser.CurrentLineNumber

    def declared(name: str, *_: Any) -> None:
        raise FormatError(
            f"{path}, line {parser.CurrentLineNumber}: declares the entity {name!r}, which such a "
            "file has no need of and which may do harm; write the text out and delete the DOCTYPE"
        )

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda name: builder.end("")  # expat has checked the name
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = declared
    try:
        parser.ParseFile(file)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, (FormatError, UnicodeDecodeError)):
            raise
        text = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        raise FormatError(
            f"{path}, line {max(parser.ErrorLineNumber, 1)}: is no XML that can be read: {text}; "
            "mend the file, or fetch it again if it is cut off"
        ) from error
    root: Any = builder.close()
    return root


FORMAT = Format(
    name="graphml",
    extensions=(".graphml",),
    recognizes=lambda head: re.search(rb"<(?:\w+:)?graphml\b", head) is not None,
    read=read,
    write=write,
)
