"""What is refused of graphs that are not stored before any arc is made."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gascl import DeviceError, generators
from gascl.generators.lattice import Lattice
from gascl.programs import PageRank
from gascl.run.implicit_runs import check_implicit
from gascl.run.options import RunOptions


def test_fields_that_do_not_fit_are_refused_before_arcs_are_made(monkeypatch):
    def make(*_: Any) -> None:
        raise AssertionError("arcs were made")

    graph, options = generators.grid(3000, 2000, stored=False), RunOptions(collect=False)
    monkeypatch.setattr(Lattice, "ends", make)
    # Of a rank's 3 million vertices: the rank, 4 bytes.
    ranks: Any = SimpleNamespace(rank=0, size=2, host_memory=13_000_000)
    check_implicit(PageRank(), graph, options, False, ranks, False)
    ranks.host_memory = 11_000_000
    with pytest.raises(DeviceError, match=r"needs at least .* and may take .*: use more hosts"):
        check_implicit(PageRank(), graph, options, False, ranks, False)
    check_implicit(PageRank(), graph, options, False, ranks, True)
