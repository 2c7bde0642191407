"""What is written from the backend's registry: the functions by their limits in
gascl/nx/metadata.py, which must import nothing; the table of docs/networkx.md; and the numbers of
functions there, in README.md and in CHANGELOG.md.

    python tests/support/backend_tables.py

writes all of them; a test checks that they are up to date."""

import re
from pathlib import Path
from textwrap import wrap

from networkx.utils.backends import _registered_algorithms

ROOT = Path(__file__).parents[2]
INDENT = " " * 4
METADATA, PAGE = ROOT / "gascl/nx/metadata.py", ROOT / "docs/networkx.md"
README, CHANGES = ROOT / "README.md", ROOT / "CHANGELOG.md"

#: The words after the number of functions that run on a device, and after that of those computed by
#: NumPy, on each page.
COUNTS = {
    PAGE: ("of them run on any OpenCL device", "more on the host, where NumPy"),
    README: ("of NetworkX's functions on the device", None),
    CHANGES: ("of its functions run on any OpenCL device", "more, with `backend="),
}

#: The functions of this backend that other backends have: nx-cugraph 26.08, graphblas-algorithms
#: 2023.10 and nx-parallel 0.4, by the lists that they give to NetworkX.
OTHERS = {
    "nx-cugraph": """
        adjacency_matrix all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length
        all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length
        all_pairs_shortest_path_length ancestors average_clustering bellman_ford_path
        bellman_ford_path_length betweenness_centrality bfs_edges bfs_layers bfs_predecessors
        bfs_successors biadjacency_matrix clustering complement connected_components core_number
        degree_centrality descendants descendants_at_distance dijkstra_path dijkstra_path_length
        edge_betweenness_centrality eigenvector_centrality hits in_degree_centrality is_arborescence
        is_branching is_connected is_forest is_tree is_weakly_connected isolates jaccard_coefficient
        k_truss katz_centrality leiden_communities louvain_communities lowest_common_ancestor
        node_connected_component
        number_connected_components number_of_isolates number_of_selfloops
        number_weakly_connected_components out_degree_centrality overall_reciprocity pagerank
        reciprocity relabel_nodes reverse shortest_path_length single_source_bellman_ford
        single_source_bellman_ford_path
        single_source_bellman_ford_path_length single_source_dijkstra single_source_dijkstra_path
        single_source_dijkstra_path_length single_source_shortest_path
        single_source_shortest_path_length single_target_shortest_path
        single_target_shortest_path_length to_numpy_array to_scipy_sparse_array transitivity
        triangles weakly_connected_components
    """.split(),
    "graphblas-algorithms": """
        adjacency_matrix all_pairs_bellman_ford_path_length all_pairs_shortest_path_length ancestors
        average_clustering bellman_ford_path bellman_ford_path_length bfs_layers boundary_expansion
        clustering conductance cut_size degree_centrality descendants descendants_at_distance
        directed_modularity_matrix edge_boundary edge_expansion eigenvector_centrality
        floyd_warshall_numpy generalized_degree google_matrix hits in_degree_centrality is_connected
        is_dominating_set is_k_regular is_regular is_weakly_connected isolates k_truss
        katz_centrality laplacian_matrix mixing_expansion modularity_matrix negative_edge_cycle
        node_boundary node_connected_component node_expansion normalized_cut_size
        normalized_laplacian_matrix number_of_isolates out_degree_centrality overall_reciprocity
        pagerank reciprocity s_metric single_source_bellman_ford_path_length
        single_source_shortest_path_length single_target_shortest_path_length square_clustering
        transitivity triangles volume
    """.split(),
    "nx-parallel": """
        adamic_adar_index all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length
        all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length
        all_pairs_shortest_path_length average_clustering average_neighbor_degree
        betweenness_centrality clustering common_neighbor_centrality edge_betweenness_centrality
        harmonic_centrality jaccard_coefficient johnson number_attracting_components
        number_connected_components number_of_isolates number_strongly_connected_components
        number_weakly_connected_components preferential_attachment resource_allocation_index
        square_clustering triangles
    """.split(),
}


