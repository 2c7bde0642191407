"""order = "any": messages may be applied in any order, one by one, and several times."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, vertex


class LeastLabel(VertexProgram):
    """The smallest vertex from which each vertex can be reached."""

    label = vertex.vertex(init="v.id")

    message, combine = "vertex", "min"
    order = "any"
    restart = "added"
    scatter = "send(v.label);"
    apply = """
        if (msg < v.label) {
            v.label = msg;
            set_mask();
        }
    """


def random_graph(seed: int, vertices: int, arcs: int) -> Graph:
    ends = np.random.default_rng(seed).integers(0, vertices, (2, arcs))
    return Graph.from_edges(*ends, num_vertices=vertices)


def least_labels(graph: Graph) -> list[int]:
    """By depth-first search from each vertex, the smallest first."""
    targets = [[] for _ in range(graph.num_vertices)]
    for a, b in zip(graph.src.tolist(), graph.dst.tolist(), strict=True):
        targets[a].append(b)
    found = [-1] * graph.num_vertices
    for root in range(graph.num_vertices):
        waiting = [root]
        while waiting:
            at = waiting.pop()
            if found[at] < 0:
                found[at] = root
                waiting += targets[at]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_least_label(device, seed):
    graph = random_graph(seed, 60, 90)
    assert Engine(graph, device).run(LeastLabel()).label.tolist() == least_labels(graph)
