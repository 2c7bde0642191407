"""The arcs of a graph in both orders, and the slots that join them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

INT32_MAX = int(np.iinfo(np.int32).max)
#: Pairs examined at a time.
_PART = 1 << 20


def index_dtype(num_arcs: int) -> np.dtype:
    """The dtype of offsets, edge ids and slots: int32 while `num_arcs` itself fits, else int64."""
    return np.dtype(np.int32 if num_arcs <= INT32_MAX else np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Arcs:
    """Every arc twice: by the vertex that scatters (CSR) and by the one that receives (CSC).

    CSR order is by (scattering vertex, other end, edge id), CSC order by (receiving vertex,
    scattering vertex, edge id). A arcs, V vertices; I is `index_dtype(A)`. All are read-only.

    `slot` is the reverse-edge index of Che, "GasCL: A Vertex-Centric Graph Model for GPUs"
    (HPEC 2014), section IV-B: a vertex that scatters along CSR arc i writes its message to
    `slot[i]`, and the slots of each receiving vertex are contiguous.
    """

    out_offsets: np.ndarray  # I (V+1): the arcs that v scatters on are out_offsets[v:v+2]
    out_targets: np.ndarray  # int32 (A): the receiving end of each arc, in CSR order
    out_edges: np.ndarray  # I (A): edge ids
    out_reversed: np.ndarray  # uint8 (A): 1 where the arc runs from edge_dst to edge_src
    in_offsets: np.ndarray  # I (V+1): the arcs that v receives on are in_offsets[v:v+2]
    in_sources: np.ndarray  # int32 (A): the scattering end of each arc, in CSC order
    in_edges: np.ndarray  # I (A)
    in_reversed: np.ndarray  # uint8 (A)
    slot: np.ndarray  # I (A): for each arc in CSR order its place in CSC order

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)


def build_arcs(
    src: np.ndarray, dst: np.ndarray, num_vertices: int, *, forward: bool, backward: bool
) -> Arcs:
    """The arcs of the edges (src[i], dst[i]), in time and memory linear in vertices and edges.

    Equal arrays are shared: the flags if all arcs run one way, the two orders if all arcs run both
    ways, and the edges' own arrays if they are given in one of the orders.

    Args:
        src, dst: int32 (E,), ids below `num_vertices`.
        forward, backward: make arcs from src to dst, from dst to src, or both. A self-loop is one
            arc, and a forward one if both are asked for.
    """
    if forward and backward:
        return _both_ways(src, dst, num_vertices)
    return _one_way(*((src, dst) if forward else (dst, src)), num_vertices, forward)


def _one_way(tail: np.ndarray, head: np.ndarray, num_vertices: int, forward: bool) -> Arcs:
    from scipy.sparse import csc_array

    is_reversed = np.full(len(tail), 1, np.uint8) if not forward else np.zeros(len(tail), np.uint8)
    if _in_order(tail, head):
        return _in_csr_order(tail, head, num_vertices, is_reversed)
    if _in_order(head, tail):
        return _in_csc_order(tail, head, num_vertices, is_reversed)
    dtype = index_dtype(len(tail))
    in_offsets, in_sources, in_edges = by_ends(head, tail, num_vertices)
    # Converting back sorts by tail and keeps the order otherwise. It carries along each arc's edge
    # and position, as two int32 in one int64 if they are that narrow.
    narrow = dtype == np.int32
    carried = np.empty((len(tail), 2 if narrow else 1), dtype=dtype)
    if narrow:
        carried[:, 0] = in_edges
    carried[:, -1] = np.arange(len(tail), dtype=dtype)
    by_tail = csc_array(
        (carried.reshape(-1).view(np.int64), in_sources, in_offsets),
        shape=(num_vertices, num_vertices),
    ).tocsr()
    carried = by_tail.data.view(dtype).reshape(carried.shape)
    offsets, targets = by_tail.indptr, by_tail.indices
    del by_tail
    slot = carried[:, -1].copy()
    return Arcs(
        out_offsets=offsets.astype(dtype, copy=False),
        out_targets=targets.astype(np.int32, copy=False),
        out_edges=carried[:, 0].copy() if narrow else in_edges[slot],
        out_reversed=is_reversed,
        in_offsets=in_offsets,
        in_sources=in_sources,
        in_edges=in_edges,
        in_reversed=is_reversed,
        slot=slot,
    )


def _in_csr_order(
    tail: np.ndarray, head: np.ndarray, num_vertices: int, is_reversed: np.ndarray
) -> Arcs:
    """Edges already sorted by tail and then head: arc i of CSR is edge i."""
    from scipy.sparse import csr_array

    dtype = index_dtype(len(tail))
    places = np.arange(len(tail), dtype=dtype)
    offsets = _offsets(tail, num_vertices)
    shape = (num_vertices, num_vertices)
    by_head = csr_array((places, head, offsets), shape=shape).tocsc()
    slot = np.empty_like(places)
    slot[by_head.data] = places
    return Arcs(
        out_offsets=offsets,
        out_targets=head,
        out_edges=places,
        out_reversed=is_reversed,
        in_offsets=by_head.indptr.astype(dtype, copy=False),
        in_sources=by_head.indices.astype(np.int32, copy=False),
        in_edges=by_head.data,
        in_reversed=is_reversed,
        slot=slot,
    )


def _in_csc_order(
    tail: np.ndarray, head: np.ndarray, num_vertices: int, is_reversed: np.ndarray
) -> Arcs:
    """Edges already sorted by head and then tail: arc i of CSC is edge i, and slots are edges."""
    from scipy.sparse import csc_array

    dtype = index_dtype(len(tail))
    places = np.arange(len(tail), dtype=dtype)
    offsets = _offsets(head, num_vertices)
    shape = (num_vertices, num_vertices)
    by_tail = csc_array((places, tail, offsets), shape=shape).tocsr()
    return Arcs(
        out_offsets=by_tail.indptr.astype(dtype, copy=False),
        out_targets=by_tail.indices.astype(np.int32, copy=False),
        out_edges=by_tail.data,
        out_reversed=is_reversed,
        in_offsets=offsets,
        in_sources=tail,
        in_edges=places,
        in_reversed=is_reversed,
        slot=by_tail.data,
    )


def _in_order(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether pairs are sorted by `first` and then `second`."""
    for begin in range(0, len(first), _PART):
        a, b = (ends[begin : begin + _PART + 1] for ends in (first, second))
        same = a[1:] == a[:-1]
        if not ((a[1:] > a[:-1]) | (same & (b[1:] >= b[:-1]))).all():
            return False
    return True


