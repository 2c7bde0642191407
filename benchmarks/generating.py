"""Generating, building and saving R-MAT: gascl, and NumPy as in the GAP benchmark.

    python benchmarks/generating.py --scale 22 --rounds 3

Each turn runs in a separate process. See README.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from contenders import table
from graphs import EDGES_PER_VERTEX, A, B, C
from loading import memory

STAGES = ("generate", "build", "save")
Marked = Callable[[], None]


def by_gascl(scale: int, path: Path, mark: Marked) -> None:
    from gascl.generators import rmat
    from gascl.graph.arcs import ARRAYS

    graph = rmat(scale, EDGES_PER_VERTEX, seed=1)
    mark()
    for name in ARRAYS:
        getattr(graph.arcs(), name)
    mark()
    graph.write(path, arcs=True)
    mark()


def by_numpy(scale: int, path: Path, mark: Marked) -> None:
    """One random number per bit of each edge, and renumbering, as in GAP; a sort for each order."""
    count = 1 << scale
    src, dst = drawn(scale)
    mark()
    arrays: dict[str, Any] = {}
    for name, ends, others in (("out", src, dst), ("in", dst, src)):
        order = np.argsort(ends, kind="stable")
        offsets = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(ends, minlength=count), out=offsets[1:])
        arrays |= {f"{name}_offsets": offsets, f"{name}_ends": others[order]}
    mark()
    np.savez(path, **arrays)
    mark()


def drawn(scale: int) -> np.ndarray:
    """(2, 16 * 2**scale) int32: sources and targets."""
    rng = np.random.default_rng(1)
    count = EDGES_PER_VERTEX << scale
    edges = np.zeros((2, count), np.int32)
    for _ in range(scale):
        draw = rng.random(count, np.float32)
        edges[0] = 2 * edges[0] + (draw >= A + B)
        edges[1] = 2 * edges[1] + (((draw >= A) & (draw < A + B)) | (draw >= A + B + C))
    return rng.permutation(1 << scale).astype(np.int32)[edges]


CONTENDERS = {"gascl": by_gascl, "NumPy": by_numpy}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=22, help="2**scale vertices (default: 22)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of turns (default: 3)")
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.turn:
        turn(given)
        return
    told: dict[str, list[Any]] = {name: [] for name in CONTENDERS}
    for _ in range(given.rounds):
        for name in CONTENDERS:
            command = [sys.executable, __file__, "--scale", str(given.scale), "--turn", name]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            told[name].append(json.loads(done.stdout.splitlines()[-1]))
    rows = []
    totals = {name: np.array([sum(t["seconds"]) for t in told[name]]) for name in CONTENDERS}
    for name in CONTENDERS:
        stages = np.median([t["seconds"] for t in told[name]], axis=0)
        ratio = totals[name] / totals["gascl"]
        peak = np.median([t["peak"] for t in told[name]]) / 2**20
        spread = f"{np.median(ratio):.2f} ({ratio.min():.2f}-{ratio.max():.2f})"
        whole = f"{np.median(totals[name]):.2f}"
        rows.append([name, *(f"{s:.2f}" for s in stages), whole, spread, f"{peak:,.0f}"])
    edges = EDGES_PER_VERTEX << given.scale
    print(f"R-MAT, scale {given.scale}, {edges:,} edges; seconds, medians.\n")
    print(table(["", *STAGES, "total", "ratio to gascl", "peak, MiB"], rows))


def turn(given: argparse.Namespace) -> None:
    import gascl.generators  # noqa: F401  # so that importing is not timed

    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before, times = memory("VmRSS"), [time.perf_counter()]
    with tempfile.TemporaryDirectory() as folder:
        CONTENDERS[given.turn](
            given.scale, Path(folder) / "g.npz", lambda: times.append(time.perf_counter())
        )
    peak = memory("VmHWM") - before
    print(json.dumps({"seconds": np.diff(times).tolist(), "peak": peak}))


if __name__ == "__main__":
    main()
