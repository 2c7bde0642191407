"""Labels by sorting all (vertex, label) pairs, a half of the vertices at a time."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.greedy_coloring import hashed

from gascl import Graph, Result
from gascl.programs import AlternatingLabelPropagation

#: The first superstep in which those that change tell their neighbors, and from which on only
#: vertices that were told look.
FIRST_TOLD, FIRST_ASKED = 5, 7


def verify(graph: Graph, result: Result, program: AlternatingLabelPropagation) -> None:
    """Raises AssertionError where a vertex has another label after as many supersteps."""
    src, dst = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    other = src != dst  # a self-loop is one arc, and of any other edge both ends hear
    hears = np.concatenate([dst, src[other]])
    says = np.concatenate([src, dst[other]])
    drawn = hashed(np.arange(graph.num_vertices, dtype=np.uint32))
    label = np.arange(graph.num_vertices, dtype=np.int64)
    if "label" in program.initial:
        label = np.array(program.initial["label"], np.int64)
    told = np.zeros(graph.num_vertices, bool)
    for step in range(result.supersteps):
        turn = (drawn + np.uint32(step)) % 2 == 0
        looks = turn & told if step >= FIRST_ASKED else turn
        odd = hashed(drawn + np.uint32(step)) | np.uint32(1)
        arcs = looks[hears]
        new = chosen(hears[arcs], label[says[arcs]], label, odd)
        told &= ~turn
        if step >= FIRST_TOLD:
            told[hears[(new != label)[says]]] = True
        label = new
    agree(graph, "label", result.label, label)


def chosen(hears: np.ndarray, heard: np.ndarray, label: np.ndarray, odd: np.ndarray) -> np.ndarray:
    """(V,): of what each vertex hears the most frequent label, of those the one with the least
    multiple by the vertex's odd number; else its own."""
    if not len(hears):
        return label
    span = int(label.max()) + 1
    pairs, counts = np.unique(hears * span + heard, return_counts=True)
    vertex, heard = pairs // span, pairs % span
    multiple = ((heard + 1) * odd[vertex].astype(np.int64)) % 2**32
    order = np.lexsort((multiple, -counts, vertex))
    first = order[np.unique(vertex[order], return_index=True)[1]]
    new = label.copy()
    new[vertex[first]] = heard[first]
    return new
