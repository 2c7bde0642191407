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
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import answers
import numpy as np
from answers import Truth, compare
from bench import listed
from contenders import Row, all_cores, around, ratios, replace, table, take_turns, write_csv
from graphs import made
from problems import timed, versions
from small_programs import KINDS, SUPERSTEPS, Links

from gascl import Engine, Graph, Result, VertexProgram
from gascl.delivery import admission
from gascl.delivery import registry as deliveries
from gascl.delivery.cost import Size, costs_of
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
#: Supersteps that build kernels, which some drivers do when they are first launched.
WARMING = 3
#: A delivery that auto did not choose is given up if its supersteps take more milliseconds, and
#: more times as long as auto's.
HOPELESS_MS, HOPELESS = 50, 10
#: A kind whose supersteps take more milliseconds by auto is left out, with a note.
TOO_SLOW_MS = 5000
#: A delivery that is expected to take so many times as long as auto's is no rival.
UNLIKELY = 3.5
#: Runs in each turn of the comparison of two deliveries, if they are quick: their median counts.
TRIALS = 3
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
    print(markdown([]), flush=True)
    rows: list[dict[str, Any]] = []
    device = ""
    for family in given.graphs:
        for line in measured(family, given):
            print(markdown([line]).splitlines()[-1], flush=True)
            rows.append(line)
            device = line["device"] or device
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
        help="processes that share the kinds: they build kernels and compute answers at the same "
        "time, and then measure one after the other (default: one for each core)",
    )
    parser.add_argument(
        "--rivals",
        type=int,
        help="of the deliveries that auto did not choose, only so many, by the cost model's order, "
        f"and none that it expects to take {UNLIKELY} times as long (default: all)",
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


def measured(family: str, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The rows of a family of graphs."""
    scales = {given.scale, min(given.scale, SMALL)}
    places = {scale: Comparison(GRAPHS[family](scale), given) for scale in scales}

    def place_of(name: str) -> Comparison:
        return places[min(given.scale, SMALL) if KINDS[name].small else given.scale]

    if given.jobs == 1:
        yield from (place_of(name).line_of(name) for name in given.kinds)
        return
    for place in {place_of(name) for name in given.kinds}:
        place.share()
    workers = [Worker(place_of) for _ in range(given.jobs)]
    has: dict[str, Worker] = {}
    left, busy = list(given.kinds), list[Connection]()
    of_pipe = {each.pipe: each for each in workers}
    free = list(workers)
    while left or busy:
        while left and free:
            worker, name = free.pop(), left.pop(0)
            has[name] = worker
            worker.pipe.send(("prepare", name))
            busy.append(worker.pipe)
        for pipe in wait(busy):
            pipe.recv()
            busy.remove(pipe)
            free.append(of_pipe[pipe])
    for name in given.kinds:
        has[name].pipe.send(("line_of", name))
        yield has[name].pipe.recv()
    for worker in workers:
        worker.process.terminate()
        worker.process.join()


class Worker:
    """A process that prepares some kinds, and measures them on request: kernels need not be built
    by one process after the other, nor run by one that has not built them."""

    def __init__(self, place_of: Callable[[str], Comparison]):
        forking = multiprocessing.get_context("fork")
        self.pipe, end = forking.Pipe()
        self.process = forking.Process(target=self._serve, args=(end, place_of), daemon=True)
        self.process.start()
        end.close()  # otherwise nobody would notice that the process has died

    @staticmethod
    def _serve(pipe: Connection, place_of: Callable[[str], Comparison]) -> None:
        while True:
            task, name = pipe.recv()
            pipe.send(getattr(place_of(name), task)(name))


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


class Prepared(NamedTuple):
    """A kind before it is measured.

    Attributes:
        moves: the bytes that a run must move.
        chosen, others: the delivery that auto chooses, and those with which it is compared.
    """

    program: VertexProgram
    right: Truth
    moves: float
    chosen: str
    others: list[str]


class Comparison:
    """Compares kinds with PageRank on a graph, which is made when it is first used."""

    def __init__(self, name: str, given: argparse.Namespace):
        self.name, self.given = name, given

    @functools.cached_property
    def links(self) -> Links:
        return Links(made(self.name, self.given.cache))

    @functools.cached_property
    def graph(self) -> Graph:
        return self.links.graph()

    def share(self) -> None:
        """Make what processes share that are forked then: some of it is in many answers."""
        self.graph, self.exact_ranks, self.links.edges.sources, self.links.depths  # noqa: B018
        self.links.diffused()

    @functools.cached_property
    def engine(self) -> Engine:
        return Engine(self.graph, self.given.device)

    @functools.cached_property
    def exact_ranks(self) -> np.ndarray:
        return answers.exact_ranks(self.links.edges, SUPERSTEPS)

    @functools.cached_property
    def ranks(self) -> Truth:
        def verify(found: Result) -> None:
            answers.near(self.exact_ranks, found["rank"], SUPERSTEPS)

        return Truth(verify, ("rank",))

    def prepare(self, name: str) -> None:
        """Compute a kind's answer and build its kernels. What fails here fails again when it is
        measured."""
        with contextlib.suppress(Exception, SystemExit):
            self.ranks(self.pagerank()[1])
            prepared = self.prepared(name)
            for delivery in ["auto", *prepared.others]:
                with contextlib.suppress(Exception):
                    self.warm(delivery, prepared.program, KINDS[name].most)

    @functools.cache  # noqa: B019 (there are as many as graphs)
    def prepared(self, name: str) -> Prepared:
        """What is computed of a kind once."""
        kind = KINDS[name]
        program, answer = kind.make(self.links), kind.answer(self.links)
        rounding = kind.rounding(self.links)
        right = Truth(functools.partial(verify, answer, rounding), tuple(answer))
        chosen = self.engine.explain(program).runs[0].delivery
        return Prepared(
            program, right, kind.moves(self.links), chosen, self.others(program, chosen)
        )

    def line_of(self, name: str) -> dict[str, Any]:
        """What is measured of a kind. If that fails, the error stands in its row."""
        line = {
            "kind": KINDS[name].title,
            "graph": self.name,
            "device": str(self.engine.device),
            "vertices": self.links.vertices,
            "arcs": self.links.arcs,
        }
        line |= dict.fromkeys(
            ("supersteps", "ms", "min_ms", "max_ms", "MB", "pagerank_ms", "multiple"), ""
        )
        line |= dict.fromkeys(("auto", "best", "auto_ratio", "others", "error"), "")
        try:
            self.measure(name, line)
        except (Exception, SystemExit) as error:  # the latter is a wrong answer
            add_error(line, error)
        return line

    def measure(self, name: str, line: dict[str, Any]) -> None:
        """Fill in the row of a kind."""
        program, right, moves, chosen, others = self.prepared(name)
        most = KINDS[name].most
        self.warm("auto", PageRank())
        ms = self.warm("auto", program, most)
        if ms > TOO_SLOW_MS:
            raise TimeoutError(f"left out: a superstep takes {ms / 1e3:.0f} s")
        run = functools.partial(self.row, program, most, right)
        auto = self.times(run("auto"), Row("PageRank", self.pagerank, self.ranks, TRIALS))
        arcs, vertices = self.links.arcs, self.links.vertices
        rate = SUPERSTEPS * (PAGERANK_ARC * arcs + PAGERANK_VERTEX * vertices)
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
        for rival in others:
            try:
                ms = self.warm(rival, program, most)
                ratio[rival] = ms / auto.median
                if not slow and ms < max(HOPELESS_MS, HOPELESS * auto.median):
                    other = self.times(run(rival), run("auto"))
                    ms, ratio[rival] = other.median, float(np.median(other.ratios))
                told.append(f"{rival} {ms:.3g}")
            except (Exception, SystemExit) as error:
                add_error(line, error, f"{rival}: ")
        best = min(ratio, key=lambda name: ratio[name])
        line["best"], line["auto_ratio"] = best, f"{1 / ratio[best]:.2f}"
        line["others"] = ", ".join(told)

    def others(self, program: VertexProgram, chosen: str) -> list[str]:
        """All other deliveries that accept a program, but the single work-item; or the `rivals`
        that are likely to be the fastest."""
        device, links = self.engine.device, self.links
        demand = admission.demand_of(program, device.atomics, device.fp64, True)
        size = Size(links.vertices, links.arcs, int(links.degree.max()))
        costs = costs_of(program, demand, size, device.kind == "GPU", device.units)

        def expected(name: str) -> float:
            """As a multiple of what auto's choice takes: in a run, or if all send."""
            if not {name, chosen} <= costs.rates.vertex.keys():
                return float("inf")
            ratios = (measure(name) / measure(chosen) for measure in (costs.total, costs.seconds))
            return min(ratios)

        admitted = deliveries.admitted(demand)
        others = [name for name in admitted if name not in ("serial", chosen)]
        if self.given.rivals is None:
            return others
        others = [name for name in others if expected(name) < UNLIKELY]
        return sorted(others, key=expected)[: self.given.rivals]

    def row(self, program: VertexProgram, most: int | None, right: Truth, name: str) -> Row:
        """A delivery as a contender; its note has the supersteps, and how messages traveled."""

        def run() -> tuple[float, Any, str]:
            chosen = {"delivery": name, "max_supersteps": most, "not_converged": "ignore"}
            seconds, result, _ = timed(self.engine, program, **chosen)
            supersteps = 1 if most is None else result.supersteps
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


def verify(answer: dict[str, np.ndarray], rounding: float, found: Any) -> None:
    """Raises AssertionError where a run found something else; `rounding`: of floats."""
    for name, expected in answer.items():
        is_float = np.asarray(found[name]).dtype.kind == "f"
        try:
            compare(expected, rounding if is_float else 0, found[name])
        except AssertionError as wrong:
            raise AssertionError(f"{name}: {wrong}") from None


def add_error(line: dict[str, Any], error: BaseException, where: str = "") -> None:
    said = " ".join(f"{type(error).__name__}: {error}".split()).replace("|", "/")[:200]
    line["error"] = "; ".join(filter(None, [line["error"], where + said]))


def markdown(rows: list[dict[str, Any]]) -> str:
    return table([*HEAD.values()], [[str(row[name]) for name in HEAD] for row in rows])


if __name__ == "__main__":
    main()
