"""Graphs from and to NetworkX, and what its readers and writers of files share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.field_types import FieldType, Times, cells, listed, types_of
from gascl.graph.labels import INTEGER, fit_int64, label_array, shown
from gascl.graph.raw_graph import RawGraph
from gascl.io.adapters.adjacency import edge_records, read_adjacency
from gascl.io.attributes import Records, attributes_of, named_attributes, warn_of_left_out
from gascl.user_messages import Option
from gascl.util.extras import imported
from gascl.util.host import check_host_memory

if TYPE_CHECKING:
    from pathlib import Path

    from gascl.graph.graph import Graph

#: The attribute of a graph in a file whose vertices had no labels, or text that is integers.
KIND_OF_LABELS, NO_LABELS, TEXT_LABELS = "gasclLabels", 0, "text"

#: The least bytes that NetworkX takes for a node and for an edge, and Python for a label.
NODE, EDGE, LABEL = 200, 250, 40


def read_networkx(
    G: Any, fields: Iterable[str] | None, vertex_fields: Iterable[str] | None = None
) -> RawGraph:
    """Nodes as labels, edges in `G.edges` order, and attributes as fields.

    Raises:
        GraphError: `G` is not a NetworkX graph, or one of `fields` or `vertex_fields` cannot be
            read, as by `named_attributes`.
    """
    if not all(hasattr(G, name) for name in ("nodes", "edges", "is_directed", "is_multigraph")):
        raise GraphError(f"from_networkx needs a NetworkX graph, not {type(G).__name__}")
    adjacency = read_adjacency(G)
    src, dst, labels = adjacency.src, adjacency.dst, adjacency.nodes
    records = list(edge_records(G, adjacency))
    nodes = [attributes for _, attributes in G.nodes(data=True)]
    report: list[str] = []
    if fields is None:
        left_out: dict[str, str] = {}
        taken = attributes_of(records, "edge", report, left_out=left_out)
        remedy = "set numbers on all edges, or name the attributes to take: fields=[...]"
        warn_of_left_out("from_networkx", "edge attribute", left_out, remedy)
    else:

        def edge(number: int) -> str:
            return f"edge ({shown(labels[src[number]])}, {shown(labels[dst[number]])})"

        taken = named_attributes(records, edge, fields, "fields")
    if vertex_fields is None:
        left_out = {}
        of_vertices = attributes_of(nodes, "node", report, text=True, left_out=left_out)
        remedy = "set numbers on all nodes, or name the attributes to take: vertex_fields=[...]"
        warn_of_left_out("from_networkx", "node attribute", left_out, remedy)
    else:
        of_vertices = named_attributes(
            nodes, lambda number: f"node {shown(labels[number])}", vertex_fields, "vertex_fields"
        )
    return RawGraph(
        src=src,
        dst=dst,
        num_vertices=len(labels),
        directed=G.is_directed(),
        labels=label_array(labels),
        fields={name: field.values for name, field in taken.items()},
        report=report,
        vertex_fields={name: field.values for name, field in of_vertices.items()},
        edge_types=types_of(taken),
        vertex_types=types_of(of_vertices),
        in_range=True,
    )


def whole_or_text(ids: list[Any]) -> np.ndarray:
    """Ids or labels in a file as labels: int64 if all are 64-bit integers in their usual notation,
    quoted or not (NetworkX quotes them); else text.
    """
    names = [str(name) for name in ids]
    # longer text is not a 64-bit integer, and Python refuses to convert very long text
    if all(len(name) <= 20 and INTEGER.fullmatch(name) for name in names) and names:
        numbers = [int(name) for name in names]
        if min(numbers) >= -(2**63) and max(numbers) < 2**63 and list(map(str, numbers)) == names:
            return np.array(numbers, dtype=np.int64)
    return np.array(names, dtype=str)


def node_labels(
    ids: list[Any],
    records: Records,
    name: str,
    report: list[str],
    where: Callable[[int], str],
    optional: bool = False,
) -> np.ndarray:
    """The labels of the nodes in a file: an attribute, removed from the records, or the ids.

    Args:
        name: of the attribute; "id": the ids.
        where: the start of an error message about a node, by its number.
        optional: take the ids if nodes lack the attribute or have the same one.

    Raises:
        FormatError: the attribute or the ids are not different labels for all nodes.
    """
    if name != "id":
        # NetworkX returns "()" and "[]" in GML as an empty tuple and list
        values = [str(v) if (v := each.get(name)) in ((), []) else v for each in records]
        node, wrong, labels = _not_labels(values, name)
        if not wrong:
            for attributes in records:
                del attributes[name]
            report.append(f"labels: the nodes' {name}, {_kind_of(labels)}")
            return labels
        if not optional:
            raise FormatError(
                f"{where(node)} {wrong}; choose labels that all nodes have and that are different, "
                "such as ",
                Option("label", "id", of="reader"),
            )
        if any(value is not None for value in values):
            report.append(f"node {ids[node]!r} {wrong}, so the ids are the labels")
    node, wrong, labels = _not_labels(ids, "id")
    if wrong:
        raise FormatError(f"{where(node)} {wrong}, quoted or not; correct the file")
    report.append(f"labels: the nodes' ids, {_kind_of(labels)}")
    return labels


def _not_labels(values: list[Any], name: str) -> tuple[int, str, np.ndarray]:
    """The first of the nodes' values that cannot be a label, why, and the labels if all can."""
    labels = whole_or_text(values)
    for node, value in enumerate(values):
        if value is None:
            return node, f"has no {name!r}", labels
        if isinstance(value, (list, dict)):
            return node, f"has a list as its {name!r}", labels
    _, first = np.unique(labels, return_index=True)
    if len(first) == len(labels):
        return 0, "", labels
    node = int(np.setdiff1d(np.arange(len(labels)), first)[0])
    return node, f"has the {name} {labels[node].item()!r} of an earlier one", labels


