"""Time and peak memory from a file to a graph, against other libraries: one table.

    python benchmarks/loading.py --scale 18 --rounds 5
    python benchmarks/loading.py --csv benchmarks/results/loading.csv --update docs/performance.md

Each contender has a process of its own and loads the same file in turn; what it loaded first is
compared with the edges that were written. See README.md.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from contenders import all_cores, other_work, replace, table, write_csv
from graphs import made

#: The file of each format. Those of `SMALLER` have a graph of 2**4 times fewer vertices.
FILES = {
    "edge list": "g.txt",
    "CSV": "g.csv",
    "Matrix Market": "g.mtx",
    "SciPy .npz": "g.npz",
    "SciPy .npz (packed)": "packed.npz",
    "GAP .sg": "g.sg",
    "GAP .wsg": "g.wsg",
    "METIS": "g.graph",
    "DIMACS": "g.gr",
    "Graphalytics": "g.properties",
    "GML": "g.gml",
    "GraphML": "g.graphml",
    "Parquet": "g.parquet",
    "Arrow": "g.arrow",
    "gascl .npz": "own.npz",
    "gascl .npz (with arcs)": "arcs.npz",
}
SMALLER = ("GML", "GraphML")
#: Formats whose files have no weights, and the one whose graph is undirected.
PLAIN, UNDIRECTED = ("GAP .sg", "METIS"), "METIS"
ENDS = ("source", "target", "weight")
Edges = tuple[np.ndarray, np.ndarray, np.ndarray | None]  # sources, targets, weights


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=18, help="2**scale vertices (default: 18)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (default: 5)")
    parser.add_argument("--only", help="formats, separated by commas")
    parser.add_argument(
        "--slow", type=float, default=10, help="what takes more seconds runs once (default: 10)"
    )
    parser.add_argument(
        "--limit", type=int, default=300, help="seconds the first load may take (default: 300)"
    )
    parser.add_argument("--csv", type=Path, help="the file for the results; other rows stay")
    parser.add_argument("--update", type=Path, help="the page to write the table into")
    parser.add_argument("--load", nargs=2, metavar=("NAME", "PATH"), help=argparse.SUPPRESS)
    return parser.parse_args()


# The contenders: from a path to the library's object, and from that to the edges


def gascl(path: Path) -> Any:
    from gascl import Graph

    return Graph.read(path)


def gascl_arcs(path: Path) -> Any:
    """With the offsets and ends of both orders, as in a CSR and a CSC matrix."""
    graph = gascl(path)
    arcs = graph.arcs()
    for order in (arcs.out, arcs.into):
        order.make()
    return graph


def gascl_edges(graph: Any) -> Edges:
    ends = [graph.edge_src, graph.edge_dst]
    if graph.labels is not None:
        labels = graph.labels
        if labels.dtype.kind == "U":  # GraphML's
            labels = np.array([int(label[1:]) for label in labels.tolist()])
        ends = [labels[end] for end in ends]
    return ends[0], ends[1], graph.edge_fields.get("weight")


def scipy_one(path: Path) -> Any:
    import scipy.io
    import scipy.sparse

    return scipy.io.mmread(path) if path.suffix == ".mtx" else scipy.sparse.load_npz(path)


def scipy_both(path: Path) -> Any:
    matrix = scipy_one(path).tocsr()
    matrix.tocsc()
    return matrix


def numpy_both(path: Path) -> Any:
    """What `numpy.fromfile` gives, unchecked, as a CSR matrix, and the reversed arcs as a CSC."""
    import scipy.sparse

    weighted = path.suffix == ".wsg"
    found = []
    with path.open("rb") as file:
        np.fromfile(file, "?", 1)
        arcs, count = np.fromfile(file, "<i8", 2).tolist()
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix):
            offsets = np.fromfile(file, "<i8", count + 1)
            ends = np.fromfile(file, [("to", "<i4"), ("by", "<i4")] if weighted else "<i4", arcs)
            values = ends["by"] if weighted else np.ones(arcs, np.int8)
            places = ends["to"] if weighted else ends
            found.append(kind((values, places, offsets), shape=(count, count)))
    return found


def numpy_unchecked(path: Path) -> Any:
    return numpy_both(path)[0]


def numpy_checked(path: Path) -> Any:
    """The same, after finding that ids are in range and that the reversed arcs are the arcs."""
    matrix, across = numpy_both(path)
    for each in (matrix, across):
        each.check_format(full_check=True)
    expected = matrix.tocsc()
    for each in (expected, across):
        each.sort_indices()
    for name in ("indptr", "indices", "data"):
        if (getattr(expected, name) != getattr(across, name)).any():
            raise ValueError(f"the reversed arcs have other {name}")
    return matrix


def scipy_edges(matrix: Any) -> Edges:
    entries = matrix.tocoo()
    return entries.row, entries.col, entries.data


def pandas(path: Path) -> Any:
    import pandas as pd

    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    elif path.suffix == ".properties":
        pd.read_csv(path.with_suffix(".v"), header=None)
        frame = pd.read_csv(path.with_suffix(".e"), sep=" ", header=None, names=ENDS)
    elif path.suffix == ".gr":
        frame = pd.read_csv(path, sep=" ", names=["a", *ENDS], usecols=ENDS, skiprows=1)
        frame[["source", "target"]] -= 1
    elif path.suffix == ".csv":
        frame = pd.read_csv(path)
    else:
        frame = pd.read_csv(path, sep=" ", header=None, names=ENDS)
    return [frame[name].to_numpy() for name in ENDS]


def pyarrow(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix == ".parquet":
        found = pa.parquet.read_table(path)
    elif path.suffix == ".arrow":
        found = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    elif path.suffix == ".csv":
        found = pa.csv.read_csv(path)
    else:
        parse = pa.csv.ParseOptions(delimiter=" ")
        found = pa.csv.read_csv(path, pa.csv.ReadOptions(column_names=ENDS), parse)
    return [found[name].to_numpy() for name in ENDS]


def pyarrow_numbered(path: Path) -> Any:
    """Columns in memory of their own, with ids numbered from 0, as a graph needs them."""
    import pandas as pd
    import pyarrow as pa

    if path.suffix == ".arrow":
        found = pa.ipc.open_file(pa.OSFile(str(path))).read_all()
        src, dst, weight = (found[name].to_numpy() for name in ENDS)
    else:
        src, dst, weight = pyarrow(path)
    places, labels = pd.factorize(np.concatenate([src, dst]), sort=True)
    return labels, places[: len(src)], places[len(src) :], weight


def numbered_edges(found: Any) -> Edges:
    labels, src, dst, weight = found
    return labels[src], labels[dst], weight


def networkit(path: Path) -> Any:
    import networkit as nk

    if path.suffix == ".graph":
        return nk.graphio.METISGraphReader().read(str(path))
    return nk.graphio.EdgeListReader(" ", 0, "#", continuous=True, directed=True).read(str(path))


def networkit_edges(graph: Any) -> Edges:
    pairs = np.array([(u, v) for u, v in graph.iterEdges()])
    weights = None
    if graph.isWeighted():
        weights = np.array([w for _, _, w in graph.iterEdgesWeights()])
    return pairs[:, 0], pairs[:, 1], weights


def igraph(path: Path) -> Any:
    import igraph as ig

    return (
        ig.Graph.Read_GML(str(path)) if path.suffix == ".gml" else ig.Graph.Read_GraphML(str(path))
    )


def igraph_edges(graph: Any) -> Edges:
    ends = np.array(graph.get_edgelist())
    return ends[:, 0], ends[:, 1], np.array(graph.es["weight"])


def networkx(path: Path) -> Any:
    import networkx as nx

    if path.suffix == ".gml":
        return nx.read_gml(path, label="id")
    return nx.read_graphml(path)


def networkx_edges(graph: Any) -> Edges:
    rows = [(str(u).lstrip("n"), str(v).lstrip("n"), w) for u, v, w in graph.edges(data="weight")]
    src, dst, weight = np.array(rows, dtype=np.float64).T
    return src, dst, weight


def arrays(found: Any) -> Edges:
    return found[0], found[1], found[2]


TEXT = ("edge list", "CSV", "DIMACS", "Graphalytics")
CONTENDERS: dict[str, tuple[Callable[[Path], Any], Callable[[Any], Edges], tuple[str, ...]]] = {
    "gascl": (gascl, gascl_edges, tuple(FILES)),
    "gascl, both orders": (gascl_arcs, gascl_edges, tuple(f for f in FILES if f not in SMALLER)),
    "SciPy": (
        scipy_one,
        scipy_edges,
        ("Matrix Market", "SciPy .npz", "SciPy .npz (packed)"),
    ),
    "SciPy, both orders": (
        scipy_both,
        scipy_edges,
        ("Matrix Market", "SciPy .npz", "SciPy .npz (packed)"),
    ),
    "NumPy, both orders, unchecked": (numpy_unchecked, scipy_edges, ("GAP .sg", "GAP .wsg")),
    "NumPy, both orders, checked by SciPy": (
        numpy_checked,
        scipy_edges,
        ("GAP .sg", "GAP .wsg"),
    ),
    "pandas": (pandas, arrays, (*TEXT, "Parquet")),
    "pyarrow": (pyarrow, arrays, ("edge list", "CSV", "Parquet", "Arrow")),
    "pyarrow, ids numbered by pandas": (
        pyarrow_numbered,
        numbered_edges,
        ("edge list", "CSV", "Parquet", "Arrow"),
    ),
    "NetworKit": (networkit, networkit_edges, ("edge list", "METIS")),
    "igraph": (igraph, igraph_edges, SMALLER),
    "NetworkX": (networkx, networkx_edges, SMALLER),
}


# The files


def written(folder: Path, scale: int, formats: list[str]) -> Edges:
    """Write a graph in the formats; returns its edges, which are sorted."""
    edges = made(f"rmat{scale}")
    # An edge list has no vertices without edges.
    used = np.unique(np.concatenate([edges.sources, edges.targets]))
    ends = (np.searchsorted(used, end).astype(np.int32) for end in (edges.sources, edges.targets))
    src, dst = ends
    weight = edges.weights.astype(np.int32)
    for format in formats:
        write(folder / FILES[format], src, dst, weight)
    return src, dst, weight


def write(path: Path, src: np.ndarray, dst: np.ndarray, weight: np.ndarray) -> None:
    """By others' writers, where there are any."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet
    import scipy.sparse as sp

    from gascl import Graph

    count = int(max(src.max(), dst.max())) + 1
    style = pa.csv.WriteOptions(include_header=False, delimiter=" ")
    edges = pa.table({"source": src, "target": dst, "weight": weight})
    if path.suffix == ".txt":
        pa.csv.write_csv(edges, path, style)
    elif path.suffix == ".csv":
        pa.csv.write_csv(edges, path)
    elif path.suffix == ".parquet":
        pa.parquet.write_table(edges, path)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(str(path), edges.schema) as file:
            file.write_table(edges)
    elif path.suffix == ".mtx":
        with path.open("wb") as file:
            file.write(b"%%MatrixMarket matrix coordinate integer general\n")
            file.write(f"{count} {count} {len(src)}\n".encode())
            pa.csv.write_csv(pa.table({"i": src + 1, "j": dst + 1, "w": weight}), file, style)
    elif path.name in ("g.npz", "packed.npz"):
        matrix = sp.csr_matrix((weight, (src, dst)), shape=(count, count))
        sp.save_npz(path, matrix, compressed=path.name != "g.npz")
    elif path.suffix in (".gml", ".graphml"):
        write_marked(path, src, dst, weight, count)
    else:
        fields = {} if path.suffix in (".sg", ".graph") else {"weight": weight}
        graph = Graph.from_edges(src, dst, num_vertices=count, **fields)
        if path.suffix == ".graph":
            graph = graph.simple(undirected=True)
        graph.write(path, arcs=path.name == "arcs.npz")


