"""The table of the bundled programs: size, deliveries, verifier, and time against peers.

    python benchmarks/programs.py --scale 18 --rounds 3 --update docs/library.md

Every run of gascl is verified by tests/support/verifiers. See README.md.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import re
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from contenders import around, replace, table
from graphs import made
from peers import PEERS, Inputs, missing

import gascl.programs
from gascl import Engine, Graph, VertexProgram
from gascl.delivery import admission
from gascl.delivery import registry as deliveries
from gascl.language.stage_discovery import inner_programs

TESTS = Path(__file__).resolve().parent.parent / "tests"
#: Programs over all V^2 pairs, too many in this graph: communities.py is their benchmark. Truss
#: numbers are verified by peeling in plain Python, which takes too long for its many triangles.
ELSEWHERE = {"ParticleCommunities", "TrussNumber"}
MARK = "benchmarks/programs.py"
#: Programs that the libraries' functions take an undirected graph for.
UNDIRECTED = {
    "AlternatingLabelPropagation",
    "CoreNumber",
    "Diameter",
    "Eigenvector",
    "GreedyColoring",
    "LabelPropagation",
    "LocalClustering",
    "LocalCommunity",
    "Leiden",
    "Louvain",
    "MaximalIndependentSet",
    "Triangles",
    "TrussNumber",
    "WeightedClustering",
}
#: Programs of bipartite graphs: an arc from u to v is an edge from u to a copy of v.
TWO_SIDED = {"BipartiteMatching"}
SEARCHES = {
    "BellmanFord",
    "BreadthFirst",
    "Distances",
    "EarliestArrival",
    "LocalCommunity",
    "ShortestPaths",
    "TemporalReachability",
}
LIBRARIES = ("NetworKit", "igraph")
#: Parameters: a fixed amount of work for programs where it would depend on the stop rule.
VALUES: dict[str, dict[str, Any]] = {
    "AlternatingLabelPropagation": {"supersteps": 20},
    "Betweenness": {"sources": 16},
    "Closeness": {"sources": 16},
    "Eccentricity": {"targets": 16},
    "EdgeBetweenness": {"sources": 16},
    "HarmonicCloseness": {"sources": 16},
    "Katz": {"alpha": 0.0005},  # NetworKit's default
    "LabelPropagation": {"supersteps": 10},
    "Leiden": {"weight": None},
    "Louvain": {"weight": None},  # the peers' calls follow no weights
    "Neighborhoods": {"hops": 2},
    "PageRank": {"supersteps": 20},
    "WeightedBetweenness": {"sources": 2},
    "WeightedCloseness": {"sources": 16},
    "WeightedEccentricity": {"targets": 16},
    "WeightedEdgeBetweenness": {"sources": 2},
    "WeightedHarmonicCloseness": {"sources": 16},
    "WeightedKatz": {"alpha": 0.000002},
    "WeightedPageRank": {"supersteps": 20},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=18, help="2**scale vertices (default: 18)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of turns (default: 3)")
    parser.add_argument("--device", default=None, help="as in Engine(graph, device)")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument(
        "--update", type=Path, help="the file to write the table into; with --only, these rows"
    )
    given = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    directed = made(f"rmat{given.scale}")
    forms = {"directed": directed, "undirected": directed.undirected()}
    names = given.only or [n for n in gascl.programs.__all__ if n not in ELSEWHERE]
    if TWO_SIDED & set(names):
        forms["two-sided"] = directed.two_sided()
    inputs = {form: Inputs(edges) for form, edges in forms.items()}
    engines = {form: Engine(with_times(inputs[form].graph()), given.device) for form in forms}
    lines = []
    for name in names:
        form = form_of(name)
        lines.append(line(name, inputs[form], engines[form], given))
        print("| " + " | ".join(lines[-1]) + " |", flush=True)
    head = ["program", "lines", "snippet lines", "deliveries", "verified by", "s"]
    head.append("peers (multiple of gascl's time)")
    about = (
        f"R-MAT of scale {given.scale}: {1 << given.scale:,} vertices, {directed.num_edges:,} "
        f"edges, without self-loops and duplicate edges; {engines['directed'].device}. Medians of "
        f"{given.rounds} runs on a loaded graph; for gascl, the time of `Engine.run` with kernels "
        "already built."
    )
    print(f"\n{about}")
    if given.update:
        rows = rows_of(given.update) if given.only else {}
        rows |= {row[0]: row for row in lines}
        text = table(head, [rows[name] for name in sorted(rows)])
        replace(given.update, MARK, f"{about}\n\n{text}")


def with_times(graph: Graph) -> Graph:
    """The graph with whole times of its edges, by their weights."""
    return graph.with_edge_fields(time=np.rint(graph.edge_fields["weight"]).astype(np.int64))


def form_of(name: str) -> str:
    """What becomes of the graph's directions for a program."""
    return "two-sided" if name in TWO_SIDED else "undirected" if name in UNDIRECTED else "directed"


