"""No performance cliffs: small programs of many kinds, as multiples of PageRank's rate.

    python benchmarks/kinds.py --scale 16
    python benchmarks/kinds.py --graphs rmat --scale 20 --device NVIDIA --csv kinds.csv
    python benchmarks/kinds.py --kinds mask_half,gather --graphs star --scale 12

Every answer is verified. See README.md.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

import answers
import numpy as np
from answers import Truth, compare
from bench import listed
from contenders import Row, all_cores, around, ratios, replace, table, take_turns, write_csv
from graphs import made
from problems import timed, versions
from small_programs import KINDS, SUPERSTEPS, Kind, Links

from gascl import Engine, Result, VertexProgram
from gascl.delivery import admission
from gascl.delivery import registry as deliveries
from gascl.programs import PageRank

#: The name of each graph for a scale. A clique has 4000 vertices at most, and below about as many
#: arcs as R-MAT.
GRAPHS: dict[str, Callable[[int], str]] = {
    "rmat": lambda scale: f"kron{scale}",
    "uniform": lambda scale: f"uniform{scale}, undirected",
    "grid": lambda scale: f"grid{1 << scale // 2}, undirected",
    "star": lambda scale: f"star{scale}",
    "path": lambda scale: f"path{scale}",
    "clique": lambda scale: f"clique{min(4000, 4 << scale // 2)}",
}
#: The largest scale for kinds whose work grows faster than the number of arcs.
SMALL = 12
MARK = "benchmarks/kinds.py"
#: Bytes that a superstep of PageRank moves for each arc and each vertex: see README.md.
PAGERANK_ARC, PAGERANK_VERTEX = 4 + 4, 24
#: Seconds: what takes longer runs only once.
SLOW = 2.0
#: The largest scale of graphs on which kernels are only built.
BUILDING = 16
#: Supersteps that build kernels, which some drivers do when they are first launched.
WARMING = 3
#: A delivery that auto did not choose is given up if its supersteps take more milliseconds, and
#: more times as long as auto's.
HOPELESS_MS, HOPELESS = 50, 10
#: A kind whose supersteps take more milliseconds by auto is left out, with a note.
TOO_SLOW_MS = 5000
#: Runs in each turn of the comparison of two deliveries, if they are quick: their median counts.
TRIALS = 3
#: The relative error of floats: values are rounded to float32 in each superstep, and halved.
ROUNDING = 1e-5
HEAD = {
    "kind": "kind",
    "graph": "graph",
    "ms": "ms",
    "pagerank_ms": "at PageRank's rate",
    "multiple": "multiple",
    "auto": "auto",
    "auto_ratio": "auto / best",
    "others": "ms of others",
    "error": "errors",
}


def main(argv: list[str] | None = None) -> None:
    given = options(argv)
    if given.update:
        around(given.update, MARK)  # refused now rather than after the run
    if given.jobs > 1:
        build_all(given)
    print(markdown([]), flush=True)
    rows: list[dict[str, Any]] = []
    device = ""
    for family in given.graphs:
        scales = {given.scale, min(given.scale, SMALL)}
        places = {scale: Comparison(GRAPHS[family](scale), given) for scale in scales}
        for name in given.kinds:
            kind = KINDS[name]
            place = places[min(given.scale, SMALL) if kind.small else given.scale]
            line = place.line_of(kind)
            print(markdown([line]).splitlines()[-1], flush=True)
            rows.append(line)
            device = line["device"]
            if given.csv:  # all that it has then
                rows = write_csv(given.csv, [line], ("kind", "graph", "device"))
    if given.update:
        about = f"{device}; medians of {given.repeat} runs; {versions()}."
        replace(given.update, MARK, f"{about}\n\n{markdown(rows)}")


def options(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--device", help="as in Engine(graph, device)")
    parser.add_argument("--scale", type=int, default=16, help="2**scale vertices (default: 16)")
    parser.add_argument(
        "--graphs", type=listed, default=[*GRAPHS], help=f"of {', '.join(GRAPHS)}; default: all"
    )
    parser.add_argument(
        "--kinds", type=listed, default=[*KINDS], help=f"of {', '.join(KINDS)}; default: all"
    )
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each (default: 5)")
    parser.add_argument(
        "--jobs",
        type=int,
        default=all_cores(),
        help="processes that first build all kernels, which the driver keeps on disk; 1: none "
        "(default: one for each core)",
    )
    parser.add_argument("--cache", type=Path, help="the folder for graphs (default: a temporary)")
    parser.add_argument("--csv", type=Path, help="the file for the results; other rows stay")
    parser.add_argument("--update", type=Path, help="the page to write the table into")
    given = parser.parse_args(argv)
    for option, known in (("graphs", GRAPHS), ("kinds", KINDS)):
        unknown = [name for name in getattr(given, option) if name not in known]
        if unknown:
            parser.error(f"--{option} {unknown[0]}: there are {', '.join(known)}")
    return given


def build_all(given: argparse.Namespace) -> None:
    """Build the kernels of all kinds in several processes. Kernels differ where vertices have other
    numbers, which they have on graphs with hubs."""
    hubs = {"rmat" if family in ("rmat", "star") else "uniform" for family in given.graphs}
    parts = [given.kinds[first :: given.jobs] for first in range(given.jobs)]
    spawning = multiprocessing.get_context("spawn")
    for graph in [GRAPHS[family](min(given.scale, BUILDING)) for family in sorted(hubs)]:
        made(graph, given.cache)
        broken = contextlib.suppress(BrokenProcessPool)
        with broken, ProcessPoolExecutor(given.jobs, spawning) as pool:
            for part in parts:
                pool.submit(build, graph, given, part)


def build(graph: str, given: argparse.Namespace, names: list[str]) -> None:
    """Build the kernels of some kinds. What fails here fails again when it is measured."""
    place = Comparison(graph, given)
    for kind in [KINDS[name] for name in names]:
        with contextlib.suppress(Exception):
            program = kind.make(place.links)
            for delivery in ["auto", *place.others(program)]:
                place.warm(delivery, program, kind.most)


class Times(NamedTuple):
    """A delivery's times.

    Attributes:
        delivery: by which messages traveled; several if that changed between supersteps.
        ms: of a superstep, in each run.
        ratios: of each run's time to that of the other contender's run in the same turn.
    """

    delivery: str
    supersteps: int
    ms: np.ndarray
    ratios: np.ndarray

    @property
    def median(self) -> float:
        return float(np.median(self.ms))


class Comparison:
    """Compares kinds with PageRank on a graph, which is made when it is first used."""

    def __init__(self, graph: str, given: argparse.Namespace):
        self.graph, self.given = graph, given

    @functools.cached_property
    def links(self) -> Links:
        return Links(made(self.graph, self.given.cache))

    @functools.cached_property
    def engine(self) -> Engine:
        return Engine(self.links.graph(), self.given.device)

    @functools.cached_property
    def ranks(self) -> Truth:
        def verify(found: Result) -> None:
            answers.ranks(self.links.edges, found["rank"], SUPERSTEPS)

        return Truth(verify, ("rank",))

    def line_of(self, kind: Kind) -> dict[str, Any]:
        """What is measured of a kind. If that fails, the error stands in its row."""
        line = {
            "kind": kind.title,
            "graph": self.graph,
            "device": str(self.engine.device),
            "vertices": self.links.vertices,
            "arcs": self.links.arcs,
        }
        line |= dict.fromkeys(
            ("supersteps", "ms", "min_ms", "max_ms", "MB", "pagerank_ms", "multiple"), ""
        )
        line |= dict.fromkeys(("auto", "best", "auto_ratio", "others", "error"), "")
        try:
            self.measure(kind, line)
        except (Exception, SystemExit) as error:  # the latter is a wrong answer
            add_error(line, error)
        return line

    def measure(self, kind: Kind, line: dict[str, Any]) -> None:
        """Fill in the row of a kind."""
        program, answer = kind.make(self.links), kind.answer(self.links)
        right = Truth(functools.partial(verify, answer), tuple(answer))
        chosen = self.chosen(program)
        self.warm("auto", PageRank())
        ms = self.warm("auto", program, kind.most)
        if ms > TOO_SLOW_MS:
            raise TimeoutError(f"left out: a superstep takes {ms / 1e3:.0f} s")
        run = functools.partial(self.row, program, kind, right)
        auto = self.times(run("auto"), Row("PageRank", self.pagerank, self.ranks, TRIALS))
        arcs, vertices = self.links.arcs, self.links.vertices
        rate = SUPERSTEPS * (PAGERANK_ARC * arcs + PAGERANK_VERTEX * vertices)
        moves = kind.moves(self.links)
        multiple = float(np.median(auto.ratios)) * rate / moves
        ways = [chosen] if auto.delivery == chosen else [chosen, f"({auto.delivery})"]
        line |= {
            "supersteps": auto.supersteps,
            "ms": f"{auto.median:.4g}",
            "min_ms": f"{auto.ms.min():.4g}",
            "max_ms": f"{auto.ms.max():.4g}",
            "MB": f"{moves / auto.supersteps / 1e6:.4g}",
            "pagerank_ms": f"{auto.median / multiple:.4g}",
            "multiple": f"{multiple:.2f}",
            "auto": " ".join(ways),
        }
        slow = auto.median * auto.supersteps > SLOW * 1e3
        ratio, told = {chosen: 1.0}, []  # of each delivery's time to auto's
        for name in self.others(program):
            try:
                ms = self.warm(name, program, kind.most)
                ratio[name] = ms / auto.median
                if not slow and ms < max(HOPELESS_MS, HOPELESS * auto.median):
                    other = self.times(run(name), run("auto"))
                    ms, ratio[name] = other.median, float(np.median(other.ratios))
                told.append(f"{name} {ms:.3g}")
            except (Exception, SystemExit) as error:
                add_error(line, error, f"{name}: ")
        best = min(ratio, key=lambda name: ratio[name])
        line["best"], line["auto_ratio"] = best, f"{1 / ratio[best]:.2f}"
        line["others"] = ", ".join(told)

    def chosen(self, program: VertexProgram) -> str:
        """The delivery that auto chooses."""
        return self.engine.explain(program).runs[0].delivery

    def others(self, program: VertexProgram) -> list[str]:
        """All other deliveries that accept a program, but the single work-item."""
        device = self.engine.device
        demand = admission.demand_of(program, device.atomics, device.fp64, True)
        without = ("serial", self.chosen(program))
        return [name for name in deliveries.admitted(demand) if name not in without]

    def row(self, program: VertexProgram, kind: Kind, right: Truth, name: str) -> Row:
        """A delivery as a contender; its note has the supersteps, and how messages traveled."""

        def run() -> tuple[float, Any, str]:
            chosen = {"delivery": name, "max_supersteps": kind.most, "not_converged": "ignore"}
            seconds, result, _ = timed(self.engine, program, **chosen)
            supersteps = 1 if kind.most is None else result.supersteps
            return seconds, Found(result), f"{supersteps} {result.delivery}"

        return Row(name, run, right, trials=TRIALS)

    def pagerank(self) -> tuple[float, Any, str]:
        return timed(self.engine, PageRank(supersteps=SUPERSTEPS))

    def times(self, row: Row, other: Row) -> Times:
        """Run two contenders alternately, and verify both; the first one's times."""
        take_turns([other, row], self.given.repeat, SLOW, pause=0)
        supersteps, _, delivery = row.note.partition(" ")
        ms = np.array(row.seconds) / max(int(supersteps), 1) * 1e3
        return Times(delivery, int(supersteps), ms, ratios(row, other))

    def warm(self, name: str, program: VertexProgram, most: int | None = WARMING) -> float:
        """Build the kernels; returns about how many milliseconds a superstep takes then, or the
        whole run if its supersteps are not limited (`most`)."""
        few = None if most is None else WARMING
        options = {"delivery": name, "max_supersteps": few, "not_converged": "ignore"}
        ms = 0.0
        for _ in range(2):
            seconds, result, _ = timed(self.engine, program, **options)
            ms = seconds * 1e3 / (max(result.supersteps, 1) if few else 1)
            if ms < HOPELESS_MS:
                break
        return ms


class Found:
    """What a run found, by the names of `Kind.answer`."""

    def __init__(self, result: Result):
        self.result = result

    def __getitem__(self, name: str) -> np.ndarray:
        first, _, rest = name.partition(".")
        if first == "arc":
            return self.result.arc_fields[rest]
        if first == "agg":
            return np.asarray(self.result.aggregates[rest])
        return self.result[first][rest] if rest else self.result[first]


def verify(answer: dict[str, np.ndarray], found: Any) -> None:
    """Raises AssertionError where a run found something else."""
    for name, expected in answer.items():
        is_float = np.asarray(found[name]).dtype.kind == "f"
        try:
            compare(expected, ROUNDING if is_float else 0, found[name])
        except AssertionError as wrong:
            raise AssertionError(f"{name}: {wrong}") from None


def add_error(line: dict[str, Any], error: BaseException, where: str = "") -> None:
    said = " ".join(f"{type(error).__name__}: {error}".split()).replace("|", "/")[:200]
    line["error"] = "; ".join(filter(None, [line["error"], where + said]))


def markdown(rows: list[dict[str, Any]]) -> str:
    return table([*HEAD.values()], [[str(row[name]) for name in HEAD] for row in rows])


if __name__ == "__main__":
    main()
