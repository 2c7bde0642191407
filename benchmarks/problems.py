"""What the benchmark runs: programs with their parameters, and how their answers are verified."""

from __future__ import annotations

import importlib.metadata
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import answers
import numpy as np
from answers import Truth, close, equal
from contenders import Near
from graphs import Edges
from peers import DAMPING, Inputs, scipy_ranks

import gascl.programs
from gascl import Engine, Result, VertexProgram


@dataclass(frozen=True)
class Problem:
    """A row of the table.

    Attributes:
        program: the name of the class.
        fields: what is verified.
        values: the parameters.
        searches: it has a source.
    """

    title: str
    program: str
    fields: tuple[str, ...]
    values: dict[str, Any]
    searches: bool = False

    def make(self, source: Any) -> VertexProgram:
        cls = getattr(gascl.programs, self.program)
        return cls(**self.values, **({"source": source} if self.searches else {}))

    def truth(self, edges: Edges, source: int) -> Truth:
        """How gascl's answers are verified."""

        def verify(result: Result) -> None:
            found = {name: np.asarray(result[name]) for name in self.fields}
            if self.program == "BreadthFirst":
                answers.search(edges, source, **found)
            elif self.program == "ShortestPaths":
                answers.distances(edges, source, **found)
            elif self.program == "ConnectedComponents":
                answers.components(edges, **found)
            elif self.program == "PageRank":
                answers.ranks(edges, supersteps=result.supersteps, **found)
            else:
                module = re.sub("(?<=[a-z])(?=[A-Z])", "_", self.program).lower()
                answers.by_tests(module, result.graph, result, self.make(source))

        return Truth(verify, self.fields)

    def agrees(
        self, library: str, answer: dict[str, np.ndarray], inputs: Inputs
    ) -> Callable[[Any], None]:
        """How the answer of another library is compared with the verified one."""
        first = answer[self.fields[0]]
        if self.program == "PageRank" and library == "NetworKit":
            return Near(scipy_ranks(inputs.scipy(), inputs, spread=False), 1e-4)
        if self.program == "PageRank":  # igraph goes on until nothing changes
            return Near(first.astype(np.float64), 2 * DAMPING**20 if library == "igraph" else 1e-4)
        if self.program == "LocalClustering":
            return close(first, 1e-5)
        if self.program == "Triangles" and library == "GraphBLAS":
            return equal(first.sum() // 3)
        return equal(first)


#: Of PageRank.
SUPERSTEPS = 20
PROBLEMS = {
    "bfs": Problem("BFS", "BreadthFirst", ("depth", "parent"), {}, True),
    "sssp": Problem("SSSP", "ShortestPaths", ("distance", "parent"), {}, True),
    "components": Problem("components", "ConnectedComponents", ("component",), {}),
    "triangles": Problem("triangles", "Triangles", ("triangles", "wedges"), {}),
    "coreness": Problem("coreness", "CoreNumber", ("core",), {}),
    "strong": Problem("strong components", "StronglyConnected", ("component",), {}),
    "labels": Problem("label propagation", "LabelPropagation", ("label",), {"supersteps": 10}),
    "clustering": Problem("local clustering", "LocalClustering", ("coefficient",), {}),
    "pagerank": Problem("PageRank", "PageRank", ("rank",), {"supersteps": SUPERSTEPS}),
}


def timed(engine: Engine, program: VertexProgram, **options: Any) -> tuple[float, Result, str]:
    """The wall time of the supersteps, with the trace read; of a program of several stages also
    the time between them, in which it prepares graphs. `options` are those of `Engine.run`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = engine.run(program, **options)
    started = time.perf_counter()
    kernels = sum(step.seconds for step in result.trace)
    seconds = time.perf_counter() - started
    seconds += sum(s for part, s in result.seconds.items() if part not in ("build", "upload"))
    note = f"{result.supersteps} supersteps, kernels {kernels * 1e3:.3g} ms"
    return seconds, result, note


def versions(*packages: str) -> str:
    listed = []
    for name in ("gascl", "numpy", "scipy", "pyopencl", *packages):
        try:
            listed.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(listed)
