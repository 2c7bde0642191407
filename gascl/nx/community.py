"""Communities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from networkx.utils import create_py_random_state

from gascl import VertexProgram, aggregate, by_key, param, vertex
from gascl.nx.components import sets
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function, directed, multigraph
from gascl.programs.greedy_coloring import GreedyColoring
from gascl.programs.leiden import Leiden
from gascl.programs.louvain import Louvain


class ByColor(VertexProgram):
    """Label propagation of one color of vertices after the other (Cordasco and Gargano, Community
    Detection via Semi-Synchronous Label Propagation Algorithms, 2010), whose neighbors have other
    colors. Of equally frequent labels, a vertex keeps its own, or takes the largest.

    Args:
        colors: how many colors there are. A round in which no label changes is the last one.
        seed: 0, or each vertex has an order of its own of the labels, drawn by this number.
    """

    colors = param.int32(low=1)
    seed = param.uint32(0)
    color = vertex.int32(init=-1)
    label = vertex.int32(init="v.id")
    changed = aggregate.int64("sum", doc="in this round so far")

    message, combine = "int32", by_key()
    functions = "#define RANK(x) (p.seed ? hash((uint)(x) ^ hash((uint)v.id ^ p.seed)) : (uint)(x))"
    prefer = """
        a.count > b.count || (a.count == b.count
        && (a.key == v.label || (b.key != v.label && RANK(a.key) > RANK(b.key))))
    """
    scatter_on = apply_on = "all"
    edges = "both"
    receive_if = "v.color == superstep % p.colors"
    scatter = "send(v.label);"
    apply = """
        if (v.id == 0 && superstep % p.colors > 0)
            aggregate_changed(prev.changed);
        if (has_msg && msg.key != v.label) {
            v.label = msg.key;
            aggregate_changed(1);
        }
    """
    stop = "agg.changed == 0 && (superstep + 1) % p.colors == 0"


@backend_function(
    first=20_000, cached=5_000, limits="No multigraphs.", unsupported=[directed, multigraph]
)
def label_propagation_communities(G: Converted) -> Any:
    """Sets of nodes, of NetworkX's own labels."""
    label = np.arange(len(G))
    if G.number_of_edges():
        color = G.run(GreedyColoring(precedence=G.degree, ahead=0))["color"]
        label = _by_color(G, color)
    return dict(enumerate(_communities(G, label))).values()


_by_labels = backend_function(
    first=20_000,
    cached=5_000,
    limits="gascl's own communities; no weights, not directed, no multigraphs.",
    random=True,
    unsupported=[directed, multigraph, argument("weight")],
)


@_by_labels
def asyn_lpa_communities(G: Converted, weight: Any = None, seed: Any = None) -> Iterator[set[Any]]:
    """Sets of nodes whose labels are most frequent among their neighbors. One color of nodes is
    updated after the other, which is as good as one node after the other."""
    return iter(_random_labels(G, seed))


@_by_labels
def fast_label_propagation_communities(
    G: Converted, *, weight: Any = None, seed: Any = None
) -> Iterator[set[Any]]:
    """The same as `asyn_lpa_communities`."""
    return iter(_random_labels(G, seed))


def _random_labels(G: Converted, seed: Any) -> list[set[Any]]:
    label, number = np.arange(len(G)), 1 + _seed_of(seed)
    if G.number_of_edges():
        color = G.run(GreedyColoring(seed=number - 1))["color"]
        label = _by_color(G, color, number)
    return _communities(G, label)


def _by_color(G: Converted, color: np.ndarray, seed: int = 0) -> np.ndarray:
    return G.run(ByColor(colors=int(color.max()) + 1, color=color, seed=seed))["label"]


def _communities(G: Converted, label: np.ndarray) -> list[set[Any]]:
    """The nodes of each community, in the order of their first nodes."""
    first, number = np.unique(label, return_index=True, return_inverse=True)[1:]
    return sets(G, np.argsort(np.argsort(first))[number])


