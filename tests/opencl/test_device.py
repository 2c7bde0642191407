"""Choosing a device by name, index, object and environment, and what is said without one."""

from __future__ import annotations

import threading

import pyopencl as cl
import pytest
from support.case_subsets import one_in

from gascl import DeviceError, Engine, Graph, VertexProgram, param, vertex
from gascl import devices as listed
from gascl.opencl import device as module
from gascl.opencl import device_check
from gascl.opencl.device import Device, devices
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst


class Fake:
    """What gascl asks of a pyopencl device."""

    def __init__(self, name, kind="CPU", units=4, clock=1000, **others):
        self.name, self.type = f" {name} ", getattr(cl.device_type, kind)
        self.max_compute_units, self.max_clock_frequency = units, clock
        self.max_work_group_size, self.int_ptr = 1024, id(self)
        self.global_mem_size, self.max_mem_alloc_size = 8 * 2**30, 2**30
        self.double_fp_config, self.compiler_available = 1, True
        self.__dict__.update(others)


class FakePlatform:
    version = "OpenCL 3.0"

    def __init__(self, name, *found):
        self.name, self.found = name, found
        for device in found:
            device.platform = self

    def get_devices(self):
        if not self.found:
            raise cl.LogicError("clGetDeviceIDs", cl.status_code.DEVICE_NOT_FOUND, "")
        return list(self.found)


@pytest.fixture
def three(monkeypatch):
    """A slow CPU, a fast CPU and a GPU with fewer units, on two platforms; and an empty one."""
    slow, fast = Fake("Alpha 100", units=2), Fake("Alpha 200", units=64)
    gpu = Fake("Beta", "GPU", units=10, max_work_group_size=128)
    platforms = [FakePlatform("Empty"), FakePlatform("First CL", slow, fast)]
    platforms.append(FakePlatform("Second CL", gpu))
    monkeypatch.setattr(module, "_platforms", lambda: platforms)
    monkeypatch.setattr(module, "_known", {})
    monkeypatch.setattr(device_check, "failure", lambda device: "")
    monkeypatch.delenv("GASCL_DEVICE", raising=False)
    return slow, fast, gpu


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (None, 2),
        (0, 0),
        (1, 1),
        ("2", 2),
        (" 1 ", 1),
        ("alpha", 1),
        ("Alpha 100", 0),
        ("100", 0),
        ("second cl", 2),
        ("first", 1),
        ("Beta (Second CL)", 2),
    ],
)
def test_find(three, choice, expected):
    if choice == "100":
        with pytest.raises(DeviceError, match="no device 100"):  # a number is an index
            find(choice)
    else:
        assert find(choice).cl is three[expected]


def test_find_prefers_the_platform_of_that_name(monkeypatch):
    """PoCL's device on an Intel processor has the name of that, and may be the faster one."""
    portable, own = Fake("pthread-Intel(R) Xeon", units=64), Fake("Intel(R) Xeon", units=2)
    platforms = [FakePlatform("Portable Computing Language", portable)]
    platforms.append(FakePlatform("Intel(R) OpenCL", own))
    monkeypatch.setattr(module, "_platforms", lambda: platforms)
    monkeypatch.setattr(module, "_known", {})
    assert find("intel").cl is own
    assert find("pthread").cl is portable
    assert find("PoCL").cl is portable, "the name by which everybody knows the platform"


def test_find_by_environment(three, monkeypatch):
    monkeypatch.setenv("GASCL_DEVICE", "alpha 100")
    assert find().cl is three[0]
    assert find("beta").cl is three[2], "what a program says goes before the environment"
    monkeypatch.setenv("GASCL_DEVICE", "1")
    assert find().cl is three[1]
    monkeypatch.setenv("GASCL_DEVICE", "")
    assert find().cl is three[2]
    monkeypatch.setenv("GASCL_DEVICE", "gamma")
    with pytest.raises(DeviceError, match="no device named GASCL_DEVICE='gamma'; devices: 0: Alph"):
        find()
    monkeypatch.setenv("GASCL_DEVICE", "7")
    with pytest.raises(DeviceError, match="no device GASCL_DEVICE=7; devices: 0: Alpha"):
        find()


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("gamma", "no device named 'gamma'; devices: 0: Alpha 100 (First CL); 1: Alpha 200 (Fi"),
        (3, "no device 3; devices: 0: Alpha 100 (First CL); 1: Alpha 200 (First CL); 2: Beta (S"),
        (-1, "no device -1; devices: 0: "),
        (1.5, "device=1.5: expected part of a name, an index or a pyopencl device"),
        ([], "device=[]: expected part of a name"),
    ],
)
def test_find_refuses(three, choice, said):
    with pytest.raises(DeviceError) as caught:
        find(choice)
    assert said in str(caught.value)


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
