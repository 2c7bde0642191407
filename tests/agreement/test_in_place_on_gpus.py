"""The form of delivery `in_place` for GPUs, under Oclgrind: no other device here has it."""

from __future__ import annotations

import pytest
from support.oclgrind import MISSING, run

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def test_components_are_right_and_in_bounds() -> None:
    """What vertices read of others while these apply is a race to Oclgrind, and meant to be."""
    report = run("in_place.py", "8", "16")
    assert report.status == 0, report.output
    assert "gascl_persistent" in report.ran
    others = [each for each in report.findings if "data race" not in each.message]
    assert not others, "\n\n".join(map(str, others[:5]))
