"""The table of functions that packages above gascl.graph provide."""

import pytest

import gascl
from gascl.graph import provided


def test_everything_that_is_provided_exists():
    assert gascl.Graph is not None
    for name in provided._PLACES:
        assert callable(provided.provided(name)), name


def test_nothing_was_provided(monkeypatch):
    monkeypatch.setattr(provided, "_PLACES", {"read": "gascl.io.registry:read_file"})
    with pytest.raises(
        LookupError, match=r"'write' .*none was provided \(provided: read\).*provide"
    ):
        provided.provided("write")
