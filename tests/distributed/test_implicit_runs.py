"""Runs on graphs whose arcs are made by a rule: see support/implicit_runs.py."""

from __future__ import annotations

import pytest
from distributed.test_ranks import pytestmark as needs_mpi
from distributed.test_ranks import succeed

pytestmark = needs_mpi
RUNS = "support.implicit_runs"


def test_results_parts_and_refusals(tmp_path):
    """And ids of more than 32 bits, in one start of the ranks, which takes longer than most."""
    calls = "shifted", "--", "parts", "--", "refused", "--", "results", str(tmp_path)
    succeed(2, *calls, module=RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("what", ["programs", "shifted"])
def test_programs_by_all_deliveries(what, count):
    succeed(count, what, module=RUNS)
