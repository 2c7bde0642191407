"""The device's memory that each bundled program takes, in bytes an arc and bytes a vertex.

    python benchmarks/footprint.py --update docs/library.md

See README.md.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace as changed
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from contenders import replace, table

import gascl.programs
from gascl import Engine, Graph
from gascl.delivery.run_layout import RunLayout
from gascl.run.plan import Plan
from programs import ELSEWHERE, SEARCHES, TWO_SIDED, VALUES

MARK = "benchmarks/footprint.py"
#: A graph of this size, on which all stages run, and how much larger another one is.
VERTICES, EDGES, MORE = 200, 1000, 10**9


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--device", default="pthread", help="as in Engine(graph, device); PoCL")
    parser.add_argument("--update", type=Path, help="the file to write the table into")
    given = parser.parse_args()
    engines = [Engine(graph(directed), given.device) for directed in (True, False)]
    sides = [Engine(two_sided(engine.graph), given.device) for engine in engines]
    rows = []
    # That one's stage has a vertex for each arc.
    apart = ELSEWHERE | {"WeightedClustering"}
    for name in (n for n in gascl.programs.__all__ if n not in apart):
        used = sides if name in TWO_SIDED else engines
        rows.append([f"`{name}`", *(text for engine in used for text in taken(engine, name))])
        print(*rows[-1], flush=True)
    head = ["program", "directed: an arc", "a vertex", "undirected: an arc", "a vertex"]
    text = f"Bytes on {engines[0].device}.\n\n{table(head, rows)}"
    print(f"\n{text}")
    if given.update:
        replace(given.update, MARK, text)


def graph(directed: bool) -> Graph:
    rng = np.random.default_rng(1)
    ends = rng.integers(0, VERTICES, (2, EDGES))
    weight = rng.integers(1, 10, EDGES).astype(np.float32)
    return Graph.from_edges(*ends, num_vertices=VERTICES, directed=directed, weight=weight).simple()


def two_sided(graph: Graph) -> Graph:
    """Its edges between even and odd vertices."""
    src, dst = graph.edge_src, graph.edge_dst
    alike = src % 2 == dst % 2
    return graph.with_edges(remove=(src[alike], dst[alike]))


def taken(engine: Engine, name: str) -> tuple[str, str]:
    """Bytes an arc, and a vertex: of the stage that takes most an arc; "-" twice if the program
    takes no directed graphs."""
    if name == "Diameter" and engine.graph.directed:
        return "-", "-"
    stages: list[tuple[float, float]] = []
    run_layout = Plan.run_layout

    def note(plan: Plan, spec: Any, extent: Any) -> RunLayout:
        def nbytes(**more: int) -> int:
            found = run_layout(plan, spec, changed(extent, **more))
            return sum(a.nbytes for a in (*found.graph.values(), *found.own.values()))

        base = nbytes(arcs=0, vertices=0)
        each = (nbytes(arcs=MORE, vertices=0) - base, nbytes(arcs=0, vertices=MORE) - base)
        stages.append((each[0] / MORE, each[1] / MORE))
        return run_layout(plan, spec, extent)

    values = VALUES.get(name, {}) | ({"source": 0} if name in SEARCHES else {})
    with mock.patch.object(Plan, "run_layout", note), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.run(getattr(gascl.programs, name)(**values))
    arc, vertex = max(stages)
    return f"{arc:.3g}", f"{vertex:.3g}"


if __name__ == "__main__":
    main()