def _seed_of(seed: Any) -> int:
    """A number for a program, drawn from NetworkX's generator: the same seed, the same answer."""
    return int(create_py_random_state(seed).randrange(2**31))


class _Levels:
    """Stages that note the vertex of the next level of each vertex."""

    def __init__(self, stages: Any, numbers: list[np.ndarray]):
        self._stages, self._numbers = stages, numbers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stages, name)

    def contract(self, group: Any, **options: Any) -> Any:
        smaller, number = self._stages.contract(group, **options)
        self._numbers.append(number)
        return smaller, number


class _NotedLouvain(Louvain):
    """`Louvain`, which keeps the levels of each climb."""

    def climb(self, stages: Any, *arguments: Any) -> Any:
        self.climbs: list[list[np.ndarray]] = [*getattr(self, "climbs", []), []]
        levels = _Levels(stages, self.climbs[-1])
        return super().climb(levels, *arguments)  # type: ignore[no-untyped-call]


class _NotedLeiden(_NotedLouvain, Leiden):
    """The same of `Leiden`, whose parts of a level are connected."""


def _partitions(G: Converted, program: Any, weight: Any) -> list[list[set[Any]]]:
    """The communities of each level, the last one's at the end, by their first nodes."""
    found = G.run(program, weight=G.weight_field(weight))["community"]
    last = _communities(G, found)
    for numbers in getattr(program, "climbs", []):
        for start in range(0, len(numbers[0]), len(G)):  # several copies of the graph
            at, levels = np.arange(start, start + len(G)), list[np.ndarray]()
            for number in numbers:
                at = number[at]
                levels.append(at)
            if _communities(G, at) == last:  # a climb that did not get higher does not count
                below = [_communities(G, at) for at in levels]
                return [*(one for one, next_ in pairwise(below) if one != next_), last]
    return [last]


def _up_to(partitions: list[list[set[Any]]], max_level: Any) -> list[set[Any]]:
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    return partitions[:max_level][-1]


_OWN = "gascl's own communities; not directed, no weights below 0."


@backend_function(first=2_000, cached=500, limits=_OWN, random=True, unsupported=[directed])
def louvain_communities(
    G: Converted,
    weight: Any = "weight",
    resolution: Any = 1,
    threshold: Any = 0.0000001,
    max_level: Any = None,
    seed: Any = None,
) -> list[set[Any]]:
    """Sets of nodes, by their first nodes."""
    louvain = _louvain(resolution, threshold, seed)
    return _up_to(_partitions(G, louvain, weight), max_level)


@backend_function(first=2_000, cached=500, limits=_OWN, random=True, unsupported=[directed])
def louvain_partitions(
    G: Converted,
    weight: Any = "weight",
    resolution: Any = 1,
    threshold: Any = 0.0000001,
    seed: Any = None,
) -> Iterator[list[set[Any]]]:
    """The communities of each level."""
    return iter(_partitions(G, _louvain(resolution, threshold, seed), weight))


@backend_function(first=0, cached=0, limits=_OWN, random=True, unsupported=[directed])
def leiden_communities(
    G: Converted,
    weight: Any = "weight",
    resolution: Any = 1,
    max_level: Any = None,
    seed: Any = None,
) -> list[set[Any]]:
    """Sets of nodes, by their first nodes."""
    return _up_to(_partitions(G, _leiden(resolution, seed), weight), max_level)


@backend_function(first=0, cached=0, limits=_OWN, random=True, unsupported=[directed])
def leiden_partitions(
    G: Converted, weight: Any = "weight", resolution: Any = 1, seed: Any = None
) -> Iterator[list[set[Any]]]:
    """The communities of each level."""
    return iter(_partitions(G, _leiden(resolution, seed), weight))


def _louvain(resolution: Any, threshold: Any, seed: Any) -> _NotedLouvain:
    return _NotedLouvain(
        resolution=resolution, threshold=threshold, seed=_seed_of(seed), dtype="float64"
    )


def _leiden(resolution: Any, seed: Any) -> _NotedLeiden:
    return _NotedLeiden(resolution=resolution, seed=_seed_of(seed), dtype="float64")