def _offsets(ends: np.ndarray, num_vertices: int) -> np.ndarray:
    """I (V+1): the start of each vertex's run in sorted ends."""
    offsets = np.zeros(num_vertices + 1, dtype=index_dtype(len(ends)))
    np.cumsum(np.bincount(ends, minlength=num_vertices), out=offsets[1:])
    return offsets


def _both_ways(src: np.ndarray, dst: np.ndarray, num_vertices: int) -> Arcs:
    """Every arc has a reverse of the same edge (a self-loop is its own), so CSC is CSR with all
    arcs reversed, and the slot of an arc is the position of its reverse."""
    from scipy.sparse import csr_array

    tail = np.stack([src, dst], axis=1).ravel()
    head = np.stack([dst, src], axis=1).ravel()
    numbers = np.arange(len(tail), dtype=index_dtype(len(tail)))  # 2 * edge + whether reversed
    loops = bool((src == dst).any())
    if loops:
        kept = tail != head
        kept[::2] = True
        tail = tail[kept]
        head = head[kept]
        numbers = numbers[kept]
        del kept
    dtype = index_dtype(len(tail))
    by_head = _by_head(tail, head, numbers, num_vertices)
    del tail, head, numbers  # they are large
    offsets, targets, numbers = _turned(by_head)
    del by_head
    out_reversed = (numbers & 1).astype(np.uint8)
    in_reversed = out_reversed ^ 1
    if loops:
        tail = np.repeat(np.arange(num_vertices, dtype=np.int32), np.diff(offsets))
        in_reversed[tail == targets] = 0
        del tail
    numbers >>= 1
    edges = numbers.astype(dtype, copy=False)
    places = np.arange(len(targets), dtype=dtype)
    shape = (num_vertices, num_vertices)
    slot = csr_array((places, targets, offsets), shape=shape).tocsc().data
    return Arcs(
        out_offsets=offsets,
        out_targets=targets,
        out_edges=edges,
        out_reversed=out_reversed,
        in_offsets=offsets,
        in_sources=targets,
        in_edges=edges,
        in_reversed=in_reversed,
        slot=slot,
    )


def by_ends(
    tail: np.ndarray, head: np.ndarray, num_vertices: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs (tail[i], head[i]) sorted by tail and then head; equal ones keep their order.

    Args:
        tail, head: int32 (A,), ids below `num_vertices`.

    Returns:
        Offsets (V+1) of each tail's run, the heads int32 (A,), the positions of the pairs (A,).
    """
    places = np.arange(len(tail), dtype=index_dtype(len(tail)))
    return _turned(_by_head(tail, head, places, num_vertices))


def _by_head(tail: np.ndarray, head: np.ndarray, numbers: np.ndarray, num_vertices: int) -> Any:
    """The matrix (V, V) with `numbers` at [head, tail], each row in the given order.

    SciPy's conversions of COO to CSR and of CSR to CSC are stable counting sorts, each one pass.
    """
    from scipy.sparse import coo_array

    matrix = coo_array((numbers, (head, tail)), shape=(num_vertices, num_vertices))
    matrix.has_canonical_format = True  # else SciPy would add up duplicates
    return matrix.tocsr()


def _turned(by_head: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    by_tail = by_head.tocsc()
    offsets = by_tail.indptr.astype(index_dtype(len(by_tail.data)), copy=False)
    return offsets, by_tail.indices.astype(np.int32, copy=False), by_tail.data


def stable_order(keys: np.ndarray, num_keys: int) -> np.ndarray:
    """The stable order that sorts `keys`, integers in [0, num_keys), in linear time."""
    from scipy.sparse import coo_array

    places = np.arange(len(keys), dtype=index_dtype(len(keys)))
    matrix = coo_array((places, (keys, np.zeros(len(keys), np.int8))), shape=(num_keys, 1))
    matrix.has_canonical_format = True
    return matrix.tocsr().data
