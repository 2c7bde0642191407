"""The particle model with its N x N matrix, in NumPy, and the clusters by NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np

from gascl import Graph, Result
from gascl.programs import ParticleCommunities

#: Clusters are compared cut by cut up to here: NetworkX takes its time.
MOST_VERTICES = 1000
#: The speed is that of every so many-th vertex, so that the matrix has about this many rows.
ROWS = 500


def velocities(graph: Graph, position: np.ndarray, program, rows: np.ndarray) -> np.ndarray:
    """Of the vertices `rows`, by the papers' formula with the matrix A, in float64."""
    place = np.full(graph.num_vertices, -1)
    place[rows] = np.arange(len(rows))
    adjacent = np.zeros((len(rows), graph.num_vertices), bool)
    for u, v in ((graph.edge_src, graph.edge_dst), (graph.edge_dst, graph.edge_src)):
        wanted = (place[u] >= 0) & (u != v)
        adjacent[place[u[wanted]], v[wanted]] = True
    velocity = np.zeros((len(rows), 3))
    for row, i in enumerate(rows):
        difference = position[i] - position
        distance = np.sqrt((difference**2).sum(1) + program.softening**2)
        repulsion = program.beta * np.exp(-program.gamma * distance)
        strength = np.where(adjacent[row], -program.alpha, repulsion)
        strength[i] = 0
        degree = np.count_nonzero(adjacent[row])
        if degree:
            velocity[row] = (strength / distance) @ difference / degree
    return velocity


def move(graph: Graph, position: np.ndarray, program, supersteps: int) -> np.ndarray:
    """Positions after some supersteps."""
    position = position.astype(np.float64)
    for _ in range(supersteps):
        velocity = velocities(graph, position, program, np.arange(graph.num_vertices))
        reaches = program.step * program.gamma * np.linalg.norm(velocity, axis=1)
        position = position + program.step * velocity / np.maximum(reaches, 1)[:, None]
    return position


def cut(simple: nx.Graph, longest: float, smallest: int = 3) -> list[set]:
    """What edges no longer than that join; small ones join others, by their shortest edges."""
    joined = nx.Graph()
    joined.add_nodes_from(simple)
    joined.add_edges_from((u, v) for u, v, d in simple.edges(data="length") if d <= longest)
    while True:
        found = list(nx.connected_components(joined))
        ways = []
        for small in (c for c in found if len(c) < smallest):
            out = nx.edge_boundary(simple, small, data="length")
            ways += sorted(out, key=lambda edge: edge[2])[:1]
        if not ways:
            return found
        joined.add_edges_from((u, v) for u, v, _ in ways)


def verify(graph: Graph, result: Result, program: ParticleCommunities) -> None:
    """Raises AssertionError where particles are not at rest, or communities are not the best cut.

    Rest is asked for where it was the program's rule: without `supersteps`.
    """
    position = result.position.astype(np.float64)
    if program.supersteps is None and graph.num_vertices:
        # The last superstep's speed is of the positions before it, and in the run's own floats.
        rows = np.arange(0, graph.num_vertices, -(-graph.num_vertices // ROWS))
        speed = np.linalg.norm(velocities(graph, position, program, rows), axis=1)
        worst = int(speed.argmax())
        assert speed[worst] < 2 * program.tolerance, (
            f"vertex {graph.label_of(rows[worst])!r} has speed {speed[worst]}, not "
            f"{program.tolerance}"
        )
    simple = nx.Graph()
    simple.add_nodes_from(range(graph.num_vertices))
    simple.add_edges_from(
        (u, v, {"length": np.linalg.norm(position[u] - position[v])})
        for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True)
        if u != v
    )
    number = result.community.tolist()
    order = list(dict.fromkeys(number))
    assert order == list(range(len(order))), f"communities are numbered {order[:9]} ..."
    found = [{v for v, c in enumerate(number) if c == which} for which in order]
    if graph.num_vertices > MOST_VERTICES:
        return
    forest = nx.minimum_spanning_edges(simple, weight="length")
    longest = max((data["length"] for *_, data in forest), default=None)
    if longest is None:
        assert len(found) == graph.num_vertices, "there are communities without an edge"
        return
    cuts = [cut(simple, longest * 1.0000001)]
    cuts += [cut(simple, x) for x in longest * np.geomspace(1, 0.01, 64)[1:]]
    best = max(nx.community.modularity(simple, c) for c in cuts)
    modularity = nx.community.modularity(simple, found)
    assert modularity > best - 1e-6, f"modularity is {modularity}, and of another cut {best}"
    assert any(set(map(frozenset, found)) == set(map(frozenset, c)) for c in cuts), (
        "no cut gives these communities"
    )
