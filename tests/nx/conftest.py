"""The backend runs with NetworkX 3.6 and newer, which Python 3.10 does not have."""

from pathlib import Path

import networkx as nx
import pytest

try:
    from gascl.nx import calibration
    from gascl.nx.backend import SUPPORTED, VERSION
except pytest.skip.Exception:  # without NetworkX, all files here skip, and say so
    SUPPORTED = VERSION = ()


@pytest.fixture(autouse=True)
def quiet():
    """NetworkX warns whenever it uses its cache, as most of these tests want."""
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


@pytest.fixture(autouse=True)
def reference(monkeypatch):
    """Numbers of edges as they are written, on any device."""
    if VERSION >= SUPPORTED:
        monkeypatch.setattr(calibration, "_factors", {None: 1.0})
        monkeypatch.setattr(calibration, "_opened", {None})


def pytest_collection_modifyitems(items):
    if VERSION < SUPPORTED:
        reason = "the backend needs NetworkX 3.6, and declines every call of an older version"
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))
