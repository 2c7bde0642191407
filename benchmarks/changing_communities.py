"""How well programs follow communities that change: planted ones, and their events.

    python benchmarks/changing_communities.py --seeds 5

Prints a table in Markdown. See README.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from contenders import table

from gascl import Engine, Graph
from gascl.communities import mutual_information
from gascl.communities.tracking import Event, Tracker, track
from gascl.programs import AlternatingLabelPropagation, Leiden, ParticleCommunities

#: An event is found if one of its kind, with half of its vertices, is at most so many steps away.
STEPS_APART, ALIKE = 10, 0.5


class Step(NamedTuple):
    """A graph, made from that of the step before by `with_edges`, and its planted communities."""

    graph: Graph
    planted: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--device", default=None, help="as in Engine(graph, device)")
    given = parser.parse_args()
    head = ["benchmark", "method", "NMI", "events", "found", "missed", "invented"]
    lines = []
    for name, make in BENCHMARKS.items():
        for method, follow in METHODS.items():
            scores, counts = [], []
            for seed in range(given.seeds):
                steps = list(make(seed))
                found = list(follow(steps, seed, given.device))
                nmi = [mutual_information(s.planted, f) for s, f in zip(steps, found, strict=True)]
                scores.append(np.mean(nmi))
                counts.append(compare(events([s.planted for s in steps]), events(found)))
            line = [name, method, f"{np.mean(scores):.3f} ± {np.std(scores):.3f}"]
            line += [f"{count:.1f}" for count in np.mean(counts, axis=0)]
            lines.append(line)
            print("| " + " | ".join(line) + " |", flush=True)
    print(f"\nMeans of {given.seeds} seeds.\n\n{table(head, lines)}")


# The benchmarks.


def evolving(
    planted: Iterable[tuple[np.ndarray, Any]], seed: int, redrawn: float
) -> Iterator[Step]:
    """Graphs of block models: a pair is an edge while its random number is below its probability.

    Args:
        planted: communities, and the (V, V) probabilities of edges, of each step.
        redrawn: the share of pairs that get another number at each step.
    """
    rng = np.random.default_rng(seed)
    graph = chance = present = None
    for community, probability in planted:
        u, v = np.triu_indices(len(community), 1)
        if graph is None:
            chance, present = rng.random(len(u)), np.zeros(len(u), bool)
            graph = Graph.from_edges([], [], num_vertices=len(community), directed=False)
        again = rng.random(len(u)) < redrawn
        chance[again] = rng.random(np.count_nonzero(again))
        wanted = chance < probability[u, v]
        came, went = wanted & ~present, present & ~wanted
        graph = graph.with_edges(add=(u[came], v[came]), remove=(u[went], v[went]))
        present = wanted
        yield Step(graph, community)


def wave(share: float) -> float:
    """From 0 to 1 and back, while the share of a period goes from 0 to 1."""
    share %= 1
    return 2 * share if share < 0.5 else 2 - 2 * share


def grow_shrink(seed: int, size: int = 32, period: int = 100) -> Iterator[Step]:
    """Two pairs of communities; half of one moves to the other and back (Granell, Darst, Arenas,
    Fortunato and Gómez, Benchmark model to assess community structure in evolving networks, 2015).
    """
    place = np.arange(4 * size)
    planted = []
    for step in range(period):
        bounds = []
        for pair, phase in enumerate((0.0, 0.5)):
            moved = size / 2 * (2 * wave(step / period + 0.25 + phase) - 1)
            bounds.append(2 * size * pair + round(size - moved))
        community = (place >= 2 * size) * 2 + ((place >= np.array(bounds)[place // (2 * size)]) * 1)
        same = community[:, None] == community
        planted.append((community, np.where(same, 0.5, 0.05)))
    return evolving(planted, seed, 0)


def merge_split(seed: int, size: int = 32, period: int = 100) -> Iterator[Step]:
    """Two pairs of communities become one each, and two again, as edges between them come and go
    (Granell and others). They are one where no method can tell them apart any more: n (p - q)^2 <=
    p + q (Decelle, Krzakala, Moore and Zdeborová, 2011), for communities of n vertices.
    """
    group = np.repeat(np.arange(4), size)
    inside, outside = 0.5, 0.05
    planted = []
    for step in range(period):
        community, between = group.copy(), []
        for pair, phase in enumerate((0.0, 0.25)):
            q = outside + (inside - outside) * wave(step / period + phase)
            between.append(q)
            if size * (inside - q) ** 2 <= inside + q:
                community[group // 2 == pair] = 2 * pair
        same, pairs = group[:, None] == group, group // 2
        near = np.where(pairs[:, None] == pairs, np.array(between)[pairs], outside)
        planted.append((community, np.where(same, inside, near)))
    return evolving(planted, seed, 0)


def rewired(seed: int, vertices: int = 400, steps: int = 60) -> Iterator[Step]:
    """Communities with sizes by a power law, of which every fourth step two merge or one splits,
    while 2 % of all pairs are drawn again at each step (after Rossetti, RDyn, 2017).
    """
    rng = np.random.default_rng(1000 + seed)
    sizes: list[int] = []
    while sum(sizes) < vertices:
        sizes.append(int(min(15 * (1 - rng.random()) ** -0.8, 80)))
    community = np.repeat(np.arange(len(sizes)), sizes)[:vertices]
    planted = []
    for step in range(steps):
        if step and step % 4 == 0:
            ids, count = np.unique(community, return_counts=True)
            community = community.copy()
            if rng.random() < 0.5:
                one, other = ids[np.argsort(count + rng.random(len(ids)))[:2]]
                community[community == other] = one
            else:
                large = np.flatnonzero(community == ids[count.argmax()])
                community[rng.permutation(large)[: len(large) // 2]] = community.max() + 1
        size = np.bincount(community)[community]
        same = community[:, None] == community
        inside = np.minimum(10 / np.maximum(size - 1, 1), 0.8)
        planted.append((community, np.where(same, inside[:, None], 6 / vertices)))
    return evolving(planted, seed, 0.02)


BENCHMARKS: dict[str, Callable[[int], Iterator[Step]]] = {
    "grow and shrink": grow_shrink,
    "merge and split": merge_split,
    "rewired": rewired,
}

# The methods.


def particles(steps: list[Step], seed: int, device: Any) -> Iterator[np.ndarray]:
    for moment in track([s.graph for s in steps], ParticleCommunities(seed=seed), device=device):
        yield moment.result.community


def leiden(steps: list[Step], seed: int, device: Any) -> Iterator[np.ndarray]:
    """From the communities of the step before, where edges changed."""
    community = None
    for step in steps:
        begin = {} if community is None else {"community": community, "start": "changed"}
        community = Engine(step.graph, device).run(Leiden(seed=seed, **begin)).community
        yield community


def leiden_from_scratch(steps: list[Step], seed: int, device: Any) -> Iterator[np.ndarray]:
    for step in steps:
        yield Engine(step.graph, device).run(Leiden(seed=seed)).community


def labels(steps: list[Step], seed: int, device: Any) -> Iterator[np.ndarray]:
    for step in steps:
        yield Engine(step.graph, device).run(AlternatingLabelPropagation()).label


def igraph_leiden(steps: list[Step], seed: int, device: Any) -> Iterator[np.ndarray]:
    """From the communities of the step before."""
    import random

    import igraph

    random.seed(seed)  # igraph draws from Python's
    community = None
    for step in steps:
        ends = np.stack([step.graph.edge_src, step.graph.edge_dst], axis=1)
        made = igraph.Graph(step.graph.num_vertices, ends.tolist())
        found = made.community_leiden("modularity", initial_membership=community, n_iterations=2)
        community = found.membership
        yield np.array(community)


METHODS: dict[str, Callable[[list[Step], int, Any], Iterator[np.ndarray]]] = {
    "particles, continued": particles,
    "Leiden, continued": leiden,
    "Leiden": leiden_from_scratch,
    "igraph's Leiden, continued": igraph_leiden,
    "label propagation": labels,
}

# Events.


def events(communities: Iterable[np.ndarray]) -> list[tuple[Event, frozenset[int]]]:
    """The events after the first moment, each with the vertices of its communities."""
    tracker, found = Tracker(), []
    for community in communities:
        before = tracker.identity
        for event in tracker.update(community):
            ids, where = (event.after, tracker.identity) if event.after else (event.before, before)
            if event.number:
                found.append((event, frozenset(np.flatnonzero(np.isin(where, ids)).tolist())))
    return found


def compare(
    planted: list[tuple[Event, frozenset[int]]], found: list[tuple[Event, frozenset[int]]]
) -> tuple[int, int, int, int]:
    """The planted events, and how many of them were found and missed; and the others found."""
    left = list(found)
    for event, vertices in planted:
        for other in left:
            union = len(vertices | other[1])
            if (
                other[0].kind == event.kind
                and abs(other[0].number - event.number) <= STEPS_APART
                and len(vertices & other[1]) >= ALIKE * union
            ):
                left.remove(other)
                break
    matched = len(found) - len(left)
    return len(planted), matched, len(planted) - matched, len(left)


if __name__ == "__main__":
    main()
