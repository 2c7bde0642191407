"""Common parts of all generators: checks of their arguments, and building the Graph."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from gascl.errors import GraphError, check_flags
from gascl.generators.random_words import CHUNK, STREAM, WEIGHTS, RandomWords
from gascl.graph.arcs import INT32_MAX
from gascl.graph.graph import Graph
from gascl.graph.raw_graph import RawGraph
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.util.host import check_host_memory

Weights = tuple[int, int] | None

INT32_MIN = -INT32_MAX - 1
#: The most vertices of a graph that is not stored, so that its arcs can be counted in 64 bits.
MOST = 2**59


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """`value` as an int between `least` and `most`.

    Raises:
        GraphError: it is not such an integer.
    """
    span = f"{least:,} or more" if most is None else f"from {least:,} to {most:,}"
    try:
        number = operator.index(value)
    except TypeError:
        raise GraphError(f"{name} is {value!r}; give a whole number, {span}") from None
    if number < least or (most is not None and number > most):
        raise GraphError(f"{name} is {number:,}; give a whole number, {span}")
    return number


def probability(name: str, value: Any) -> float:
    """`value` as a float from 0 to 1.

    Raises:
        GraphError: it is not such a number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= 1:
        raise GraphError(f"{name} is {value!r}; give a probability, from 0 to 1")
    return number


def vertices(name: str, value: Any, least: int = 1) -> int:
    """A number of vertices, checked to fit int32 ids.

    Raises:
        GraphError: it is less than `least`, or too large.
    """
    return whole_number(name, value, least, INT32_MAX)


def check_rule(stored: bool, weights: Weights) -> None:
    """Raise GraphError if a graph by a rule is to have weights."""
    check_flags(GraphError, stored=stored)
    if not stored and weights is not None:
        raise GraphError(
            f"weights={weights}: a graph that is not stored has no edge fields; leave out weights, "
            "or give stored=True"
        )


def check_stored(name: str, num_vertices: int) -> None:
    """Raise GraphError if a stored graph cannot have so many vertices."""
    if num_vertices > INT32_MAX:
        raise GraphError(
            f"the {name} would have {num_vertices:,} vertices; a graph that is stored can have "
            f"{INT32_MAX:,}: ask for fewer, or in Python give stored=False, for runs on ranks"
        )


def seeded(seed: Any) -> int:
    """The seed, checked.

    Raises:
        GraphError: it is not an unsigned 64-bit integer.
    """
    return whole_number("seed", seed, 0, 2**64 - 1)


def weighted(weights: Any) -> Weights:
    """The least and the highest weight, checked; None for no weights.

    Raises:
        GraphError: they are not two 32-bit integers, the lower one first.
    """
    if weights is None:
        return None
    try:
        low, high = weights
    except (TypeError, ValueError):
        raise GraphError(
            f"weights is {weights!r}; give the least and the highest weight, as (1, 255)"
        ) from None
    least = whole_number("the least of weights", low, INT32_MIN, INT32_MAX)
    return least, whole_number("the highest of weights", high, least, INT32_MAX)


def check_room(num_edges: int, num_vertices: int, bytes_an_edge: int = 8) -> None:
    """Check that a graph fits in this machine's memory, before any is allocated.

    Raises:
        GraphError: it does not fit.
    """
    need = bytes_an_edge * num_edges + 4 * num_vertices
    check_host_memory(need, f"{num_edges:,} edges and {num_vertices:,} vertices", "ask for fewer")


def weights_of(seed: int, span: tuple[int, int], count: int, first: int = 0) -> np.ndarray:
    """int32 (count,): weights of the edges from number `first` on, drawn uniformly, both ends of
    `span` included."""
    low, high = span
    drawn = np.empty(count, dtype=np.int32)
    words = RandomWords(seed, WEIGHTS, start=first)
    for start in range(0, count, CHUNK):
        part = drawn[start : start + CHUNK]
        if high - low + 1 == 2**32:
            part[:] = (words.take(len(part)) >> np.uint64(32)).astype(np.int64) + low
        else:
            part[:] = words.below(high - low + 1, len(part)) + low
    return drawn


def reported(about: str, seed: int, weights: Weights, more: list[str] | None = None) -> list[str]:
    """The lines of the report about a generated graph."""
    lines = [f"generated: {about}, seed={seed}, stream version {STREAM}", *(more or [])]
    if weights is not None:
        lines.append(f"weight: integers drawn uniformly from {weights[0]} to {weights[1]}")
    return lines


def graph_of(
    about: str,
    src: np.ndarray,
    dst: np.ndarray,
    num_vertices: int,
    *,
    seed: int,
    directed: bool = False,
    weights: Weights = None,
    community: np.ndarray | None = None,
    duplicates: Duplicates = "keep",
    self_loops: SelfLoops = "keep",
    report: list[str] | None = None,
) -> Graph:
    """The graph of int32 edges, which are neither checked nor copied.

    Args:
        about: the generator and its parameters, for the report.
        community: int32 (V,), the planted group of each vertex.
    """
    raw = RawGraph(
        src,
        dst,
        num_vertices,
        directed,
        fields={} if weights is None else {"weight": weights_of(seed, weights, len(src))},
        report=reported(about, seed, weights, report),
        vertex_fields={} if community is None else {"community": community},
        in_range=True,
    )
    return Graph._from_raw(raw, duplicates, self_loops, own=True)
