"""gascl and its peers on the cores of a CPU: one table."""

from __future__ import annotations

import argparse
import functools
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import answers
import numpy as np
import peers
from byhand import PageRankByHand
from contenders import Row, around, other_work, ratios, replace, table, take_turns, write_csv
from gap import KINDS, Gap
from gap import check as check_gap
from graphs import Edges, default_cache, made
from problems import PROBLEMS, SUPERSTEPS, timed, versions

from gascl import Engine

GRAPHS = ("kron", "uniform", "grid", "rmat")
#: The goals: GAP's time, and that of the best of the libraries from pip, divided by gascl's.
GAP_GOALS = {
    "bfs": {"kron": 2.0, "uniform": 1.7, "grid": 1.2},
    "sssp": {"kron": 1.3, "uniform": 1.4, "grid": 1.7},
    "components": {"kron": 1.2, "uniform": 1.2, "grid": 1.0},
    "triangles": {"kron": 1.2, "uniform": 1.0, "grid": 1.0},
    "pagerank": {"kron": 1.5, "uniform": 1.3, "grid": 1.2},
}
PIP_GOALS = {"bfs": 5.0, "sssp": 5.0, "components": 5.0, "triangles": 2.0} | dict.fromkeys(
    ("coreness", "strong", "labels", "clustering"), 1.5
)
#: Beside OpenCL by hand: gascl may take so many times as long. The table has the inverse.
HAND_GOAL = 1.05
HAND = "OpenCL by hand"
MARK = "benchmarks/bench.py, two cores"


def main(given: argparse.Namespace) -> None:
    if given.update:
        around(given.update, MARK)  # refused now rather than after the run
    before = other_work()
    cache = given.cache or default_cache()
    gap = Gap(given.gap, cache) if given.gap else None
    for library, module in peers.MODULES.items():
        if peers.missing(library):
            print(f"{library} is left out: `{module}` is not installed")
    if not gap:
        print("GAP is left out: no --gap")
    rows: list[dict[str, Any]] = []
    device = ""
    for name in given.graphs or GRAPHS:
        keys = [k for k in given.only or PROBLEMS if (k == "strong") == (name == "rmat")]
        if not keys:
            continue
        inputs = peers.Inputs(edges_of(name, given, gap), given.threads)
        engine = Engine(inputs.graph(), given.device)
        print(f"\n{described(name, inputs.edges)}; {engine.device}", flush=True)
        for key in keys:
            done = run(key, name, inputs, engine, gap if name != "rmat" else None, given)
            lines = [line_of(key, name, inputs.edges, row, done[0]) for row in done]
            print(markdown(lines), flush=True)
            rows += lines
            if given.csv:  # all that it has then
                rows = write_csv(given.csv, lines, ("algorithm", "graph"))
        device = str(engine.device)
        del inputs, engine, done  # before the next graph
    if not rows:
        raise SystemExit("nothing to run: strong components run on rmat, all else on the others")
    others, whole = other_work() - before
    said = f"{about(given, device)} Other processes had {others / whole:.0%} of the cores' time."
    print(f"\n{said}")
    if given.update:
        replace(given.update, MARK, f"{said}\n\n{markdown(rows)}")


def edges_of(name: str, given: argparse.Namespace, gap: Gap | None) -> Edges:
    """The graph; GAP's own, if there is a checkout and it can make it."""
    if gap and name in KINDS:
        return gap.edges(name, given.scale)
    if name == "grid":
        edges = made(f"holes{round(1500 * 2 ** ((given.scale - 20) / 2))}", given.cache)
    else:
        without = ", undirected" if name == "uniform" else ""
        edges = made(f"{name}{given.scale}{without}", given.cache)
    if gap and name != "rmat":
        gap.take(edges)
    return edges


