"""Graphs by name: some ship with gascl, others are downloaded once and cached.

`REGISTRY` lists them; to add one, add a line to catalog.csv.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gascl.datasets.cache import fetch
from gascl.datasets.catalog import REGISTRY, find
from gascl.datasets.dataset import Dataset

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

__all__ = ["REGISTRY", "Dataset", "fetch", "find", "load"]


def load(kind: type[Graph], name: str, options: dict[str, Any]) -> Graph:
    """The dataset as a graph, downloaded if necessary.

    Args:
        kind: Graph, whose `read` reads it.
        options: options of `read`, which override the dataset's own.

    Raises:
        GraphError: there is no such dataset; suggests the nearest name.
        FormatError: it cannot be downloaded, or is not the expected file.
    """
    dataset = find(name)
    path = fetch(dataset)
    show = options.pop("report", False)
    graph = kind.read(path, **{**dataset.read, **options})
    graph.report.insert(0, _origin(dataset, graph))
    if show:
        print("\n".join([repr(graph), *graph.report]))
    return graph


def _origin(dataset: Dataset, graph: Graph) -> str:
    published = f"{dataset.vertices:,} vertices and {dataset.edges:,} edges"
    same = (dataset.vertices, dataset.edges) == (graph.num_vertices, graph.num_edges)
    here = "" if same else f"; here {graph.num_vertices:,} and {graph.num_edges:,}"
    return f"dataset {dataset.name} of {dataset.collection}, published with {published}{here}"