def _by_name(functions):
    """Functions by each of their names in any version of NetworkX."""
    return {name: function for function in functions for name in function.names}


def limits(functions):
    """The lines of the dictionary from limits to the names that have them."""
    have = {"": []}
    for name, function in sorted(_by_name(functions).items()):
        have.setdefault(function.limits, []).append(name)
    for limit, listed in have.items():
        line = f'{INDENT}"{limit}": "{" ".join(listed)}",'
        if len(line) <= 100:
            yield line
        else:
            yield f'{INDENT}"{limit}": """'
            yield from _wrapped(listed, 2 * INDENT)
            yield f'{INDENT}""",'


def _wrapped(listed, indent):
    return wrap(" ".join(listed), 100, initial_indent=indent, subsequent_indent=indent)


def table(functions):
    """The lines of the table."""
    yield "| function | module | computed on | first | cached | limits | also in |"
    yield "|---|---|---|---:|---:|---|---|"
    by_name = _by_name(functions)
    for name, function in sorted(by_name.items(), key=lambda item: (item[1].module, item[0])):
        edges = ["" if n is None else f"{n:,}" for n in (function.first, function.cached)]
        where = "host (NumPy)" if function.numpy else "device"
        others = ", ".join(other for other, names in OTHERS.items() if name in names)
        mark = " †" if _registered_algorithms[function.name]._returns_graph else ""
        cells = [f"`{name}`{mark}", function.module, where, *edges, function.limits, others]
        yield f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def shared(text, functions):
    """The page with the numbers of the functions, and of those that other backends have.

    Raises:
        ValueError: the sentence is not in the text, or another backend's function not in the list.
    """
    if unknown := set().union(*OTHERS.values()) - _by_name(functions).keys():
        raise ValueError(f"OTHERS has functions that gascl has not: {sorted(unknown)}")
    *most, last = map(len, OTHERS.values())
    sentence = f"Of gascl's {len(functions)} functions, {', '.join(map(str, most))} and {last} are"
    text, times = re.subn(r"Of gascl's \d+ functions, [\d, ]+ and \d+ are", sentence, text)
    if times != 1:
        raise ValueError(f"{times} times 'Of gascl's ... functions'; mend `shared`")
    return text


def updated(functions):
    """The text of each file with the parts that are written, by path."""
    by_numpy = sum(function.numpy for function in functions)
    numbers = len(functions) - by_numpy, by_numpy
    texts = {path: counted(path.read_text("utf-8"), numbers, COUNTS[path]) for path in COUNTS}
    lines = table(functions)
    texts[PAGE] = shared(texts[PAGE], functions)
    texts[PAGE] = _replaced(texts[PAGE], "<!-- functions -->", "<!-- end of functions -->", lines)
    metadata = METADATA.read_text("utf-8")
    return {METADATA: _replaced(metadata, "FUNCTIONS = {", "}", limits(functions)), **texts}


def counted(text, numbers, words):
    """A text with these numbers before their words, which may go on in the next line.

    Raises:
        ValueError: the words are not in the text, or more than once.
    """
    for number, following in zip(numbers, words, strict=True):
        if following is not None:
            pattern = rf"\d+(?=\s+{re.escape(following)})".replace(r"\ ", r"\s+")
            text, times = re.subn(pattern, str(number), text)
            if times != 1:
                raise ValueError(f"{times} times a number before {following!r}; mend COUNTS")
    return text


def _replaced(text, start, end, lines):
    """A text with other lines between the first line `start` and the next `end`."""
    old = text.split("\n")
    first = old.index(start) + 1
    return "\n".join([*old[:first], *lines, *old[old.index(end, first) :]])


if __name__ == "__main__":
    from gascl.nx.backend import FUNCTIONS

    for path, text in updated(FUNCTIONS.values()).items():
        path.write_text(text, "utf-8")
