"""Random simple graphs of given degrees: the configuration model (Molloy, Reed 1995), whose
parallel edges and self-loops are drawn again, or removed by swaps."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gascl.generators.random_words import Draws, RandomWords

ROUNDS = 100  # the largest number of rounds in which misfits are drawn again
ENOUGH = 0.8  # the last round is one that leaves a greater share of the misfits
POOL = 4  # other edges that are drawn again with each misfit
PATIENCE = 5  # swaps tried for a misfit before giving up, as a multiple of its group's edges


def paired(
    degree: np.ndarray,
    group: np.ndarray,
    apart: np.ndarray | None,
    words: RandomWords,
    draws: Draws,
) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    """Edges that give the vertices these degrees, without parallel edges and self-loops.

    Args:
        degree: int64 (V,), with an even sum in each group.
        group: int64 (V,): both ends of an edge are in one group.
        apart: int64 (V,): edges join only vertices that differ in it; None: any two.
        words, draws: random streams.

    Returns:
        The ends, int64 (E,) each, the lower one first, sorted; and the number of edges that could
        not be placed.
    """
    count = len(degree)
    src, dst = _joined(np.repeat(np.arange(count, dtype=np.int64), degree), group, words)
    before = len(src) + 1
    for _ in range(ROUNDS):
        order, bad = _misfits(src, dst, count, apart)
        src, dst = src[order], dst[order]
        wrong = int(np.count_nonzero(bad))
        if not wrong or wrong > ENOUGH * before:
            break
        before = wrong
        # Misfits and some other edges of their groups are split, and their ends joined again.
        of = group[src]
        many = np.bincount(of[bad], minlength=count)[of]
        pool = bad | (words.unit(len(src)) * np.bincount(of, minlength=count)[of] < POOL * many)
        new = _joined(np.concatenate([src[pool], dst[pool]]), group, words)
        src, dst = (np.concatenate(x) for x in ((src[~pool], new[0]), (dst[~pool], new[1])))
    order, bad = _misfits(src, dst, count, apart)
    src, dst = src[order], dst[order]
    if bad.any():
        _swap_away(src, dst, bad, group, apart, draws)
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
        order, bad = _misfits(src, dst, count, apart)
        src, dst = src[order], dst[order]
    return (src[~bad], dst[~bad]), int(bad.sum())


def _joined(
    ends: np.ndarray, group: np.ndarray, words: RandomWords
) -> tuple[np.ndarray, np.ndarray]:
    """Join the ends in pairs at random, within groups; the lower end comes first."""
    order = np.argsort(words.take(len(ends)), kind="stable")
    order = order[np.argsort(group[ends[order]], kind="stable")]
    pairs = ends[order].reshape(-1, 2)
    return pairs.min(axis=1), pairs.max(axis=1)


def _misfits(
    src: np.ndarray, dst: np.ndarray, count: int, apart: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The order of the edges by their ends, and in that order which of them are misfits."""
    codes = src * count + dst
    order = np.argsort(codes, kind="stable")
    bad = np.diff(codes[order], prepend=-1) == 0
    bad |= src[order] == dst[order]
    if apart is not None:
        bad |= apart[src[order]] == apart[dst[order]]
    return order, bad


def _swap_away(
    src: np.ndarray,
    dst: np.ndarray,
    bad: np.ndarray,
    group: np.ndarray,
    apart: np.ndarray | None,
    draws: Draws,
) -> None:
    """Swap ends of misfits with other edges of their group, in place, group by group."""
    order = np.argsort(group[src], kind="stable")
    of = group[src[order]]
    for number in np.unique(of[bad[order]]).tolist():
        mine = order[np.searchsorted(of, number) : np.searchsorted(of, number, side="right")]
        u, v = src[mine].tolist(), dst[mine].tolist()
        # Vertices of one kind may not be joined; without `apart` each is its own kind.
        names = np.unique(np.concatenate([src[mine], dst[mine]])).tolist()
        kind = {n: n for n in names} if apart is None else {n: int(apart[n]) for n in names}
        _swap_in_group(u, v, np.flatnonzero(bad[mine]).tolist(), kind, draws)
        src[mine], dst[mine] = u, v


def _swap_in_group(
    u: list[int], v: list[int], wrong: list[int], kind: dict[int, int], draws: Draws
) -> None:
    """Edge i joins u[i] and v[i]; those in `wrong` repeat others or join vertices of one kind."""
    size, span = len(u), max(kind) + 1
    # The number of edges between two vertices, by lower * span + higher.
    times = Counter(a * span + b if a < b else b * span + a for a, b in zip(u, v, strict=True))
    tries = 100 + PATIENCE * size
    for i in wrong:
        for number in range(tries):
            # If no swap helps, other edges are swapped as well, until one does.
            k = i if number < tries // 2 or number & 1 else draws.below(size)
            a, b = u[k], v[k]
            code = a * span + b if a < b else b * span + a
            if k == i and kind[a] != kind[b] and times[code] == 1:
                break
            drawn = draws.below(2 * size)
            j = drawn >> 1
            c, d = (v[j], u[j]) if drawn & 1 else (u[j], v[j])
            if kind[a] == kind[c] or kind[b] == kind[d]:
                continue
            first = a * span + c if a < c else c * span + a
            second = b * span + d if b < d else d * span + b
            if first in times or second in times or first == second:
                continue
            for gone in (code, c * span + d if c < d else d * span + c):
                times[gone] -= 1
                if not times[gone]:
                    del times[gone]
            times[first] = times[second] = 1
            u[k], v[k], u[j], v[j] = a, c, b, d
