"""Scale-free graphs: Barabási, Albert, "Emergence of Scaling in Random Networks" (1999)."""

from __future__ import annotations

from array import array

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import (
    Weights,
    check_room,
    graph_of,
    seeded,
    vertices,
    weighted,
    whole_number,
)
from gascl.generators.random_words import EDGES, REDRAWS, Draws, RandomWords
from gascl.graph.arcs import INT32_MAX
from gascl.graph.graph import Graph
from gascl.util.progress import Progress, showing

ROWS = 1 << 14  # vertices joined between two reports of progress


def barabasi_albert(
    num_vertices: int,
    edges_per_vertex: int,
    *,
    seed: int = 0,
    weights: Weights = None,
    progress: bool | Progress = False,
) -> Graph:
    """An undirected graph that grows: each new vertex is joined to `edges_per_vertex` different
    ones, each chosen with a probability proportional to its degree.

    It starts as a star of `edges_per_vertex` + 1 vertices, as in NetworkX.

    Args:
        num_vertices: more than `edges_per_vertex`.
        edges_per_vertex: 1 or more.
        seed: the same seed gives the same graph.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.
        progress: show on stderr, or as a bar in a notebook, how many vertices have been joined.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices, 2)
    degree = whole_number("edges_per_vertex", edges_per_vertex, 1, count - 1)
    seed, span = seeded(seed), weighted(weights)
    num_edges = degree * (count - degree)
    if num_edges > INT32_MAX:
        raise GraphError(
            f"the graph would have {num_edges:,} edges; it can have {INT32_MAX:,}: ask for fewer "
            "vertices or edges_per_vertex"
        )
    check_room(num_edges, count, 24)
    heads = array("i", range(1, degree + 1))  # heads[e] is the head of edge e; its tail is tails[e]
    tails = array("i", [0] * degree)
    words, redraws = RandomWords(seed, EDGES), Draws(seed, REDRAWS)
    with showing(progress) as shown:
        if shown:
            shown.begin("barabasi_albert", count, "vertices")
        # A vertex's degree is the number of edge ends it has, so drawing an end draws by degree.
        for start in range(degree + 1, count, ROWS):
            new = np.arange(start, min(start + ROWS, count), dtype=np.int64)
            before = np.repeat(degree * (new - degree), degree)  # edges
            ends = words.below(2 * before, len(before)).reshape(-1, degree)
            for vertex, row, earlier in zip(
                new.tolist(), ends.tolist(), before[::degree].tolist(), strict=True
            ):
                chosen = [heads[end >> 1] if end & 1 else tails[end >> 1] for end in row]
                if degree > 1 and len(set(chosen)) < degree:
                    chosen = list(dict.fromkeys(chosen))
                    while len(chosen) < degree:
                        end = redraws.below(2 * earlier)
                        other = heads[end >> 1] if end & 1 else tails[end >> 1]
                        if other not in chosen:
                            chosen.append(other)
                heads.extend(chosen)
                tails.extend([vertex] * degree)
            if shown:
                shown.at(int(new[-1]) + 1)
    src, dst = (np.array(ends, dtype=np.int32) for ends in (tails, heads))
    description = f"barabasi_albert, num_vertices={count}, edges_per_vertex={degree}"
    return graph_of(description, src, dst, count, seed=seed, weights=span)
