"""NetworkX graphs that are stored as arrays until somebody looks at their dictionaries."""

from __future__ import annotations

import threading
from copy import copy
from typing import Any

import networkx as nx

from gascl.nx.converted_graph import conversions
from gascl.nx.edge_list import EdgeList, stored_edges

#: Held while dictionaries are made, so that two threads do not make two.
_LOCK = threading.RLock()

#: What each graph has for itself, beside attributes; `nodes` is a view of `_node`.
_OWN = "_stored", "__networkx_cache__", "nodes"


class _Stored:
    """What both kinds of graphs share.

    To Python's code, each is a graph of NetworkX's own class. It becomes one, and nothing else,
    when its neighbors are first read or changed: then NetworkX's dictionaries are made. Its nodes
    and their attributes can be read and set before.
    """

    _stored: EdgeList
    graph: dict[str, Any]
    _node: Any
    _plain: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """`type(G)(...)` makes a graph of NetworkX's own class."""
        return cls._plain(*args, **kwargs)

    def __init__(self, incoming_graph_data: Any = None, **attr: Any):
        """Python calls this after `nx.Graph(edges, backend="gascl")`, whose edges are stored; else
        it empties the graph, as NetworkX does."""
        if self.__dict__.pop("_new", False):
            attr.pop("backend", None)
            self.graph.update(attr)
        else:
            self._made("_adj")
            self.__init__(incoming_graph_data, **attr)  # type: ignore[misc]  # NetworkX's, now

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self._plain

    def _made(self, name: str) -> Any:
        """NetworkX's dictionary of this name, which is made if there is none."""
        own = self.__dict__
        with _LOCK:
            if name == "_node":
                if name not in own:
                    own[name] = {node: {} for node in self._stored.nodes}
            elif "_stored" in own:
                self._made("_node")
                tables = self._stored.dictionaries()
                kept = conversions(self)
                own.update(zip(("_adj", "_pred"), tables, strict=False))
                if len(tables) > 1:
                    own["_succ"] = own["_adj"]
                object.__dict__["__class__"].__set__(self, self._plain)
                for converted in kept:
                    converted.look(self)
                del own["_stored"]  # upon which other threads compare with what was looked at
        return own[name]

    def _set(self, name: str, value: Any) -> None:
        self._made("_adj")
        setattr(self, name, value)  # as NetworkX's class, which this is now

    # These may be called by a bound method, or in another thread, when there are dictionaries.

    def __len__(self) -> int:
        edges = stored_edges(self)
        return len(self._node if edges is None else edges.nodes)

    def __str__(self) -> str:
        name = f" named {self.graph['name']!r}" if self.graph.get("name") else ""
        size = f"{len(self)} nodes and {self.number_of_edges()} edges"
        return f"{self.__class__.__name__}{name} with {size}"

    def number_of_nodes(self) -> int:
        """As NetworkX's."""
        return len(self)

    order = number_of_nodes

    def number_of_edges(self, u: Any = None, v: Any = None) -> int:
        """As NetworkX's."""
        edges = stored_edges(self)
        if u is None and edges is not None:
            return len(edges)
        count: int = self.__class__.number_of_edges(self, u, v)
        return count

    def size(self, weight: Any = None) -> Any:
        """As NetworkX's."""
        edges = stored_edges(self)
        if weight is None and edges is not None:
            return len(edges)
        return self.__class__.size(self, weight)

    def copy(self, as_view: bool = False) -> Any:
        """As NetworkX's: attributes are copied, their values are not."""
        edges = stored_edges(self)
        if as_view or edges is None:
            return self.__class__.copy(self, as_view)
        copied = stored_graph(edges.copied(), dict(self.graph))
        if "_node" in self.__dict__:
            nodes = self._node
            copied.__dict__["_node"] = {node: record.copy() for node, record in nodes.items()}
        return copied

    def __copy__(self) -> Any:
        self._made("_adj")  # which a copy shares with its original
        return copy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        edges = stored_edges(self)
        if edges is None:
            return self.__class__.__reduce_ex__(self, 4)
        own = self.__dict__.copy()  # at once: another thread may make dictionaries
        other = {name: value for name, value in own.items() if name not in _OWN}
        return _restored, (edges, other)


def _dictionary(name: str) -> property:
    return property(lambda graph: graph._made(name), lambda graph, value: graph._set(name, value))


class StoredGraph(_Stored, nx.Graph):  # type: ignore[misc]
    """An undirected graph that is stored as arrays."""

    _plain = nx.Graph
    _node, _adj = map(_dictionary, ("_node", "_adj"))


class StoredDiGraph(_Stored, nx.DiGraph):  # type: ignore[misc]
    """A directed graph that is stored as arrays."""

    _plain = nx.DiGraph
    _node, _adj, _succ, _pred = map(_dictionary, ("_node", "_adj", "_succ", "_pred"))


def stored_graph(edges: EdgeList, attributes: dict[str, Any] | None = None) -> Any:
    """A NetworkX graph that is stored as arrays.

    Args:
        attributes: those of the graph.
    """
    return _restored(edges, {"graph": attributes or {}})


def _restored(edges: EdgeList, other: dict[str, Any]) -> Any:
    G = object.__new__(StoredDiGraph if edges.directed else StoredGraph)
    G.__dict__.update(other, __networkx_cache__={}, _stored=edges)
    return G
