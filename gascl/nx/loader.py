"""The registry of the functions that make graphs, which are stored as arrays."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from gascl.nx.converted_graph import log
from gascl.nx.edge_list import EdgeList
from gascl.nx.stored_graph import stored_graph

#: The number of edges below which NetworkX makes the graph: there, those who read the edges at once
#: would wait longer for dictionaries made of arrays.
LEAST = 10_000

#: By NetworkX's name.
LOADERS: dict[str, Callable[..., Any]] = {}


class Making:
    """The arguments of a call, defaults included, by the names of NetworkX's parameters."""

    def __init__(self, arguments: dict[str, Any]):
        self.__dict__ = arguments

    def __getattr__(self, name: str) -> Any:  # for type checkers: arguments are found without it
        raise AttributeError(name)

    @property
    def makes(self) -> Any:
        """The class of the graph: nx.Graph, nx.DiGraph, or any other, which is not stored."""
        return nx.Graph if self.create_using is None else self.create_using


class Loader:
    """A function of NetworkX's that makes a graph.

    NetworkX itself makes graphs of other classes than nx.Graph and nx.DiGraph, those with fewer
    than LEAST edges, and what has another form than `edges` reads. It also raises the errors.

    Args:
        edges: returns the edges of a call with NetworkX's arguments, or None for those that are
            left to NetworkX; it may replace arguments that can be read only once.
    """

    def __init__(self, edges: Callable[[Making], EdgeList | None]):
        self.name, self.edges = edges.__name__, edges
        self.module = edges.__module__.rpartition(".")[2]

    @cached_property
    def own(self) -> Callable[..., Any]:
        """NetworkX's function."""
        function: Callable[..., Any] = _registered_algorithms[self.name].orig_func
        return function

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.own)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        call = Making(bound.arguments)
        G = self.stored(call)
        return self.own(**vars(call)) if G is None else G

    def stored(self, call: Making) -> Any:
        """The graph, stored as arrays; None: it is left to NetworkX."""
        start = time.perf_counter()
        edges = self.edges(call) if call.makes in (nx.Graph, nx.DiGraph) else None
        if edges is None:
            return None
        size = f"{len(edges.nodes):,} nodes, {len(edges):,} edges"
        log.info("%s: stored %s in %.3f s", self.name, size, time.perf_counter() - start)
        return stored_graph(edges)


def loader(edges: Callable[[Making], EdgeList | None]) -> Loader:
    """Registers what makes the edges of NetworkX's function of the same name."""
    made = LOADERS[edges.__name__] = Loader(edges)
    return made
