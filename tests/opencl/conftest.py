"""Fixtures of the tests of devices."""

import pytest
from support.fake_devices import Fake, FakePlatform

from gascl.opencl import device as module
from gascl.opencl import device_check


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
