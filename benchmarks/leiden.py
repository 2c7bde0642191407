"""Leiden and Louvain compared with igraph, leidenalg and NetworKit: what they find, and how fast.

    python benchmarks/leiden.py FILE ... --rows build/leiden.jsonl --update docs/communities.md
    python benchmarks/leiden.py --rows build/leiden.jsonl --graphs 'LFR 10,000' --seeds 3

See README.md. Each row is saved as soon as it is there, and measured only once: the same command
goes on where it was ended. Without the rows of a method, it is measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from contenders import around, replace, table
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl import Engine, Graph
from gascl.communities import adjusted_rand
from gascl.generators import grid, lfr, rmat
from gascl.programs import Leiden, Louvain

#: With 2 iterations, those that have iterations.
GASCL = ("gascl Leiden", "gascl Louvain")
OTHERS = ("igraph Leiden", "leidenalg", "NetworKit ParallelLeiden", "NetworKit PLM")
#: Those that know the constant Potts model, and those with which gascl's quality is compared.
POTTS = ("gascl Leiden", "gascl Louvain", "igraph Leiden", "leidenalg")
REFERENCE = ("igraph Leiden", "leidenalg")
#: Up to so many edges, all seeds are run, else two; beyond LARGE one, and not by CPM.
SMALL, LARGE = 300_000, 4_000_000
#: leidenalg takes ten times as long as igraph: up to so many edges, its time is measured, and the
#: quality; of graphs that are not small, with one seed.
TIMED, MOST = 300_000, 1_500_000
MARK = "leiden"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add = parser.add_argument
    add("files", type=Path, nargs="*", help="graphs to use besides the generated ones")
    add("--rows", type=Path, required=True, help="the file of rows, which may exist")
    add("--seeds", type=int, default=10, help="of graphs with up to 300,000 edges (default: 10)")
    add("--rounds", type=int, default=3, help="whose times' median is taken (default: 3)")
    add("--graphs", default="", help="only those whose names begin so; several separated by |")
    add("--methods", default="", help="likewise: such as gascl, or 'igraph|leidenalg'")
    add("--only", choices=["quality", "times"], help="measure only these")
    add("--update", type=Path, help="the page to write the tables into")
    add("--device", default=None, help="as in Engine(graph, device)")
    return parser.parse_args()


def main() -> None:
    given = options()
    if given.update:
        around(given.update, MARK)  # refused now rather than after the run
    rows = Rows(given.rows)
    wanted, methods = (tuple(names.split("|")) for names in (given.graphs, given.methods))
    methods = [method for method in (*GASCL, *OTHERS) if method.startswith(methods)]
    for name, make in graphs(given.files).items():
        if name.startswith(wanted):
            one = Comparison(name, make, rows, given.device)
            if given.only != "times":
                one.qualities(methods, given.seeds)
            if given.only != "quality":
                one.times(methods, given.rounds)
    text = "\n\n".join(tables(rows, [*graphs(given.files)]))
    if given.update:
        replace(given.update, MARK, text)
    else:
        print(text)


class Rows:
    """The lines of a file, each a dict in JSON, by what they are about."""

    def __init__(self, file: Path):
        self.file = file
        self.found: dict[tuple[Any, ...], dict[str, Any]] = {}
        if file.exists():
            for line in file.read_text("utf-8").splitlines():
                row = json.loads(line)
                self.found[self.key(row)] = row

    @staticmethod
    def key(row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(row.get(name) for name in ("what", "graph", "method", "seed"))

    def __contains__(self, about: dict[str, Any]) -> bool:
        return self.key(about) in self.found

    def add(self, row: dict[str, Any]) -> None:
        self.found[self.key(row)] = row
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
            out.flush()
            os.fsync(out.fileno())

    def of(self, what: str, graph: str, method: str, name: str) -> list[float]:
        """The values of this name, one of each seed."""
        about = (what, graph, method)
        return [r[name] for key, r in self.found.items() if key[:3] == about and name in r]


# The graphs.


def graphs(files: list[Path]) -> dict[str, Callable[[], Graph]]:
    """Name -> what makes a simple graph; those by LFR have the vertex field `community`."""
    sizes = {"average_degree": 20, "max_degree": 50, "min_community": 20, "max_community": 100}
    found: dict[str, Callable[[], Graph]] = {}
    for file in files:
        found[file.name.partition(".")[0]] = partial(read, file)
    for count in (10_000, 100_000):
        for mixing in (0.3, 0.4, 0.5, 0.6, 0.7):
            made = partial(lfr, count, mixing=mixing, seed=1, **sizes)
            found[f"LFR {count:,}, mixing {mixing}"] = made
    found["grid, 100 by 100"] = partial(grid, 100, 100)
    found["kNN, 20,000 by 15"] = partial(nearest, 20_000, 15)
    found["kNN, 200,000 by 15"] = partial(nearest, 200_000, 15)
    for scale in (14, 16, 18, 20):
        found[f"R-MAT {scale}"] = partial(skewed, scale)
    return found


def read(file: Path) -> Graph:
    return Graph.read(file).simple(undirected=True)


def skewed(scale: int) -> Graph:
    return rmat(scale, 16, seed=1).simple(undirected=True)


def nearest(count: int, k: int) -> Graph:
    """The k nearest neighbors of points in 50 overlapping clusters."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(0)
    points = 1.2 * rng.normal(size=(50, 10))[rng.integers(50, size=count)]
    points += rng.normal(size=(count, 10))
    ends = cKDTree(points).query(points, k + 1, workers=-1)[1][:, 1:].ravel()
    begins = np.repeat(np.arange(count), k)
    return Graph.from_edges(begins, ends, num_vertices=count, directed=False).simple()


