"""Random programs of seeds that no other test has: as many as GASCL_SEEDS asks for.

CONTRIBUTING.md says how. Each seed is one program on two graphs, by all deliveries, in one of the
two shapes of a work-group, of one item also launch by launch; every fourth one is also in debug
mode, and for another fourth vertices have other numbers on the device.
"""

from __future__ import annotations

import os

import pytest
from support.agreement import by_launches, check_case, find_device
from support.program_text import listing
from support.random_cases import any_case, case_of, may_be_infinite

pytestmark = [
    pytest.mark.usefixtures("poisoned"),
    pytest.mark.filterwarnings("ignore:.*no edge field"),
]
FIRST, COUNT = map(int, os.environ.get("GASCL_SEEDS", "0:0").split(":"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_new_seeds(seed: int, request: pytest.FixtureRequest) -> None:
    case = case_of(any_case(), seed)
    print(listing(case.program), case.dtype, dict(case.params), case.given, sep="\n")
    if seed % 4 == 3:
        request.getfixturevalue("renumbered")
    debug = seed % 4 == 2 and not may_be_infinite(case.program)
    device = find_device((1, 8)[seed % 2])
    check_case(by_launches(device) if seed % 8 in (4, 6) else device, case, debug)
