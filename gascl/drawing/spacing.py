"""Turns a layout so that it fills its picture, and sets circles apart that overlap."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

#: How many directions are tried for a layout.
TURNS = 60
#: How often overlapping circles are moved. In each round most of an overlap goes.
ROUNDS = 80
#: Of the room of a picture, how much circles may cover, so that they can be set apart.
COVER = 0.25
#: More circles than this are not moved; they are made smaller.
MOVED = 20_000
#: Circles never have a smaller radius, in points: they would not be seen.
LEAST = 0.4


def turned(at: np.ndarray, room: tuple[float, float]) -> np.ndarray:
    """The positions, (V, 2), turned so that they are as large as possible in a room of some width
    and height."""
    if len(at) < 2:
        return at
    angles = np.arange(TURNS) * (np.pi / TURNS)
    across = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    wide = np.ptp(at @ across.T, axis=0)
    high = np.roll(wide, -TURNS // 2)  # a right angle farther
    best = int(np.argmin(np.round(np.maximum(wide / room[0], high / room[1]), 9)))
    c, s = across[best]
    return at @ np.array([[c, -s], [s, c]])


def scale(at: np.ndarray, room: tuple[float, float]) -> float:
    """How many points a unit of the positions is, if these fill the room."""
    if not len(at):
        return 1.0
    span = np.maximum(np.ptp(at, axis=0), 1e-9 * (1 + np.abs(at).max()))
    return float(np.min(np.array(room) / span))


def nearest(at: np.ndarray) -> float:
    """The median distance to the nearest other position; 0 of fewer than two."""
    if len(at) < 2:
        return 0.0
    return float(np.median(cKDTree(at).query(at, k=2)[0][:, 1]))


def fitted(radius: np.ndarray, room: tuple[float, float]) -> np.ndarray:
    """The radii, made smaller if the circles cover too much of the room."""
    cover = np.pi * (radius**2).sum() / (room[0] * room[1])
    return radius * min(1.0, (COVER / max(cover, 1e-12)) ** 0.5)


def apart(
    at: np.ndarray, radius: np.ndarray, room: tuple[float, float] | None, gap: float
) -> np.ndarray:
    """The positions, in points, moved a little so that circles around them do not overlap, and
    scaled so that they still fill a room, if there is one."""
    if not 1 < len(at) <= MOVED:
        return at
    radius = np.maximum(radius, 0.1)  # of 0, too, since the smaller one of a pair moves farther
    if room is not None:
        at = at - (at.min(axis=0) + at.max(axis=0)) / 2
        at = at * scale(at, room)
    # Positions that are the same are set apart in different directions.
    angle = np.arange(len(at)) * 2.39996
    at = at + 1e-3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    for _ in range(ROUNDS):
        one, other, far, wanted = _close(at, radius, gap)
        if not len(one):
            break
        step = (at[one] - at[other]) * (0.5 * (wanted - far) / np.maximum(far, 1e-9))[:, None]
        # The smaller circle of a pair moves farther.
        share = radius[other] / (radius[one] + radius[other])
        for axis in range(2):
            moved = np.bincount(one, 2 * step[:, axis] * share, len(at))
            moved -= np.bincount(other, 2 * step[:, axis] * (1 - share), len(at))
            at[:, axis] += moved
        if room is not None:
            at *= min(1.0, scale(at, room))
    return at


def shrunk(at: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """The radii, made smaller by one factor so that no circles overlap; those with the same
    position, and those that could not be seen then, still do."""
    _, _, far, wanted = _close(at, radius, 0)
    apart = far > 1e-6
    if not apart.any():
        return radius
    factor = np.min(far[apart] / wanted[apart])
    return radius * max(factor, min(1.0, LEAST / max(radius.mean(), 1e-9)))


def _close(
    at: np.ndarray, radius: np.ndarray, gap: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The pairs of circles that are closer than the gap: both ends, the distances of their centers,
    and those that they should have."""
    # A large circle looks for all others in its reach; pairs of small ones are found separately,
    # since a tree that looks as far as the largest circle for each would find far too many.
    large = radius > 3 * np.median(radius)
    small = np.flatnonzero(~large)
    pairs = []
    if len(small):
        tree = cKDTree(at[small])
        found = tree.query_pairs(2 * radius[small].max() + gap, output_type="ndarray")
        pairs.append(small[found])
    tree = cKDTree(at)
    rest = radius[small].max() if len(small) else 0.0
    many = np.flatnonzero(large)
    for vertex in many:
        reach = radius[vertex] + max(rest, radius[many].max()) + gap
        near = np.array(tree.query_ball_point(at[vertex], reach), np.int64)
        near = near[~large[near] | (near > vertex)]
        pairs.append(np.stack([np.full(len(near), vertex), near], axis=1))
    one, other = np.concatenate(pairs).astype(np.int64).reshape(-1, 2).T
    far = np.hypot(*(at[one] - at[other]).T)
    wanted = radius[one] + radius[other] + gap
    close = far < wanted - 1e-6
    return one[close], other[close], far[close], wanted[close]
