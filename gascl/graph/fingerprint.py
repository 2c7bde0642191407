"""A hash that identifies a graph, the same on every machine and in later versions."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np

#: Labels as `fingerprint` takes them: their type, and their items in blocks.
Canonical = tuple[str, Iterable[Any]]


def fingerprint(
    num_vertices: int,
    directed: bool,
    num_edges: int,
    ends: Iterable[Iterable[np.ndarray]],
    labels: Canonical | None,
) -> str:
    """The value of `Graph.fingerprint`.

    Args:
        ends: the sources of all edges, and their targets, each as consecutive arrays.
        labels: as `canonical` returns them; None: no labels.
    """
    text = blake2b(digest_size=16)
    text.update(f"{num_vertices} {directed} {num_edges} ".encode())
    for end in ends:
        for block in end:
            text.update(np.ascontiguousarray(block, dtype="<i4").data)
    if labels is not None:
        kind, blocks = labels
        text.update(kind.encode())
        for block in blocks:
            text.update(block)
    return text.hexdigest()


def hash_of(dtype: np.dtype, shape: tuple[int, ...], blocks: Iterable[np.ndarray]) -> str:
    """A hash of an array, whose values come block by block."""
    text = blake2b(f"{dtype.str} {shape} ".encode(), digest_size=16)
    for block in blocks:
        if block.dtype.hasobject:  # such as a dict of values by label
            text.update(repr(block.tolist()).encode())
        else:
            text.update(np.ascontiguousarray(block).reshape(-1).view(np.uint8).data)
    return text.hexdigest()


def canonical(labels: np.ndarray) -> Canonical:
    """Bytes that are the same for equal labels, whatever the width of their dtype."""
    if labels.dtype == object:
        plain = [x.item() if isinstance(x, np.generic) else x for x in labels.tolist()]
        return "object", [repr(plain).encode(errors="backslashreplace")]
    if labels.dtype.kind == "U":
        longest = int(np.char.str_len(labels).max()) if len(labels) else 0
        return canonical_text(longest, [labels])
    return canonical_integers(int(labels.max(initial=0)), [labels])


def canonical_integers(highest: int, blocks: Iterable[Any]) -> Canonical:
    """`canonical` of integer labels in blocks, of which `highest` is the highest, or 0."""
    dtype = np.dtype("<i8" if highest < 2**63 else "<u8")
    return dtype.str, (np.ascontiguousarray(b, dtype=dtype).view(np.uint8).data for b in blocks)


def canonical_text(longest: int, blocks: Iterable[Any]) -> Canonical:
    """`canonical` of text labels in blocks; the longest has `longest` characters."""
    dtype = np.dtype(f"<U{max(longest, 1)}")
    return dtype.str, (np.array(block, dtype).view(np.uint8).data for block in blocks)