# What is measured.


class Comparison:
    """One graph, and the rows about it; it is made only if one of them is missing."""

    def __init__(self, name: str, make: Callable[[], Graph], rows: Rows, device: Any):
        self.name, self.make, self.rows, self.device = name, make, rows, device
        self.graph: Graph | None = None

    def made(self) -> Graph:
        if self.graph is None:
            graph = self.make()
            self.graph = graph.with_edge_fields(**dict.fromkeys(graph.edge_fields))
            self.methods = Methods(self.graph, self.device)
            self.rows.add({"what": "size", "graph": self.name, "edges": graph.num_edges})
        return self.graph

    def edges(self) -> int:
        about = {"what": "size", "graph": self.name}
        if about not in self.rows:
            self.made()
        return int(self.rows.found[Rows.key(about)]["edges"])

    def qualities(self, methods: list[str], seeds: int) -> None:
        edges = self.edges()
        for what in ("modularity", "cpm"):
            for method in methods:
                slow = method == "leidenalg"
                if what == "cpm" and (edges > LARGE or method not in POTTS):
                    continue
                if slow and edges > MOST:
                    continue
                few = 1 if slow or edges > LARGE else 2
                for seed in range(seeds if edges <= SMALL else few):
                    about = {"what": what, "graph": self.name, "method": method, "seed": seed}
                    if about not in self.rows:
                        self.quality(about)

    def quality(self, about: dict[str, Any]) -> None:
        graph, potts = self.made(), about["what"] == "cpm"
        began = time.process_time()
        found = self.methods.find(about["method"], about["seed"], potts)
        took = time.process_time() - began
        value = cpm(graph, found) if potts else modularity(graph, found)
        row = {**about, "value": value, "pieces": pieces(graph, found), "processor": took}
        if "LFR" in self.name:
            truth = graph.vertex_fields["community"]
            row["ari"] = adjusted_rand(found, truth)
        self.rows.add(row)

    def times(self, methods: list[str], rounds: int) -> None:
        """Of whole calls, by turns."""
        edges = self.edges()
        missing = [
            method
            for method in methods
            if {"what": "times", "graph": self.name, "method": method} not in self.rows
            and edges <= (TIMED if method == "leidenalg" else LARGE)
        ]
        if not missing:
            return
        self.made()
        seconds: dict[str, list[float]] = {method: [] for method in missing}
        for _ in range(rounds):
            for method, took in seconds.items():
                began = time.perf_counter()
                self.methods.find(method, 0, potts=False)
                took.append(time.perf_counter() - began)
        for method, took in seconds.items():
            row = {"what": "times", "graph": self.name, "method": method}
            self.rows.add({**row, "seconds": float(np.median(took))})