def rows_of(file: Path) -> dict[str, list[str]]:
    """The rows of the table in a file, by their first cells, the programs."""
    before, after = (len(part) for part in around(file, MARK))
    table_ = file.read_text("utf-8")[before:-after]
    rows = [line[2:-2].split(" | ") for line in table_.splitlines() if line.startswith("| `")]
    return {row[0]: row for row in rows}


def line(name: str, inputs: Inputs, engine: Engine, given: Any) -> list[str]:
    """The row of a program in the table."""
    cls = getattr(gascl.programs, name)
    file = Path(sys.modules[cls.__module__].__file__ or "")
    parts = inner_programs(cls)
    snippets = sum(map(count_lines, {t.text for c in parts for t in c.spec.snippets.values()}))
    verifier = importlib.import_module(f"support.verifiers.{file.stem}")
    said = [
        str(count_lines(file.read_text("utf-8"))),
        str(snippets),
        admitted(parts, engine),
    ]
    said.append(re.split(r"[.,:;(]", verifier.__doc__ or "")[0].strip())
    if name == "ParticleCommunities":
        return [f"`{name}`", *said, "", "see benchmarks/communities.py"]
    source = {"source": inputs.source} if name in SEARCHES else {}
    program = cls(**VALUES.get(name, {}), **source)
    runs: dict[str, Callable[[], float]] = {"gascl": ours(engine, program, verifier.verify)}
    for library, peer in PEERS.get(name, {}).items():
        if library in LIBRARIES and not missing(library):
            runs[library] = functools.partial(timed, peer.prepare(inputs))
    seconds: dict[str, list[float]] = {peer: [] for peer in runs}
    for number in range(given.rounds + 1):
        for peer, run in runs.items():
            took = run()
            if number:  # the first builds and warms up
                seconds[peer].append(took)
    ratios = {p: np.array(s) / np.array(seconds["gascl"]) for p, s in seconds.items()}
    others = ", ".join(f"{p} {np.median(r):.2g}" for p, r in ratios.items() if p != "gascl")
    return [f"`{name}`", *said, f"{np.median(seconds['gascl']):.3g}", others]


def count_lines(text: str) -> int:
    return sum(bool(row.strip()) for row in text.splitlines())


def admitted(parts: list[type[VertexProgram]], engine: Engine) -> str:
    """The deliveries that can run all of the programs."""
    able = []
    for cls in parts:
        needed = {n: "0" for n, p in cls.spec.params.items() if "required" in repr(p.default)}
        device = engine.device
        demand = admission.demand_of(cls(**needed), device.atomics, device.fp64, True)
        able.append(deliveries.admitted(demand))
    return " ".join(d for d in deliveries.DELIVERIES if able and all(d in a for a in able))


def ours(
    engine: Engine, program: VertexProgram, verify: Callable[..., None]
) -> Callable[[], float]:
    """A run with its seconds; the result is verified, unless it repeats one that was."""
    right: dict[str, bytes] = {}

    def run() -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            started = time.perf_counter()
            result = engine.run(program)
            dict(result.fields)  # reads them from the device
            took = time.perf_counter() - started
        found = {name: result[name].tobytes() for name in result}
        found |= {name: values.tobytes() for name, values in result.arc_fields.items()}
        if found != right:
            verify(engine.graph, result, program)
            right.clear()
            right.update(found)
        return took

    return run


def timed(run: Callable[[], Any]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        run()
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