def write_marked(
    path: Path, src: np.ndarray, dst: np.ndarray, weight: np.ndarray, count: int
) -> None:
    """GML or GraphML, laid out as NetworkX does."""
    head, node, edge, end = (
        "graph [\n  directed 1\n",
        "  node [\n    id {}\n  ]\n",
        "  edge [\n    source {}\n    target {}\n    weight {}\n  ]\n",
        "]\n",
    )
    if path.suffix == ".graphml":
        head = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            '  <key id="d0" for="edge" attr.name="weight" attr.type="long"/>\n'
            '  <graph edgedefault="directed">\n'
        )
        node = '    <node id="n{}"/>\n'
        edge = '    <edge source="n{}" target="n{}">\n      <data key="d0">{}</data>\n    </edge>\n'
        end = "  </graph>\n</graphml>\n"
    with path.open("w", encoding="ascii") as file:
        file.write(head)
        file.writelines(map(node.format, range(count)))
        file.writelines(map(edge.format, src.tolist(), dst.tolist(), weight.tolist()))
        file.write(end)


def digest(edges: Edges, format: str) -> str:
    """Of the edges in any order: sources, targets and, if the file has some, weights."""
    src, dst = (np.asarray(end).astype(np.int64) for end in edges[:2])
    if format == UNDIRECTED:
        low, high = np.minimum(src, dst), np.maximum(src, dst)
        return hashlib.sha256(np.unique((low << 32) | high)).hexdigest()
    keys = (src << 32) | dst
    order = np.argsort(keys)
    told = hashlib.sha256(keys[order])
    if format not in PLAIN:
        assert edges[2] is not None, "there are no weights"
        told.update(np.asarray(edges[2]).astype(np.int64)[order])
    return told.hexdigest()


