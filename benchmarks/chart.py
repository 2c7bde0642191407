"""Draws docs/speed.png from benchmarks/results/cpu.csv: `python benchmarks/chart.py`.

A dot is how many times as long as gascl another library takes, by the median of the rounds.
"""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TOP = Path(__file__).parents[1]
GRAPHS = {"kron": "with hubs (kron)", "uniform": "random (uniform)", "grid": "long paths (grid)"}
ALGORITHMS = {
    "BFS": "breadth-first search",
    "SSSP": "shortest paths",
    "components": "components",
    "triangles": "triangles",
    "PageRank": "PageRank",
}
CONTENDERS = ("GAP", "GraphBLAS", "SciPy", "NetworKit", "igraph")


def main() -> None:
    with (TOP / "benchmarks" / "results" / "cpu.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["ratio"]]
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), sharey=True, layout="constrained")
    for ax, (graph, title) in zip(axes, GRAPHS.items(), strict=True):
        for number, contender in enumerate(CONTENDERS):
            places, ratios = [], []
            for place, algorithm in enumerate(ALGORITHMS):
                for row in rows:
                    same = row["algorithm"] == algorithm and row["graph"] == graph
                    if same and row["contender"].split(",")[0] == contender:
                        places.append(place + (number - 2) * 0.12)
                        ratios.append(float(row["ratio"]))
            ax.scatter(ratios, places, s=28, color=f"C{number}", label=contender)
        ax.axvline(1, color="black", linewidth=0.8)
        ax.set(xscale="log", xlim=(0.07, 110), title=title)
        ax.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        ax.grid(axis="x", alpha=0.3)
    axes[0].set_yticks(range(len(ALGORITHMS)), ALGORITHMS.values())
    axes[0].invert_yaxis()
    axes[1].set_xlabel("time / gascl's: right of 1, gascl is faster")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    figure.savefig(TOP / "docs" / "speed.png", dpi=110)


if __name__ == "__main__":
    main()
