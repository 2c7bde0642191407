"""Which device `find` chooses."""

import pytest
from support.fake_devices import Fake, FakePlatform

from gascl import DeviceError
from gascl.opencl import device as module
from gascl.opencl import device_check, device_choice
from gascl.opencl.device_choice import find


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


class Ranked:
    def __init__(self, speed):
        self._speed = speed

    def speed(self):
        return self._speed

    def __str__(self):
        return f"of speed {self._speed}"


def test_the_default_is_the_fastest_that_works(monkeypatch):
    slow, fast, fastest = (Ranked(s) for s in (1, 2, 3))
    tried, broken = [], []

    def failure(device):
        tried.append(device)
        return "broken" if device in broken else ""

    monkeypatch.delenv("GASCL_DEVICE", raising=False)
    monkeypatch.setattr(device_choice, "devices", lambda: [slow, fast, fastest])
    monkeypatch.setattr(device_check, "failure", failure)
    for failing, chosen in (((), fastest), ((fastest,), fast), ((fast, fastest), slow)):
        broken[:] = failing
        assert find() is chosen
    broken[:] = [slow, fast, fastest]
    assert find() is fastest, "the error is then that of a run on it"
    tried.clear()
    monkeypatch.setattr(device_choice, "devices", lambda: [slow])
    assert find() is slow
    assert not tried, "there is nothing to choose from"
