"""Draws the pictures of docs/pictures.md: the datasets that come with gascl in eight styles, each
beside igraph's and NetworkX's picture of the same, and layouts beside those of others.

    pip install -e '.[test]' && apt install graphviz
    python docs/picture_sheet.py [sheet] [layouts]

It takes some minutes, most of them in the layouts of NetworkX and igraph.
"""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import igraph
import matplotlib
import networkx as nx
import numpy as np
from matplotlib import pyplot
from matplotlib.colors import to_hex
from PIL import Image
from scipy.spatial import cKDTree

import gascl
from gascl import Engine, Graph, generators
from gascl.drawing.colors import Colors, colors_for
from gascl.programs import BreadthFirst, ForceLayout, Louvain, PageRank, ShortestPaths

HERE = Path(__file__).parent
#: Colors of a file: few make it small.
SHADES = 48


def main() -> None:
    matplotlib.use("Agg")
    wanted = sys.argv[1:] or ["sheet", "layouts"]
    if "sheet" in wanted:
        save(sheet(), HERE / "picture-sheet.png")
    if "layouts" in wanted:
        save(layouts(), HERE / "layouts.png")


def save(figure: Any, path: Path) -> None:
    """Write a figure as a PNG with few colors."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=100)
    image = Image.open(data).convert("RGB").quantize(SHADES, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")


# Eight styles ------------------------------------------------------------------------------------


def styles() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """A title, what is drawn, and the arguments of `gascl.draw`."""
    karate = Graph.dataset("karate")
    ranks = Engine(karate).run(PageRank())
    yield "karate: numbers and sizes", ranks, {"color": "rank", "size": "rank"}
    groups = Engine(karate).run(Louvain())
    same = groups.community[karate.edge_src] == groups.community[karate.edge_dst]
    between = np.where(same, "within", "between")
    looks = {"color": "community", "edge_color": between, "labels": False}
    yield "karate: categories, of edges, too", groups, looks
    search = Engine(karate).run(BreadthFirst(source="0"))
    yield "karate: what a program counts", search, {"color": "depth", "labels": False}

    roads = Graph.dataset("liechtenstein-roads").simple(undirected=True)
    place = {}
    with gzip.open(HERE.parent / "datasets/liechtenstein-places.txt.gz", "rt") as file:
        for label, north, east in csv.reader(filter(lambda x: x[0] != "#", file), delimiter="\t"):
            place[label] = float(east) * np.cos(np.radians(47.1)), float(north)
    at = np.array([place[label] for label in roads.labels.tolist()])
    far = Engine(roads).run(ShortestPaths(source=roads.label_of(int(at[:, 1].argmax()))))
    looks = {"color": "distance", "position": at}
    yield "roads: given positions, © OpenStreetMap contributors", far, looks
    yield "roads: edges' numbers", roads, {"edge_color": "weight", "color": "0.4"}

    verbs = Graph.dataset("wordnet-verbs")
    yield "wordnet-verbs: labels", verbs.ego("swim", 2), {"labels": True}
    found = Engine(verbs).run(Louvain())
    yield "wordnet-verbs: 23,020 edges", found, {"color": "community"}
    debian = Graph.dataset("debian-dependencies")
    yield "debian: 247,686 edges", Engine(debian).run(PageRank()), {"color": "rank"}


def sheet() -> Any:
    figure, axes = pyplot.subplots(4, 6, figsize=(15, 10), layout="constrained")
    for cell, (title, what, looks) in enumerate(styles()):
        row = axes[cell // 2, 3 * (cell % 2) :]
        row[0].set_title(title, fontsize="small", loc="left", fontweight="bold")
        began = time.process_time()
        gascl.draw(what, ax=row[0], **looks)
        print(f"{title}, gascl: {time.process_time() - began:.1f} s", flush=True)
        for ax, (name, (slow, draw)) in zip(row[1:], OTHERS.items(), strict=False):
            ax.set_axis_off()
            ax.set_title(name, fontsize="small")
            began = time.process_time()
            graph = what if isinstance(what, Graph) else what.graph
            if graph.num_vertices > slow:
                ax.text(0.5, 0.5, "its layout takes\nmany minutes", ha="center", va="center")
            else:
                draw(graph, what, looks, ax)
            print(f"{title}, {name}: {time.process_time() - began:.1f} s", flush=True)
    return figure


def shades(graph: Graph, what: Any, looks: dict[str, Any]) -> list[str]:
    """The colors of the vertices, as one would map them by hand."""
    color = looks.get("color", "C0")
    values = None if isinstance(what, Graph) or color not in what.fields else what[color]
    colors = Colors("one", {"color": color}) if values is None else colors_for(values)
    return [to_hex(shade) for shade in colors.rgba(graph.num_vertices)]


def with_igraph(graph: Graph, what: Any, looks: dict[str, Any], ax: Any) -> None:
    drawn = graph.to_igraph()
    layout = looks["position"].tolist() if "position" in looks else "auto"
    style = {"vertex_color": shades(graph, what, looks), "layout": layout}
    if looks.get("labels") or (graph.num_vertices <= 60 and "labels" not in looks):
        style["vertex_label"] = [str(v) for v in graph.labels_of(range(graph.num_vertices))]
    if graph.num_vertices > 100:
        style |= {
            "vertex_size": 3,
            "edge_width": 0.3,
            "vertex_frame_width": 0,
            "edge_arrow_size": 0,
        }
    igraph.plot(drawn, target=ax, **style)


def with_networkx(graph: Graph, what: Any, looks: dict[str, Any], ax: Any) -> None:
    drawn = nx.Graph(graph.to_networkx())
    names = graph.labels_of(np.arange(graph.num_vertices)).tolist()
    given = looks.get("position")
    at = nx.spring_layout(drawn, seed=1) if given is None else dict(zip(names, given, strict=True))
    named = looks.get("labels") or (graph.num_vertices <= 60 and "labels" not in looks)
    style = {"pos": at, "ax": ax, "node_color": shades(graph, what, looks), "nodelist": names}
    if graph.num_vertices > 100:
        style |= {"node_size": 3, "width": 0.3}
    nx.draw(drawn, with_labels=bool(named), font_size=7, **style)


#: The numbers of vertices from which their layouts take many minutes, and what draws.
OTHERS = {"igraph": (20_000, with_igraph), "NetworkX": (5000, with_networkx)}


# Layouts -----------------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, Graph]]:
    yield "karate", Graph.dataset("karate")
    yield "Les Misérables", Graph.from_networkx(nx.les_miserables_graph())
    yield "30 communities", generators.stochastic_block_model([12] * 30, (0.5, 0.004))
    yield "binary tree", Graph.from_networkx(nx.balanced_tree(2, 8))
    yield "grid of 30 x 30", generators.grid(30, 30)
    yield "roads", Graph.dataset("liechtenstein-roads").simple(undirected=True)


def ours(graph: Graph) -> np.ndarray:
    return Engine(graph).run(ForceLayout()).position


def sfdp(graph: Graph) -> np.ndarray:
    edges = ";".join(f"{u}--{v}" for u, v in ends_of(graph))
    text = f"graph {{{';'.join(map(str, range(graph.num_vertices)))};{edges}}}"
    done = subprocess.run(["sfdp", "-Tplain"], input=text, capture_output=True, text=True)
    at = np.zeros((graph.num_vertices, 2))
    for line in done.stdout.splitlines():
        kind, *rest = line.split()
        if kind == "node":
            at[int(rest[0])] = float(rest[1]), float(rest[2])
    return at


def fruchterman_reingold(graph: Graph) -> np.ndarray:
    return np.array(igraph.Graph(graph.num_vertices, ends_of(graph)).layout("fr").coords)


def force_atlas(graph: Graph) -> np.ndarray:
    drawn = nx.empty_graph(graph.num_vertices)
    drawn.add_edges_from(ends_of(graph))
    at = nx.forceatlas2_layout(drawn, max_iter=200, seed=1)
    return np.array([at[vertex] for vertex in range(graph.num_vertices)])


def ends_of(graph: Graph) -> list[tuple[int, int]]:
    return list(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))


LAYOUTS: dict[str, Callable[[Graph], np.ndarray]] = {
    "gascl": ours,
    "graphviz's sfdp": sfdp,
    "igraph's fr": fruchterman_reingold,
    "ForceAtlas2 (NetworkX)": force_atlas,
}


def quality(graph: Graph, at: np.ndarray) -> tuple[float, float]:
    """The normalized stress: how far distances in the plane are from those in the graph, weighted
    by the inverse square of these; and the share of neighbors in the graph that are among as many
    nearest ones in the plane, by Jaccard's index. Both of up to 200 vertices."""
    drawn = nx.empty_graph(graph.num_vertices)
    drawn.add_edges_from(ends_of(graph))
    some = np.random.default_rng(0).permutation(graph.num_vertices)[:200]
    tree, far, near, shares = cKDTree(at), [], [], []
    for vertex in some.tolist():
        depth = nx.single_source_shortest_path_length(drawn, vertex)
        others = [other for other in depth if other != vertex]
        far += [depth[other] for other in others]
        near += np.hypot(*(at[others] - at[vertex]).T).tolist()
        neighbors = set(drawn[vertex]) - {vertex}
        if neighbors:
            found = set(tree.query(at[vertex], len(neighbors) + 1)[1].tolist()) - {vertex}
            shares.append(len(found & neighbors) / len(found | neighbors))
    d, x = np.array(far, float), np.array(near)
    unit = (x / d).sum() / (x**2 / d**2).sum()
    return float(((unit * x - d) ** 2 / d**2).mean()), float(np.mean(shares))


def layouts() -> Any:
    columns = list(examples())
    size = (2.1 * len(columns), 2.2 * len(LAYOUTS))
    figure, axes = pyplot.subplots(len(LAYOUTS), len(columns), figsize=size, layout="constrained")
    for column, (title, graph) in enumerate(columns):
        for row, (name, layout) in enumerate(LAYOUTS.items()):
            at = layout(graph)
            stress, kept = quality(graph, at)
            print(f"{title}, {name}: stress {stress:.3f}, neighbors {kept:.2f}", flush=True)
            ax = axes[row, column]
            gascl.draw(graph, position=at, labels=False, ax=ax)
            ax.set_title(
                f"{title}\n" * (row == 0) + f"{stress:.3f}, {kept:.2f}", fontsize="x-small"
            )
        axes[0, column].figure.canvas.draw_idle()
    for row, name in enumerate(LAYOUTS):
        axes[row, 0].text(-0.05, 0.5, name, transform=axes[row, 0].transAxes, rotation=90,
                          ha="right", va="center", fontsize="small")  # fmt: skip
    return figure


if __name__ == "__main__":
    main()
