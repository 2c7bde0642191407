"""gascl on one GPU: the times of the supersteps, every answer verified."""

from __future__ import annotations

import argparse
import functools
import time
from typing import Any

import answers
import numpy as np
from byhand import PageRankByHand
from contenders import Row, around, ratios, replace, table, take_turns, write_csv
from graphs import Edges, made, permutation
from problems import PROBLEMS, SUPERSTEPS, timed, versions

from gascl import Engine, Graph
from gascl.programs import BreadthFirst

GRAPHS = ("rmat22", "rmat24", "uniform22", "grid3000")
#: Milliseconds, of PageRank those of a superstep; or a ratio: of gascl's time to that of OpenCL
#: by hand, and of the time of one run from 64 sources to that of 64 runs.
GOALS = {
    "pagerank": {"rmat22": 0.35, "rmat24": 1.3, "uniform22": 0.45, "grid3000": 0.1},
    "hand": dict.fromkeys(GRAPHS, 1.05),
    "first": {"rmat24": 1500.0},
    "again-pagerank": {"rmat24": 50.0},
    "again-sssp": {"rmat24": 50.0},
    "bfs": {"rmat22": 0.3, "rmat24": 0.8, "uniform22": 0.5, "grid3000": 30.0},
    "sssp": {"rmat22": 4.0, "rmat24": 15.0, "uniform22": 5.0, "grid3000": 60.0},
    "components": {"rmat22": 1.2, "rmat24": 4.5, "uniform22": 1.8, "grid3000": 2.0},
    "lanes": {"rmat22": 0.3},
}
RATIOS = ("hand", "lanes")
LANES = 64
TITLES = {
    "pagerank": "PageRank, a superstep",
    "hand": "PageRank, gascl / OpenCL by hand",
    "first": "PageRank, from arrays of edges to the first result",
    "again-pagerank": "PageRank, second run, everything",
    "again-sssp": "SSSP, second run, everything",
    "lanes": f"BFS, {LANES} sources in lanes / {LANES} runs",
}
MARK = "benchmarks/bench.py, one GPU"


def main(given: argparse.Namespace) -> None:
    if given.update:
        around(given.update, MARK)  # refused now rather than after the run
    rows: list[dict[str, Any]] = []
    names = given.graphs or GRAPHS
    in_lanes = next((name for name in names if name.startswith("rmat")), "")
    engine = None
    for name in names:
        edges = made(name, given.cache)
        for key in given.only:
            if key == "lanes" and name != in_lanes:
                continue
            if key == "components":
                edges, engine = edges.undirected(), None
            engine = engine or loaded(edges, given.device)
            find = {"lanes": lanes, "first": first, "hand": beside_hand}.get(
                key
            ) or functools.partial(single, key)
            line = line_of(key, name, edges, find(edges, engine, given))
            print(markdown([line]), flush=True)
            rows.append(line)
            if given.csv:  # all that it has then
                rows = write_csv(given.csv, [line], ("algorithm", "graph"))
        device, engine = str(engine.device) if engine else "", None
    if given.update:
        about = f"{device}; {given.rounds} rounds; {versions()}."
        replace(given.update, MARK, f"{about}\n\n{markdown(rows)}")


def loaded(edges: Edges, device: str | None) -> Engine:
    """The engine for a graph; says how long the host takes."""
    started = time.perf_counter()
    graph = edges.graph()
    made_graph = time.perf_counter()
    engine = Engine(graph, device)
    print(
        f"{edges.name}: {edges.num_vertices:,} vertices, {edges.num_edges:,} edges; Graph "
        f"{made_graph - started:.1f} s; {engine.device}",
        flush=True,
    )
    return engine


def single(key: str, edges: Edges, engine: Engine, given: argparse.Namespace) -> Row:
    """The supersteps of a run, of PageRank one of them; or all that a second run does."""
    again, _, name = key.rpartition("-")
    problem = PROBLEMS[name]
    program = problem.make(edges.hub)

    def run() -> tuple[float, Any, str]:
        seconds, result, note = timed(engine, program)
        return seconds / (result.supersteps if key == "pagerank" else 1), result, note

    def whole() -> tuple[float, Any, str]:
        started = time.perf_counter()
        result = engine.run(program)
        for field in problem.fields:
            result[field]
        seconds = time.perf_counter() - started
        return seconds, result, f"supersteps {result.seconds['supersteps'] * 1e3:.3g} ms"

    if again:
        whole()
    row = Row("gascl", whole if again else run, problem.truth(edges, edges.hub), trials=3)
    take_turns([row], given.rounds)
    return row