# The processes


def load(name: str, path: Path) -> None:
    """For each line of the input, load and tell seconds, peak and, at first, the digest."""
    load, edges_of, _ = CONTENDERS[name]
    for module in ("gascl.graph.graph", "gascl.io", "pandas", "pyarrow.parquet", "pyarrow.csv"):
        importlib.import_module(module)
    for module in ("scipy.io", "scipy.sparse", load.__name__):
        if importlib.util.find_spec(module.partition(".")[0]):
            importlib.import_module(module)
    format = next(f for f, file in FILES.items() if file == path.name)
    for number, _ in enumerate(sys.stdin):
        with suppress(OSError):  # reset the peak, which Linux supports
            Path("/proc/self/clear_refs").write_text("5")
        before = memory("VmRSS")
        started = time.perf_counter()
        found = load(path)
        told: dict[str, Any] = {"seconds": time.perf_counter() - started}
        told["peak"] = memory("VmHWM") - before
        if not number:
            told["digest"] = digest(edges_of(found), format)
        del found
        print(json.dumps(told), flush=True)


def memory(name: str) -> int:
    """The memory of this process in bytes: VmRSS is the current value, VmHWM the peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(x.split()[1]) * 1024 for x in lines if x.startswith(name))


@dataclass
class Contender:
    """A process that loads a file when it is told to."""

    name: str
    process: Any
    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    def turn(self) -> dict[str, Any]:
        """Load once."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            lines = self.process.stderr.read().strip().splitlines()
            raise RuntimeError(lines[-1][:80] if lines else "more than --limit seconds")
        told: dict[str, Any] = json.loads(line)
        return told