class Methods:
    """Communities of one graph by each library, which has made its own graph before."""

    def __init__(self, graph: Graph, device: Any):
        self.graph, self.engine = graph, Engine(graph, device)
        self.built: dict[str, Any] = {}

    def find(self, method: str, seed: int, potts: bool) -> np.ndarray:
        """(V,) The community of each vertex."""
        name = method.split()[0].replace("leidenalg", "igraph")
        if name not in self.built:
            self.built[name] = getattr(self, f"for_{name.lower()}")()
            if name == "gascl":  # builds the kernels
                self.by_gascl(method, seed, potts)
        return np.asarray(getattr(self, f"by_{name.lower()}")(method, seed, potts))

    def for_gascl(self) -> Engine:
        return self.engine

    def by_gascl(self, method: str, seed: int, potts: bool) -> Any:
        made = Leiden if method == "gascl Leiden" else Louvain
        options = {"quality": "cpm", "resolution": density(self.graph)} if potts else {}
        return self.engine.run(made(seed=seed, **options)).community

    def for_igraph(self) -> Any:
        import igraph

        ends = np.transpose([self.graph.edge_src, self.graph.edge_dst])
        return igraph.Graph(self.graph.num_vertices, ends)

    def by_igraph(self, method: str, seed: int, potts: bool) -> Any:
        graph, resolution = self.built["igraph"], density(self.graph)
        if method == "leidenalg":
            import leidenalg

            kind: Any = leidenalg.ModularityVertexPartition
            options: dict[str, Any] = {}
            if potts:
                kind = leidenalg.CPMVertexPartition
                options = {"resolution_parameter": resolution}
            return leidenalg.find_partition(
                graph, kind, n_iterations=2, seed=seed, **options
            ).membership
        random.seed(seed)
        options = {"resolution": resolution} if potts else {}
        quality = "CPM" if potts else "modularity"
        return graph.community_leiden(quality, n_iterations=2, **options).membership

    def for_networkit(self) -> Any:
        import networkit as nk

        ends = self.graph.edge_src, self.graph.edge_dst
        return nk.GraphFromCoo(ends, n=self.graph.num_vertices, directed=False)

    def by_networkit(self, method: str, seed: int, potts: bool) -> Any:
        import networkit as nk

        nk.setSeed(seed, False)
        algorithm = getattr(nk.community, method.split()[1])
        return algorithm(self.built["NetworKit"]).run().getPartition().getVector()


def density(graph: Graph) -> float:
    """The resolution for CPM: the geometric mean of the densities of the graph and a clique."""
    return float(np.sqrt(2 * graph.num_edges / graph.num_vertices / (graph.num_vertices - 1)))


def modularity(graph: Graph, community: np.ndarray) -> float:
    inside = (community[graph.edge_src] == community[graph.edge_dst]).sum()
    degree = np.bincount(community[np.concatenate([graph.edge_src, graph.edge_dst])])
    return float(inside / graph.num_edges - ((degree / (2 * graph.num_edges)) ** 2).sum())


def cpm(graph: Graph, community: np.ndarray) -> float:
    """As a share of all edges."""
    inside = (community[graph.edge_src] == community[graph.edge_dst]).sum()
    size = np.bincount(community).astype(float)
    pairs = density(graph) * (size * (size - 1) / 2).sum()
    return float((inside - pairs) / graph.num_edges)


def pieces(graph: Graph, community: np.ndarray) -> int:
    """How many more components the communities have than there are communities."""
    inside = community[graph.edge_src] == community[graph.edge_dst]
    ends = graph.edge_src[inside], graph.edge_dst[inside]
    kept = coo_array((np.ones(inside.sum()), ends), shape=(graph.num_vertices,) * 2)
    return int(connected_components(kept, directed=False)[0] - len(np.unique(community)))


