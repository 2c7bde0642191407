"""GraphML: the XML by defusedxml, the attributes by NetworkX's reader.

Nodes and edges are read here, since NetworkX's reader loses the order of edges, drops graphs
without a namespace, makes nodes of edges' ends that are not declared, and ignores nodes and edges
in the wrong elements.

Brandes, Eiglsperger, Herman, Himsolt, Marshall, "GraphML Progress Report", Graph Drawing 2001;
http://graphml.graphdrawing.org.
"""

from __future__ import annotations

import io
import re
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ErrorString

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
from gascl.io.column_names import WEIGHT
from gascl.io.files import created, opened
from gascl.io.format import Format, without
from gascl.io.regular_markup import Records, without_nodes
from gascl.io.symmetry import as_directed
from gascl.io.text_lines import is_float64, is_number
from gascl.io.text_numbers import Irregular
from gascl.util.extras import imported

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
BEGIN = f"{{{NAMESPACE}}}"  # of a tag
CHUNK = 1 << 16  # bytes parsed at a time
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
IN_GRAPH = ("desc", "data", "node", "edge", "hyperedge", "locator")  # by the schema
#: In which elements, by the schema, these may stand.
PARENTS = {
    **{"graphml": (), "graph": ("graphml", "node", "edge")},
    **{"node": ("graph",), "edge": ("graph",), "hyperedge": ("graph",)},
}
#: An edge with nothing but values.
EDGE = re.compile(
    rb'<edge\s+source="[^"<&]*"\s+target="[^"<&]*"\s*'
    rb'(?:/>|>(?:\s*<data\s+key="[^"<&]*"\s*>[^<&]*</data>)*\s*</edge>)'
)
#: A node with nothing but an id.
NODE = re.compile(rb'<node\s+id="[^"<&]*"\s*(?:/>|>\s*</node>)')
#: The numbers in either, each behind what precedes it in an id.
NUMBERS = re.compile(
    rb'(?:(?<= id=")|(?<=source=")|(?<=target=")|(?<=>))'
    rb'([^"<\s\d+.-]*)([-+]?\.?\d[-+.\deE]*)(?=["<])'
)
DIRECTIONS = {"directed": True, "undirected": False}


def read(path: Path, directed: bool | None, label: str = "id") -> RawGraph:
    """Read a GraphML graph; its vertices and edges are in the order of the file.

    Labels that are all 64-bit integers become integers. An attribute that is left out has its
    default. Nodes and edges of nested graphs belong to the graph itself.

    Args:
        directed: by default what the file says. True makes two edges of each undirected one.
        label: the node attribute that gives the labels, such as "name"; "id": the nodes' ids.

    Raises:
        FormatError: the file is damaged or declares entities (names the line), contains what a
            Graph cannot hold (several graphs, hyperedges, directed and undirected edges), NetworkX
            or defusedxml is not installed, or the nodes have no such labels.
    """
    imported("networkx.readwrite.graphml", f"{path}: GraphML")
    with opened(path) as file:
        data = file.read()
        records = Records.cut(data, b"<edge", EDGE, NUMBERS)
        if records is not None:
            with suppress(Irregular, FormatError):  # an error names the line of the whole file
                return _read(path, records.rest, directed, label, records)
        return _read(path, data, directed, label)