def measured(format: str, path: Path, edges: Edges, given: argparse.Namespace) -> list[Contender]:
    """The contenders that can read a format, after all their turns; gascl first."""
    expected = digest(edges, format)
    contenders = []
    for name, (_, _, formats) in CONTENDERS.items():
        if format not in formats:
            continue
        pipes = {key: subprocess.PIPE for key in ("stdin", "stdout", "stderr")}
        command = [sys.executable, __file__, "--load", name, str(path)]
        contender = Contender(name, subprocess.Popen(command, text=True, **pipes))
        alarm = threading.Timer(given.limit, contender.process.kill)
        alarm.start()
        try:
            first = contender.turn()
        except RuntimeError as error:
            print(f"left out: {name}, {format}: {error}", file=sys.stderr)
            continue
        finally:
            alarm.cancel()
        if first["digest"] != expected:
            sys.exit(f"refused: {name} has other edges than were written ({format})")
        contender.peak = first["peak"]
        if first["seconds"] > given.slow:
            contender.seconds = [first["seconds"]]
        contenders.append(contender)
    for _ in range(given.rounds):
        for contender in contenders:
            if not contender.seconds or contender.seconds[0] <= given.slow:
                contender.seconds.append(contender.turn()["seconds"])
    for contender in contenders:
        contender.process.stdin.close()
        contender.process.wait()
    return contenders


