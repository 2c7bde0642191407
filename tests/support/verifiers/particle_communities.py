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


def forces(graph: Graph, position: np.ndarray, program, rows: np.ndarray) -> np.ndarray:
    """On the vertices `rows`, by the papers' formula with the matrix A, in float64: edges by their
    weights, as multiples of the mean weight of what is left when parallel edges are added up."""
    weights = adjacency(graph)
    force = np.zeros((len(rows), 3))
    for row, i in enumerate(rows):
        difference = position[i] - position
        distance = np.sqrt((difference**2).sum(1) + program.softening**2)
        strength = program.beta * np.exp(-program.gamma * distance)
        for j, weight in weights[i].items():
            strength[j] = -program.alpha * weight
        strength[i] = 0
        total = sum(weights[i].values())
        if total:
            force[row] = (strength / distance) @ difference / total
    return force


def adjacency(graph: Graph) -> list[dict[int, float]]:
    """For each vertex, its neighbors and the weights of the edges to them."""
    weight = graph.edge_fields.get("weight")
    simple = nx.Graph()
    simple.add_nodes_from(range(graph.num_vertices))
    for i, (u, v) in enumerate(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True)):
        if u != v:
            before = simple.get_edge_data(u, v, {"weight": 0.0})["weight"]
            simple.add_edge(u, v, weight=1.0 if weight is None else before + float(weight[i]))
    total, count = simple.size(weight="weight"), max(simple.number_of_edges(), 1)
    mean = total / count or 1.0
    return [{v: d["weight"] / mean for v, d in simple.adj[u].items()} for u in simple]


def move(graph: Graph, position: np.ndarray, program, supersteps: int) -> np.ndarray:
    """Positions after some supersteps, from rest."""
    position = position.astype(np.float64)
    velocity, steady = np.zeros_like(position), np.zeros(len(position))
    moves = np.array([sum(row.values()) > 0 for row in adjacency(graph)])[:, None]
    for _ in range(supersteps):
        force = forces(graph, position, program, np.arange(graph.num_vertices))
        steady = np.where((force * velocity).sum(1) > 0, steady + 1, 0)
        velocity = force + np.minimum(steady / (steady + 3), 0.9)[:, None] * velocity
        reaches = program.step * program.gamma * np.linalg.norm(velocity, axis=1)
        velocity /= np.maximum(reaches, 1)[:, None]
        position = position + program.step * np.where(moves, velocity, 0)
    return position


def bits(graph: nx.Graph, groups: list[set]) -> float:
    """The map equation as Rosvall and Bergstrom define it: the entropy of the code for steps from
    group to group, and of each group's code, by how often they are used."""
    twice = 2 * graph.size(weight="weight")
    leaves = [
        nx.cut_size(graph, group, weight="weight") / twice if len(groups) > 1 else 0.0
        for group in groups
    ]
    total = entropy(leaves)
    for group, out in zip(groups, leaves, strict=True):
        total += entropy([out, *(graph.degree(v, weight="weight") / twice for v in group)])
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
        # The last superstep's force is of the positions before it, and in the run's own floats:
        # by then a particle with momentum has moved on.
        rows = np.arange(0, graph.num_vertices, -(-graph.num_vertices // ROWS))
        force = np.linalg.norm(forces(graph, position, program, rows), axis=1)
        worst = int(force.argmax())
        assert force[worst] < 6 * program.tolerance, (
            f"a force of {force[worst]} moves vertex {graph.label_of(rows[worst])!r}, not "
            f"{program.tolerance}"
        )
    simple = nx.Graph()
    simple.add_nodes_from(range(graph.num_vertices))
    for u, row in enumerate(adjacency(graph)):
        for v, weight in row.items():
            length = np.linalg.norm(position[u] - position[v])
            near = max(np.exp(-program.gamma / 4 * length), 1e-6)
            simple.add_edge(u, v, weight=weight * near)
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
