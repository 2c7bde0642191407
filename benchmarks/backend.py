"""Measures gascl as NetworkX's backend against NetworkX itself, on one graph.

Every answer is compared with NetworkX's before its time counts; other backends' wrong answers are
named. NetworkX, which takes nearly all of the time, runs once; first calls (with conversion) and
calls on the graph that is converted already are medians of some rounds. For clustering it takes
minutes: there its time follows from a sample of the nodes. Other backends that are installed are
measured likewise, and igraph, whose first call includes `igraph.Graph.from_networkx`.
GASCL_DEVICE names the device.

    python benchmarks/backend.py --scale 16 --rounds 3 [--only pagerank] [--grid] [--csv FILE]

The graph is an R-MAT graph; with --grid a grid, whose paths are long. With --break-even, the number
of edges from which each case pays, by graphs of rising size.

    python benchmarks/backend.py --automatic 10 1000 10000 [--csv FILE]

compares the calls of backend_calls.py on graphs of so many edges as they are by themselves with
those that gascl is offered first, and takes or leaves: first, and on a graph that is converted. It
prints the table of docs/networkx.md.
"""

from __future__ import annotations

import argparse
import csv
import gc
import importlib.util
import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
from backend_calls import CALLS, Call, graph

from gascl import generators

#: Other backends, and the modules by which they are found.
PEERS = {"cugraph": "nx_cugraph", "graphblas": "graphblas_algorithms", "parallel": "nx_parallel"}
#: igraph's functions of a graph and a node that do the work of a case.
IGRAPH: dict[str, Callable[[Any, int], Any]] = {
    "pagerank": lambda g, _: g.pagerank(),
    "eigenvector_centrality": lambda g, _: g.eigenvector_centrality(),
    "hits": lambda g, _: (g.hub_score(), g.authority_score()),
    "connected_components": lambda g, _: list(g.connected_components()),
    "core_number": lambda g, _: g.coreness(),
    "BFS layers": lambda g, source: g.bfs(source),
    "BFS lengths": lambda g, source: g.distances(source),
    "BFS edges": lambda g, source: g.bfs(source),
    "dijkstra lengths": lambda g, source: g.distances(source, weights="weight"),
    "dijkstra": lambda g, source: g.get_shortest_paths(source, weights="weight"),
    "weighted pagerank": lambda g, _: g.pagerank(weights="weight"),
    "clustering": lambda g, _: g.transitivity_local_undirected(mode="zero"),
}


@dataclass
class Case:
    """A call, and how its answer is compared.

    Attributes:
        sample: NetworkX, which would take minutes, runs for so many nodes, drawn at random, and its
            time is multiplied to that of all; the answers for these are compared. 0: for all.
    """

    name: str
    call: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)
    weighted: bool = False
    bound: float = 1e-6
    sample: int = 0