def main() -> None:
    given = options()
    if given.load:
        load(given.load[0], Path(given.load[1]))
        return
    formats = given.only.split(",") if given.only else list(FILES)
    unknown = [format for format in formats if format not in FILES]
    if unknown:
        sys.exit(f"--only {unknown[0]}: there are {', '.join(FILES)}")
    rows: list[dict[str, Any]] = []
    before = other_work()
    for smaller in (False, True):
        chosen = [format for format in formats if (format in SMALLER) == smaller]
        scale = given.scale - 4 * smaller
        with tempfile.TemporaryDirectory() as folder:
            edges = written(Path(folder), scale, chosen) if chosen else None
            for format in chosen:
                path = Path(folder) / FILES[format]
                contenders = measured(format, path, edges, given)
                rows += [row_of(format, path, len(edges[0]), c, contenders) for c in contenders]
                print(shown(rows[-len(contenders) :]), flush=True)
    if given.csv:
        rows = write_csv(given.csv, rows, ("format", "contender"))
        rows.sort(key=lambda row: [*FILES].index(row["format"]))
    if given.update:
        worked, passed = other_work() - before
        packages = (
            "gascl",
            "numpy",
            "scipy",
            "pandas",
            "pyarrow",
            "networkit",
            "igraph",
            "networkx",
        )
        versions = ", ".join(f"{name} {version(name)}" for name in packages if version(name))
        about = f"{all_cores()} cores, {given.rounds} rounds; {versions}. "
        about += f"Other processes had {worked / passed:.0%} of the cores' time."
        replace(given.update, "benchmarks/loading.py", f"{about}\n\n{shown(rows)}")


def version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as version_of

    try:
        return version_of(name)
    except PackageNotFoundError:
        return ""


def row_of(
    format: str, path: Path, count: int, contender: Contender, contenders: list[Contender]
) -> dict[str, Any]:
    seconds = np.array(contender.seconds)
    own = np.array(contenders["both" in contender.name].seconds)
    turns = min(len(seconds), len(own))
    ratios = seconds[:turns] / own[:turns]
    return {
        "format": format,
        "edges": count,
        "MB": round(path.stat().st_size / 1e6, 1),
        "contender": contender.name,
        "ms": f"{1000 * np.median(seconds):.4g}",
        "time / gascl's": f"{np.median(ratios):.2f} ({ratios.min():.2f}-{ratios.max():.2f})",
        "peak, MB": round(contender.peak / 1e6),
    }


def shown(rows: list[dict[str, Any]]) -> str:
    names = ("format", "edges", "contender", "ms", "time / gascl's", "peak, MB")
    return table([*names], [[str(row[name]) for name in names] for row in rows])


if __name__ == "__main__":
    main()
