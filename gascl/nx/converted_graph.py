"""A NetworkX graph as this backend holds it: nodes, adjacency, attributes, and engines."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import islice
from operator import ne
from typing import TYPE_CHECKING, Any, TypeVar

import networkx as nx
import numpy as np

from gascl.graph.graph import Graph
from gascl.io.adapters.adjacency import Adjacency, edge_records, predecessors, read_adjacency
from gascl.nx.edge_attribute import Column, column_of, column_of_values
from gascl.nx.edge_list import stored_edges

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram
    from gascl.results.result import Result
    from gascl.run.engine import Engine

#: The number of edges that are compared to detect changes, and how many at least at a node.
SAMPLE, LEAST_AT_EACH = 500, 5

log = logging.getLogger("gascl.nx")

Made = TypeVar("Made")

#: An attribute, and its value where an edge has none.
Attribute = tuple[Any, Any]

#: A key, and the values of an edge field `weight`.
EdgeField = tuple[Any, np.ndarray]


class Topology:
    """Nodes and edges without attributes, which all conversions of one graph share; read when they
    are first needed.

    The device holds up to four graphs of them: with and without parallel edges, and each of these
    reversed.
    """

    def __init__(self, G: Any):
        self.directed: bool = G.is_directed()
        self.multigraph: bool = G.is_multigraph()
        self.original: Callable[[], Any] = weakref.ref(G)
        self._unread: Any = G  # which must not be deleted before
        self._made: dict[Any, Any] = {}
        self._lock = threading.RLock()

    @property
    def is_read(self) -> bool:
        """Whether nodes and edges have been read."""
        return self._unread is None

    @property
    def adjacency(self) -> Adjacency:
        """Nodes and edges.

        Raises:
            NotImplementedError: an undirected view shows an edge at one of its ends only, or a node
                is not equal to itself.
        """
        return self.once("adjacency", self._read)

    def _read(self) -> Adjacency:
        G = self._unread
        if (stored := stored_edges(G)) is not None:
            self._unread = None
            return stored.adjacency
        adjacency = read_adjacency(G)
        if is_view(G) and not self.directed and not _symmetric(adjacency):
            raise NotImplementedError("a view whose filter hides an edge at one of its ends only")
        if any(map(ne, adjacency.nodes, adjacency.nodes)):  # NetworkX takes each for others
            raise NotImplementedError("nodes that are not equal to themselves, such as NaN")
        self.look(G, adjacency.nodes)
        self._unread = None
        return adjacency

    def look(self, G: Any, nodes: list[Any]) -> None:
        """Keep what `is_current` compares."""
        self._degrees = _row_lengths(G)
        self._neighbors = sample(G, nodes)

    def is_current(self, G: Any) -> bool:
        """Whether the graph still has the nodes that were read, each as many neighbors, and the
        same ones in a sample.

        This takes a millisecond for 50,000 nodes, where reading all edges would cost what the
        cache saves.
        """
        if not self.is_read or stored_edges(G) is not None:  # arrays, which nobody changes
            return True
        same_nodes = list(G._adj) == self.adjacency.nodes
        same_nodes = same_nodes and np.array_equal(_row_lengths(G), self._degrees)
        return same_nodes and same(sample(G, self.adjacency.nodes), self._neighbors)

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """The result of `make()`, which is called once for each key."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            made: Made = self._made[key]
            return made

    @cached_property
    def index(self) -> dict[Any, int]:
        """The position of each node in `nodes`."""
        return {node: place for place, node in enumerate(self.adjacency.nodes)}

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return len(self.adjacency.src)

    def graph(self, simple: bool = False, reverse: bool = False) -> Graph:
        """The edges as a gascl graph.

        Args:
            simple: parallel edges are one, and there are no loops.
            reverse: every edge leads the other way.
        """

        def make() -> Graph:
            if reverse:
                return self.graph(simple).reversed()
            if simple:
                return self.graph().simple()
            ends = self.adjacency.src, self.adjacency.dst
            return Graph(*ends, len(self.adjacency.nodes), self.directed)

        # without effect they are the same graph
        simple, reverse = simple and self.multigraph, reverse and self.directed
        return self.once(("graph", simple, reverse), make)


