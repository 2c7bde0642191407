"""Trial kernels: a device that cannot run them is reported, and is not the default."""

import json
import subprocess
import sys

import pyopencl as cl
import pytest

from gascl.opencl import device_check
from gascl.opencl.device import Device, complaint, devices

pytestmark = pytest.mark.optimized


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty memory of what passed; the file that it is kept in."""
    monkeypatch.setattr(device_check, "_place", lambda: tmp_path / "gascl" / "devices.json")
    device_check.failure.cache_clear()
    yield tmp_path / "gascl" / "devices.json"
    device_check.failure.cache_clear()


@pytest.fixture
def child(monkeypatch):
    """What the process that tries a device out comes back with; a list of calls."""
    calls = []
    answers = {"returncode": 0, "stdout": "", "stderr": ""}

    def run(command, **options):
        calls.append(command)
        if answers.get("timeout"):
            raise subprocess.TimeoutExpired(command, options["timeout"])
        return subprocess.CompletedProcess(command, **answers)

    monkeypatch.setattr(device_check.subprocess, "run", run)
    return calls, answers


def test_this_machines_devices_pass(cache):
    for device in devices():
        assert device_check.run(device) == ""
        assert device_check.failure(device) == ""
    passed = json.loads(cache.read_text(encoding="utf-8"))
    assert sorted(passed) == sorted({device_check.key(d) for d in devices()})  # equal ones have one


@pytest.mark.parametrize("group", [2, 8])
def test_groups(group):
    assert device_check.run(Device(devices()[0].cl, group=group)) == ""


def test_a_driver_that_refuses():
    """PoCL's words on a processor that its compiler does not know."""
    log = (
        "clBuildProgram failed: BUILD_PROGRAM_FAILURE - clBuildProgram failed\n\n"
        "Build on <pyopencl.Device 'pthread-AMD EPYC'>:\n\n"
        "error: unknown target CPU 'generic'\nDevice pthread-AMD EPYC failed to build the program\n"
    )
    assert complaint(cl.RuntimeError(log)) == "error: unknown target CPU 'generic'"
    assert complaint(cl.RuntimeError("out of luck\nfor good")) == "out of luck"


def test_passed_is_remembered(cache, child):
    calls, _ = child
    assert device_check.failure(devices()[0]) == ""
    assert len(calls) == 1
    assert calls[0] == [sys.executable, "-m", "gascl.opencl.device_check", "0"]
    device_check.failure.cache_clear()
    assert device_check.failure(devices()[0]) == ""
    assert len(calls) == 1
    cache.write_text("[", encoding="utf-8")  # damaged
    device_check.failure.cache_clear()
    assert device_check.failure(devices()[0]) == ""
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"returncode": 1, "stderr": "warning\nerror: no such CPU\n"}, "error: no such CPU"),
        ({"returncode": -6, "stderr": "LLVM ERROR: x\n"}, "ended by signal 6: LLVM ERROR: x"),
        ({"returncode": -11}, "ended by signal 11: it printed nothing"),
        ({"timeout": True}, "a trial kernel did not return within 120 s"),
    ],
)
def test_failed_is_not_remembered(cache, child, answer, said):
    calls, answers = child
    answers.update(answer)
    assert device_check.failure(devices()[0]) == said
    assert not cache.exists()
    device_check.failure.cache_clear()
    device_check.failure(devices()[0])
    assert len(calls) == 2


def test_where_nothing_can_be_remembered(monkeypatch, tmp_path, child):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr(device_check, "_place", lambda: tmp_path / "file" / "devices.json")
    device_check.failure.cache_clear()
    assert device_check.failure(devices()[0]) == ""
    device_check.failure.cache_clear()


def test_where_what_is_remembered_cannot_be_replaced(cache, child):
    cache.mkdir(parents=True)
    assert device_check.failure(devices()[0]) == ""
    device_check.failure.cache_clear()
    assert device_check.failure(devices()[0]) == ""
    assert len(child[0]) == 2