def beside_hand(edges: Edges, engine: Engine, given: argparse.Namespace) -> Row:
    """PageRank, generated and by hand; the seconds are ratios of its times."""
    problem = PROBLEMS["pagerank"]
    own = functools.partial(timed, engine, problem.make(edges.hub))
    by_hand = PageRankByHand(engine.graph, engine.device, SUPERSTEPS)
    check = functools.partial(answers.ranks, edges, supersteps=SUPERSTEPS)
    both = (
        Row("gascl", own, problem.truth(edges, edges.hub), trials=3),
        Row("by hand", by_hand.run, check, trials=3),
    )
    take_turns(list(both), given.rounds)
    return compared(*both)


def compared(row: Row, other: Row) -> Row:
    """A row whose seconds are the ratios of two others' times, which the note tells."""
    told = [f"{np.median(r.seconds) * 1e3:.4g} ms {r.name}" for r in (row, other)]
    found = Row("gascl", row.run, row.check, note=", ".join(told))
    found.seconds = ratios(row, other).tolist()
    return found


def first(edges: Edges, engine: Engine, given: argparse.Namespace) -> Row:
    """PageRank of a graph that is new to the process and to the device; the kernels are not."""
    problem, (sources, targets, _) = PROBLEMS["pagerank"], edges.listed()
    program = problem.make(edges.hub)

    def run() -> tuple[float, Any, str]:
        started = time.perf_counter()
        graph = Graph.from_edges(sources, targets, num_vertices=edges.num_vertices)
        made = time.perf_counter()
        result = Engine(graph, given.device).run(program)
        result["rank"]
        parts = {"graph": made - started, **result.seconds}
        note = ", ".join(f"{name} {s:.2f} s" for name, s in parts.items())
        return time.perf_counter() - started, result, note

    row = Row("gascl", run, problem.truth(edges, edges.hub))
    take_turns([row], given.rounds)
    return row


def lanes(edges: Edges, engine: Engine, given: argparse.Namespace) -> Row:
    """A run from many sources at once; its seconds are multiples of those of single runs."""
    order = permutation(edges.num_vertices, LANES)
    sources = order[edges.out_degree[order] > 0][:LANES].tolist()
    at_once = BreadthFirst(source=sources)
    verified: list[np.ndarray] = []

    def check(found: list[np.ndarray]) -> None:
        """Depths and parents, (V, lanes) each."""
        if verified and all(map(np.array_equal, found, verified)):
            return
        depth, parent = found
        for lane, source in enumerate(sources):
            answers.search(edges, source, depth[:, lane].copy(), parent[:, lane].copy())
        verified[:] = found

    def together() -> tuple[float, Any, str]:
        seconds, result, _ = timed(engine, at_once)
        return seconds, [result.depth, result.parent], ""

    def one_by_one() -> tuple[float, Any, str]:
        total, depths, parents = 0.0, [], []
        for source in sources:
            seconds, result, _ = timed(engine, BreadthFirst(source=source))
            total += seconds
            depths.append(result.depth)
            parents.append(result.parent)
        return total, [np.stack(depths, axis=1), np.stack(parents, axis=1)], ""

    both = Row("at once", together, check), Row("one by one", one_by_one, check)
    take_turns(list(both), given.rounds)
    return compared(*both)


def line_of(key: str, name: str, edges: Edges, row: Row) -> dict[str, Any]:
    factor = 1 if key in RATIOS else 1e3
    least, median, most = (
        f(row.seconds) * factor for f in (min, lambda s: float(np.median(s)), max)
    )
    goal = GOALS[key].get(name)
    return {
        "algorithm": TITLES.get(key) or PROBLEMS[key].title,
        "graph": name,
        "vertices": edges.num_vertices,
        "edges": edges.num_edges,
        "unit": "ratio" if key in RATIOS else "ms",
        "contenders": len(row.seconds),
        **{"median": f"{median:.4g}", "min": f"{least:.4g}", "max": f"{most:.4g}"},
        "goal": "" if goal is None else f"{goal:g}",
        "met": "" if goal is None else "yes" if median <= goal else "no",
        "note": row.note,
    }


def markdown(rows: list[dict[str, Any]]) -> str:
    head = ["algorithm", "graph", "", "median", "min to max", "goal", "met", "notes"]
    lines = []
    for row in rows:
        shown = [row["algorithm"], row["graph"], row["unit"], row["median"]]
        shown += [f"{row['min']} to {row['max']}", row["goal"], row["met"], row["note"]]
        lines.append(shown)
    return table(head, lines)