# The tables.


def tables(rows: Rows, names: list[str]) -> list[str]:
    """As Markdown, each under a line that says what it shows."""
    found = [
        "Modularity; the last column compares gascl's Leiden with the better one of igraph and "
        "leidenalg, and has the standard error of this difference:",
        compared(rows, names, "modularity", (*GASCL, *OTHERS)),
        "The constant Potts model, as a share of all edges:",
        compared(rows, names, "cpm", POTTS),
        "Adjusted Rand index, of communities by modularity:",
        similar(rows, names, "modularity", (*GASCL, *OTHERS)),
        "Adjusted Rand index, of communities by the constant Potts model:",
        similar(rows, names, "cpm", POTTS),
        "Communities that are not connected: pieces too many, in all runs:",
        disconnected(rows, names),
        "Processor time of all cores together in these runs, by modularity, medians in seconds:",
        timed(rows, names, "modularity", "processor"),
    ]
    if any(key[0] == "times" for key in rows.found):
        found += ["Time of a whole call, in seconds:", timed(rows, names, "times", "seconds")]
    return found


def compared(rows: Rows, names: list[str], what: str, methods: tuple[str, ...]) -> str:
    lines, apart = [], []
    for name in names:
        found = {m: rows.of(what, name, m, "value") for m in methods}
        theirs = [found[m] for m in REFERENCE if found[m]]
        ours = found["gascl Leiden"]
        if not ours or not theirs:
            continue
        best = max(theirs, key=np.mean)
        apart.append(np.mean(ours) / np.mean(best) - 1)
        last = f"{100 * apart[-1]:+.2f} %"
        if min(len(ours), len(best)) > 1:
            error = np.hypot(error_of(ours), error_of(best)) / np.mean(best)
            last = f"{100 * apart[-1]:+.2f} ± {100 * error:.2f} %"
        lines.append([name, *(spread(f, 4) for f in found.values()), last])
    if apart:
        lines.append(["mean", *[""] * len(methods), f"{100 * np.mean(apart):+.3f} %"])
    return table(["graph", *methods, "apart"], lines)


def similar(rows: Rows, names: list[str], what: str, methods: tuple[str, ...]) -> str:
    lines, means, errors = [], [], []
    for name in names:
        found = [rows.of(what, name, m, "ari") for m in methods]
        if all(found):
            means.append([np.mean(f) for f in found])
            errors.append([error_of(f) if len(f) > 1 else np.nan for f in found])
            lines.append([name, *(spread(f, 3) for f in found)])
    if means:
        lines.append(["mean", *(f"{mean:.4f}" for mean in np.mean(means, axis=0))])
        known = np.nan_to_num(np.array(errors))
        of_mean = np.sqrt((known**2).sum(axis=0)) / len(means)
        lines.append(["standard error of it", *(f"{error:.4f}" for error in of_mean)])
    return table(["graph", *methods], lines)


def spread(values: list[float], digits: int) -> str:
    """Mean and standard deviation; that of one value is not known."""
    if not values:
        return ""
    mean = f"{np.mean(values):.{digits}f}"
    return f"{mean} ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else mean


def error_of(values: list[float]) -> float:
    """The standard error of their mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def disconnected(rows: Rows, names: list[str]) -> str:
    lines = []
    for what in ("modularity", "cpm"):
        line = [what]
        for method in (*GASCL, *OTHERS):
            found = [rows.of(what, name, method, "pieces") for name in names]
            line.append(str(int(sum(map(sum, found)))) if any(found) else "")
        lines.append(line)
    return table(["", *GASCL, *OTHERS], lines)


def timed(rows: Rows, names: list[str], what: str, value: str) -> str:
    lines = []
    for name in names:
        found = [rows.of(what, name, m, value) for m in (*GASCL, *OTHERS)]
        if any(found):
            lines.append([name, *(f"{np.median(f):.3g}" if f else "" for f in found)])
    return table(["graph", *GASCL, *OTHERS], lines)


if __name__ == "__main__":
    main()
