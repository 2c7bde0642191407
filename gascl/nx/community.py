"""Communities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from networkx.utils import create_py_random_state

from gascl import VertexProgram, aggregate, by_key, param, vertex
from gascl.nx.components import sets
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function, directed, multigraph
from gascl.programs.greedy_coloring import GreedyColoring
from gascl.programs.louvain import Louvain


class ByColor(VertexProgram):
    """Label propagation of one color of vertices after the other (Cordasco and Gargano, Community
    Detection via Semi-Synchronous Label Propagation Algorithms, 2010), whose neighbors have other
    colors. Of equally frequent labels, a vertex keeps its own, or takes the largest.

    Args:
        colors: how many colors there are. A round in which no label changes is the last one.
    """

    colors = param.int32(low=1)
    color = vertex.int32(init=-1)
    label = vertex.int32(init="v.id")
    changed = aggregate.int64("sum", doc="in this round so far")

    message, combine = "int32", by_key()
    prefer = """
        a.count > b.count || (a.count == b.count
        && (a.key == v.label || (b.key != v.label && a.key > b.key)))
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
        label = _by_color(G, color, label)
    return dict(enumerate(_communities(G, label))).values()


_LABELS = "gascl's own communities; no weights, not directed, no multigraphs."


@backend_function(
    first=20_000,
    cached=5_000,
    limits=_LABELS,
    random=True,
    unsupported=[directed, multigraph, argument("weight")],
)
def asyn_lpa_communities(G: Converted, weight: Any = None, seed: Any = None) -> Iterator[set[Any]]:
    """Sets of nodes whose labels are most frequent among their neighbors. One color of nodes is
    updated after the other, which is as good as one node after the other."""
    return iter(_random_labels(G, seed))


@backend_function(
    first=20_000,
    cached=5_000,
    limits=_LABELS,
    random=True,
    unsupported=[directed, multigraph, argument("weight")],
)
def fast_label_propagation_communities(
    G: Converted, *, weight: Any = None, seed: Any = None
) -> Iterator[set[Any]]:
    """The same as `asyn_lpa_communities`."""
    return iter(_random_labels(G, seed))


def _random_labels(G: Converted, seed: Any) -> list[set[Any]]:
    draw = np.random.default_rng(_seed_of(seed))
    label = draw.permutation(len(G))
    if G.number_of_edges():
        color = G.run(GreedyColoring(seed=int(draw.integers(2**31))))["color"]
        label = _by_color(G, color, label)
    return _communities(G, label)


def _by_color(G: Converted, color: np.ndarray, label: np.ndarray) -> np.ndarray:
    program = ByColor(colors=int(color.max()) + 1, color=color, label=label.astype(np.int32))
    return G.run(program)["label"]


def _communities(G: Converted, label: np.ndarray) -> list[set[Any]]:
    """The nodes of each community, in the order of their first nodes."""
    first, number = np.unique(label, return_index=True, return_inverse=True)[1:]
    return sets(G, np.argsort(np.argsort(first))[number])


def _seed_of(seed: Any) -> int:
    """A number for a program, drawn from NetworkX's generator: the same seed, the same answer."""
    return int(create_py_random_state(seed).randrange(2**31))


def _one_level(call: Call) -> str:
    level = call.max_level
    return "" if level is None or level <= 0 else "`max_level`"


def _found(G: Converted, program: VertexProgram, weight: Any) -> list[set[Any]]:
    return sets(G, G.run(program, weight=G.weight_field(weight))["community"])


def _check_level(max_level: Any) -> None:
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")


_LOUVAIN = "gascl's own communities, of the last level; not directed, no weights below 0."


@backend_function(
    first=2_000,
    cached=500,
    limits=_LOUVAIN,
    random=True,
    unsupported=[directed, _one_level],
)
def louvain_communities(
    G: Converted,
    weight: Any = "weight",
    resolution: Any = 1,
    threshold: Any = 0.0000001,
    max_level: Any = None,
    seed: Any = None,
) -> list[set[Any]]:
    """Sets of nodes, by their first nodes."""
    _check_level(max_level)
    louvain = Louvain(
        resolution=resolution, threshold=threshold, seed=_seed_of(seed), dtype="float64"
    )
    return _found(G, louvain, weight)


@backend_function(first=2_000, cached=500, limits=_LOUVAIN, random=True, unsupported=[directed])
def louvain_partitions(
    G: Converted,
    weight: Any = "weight",
    resolution: Any = 1,
    threshold: Any = 0.0000001,
    seed: Any = None,
) -> Iterator[list[set[Any]]]:
    """The last partition, of sets of nodes by their first nodes."""
    louvain = Louvain(
        resolution=resolution, threshold=threshold, seed=_seed_of(seed), dtype="float64"
    )
    return iter([_found(G, louvain, weight)])
