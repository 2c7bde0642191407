"""Random graphs, with NetworkX's edges for the same seed."""

from __future__ import annotations

import math
from random import Random

import networkx as nx
import numpy as np

from gascl.nx import loader as loaders
from gascl.nx.edge_list import EdgeList
from gascl.nx.loader import Making, loader, whole
from gascl.nx.random_words import RandomWords

#: The pairs of nodes that are decided at a time.
AT_A_TIME = 1 << 20


def _random(call: Making, expected: float) -> bool:
    """Whether a call has a number of nodes, Python's generator, and enough edges."""
    fits = whole(call.n) and 1 < call.n < 2**31 and type(call.seed) is Random
    return fits and expected >= loaders.LEAST


def _probable(call: Making) -> bool:
    number = type(call.p) in (int, float) and whole(call.n)
    return number and 0 < call.p < 1 and _random(call, call.p * call.n * (call.n - 1) / 2)


@loader
def gnp_random_graph(call: Making) -> EdgeList | None:
    """Each pair by a random number of its own."""
    if not _probable(call):
        return None
    n, directed = call.n, call.makes is nx.DiGraph
    count = n * (n - 1) // (1 if directed else 2)
    words, found = RandomWords(call.seed), []
    for begin in range(0, count, AT_A_TIME):
        chosen = words.numbers(min(AT_A_TIME, count - begin)) < call.p
        found.append(begin + np.flatnonzero(chosen))
    words.use(2 * count)
    pairs = np.concatenate(found)
    if directed:
        tails, heads = np.divmod(pairs, n - 1)
        heads += heads >= tails
    else:
        numbers = np.arange(n)
        begins = numbers * (2 * n - numbers - 1) // 2
        tails = np.searchsorted(begins, pairs, "right") - 1
        heads = pairs - begins[tails] + tails + 1
    return _edges(n, tails, heads, directed)


@loader
def fast_gnp_random_graph(call: Making) -> EdgeList | None:
    """Pairs at random distances from each other."""
    if not _probable(call) or (log_of_none := math.log(1.0 - call.p)) == 0:
        return None
    n, directed = call.n, call.makes is nx.DiGraph
    words, used = RandomWords(call.seed), 0
    ends = []
    for _ in range(1 + directed):
        pairs, drawn = _gaps(words, call.p, log_of_none, n * (n - 1) // 2)
        used += drawn
        words = RandomWords(call.seed, skip=2 * used)
        numbers = np.arange(n)
        begins = numbers * (numbers - 1) // 2
        large = np.searchsorted(begins, pairs, "right") - 1
        ends.append((large, pairs - begins[large]))
    words = RandomWords(call.seed)
    words.use(2 * used)
    if directed:  # first those to larger nodes
        (large, small), (tails, heads) = ends
        tails, heads = np.concatenate([small, tails]), np.concatenate([large, heads])
    else:
        ((tails, heads),) = ends
    return _edges(n, tails, heads, directed)


def _gaps(words: RandomWords, p: float, log_of_none: float, count: int) -> tuple[np.ndarray, int]:
    """The numbers of the pairs that are edges, of `count` in a row, and how many random numbers it
    took: the last one passes the end."""
    place, drawn, found = -1, 0, []
    most = max(min(AT_A_TIME, 2**62 // count), 1)
    while place < count:
        size = min(most, int(1.1 * p * (count - place)) + 100)
        logs = np.array(list(map(math.log, (1.0 - words.numbers(size)).tolist())))  # as NetworkX's
        gaps = np.minimum(logs / log_of_none, count).astype(np.int64)
        pairs = place + np.cumsum(1 + gaps)
        inside = int(np.searchsorted(pairs, count))
        found.append(pairs[:inside])
        drawn += min(inside + 1, size)
        place = int(pairs[-1])
    return np.concatenate(found), drawn


@loader
def gnm_random_graph(call: Making) -> EdgeList | None:
    """Pairs of random nodes, until there are so many different ones."""
    n, m, directed = call.n, call.m, call.makes is nx.DiGraph
    if type(m) is not int or not _random(call, m) or not 0 < m <= n * (n - 1) // 4:
        return None
    bits = n.bit_length()
    size = int(2.2 * m * 2**bits / n) + 100
    while True:
        numbers = RandomWords(call.seed).words(size) >> np.uint32(32 - bits)
        accepted = np.flatnonzero(numbers < n)
        pairs = numbers[accepted[: len(accepted) // 2 * 2]].astype(np.int64).reshape(-1, 2)
        low, high = pairs.T if directed else (pairs.min(axis=1), pairs.max(axis=1))
        keys, first = np.unique(low * n + high, return_index=True)
        first = np.sort(first[keys // n != keys % n])
        if len(first) >= m:
            break
        size *= 2
    first = first[:m]
    RandomWords(call.seed).use(int(accepted[2 * first[-1] + 1]) + 1)
    tails, heads = pairs[first].T
    return _edges(n, tails, heads, directed)


def _edges(n: int, tails: np.ndarray, heads: np.ndarray, directed: bool) -> EdgeList:
    return EdgeList(list(range(n)), tails.astype(np.int32), heads.astype(np.int32), {}, directed)
