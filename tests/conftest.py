"""Fixtures of the tests of files and of the command."""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
from importlib.util import find_spec
from typing import Any

import hypothesis
import numpy as np
import pytest
from support import case_subsets
from support.agreement import GROUPS, find_device
from support.filecases import put

from gascl.cli.main import main
from gascl.util.progress import Progress

# Tests start hundreds of processes. Each would compile all modules that it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# How long an example takes depends on what else the machine does.
hypothesis.settings.register_profile("all", deadline=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=40)


def pytest_configure(config: pytest.Config) -> None:
    """Fewer examples, which differ from run to run, unless slow tests are asked for."""
    gc.disable()
    quick = config.option.markexpr == "not slow"
    case_subsets.ALL = not quick
    hypothesis.settings.load_profile("quick" if quick else "all")


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not case_subsets.ALL:
        case_subsets.mark_repeated_values(items)


def pytest_collection_finish() -> None:
    """What has been collected, half a million objects, stays until the end: the garbage collector
    need not look at it again and again."""
    gc.freeze()
    gc.enable()


class Missing:
    """Finds no module: where a test needs a library that is compared with, and is not installed, it
    is skipped, or all tests of its file."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name in ("igraph", "networkx", "pandas"):
            pytest.skip(f"{name} is not installed", allow_module_level=True)


sys.meta_path.append(Missing)  # asked where all others have found nothing

# Ignored in jobs that a shell runs in the background, and then tests of Ctrl-C press it in vain.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def gascl_(capsys, monkeypatch):
    """Runs the command in this process: gascl_(...) -> (exit code, stdout, stderr).

    It reports no progress, which stderr would have on a slow machine only.
    """
    monkeypatch.setattr(Progress, "LINES", math.inf)

    def call(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def write(tmp_path):
    """Writes a file, of text or bytes: write(name, content) -> its path."""
    return lambda name, content: put(tmp_path, name, content)


@pytest.fixture
def small(write):
    """a -> b -> c, of 2 and 3, and d -> e, apart, of 4."""
    return write("small.txt", "a b 2\nb c 3\nd e 4\n")


@pytest.fixture(scope="module", autouse=True)
def quick_builds(request):
    """PoCL's optimizer is left out of builds, unless slow tests are asked for; then it is not even
    left out for small graphs.

    It takes a third of the time of a build, and of one for groups of 8, which stand for a GPU's,
    more than two thirds. Modules marked `optimized` build for groups of 1, which is what gascl runs
    on a CPU, as users do, and so do the processes that they start.
    """
    if find_spec("pyopencl") is None:
        yield
        return
    import pyopencl as cl

    from gascl import DeviceError, devices
    from gascl.run import prepare

    if request.config.option.markexpr != "not slow":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(prepare, "SMALL", 0)
            yield
        return

    build = cl.Program.build
    try:
        only_pocl = all("PoCL" in device.cl.platform.version for device in devices())
    except DeviceError:  # there is none
        only_pocl = False
    marked = request.node.get_closest_marker("optimized") is not None

    def quick(self: Any, options: Any = (), *arguments: Any, **others: Any) -> Any:
        (device, *_) = self._context.devices  # to ask the program would keep it out of caches
        quickly = not marked or "-DGASCL_GROUP=8" in options
        if quickly and "PoCL" in device.platform.version:
            options = [*options, "-cl-opt-disable"]
        return build(self, options, *arguments, **others)

    with pytest.MonkeyPatch.context() as patch:
        if only_pocl and not marked:
            # Which pyopencl reads, in processes that tests start, too.
            patch.setenv("PYOPENCL_BUILD_OPTIONS", "-cl-opt-disable")
        else:
            patch.setattr(cl.Program, "build", quick)
            patch.setattr(prepare, "SMALL", 0)
        yield


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of a device runs in one of the two shapes of a work-group, of its file's tests by
    turns, and in the other one, too, if slow tests are run; unless it says by itself which."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "device" not in metafunc.fixturenames or any("device" in mark.args[0] for mark in marks):
        return
    tests = [name for name in vars(metafunc.module) if name.startswith("test")]
    turn = GROUPS[tests.index(metafunc.function.__name__) % 2]
    shapes = [
        pytest.param(group, id=f"group{group}", marks=[] if group == turn else pytest.mark.slow)
        for group in GROUPS
    ]
    metafunc.parametrize("device", shapes, indirect=True, scope="module")


@pytest.fixture(scope="module")
def device(request):
    """`find_device` in a shape of a work-group."""
    return find_device(request.param)


@pytest.fixture(params=[None, 132], ids=["own units", "132 units"])
def units(request, monkeypatch):
    """How many compute units devices have: None, their own number, or as many as a large GPU, which
    also sorts arcs by itself."""
    pytest.importorskip("pyopencl")
    from gascl.device_graph import sort
    from gascl.opencl.device import Device

    if request.param:
        monkeypatch.setattr(Device, "groups", 8 * request.param)
        monkeypatch.setattr(sort, "pays", lambda device: True)
    return request.param


@pytest.fixture
def sized_device(units):
    """The device that a run takes by itself, and one of the shape and the size of a large GPU."""
    from gascl.opencl.device_choice import find

    return find_device(8) if units else find()


@pytest.fixture
def poisoned(monkeypatch, request):
    """Memory that is new to a run holds what is no zero, no identity and no vertex: bytes of 0xA5,
    or of the fixture's parameter."""
    cl = pytest.importorskip("pyopencl")
    from gascl.opencl.device import Device

    allocate = Device.allocate

    def filled(self: Device, size: int) -> Any:
        buffer = allocate(self, size)
        cl.enqueue_fill_buffer(
            self.queue, buffer, np.uint8([getattr(request, "param", 0xA5)]), 0, buffer.size
        )
        return buffer

    monkeypatch.setattr(Device, "allocate", filled)


@pytest.fixture
def renumbered(monkeypatch):
    """Programs that may have their vertices numbered anew have them in a random order, on every
    graph with arcs."""
    from gascl.graph import reordering

    def order(degree: np.ndarray) -> np.ndarray:
        return np.random.default_rng(len(degree)).permutation(len(degree)).astype(np.int32)

    monkeypatch.setattr(reordering, "LEAST", 1)
    monkeypatch.setattr(reordering, "SHARE", 0)
    monkeypatch.setattr(reordering, "hubs_first", order)
