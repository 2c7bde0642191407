"""docs/networkx.md: its tables name every function, with the numbers of edges that hold."""

import re
from pathlib import Path

from gascl.nx import metadata
from gascl.nx.backend import FUNCTIONS
from gascl.nx.expected_failures import EXPECTED

PAGE = (Path(__file__).parents[2] / "docs" / "networkx.md").read_text()


def number(text):
    return int(text.replace(",", "")) if text.strip() else None


def test_the_tables_are_those_of_the_code():
    rows = re.findall(r"^\| `(\w+)` \|([\d, ]*)\|([\d, ]*)\| *(.*?) *\|", PAGE, re.MULTILINE)
    listed = {name: (number(first), number(cached), text) for name, first, cached, text in rows}
    expected = [name for _, name in EXPECTED]
    one = FUNCTIONS.get("barycenter") or FUNCTIONS["centroid"]  # by the version of NetworkX
    assert listed == {
        name: (function.first, function.cached, metadata.FUNCTIONS[name])
        for name, function in {**FUNCTIONS, "barycenter": one, "centroid": one}.items()
    }
    assert f"{len(FUNCTIONS)} of them" in PAGE
    assert all(f"`{name}`" in PAGE for name in expected)


def test_each_line_of_the_log_is_a_line_of_its_own():
    samples = [block for block in PAGE.split("```")[1::2] if ": ran in" in block]
    assert len(samples) == 2
    for line in "".join(samples).split("\n"):
        assert not line or (line.startswith("gascl.nx: ") and line.count("gascl.nx: ") == 1)
