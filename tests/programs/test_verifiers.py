"""Each bundled program has a verifier, which passes what is right and refuses what is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.bundled import NAMES, example, verifier_of, with_needed_fields
from support.case_subsets import one_in
from support.samples import grid, random_graph, weighted

from gascl import Engine, Graph, ProgramError, VertexProgram

#: Other parameters, after which a verifier computes something else.
OTHERS = [
    example("BellmanFord", sources=[3, 5], dtype="float64"),
    example("BreadthFirst", sources=[3, 5], hops=3),
    example("Distances", cutoff=3),
    example("ForceLayout", position=np.random.default_rng(0).random((64, 2))),
    example("LabelPropagation", supersteps=3),
    example("LocalCommunity", epsilon=1e-3),
    example("PageRank", supersteps=2, dangling="ignore", dtype="float64"),
    example("PageRank", dangling="land", landing={3: 1, 4: 2}, rank={5: 1}),
    example("ShortestPaths", sources=[3, 5]),
    example("WeightedPageRank", supersteps=2, dangling="ignore"),
    example("WeightedPageRank", dangling="land", landing={3: 1}),
]
#: Programs without one right result: verifiers look at the whole, where one vertex may differ.
ROUGH = {"ForceLayout", "Leiden", "Louvain", "ParticleCommunities"}
#: Programs that take seconds, with verifiers like those of others.
LONG = {"WeightedBetweenness", "WeightedEdgeBetweenness", "ParticleCommunities"}


def right_and_wrong(graph: Graph, program: VertexProgram) -> None:
    """Check a result, and that wrong values in each field are found."""
    name = type(program).__name__
    rough = name in ROUGH and not program.initial
    verify = verifier_of(name).verify
    result = Engine(graph).run(program)
    verify(graph, result, program)
    for store in ("fields", "arc_fields"):
        arrays = getattr(result, store)
        for field in arrays.keys() - result.types.inputs:
            for wrong in wrong_values(field, arrays[field], rough):
                with pytest.raises(AssertionError):
                    verify(graph, replace(result, **{store: {**arrays, field: wrong}}), program)


def wrong_values(field: str, values: np.ndarray, rough: bool) -> list[np.ndarray]:
    """Values of which one is wrong; or, where `rough`, the same value for all vertices."""
    if rough:
        return [np.zeros_like(values)]
    found = []
    for row in range(0, len(values), max(len(values) // 6, 1)):
        wrong = values.copy()
        value = wrong[row] * 1.5 + 1 if np.isfinite(wrong[row]).all() else 3
        if values.dtype.kind == "i" and np.max(value) > np.iinfo(values.dtype).max:
            value = 3
        wrong[row] = row if field == "parent" else value  # no vertex is its own parent
        found.append(wrong)
    return found


@pytest.mark.filterwarnings("ignore:.*no edge field")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in NAMES]
)
def test_a_wrong_value_is_found(name):
    """On directed and undirected graphs, and where a program refuses those, on a grid."""
    graphs = [random_graph(seed, directed=directed) for seed, directed in ((0, True), (1, False))]
    ran = 0
    for graph in (*graphs, weighted(graphs[0], seed=7), grid(6, 7)):
        try:
            right_and_wrong(with_needed_fields(graph, name), example(name))
        except ProgramError:  # no graph for this program
            continue
        ran += 1
    assert ran


@pytest.mark.filterwarnings("ignore:.*no edge field")
@pytest.mark.parametrize("directed", one_in(2, [True, False]))
@pytest.mark.parametrize("program", OTHERS, ids=lambda program: repr(program)[:40])
def test_a_wrong_value_is_found_with_other_parameters(program, directed):
    right_and_wrong(random_graph(0, directed=directed), program)