def _kind_of(labels: np.ndarray) -> str:
    return "integers" if labels.dtype.kind == "i" else "text"


def without_labels(
    attributes: dict[str, Any], labels: np.ndarray, report: list[str]
) -> np.ndarray | None:
    """The labels, as text if the file says that they were, or None if it says that its graph had
    none; reports the graph's other attributes.
    """
    left_out = [str(name) for name in attributes if name != KIND_OF_LABELS]
    if left_out:
        report.append(f"graph attributes left out: {', '.join(left_out)}")
    kind = attributes.get(KIND_OF_LABELS)
    if kind == TEXT_LABELS and labels.dtype.kind == "i":
        report.append("labels: text, as the file says")
        return labels.astype(str)
    if kind in (NO_LABELS, str(NO_LABELS)) and np.array_equal(labels, np.arange(len(labels))):
        report[:] = [line for line in report if not line.startswith("labels: ")]
        report.append("ids are the vertices themselves, without labels")
        return None
    return labels


def write_networkx(graph: Graph, multigraph: bool | None = None) -> Any:
    """A networkx.Graph or DiGraph, or MultiGraph or MultiDiGraph if there are parallel edges.

    Args:
        multigraph: True: always a multigraph; False: never.

    Raises:
        GraphError: NetworkX is not installed, a label is None, or there are parallel edges and
            `multigraph` is False.
    """
    networkx = imported("networkx", "to_networkx", GraphError)
    if graph.labels is not None and graph.labels.dtype == object and None in graph.labels.tolist():
        raise GraphError(
            "the label None cannot be a node of NetworkX; give the graph other labels, such as "
            "labels=[str(label) for label in graph.labels]"
        )
    nodes, edges = graph.num_vertices, graph.num_edges
    what = f"{nodes:,} nodes and {edges:,} edges of NetworkX"
    check_host_memory(NODE * nodes + EDGE * edges, what)
    rows = InOrder(graph)
    parallel = rows.is_multigraph()
    if multigraph not in (None, True, False):
        raise GraphError(f"multigraph={multigraph!r} must be True, False, or None: if necessary")
    if parallel and multigraph is False:
        raise GraphError(
            "multigraph=False: some edges have the same ends, and only one of them would remain; "
            "merge them with ",
            Option("duplicates"),
            " when making the graph, or leave out multigraph=False",
        )
    multiple = parallel or bool(multigraph)
    kinds = {
        (False, False): networkx.Graph,
        (False, True): networkx.MultiGraph,
        (True, False): networkx.DiGraph,
        (True, True): networkx.MultiDiGraph,
    }
    G = kinds[graph.directed, multiple]()
    G.add_nodes_from(rows.nodes(data=True))
    G.add_edges_from(rows.edges(data=True, keys=multiple))
    return G


