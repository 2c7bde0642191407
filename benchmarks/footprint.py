"""The device's memory that each bundled program takes, in bytes an arc and bytes a vertex.

    python benchmarks/footprint.py --update docs/library.md

See README.md.
"""

from __future__ import annotations

import argparse
from dataclasses import replace as changed
from pathlib import Path

import numpy as np
from contenders import replace, table

import gascl.programs
from gascl import Graph, VertexProgram
from gascl.delivery.device_facts import DeviceFacts
from gascl.opencl.device_choice import find
from gascl.run.explanation import stage_programs
from gascl.run.memory_estimate import GraphSize
from gascl.run.prepare import prepare
from programs import ELSEWHERE, SEARCHES, TWO_SIDED, VALUES

MARK = "benchmarks/footprint.py"
#: A graph of this size, for which all stages are prepared, and how much larger another one is.
VERTICES, EDGES, MORE = 200, 1000, 10**9


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--device", default="pthread", help="as in Engine(graph, device); PoCL")
    parser.add_argument("--update", type=Path, help="the file to write the table into")
    given = parser.parse_args()
    device = find(given.device)
    graphs = [graph(directed) for directed in (True, False)]
    sides = [two_sided(each) for each in graphs]
    rows = []
    # That one's stage has a vertex for each arc.
    apart = ELSEWHERE | {"WeightedClustering"}
    for name in (n for n in gascl.programs.__all__ if n not in apart):
        used = sides if name in TWO_SIDED else graphs
        taken_by = [taken(each, device.facts, name) for each in used]
        rows.append([f"`{name}`", *(text for texts in taken_by for text in texts)])
        print(*rows[-1], flush=True)
    head = ["program", "directed: an arc", "a vertex", "undirected: an arc", "a vertex"]
    text = f"Bytes on {device}.\n\n{table(head, rows)}"
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


def taken(graph: Graph, device: DeviceFacts, name: str) -> tuple[str, str]:
    """Bytes an arc, and a vertex: of the stage that takes most an arc; "-" twice if the program
    takes no directed graphs."""
    if name == "Diameter" and graph.directed:
        return "-", "-"
    program = program_of(name)
    arc, vertex = max(of_run(each, graph, device) for each in runs_of(program, graph))
    return f"{arc:.3g}", f"{vertex:.3g}"


def program_of(name: str) -> VertexProgram:
    """The bundled program of this name, with the parameters that it needs."""
    values = VALUES.get(name, {}) | ({"source": 0} if name in SEARCHES else {})
    program: VertexProgram = getattr(gascl.programs, name)(**values)
    return program


def runs_of(program: VertexProgram, graph: Graph) -> list[VertexProgram]:
    """The program, or those that it runs."""
    if type(program).solve is None:
        return [program]
    size = GraphSize(graph.num_vertices, graph.num_edges, graph.directed)
    return stage_programs(program, program.largest_runs(size)[0])


def of_run(program: VertexProgram, graph: Graph, device: DeviceFacts) -> tuple[float, float]:
    """Bytes an arc, and a vertex, of all buffers of a run."""
    prepared = prepare(program, graph, device)

    def nbytes(**more: int) -> int:
        extent = changed(prepared.layout.extent, **more)
        layout = prepared.source.run_layout(program.spec, extent)
        return sum(a.nbytes for a in (*layout.graph.values(), *layout.own.values()))

    base = nbytes(arcs=0, vertices=0)
    return (nbytes(arcs=MORE, vertices=0) - base) / MORE, (
        nbytes(arcs=0, vertices=MORE) - base
    ) / MORE


if __name__ == "__main__":
    main()
