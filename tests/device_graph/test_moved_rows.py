"""Rows are moved by index on the device, and vertices are listed there."""

import numpy as np
import pyopencl as cl
import pytest

from gascl.device_graph.gather import get_rows, list_vertices, put_rows


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 12, 24])
def test_rows_of_any_size(device, size):
    rng = np.random.default_rng(size)
    before, rows = (rng.integers(0, 256, (n, size), dtype=np.uint8) for n in (100, 30))
    places = rng.permutation(100)[:30].astype(np.int32)
    to = device.upload(before)
    put_rows(device, to, device.upload(rows), device.upload(places), 30, size)
    found = np.empty_like(before)
    cl.enqueue_copy(device.queue, found, to)
    read, back = device.upload(np.zeros_like(rows)), np.empty_like(rows)
    get_rows(device, read, to, device.upload(places), 30, size)
    cl.enqueue_copy(device.queue, back, read)
    assert back.tolist() == rows.tolist()
    before[places] = rows
    assert found.tolist() == before.tolist()


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 5000])
@pytest.mark.parametrize("first", [0, 7])
def test_a_list_of_the_vertices_of_pieces(device, count, first):
    rng = np.random.default_rng(count)
    pieces = np.zeros((first + count + 40, 2), np.int32)
    pieces[:, 0], pieces[:, 1] = rng.permutation(len(pieces)), rng.integers(0, 3, len(pieces))
    lengths, listed = np.array([9, count, 77, 5], np.int32), np.full(len(pieces), -1, np.int32)
    on_device = [device.upload(each) for each in (pieces, lengths, listed)]
    list_vertices(device, on_device[0], first, on_device[1], 1, 2, on_device[2])
    cl.enqueue_copy(device.queue, lengths, on_device[1])
    cl.enqueue_copy(device.queue, listed, on_device[2])
    its = pieces[first : first + count]
    expected = sorted(its[its[:, 1] == 0, 0].tolist())
    assert lengths.tolist() == [9, count, len(expected), 5]
    assert sorted(listed[: len(expected)].tolist()) == expected
    assert set(listed[len(expected) :].tolist()) <= {-1}
