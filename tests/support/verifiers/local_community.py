"""Personalized PageRank by walks of all lengths, and a sweep by the edges that each cut has."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from support.verifiers.distances import begun_at

from gascl import Graph, Result
from gascl.programs import LocalCommunity

#: Two quotients of float32 that were the same before rounding differ by less, relatively.
SAME = 1e-6


def verify(graph: Graph, result: Result, program: LocalCommunity) -> None:
    """Raises AssertionError where a rank is further off than stated, a residual would be pushed, or
    the community is not the best of the sweep."""
    src, dst = graph.edge_src, graph.edge_dst
    other = src != dst
    degree = np.bincount(src, minlength=graph.num_vertices)
    degree += np.bincount(dst[other], minlength=graph.num_vertices)
    arcs = np.concatenate([src, dst[other]]), np.concatenate([dst, src[other]])
    shape = (graph.num_vertices, graph.num_vertices)
    matrix = csr_array((np.ones(len(arcs[0])), arcs), shape=shape)
    places = np.unique(begun_at(graph, program))
    source = np.zeros(graph.num_vertices)
    source[places] = 1 / len(places)

    rank, residual = result.rank.astype(np.float64), result.residual.astype(np.float64)
    rounding = 2**-60 / ((1 - program.damping) * program.epsilon)
    slack = 4 * np.finfo(program.dtype).eps + rounding
    enough = program.epsilon * degree
    assert (residual >= 0).all() and (residual <= enough * (1 + SAME)).all(), "a residual is pushed"
    total = rank.sum() + residual.sum()
    assert abs(total - 1) <= slack * np.sqrt(graph.num_vertices), f"{total} of 1 walker is there"
    exact = ended(degree, matrix, source, program.damping)
    assert (rank <= exact + slack).all(), "a rank is more than the personalized PageRank"
    assert (exact - rank <= enough + slack).all(), "a rank lacks more than epsilon * degree"
    lacks = ended(degree, matrix, residual, program.damping)
    assert np.abs(rank + lacks - exact).max() <= slack, "not what these residuals leave"
    swept(graph, degree, result, rank if rank.any() else residual)


def ended(degree: np.ndarray, matrix: csr_array, start: np.ndarray, damping: float) -> np.ndarray:
    """The probability in float64 that walkers end at each vertex."""
    moving = np.where(degree > 0, start, 0)
    total = start - moving
    while moving.sum() > 1e-13:
        total += (1 - damping) * moving
        moving = matrix @ (damping * moving / np.maximum(degree, 1))
    return total


def swept(graph: Graph, degree: np.ndarray, result: Result, rank: np.ndarray) -> None:
    member = result.member.astype(np.int64)
    assert set(member.tolist()) <= {0, 1} and member.any(), "member is neither 0 nor 1"
    src, dst = graph.edge_src, graph.edge_dst
    volume, leaving = member @ degree, np.count_nonzero(member[src] != member[dst])
    smaller = min(volume, degree.sum() - volume)
    own, found = leaving / max(smaller, 1), result.aggregates["conductance"]
    assert abs(own - found) <= SAME, f"the conductance is {own}, not {found}"

    density = np.where(rank > 0, rank / np.maximum(degree, 1), -1)
    order = np.argsort(-density, kind="stable")[: np.count_nonzero(rank)]
    outside = density[(member == 0) & (rank > 0)].max(initial=0)
    assert (density[member == 1] >= max(outside * (1 - SAME), 0)).all(), "not first in the sweep"
    place = np.full(graph.num_vertices, len(order))
    place[order] = np.arange(len(order))
    # An edge leaves the first n vertices if one of its places is less than n and one is not.
    low, high = np.minimum(place[src], place[dst]), np.maximum(place[src], place[dst])
    cut = np.bincount(low, minlength=len(order) + 1) - np.bincount(high, minlength=len(order) + 1)
    cut, volumes = np.cumsum(cut)[: len(order)], np.cumsum(degree[order])
    smaller = np.minimum(volumes, degree.sum() - volumes)
    apart = np.append(density[order][1:] < density[order][:-1] * (1 - SAME), True)
    best = (cut / np.maximum(smaller, 1))[apart & (smaller > 0)].min(initial=np.inf)
    assert best == np.inf or own <= best + SAME, f"a cut of the sweep has {best}, less than {own}"
    if best < np.inf:
        assert min(volume, degree.sum() - volume) > 0, "the community has all edges, or none"
