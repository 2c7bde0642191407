"""The settings in `nx.config.backends.gascl`, the reasons of errors, and the summary."""

import io
import logging

import networkx as nx
import pytest

from gascl.nx.backend import backend
from gascl.nx.summary import Summary


def test_an_error_says_why():
    G = nx.path_graph(4)
    why = "'gascl' backend for these arguments: gascl does not support a single pair"
    with pytest.raises(NotImplementedError, match=why):
        nx.shortest_path_length(G, 0, 1, backend="gascl")


def test_the_least_number_of_edges():
    G = nx.gnm_random_graph(3_000, 20_000, seed=1)
    assert backend.should_run("pagerank", (G,), {}) is True
    with nx.config.backends.gascl(minimum_edges=50_000):
        assert "below about 50,000" in backend.should_run("pagerank", (G,), {})
        assert nx.core_number(G, backend="gascl") == nx.core_number(G)


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("minimum_edges", "many", TypeError),
        ("minimum_edges", True, TypeError),
        ("minimum_edges", -1, ValueError),
        ("detect_changes", "no", TypeError),
        ("device", 0, TypeError),
    ],
)
def test_settings_that_are_refused(setting, value, error):
    """They were taken, and stopped later calls by a bare TypeError."""
    config = nx.config.backends.gascl
    before = dict(config)
    with pytest.raises(error, match=f"gascl.{setting}={value!r}: expected"):
        setattr(config, setting, value)
    assert dict(config) == before


def test_a_device_by_name():
    G = nx.path_graph(4)
    with (
        nx.config.backends.gascl(device="no such device"),
        pytest.warns(RuntimeWarning, match="no such device"),
        pytest.raises(NotImplementedError),
    ):
        nx.core_number(G, backend="gascl")
    assert nx.core_number(G, backend="gascl") == dict.fromkeys(range(4), 1)


def test_changes_that_nobody_wants_to_detect():
    G = nx.path_graph(3)
    with nx.config.backends.gascl(detect_changes=False):
        assert len(nx.core_number(G, backend="gascl")) == 3
        G._adj[3] = G._node[3] = {}
        assert len(nx.core_number(G, backend="gascl")) == 3
    assert len(nx.core_number(G, backend="gascl")) == 4


def test_the_summary_counts_calls():
    log, summary, text = logging.getLogger("gascl.nx"), Summary(), io.StringIO()
    level = log.level
    log.addHandler(summary)
    log.setLevel(logging.INFO)
    try:
        G = nx.path_graph(4)
        for _ in range(2):
            nx.core_number(G, backend="gascl")
        with nx.config(backend_priority=["gascl"]):
            nx.core_number(G)
            nx.shortest_path_length(G, 0, 1)
    finally:
        log.removeHandler(summary)
        log.setLevel(level)
    summary.print(text)
    ran, left, declined = text.getvalue().splitlines()
    assert ran.startswith("gascl.nx: 2 calls ran on gascl in 0.") and ran.endswith("core_number 2")
    assert "calls were left to NetworkX, which is faster: core_number 1" in left
    assert declined.endswith("1 calls were declined: shortest_path_length 1")
