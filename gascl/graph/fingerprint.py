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


def canonical(labels: np.ndarray) -> Canonical:
    """Bytes that are the same for equal labels, whatever the width of their dtype."""
    if labels.dtype == object:
        plain = [x.item() if isinstance(x, np.generic) else x for x in labels.tolist()]
        return "object", [repr(plain).encode(errors="backslashreplace")]
    if labels.dtype.kind == "U":
        longest = int(np.char.str_len(labels).max()) if len(labels) else 0
        return canonical_text(longest, [labels])
    signed = labels.dtype.kind == "i" or not len(labels) or labels.max() < 2**63
    dtype = np.dtype("<i8" if signed else "<u8")
    return dtype.str, [np.ascontiguousarray(labels, dtype=dtype).view(np.uint8).data]


def canonical_text(longest: int, blocks: Iterable[Any]) -> Canonical:
    """`canonical` of text labels in blocks; the longest has `longest` characters."""
    dtype = np.dtype(f"<U{max(longest, 1)}")
    return dtype.str, (np.array(block, dtype).view(np.uint8).data for block in blocks)
