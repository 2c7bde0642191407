"""The GAP Benchmark Suite as a contender: its own programs, on its own graphs.

Beamer, Asanović, Patterson, The GAP Benchmark Suite, arXiv:1508.03619; checkout from
https://github.com/sbeamer/gapbs.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from contenders import QUICK
from graphs import EDGES_PER_VERTEX, Edges
from peers import Inputs, scipy_ranks

from gascl import Graph

BUILT = ("converter", "bfs", "sssp", "cc", "tc", "pr", "pr_spmv")
KINDS = {"kron": "-g", "uniform": "-u"}
#: Bucket widths to try for shortest paths; the fastest is used.
DELTAS = (4, 8, 16, 32, 64, 128, 256)
ITERATIONS = 20
#: Trials in a turn after one that warms up; of programs that take longer than `QUICK`, one.
TRIALS = 3


@dataclass(frozen=True)
class Found:
    """What a program printed about its answer, after the verification by GAP's serial code."""

    text: str

    def number(self, pattern: str) -> int:
        return int(re.findall(pattern, self.text)[-1])


class Gap:
    """A checkout, built; `OMP_NUM_THREADS` limits its threads."""

    def __init__(self, checkout: Path, cache: Path):
        self.checkout, self.cache = checkout.resolve(), cache
        if not (self.checkout / "src" / "bfs.cc").exists():
            sys.exit(f"--gap {checkout}: no checkout of the GAP Benchmark Suite")
        make = subprocess.run(
            ["make", *BUILT], cwd=self.checkout, capture_output=True, text=True, check=False
        )
        if make.returncode:
            sys.exit(f"--gap {checkout}: make failed:\n{make.stderr}")
        cache.mkdir(parents=True, exist_ok=True)
        self.long: set[tuple[str, str]] = set()

    def edges(self, kind: str, scale: int) -> Edges:
        """The graph of GAP's own generator and weights, as its converter writes them."""
        path = self.path(f"{kind}{scale}", ".wsg")
        for file in (path, path.with_suffix(".sg")):
            if not file.exists():
                part = file.with_name(f"part-{file.name}")
                output = ["-wb" if file == path else "-b", str(part)]
                self.call(
                    "converter", KINDS[kind], str(scale), "-k", str(EDGES_PER_VERTEX), *output
                )
                part.replace(file)
        graph = Graph.read(path)
        arcs = graph.arcs()
        weights = graph.edge_fields["weight"][arcs.out_edges].astype(np.float32)
        offsets = arcs.out_offsets.astype(np.int64)
        return Edges(f"{kind}{scale}", offsets, arcs.out_targets, weights, graph.directed)

    def take(self, edges: Edges) -> None:
        """Write a graph for GAP."""
        path = self.path(edges.name, ".wsg")
        if not path.exists():
            src, dst, weight = edges.listed()
            arguments = {"num_vertices": edges.num_vertices, "directed": edges.directed}
            Graph.from_edges(src, dst, **arguments).write(path.with_suffix(".sg"))
            Graph.from_edges(src, dst, **arguments, weight=weight.astype(np.int32)).write(path)

    def path(self, name: str, suffix: str) -> Path:
        return self.cache / f"gap-{name}{suffix}"

    def call(self, program: str, *arguments: str) -> str:
        command = [str(self.checkout / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr or done.stdout}")
        return done.stdout

    def timed(
        self, program: str, edges: Edges, *arguments: str, note: str = ""
    ) -> tuple[float, Found, str]:
        """The median time of the trials of one call, what it printed, and the note."""
        trials = 1 + (1 if (program, edges.name) in self.long else TRIALS)
        path = self.path(edges.name, ".wsg" if program == "sssp" else ".sg")
        text = self.call(program, "-f", str(path), "-n", str(trials), "-a", *arguments)
        times = [float(t) for t in re.findall(r"Trial Time: +(\S+)", text)]
        if min(times) > QUICK:
            self.long.add((program, edges.name))
        return float(np.median(times[1:])), Found(text), note

    def contenders(
        self, problem: str, inputs: Inputs
    ) -> dict[str, Callable[[], tuple[float, Found, str]]]:
        """The programs that solve a problem, by name."""
        edges, begin = inputs.edges, ["-r", str(inputs.source)]
        if problem == "bfs":
            return {"GAP": lambda: self.timed("bfs", edges, "-v", *begin)}
        if problem == "sssp":
            delta = self.fastest_delta(edges, begin)
            chosen, note = ["-v", *begin, "-d", str(delta)], f"delta {delta}"
            return {"GAP": lambda: self.timed("sssp", edges, *chosen, note=note)}
        if problem == "components":
            return {"GAP": lambda: self.timed("cc", edges, "-v")}
        if problem == "triangles":
            return {"GAP": lambda: self.timed("tc", edges)}
        if problem == "pagerank":
            rounds = ["-v", "-i", str(ITERATIONS), "-t", "0"]
            return {
                "GAP, Jacobi": lambda: self.timed("pr_spmv", edges, *rounds),
                "GAP, Gauss-Seidel": lambda: self.timed("pr", edges, *rounds),
            }
        return {}

    def fastest_delta(self, edges: Edges, begin: list[str]) -> int:
        return min(DELTAS, key=lambda d: self.timed("sssp", edges, *begin, "-d", str(d))[0])


def check(problem: str, inputs: Inputs, answer: dict[str, np.ndarray]) -> Callable[[Found], None]:
    """How what GAP prints is compared with gascl's verified answer.

    Its programs print no more than a few numbers, besides whether the serial code in the same
    program finds the answer right. Counting triangles is not verified so, for it takes long.
    """
    if problem == "pagerank":
        return Ranks(inputs)
    if problem == "triangles":
        expected, pattern = int(answer["triangles"].sum()) // 3, r"(\d+) triangles"
    elif problem == "bfs":
        expected, pattern = int((answer["depth"] >= 0).sum()), r"BFS Tree has (\d+) nodes"
    elif problem == "sssp":
        expected = int(np.isfinite(answer["distance"]).sum())
        pattern = r"SSSP Tree reaches (\d+) nodes"
    else:
        expected, pattern = len(np.unique(answer["component"])), r"There are (\d+) components"

    def compare(found: Found) -> None:
        verified = re.findall(r"Verification: +(\S+)", found.text)
        trials = 0 if problem == "triangles" else found.text.count("Trial Time:")
        assert verified == ["PASS"] * trials, f"GAP's own verification: {verified}"
        number = found.number(pattern)
        assert number == expected, f"{number} instead of {expected}"

    return compare


class Ranks:
    """GAP loses the rank of vertices without arcs. It prints how far one more iteration would take
    the ranks (L1), which must be no further than after as many iterations in SciPy in float64, and
    the highest ranks, which are near to those (Gauss-Seidel's are somewhat nearer to the end)."""

    def __init__(self, inputs: Inputs):
        ranks = scipy_ranks(inputs.scipy(), inputs, spread=False, iterations=ITERATIONS)
        further = scipy_ranks(inputs.scipy(), inputs, spread=False, iterations=ITERATIONS + 1)
        self.top = np.sort(ranks)[-5:][::-1]
        self.residual = float(np.abs(further - ranks).sum())

    def __call__(self, found: Found) -> None:
        for residual in re.findall(r"Total Error: +(\S+)", found.text):
            assert float(residual) <= self.residual + 1e-4, f"residual {residual}"
        top = np.array([float(r) for r in re.findall(r"^\d+:(\S+)$", found.text, re.MULTILINE)])
        far = float(np.abs(top / self.top - 1).max())
        assert far < 0.01, f"the highest ranks are {top}, not {self.top}"