class InOrder:
    """A Graph with the interface that NetworkX's writers need, with the edges in their own order;
    NetworkX's graphs sort them by node.

    Args:
        plain: attributes are numbers, bools and text, for files; times are text there.
    """

    def __init__(self, graph: Graph, plain: bool = False):
        check_host_memory(LABEL * graph.num_vertices, f"{graph.num_vertices:,} labels in Python")
        labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
        # NetworkX's name for attributes of the graph itself
        self.graph: dict[str, Any] = {}
        if graph.labels is None:
            self.graph = {KIND_OF_LABELS: NO_LABELS}
        elif graph.labels.dtype.kind == "U" and whole_or_text(labels.tolist()).dtype.kind == "i":
            self.graph = {KIND_OF_LABELS: TEXT_LABELS}
        self._source = graph
        self._labels = labels.tolist()
        self._repeats = repeats(graph)
        self._plain = plain
        self.nodes = _Nodes(self._labels, self._node_rows)

    def _node_rows(self) -> Iterator[dict[str, Any]]:
        graph = self._source
        return _rows(graph.vertex_fields, graph.vertex_types, len(self._labels), self._plain)

    def is_directed(self) -> bool:
        return self._source.directed

    def is_multigraph(self) -> bool:
        return bool(self._repeats)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def edges(self, data: bool = False, keys: bool = False) -> Iterator[tuple[Any, ...]]:
        labels, fields, types = self._labels, self._source.edge_fields, self._source.edge_types
        ends = zip(self._source.edge_src.tolist(), self._source.edge_dst.tolist(), strict=True)
        rows = _rows(fields, types, self._source.num_edges, self._plain)
        for edge, ((tail, head), row) in enumerate(zip(ends, rows, strict=True)):
            key = (self._repeats.get(edge, 0),) if keys else ()
            yield (labels[tail], labels[head], *key, *((row,) if data else ()))


class _Nodes:
    def __init__(self, labels: list[Any], rows: Callable[[], Iterator[dict[str, Any]]]):
        self._labels = labels
        self._rows = rows

    def items(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        return zip(self._labels, self._rows(), strict=True)

    def __call__(self, data: bool = False) -> Iterator[Any]:
        return self.items() if data else iter(self._labels)


def _rows(
    fields: Mapping[str, np.ndarray], types: Mapping[str, FieldType], count: int, plain: bool
) -> Iterator[dict[str, Any]]:
    """The attributes of each edge or node, without those that it does not have."""
    columns = []
    for name, values in fields.items():
        kind = types.get(name)
        if plain and isinstance(kind, Times):  # with nanoseconds, which Python's times lack
            columns.append([text or None for text in cells(np.asarray(values), kind).tolist()])
        else:
            columns.append(listed(np.asarray(values), kind))
    for row in range(count):
        each = ((name, column[row]) for name, column in zip(fields, columns, strict=True))
        yield {name: value for name, value in each if value is not None}


def repeats(graph: Graph) -> dict[int, int]:
    """For each edge that repeats the ends of earlier ones: how many there are."""
    low, high = graph.edge_src, graph.edge_dst
    if not graph.directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    pairs = low.astype(np.int64) * graph.num_vertices + high
    order = np.argsort(pairs, kind="stable")
    again = order[1:][np.diff(pairs[order]) == 0]
    counts: defaultdict[int, int] = defaultdict(int)
    found = {}
    for edge in np.sort(again).tolist():
        counts[int(pairs[edge])] += 1
        found[edge] = counts[int(pairs[edge])]
    return found


def check_labels(path: Path, graph: Graph, format: str) -> None:
    """Raises FormatError unless the labels are integers or text."""
    if graph.num_vertices and graph.labels is not None and graph.labels.dtype.kind not in "iuU":
        raise FormatError(
            f"{path}: {format} can only hold integers or text as labels, and the graph's are mixed "
            "or other objects; give the graph labels of text"
        )
    if graph.labels is not None and not fit_int64(graph.labels):
        raise FormatError(
            f"{path}: {format} would be read back with text as labels, since {graph.labels.max()} "
            "is not a 64-bit integer; gascl's own format (.npz) holds such labels, or give the "
            "graph labels of text"
        )