def run(
    key: str,
    name: str,
    inputs: peers.Inputs,
    engine: Engine,
    gap: Gap | None,
    given: argparse.Namespace,
) -> list[Row]:
    """The contenders of a problem after all rounds; gascl is the first."""
    problem, edges = PROBLEMS[key], inputs.edges
    truth = problem.truth(edges, inputs.source)
    own = functools.partial(timed, engine, problem.make(inputs.source))
    rows = [Row("gascl", own, truth, trials=3)]
    if key == "pagerank":
        by_hand = PageRankByHand(engine.graph, engine.device, SUPERSTEPS)
        rows.append(
            Row(
                HAND, by_hand.run, functools.partial(answers.ranks, edges, supersteps=SUPERSTEPS), 3
            )
        )
    if gap:
        check = later(lambda: check_gap(key, inputs, truth.answer))
        rows += [Row(title, call, check) for title, call in gap.contenders(key, inputs).items()]
    for library, peer in peers.PEERS[problem.program].items():
        if peers.missing(library):
            continue
        check = later(lambda name=library: problem.agrees(name, truth.answer, inputs))
        if peer.answer is None:
            check = unverified
        call = functools.partial(of_peer, library, peer, peer.prepare(inputs), inputs)
        rows.append(Row(library, call, check, trials=3))
    take_turns(rows, given.rounds, given.slow)
    return rows


def later(make: Callable[[], Callable[[Any], None]]) -> Callable[[Any], None]:
    """A check that is made when it is first needed: gascl's verified answer is known by then."""
    ready = functools.cache(make)
    return lambda answer: ready()(answer)


def unverified(answer: Any) -> None:
    """For an answer that is random."""


def of_peer(
    library: str, peer: peers.Peer, call: Callable[[], Any], inputs: peers.Inputs
) -> tuple[float, Any, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        found = call()
        seconds = time.perf_counter() - started
    notes = ["one thread"] if library in peers.SERIAL else []
    if peer.answer is None:
        return seconds, None, ", ".join([*notes, "not the same answer, not verified"])
    return seconds, peer.answer(found, inputs), ", ".join(notes)


def line_of(key: str, name: str, edges: Edges, row: Row, own: Row) -> dict[str, Any]:
    """A contender's line in the table."""
    line = {
        "algorithm": PROBLEMS[key].title,
        "graph": name,
        "vertices": edges.num_vertices,
        "edges": edges.num_edges,
        "contender": row.name,
        "turns": len(row.seconds),
        "median_s": f"{np.median(row.seconds):.6f}",
        "min_s": f"{min(row.seconds):.6f}",
        "max_s": f"{max(row.seconds):.6f}",
        **dict.fromkeys(("ratio", "ratio_min", "ratio_max", "goal", "met"), ""),
        "note": row.note,
    }
    if row is own:
        return line
    found = ratios(row, own)
    ratio = float(np.median(found))
    line |= {"ratio": f"{ratio:.3f}"}
    line |= {"ratio_min": f"{found.min():.3f}", "ratio_max": f"{found.max():.3f}"}
    goal = PIP_GOALS.get(key)
    if row.name == HAND:
        goal = 1 / HAND_GOAL
    elif row.name.startswith("GAP"):
        goal = GAP_GOALS.get(key, {}).get(name)
    if goal is not None:
        line |= {"goal": f"{goal:.3g}", "met": "yes" if ratio >= goal else "no"}
    return line


def markdown(rows: list[dict[str, Any]]) -> str:
    head = ["algorithm", "graph", "contender", "ms", "time / gascl's", "goal", "met", "notes"]
    lines = []
    for row in rows:
        ratio, least, most = (row[name] for name in ("ratio", "ratio_min", "ratio_max"))
        spread = f"{float(ratio):.2f} ({float(least):.2f}-{float(most):.2f})" if ratio else ""
        shown = [row["algorithm"], row["graph"], row["contender"]]
        shown += [f"{float(row['median_s']) * 1e3:.4g}", spread, row["goal"], row["met"]]
        lines.append([*shown, row["note"]])
    return table(head, lines)


def described(name: str, edges: Edges) -> str:
    kind = "directed" if edges.directed else "undirected"
    return (
        f"{name}: {edges.num_vertices:,} vertices, {edges.num_edges:,} edges, {kind}, largest "
        f"degree {int(edges.out_degree.max()):,}"
    )


def about(given: argparse.Namespace, device: str) -> str:
    return (
        f"{given.threads} threads of {processor()}; {device}; scale "
        f"{given.scale}, {given.rounds} rounds; "
        f"{versions('networkit', 'igraph', 'python-graphblas')}, Python "
        f"{platform.python_version()}."
    )


def processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    return next((x.split(": ")[1] for x in lines if x.startswith("model name")), platform.machine())
