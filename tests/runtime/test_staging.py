"""Arrays that go through pinned memory, piece by piece."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

from gascl.runtime import device as devices
from gascl.runtime import staging
from gascl.runtime.device import Device, find
from gascl.runtime.staging import Staging


@pytest.mark.parametrize("count", [0, 1, 3, 8, 9, 16, 17, 1000])
def test_there_and_back(monkeypatch, count):
    monkeypatch.setattr(staging, "PIECE", 64)
    monkeypatch.setattr(staging, "BLOCK", 7)
    device = find()
    staged = Staging(device.queue)
    values = np.random.default_rng(count).random(count)
    buffer = device.reserve(values.nbytes)
    staged.write(buffer, values)
    plain = np.zeros(count)
    if count:
        cl.enqueue_copy(device.queue, plain, buffer)
    assert np.array_equal(plain, values)
    found = np.zeros(count)
    staged.read(found, buffer)
    assert np.array_equal(found, values)


@pytest.mark.parametrize("shape", [(), (1, 1), (2, 4), (3,)])
def test_rows_find_their_places(monkeypatch, shape):
    monkeypatch.setattr(devices, "LARGE", 0)
    monkeypatch.setattr(devices, "LESS_LARGE", 0)
    monkeypatch.setattr(Device, "kind", "GPU")
    monkeypatch.setattr(staging, "PIECE", 64)
    monkeypatch.setattr(devices, "PIECE", 64)
    device = Device(find().cl)
    rng = np.random.default_rng(1)
    values, places = rng.random((1000, *shape)), rng.permutation(1000).astype(np.int32)
    found, expected = np.zeros_like(values), np.zeros_like(values)
    expected[places] = values
    device.download(found, device.upload(values), places)
    assert np.array_equal(found, expected)


def test_large_arrays_go_to_gpus_and_back_so(monkeypatch):
    monkeypatch.setattr(devices, "LARGE", 20_000)
    monkeypatch.setattr(devices, "LESS_LARGE", 2000)
    monkeypatch.setattr(Device, "kind", "GPU")
    device = Device(find().cl)
    for count, staged in ((600, False), (5000, True), (600, True), (400, False)):
        values = np.arange(count, dtype=np.int32).reshape(-1, 4).T
        found = np.empty(count, np.int32)
        device.download(found, device.upload(values))
        assert np.array_equal(found, values.ravel())
        assert (device.queue_of_thread().staging(4 * count) is not None) == staged