def cases(source: Any) -> list[Case]:
    """What is measured; `source` is a node."""
    return [
        Case("pagerank", nx.pagerank, {"weight": None}),
        Case("katz_centrality", nx.katz_centrality, {"alpha": 1e-4}),
        Case("eigenvector_centrality", nx.eigenvector_centrality),
        Case("hits", lambda G, **k: nx.hits(G, **k)[1]),
        Case("betweenness_centrality, k=10", nx.betweenness_centrality, {"k": 10, "seed": 1}),
        Case("connected_components", lambda G, **k: list(nx.connected_components(G, **k))),
        Case("core_number", nx.core_number),
        Case("bridges", lambda G, **k: list(nx.bridges(G, **k))),
        Case("triangles", nx.triangles),
        Case("BFS layers", lambda G, **k: list(nx.bfs_layers(G, **k)), {"sources": source}),
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
        Case("clustering", nx.clustering, sample=1_000),
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
    if isinstance(left, nx.Graph):
        return nx.utils.graphs_equal(left, right)
    if hasattr(left, "toarray"):
        return bool(abs(left - right).max() == 0)
    if isinstance(left, tuple) and len(left) == len(right):
        return all(same(a, b, bound) for a, b in zip(left, right, strict=True))
    if isinstance(left, float):
        return math.isclose(left, right, rel_tol=bound)
    return bool(left == right)


def made(scale: int, weighted: bool, grid: bool = False) -> nx.Graph:
    """An R-MAT graph, simple and undirected; or a grid of as many nodes."""
    found = generators.grid(2 ** (scale // 2), 2 ** (scale - scale // 2))
    if not grid:
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


def measured(case: Case, G: nx.Graph, rounds: int, backends: list[str]) -> dict[str, Any]:
    """The times of one case; raises AssertionError where an answer is wrong."""
    some = case.options
    if 0 < case.sample < len(G):
        some = {"nodes": random.Random(0).sample(list(G), case.sample), **some}
    taken, expected = seconds(lambda: case.call(G, **some))
    if some is not case.options:
        taken *= len(G) / case.sample
    row: dict[str, Any] = {"case": case.name, "edges": len(G.edges), "networkx": taken}
    for backend in backends:

        def on_device(backend: str = backend) -> Any:
            return case.call(G, backend=backend, **case.options)

        first, cached = (column(backend, kind) for kind in ("first", "cached"))
        try:
            on_device()  # kernels are built once on a machine, and not again
        except (NotImplementedError, TypeError):
            if backend == "gascl":
                raise
            continue  # not among that backend's functions, or not as this NetworkX calls it
        times: dict[str, list[float]] = {first: [], cached: []}
        for _ in range(rounds):
            G.__networkx_cache__.clear()
            taken, found = seconds(on_device)
            times[first].append(taken)
            if isinstance(expected, dict) and not isinstance(found, dict):
                found = dict(found)  # which others make only now
            if some is not case.options:
                found = {node: found[node] for node in expected}
            if not same(expected, found, case.bound):
                assert backend != "gascl", f"{case.name}: a wrong answer"
                print(f"{case.name}: a wrong answer of {backend}")
                times = {}
                break
            times[cached] += [seconds(on_device)[0] for _ in range(3)]
        row |= {kind: statistics.median(each) for kind, each in times.items()}
    return row


def on_igraph(name: str, G: nx.Graph, source: Any, rounds: int) -> dict[str, float]:
    """The times of igraph for one case, whose answers are not compared; empty if it has none."""
    if name not in IGRAPH or not importlib.util.find_spec("igraph"):
        return {}
    import igraph

    first, cached = [], []
    for _ in range(rounds):
        made, g = seconds(lambda: igraph.Graph.from_networkx(G))
        taken = [seconds(lambda g=g: IGRAPH[name](g, source))[0] for _ in range(3)]
        first.append(made + taken[0])
        cached += taken
    times = statistics.median(first), statistics.median(cached)
    return dict(zip(("igraph first", "igraph cached"), times, strict=True))


#: What a call may take longer by itself with gascl than without: so many times, or so many seconds.
SLOWER, MORE = 1.1, 50e-6


def automatic(call: Call, G: nx.Graph) -> dict[str, Any]:
    """The least processor time of a call without gascl, and with it in the priorities: first, and
    on a graph that is converted."""
    name, _, run, _ = call

    def measured(priority: list[str]) -> tuple[float, Any]:
        with nx.config(backend_priority=priority):
            began = time.process_time()
            answer = run(G)
            return time.process_time() - began, answer

    def in_turn(kind: str) -> tuple[float, float]:
        """In turn without and with gascl, until differences are no longer chance."""
        times: tuple[list[float], list[float]] = [], []
        began = time.perf_counter()
        gc.disable()  # which may visit every edge of a graph, at any moment
        for done in range(500):
            if kind == "first":
                G.__networkx_cache__.clear()
            (own, expected), (ours, answer) = measured([]), measured(["gascl"])
            if not done:
                assert same(expected, answer, 1e-6), f"{name}, {kind}: another answer"
            times[0].append(own)
            times[1].append(ours)
            least = min(times[0]), min(times[1])
            if done >= 2 and time.perf_counter() - began > (2.0 if is_slower(*least) else 0.1):
                break
        gc.enable()
        return least

    own, first = in_turn("first")
    nx.number_of_isolates(G, backend="gascl")
    again, cached = in_turn("cached")
    row = {"networkx": own, "first": first, "networkx again": again, "cached": cached}
    return {"case": name, "edges": G.number_of_edges(), **row}


def is_slower(own: float, ours: float) -> bool:
    """Whether gascl makes a call slower by itself than is accepted."""
    return ours > max(SLOWER * own, own + MORE)


def show_automatic(row: dict[str, Any]) -> int:
    """Print a row of the table, with an exclamation mark where a call is slower; how many are."""
    text, count = f"{row['case']:38}", 0
    for own, ours in ((row["networkx"], row["first"]), (row["networkx again"], row["cached"])):
        count += is_slower(own, ours)
        text += f" {own * 1e6:12,.0f} {ours * 1e6:12,.0f}{'!' if is_slower(own, ours) else ' '}"
    print(text, flush=True)
    return count


def compare_automatic(sizes: list[int], only: list[str]) -> list[dict[str, Any]]:
    """Measure and print all calls on graphs of these numbers of edges."""
    rows, slower = [], 0
    for edges in sizes:
        graphs = {"G": graph(edges, directed=False), "D": graph(edges, directed=True)}
        for name, other in (("I", "G"), ("S", "D")):  # with an isolated node in front
            G = graphs[name] = type(graphs[other])()
            G.add_nodes_from(range(len(graphs[other]) + 1))
            G.add_edges_from((u + 1, v + 1) for u, v in graphs[other].edges)
        print(f"{edges:,} edges; microseconds of processor time: NetworkX, first; NetworkX, cached")
        for call in CALLS:
            if edges < call[3] and (not only or call[0] in only):
                rows.append({**automatic(call, graphs[call[1]]), "graph": edges})
                slower += show_automatic(rows[-1])
    print(f"{slower} of {2 * len(rows)} are slower")
    print(*automatic_table(rows), sep="\n")
    return rows


def automatic_table(rows: list[dict[str, Any]]) -> list[str]:
    """The lines of a table with a row for each call and a column for each size: NetworkX's time,
    and that with gascl in the priorities, first and cached; ! where that is slower."""
    nominal = sorted({row["graph"] for row in rows})
    lines = ["| | " + " | ".join(f"{edges:,}" for edges in nominal) + " |"]
    lines.append("|---" * (1 + len(nominal)) + "|")
    for case in dict.fromkeys(row["case"] for row in rows):
        cells = []
        for edges in nominal:
            found = [row for row in rows if (row["case"], row["graph"]) == (case, edges)]
            cells.append(_cell(found[0]) if found else "")
        lines.append(f"| {case} | {' | '.join(cells)} |".replace("|  |", "| |"))
    return lines


def _cell(row: dict[str, Any]) -> str:
    own = row["networkx"], row["networkx again"]
    ours = row["first"], row["cached"]
    unit, name = next((u, n) for u, n in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if own[0] >= u / 2)
    marks = ["!" if is_slower(*pair) else "" for pair in zip(own, ours, strict=True)]
    first, cached = (f"{t / unit:,.3g}{mark}" for t, mark in zip(ours, marks, strict=True))
    return f"{own[0] / unit:,.3g}, {first}, {cached} {name}"


def column(backend: str, kind: str) -> str:
    """The name of a column of times; those of gascl need no name of their own."""
    return kind if backend == "gascl" else f"{backend} {kind}"


def break_even(case: Case, rows: list[dict[str, Any]]) -> str:
    """From how many edges on it pays, by times for graphs of rising size."""

    def least(kind: str) -> str:
        slower = [row["edges"] for row in rows if row[kind] > row["networkx"]]
        faster = [r["edges"] for r in rows if r["edges"] > max(slower, default=0)]
        return f"{faster[0]:,}" if faster else "none"

    return f"{case.name:30} first {least('first'):>10}, cached {least('cached'):>10}"


def show(row: dict[str, Any], backends: list[str]) -> None:
    """Print a row of the table."""
    text = f"{row['case']:30} {row['networkx']:9.3f}"
    for backend in backends:
        for kind in ("first", "cached"):
            taken = row.get(column(backend, kind))
            text += f" {taken:9.4f} {row['networkx'] / taken:7.1f}x" if taken else f"{'':19}"
    print(text, flush=True)


def write(rows: list[dict[str, Any]], columns: list[str], path: str | None) -> None:
    """The rows as CSV, if there is a path."""
    if path:
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, ["case", "edges", "networkx", *columns])
            writer.writeheader()
            writer.writerows(rows)


def main() -> None:
    """Measure, print, and write a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=16, help="2**SCALE nodes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], metavar="CASE")
    parser.add_argument("--without", nargs="*", default=[], metavar="CASE")
    parser.add_argument("--grid", action="store_true", help="on a grid instead of R-MAT")
    parser.add_argument("--break-even", action="store_true", help="scales from 6 up to SCALE")
    parser.add_argument("--automatic", type=int, nargs="*", metavar="EDGES")
    parser.add_argument("--csv", metavar="FILE")
    chosen = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    if chosen.automatic:
        write(
            compare_automatic(chosen.automatic, chosen.only),
            ["first", "networkx again", "cached", "graph"],
            chosen.csv,
        )
        return
    backends = ["gascl"]
    if not chosen.break_even:
        backends += [name for name, module in PEERS.items() if importlib.util.find_spec(module)]
    shown = [*backends, "igraph"]
    titles = " ".join(f"{column(b, k):>9} {'':>8}" for b in shown for k in ("first", "cached"))
    print(f"{'':30} {'NetworkX':>9} {titles}")
    rows: list[dict[str, Any]] = []
    for scale in range(6, chosen.scale + 1) if chosen.break_even else [chosen.scale]:
        graphs = {weighted: made(scale, weighted, chosen.grid) for weighted in (False, True)}
        source = max(graphs[False].degree, key=lambda pair: pair[1])[0]
        for case in cases(source):
            if case.name in chosen.without or (chosen.only and case.name not in chosen.only):
                continue
            rows.append(measured(case, graphs[case.weighted], chosen.rounds, backends))
            rows[-1] |= on_igraph(case.name, graphs[case.weighted], source, chosen.rounds)
            show(rows[-1], shown)
            names = [column(b, kind) for b in shown for kind in ("first", "cached")]
            write(rows, names, chosen.csv)  # at once, lest a run that is cut short leave nothing
    if chosen.break_even:
        for case in cases(None):
            own = [row for row in rows if row["case"] == case.name]
            if own:
                print(break_even(case, own))


if __name__ == "__main__":
    main()
