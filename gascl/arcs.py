"""The arcs of a graph in both orders, and the slots that join them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

INT32_MAX = int(np.iinfo(np.int32).max)


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

    Args:
        src, dst: int32 (E,), ids below `num_vertices`.
        forward, backward: make arcs from src to dst, from dst to src, or both. A self-loop is one
            arc, and a forward one where both are asked for.
    """
    from scipy.sparse import csc_array, csr_array

    tail, head, edge, is_reversed = _arcs_by_edge(src, dst, forward, backward)
    shape = (num_vertices, num_vertices)
    offsets, order = _counting_sort(tail, num_vertices)
    # Converting between CSR and CSC sorts by the other end and keeps the order of the rest, so that
    # the arcs, which begin by edge id, come by (head, tail, id) and then by (tail, head, id).
    by_head = csr_array((order, head[order], offsets), shape=shape).tocsc()
    places = np.arange(len(order), dtype=order.dtype)
    by_tail = csc_array((places, by_head.indices, by_head.indptr), shape=shape).tocsr()
    slot = by_tail.data
    in_edges = edge[by_head.data]
    in_reversed = is_reversed[by_head.data]
    return Arcs(
        out_offsets=by_tail.indptr.astype(order.dtype, copy=False),
        out_targets=by_tail.indices.astype(np.int32, copy=False),
        out_edges=in_edges[slot],
        out_reversed=in_reversed[slot],
        in_offsets=by_head.indptr.astype(order.dtype, copy=False),
        in_sources=by_head.indices.astype(np.int32, copy=False),
        in_edges=in_edges,
        in_reversed=in_reversed,
        slot=slot,
    )


def _arcs_by_edge(
    src: np.ndarray, dst: np.ndarray, forward: bool, backward: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tail, head, edge id and direction of every arc, by edge id."""
    num_edges = len(src)
    if not (forward and backward):
        tail, head = (src, dst) if forward else (dst, src)
        edge = np.arange(num_edges, dtype=index_dtype(num_edges))
        return tail, head, edge, np.full(num_edges, not forward, dtype=np.uint8)
    kept = np.ones((num_edges, 2), dtype=bool)
    kept[:, 1] = src != dst
    keep = kept.ravel()
    tail = np.stack([src, dst], axis=1).ravel()[keep]
    head = np.stack([dst, src], axis=1).ravel()[keep]
    edge = np.repeat(np.arange(num_edges, dtype=index_dtype(len(tail))), 2)[keep]
    is_reversed = np.tile(np.array([0, 1], dtype=np.uint8), num_edges)[keep]
    return tail, head, edge, is_reversed


def stable_order(keys: np.ndarray, num_keys: int) -> np.ndarray:
    """The stable order that sorts `keys`, integers in [0, num_keys), in linear time."""
    return _counting_sort(keys, num_keys)[1]


def _counting_sort(keys: np.ndarray, num_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets (num_keys+1) of each key's run, and the stable order (len(keys)) that sorts `keys`.

    SciPy's conversion of CSR to CSC is a stable counting sort: here of a matrix that has one
    entry in each row, in the column that the row's key names.
    """
    from scipy.sparse import csr_array

    count = len(keys)
    dtype = index_dtype(count)
    rows = np.arange(count + 1, dtype=dtype)
    marks = np.ones(count, dtype=np.int8)
    matrix = csr_array((marks, keys, rows), shape=(count, num_keys)).tocsc()
    return matrix.indptr.astype(dtype, copy=False), matrix.indices.astype(dtype, copy=False)
