"""Choosing a device by name, index, object and environment, and what is said without one."""

import threading

import pyopencl as cl
import pytest
from support.case_subsets import one_in
from support.fake_devices import FakePlatform

from gascl import DeviceError, Engine, Graph, VertexProgram, param, vertex
from gascl import devices as listed
from gascl.opencl import device as module
from gascl.opencl.device import Device, devices
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst


def test_listing(three):
    found = devices()
    assert [d.cl for d in found] == list(three)
    assert [str(d) for d in found] == [
        "Alpha 100 (First CL)",
        "Alpha 200 (First CL)",
        "Beta (Second CL)",
    ]
    assert [d.kind for d in found] == ["CPU", "CPU", "GPU"]
    assert [d.group for d in found] == [1, 1, 128]
    assert [d.memory for d in found] == [8 * 2**30] * 3
    assert all(a is b for a, b in zip(found, devices(), strict=True)), "one context a device"
    assert listed is devices


def test_what_a_device_lacks(three):
    assert find(0).lacks() == []
    three[0].double_fp_config, three[0].compiler_available = 0, False
    lacks = find(0).lacks()
    assert len(lacks) == 2
    assert "double precision" in lacks[0]
    assert "compiler" in lacks[1]


def test_no_platform(monkeypatch):
    def none():
        raise cl.LogicError("clGetPlatformIDs", cl.status_code.PLATFORM_NOT_FOUND_KHR, "")

    for platforms in (none, list, lambda: [FakePlatform("Empty")]):
        monkeypatch.setattr(module, "_platforms", platforms)
        with pytest.raises(DeviceError, match=r"no OpenCL platform found: `pip install pocl-bin"):
            devices()
        with pytest.raises(DeviceError, match="see the README for other platforms"):
            Engine(Graph.from_edges([0], [1]))


def test_devices_of_this_machine():
    found = devices()[0]
    assert find(found) is found
    assert find(found.cl) is found
    assert find(0) is found
    assert find(found.name) in devices()
    assert found.name == found.cl.name.strip()
    assert 0 < found.largest_buffer <= found.memory
    assert found.context.devices == [found.cl]
    assert Engine(Graph.from_edges([0], [1]), found.cl).device is found
    assert Device(found.cl, group=8).group == 8


class Nothing(VertexProgram):
    rounds = param.supersteps(default=1)
    x = vertex.int32(init="0")
    apply_on, apply = "all", "v.x += 1;"


@pytest.mark.parametrize("room", [True, False])
def test_a_device_that_can_not_build_is_at_fault(monkeypatch, room):
    """PoCL's words where it does not know the processor; and where its disk is full, which says no
    more than the last line."""
    log = (
        "clBuildProgram failed: BUILD_PROGRAM_FAILURE - clBuildProgram failed\n\n"
        "Build on <pyopencl.Device>:\n\nerror: unknown target CPU 'generic'\n"
        "Device pthread-AMD EPYC failed to build the program"
    )

    def build(*_, **__):
        raise cl.RuntimeError(log)

    device = Device(devices()[0].cl)
    monkeypatch.setattr(cl.Program, "build", build)
    monkeypatch.setattr(module, "_has_room", lambda folder: room)
    with pytest.raises(DeviceError) as caught:
        Engine(Graph.from_edges([0], [1]), device).run(Nothing())
    said = str(caught.value)
    assert said.startswith(f"{device} cannot build kernels: error: unknown target CPU 'generic'; ")
    if room or "PoCL" not in device.cl.platform.version:
        assert (
            "the device is at fault, not the program: `gascl devices` shows which devices work"
            in said
        )
    else:
        assert "where PoCL caches compiled kernels, is full: free some space" in said


@pytest.mark.parametrize("error", [KeyError("PYOPENCL_CACHE_FAILURE_FATAL"), EOFError()])
def test_what_pyopencl_kept_is_damaged(monkeypatch, error):
    """As pyopencl fails where the binary, or what it wrote beside it, was cut short."""
    build, asked = cl.Program.build, []

    def fails_by_cache(self, *arguments, cache_dir=None):
        asked.append(cache_dir)
        if cache_dir is None:
            raise error
        return build(self, *arguments, cache_dir=cache_dir)

    monkeypatch.setattr(cl.Program, "build", fails_by_cache)
    device = Device(devices()[0].cl)
    assert Engine(Graph.from_edges([0], [1]), device).run(Nothing()).x.tolist() == [1, 1]
    assert asked[0] is None
    assert asked[1] is not None


# Memory that is kept for later runs --------------------------------------------------------------


class Pooling(Device):
    """A device that keeps memory, as GPUs do."""

    pools = True


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("delivery", one_in(2, ["push", "slots", "pull"]))
def test_runs_in_memory_of_earlier_ones(delivery):
    graph = Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6])
    device = Pooling(find().cl)
    expected = Engine(graph).run(BreadthFirst(source=0)).depth
    for _ in range(3):
        result = Engine(graph, device).run(BreadthFirst(source=0), delivery=delivery)
        assert result.depth.tolist() == expected.tolist() == list(range(7))
    del result  # which has the parents in the device's memory
    kept = device.queue_of_thread().pool
    assert kept.active_bytes == 0 < kept.managed_bytes
    begun = Engine(graph, device).run(
        BreadthFirst(source=0),
        delivery=delivery,
        max_supersteps=2,
        keep_state=True,
        not_converged="ignore",
    )
    held = kept.managed_bytes
    Engine(graph, device).run(BreadthFirst(source=1), delivery=delivery)  # beside the State
    assert kept.managed_bytes > held or kept.active_bytes > 0
    rest = Engine(graph, device).run(BreadthFirst(source=0), delivery=delivery, state=begun.state)
    assert rest.depth.tolist() == list(range(7))


def test_kept_memory_is_given_back_where_another_thread_needs_it():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    device = Pooling(find().cl)
    done, over, kept = threading.Event(), threading.Event(), []

    def run():
        Engine(graph, device).run(BreadthFirst(source=0))
        kept.append(device.queue_of_thread().pool)
        done.set()
        over.wait()

    thread = threading.Thread(target=run)
    thread.start()
    done.wait()
    device.release(0)
    before = kept[0].managed_bytes
    device.release(device.memory)
    after = kept[0].managed_bytes
    over.set()
    thread.join()
    assert before > after == 0