def sample(G: Any, nodes: list[Any], *names: Any) -> list[Any]:
    """Some neighbors of nodes all over a graph, and these attributes of the edges to them: of every
    edge if there are no more than SAMPLE."""
    found: list[Any] = []
    if is_view(G):
        return found  # which are read in each call
    most = SAMPLE * (1 if G.is_directed() else 2)  # an undirected edge has two ends
    rows, at_each = list(islice(filter(None, G._adj.values()), most + 1)), most
    if sum(map(len, rows)) > most:
        at_each = max(SAMPLE // len(nodes), LEAST_AT_EACH)
        rows = [G._adj[node] for node in nodes[:: max(len(nodes) * at_each // SAMPLE, 1)]]
    for row in rows:
        for neighbor, records in islice(row.items(), at_each):
            found.append(neighbor)
            for record in records.values() if G.is_multigraph() else (records,):
                found += map(record.get, names)
    return found


def same(left: list[Any], right: list[Any]) -> bool:
    """Whether values are equal, as far as they can be compared."""
    try:
        return left == right
    except (TypeError, ValueError):  # arrays as attributes
        return False


def is_view(G: Any) -> bool:
    """Whether a graph shows another one, with which it changes."""
    return hasattr(G, "_graph")


def _symmetric(adjacency: Adjacency) -> bool:
    """Whether all neighbors have each other as such, by as many edges."""
    count = len(adjacency.nodes)
    tails = np.repeat(np.arange(count), np.diff(adjacency.offsets))
    heads = adjacency.neighbors.astype(np.int64)
    there, back = tails * count + heads, heads * count + tails
    if adjacency.counts is not None:
        there, back = np.repeat(there, adjacency.counts), np.repeat(back, adjacency.counts)
    return np.array_equal(np.sort(there), np.sort(back))


def _row_lengths(G: Any) -> np.ndarray:
    """int64 (V,): the number of neighbors in each row that the graph holds, which may be more than
    a subclass shows."""
    return np.fromiter(map(len, G._adj.values()), np.int64)


class Converted:
    """What NetworkX passes to this backend's functions instead of a graph.

    Args:
        attributes: of edges, as NetworkX requests them.
        every: any other is read from the original graph when a function needs it.
    """

    __networkx_backend__ = "gascl"

    def __init__(self, topology: Topology, attributes: Iterable[Attribute], every: bool = False):
        self.topology, self.attributes, self.every = topology, tuple(attributes), every
        self._columns: dict[Attribute, Column] = {}
        self._samples: dict[Attribute, list[Any]] = {}

    def read(self, name: str) -> None:
        """Read the graph, or what is left to read of it, with a line in the log.

        Args:
            name: that of the function that needs it.
        """
        topology, start = self.topology, time.perf_counter()
        original = topology.original()  # lest it be deleted between
        part = "attributes of " if topology.is_read else ""
        if part and self._columns.keys() >= set(self.attributes):
            return
        size = f"{len(self):,} nodes, {self.number_of_edges():,} edges"
        for attribute in self.attributes:
            self._column(attribute)
        del original
        seconds = time.perf_counter() - start
        log.info("%s: converted %s%s in %.3f s", name, part, size, seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        """None in pickles and deep copies: those of a graph contain its cache, whose conversions
        belong to the original. NetworkX converts the copy when it is first used."""
        return type(None), ()

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.topology.index
        except TypeError:
            return False

    def require(self, node: Any, missing: Exception) -> None:
        """Raise this error of NetworkX's unless the graph has a node."""
        if node not in self:
            raise missing

    def __repr__(self) -> str:
        return f"Converted({len(self):,} nodes, {self.number_of_edges():,} edges)"

    def is_directed(self) -> bool:
        """As NetworkX's."""
        return self.topology.directed

    def is_multigraph(self) -> bool:
        """As NetworkX's."""
        return self.topology.multigraph

    def number_of_nodes(self) -> int:
        """As NetworkX's."""
        return len(self.nodes)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """The number of edges; an undirected one counts once."""
        return self.topology.num_edges

    @property
    def nodes(self) -> list[Any]:
        """The nodes in NetworkX's order."""
        return self.topology.adjacency.nodes

    @property
    def node_array(self) -> np.ndarray:
        """The nodes as objects (V,)."""
        return self.topology.once("nodes", lambda: np.fromiter(self.nodes, object, len(self.nodes)))

    @property
    def _adj(self) -> dict[Any, int]:  # where nx.Graph.nbunch_iter looks up nodes
        return self.topology.index

    def nbunch_iter(self, nbunch: Any = None) -> Iterator[Any]:
        """As NetworkX's, with its errors."""
        return nx.Graph.nbunch_iter(self, nbunch)

    def places(self, nodes: Iterable[Any]) -> list[int]:
        """The positions of nodes of the graph in `nodes`."""
        return list(map(self.topology.index.__getitem__, nodes))

    def numbered(self, blocks: Iterable[Collection[Any]]) -> np.ndarray | None:
        """int64 (V,): the number of the block that has each node; None if they are no partition of
        all nodes."""
        number = np.full(len(self), -1, np.int64)
        size = 0
        for block, nodes in enumerate(blocks):
            size += len(nodes)
            if any(node not in self for node in nodes):
                return None
            number[self.places(nodes)] = block
        return number if size == len(self) and (number >= 0).all() else None

    def original(self) -> Any:
        """The graph that was converted.

        Raises:
            NotImplementedError: it was deleted.
        """
        original = self.topology.original()
        if original is None:
            raise NotImplementedError("the converted NetworkX graph was deleted: pass a graph")
        return original

    def by_node(self, values: np.ndarray) -> dict[Any, Any]:
        """Values (V,) as a dictionary of Python's numbers."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def chosen(self, nodes: Any, values: list[Any]) -> Any:
        """The value of `nodes`, if it is one node; else a dictionary of the values of the nodes in
        it, of all nodes for None."""
        index = self.topology.index
        if nodes in self:
            return values[index[nodes]]
        return {node: values[index[node]] for node in self.nbunch_iter(nodes)}

    def at_nodes(self, values: Mapping[Any, Any]) -> np.ndarray:
        """float64 (V,): a dictionary's values, 0 where it has none."""
        return np.array([values.get(node, 0) for node in self.nodes], dtype=np.float64)

    def is_current(self, G: Any) -> bool:
        """Whether nothing shows that the graph was changed since it was read."""
        topology, samples = self.topology, self._samples.items()
        return topology.is_current(G) and all(
            same(sample(G, self.nodes, attribute[0]), before) for attribute, before in samples
        )

    def column(self, name: Any, default: Any = 1) -> Column:
        """An edge attribute; None: 1 for every edge.

        Raises:
            NotImplementedError: it was not converted.
        """
        if name is None:
            return Column(np.ones(self.number_of_edges(), np.int64), whole=True)
        attribute = name, default
        if attribute not in self._columns and attribute not in self.attributes and not self.every:
            raise NotImplementedError(f"the edge attribute {name!r} was not converted")
        return self._column(attribute)

    def _column(self, attribute: Attribute) -> Column:
        if attribute not in self._columns:
            column = _read_column(self.original(), self.topology, *attribute)
            if column.values is not None and len(column.values) != self.number_of_edges():
                raise NotImplementedError("the graph was changed after its conversion")
            self._columns[attribute] = column
            if stored_edges(self.original()) is None:
                self._samples[attribute] = sample(self.original(), self.nodes, attribute[0])
        return self._columns[attribute]

    def look(self, G: Any) -> None:
        """Keep what `is_current` compares, now that a graph that was stored has dictionaries."""
        self.topology.look(G, self.nodes)
        self._samples = {each: sample(G, self.nodes, each[0]) for each in self._columns}

    def weight_field(self, weight: Any) -> EdgeField | None:
        """The edge field of an attribute for `run`; None where every edge has the weight 1.

        Raises:
            NotImplementedError: weights are not finite numbers.
        """
        column = self.column(weight)
        return None if column.all_one else (("numbers", weight), column.numbers)

    # --- on the device ---

    def engine(
        self, weight: EdgeField | None = None, simple: bool = False, reverse: bool = False
    ) -> Engine:
        """The engine of one kind of graph, see `Topology.graph`; made once.

        Args:
            weight: the weights of the edges of that kind of graph.
        """
        from gascl.run.engine import Engine  # which loads OpenCL

        topology = self.topology
        key = None if weight is None else weight[0]
        device = nx.config.backends.gascl.device

        def make() -> Engine:
            graph = topology.graph(simple, reverse)
            if weight is not None:
                graph = graph.with_edge_fields(weight=weight[1])
            engine = Engine(graph, device=device)
            engine.warns_of_nan = False
            return engine

        simple, reverse = simple and topology.multigraph, reverse and topology.directed
        return topology.once(("engine", device, key, simple, reverse), make)

    def run(
        self,
        program: VertexProgram,
        *,
        weight: EdgeField | None = None,
        simple: bool = False,
        reverse: bool = False,
        **options: Any,
    ) -> Result:
        """Run a program on this graph; logs where, and how long it took.

        Args:
            weight, simple, reverse: as in `engine`.
            options: those of `Engine.run`.
        """
        start = time.perf_counter()
        engine = self.engine(weight, simple, reverse)
        result = engine.run(program, not_converged="ignore", **options)
        if log.isEnabledFor(logging.DEBUG):
            seconds = time.perf_counter() - start
            parts = ", ".join(f"{part} {s:.3f}" for part, s in result.seconds.items())
            name = type(program).__name__
            log.debug("%s on %s: %.3f s (%s)", name, result.device, seconds, parts)
        return result

    # --- on the host ---

    @property
    def degree(self) -> np.ndarray:
        """int64 (V,): edges at a node, in and out; loops count twice, as in NetworkX."""
        return self.topology.once("degree", lambda: self.out_degree + self.in_degree)

    @property
    def out_degree(self) -> np.ndarray:
        """int64 (V,): edges out of a node of a directed graph."""
        return np.bincount(self.ends[0], minlength=len(self))

    @property
    def in_degree(self) -> np.ndarray:
        """int64 (V,): edges into a node of a directed graph."""
        return np.bincount(self.ends[1], minlength=len(self))

    @property
    def num_loops(self) -> int:
        """The number of edges from a node to itself."""
        src, dst = self.ends
        return int(np.count_nonzero(src == dst))

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """int32 (E,) each: the positions of both ends of the edges, in the order of `G.edges`."""
        return self.topology.adjacency.src, self.topology.adjacency.dst

    @property
    def tails(self) -> np.ndarray:
        """int64 (N,): the node of each entry of `rows`."""
        return np.repeat(np.arange(len(self)), np.diff(self.topology.adjacency.offsets))

    def rows(self, reverse: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """`offsets` and `neighbors` of every node in NetworkX's order; with `reverse`, those of a
        directed graph's predecessors.

        Raises:
            NotImplementedError: predecessors of a graph that was deleted.
        """
        adjacency = self.topology.adjacency
        if not (reverse and self.topology.directed):
            return adjacency.offsets, adjacency.neighbors
        return self.topology.once("predecessors", lambda: _predecessors(self.original(), adjacency))


def _predecessors(G: Any, adjacency: Adjacency) -> tuple[np.ndarray, np.ndarray]:
    if (stored := stored_edges(G)) is None:
        return predecessors(G, adjacency)
    return stored.predecessors.offsets, stored.predecessors.neighbors


def _read_column(G: Any, topology: Topology, name: Any, default: Any) -> Column:
    if (stored := stored_edges(G)) is not None:
        values = stored.values(name)
        if values is None:
            return column_of(lambda: (), topology.num_edges, name, default)
        return column_of_values(values, name)
    base = G
    while is_view(base) and not topology.directed:
        base = base._graph
        if base.is_directed():
            return Column(None, "an undirected view, whose edges may have two values")
    records = partial(edge_records, G, topology.adjacency)
    return column_of(records, topology.num_edges, name, default)


def converted_before(G: Any) -> Topology | None:
    """The topology of a conversion in NetworkX's cache, which its methods empty when they change
    the graph."""
    cache = getattr(G, "__networkx_cache__", None) or {}
    for converted in list(cache.get("backends", {}).get("gascl", {}).values()):
        if isinstance(converted, Converted):
            return converted.topology
    return None


def conversions(G: Any) -> list[Converted]:
    """Those of a graph that is stored as arrays, which stay right when it gets dictionaries: all
    that are in its cache, or else a new one with its numbers."""
    cache = G.__networkx_cache__
    if cache is None or not nx.config.cache_converted_graphs:
        return []
    ours = cache.setdefault("backends", {}).setdefault("gascl", {})
    found = [each for each in ours.values() if isinstance(each, Converted)]
    if not found:
        found = [Converted(Topology(G), (), every=True)]
        ours[True, True] = found[0]  # NetworkX's key of what has all attributes
        edges = stored_edges(G)
        for name, values in edges.columns.items() if edges else ():
            if values.dtype != object:
                found[0].column(name)
    return [each for each in found if each.nodes is not None]  # having read them


def current(converted: Converted) -> Converted:
    """The same conversion, or a new one if it was cached, and its graph has been changed since
    without NetworkX noticing."""
    topology = converted.topology
    original = topology.original()
    if original is None or converted_before(original) is not topology:
        return converted
    if not nx.config.backends.gascl.detect_changes or converted.is_current(original):
        return converted
    original.__networkx_cache__.clear()  # the conversions of other backends are as old
    log.info("converted again: the graph was changed without a method")
    again = Converted(Topology(original), converted.attributes, converted.every)
    again.read("convert")
    return again


def check_cache(G: Any) -> None:
    """Drops conversions from the cache of `G` that must not be used.

    A view changes with its graph, which does not empty the view's cache: a view gets none. A copy
    by `copy.copy` shares the cache of its original, which may be deleted while a conversion still
    needs it.
    """
    if is_view(G):
        G.__networkx_cache__ = None  # NetworkX's documented switch
    topology = converted_before(G)
    if topology is not None and topology.original() is not G:
        G.__networkx_cache__.clear()


def to_networkx(converted: Converted) -> Any:
    """A NetworkX graph again, with the attributes that were converted."""
    kinds = ((nx.Graph, nx.MultiGraph), (nx.DiGraph, nx.MultiDiGraph))
    G = kinds[converted.is_directed()][converted.is_multigraph()]()
    nodes, adjacency = converted.nodes, converted.topology.adjacency
    G.add_nodes_from(nodes)
    read = {name: converted.column(name, default) for name, default in converted.attributes}
    columns = {name: column.values for name, column in read.items() if column.values is not None}
    lists = [values.tolist() for values in columns.values()]
    records = (dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True))
    if not columns:
        records = ({} for _ in range(converted.number_of_edges()))
    ends = zip(adjacency.src.tolist(), adjacency.dst.tolist(), records, strict=True)
    G.add_edges_from((nodes[u], nodes[v], record) for u, v, record in ends)
    return G
