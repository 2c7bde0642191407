"""Graphs of NetworkX's four kinds, and calls of the functions that the backend has."""

import inspect
import math
import random

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from gascl.nx.backend import FUNCTIONS  # having registered all

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]

WEIGHTS = {
    "whole": lambda draw: draw.randint(1, 3),
    "real": lambda draw: draw.random(),
    "zeros": lambda draw: draw.choice([0.0, 0.5, 1.0]),
    "missing": lambda draw: draw.choice([None, 2]),
}


def made(kind, count, edges, weight, seed, loops=True):
    """A random graph with mixed nodes in random order, and attributes of nodes; `weight(draw)` is
    a weight, or None."""
    draw = random.Random(seed)
    nodes = [*range(count - 4), "a", ("b", 2), frozenset(), 0.5]
    draw.shuffle(nodes)
    G = kind()
    G.add_nodes_from((node, {"size": draw.randint(0, 9)}) for node in nodes)
    for node in draw.sample(nodes, count // 2):
        G.nodes[node]["group"] = draw.choice("xyz")
    for _ in range(edges):  # of which simple graphs keep one of each
        u, v = draw.choice(nodes), draw.choice(nodes)
        drawn = weight(draw)
        if loops or u != v:
            G.add_edge(u, v, **({} if drawn is None else {"weight": drawn}))
    return G


def below(kind, count, edges, seed, acyclic):
    """Lengths of which some are negative; without a cycle, or without one of negative length (but
    an undirected edge is a cycle of two)."""
    draw = random.Random(seed)
    nodes = draw.sample(range(count), count)
    G = kind()
    G.add_nodes_from(nodes)
    height = {node: draw.uniform(0, 9) for node in nodes}
    for _ in range(edges):
        at, to = draw.randrange(count), draw.randrange(count)
        if at == to:
            continue
        if acyclic:
            u, v = nodes[min(at, to)], nodes[max(at, to)]
            G.add_edge(u, v, weight=draw.randint(-3, 9))
        else:
            u, v = nodes[at], nodes[to]
            G.add_edge(u, v, weight=draw.uniform(0.1, 9) + height[u] - height[v])
    return G


def ring(kind, count):
    """Connected, strongly where it is directed, and wide."""
    G = nx.cycle_graph(count, kind)
    G.add_edges_from((node, (node + 17) % count) for node in range(0, count, 3))
    return G


def small(kind):
    """Graphs of up to 30 nodes, by name. A kind has other weights than the next one."""
    turn = KINDS.index(kind)
    weights = [*WEIGHTS.values()][turn:] + [*WEIGHTS.values()][:turn]
    return {
        "null": kind(),
        "one": nx.empty_graph(1, kind),
        "loop": kind([(0, 0)]),
        "path": nx.path_graph(7, kind),
        "cycle": nx.cycle_graph(8, kind),
        "sparse": made(kind, 30, 24, weights[0], 1),
        "dense": made(kind, 30, 120, weights[1], 2, loops=False),
        "acyclic": below(kind, 20, 50, 4, acyclic=True),
        "uphill": below(kind, 20, 50, 5, acyclic=False),
    }


def large(kind, count):
    """Graphs of `count` nodes, by name."""
    turn = KINDS.index(kind)
    weights = [*WEIGHTS.values()][turn:] + [*WEIGHTS.values()][:turn]
    return {
        "large": made(kind, count, 2 * count, weights[2], 3, loops=turn % 2 == 0),
        "ring": ring(kind, count),
        "acyclic": below(kind, count, 2 * count, 4, acyclic=True),
        "uphill": below(kind, count, 2 * count, 5, acyclic=False),
    }


#: NetworkX's time, or its answer, grows with the square of the number of nodes.
QUADRATIC = {
    *(name for name in FUNCTIONS if "betweenness" in name),
    *("closeness_centrality", "harmonic_centrality", "average_shortest_path_length"),
    *("wiener_index", "global_efficiency", "harmonic_diameter", "global_reaching_centrality"),
    *("eccentricity", "diameter", "radius", "periphery", "center", "barycenter"),
    *("hyper_wiener_index", "schultz_index", "gutman_index", "google_matrix"),
    *("modularity_matrix", "directed_modularity_matrix", "voterank"),
    *(name for name in FUNCTIONS if name.startswith("floyd_warshall")),
    *("to_numpy_array", "hits", "all_pairs_shortest_path_length"),
    *("degree_assortativity_coefficient", "common_neighbor_centrality", "laplacian_centrality"),
    *("bipartite_closeness_centrality", "complement", "effective_size"),
}
#: The same, and from one source after the other here, too.
ONE_BY_ONE = {"johnson", *(name for name in FUNCTIONS if name.startswith("all_pairs"))} - QUADRATIC

#: Negative weights, or the lack of cycles, are of interest there.
SIGNED = {
    *(name for name in FUNCTIONS if "bellman" in name or "spanning" in name),
    *("goldberg_radzik", "negative_edge_cycle", "topological_sort", "topological_generations"),
    *("has_cycle", "is_directed_acyclic_graph", "dag_longest_path_length"),
    "lowest_common_ancestor",
}

#: Measures of sets of nodes.
SETS = {
    *("cut_size", "volume", "normalized_cut_size", "conductance", "edge_expansion"),
    *("mixing_expansion", "node_expansion", "boundary_expansion", "is_dominating_set"),
    *("group_degree_centrality", "group_in_degree_centrality", "group_out_degree_centrality"),
    "group_closeness_centrality",
}
#: Paths between two nodes.
PAIRED = {
    *("dijkstra_path", "dijkstra_path_length", "bellman_ford_path", "bellman_ford_path_length"),
}

#: Scores of pairs of nodes.
SCORES = {
    *("jaccard_coefficient", "resource_allocation_index", "preferential_attachment"),
    *("adamic_adar_index", "common_neighbor_centrality"),
}


def some(G, count=2, seed=3):
    """Some nodes, the first one among them."""
    nodes = list(G)
    return nodes[:1] + random.Random(seed).sample(nodes, min(count, len(nodes)))


def calls(name, G):
    """Arguments and keywords after the graph, the most usual first."""
    nodes = some(G)
    # NetworkX's, which may lack what newer versions have
    parameters = inspect.signature(_registered_algorithms[name].orig_func).parameters
    if name in SCORES:
        pairs = [(u, v) for u in some(G, 9) for v in some(G, 9, seed=5) if u != v]
        found = [((pairs,), {}), (([(0, "missing")],), {}), (([(nodes[:1] * 2)],), {})]
        if name == "common_neighbor_centrality":
            found.append(((pairs,), {"alpha": 1}))
        return [*found, ((), {})]
    if name == "descendants_at_distance":
        return [((node, k), {}) for node in nodes for k in (0, 1, 2, 99)] + [(("missing", 1), {})]
    if name == "voronoi_cells" or name.startswith("multi_source"):
        return [((set(nodes),), {}), ((set(),), {}), (({"missing"},), {})]
    if name == "condensation":
        components = list(nx.strongly_connected_components(G)) if G.is_directed() else []
        return [((), {}), ((components[::-1],), {}), ((components[1:],), {})]
    if name == "quotient_graph":
        groups = [set(list(G)[start::5]) for start in range(min(5, len(G)))]
        by_name = {str(place): group for place, group in enumerate(groups[::-1])}
        found = [((groups,), {}), ((by_name,), {"relabel": True}), ((groups,), {"weight": None})]
        return [*found, ((groups[1:],), {}), (([*groups, set(nodes)],), {})]
    if name in ("modularity", "partition_quality"):
        groups = [set(list(G)[start::5]) for start in range(5)]
        wrong = [groups[1:], [*groups, {"missing"}], [*groups, set(nodes)], []]
        found = [((partition,), {}) for partition in [groups, tuple(groups[::-1]), *wrong]]
        others = [{"weight": None}, {"resolution": 0.5}] if name == "modularity" else []
        return found + [((groups,), keywords) for keywords in others]
    if name == "lowest_common_ancestor":
        ends = [*nodes, *some(G, 3, seed=9)]
        pairs = [((u, v), {}) for u in ends for v in ends]
        return [*pairs, ((nodes[0] if nodes else 0, "missing"), {}), ((*ends[:1] * 2, "none"), {})]
    if name == "relabel_nodes":
        texts = {node: f"node {place}" for place, node in enumerate(G)}
        first = dict([*texts.items()][:3])
        merged, swapped = dict.fromkeys(G, 0), {0: 1, 1: 0}
        found = [((each,), {}) for each in (texts, first, swapped, merged, {0: None}, {0: []})]
        return [*found, ((repr,), {}), ((texts,), {"copy": False})]
    if name == "bipartite_closeness_centrality":
        side = list(G)[::2]
        found = [((side,), {}), ((set(side),), {"normalized": False})]
        return [*found, (([],), {}), (([*side, "missing"],), {})]
    if name in SETS:
        first, second = set(some(G, 5)), list(G)[::3]
        found = [((first,), {}), ((list(first), second), {}), (([*first, "missing"],), {})]
        found = found if len(parameters) > 2 and "T" in parameters else found[::2]
        weighted = [((first,), {"weight": "weight"})] if "weight" in parameters else []
        both = (
            [((first, second), {"weight": "weight"})] if {"T", "weight"} <= set(parameters) else []
        )
        return [*found, *weighted, *both, ((set(),), {}), ((nodes[0] if nodes else 0,), {})]
    if name in ("node_boundary", "edge_boundary"):
        first, second = set(some(G, 5)), [*list(G)[::3], "missing"]
        return [((each,), {}) for each in (first, [*first, "missing"], set())] + [
            ((first, second), {})
        ]
    if name == "biadjacency_matrix":
        rows, columns = list(G)[::2], list(G)[1::2][::-1]
        return [
            ((rows,), {"column_order": columns}),
            ((rows, columns), {"weight": None, "dtype": float}),
            ((rows, columns), {"format": "nothing"}),
            (([],), {}),
            ((rows * 2,), {}),
            ((rows, columns * 2), {}),
        ]
    if name in PAIRED:
        ends = [(u, v) for u in [*nodes, "missing"] for v in [*some(G, 4, seed=8), "missing"]]
        return [*((pair, {}) for pair in ends), *((pair, {"weight": None}) for pair in ends)]
    if name == "attribute_assortativity_coefficient":
        return [(("group",), {}), (("missing",), {})]
    if name == "numeric_assortativity_coefficient":
        return [(("size",), {}), (("group",), {}), (("missing",), {})]
    if name in ("k_truss", "k_corona", "is_k_regular"):
        return [((k,), {}) for k in range(5)]
    if name in ("k_core", "k_crust", "k_shell"):
        return [((), {}), *(((k,), {}) for k in range(4))]
    if name == "voterank":
        return [((), {}), ((3,), {})]
    if name == "rich_club_coefficient":
        return [((), {"normalized": False})]
    found = []
    if name == "shortest_path_length":
        for node in [*nodes, "missing"]:
            for weight in (None, "weight"):
                found += [((), {"source": node, "weight": weight})]
                found += [((), {"target": node, "weight": weight})]
        return found
    second = list(parameters.values())[1:2]
    needs_node = bool(second) and second[0].default is second[0].empty
    for node in [*nodes, "missing"] if needs_node else [None]:
        arguments = () if node is None else (node,)
        found.append((arguments, {}))
        for parameter, values in OPTIONS.items():
            if parameter in parameters and not (parameter == "weight" and name in WEIGHTLESS):
                found += [(arguments, {parameter: value}) for value in values]
    if name in PER_NODE:
        found += [((), {PER_NODE[name]: node}) for node in [*nodes, "missing"]]
        found += [((), {PER_NODE[name]: nodes})] if name != "closeness_centrality" else []
    if name.endswith("betweenness_centrality"):
        found.insert(1, ((), {"weight": "weight", "k": 2, "normalized": False}))
    if name == "degree_assortativity_coefficient":
        found += [((), {"x": x, "y": y}) for x in ("in", "out", "wrong") for y in ("in", "out")]
    if name == "average_neighbor_degree":
        found.append(((), {"source": "in", "weight": "weight"}))
    if name.endswith("_matrix") or name == "floyd_warshall_numpy":
        found.append(((), {"nodelist": list(G)[::-1]}))
        found += [((), {"nodelist": list(G)[1:]}), ((), {"nodelist": ["missing", *list(G)[1:]]})]
    if name == "incidence_matrix":
        found.append(((), {"oriented": True, "weight": "weight"}))
    if name == "google_matrix":
        ranks = {node: number % 3 for number, node in enumerate(G)}
        found += [((), {"personalization": ranks}), ((), {"dangling": ranks})]
        found.append(((), {"personalization": dict.fromkeys(G, 0)}))
    if name == "to_numpy_array":
        found.append(((), {"nodelist": list(G)[::-1], "nonedge": math.inf}))
    if name == "pagerank":
        halves = {node: number % 3 for number, node in enumerate(G)}
        for parameter in ("personalization", "dangling", "nstart"):
            found.append(((), {parameter: halves}))
        found.append(((), {"personalization": dict.fromkeys(G, 0)}))
    if name == "katz_centrality":
        found = [(a, {"alpha": 0.01, **k}) for a, k in found]
        found.append(((), {"beta": dict.fromkeys(G, 2.0), "alpha": 0.01}))
        found.append(((), {"beta": {"missing": 1}, "alpha": 0.01}))
    return found


OPTIONS = {
    "weight": ["weight", None],
    "cutoff": [0, 1, 2.5, math.inf],
    "depth_limit": [0, 2],
    "reverse": [True],
    "normalized": [False],
    "endpoints": [True],
    "wf_improved": [False],
    "count_zeros": [False],
    "return_seen": [True],
    "max_iter": [1],
    "k": [1, 2],
    "distance": ["weight"],
    "format": ["coo", "nothing"],
    "source": ["in", "in+out"],
    "target": ["in"],
    "method": ["bellman-ford", "nothing"],
    "dtype": [float],
    "algorithm": ["prim", "nothing"],
    "keys": [False],
    "data": [False],
}
#: With weights, NetworkX goes through all pairs there, or these decline them.
WEIGHTLESS = {"global_reaching_centrality", "harmonic_diameter", "wiener_index"}
PER_NODE = {
    "generalized_degree": "nodes",
    "effective_size": "nodes",
    "square_clustering": "nodes",
    "clustering": "nodes",
    "triangles": "nodes",
    "eccentricity": "v",
    "closeness_centrality": "u",
    "harmonic_centrality": "nbunch",
    "average_clustering": "nodes",
    "reciprocity": "nodes",
}
