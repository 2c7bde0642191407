"""Names of earlier versions work, and say what to write instead."""

from __future__ import annotations

import pytest

from gascl import Engine, Graph, programs
from gascl.datasets import REGISTRY


@pytest.mark.parametrize(("old", "new"), programs.RENAMED.items())
def test_an_old_name_is_the_program(old, new):
    with pytest.warns(DeprecationWarning, match=f"{old} is called {new} now; use that name"):
        assert getattr(programs, old) is getattr(programs, new)
    assert old not in programs.__all__ and old not in dir(programs)


def test_an_old_field_is_the_field():
    result = Engine(Graph.dataset("karate")).run(programs.GreedyColoring())
    with pytest.warns(DeprecationWarning, match="'colour' is called 'color' now"):
        assert result["colour"] is result.color
    with pytest.warns(DeprecationWarning, match="'colour' is called 'color' now"):
        assert result.colour is result.color
    assert "colour" not in result


def test_an_old_name_in_the_shell(gascl_):
    code, out, err = gascl_("run", "GreedyColouring", "karate", "--top", "1")
    assert code == 0 and "color" in out
    assert "GreedyColouring is called GreedyColoring now" in err


def test_the_license_of_a_dataset():
    with pytest.warns(DeprecationWarning, match="called license now"):
        assert REGISTRY["karate"].licence == REGISTRY["karate"].license