def _read(
    path: Path, data: bytes, directed: bool | None, label: str, records: Records | None = None
) -> RawGraph:
    """`read` of a file's content; `records` has the edges that were cut out of it."""
    reading = imported("networkx.readwrite.graphml", f"{path}: GraphML")
    ids: list[str] = []
    if records is not None and label == "id":
        data, ids = without_nodes(data, b"<node", NODE, NUMBERS)
    root = _tree(path, io.BytesIO(data))
    graph = _only_graph(path, root)
    nodes, edges = _elements(graph, "node"), _elements(graph, "edge")
    place = dict(zip(ids, range(len(ids)), strict=True)) or _places(path, nodes)
    if ids and ([node.get("id") for node in nodes] != ids[:1] or len(place) < len(ids)):
        raise Irregular  # the first one stands in a comment, or one is there twice
    _check_ends(path, edges, place)
    report = ["GraphML, attributes by NetworkX"]
    declared = _direction(path, graph, edges)
    if directed not in (None, declared):
        report.append(f"directed={directed}, though the file's edges are {_word(declared)}")
    reader = reading.GraphMLReader()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            keys, defaults = reader.find_graphml_keys(root)
        except Exception as error:  # it does not check the keys
            raise FormatError(
                f"{path}: a <key> has no name, an unknown type, or a wrong default ({error!r}); "
                "correct it"
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
    labels = node_labels(
        list(place),
        rows["node"],
        label,
        report,
        lambda node: f"{path}, line {nodes[node].line}: a node",
    )
    kept = without_labels(_values(path, reader, keys, graph), labels, report)
    src = np.array([place[edge.attrib["source"]] for edge in edges], dtype=np.int64)
    dst = np.array([place[edge.attrib["target"]] for edge in edges], dtype=np.int64)
    of_edges, of_nodes = (_declared(root, noun) for noun in ("edge", "node"))
    partial: dict[str, str] = {}
    coded = attributes_of(
        rows["edge"], "edge", report, text=True, left_out=partial, declared=of_edges
    )
    fields = {name: field.values for name, field in coded.items()}
    of_vertices = attributes_of(rows["node"], "node", report, text=True, declared=of_nodes)
    if records is not None:
        if len(fields) > 1 or defaults or types_of(coded):
            raise Irregular  # which value is whose would have to be found out
        src, dst, fields = records.edges(place, fields, report, len(edges))
    warn_of_weights(path, partial)
    parsed = RawGraph(
        src=src,
        dst=dst,
        num_vertices=len(place),
        directed=declared,
        labels=kept,
        fields=fields,
        report=report,
        vertex_fields={name: field.values for name, field in of_vertices.items()},
        edge_types=types_of(coded),
        vertex_types=types_of(of_vertices),
    )
    return as_directed(parsed, directed)


def _declared(root: Located, noun: str) -> set[str]:
    """The attributes of edges, or nodes, that the file says are text; a weight is a number."""
    keys = [key for key in root.findall(BEGIN + "key") if key.get("attr.type") == "string"]
    names = (key.get("attr.name", "") for key in keys if key.get("for") in (noun, "all", None))
    return {*names} - {WEIGHT}


class Located(Element):
    """An element and the line of the file where it starts."""

    line = 0


def _tree(path: Path, file: BinaryIO) -> Located:
    """The root element. Elements in no namespace are taken for those of GraphML.

    defusedxml refuses declarations of entities: some grow without bounds, and others name files to
    be read.

    Raises:
        FormatError: the XML is damaged, or declares entities; names the line.
    """
    defused = imported("defusedxml.ElementTree", f"{path}: GraphML")

    def element(tag: str, attributes: dict[str, str]) -> Located:
        made = Located(tag if "}" in tag else BEGIN + tag, attributes)
        made.line = parser.parser.CurrentLineNumber
        return made

    parser = defused.DefusedXMLParser(target=TreeBuilder(element_factory=element))
    try:
        while text := file.read(CHUNK):
            parser.feed(text)
        return parser.close()
    except (defused.EntitiesForbidden, defused.ExternalReferenceForbidden) as error:
        raise FormatError(
            f"{path}, line {parser.parser.CurrentLineNumber}: declares the entity "
            f"{getattr(error, 'name', None)!r}, which GraphML does not need and which may do harm; "
            "replace it by its text and delete the DOCTYPE"
        ) from error
    except SystemError as error:  # CPython's XML parser may lose its own MemoryError
        raise MemoryError from error
    except (defused.ParseError, ValueError, LookupError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        line = max(parser.parser.ErrorLineNumber, 1)
        cause = ErrorString(error.code) if isinstance(error, defused.ParseError) else str(error)
        raise FormatError(
            f"{path}, line {line}: this is not readable XML: {cause}; correct the file, or fetch "
            "it again if it is cut off"
        ) from error


def _elements(graph: Located, name: str) -> list[Any]:
    return list(graph.iter(BEGIN + name))


def _word(directed: bool) -> str:
    return "directed" if directed else "undirected"


def _only_graph(path: Path, root: Located) -> Any:
    if root.tag != BEGIN + "graphml":
        raise FormatError(
            f"{path} is XML, but not GraphML: it starts with <{root.tag.split('}')[-1]}> instead "
            "of <graphml>; check the path"
        )
    _check_places(path, root)
    graphs: list[Any] = root.findall(BEGIN + "graph")
    if len(graphs) != 1:
        raise FormatError(
            f"{path} contains {len(graphs)} graphs, and one is expected; "
            + ("save each in its own file" if graphs else "add a <graph> with nodes and edges")
        )
    hyperedges = _elements(graphs[0], "hyperedge")
    if hyperedges:
        raise FormatError(
            f"{path}, line {hyperedges[0].line}: has a hyperedge, which a Graph cannot hold; "
            "write its pairs as edges"
        )
    return graphs[0]


def _check_places(path: Path, root: Located) -> None:
    """Raises FormatError if a graph, node or edge is in the wrong element by the schema, or a graph
    contains anything else, so that nothing is left out because a tag is damaged."""
    parents = {BEGIN + name: [BEGIN + each for each in PARENTS[name]] for name in PARENTS}
    inside = [BEGIN + name for name in IN_GRAPH]
    for parent in root.iter():
        graph = parent.tag == BEGIN + "graph"
        for child in parent:
            tag = child.tag
            if parent.tag in parents.get(tag, (parent.tag,)) and not (
                graph and tag not in inside and tag.startswith(BEGIN)
            ):
                continue
            names = [each.tag.split("}")[-1] for each in (child, parent)]
            line = child.line  # type: ignore[attr-defined]
            raise FormatError(
                f"{path}, line {line}: <{names[0]}> is in <{names[1]}>; <node> and <edge> belong "
                "in <graph>, and little else does; correct the tags"
            )


def _places(path: Path, nodes: list[Any]) -> dict[str, int]:
    """The number of each node by its id."""
    place: dict[str, int] = {}
    for node in nodes:
        name = node.get("id")
        if name is None or name in place:
            wrong = "has no id" if name is None else f"has the id {name!r} of an earlier one"
            raise FormatError(f"{path}, line {node.line}: a node {wrong}; give it its own")
        place[name] = len(place)
    return place


def _check_ends(path: Path, edges: list[Any], place: dict[str, int]) -> None:
    """Raises FormatError if an end of an edge is not a node."""
    for edge in edges:
        for end in ("source", "target"):
            name = edge.get(end)
            if name not in place:
                wrong = "no " + end if name is None else f"the {end} {name!r}, which is not a node"
                raise FormatError(
                    f"{path}, line {edge.line}: an edge has {wrong}; correct it or add the node"
                )


def _direction(path: Path, graph: Any, edges: list[Any]) -> bool:
    """Whether the edges are directed: all of them, or none."""
    usual = None
    for each in _elements(graph, "graph"):  # itself and those nested in it
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
                f"{path}, line {edge.line}: an edge is {_word(bool(way))}, and earlier ones are "
                "not; in a Graph all or none are: write an undirected edge as two directed ones"
            )
        first = way
    return bool(usual if first is None else first)


def _values(path: Path, reader: Any, keys: Any, element: Any) -> dict[str, Any]:
    for data in element.iterfind(BEGIN + "data"):
        text = (data.text or "").strip()
        key = keys.get(data.get("key"))
        if key and key["type"] is float and is_number(text) and not is_float64(text):
            raise FormatError(
                f"{path}, line {data.line}: {text} is a number that float64 cannot hold: it would "
                f"become {float(text)}; change the unit, or write that"
            )
    try:
        return reader.decode_data_elements(keys, element)
    except Exception as error:  # NetworkXError, or ValueError and KeyError of the conversions
        noun = element.tag.split("}")[-1]
        raise FormatError(
            f"{path}, line {element.line}: the <data> of this {noun} does not match its key: "
            f"{str(error)[:200]}; correct it or the key"
        ) from error


def write(path: Path, graph: Graph) -> None:
    """Write a graph as GraphML: labels as ids, fields as attributes (long and double).

    Attributes are written at edges and vertices: a graph without them comes back without fields.

    Raises:
        FormatError: GraphML cannot hold its labels or fields, or NetworkX is not installed.
    """
    networkx = imported("networkx", f"{path}: GraphML")
    check_labels(path, graph, "GraphML")
    check_texts(path, graph, "GraphML", numbers=False)
    for name, values in graph.vertex_fields.items():
        if values.ndim > 1:
            raise FormatError(
                f"{path}: GraphML cannot hold the vertex field {name!r}, which has "
                f"{values.shape[1]} values per vertex; write .gml, or one field for each; "
                f"{without('vertex-fields')}"
            )
    if graph.labels is not None and graph.labels.dtype.kind == "U":
        wrong = next((name for name in graph.labels.tolist() if NOT_IN_XML.search(name)), None)
        if wrong is not None:
            raise FormatError(
                f"{path}: GraphML cannot hold the label {wrong!r}: XML does not allow one of its "
                "characters; write .gml, or give other labels"
            )
    with created(path) as file:
        networkx.write_graphml_xml(InOrder(graph, plain=True), file)


FORMAT = Format(
    name="graphml",
    extensions=(".graphml",),
    recognizes=lambda head: re.search(rb"<(?:\w+:)?graphml\b", head) is not None,
    read=read,
    write=write,
)
