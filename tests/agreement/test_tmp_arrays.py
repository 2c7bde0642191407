import os
import pytest
from support.agreement import by_launches, check_case, find_device
from support.program_text import listing
from support.random_cases import case_of, may_be_infinite, cases
from support.program_shapes import COMBINERS, WANTS, Shape, possible
from support.rule_emphasis import EMPHASES
from hypothesis import strategies as st
pytestmark = [pytest.mark.usefixtures("poisoned"), pytest.mark.filterwarnings("ignore:.*no edge field")]
FIRST, COUNT = map(int, os.environ.get("GASCL_SEEDS", "0:0").split(":"))
def some():
    wants = st.frozensets(st.sampled_from(WANTS), max_size=2)
    combs = st.sampled_from(["sum","min","max","or","and","prod","first",*COMBINERS])
    shapes = st.tuples(combs, wants).map(lambda d: Shape(d[0], wants=possible(d[0], d[1]|{"arrays"}), only=True))
    return st.tuples(shapes, st.sampled_from([None,None, *EMPHASES])).flatmap(lambda d: cases(*d))
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_seed(seed, request):
    case = case_of(some(), seed)
    print(listing(case.program), case.dtype, dict(case.params), case.given, sep="\n")
    if seed % 4 == 3:
        request.getfixturevalue("renumbered")
    debug = seed % 4 == 2 and not may_be_infinite(case.program)
    device = find_device((1, 8)[seed % 2])
    check_case(by_launches(device) if seed % 8 in (4, 6) else device, case, debug)
