"""Leiden on graphs of nearest neighbors, as of cells by scanpy: gascl, igraph and leidenalg.

    python benchmarks/cells.py                      # the table of docs/cookbook/single-cells.md
    python benchmarks/cells.py --cells 5000 --rounds 1

Cells are drawn from types, each with a center and a shape of its own, in 12 dimensions. Each is
joined with the nearest ones, with the weights of UMAP (McInnes, Healy and Melville, 2018). Each
library gets a SciPy matrix, and returns a cluster of each cell, so that the time includes the
conversion. The first call of gascl, which builds kernels, does not count. igraph and leidenalg
iterate twice, as scanpy has igraph do; leidenalg is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from gascl import Engine, Graph
from gascl.communities import adjusted_rand
from gascl.programs import Leiden


def types_and_cells(cells: int, types: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """int64 (cells,): the type of each; and its coordinates, (cells, 12). Types differ in size, by
    up to 30 times, and some lie close together."""
    draw = np.random.default_rng(seed)
    share = draw.uniform(1, 30, types)
    kind = draw.choice(types, cells, p=share / share.sum())
    centers = draw.normal(size=(types, 12)) * 2
    centers[types // 2 :] = centers[: types - types // 2] + draw.normal(
        size=(types - types // 2, 12)
    )
    shape = draw.uniform(0.4, 1.2, (types, 12))
    return kind, centers[kind] + shape[kind] * draw.normal(size=(cells, 12))


def connectivities(points: np.ndarray, neighbors: int) -> csr_array:
    """UMAP's weights of the nearest neighbors: w = exp(-(d - nearest) / scale), where those of a
    point add up to log2(neighbors), and a + b - a b for the two of a pair."""
    count = len(points)
    distance, near = cKDTree(points).query(points, neighbors + 1, workers=-1)
    beyond = distance[:, 1:] - distance[:, 1:2]
    low, high = np.full(count, 1e-6), np.full(count, beyond.max() * 100)
    for _ in range(60):
        scale = np.sqrt(low * high)
        much = np.exp(-beyond / scale[:, None]).sum(1) > np.log2(neighbors)
        high, low = np.where(much, scale, high), np.where(much, low, scale)
    weight = np.exp(-beyond / scale[:, None])
    ends = np.repeat(np.arange(count), neighbors), near[:, 1:].ravel()
    one = coo_array((weight.ravel().astype(np.float32), ends), (count, count)).tocsr()
    return (one + one.T - one.multiply(one.T)).tocsr()


def by_gascl(matrix: csr_array) -> np.ndarray:
    graph = Graph.from_scipy(matrix, directed=False)
    return Engine(graph).run(Leiden(seed=1)).community


def igraph_of(matrix: csr_array):
    import igraph

    upper = matrix.tocoo()
    kept = upper.row < upper.col
    edges = np.stack([upper.row[kept], upper.col[kept]], axis=1)
    g = igraph.Graph(matrix.shape[0], edges)
    g.es["weight"] = upper.data[kept].astype(float)
    return g


def by_igraph(matrix: csr_array) -> np.ndarray:
    import random

    random.seed(1)
    found = igraph_of(matrix).community_leiden("modularity", weights="weight", n_iterations=2)
    return np.array(found.membership)


def by_leidenalg(matrix: csr_array) -> np.ndarray:
    import leidenalg

    found = leidenalg.find_partition(
        igraph_of(matrix),
        leidenalg.RBConfigurationVertexPartition,
        weights="weight",
        n_iterations=2,
        seed=1,
    )
    return np.array(found.membership)


def modularity(matrix: csr_array, community: np.ndarray) -> float:
    """By its formula."""
    entries = matrix.tocoo()
    whole = float(entries.data.sum(dtype=np.float64))
    inside = entries.data[community[entries.row] == community[entries.col]].sum(dtype=np.float64)
    strength = np.bincount(community, matrix.sum(axis=1, dtype=np.float64))
    return float(inside / whole - ((strength / whole) ** 2).sum())


def disconnected(matrix: csr_array, community: np.ndarray) -> int:
    """How many communities are not connected."""
    entries = matrix.tocoo()
    kept = community[entries.row] == community[entries.col]
    ends = entries.row[kept], entries.col[kept]
    parts = connected_components(coo_array((entries.data[kept], ends), matrix.shape))[0]
    return parts - len(np.unique(community))


def timed(
    function: Callable[[csr_array], np.ndarray], matrix: csr_array, rounds: int
) -> tuple[float, np.ndarray]:
    """The median time in seconds, and the last answer."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        found = function(matrix)
        times.append(time.perf_counter() - began)
    return statistics.median(times), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", type=int, nargs="*", default=[20_000, 100_000])
    parser.add_argument("--types", type=int, default=24)
    parser.add_argument("--neighbors", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    contenders = {"gascl": by_gascl, "igraph": by_igraph}
    if find_spec("leidenalg"):
        contenders["leidenalg"] = by_leidenalg
    print("| cells | edges | | seconds | clusters | modularity | ARI | disconnected |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|")
    for cells in options.cells:
        kind, points = types_and_cells(cells, options.types, seed=1)
        matrix = connectivities(points, options.neighbors)
        by_gascl(matrix)
        for name, function in contenders.items():
            seconds, found = timed(function, matrix, options.rounds)
            values = [
                f"{len(np.unique(found))}",
                f"{modularity(matrix, found):.4f}",
                f"{adjusted_rand(kind, found):.3f}",
                f"{disconnected(matrix, found)}",
            ]
            row = [f"{cells:,}", f"{matrix.nnz // 2:,}", name, f"{seconds:.3g}", *values]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
