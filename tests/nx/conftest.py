"""The backend runs with NetworkX 3.6 and newer, which Python 3.10 does not have."""

from pathlib import Path

import pytest

from gascl.nx.backend import SUPPORTED, VERSION


def pytest_collection_modifyitems(items):
    if VERSION < SUPPORTED:
        reason = "the backend needs NetworkX 3.6, and declines every call of an older version"
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))
