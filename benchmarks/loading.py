"""Time and peak memory from a file to a graph that is ready to use, against other libraries.

    python benchmarks/loading.py --scale 20 --rounds 3

Each load runs in a separate process, to measure its peak memory; the contenders run alternately.
See README.md.
"""

from __future__ import annotations

import argparse
import importlib.util
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
from graphs import made
from turns import table

FORMATS = ("edge list", "Matrix Market", "Parquet", "npz")
#: A load that takes more seconds than this is not repeated.
SLOW = 30
#: The numbers of vertices and edges that a contender has.
Counts = tuple[int, int]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=20, help="2**scale vertices (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of turns (default: 3)")
    parser.add_argument(
        "--limit", type=int, default=600, help="seconds a load may take (default: 600)"
    )
    parser.add_argument(
        "--load", nargs=3, metavar=("NAME", "FORMAT", "PATH"), help=argparse.SUPPRESS
    )
    return parser.parse_args()


def gascl(path: Path) -> Counts:
    """Build the arcs in both orders, with the slots: everything that a run needs on the host."""
    from gascl import Graph
    from gascl.graph.arcs import ARRAYS

    graph = Graph.read(path)
    for name in ARRAYS:
        getattr(graph.arcs(), name)
    return graph.num_vertices, graph.num_edges


def gascl_edges(path: Path) -> Counts:
    """Read a Graph without building its arcs."""
    from gascl import Graph

    graph = Graph.read(path)
    return graph.num_vertices, graph.num_edges


def networkx(path: Path) -> Counts:
    import networkx as nx

    graph: Any
    if path.suffix == ".parquet":
        import pandas as pd

        frame = pd.read_parquet(path)
        graph = nx.from_pandas_edgelist(frame, "src", "dst", create_using=nx.DiGraph)
    else:
        graph = nx.read_edgelist(path, create_using=nx.DiGraph, nodetype=int)
    return graph.number_of_nodes(), graph.number_of_edges()


def igraph(path: Path) -> Counts:
    import igraph as ig

    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        columns = pq.read_table(path)
        ends = np.column_stack([columns["src"].to_numpy(), columns["dst"].to_numpy()])
        graph = ig.Graph(n=int(ends.max()) + 1, edges=ends, directed=True)
    else:
        graph = ig.Graph.Read_Edgelist(str(path), directed=True)
    return graph.vcount(), graph.ecount()


def networkit(path: Path) -> Counts:
    import networkit as nk

    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        columns = pq.read_table(path)
        ends = tuple(columns[n].to_numpy().astype(np.uint64) for n in ("src", "dst"))
        graph = nk.GraphFromCoo(ends, n=int(max(e.max() for e in ends)) + 1, directed=True)
    else:
        graph = nk.graphio.EdgeListReader(" ", 0, "#", True, True).read(str(path))
    return graph.numberOfNodes(), graph.numberOfEdges()


def scipy_both(path: Path) -> Counts:
    """A CSR and a CSC matrix: both orders, as in gascl."""
    matrix = csr(path)
    matrix.tocsc()
    return matrix.shape[0], matrix.nnz


def scipy_one(path: Path) -> Counts:
    """Only a CSR matrix: half of the work."""
    matrix = csr(path)
    return matrix.shape[0], matrix.nnz


def csr(path: Path) -> Any:
    import scipy.io
    import scipy.sparse as sp

    matrix: Any
    if path.suffix == ".mtx":
        matrix = sp.csr_matrix(scipy.io.mmread(path))
    elif path.suffix == ".npz":
        matrix = sp.load_npz(path).tocsr()
    else:
        import pandas as pd

        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(path, sep=" ", header=None, names=["src", "dst"], comment="#")
        src, dst = frame["src"].to_numpy(), frame["dst"].to_numpy()
        count = int(max(src.max(), dst.max())) + 1
        matrix = sp.csr_matrix((np.ones(len(src), np.int8), (src, dst)), shape=(count, count))
    return matrix


CONTENDERS: dict[str, tuple[Callable[[Path], Counts], tuple[str, ...]]] = {
    "gascl": (gascl, FORMATS),
    "gascl, edges only": (gascl_edges, FORMATS),
    "NetworkX": (networkx, ("edge list", "Parquet")),
    "igraph": (igraph, ("edge list", "Parquet")),
    "NetworKit": (networkit, ("edge list", "Parquet")),
    "SciPy (pandas): CSR, CSC": (scipy_both, FORMATS),
    "SciPy (pandas): CSR only": (scipy_one, FORMATS),
    "gascl, its own .npz": (gascl, ("gascl.npz",)),
}


