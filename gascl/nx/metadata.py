"""The description of the backend that NetworkX reads when it is imported: this module imports
nothing that takes time. `python tests/support/backend_tables.py` writes the table from the
registry."""

from contextlib import suppress
from typing import Any

#: What differs from NetworkX's own ("": nothing) -> the functions, by NetworkX's names.
FUNCTIONS = {
    "": """
        adamic_adar_index all_pairs_shortest_path_length ancestors attracting_components
        average_clustering average_shortest_path_length bfs_layers bipartite_closeness_centrality
        boundary_expansion clustering color common_neighbor_centrality condensation conductance
        connected_components core_number dag_longest_path_length degree_centrality descendants
        descendants_at_distance edge_expansion generalized_degree global_efficiency
        group_degree_centrality group_in_degree_centrality group_out_degree_centrality gutman_index
        harmonic_centrality has_cycle has_eulerian_path hyper_wiener_index in_degree_centrality
        is_aperiodic is_arborescence is_attracting_component is_bipartite is_branching is_connected
        is_directed_acyclic_graph is_dominating_set is_eulerian is_forest is_k_regular is_regular
        is_semieulerian is_strongly_connected is_tree is_weakly_connected isolates
        jaccard_coefficient k_core k_corona k_crust k_shell k_truss node_boundary
        node_connected_component node_expansion normalized_cut_size number_attracting_components
        number_connected_components number_of_isolates number_of_selfloops
        number_strongly_connected_components number_weakly_connected_components onion_layers
        out_degree_centrality partition_quality predecessor preferential_attachment
        resource_allocation_index s_metric schultz_index single_source_shortest_path_length
        single_target_shortest_path_length strongly_connected_components topological_generations
        topological_sort triangles volume weakly_connected_components wiener_index
    """,
    "`nodelist` must have all nodes.": """
        adjacency_matrix directed_modularity_matrix laplacian_matrix modularity_matrix
        normalized_laplacian_matrix to_scipy_sparse_array
    """,
    "Only where there is one shortest path to each node. No function as weight.": """
        all_pairs_bellman_ford_path bellman_ford_path bellman_ford_predecessor_and_distance
        goldberg_radzik single_source_bellman_ford single_source_bellman_ford_path
    """,
    "No function as weight.": """
        all_pairs_bellman_ford_path_length bellman_ford_path_length
        single_source_bellman_ford_path_length
    """,
    "No function as weight, no weights below 0.": """
        all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length dijkstra_path
        dijkstra_path_length dijkstra_predecessor_and_distance group_closeness_centrality johnson
        multi_source_dijkstra_path multi_source_dijkstra_path_length single_source_dijkstra_path
        single_source_dijkstra_path_length voronoi_cells
    """,
    "gascl's own communities; no weights, not directed, no multigraphs.": """
        asyn_lpa_communities fast_label_propagation_communities
    """,
    "No `nodes`.": "attribute_assortativity_coefficient numeric_assortativity_coefficient",
    "Undirected graphs; no weights, no `nodes`.": "average_degree_connectivity",
    "No `nodes`, no weights of multigraphs or below 0.": "average_neighbor_degree",
    "No `attr`, no `sp`; trees are left to NetworkX.": "barycenter centroid",
    "Weights must be above 0. NetworkX's own sample for `k`.": """
        betweenness_centrality edge_betweenness_centrality
    """,
    "No `sort_neighbors`.": "bfs_edges bfs_predecessors bfs_successors",
    "Rows and columns must be nodes, and disjoint.": "biadjacency_matrix",
    "No `root`.": "bridges",
    "`usebounds` and trees are left to NetworkX.": "center",
    "No `sp`.": "closeness_centrality eccentricity harmonic_diameter",
    "Up to 32,768 nodes; no multigraphs or subclasses.": "complement",
    "Directed graphs need `T`.": "cut_size mixing_expansion",
    "No `nodes`, no weights below 0.": """
        degree_assortativity_coefficient degree_pearson_correlation_coefficient
    """,
    "`usebounds` is left to NetworkX.": "diameter periphery radius",
    "No `data`, no multigraphs.": "edge_boundary",
    "Undirected graphs without loops or parallel edges; no weights.": "effective_size",
    "`nstart` must have the graph's nodes in their order.": """
        eigenvector_centrality katz_centrality
    """,
    "No weights below 0.": "flow_hierarchy floyd_warshall_numpy modularity",
    "No function as weight; weights are all integers, all floats, or all missing.": """
        floyd_warshall floyd_warshall_predecessor_and_distance
    """,
    "Up to rounding, which may grow; two dimensions, no `store_pos_as`.": "forceatlas2_layout",
    "No weights.": "global_reaching_centrality",
    "No multigraphs; `nodelist` must have all nodes.": "google_matrix to_numpy_array",
    "The strategy largest_first, without `interchange`; no directed graphs.": "greedy_color",
    "By power iteration: no `nstart`, no weights below 0; only a `max_iter` of 0 counts.": "hits",
    "`nodelist` must have all nodes; no `edgelist`.": "incidence_matrix",
    "No `source`.": "kosaraju_strongly_connected_components",
    "No multigraphs.": "label_propagation_communities overall_reciprocity reciprocity voterank",
    "No directed graphs, no `nodelist`.": "laplacian_centrality",
    "gascl's own communities; not directed, no weights below 0.": """
        leiden_communities leiden_partitions louvain_communities louvain_partitions
    """,
    "No weights, no `paths`.": "local_reaching_centrality",
    "Only where there is one; NetworkX chooses among several.": "lowest_common_ancestor",
    "Kruskal's algorithm.": """
        maximum_spanning_edges maximum_spanning_tree minimum_spanning_edges minimum_spanning_tree
    """,
    "No `target`, no function as weight, no weights below 0.": """
        multi_source_dijkstra single_source_dijkstra
    """,
    "No function as weight; in directed graphs, weights below 0 must be whole.": """
        negative_edge_cycle
    """,
    "Weights below 0, and alpha outside 0 to 1, are left to NetworkX.": "pagerank",
    "A partition of all nodes; relations and data by default; no multigraphs.": "quotient_graph",
    "Only copies, of graphs without attributes of edges or stored as arrays.": """
        relabel_nodes reverse
    """,
    "Only with `normalized=False`.": "rich_club_coefficient",
    "No `top_nodes`.": "sets",
    "A single pair is left to NetworkX.": "shortest_path_length",
    "NetworkX's own paths.": "single_source_shortest_path single_target_shortest_path",
    "No directed graphs.": "square_clustering transitivity",
}

#: Functions that make graphs, which are stored as arrays.
LOADERS = """
    digraph__new__ from_edgelist from_numpy_array from_pandas_edgelist from_scipy_sparse_array
    graph__new__ read_edgelist read_weighted_edgelist
"""


def info() -> dict[str, object]:
    """The backend's `networkx.backend_info`."""
    config: Any = {"device": None, "minimum_edges": 0, "detect_changes": True}
    with suppress(ImportError):  # NetworkX before 3.3, which does not run the backend
        from gascl.nx.config import BackendConfig

        config = BackendConfig(**config)
    functions: dict[str, dict[str, str]] = {}
    for limit, names in FUNCTIONS.items():
        docs = {"additional_docs": limit} if limit else {}
        functions.update((name, docs) for name in names.split())
    stored = {"additional_docs": "From 10,000 edges, the graph is stored as arrays."}
    functions.update((name, stored) for name in LOADERS.split())
    return {
        "backend_name": "gascl",
        "project": "gascl",
        "package": "gascl.nx",
        "url": "https://github.com/gascl/gascl/blob/main/docs/networkx.md",
        "short_summary": "Runs on any OpenCL device: GPUs and CPUs of every maker.",
        "functions": functions,
        "default_config": config,
    }
