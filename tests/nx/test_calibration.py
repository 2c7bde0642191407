"""The factor by which the numbers of edges are multiplied, and its file."""

import json
import os

import networkx as nx
import pytest

from gascl.nx import calibration
from gascl.nx.backend import FUNCTIONS, backend
from gascl.opencl import round_trip
from gascl.opencl.device_choice import find


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file of this machine's devices, with nothing known yet."""
    path = tmp_path / "gascl" / "round_trips.json"
    monkeypatch.setattr(calibration, "_path", lambda: path)
    monkeypatch.setattr(calibration, "_factors", {})
    monkeypatch.setattr(calibration, "_opened", set())
    monkeypatch.delenv("GASCL_DEVICE", raising=False)
    return path


@pytest.fixture
def rates(monkeypatch):
    """A round trip of 60 µs, and 10 ns for a neighbor; the devices that were measured."""
    measured = []
    monkeypatch.setattr(round_trip, "seconds", lambda device: measured.append(device) or 60e-6)
    monkeypatch.setattr(calibration, "_seconds_of_a_neighbor", lambda: 10e-9)
    return measured


def again():
    """As in a new process."""
    calibration._factors.clear()
    calibration._opened.clear()


@pytest.mark.parametrize(
    ("round_trip", "factor"), [(3_000, 1.0), (0, 0.7), (6_000, 1.3), (33_000, 4.0), (1e9, 10.0)]
)
def test_the_factor_grows_with_the_round_trip(round_trip, factor):
    assert calibration.factor_of(round_trip) == pytest.approx(factor)


def test_a_device_is_measured_once_for_all_processes(file, rates):
    assert calibration.factor() == 1.0
    for _ in range(2):
        calibration.calibrate(None, find())
        assert calibration.factor() == pytest.approx(1.3)
    again()
    assert calibration.factor() == pytest.approx(1.3)  # known without the device
    calibration.calibrate(None, find())
    assert len(rates) == 1


def test_another_device_or_version_is_measured_anew(file, rates, monkeypatch):
    calibration.calibrate(None, find())
    entries = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({"": ["another", entries[""][1]]}), "utf-8")
    again()
    calibration.calibrate(None, find())
    again()
    monkeypatch.setattr(calibration, "__version__", "another")
    calibration.calibrate(None, find())
    assert len(rates) == 3


def test_names_of_devices_have_factors_of_their_own(file, rates, monkeypatch):
    calibration.calibrate("pocl", find())
    again()
    assert calibration.factor() == 1.0
    again()
    monkeypatch.setenv("GASCL_DEVICE", "pocl")
    assert calibration.factor() == pytest.approx(1.3)


@pytest.mark.parametrize(
    "content", ["", "[", "[]", '{"": 1}', '{"": ["x", "y"]}', '{"": ["x", -1]}', '{"": ["x", NaN]}']
)
def test_a_damaged_file_is_replaced(file, rates, content):
    file.parent.mkdir()
    file.write_text(content, "utf-8")
    assert calibration.factor() == 1.0
    calibration.calibrate(None, find())
    again()
    assert calibration.factor() == pytest.approx(1.3)
    assert os.listdir(file.parent) == [file.name]


def test_a_folder_that_cannot_be_written(file, rates):
    file.parent.write_text("a file", "utf-8")
    calibration.calibrate(None, find())
    assert calibration.factor() == pytest.approx(1.3)


def test_a_measurement_on_this_machine():
    assert 0 < round_trip.seconds(find()) < 10
    assert 0 < calibration._seconds_of_a_neighbor() < 1


def test_functions_on_the_device_need_more_edges_and_those_of_numpy_do_not(monkeypatch):
    G = nx.gnm_random_graph(1_000, 6_000, seed=1)
    assert FUNCTIONS["pagerank"].first == 5_000
    assert backend.should_run("pagerank", (G,), {}) is True
    monkeypatch.setattr(calibration, "_factors", {None: 1.3})
    assert "below about 6,500" in backend.should_run("pagerank", (G,), {})
    monkeypatch.setattr(calibration, "_factors", {None: 10.0})
    assert FUNCTIONS["onion_layers"].numpy
    assert backend.should_run("onion_layers", (G,), {}) is True


def test_the_smallest_number_of_edges_is_not_multiplied(monkeypatch):
    G = nx.gnm_random_graph(2_000, 20_000, seed=1)
    monkeypatch.setattr(calibration, "_factors", {None: 1.5})
    monkeypatch.setattr(nx.config.backends.gascl, "minimum_edges", 20_000)
    assert backend.should_run("pagerank", (G,), {}) is True
    monkeypatch.setattr(nx.config.backends.gascl, "minimum_edges", 20_001)
    assert "below about 20,001" in backend.should_run("pagerank", (G,), {})
