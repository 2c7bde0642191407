"""Measures gascl as NetworkX's backend against NetworkX itself, on one graph.

Every answer is compared with NetworkX's before its time counts. Times are medians of interleaved
rounds: NetworkX, the first call (with conversion, on a new copy of the graph), and calls on the
graph that is converted already.

    python benchmarks/backend.py --scale 16 --rounds 3 [--only pagerank] [--csv FILE]
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np

from gascl import generators


@dataclass
class Case:
    """A call, and how its answer is compared.

    Attributes:
        slow: NetworkX takes minutes; it runs once.
    """

    name: str
    call: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)
    weighted: bool = False
    slow: bool = False
    bound: float = 1e-6


def cases(source: Any) -> list[Case]:
    """What is measured; `source` is a node."""
    return [
        Case("pagerank", nx.pagerank, {"weight": None}),
        Case("katz_centrality", nx.katz_centrality, {"alpha": 1e-4}),
        Case("eigenvector_centrality", nx.eigenvector_centrality),
        Case("hits", lambda G, **k: nx.hits(G, **k)[1]),
        Case("betweenness_centrality, k=10", nx.betweenness_centrality, {"k": 10, "seed": 1}),
        Case("connected_components", lambda G, **k: list(nx.connected_components(G, **k))),
        Case("core_number", nx.core_number, slow=True),
        Case("triangles", nx.triangles),
        Case("clustering", nx.clustering, slow=True),
        Case("BFS lengths", nx.single_source_shortest_path_length, {"source": source}),
        Case("BFS edges", lambda G, **k: list(nx.bfs_edges(G, **k)), {"source": source}),
        Case(
            "dijkstra lengths",
            nx.single_source_dijkstra_path_length,
            {"source": source},
            weighted=True,
        ),
        Case("dijkstra", nx.single_source_dijkstra, {"source": source}, weighted=True),
        Case("weighted pagerank", nx.pagerank, weighted=True),
    ]


def same(left: Any, right: Any, bound: float) -> bool:
    """Whether two answers are equal, floats within a bound relative to the largest."""
    if isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            return False
        if left and isinstance(next(iter(left.values())), int | float):
            a = np.array(list(left.values()), np.float64)
            b = np.array([right[key] for key in left], np.float64)
            return bool(np.allclose(a, b, rtol=bound, atol=bound * max(np.abs(a).max(), 1e-300)))
        return all(same(left[key], right[key], bound) for key in left)
    if isinstance(left, tuple) and len(left) == len(right):
        return all(same(a, b, bound) for a, b in zip(left, right, strict=True))
    if isinstance(left, float):
        return math.isclose(left, right, rel_tol=bound)
    return bool(left == right)


def made(scale: int, weighted: bool) -> nx.Graph:
    """An R-MAT graph, simple and undirected."""
    found = generators.rmat(scale, 16, seed=1).simple(undirected=True)
    ends = found.edge_src.tolist(), found.edge_dst.tolist()
    G = nx.Graph()
    G.add_nodes_from(range(found.num_vertices))
    if weighted:
        weights = np.random.default_rng(0).random(found.num_edges).tolist()
        G.add_weighted_edges_from(zip(*ends, weights, strict=True))
    else:
        G.add_edges_from(zip(*ends, strict=True))
    return G


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long a call takes, and what it returns."""
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def measured(case: Case, G: nx.Graph, rounds: int) -> dict[str, Any]:
    """The medians of one case; raises AssertionError where an answer is wrong."""

    def on_device() -> Any:
        return case.call(G, backend="gascl", **case.options)

    on_device()  # kernels are built once on a machine, and not again
    times: dict[str, list[float]] = {"networkx": [], "first": [], "cached": []}
    for number in range(rounds):
        if not (case.slow and number):
            taken, expected = seconds(lambda: case.call(G, **case.options))
            times["networkx"].append(taken)
        G.__networkx_cache__.clear()
        taken, found = seconds(on_device)
        times["first"].append(taken)
        assert same(expected, found, case.bound), f"{case.name}: a wrong answer"
        times["cached"] += [seconds(on_device)[0] for _ in range(3)]
    return {"case": case.name, **{k: statistics.median(v) for k, v in times.items()}}


def main() -> None:
    """Measure, print, and write a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--csv")
    chosen = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    graphs = {weighted: made(chosen.scale, weighted) for weighted in (False, True)}
    source = max(graphs[False].degree, key=lambda pair: pair[1])[0]
    rows = []
    print(f"{'':30} {'NetworkX':>9} {'first':>8} {'cached':>8} {'ratio':>7} {'cached':>7}")
    for case in cases(source):
        if chosen.only and case.name not in chosen.only:
            continue
        row = measured(case, graphs[case.weighted], chosen.rounds)
        rows.append(row)
        first, cached = row["networkx"] / row["first"], row["networkx"] / row["cached"]
        print(
            f"{row['case']:30} {row['networkx']:9.3f} {row['first']:8.3f} {row['cached']:8.4f} "
            f"{first:6.1f}x {cached:6.1f}x",
            flush=True,
        )
    if chosen.csv:
        with open(chosen.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, ["case", "networkx", "first", "cached"])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
