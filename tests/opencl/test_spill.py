"""Data of vertices in files, on CPUs."""

from __future__ import annotations

import errno
import os
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from support.agreement import find_device

from gascl import DeviceError, Engine, GasclError, generators
from gascl.opencl.spill import SPILLED, Spill
from gascl.programs import BreadthFirst, PageRank


@pytest.mark.parametrize("group", [1, 8])
def test_a_run_in_files(tmp_path, monkeypatch, group):
    """The same values; all that has an item for each vertex is in files without names."""
    graph, device = generators.grid(150, 200), find_device(group)
    sizes, array = [], Spill.array

    def watched(spill, size):
        sizes.append(size)
        return array(spill, size)

    monkeypatch.setattr(Spill, "array", watched)
    for program in (PageRank(supersteps=3), BreadthFirst(source=7, hops=9)):
        expected = Engine(graph, device).run(program)
        engine = Engine(graph, device, spill=tmp_path)
        found = engine.run(program, callback=lambda step: sizes.append(len([*tmp_path.iterdir()])))
        fields = sum(values.nbytes for values in expected.fields.values())
        assert sum(sizes) >= fields and min(n for n in sizes if n) >= SPILLED and 0 in sizes
        for name in expected.fields:
            assert found[name].tobytes() == expected[name].tobytes()
        assert f"spill={str(tmp_path)!r}" in repr(engine)
        sizes.clear()


def test_what_is_in_files_takes_no_memory(tmp_path):
    """With little memory for the arcs, which come in parts."""
    graph, device, program = generators.grid(150, 200), find_device(1), PageRank(supersteps=3)
    room = {"device_memory": graph.num_arcs * 4 // 2}
    with pytest.raises(DeviceError, match="what it keeps of vertices"):
        Engine(graph, device, **room).run(program)
    found = Engine(graph, device, **room, spill=tmp_path).run(program)
    assert found.trace[0].why.startswith("the arcs come in")
    told = str(Engine(graph, device, **room, spill=tmp_path).explain(program))
    assert re.search(
        r"memory: [\d.]+ KiB of [\d.]+ KiB on the device, and [\d.]+ [KM]iB in files", told
    )
    assert re.search(r"[1-9].* KiB of vertices are in files", told)
    expected = Engine(graph, device).run(program)
    np.testing.assert_allclose(found["rank"], expected["rank"], rtol=1e-5)


def test_files_are_memory(tmp_path):
    spill = Spill(tmp_path)
    first, second = spill.array(SPILLED), spill.array(SPILLED)
    first[:], second[-1] = 7, 9
    assert (first == 7).all() and second.tolist() == [0] * (SPILLED - 1) + [9]
    assert not len(spill.array(0)) and not [*tmp_path.iterdir()]


def test_disks_that_are_full(tmp_path, monkeypatch):
    graph, device = generators.grid(150, 200), find_device(1)
    with monkeypatch.context() as small:
        small.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=SPILLED))
        with pytest.raises(DeviceError, match=r"has 64\.0 KiB free: name a folder of another disk"):
            Engine(graph, device, spill=tmp_path).run(PageRank())
    with pytest.raises(DeviceError, match="File too large; name another folder"):
        Spill(tmp_path).array(2**60)

    def denied(*_):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    with monkeypatch.context() as broken:
        broken.setattr(os, "posix_fallocate", denied)
        with pytest.raises(DeviceError, match="Disk quota exceeded; name another folder"):
            Spill(tmp_path).array(1)
    assert not [*tmp_path.iterdir()]


def test_what_is_refused(tmp_path, three):
    graph = generators.path(9)
    with pytest.raises(GasclError, match=r"spill='.*none': name a folder that can be written to"):
        Engine(graph, "Alpha 200", spill=tmp_path / "none")
    for wrong in (3, True, b"x", ""):
        with pytest.raises(GasclError, match=r"spill=.* must be the path of a folder"):
            Engine(graph, "Alpha 200", spill=wrong)
    with pytest.raises(GasclError, match=r"spill= is for CPUs, and Beta .*: leave it out"):
        Engine(graph, "Beta", spill=tmp_path)
