"""Measures how long NetworkX takes to make a graph, and gascl to store the same one as arrays.

    python benchmarks/backend_loading.py --edges 1000000 --rounds 3 [--only CASE ...]

Rounds alternate between both; the figures are medians of processor time, with garbage collected
before. "Dictionaries" is the time until NetworkX's dictionaries are there as well, which somebody
needs who reads the edges in Python. That both graphs are the same is compared once.
"""

from __future__ import annotations

import argparse
import gc
import io
import statistics
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse


def cases(edges: int) -> dict[str, Callable[[str], Any]]:
    """What is measured: functions of the backend's name."""
    rng = np.random.default_rng(1)
    nodes = max(edges // 10, 2)
    pairs = rng.integers(0, nodes, (edges, 2))
    source, target = pairs.T
    weight = rng.random(edges)
    table = pd.DataFrame({"source": source, "target": target, "weight": weight})
    matrix = scipy.sparse.csr_array((weight, (source, target)), shape=(nodes, nodes))
    both_ways = matrix + matrix.T
    listed = list(map(tuple, pairs.tolist()))
    text = "".join(f"{u} {v}\n" for u, v in listed).encode()

    return {
        "from_pandas_edgelist": lambda b: nx.from_pandas_edgelist(table, backend=b),
        "from_pandas_edgelist, weights": lambda b: nx.from_pandas_edgelist(
            table, edge_attr="weight", backend=b
        ),
        "from_scipy_sparse_array": lambda b: nx.from_scipy_sparse_array(matrix, backend=b),
        "from_scipy_sparse_array, symmetric": lambda b: nx.from_scipy_sparse_array(
            both_ways, backend=b
        ),
        "from_edgelist": lambda b: nx.from_edgelist(listed, backend=b),
        "read_edgelist": lambda b: nx.read_edgelist(io.BytesIO(text), backend=b),
    }


def seconds(make: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of a call, and its result."""
    gc.collect()
    begin = time.process_time()
    made = make()
    return time.process_time() - begin, made


def main() -> None:
    """Measure and print rows of a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], metavar="CASE")
    chosen = parser.parse_args()
    nx.from_edgelist([(0, 1)], backend="gascl")  # which loads gascl
    print("| | NetworkX | stored | with dictionaries | faster |\n|---|---:|---:|---:|---:|")
    for name, make in cases(chosen.edges).items():
        if chosen.only and name not in chosen.only:
            continue
        times: list[tuple[float, float, float]] = []
        for number in range(chosen.rounds):
            own, G = seconds(lambda make=make: make("networkx"))
            stored, H = seconds(lambda make=make: make("gascl"))
            more, _ = seconds(lambda H=H: H.adj)
            if number == 0 and (G._adj != H._adj or list(G) != list(H)):
                raise SystemExit(f"{name}: the graphs differ")
            times.append((own, stored, stored + more))
            del G, H
        own, stored, both = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"| `{name}` | {own:.2f} | {stored:.3f} | {both:.2f} | {own / stored:.0f} |")


if __name__ == "__main__":
    main()
