"""Graphs with communities of all sizes: Lancichinetti, Fortunato, Radicchi, "Benchmark graphs for
testing community detection algorithms" (2008).

The power laws are sums of float64 powers, whose last bits may differ between machines; this changes
about one draw in 10**15.
"""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.generators import configuration_model
from gascl.generators.builder import (
    Weights,
    check_room,
    graph_of,
    probability,
    seeded,
    vertices,
    weighted,
    whole_number,
)
from gascl.generators.random_words import (
    DEGREES,
    GROUPS,
    INNER,
    NUMBERING,
    OUTER,
    REDRAWS,
    Draws,
    RandomWords,
)
from gascl.graph.graph import Graph

ATTEMPTS = 100  # at drawing sizes of communities that have room for all vertices


def lfr(
    num_vertices: int,
    average_degree: float,
    max_degree: int,
    *,
    mixing: float = 0.3,
    degree_exponent: float = 2.5,
    community_exponent: float = 1.5,
    min_community: int | None = None,
    max_community: int | None = None,
    seed: int = 0,
    weights: Weights = None,
) -> Graph:
    """An undirected graph with planted communities; degrees and sizes have power laws.

    The vertex field "community" is a vertex's group. There are no parallel edges and no self-loops;
    edges that cannot be placed accordingly are left out, and the report says how many.

    Args:
        num_vertices: more than `max_degree`.
        average_degree: the expected mean degree, at least 1 and less than `max_degree`.
        max_degree: the largest degree.
        mixing: the average fraction of a vertex's edges that leave its community.
        degree_exponent: the probability of degree k is proportional to k**-degree_exponent.
        community_exponent: the same for sizes of communities.
        min_community, max_community: the limits of their sizes; by default the smallest degree + 1
            and the largest degree + 1, or the least above that gives room for all edges.
        seed: the same seed gives the same graph.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.

    Raises:
        GraphError: an argument is not as above, no communities fit, or the graph would be too
            large.
    """
    count = vertices("num_vertices", num_vertices, 3)
    most = whole_number("max_degree", max_degree, 2, count - 1)
    mixed = probability("mixing", mixing)
    seed, span = seeded(seed), weighted(weights)
    laws = [_exponent(degree_exponent, "degree"), _exponent(community_exponent, "community")]
    mean = _mean(average_degree, most)
    check_room(int(mean * count) // 2, count, 64)

    ks, chances = _degree_law(mean, most, laws[0])
    degree = _drawn(ks, chances, RandomWords(seed, DEGREES, 0).unit(count))
    degree[np.argmin(degree)] += degree.sum() % 2  # every edge has two ends
    # Rounded at random, which preserves the mean.
    inner = np.floor((1 - mixed) * degree + RandomWords(seed, DEGREES, 1).unit(count)).astype(
        np.int64
    )

    least = _limit("min_community", min_community, max(3, int(ks[0]) + 1), count)
    needed = int(inner.max()) + 1
    default = min(count, max(most + 1, needed, least))
    largest = _limit("max_community", max_community, default, count)
    if not least <= largest or needed > largest:
        raise GraphError(
            f"communities of {least:,} to {largest:,} vertices can't hold a vertex with "
            f"{needed - 1:,} edges inside its own; raise max_community to {needed:,} or more, "
            "raise mixing, or lower max_degree or min_community"
        )
    community = _communities(seed, inner, least, largest, laws[1])
    _make_even(inner, degree, community)
    everyone = np.zeros(count, dtype=np.int64)
    within, lost_within = configuration_model.paired(
        inner, community, None, RandomWords(seed, INNER), Draws(seed, REDRAWS, 0)
    )
    between, lost_between = configuration_model.paired(
        degree - inner, everyone, community, RandomWords(seed, OUTER), Draws(seed, REDRAWS, 1)
    )
    src, dst = (np.concatenate(ends).astype(np.int32) for ends in zip(within, between, strict=True))
    crossing = len(between[0]) / max(len(src), 1)
    report = [f"communities: {int(community.max()) + 1:,}; edges between them: {crossing:.4f}"]
    if lost_within or lost_between:
        report.append(
            f"edges left out, which found no place: {lost_within:,} within communities, "
            f"{lost_between:,} between them"
        )
    return graph_of(
        f"lfr, num_vertices={count}, average_degree={mean}, max_degree={most}, mixing={mixed}",
        src,
        dst,
        count,
        seed=seed,
        weights=span,
        community=community.astype(np.int32),
        report=report,
    )


def _exponent(value: float, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 1 <= number <= 10:
        raise GraphError(f"{name}_exponent is {value!r}; give a number from 1 to 10")
    return number


def _mean(value: float, most: int) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 1 <= number < most:
        raise GraphError(
            f"average_degree is {value!r}; give a number from 1 to less than max_degree, {most:,}"
        )
    return number


def _limit(name: str, value: int | None, default: int, count: int) -> int:
    return min(default, count) if value is None else whole_number(name, value, 2, count)


def _degree_law(mean: float, most: int, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """The degrees, int64 (n,) up to `most`, and their probabilities: a power law whose lowest
    degree is less likely, so that the mean is `mean`.

    Raises:
        GraphError: the mean is above `mean` even if degrees start at 1.
    """
    ks = np.arange(1, most + 1, dtype=np.int64)
    share = ks**-exponent
    # The mean of the law from a degree on increases with it; take the last that is not above.
    means = np.cumsum((ks * share)[::-1])[::-1] / np.cumsum(share[::-1])[::-1]
    if means[0] > mean:
        raise GraphError(
            f"degrees of 1 to {most:,} with exponent {exponent} average {means[0]:.2f}, and "
            f"average_degree is {mean}; raise it or degree_exponent, or lower max_degree"
        )
    low = int(np.searchsorted(means, mean, side="right")) - 1
    ks, share = ks[low:], share[low:].copy()
    if len(ks) > 1:
        rest, total = share[1:].sum(), (ks * share)[1:].sum()
        share[0] = (total - mean * rest) / (mean - ks[0]) if mean > ks[0] else share[0]
    return ks, share / share.sum()


def _drawn(values: np.ndarray, chances: np.ndarray, units: np.ndarray) -> np.ndarray:
    places = np.searchsorted(np.cumsum(chances), units, side="right")
    return values[np.minimum(places, len(values) - 1)]


def _communities(
    seed: int, inner: np.ndarray, least: int, largest: int, exponent: float
) -> np.ndarray:
    """int64 (V,): a community for each vertex, with at least `inner` other members.

    Raises:
        GraphError: no such sizes were found.
    """
    order = np.argsort(-inner, kind="stable")
    draws = Draws(seed, NUMBERING)
    for attempt in range(ATTEMPTS):
        sizes = _sizes(seed, attempt, len(inner), least, largest, exponent)
        if sizes is None:
            continue
        # A place for each member, the largest communities first. Where a vertex fits, those with
        # fewer inner edges fit, too, so any choice leaves the next vertex as many places.
        places = np.repeat(np.arange(len(sizes)), sizes)
        room_of = np.repeat(sizes, sizes)
        fits = np.searchsorted(-room_of, -inner[order], side="left")
        if (fits <= np.arange(len(order))).any():
            continue
        left = places.tolist()
        chosen = []
        for used, end in enumerate(fits.tolist()):
            pick = used + draws.below(end - used)
            chosen.append(left[pick])
            left[pick] = left[used]
        community = np.empty(len(inner), dtype=np.int64)
        community[order] = chosen
        return community
    raise GraphError(
        f"no communities of {least:,} to {largest:,} vertices that hold all {len(inner):,} were "
        f"found in {ATTEMPTS} attempts; give a wider range, another seed, or more mixing"
    )


def _sizes(
    seed: int, attempt: int, count: int, least: int, largest: int, exponent: float
) -> np.ndarray | None:
    """int64 (communities,), the largest first, with sum `count`; None if the rest does not fit."""
    values = np.arange(least, largest + 1, dtype=np.int64)
    chances = values**-exponent
    units = RandomWords(seed, GROUPS, attempt).unit(count // least + 1)
    sizes = _drawn(values, chances / chances.sum(), units)
    ends = np.cumsum(sizes)
    last = int(np.searchsorted(ends, count))  # the first that makes the sum large enough
    if last < len(sizes):
        sizes = sizes[: last + 1].copy()
        sizes[last] -= int(ends[last]) - count
    left = int(sizes[-1])
    if left < least:  # too small: its members go to the others, one each, if there is room
        sizes = sizes[:-1]
        while left:
            free = np.flatnonzero(sizes < largest)[:left]
            if not len(free):
                return None
            sizes[free] += 1
            left -= len(free)
    return np.sort(sizes)[::-1]


def _make_even(inner: np.ndarray, degree: np.ndarray, community: np.ndarray) -> None:
    """Make the sum of inner degrees even in each community, by turning an inner edge of one vertex
    into an outer one."""
    odd = np.bincount(community, weights=inner).astype(np.int64) % 2 == 1
    order = np.lexsort((-inner, community))
    firsts = order[np.diff(community[order], prepend=-1) != 0]  # the vertex with most inner edges
    inner[firsts[odd[community[firsts]]]] -= 1
