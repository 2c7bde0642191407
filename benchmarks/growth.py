"""How time and memory grow with the graph: Kronecker graphs of many scales, one process each."""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from contenders import table, write_csv
from graphs import rmat
from loading import memory
from problems import PROBLEMS, timed

KEYS = ("bfs", "sssp", "components", "pagerank")
MIB = 2**20


def main(given: argparse.Namespace) -> None:
    if given.turn is not None:
        turn(given)
        return
    if given.picture and importlib.util.find_spec("matplotlib") is None:
        sys.exit("--picture needs matplotlib: pip install 'gascl[plot]'")
    rows: list[dict[str, Any]] = []
    for scale in given.scales:
        command = [sys.executable, str(Path(__file__).with_name("bench.py")), "--turn", str(scale)]
        command += ["--rounds", str(given.rounds), "--threads", str(given.threads)]
        command += ["--only", ",".join(given.only or KEYS), "--device", given.device]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"scale {scale} failed (exit status {done.returncode}); it ends here")
            break
        rows += json.loads(done.stdout.splitlines()[-1])
        print(markdown([r for r in rows if r["scale"] == scale]), flush=True)
    if given.csv and rows:
        rows = write_csv(given.csv, rows, ("algorithm", "scale"))
    if given.picture and rows:
        draw(rows, given.picture)


def turn(given: argparse.Namespace) -> None:
    """All programs on one graph, in this process; prints their rows as JSON."""
    from gascl import Engine

    scale = given.turn
    with stage(scale, "make"):
        edges = rmat(scale, directed=False)  # kept: it is no part of the peak
    gc.collect()
    before = memory("VmRSS")
    with stage(scale, "Graph"):
        graph = edges.graph()
    rows = []
    for key in given.only:
        problem, engine = PROBLEMS[key], Engine(graph, given.device)
        program = problem.make(edges.hub)
        gc.collect()
        with suppress(OSError):  # reset the peak, which Linux supports
            Path("/proc/self/clear_refs").write_text("5")
        with device_memory(engine.device.is_cpu) as used:
            with stage(scale, f"{problem.title}, arcs, upload and first run"):
                runs = [timed(engine, program)]
            runs += [timed(engine, program) for _ in range(given.rounds)]
        peak = memory("VmHWM") - before
        check = problem.truth(edges, edges.hub)
        with stage(scale, f"{problem.title}, verify"):
            for _, result, _ in runs:
                check(result)
        seconds = [s for s, _, _ in runs[1:]]  # the first builds and warms up
        rows.append(
            {
                "algorithm": problem.title,
                "scale": scale,
                "vertices": edges.num_vertices,
                "edges": edges.num_edges,
                "median_s": f"{np.median(seconds):.6f}",
                "min_s": f"{min(seconds):.6f}",
                "max_s": f"{max(seconds):.6f}",
                "supersteps": runs[0][1].supersteps,
                "peak_MiB": f"{peak / MIB:.0f}",
                "device_MiB": f"{max(used) - used[0]:.0f}" if used else "",
                "device": str(engine.device),
            }
        )
        del engine, runs, check, result
    print(json.dumps(rows))


@contextmanager
def stage(scale: int, name: str) -> Iterator[None]:
    """Says on stderr how long it took."""
    started = time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    print(f"scale {scale}: {name}: {seconds:.1f} s", file=sys.stderr, flush=True)


@contextmanager
def device_memory(is_cpu: bool) -> Iterator[list[float]]:
    """MiB that the GPU's memory has in use, all along; empty where that cannot be asked."""
    used: list[float] = []
    command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    if is_cpu or shutil.which(command[0]) is None:
        yield used
        return
    done = threading.Event()

    def ask() -> None:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        used.append(float(told.splitlines()[0]))

    def watch() -> None:
        while not done.wait(0.1):
            ask()

    ask()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield used
    finally:
        done.set()
        watcher.join()


def markdown(rows: list[dict[str, Any]]) -> str:
    head = ["algorithm", "scale", "edges", "ms", "supersteps", "peak, MiB", "on the device, MiB"]
    lines = []
    for row in rows:
        shown = [row["algorithm"], str(row["scale"]), f"{int(row['edges']):,}"]
        shown += [f"{float(row['median_s']) * 1e3:.4g}", str(row["supersteps"])]
        lines.append([*shown, row["peak_MiB"], row["device_MiB"]])
    return table(head, lines)


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    """Time and memory against edges, both on logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter

    on_device = all(row["device_MiB"] for row in rows)
    memory_of = "device_MiB" if on_device else "peak_MiB"
    figure, (times, memories) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for title in dict.fromkeys(row["algorithm"] for row in rows):
        own = sorted((r for r in rows if r["algorithm"] == title), key=lambda r: int(r["edges"]))
        edges = [int(r["edges"]) for r in own]
        times.plot(edges, [float(r["median_s"]) for r in own], marker="o", ms=4, label=title)
        used = [float(r[memory_of]) / 1024 for r in own]
        memories.plot(edges, used, marker="o", ms=4, label=title)
    times.set_title("time of the supersteps, s", loc="left", fontsize=10)
    where = "on the device" if on_device else "peak of the process, graph included"
    memories.set_title(f"memory, GiB ({where})", loc="left", fontsize=10)
    for axes in (times, memories):
        axes.set(xscale="log", yscale="log", xlabel="edges")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(alpha=0.3, which="major")
        axes.spines[["top", "right"]].set_visible(False)
    times.legend(frameon=False)
    figure.savefig(file, dpi=120)
