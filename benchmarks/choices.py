"""What `auto` would choose now, judged by times that kinds.py or deliveries.py has measured.

    python benchmarks/choices.py benchmarks/results/kinds-h100.csv

Needs no device. See README.md.
"""

from __future__ import annotations

import argparse
import csv
import functools
import re
from pathlib import Path

from contenders import table
from graphs import made
from small_programs import KINDS, Kind, Links

from gascl.delivery.admission import demand_of
from gascl.delivery.atomics import Atomics
from gascl.delivery.cost import Size, costs_of
from gascl.delivery.registry import choose

#: The most that the choice's time may be, as a multiple of the best one's.
MOST = 1.3
#: The items in a work-group, and the atomic operations: of NVIDIA's GPUs, and of CPUs.
GROUPS = {True: 256, False: 1}
ATOMICS = {True: Atomics(True, True, True, True, True), False: Atomics(True, True)}
#: Programs are made for a graph as in the row, but so small that this takes no time.
SCALES = {"kron": "8", "uniform": "8", "grid": "16", "star": "8", "path": "8", "clique": "32"}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("csv", type=Path, help="as kinds.py or deliveries.py has written it")
    parser.add_argument("--cores", type=int, default=1, help="of a CPU that ran it (default: 1)")
    parser.add_argument("--cache", type=Path, help="the folder for graphs (default: a temporary)")
    given = parser.parse_args(argv)
    kinds = {kind.title: kind for kind in KINDS.values()}
    with given.csv.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in kinds and row["ms"]]
    lines, bad = [], 0
    for row in rows:
        times = times_of(row)
        chosen = choice(row, kinds[row["kind"]], given.cores, given.cache)
        best = min(times, key=lambda name: times[name])
        ratio = times[chosen] / times[best] if chosen in times else float("nan")
        if ratio <= MOST:
            continue
        bad += ratio > MOST
        told = " ".join(f"{name} {ms:.4g}" for name, ms in times.items())
        lines.append([row["graph"], row["kind"], chosen, best, f"{ratio:.2f}", told])
    print(table(["graph", "kind", "chosen", "best", "chosen / best", "ms"], lines))
    print(
        f"\n{bad} of {len(rows)} choices are above {MOST}; of {len(lines) - bad} no time is known"
    )


def times_of(row: dict[str, str]) -> dict[str, float]:
    """The milliseconds of a superstep by each delivery that was measured."""
    auto = {row["auto"].split()[0]: float(row["ms"])}
    return auto | {name: float(ms) for name, ms in re.findall(r"(\w+) ([^,\s]+)", row["others"])}


def choice(row: dict[str, str], kind: Kind, cores: int, cache: Path | None) -> str:
    """The delivery that `auto` would choose."""
    on_gpu = "NVIDIA" in row["device"]
    graph, comma, rest = row["graph"].partition(",")
    family = graph.rstrip("0123456789")
    program = kind.make(links(family + SCALES[family] + comma + rest, cache))
    demand = demand_of(program, ATOMICS[on_gpu], True, True, "", group=GROUPS[on_gpu])
    vertices = int(row["vertices"])
    hub = largest_degree(row["graph"], vertices, cache) if demand.traits.scatters else 0
    costs = costs_of(program, demand, Size(vertices, int(row["arcs"]), hub), on_gpu, cores)
    return choose(program, demand, "auto", costs=costs).name


@functools.cache
def links(graph: str, cache: Path | None) -> Links:
    return Links(made(graph, cache))


@functools.cache
def largest_degree(graph: str, vertices: int, cache: Path | None) -> int:
    """Of a vertex of a graph of kinds.py."""
    plain = {"grid": 4, "star": vertices - 1, "path": 2, "clique": vertices - 1}
    family = graph.partition(",")[0].rstrip("0123456789")
    return plain[family] if family in plain else int(made(graph, cache).out_degree.max())


if __name__ == "__main__":
    main()
