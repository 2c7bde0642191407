"""The verifiers of programs pass what is right and refuse what is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.samples import random_graph
from support.thinned import thinned
from support.verifiers import (
    bellman_ford,
    bipartition,
    breadth_first,
    connected_components,
    eigenvector,
    greedy_colouring,
    hits,
    katz,
    label_propagation,
    local_community,
    maximal_independent_set,
    page_rank,
    shortest_paths,
    strongly_connected,
    weighted_clustering,
    weighted_page_rank,
)

from gascl import Engine
from gascl.programs import (
    BellmanFord,
    Bipartition,
    BreadthFirst,
    ConnectedComponents,
    Distances,
    Eigenvector,
    GreedyColouring,
    Hits,
    Katz,
    LabelPropagation,
    LocalCommunity,
    MaximalIndependentSet,
    PageRank,
    ShortestPaths,
    StronglyConnected,
    WeightedClustering,
    WeightedPageRank,
)

CASES = [
    (bipartition, Bipartition(), ("side",)),
    (breadth_first, BreadthFirst(source=0), ("depth", "parent")),
    (connected_components, ConnectedComponents(), ("component",)),
    (eigenvector, Eigenvector(), ("centrality",)),
    (greedy_colouring, GreedyColouring(), ("colour",)),
    (hits, Hits(), ("hub", "authority")),
    (katz, Katz(), ("centrality",)),
    (local_community, LocalCommunity(source=0, epsilon=1e-3), ("rank", "residual", "member")),
    (maximal_independent_set, MaximalIndependentSet(), ("member",)),
    (strongly_connected, StronglyConnected(), ("component",)),
    (weighted_clustering, WeightedClustering(), ("coefficient",)),
    (weighted_page_rank, WeightedPageRank(), ("rank",)),
    (weighted_page_rank, WeightedPageRank(supersteps=2, dangling="ignore"), ("rank",)),
    (label_propagation, LabelPropagation(supersteps=3), ("label",)),
    (page_rank, PageRank(), ("rank",)),
    (page_rank, PageRank(supersteps=2, dangling="ignore", dtype="float64"), ("rank",)),
    (page_rank, PageRank(dangling="land", landing={3: 1, 4: 2}, rank={5: 1}), ("rank",)),
    (weighted_page_rank, WeightedPageRank(dangling="land", landing={3: 1}), ("rank",)),
    (bellman_ford, BellmanFord(source=0), ("distance", "parent")),
    (bellman_ford, BellmanFord(sources=[3, 5], dtype="float64"), ("distance", "parent")),
    (breadth_first, BreadthFirst(sources=[3, 5], hops=3), ("depth", "parent")),
    (shortest_paths, Distances(source=0, cutoff=3), ("distance",)),
    (shortest_paths, ShortestPaths(sources=[3, 5]), ("distance", "parent")),
    (shortest_paths, ShortestPaths(source=0), ("distance", "parent")),
]


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1], [True, False]))
@pytest.mark.parametrize(("verifier", "program", "fields"), CASES, ids=lambda x: str(x)[:24])
def test_right_passes_and_wrong_does_not(verifier, program, fields, seed, directed):
    graph = random_graph(seed, directed=directed)
    result = Engine(graph).run(program)
    verifier.verify(graph, result, program)
    for field in fields:
        for vertex in range(0, graph.num_vertices, 7):
            wrong = result[field].copy()
            value = wrong[vertex] * 1.5 + 1 if np.isfinite(wrong[vertex]) else 3
            wrong[vertex] = vertex if field == "parent" else value  # nobody is their own
            with pytest.raises(AssertionError):
                verifier.verify(
                    graph, replace(result, fields={**result.fields, field: wrong}), program
                )
