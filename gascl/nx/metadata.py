"""The description of the backend that NetworkX reads when it is imported: this module imports
nothing. `python tests/support/backend_tables.py` writes both lists from the registry."""

#: The functions of the backend, by NetworkX's names.
FUNCTIONS = """
    adamic_adar_index all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length
    all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length
    all_pairs_shortest_path_length ancestors attracting_components
    attribute_assortativity_coefficient average_clustering average_degree_connectivity
    average_neighbor_degree average_shortest_path_length barycenter
    bellman_ford_predecessor_and_distance betweenness_centrality bfs_edges bfs_layers
    bfs_predecessors bfs_successors center centroid closeness_centrality clustering color
    common_neighbor_centrality connected_components core_number degree_assortativity_coefficient
    degree_centrality degree_pearson_correlation_coefficient descendants descendants_at_distance
    diameter dijkstra_predecessor_and_distance eccentricity edge_betweenness_centrality
    eigenvector_centrality flow_hierarchy global_efficiency global_reaching_centrality
    goldberg_radzik greedy_color harmonic_centrality harmonic_diameter has_cycle hits
    in_degree_centrality is_attracting_component is_bipartite is_connected is_directed_acyclic_graph
    is_forest is_strongly_connected is_weakly_connected isolates jaccard_coefficient johnson
    katz_centrality kosaraju_strongly_connected_components maximum_spanning_edges
    minimum_spanning_edges modularity multi_source_dijkstra multi_source_dijkstra_path
    multi_source_dijkstra_path_length negative_edge_cycle node_connected_component
    number_attracting_components number_connected_components number_of_isolates number_of_selfloops
    number_strongly_connected_components number_weakly_connected_components
    numeric_assortativity_coefficient onion_layers out_degree_centrality overall_reciprocity
    pagerank partition_quality periphery predecessor preferential_attachment radius reciprocity
    resource_allocation_index rich_club_coefficient s_metric sets shortest_path_length
    single_source_bellman_ford single_source_bellman_ford_path
    single_source_bellman_ford_path_length single_source_dijkstra single_source_dijkstra_path
    single_source_dijkstra_path_length single_source_shortest_path
    single_source_shortest_path_length single_target_shortest_path
    single_target_shortest_path_length strongly_connected_components to_numpy_array
    to_scipy_sparse_array topological_generations topological_sort transitivity triangles
    voronoi_cells weakly_connected_components wiener_index
""".split()

#: What differs from NetworkX's own, by name.
LIMITS = {
    "all_pairs_bellman_ford_path": (
        "Only where there is one shortest path to each node. No function as weight."
    ),
    "all_pairs_bellman_ford_path_length": "No function as weight.",
    "all_pairs_dijkstra": "No function as weight, no weights below 0.",
    "all_pairs_dijkstra_path": "No function as weight, no weights below 0.",
    "all_pairs_dijkstra_path_length": "No function as weight, no weights below 0.",
    "attribute_assortativity_coefficient": "No `nodes`.",
    "average_degree_connectivity": "Undirected graphs; no weights, no `nodes`.",
    "average_neighbor_degree": "No `nodes`, no weights of multigraphs or below 0.",
    "barycenter": "No `attr`, no `sp`; trees are left to NetworkX.",
    "bellman_ford_predecessor_and_distance": (
        "Only where there is one shortest path to each node. No function as weight."
    ),
    "betweenness_centrality": "Weights must be above 0. NetworkX's own sample for `k`.",
    "bfs_edges": "No `sort_neighbors`.",
    "bfs_predecessors": "No `sort_neighbors`.",
    "bfs_successors": "No `sort_neighbors`.",
    "center": "`usebounds` and trees are left to NetworkX.",
    "centroid": "No `attr`, no `sp`; trees are left to NetworkX.",
    "closeness_centrality": "No `sp`.",
    "degree_assortativity_coefficient": "No `nodes`, no weights below 0.",
    "degree_pearson_correlation_coefficient": "No `nodes`, no weights below 0.",
    "diameter": "`usebounds` is left to NetworkX.",
    "dijkstra_predecessor_and_distance": "No function as weight, no weights below 0.",
    "eccentricity": "No `sp`.",
    "edge_betweenness_centrality": "Weights must be above 0. NetworkX's own sample for `k`.",
    "eigenvector_centrality": "`nstart` must have the graph's nodes in their order.",
    "flow_hierarchy": "No weights below 0.",
    "global_reaching_centrality": "No weights.",
    "goldberg_radzik": "Only where there is one shortest path to each node. No function as weight.",
    "greedy_color": "The strategy largest_first, without `interchange`; no directed graphs.",
    "harmonic_diameter": "No `sp`.",
    "hits": "By power iteration: no `nstart`, no weights below 0; only a `max_iter` of 0 counts.",
    "johnson": "No function as weight, no weights below 0.",
    "katz_centrality": "`nstart` must have the graph's nodes in their order.",
    "kosaraju_strongly_connected_components": "No `source`.",
    "maximum_spanning_edges": "Kruskal's algorithm.",
    "minimum_spanning_edges": "Kruskal's algorithm.",
    "modularity": "No weights below 0.",
    "multi_source_dijkstra": "No `target`, no function as weight, no weights below 0.",
    "multi_source_dijkstra_path": "No function as weight, no weights below 0.",
    "multi_source_dijkstra_path_length": "No function as weight, no weights below 0.",
    "negative_edge_cycle": (
        "No function as weight; in directed graphs, weights below 0 must be whole."
    ),
    "numeric_assortativity_coefficient": "No `nodes`.",
    "overall_reciprocity": "No multigraphs.",
    "pagerank": "Weights below 0, and alpha outside 0 to 1, are left to NetworkX.",
    "periphery": "`usebounds` is left to NetworkX.",
    "radius": "`usebounds` is left to NetworkX.",
    "reciprocity": "No multigraphs.",
    "rich_club_coefficient": "Only with `normalized=False`.",
    "sets": "No `top_nodes`.",
    "shortest_path_length": "A single pair is left to NetworkX.",
    "single_source_bellman_ford": (
        "Only where there is one shortest path to each node. No function as weight."
    ),
    "single_source_bellman_ford_path": (
        "Only where there is one shortest path to each node. No function as weight."
    ),
    "single_source_bellman_ford_path_length": "No function as weight.",
    "single_source_dijkstra": "No `target`, no function as weight, no weights below 0.",
    "single_source_dijkstra_path": "No function as weight, no weights below 0.",
    "single_source_dijkstra_path_length": "No function as weight, no weights below 0.",
    "single_source_shortest_path": "NetworkX's own paths.",
    "single_target_shortest_path": "NetworkX's own paths.",
    "to_numpy_array": "No multigraphs; `nodelist` must have all nodes.",
    "to_scipy_sparse_array": "`nodelist` must have all nodes.",
    "transitivity": "No directed graphs.",
    "voronoi_cells": "No function as weight, no weights below 0.",
}


def info() -> dict[str, object]:
    """The backend's `networkx.backend_info`."""
    functions = {
        name: {"additional_docs": LIMITS[name]} if name in LIMITS else {} for name in FUNCTIONS
    }
    return {
        "backend_name": "gascl",
        "project": "gascl",
        "package": "gascl.nx",
        "url": "https://github.com/gascl/gascl/blob/main/docs/networkx.md",
        "short_summary": "Runs on any OpenCL device: GPUs and CPUs of every maker.",
        "functions": functions,
    }
