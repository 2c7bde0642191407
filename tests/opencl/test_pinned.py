"""Arrays that go through pinned memory, piece by piece."""

import numpy as np
import pyopencl as cl
import pytest

from gascl import Graph
from gascl.opencl import device as devices
from gascl.opencl import pinned
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.opencl.pinned import Staging


@pytest.mark.parametrize("count", [0, 1, 3, 8, 9, 16, 17, 1000])
def test_there_and_back(monkeypatch, count):
    monkeypatch.setattr(pinned, "PIECE", 64)
    monkeypatch.setattr(pinned, "BLOCK", 7)
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
    monkeypatch.setattr(devices, "SEVERAL", 0)
    monkeypatch.setattr(Device, "kind", "GPU")
    monkeypatch.setattr(pinned, "PIECE", 64)
    monkeypatch.setattr(devices, "PIECE", 64)
    device = Device(find().cl)
    rng = np.random.default_rng(1)
    values, places = rng.random((1000, *shape)), rng.permutation(1000).astype(np.int32)
    found, expected = np.zeros_like(values), np.zeros_like(values)
    expected[places] = values
    device.download(found, device.upload(values), places)
    assert np.array_equal(found, expected)


def test_large_arrays_go_to_gpus_and_back_so(monkeypatch):
    monkeypatch.setattr(devices, "LARGE", 2000)
    monkeypatch.setattr(devices, "SEVERAL", 20_000)
    monkeypatch.setattr(Device, "kind", "GPU")
    device = Device(find().cl)
    for count, staged in ((600, False), (5000, True), (600, True), (400, False)):
        values = np.arange(count, dtype=np.int32).reshape(-1, 4).T
        found = np.empty(count, np.int32)
        device.download(found, device.upload(values))
        assert np.array_equal(found, values.ravel())
        assert (device.queue_of_thread().staging(4 * count) is not None) == staged


@pytest.mark.parametrize("writeable", [True, False])
@pytest.mark.parametrize("first", [0, 3])
def test_memory_is_pinned_where_it_is(writeable, first):
    values = np.arange(100_000, dtype=np.int32)[first:]
    values.setflags(write=writeable)
    found = pinned.in_pinned(find().context, values)
    assert found.base is not None and np.shares_memory(found, values)
    assert found.flags.writeable == writeable
    del values
    assert np.array_equal(found, np.arange(first, 100_000))
    assert np.array_equal(pinned.in_pinned(find().context, found), found)  # twice


@pytest.mark.parametrize("reader", ["NumPy's", "gascl's"])
def test_files_are_copied_to_pinned_memory(monkeypatch, tmp_path, reader):
    monkeypatch.setattr("gascl.io.mapped_npz.MAPPED", 1)
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0])
    if reader == "gascl's":
        graph.write(tmp_path / "g.npz")
        values = Graph.read(tmp_path / "g.npz").edge_src
    else:
        np.save(tmp_path / "src.npy", graph.edge_src)
        values = np.load(tmp_path / "src.npy", mmap_mode="r")
    found = pinned.in_pinned(find().context, values)
    assert not np.shares_memory(found, values)
    assert np.array_equal(found, [0, 1, 2])


@pytest.mark.parametrize("size", [0, 5])
def test_what_cannot_be_pinned_stays(monkeypatch, size):
    def full(*_, **given):
        raise cl.MemoryError("out of host memory")

    monkeypatch.setattr(cl, "Buffer", full)
    values = np.arange(size)
    assert pinned.in_pinned(find().context, values) is values
    assert len(pinned.pinned(find().context, size)) == size
