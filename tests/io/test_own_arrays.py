"""What readers made is not copied again, and what is someone else's is never shared."""

import numpy as np
import pytest
import scipy.sparse as sp

from gascl import Graph, GraphError
from gascl.graph import validation
from gascl.graph.raw_graph import RawGraph


def parsed(**given):
    ends = {"src": np.int32([0, 2, 1]), "dst": np.int32([1, 1, 0])}
    return RawGraph(**{**ends, "num_vertices": 3, "directed": True, **given})


def test_arrays_of_a_reader_are_taken():
    given = parsed(fields={"weight": np.float32([1, 2, 3])})
    graph = Graph._from_raw(given, "keep", "keep", own=True)
    assert graph.edge_src is given.src and graph.edge_dst is given.dst
    assert graph.edge_fields["weight"] is given.fields["weight"]
    assert not graph.edge_src.flags.writeable


def test_what_cannot_be_taken_is_copied():
    """Views of a file, which cannot be written, other types, and columns of a table."""
    read_only = np.int32([0, 2, 1])
    read_only.setflags(write=False)
    table = np.arange(6, dtype=np.int64).reshape(3, 2)
    given = parsed(src=read_only, dst=np.int64([1, 1, 0]), fields={"weight": table[:, 0]})
    graph = Graph._from_raw(given, "keep", "keep", own=True)
    assert not np.shares_memory(graph.edge_src, read_only) and graph.edge_dst.dtype == np.int32
    weight = graph.edge_fields["weight"]
    assert not np.shares_memory(weight, table) and weight.flags.c_contiguous
    assert weight.tolist() == [0, 2, 4]


def test_a_users_arrays_are_copied():
    src, weight = np.int32([0, 1]), np.float64([1, 2])
    graph = Graph.from_edges(src, [1, 0], weight=weight)
    matrix = sp.coo_array((weight, ([0, 1], [1, 0])), shape=(2, 2))
    other = Graph.from_scipy(matrix)
    src[:] = 7
    weight[:] = 7
    assert graph.edge_src.tolist() == [0, 1] and graph.edge_fields["weight"].tolist() == [1, 2]
    assert other.edge_fields["weight"].tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_ids_out_of_range(dtype):
    """In whatever type; negative ones are found among unsigned ones."""
    assert validation.limits(np.array([3, 5], dtype)) == (0 if dtype == np.int32 else 3, 5)
    assert validation.limits(np.array([], dtype)) == (0, -1)
    with pytest.raises(GraphError, match="edge 1: dst is 3, and the graph has 3 vertices"):
        Graph.from_edges(np.array([0, 1], dtype), np.array([2, 3], dtype), num_vertices=3)
    if np.dtype(dtype).kind == "i":
        assert validation.limits(np.array([3, -5, 1], dtype)) == (-5, 3)
        with pytest.raises(GraphError, match="edge 1: src is -1"):
            Graph.from_edges(np.array([0, -1], dtype), np.array([1, 1], dtype))
