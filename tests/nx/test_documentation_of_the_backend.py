"""docs/networkx.md and the metadata name every function, as the registry has it."""

import pytest
from support.backend_tables import PAGE, updated

from gascl.nx.backend import FUNCTIONS
from gascl.nx.expected_failures import EXPECTED

TEXT = PAGE.read_text("utf-8")
TOP = PAGE.parents[1]


@pytest.mark.parametrize(
    ("path", "text"),
    updated(FUNCTIONS.values()).items(),
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_written_from_the_registry_is_up_to_date(path, text):
    assert path.read_text() == text, "run python tests/support/backend_tables.py"


def test_the_page_names_the_number_of_functions():
    on_device = sum(not function.numpy for function in FUNCTIONS.values())
    by_numpy = len(FUNCTIONS) - on_device
    readme, changes = ((TOP / name).read_text("utf-8") for name in ("README.md", "CHANGELOG.md"))
    assert f"{on_device} of them" in TEXT and f"{by_numpy} more" in TEXT, "docs/networkx.md"
    assert f"runs {on_device} of NetworkX's functions" in readme, "README.md"
    assert f"{on_device} of its functions" in changes, "CHANGELOG.md"
    assert f"NumPy computes {by_numpy} more" in changes, "CHANGELOG.md"


def test_the_page_names_the_tests_that_fail():
    assert all(f"`{name}`" in TEXT for name in (test.partition("::")[2] for test in EXPECTED))


def test_each_line_of_the_log_is_a_line_of_its_own():
    samples = [block for block in TEXT.split("```")[1::2] if ": ran in" in block]
    assert len(samples) == 2
    for line in "".join(samples).split("\n"):
        assert not line or (line.startswith("gascl.nx: ") and line.count("gascl.nx: ") == 1)