def main() -> None:
    given = options()
    if given.load:
        name, _, path = given.load
        load = CONTENDERS[name][0]
        load_and_tell(load, Path(path))
        return
    edges = made(f"rmat{given.scale}")
    order = np.argsort(edges.targets, kind="stable")
    ends = edges.sources[order], edges.targets[order]
    used = np.unique(np.concatenate(ends))  # an edge list has no isolated vertices
    src, dst = (np.searchsorted(used, end).astype(np.int32) for end in ends)
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), src, dst)
        print(f"R-MAT, scale {given.scale}: {len(used):,} vertices, {len(src):,} edges.\n")
        for format in (*FORMATS, "gascl.npz"):
            show(format, paths[format], (len(used), len(src)), given)


def written(folder: Path, src: np.ndarray, dst: np.ndarray) -> dict[str, Path]:
    """Write the edges in each format; gascl is only used for its own format."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq
    import scipy.sparse as sp

    from gascl import Graph

    names = ("g.txt", "g.mtx", "g.parquet", "g.npz")
    paths = {f: folder / n for f, n in zip(FORMATS, names, strict=True)}
    style = pa.csv.WriteOptions(include_header=False, delimiter=" ")
    edges = pa.table({"src": src, "dst": dst})
    pa.csv.write_csv(edges, paths["edge list"], style)
    pq.write_table(edges, paths["Parquet"])
    count = int(max(src.max(), dst.max())) + 1
    with paths["Matrix Market"].open("wb") as file:
        file.write(b"%%MatrixMarket matrix coordinate pattern general\n")
        file.write(f"{count} {count} {len(src)}\n".encode())
        pa.csv.write_csv(pa.table({"src": src + 1, "dst": dst + 1}), file, style)
    ones = np.ones(len(src), np.int8)
    matrix = sp.csr_matrix((ones, (src, dst)), shape=(count, count))
    sp.save_npz(paths["npz"], matrix, compressed=False)
    paths["gascl.npz"] = folder / "own.npz"
    Graph.from_edges(src, dst, num_vertices=count).write(paths["gascl.npz"])
    return paths


def load_and_tell(load: Callable[[Path], Counts], path: Path) -> None:
    warm(load)
    with suppress(OSError):  # reset the peak, which Linux supports
        Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    started = time.perf_counter()
    counts = load(path)
    seconds = time.perf_counter() - started
    peak = memory("VmHWM") - before
    print(json.dumps({"seconds": seconds, "peak": peak, "counts": counts}))


def memory(name: str) -> int:
    """The memory of this process in bytes: VmRSS is the current value, VmHWM the peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(x.split()[1]) * 1024 for x in lines if x.startswith(name))


def warm(load: Callable[[Path], Counts]) -> None:
    """Import the modules beforehand, so that importing is not timed."""
    for name in (
        "gascl.graph.graph",
        "gascl.io",
        "pandas",
        "pyarrow.parquet",
        "scipy.io",
        "scipy.sparse",
    ):
        importlib.import_module(name)
    if importlib.util.find_spec(load.__name__):  # networkx, igraph, networkit
        importlib.import_module(load.__name__)


def show(format: str, path: Path, counts: Counts, given: argparse.Namespace) -> None:
    """Run the contenders that can read a format, and print their table."""
    rows: dict[str, list[dict[str, Any]]] = {}
    failed: dict[str, str] = {}
    names = [n for n, (_, formats) in CONTENDERS.items() if format in formats]
    for _ in range(given.rounds):
        for name in names:
            if name in failed or (name in rows and rows[name][0]["seconds"] > SLOW):
                continue
            command = [sys.executable, __file__, "--load", name, format, str(path)]
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=given.limit, check=False
                )
            except subprocess.TimeoutExpired:
                failed[name] = f"more than {given.limit} s"
                continue
            if done.returncode:
                lines = done.stderr.strip().splitlines()
                failed[name] = lines[-1][:60] if lines else f"exit status {done.returncode}"
                continue
            told = json.loads(done.stdout.splitlines()[-1])
            if tuple(told["counts"]) != counts:
                sys.exit(f"refused: {name} has {told['counts']} of {counts} ({format})")
            rows.setdefault(name, []).append(told)
    own = [r["seconds"] for r in rows[names[0]]]
    lines = []
    for name, tolds in rows.items():
        seconds = np.array([t["seconds"] for t in tolds])
        ratios = seconds / np.array(own[: len(seconds)])
        spread = f"{np.median(ratios):.2f} ({ratios.min():.2f}-{ratios.max():.2f})"
        peak = np.median([t["peak"] for t in tolds]) / 2**20
        counted = str(len(tolds))
        lines.append([name, counted, f"{np.median(seconds):.2f}", spread, f"{peak:,.0f}"])
    lines += [[name, "", why, "", ""] for name, why in failed.items()]
    size = path.stat().st_size / 2**20
    print(
        table([f"{format}, {size:,.0f} MiB", "turns", "s", "ratio to gascl", "peak, MiB"], lines)
        + "\n",
        flush=True,
    )


if __name__ == "__main__":
    main()
