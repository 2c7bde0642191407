"""Labels by sorting all (vertex, label) pairs, a round at a time."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import LabelPropagation


def verify(graph: Graph, result: Result, program: LabelPropagation) -> None:
    """Raises AssertionError where a vertex has another label after as many rounds."""
    src, dst = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    other = src != dst  # a self-loop is one arc, and of any other edge both ends hear
    hears = np.concatenate([dst, src[other]])
    says = np.concatenate([src, dst[other]])
    label = np.arange(graph.num_vertices, dtype=np.int64)
    if "label" in program.initial:
        label = np.array(program.initial["label"], np.int64)
    for _ in range(result.supersteps):
        label = most_frequent(hears, label[says], label)
    agree(graph, "label", result.label, label)


def most_frequent(hears: np.ndarray, heard: np.ndarray, label: np.ndarray) -> np.ndarray:
    """(V,): of what each vertex hears the most frequent label, of those the least; else its own."""
    if not len(hears):
        return label
    span = int(label.max()) + 1
    pairs, counts = np.unique(hears * span + heard, return_counts=True)
    vertex, heard = pairs // span, pairs % span
    order = np.lexsort((heard, -counts, vertex))
    first = order[np.unique(vertex[order], return_index=True)[1]]
    new = label.copy()
    new[vertex[first]] = heard[first]
    return new
