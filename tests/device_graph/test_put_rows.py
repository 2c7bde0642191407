"""Rows are written to their places on the device."""

import numpy as np
import pyopencl as cl
import pytest

from gascl.device_graph.gather import put_rows


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 12, 24])
def test_rows_of_any_size(device, size):
    rng = np.random.default_rng(size)
    before, rows = (rng.integers(0, 256, (n, size), dtype=np.uint8) for n in (100, 30))
    places = rng.permutation(100)[:30].astype(np.int32)
    to = device.upload(before)
    put_rows(device, to, device.upload(rows), device.upload(places), 30, size)
    found = np.empty_like(before)
    cl.enqueue_copy(device.queue, found, to)
    before[places] = rows
    assert found.tolist() == before.tolist()
