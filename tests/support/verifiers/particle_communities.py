"""The particle model with its N x N matrix, in NumPy, and the communities by NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np

from gascl import Graph, Result
from gascl.programs import ParticleCommunities

#: Communities are compared up to here: NetworkX takes its time.
MOST_VERTICES = 1000
#: How far below Louvain's the modularity may be, at the resolution where it is nearest.
NEAR = 0.01
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


def bits(graph: nx.Graph, groups: list[set]) -> float:
    """The map equation as Rosvall and Bergstrom define it: the entropy of the code for steps from
    group to group, and of each group's code, by how often they are used."""
    twice = 2 * graph.number_of_edges()
    leaves = [nx.cut_size(graph, group) / twice if len(groups) > 1 else 0.0 for group in groups]
    total = entropy(leaves)
    for group, out in zip(groups, leaves, strict=True):
        total += entropy([out, *(graph.degree(v) / twice for v in group)])
    return total


def entropy(uses: list[float]) -> float:
    """Of a code with words that are used so often, times how often it is used."""
    whole = sum(uses)
    return -sum(use * np.log2(use / whole) for use in uses if use > 0)


def verify(graph: Graph, result: Result, program: ParticleCommunities) -> None:
    """Raises AssertionError where particles are not at rest, or communities not those of a graph
    with shorter edges weighing more.

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
    for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        if u != v:
            length = np.linalg.norm(position[u] - position[v])
            simple.add_edge(u, v, weight=max(np.exp(-program.gamma / 4 * length), 1e-6))
    number = result.community.tolist()
    order = list(dict.fromkeys(number))
    assert order == list(range(len(order))), f"communities are numbered {order[:9]} ..."
    found = [{v for v, c in enumerate(number) if c == which} for which in order]
    if graph.num_vertices > MOST_VERTICES:
        return
    if not simple.number_of_edges():
        assert len(found) == graph.num_vertices, "there are communities without an edge"
        return
    assert all(nx.is_connected(simple.subgraph(group)) for group in found), "not connected"
    away = []
    for resolution in (0.5, 1, 2, 4, 8):
        options = {"weight": "weight", "resolution": resolution}
        best = nx.community.louvain_communities(simple, seed=1, **options)
        away.append(
            nx.community.modularity(simple, best, **options)
            - nx.community.modularity(simple, found, **options)
        )
        if away[-1] < NEAR:
            return
    raise AssertionError(f"modularity is below NetworkX's Louvain at all resolutions, by {away}")
