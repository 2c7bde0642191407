"""docs/networkx.md and the metadata name every function, as the registry has it."""

import pytest
from support.backend_tables import OTHERS, PAGE, counted, shared, updated

from gascl.nx.backend import FUNCTIONS
from gascl.nx.expected_failures import EXPECTED
from gascl.nx.loader import LOADERS

TEXT = PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "text"),
    updated(FUNCTIONS.values()).items(),
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_written_from_the_registry_is_up_to_date(path, text):
    assert path.read_text("utf-8") == text, "run python tests/support/backend_tables.py"


def test_the_page_names_every_function_that_makes_graphs():
    names = LOADERS.keys() - {"graph__new__", "digraph__new__"}
    assert all(f"`{name}`" in TEXT for name in names)


def test_numbers_of_functions_are_written_before_their_words():
    words = ("run on a device", "more")
    text = counted("Of them 75 run\non a device, and 35 more; 35 rest.", (7, 8), words)
    assert text == "Of them 7 run\non a device, and 8 more; 35 rest."
    with pytest.raises(ValueError, match="0 times a number before 'more'"):
        counted("75 run on a device.", (7, 8), words)


def test_numbers_of_functions_that_others_have_are_those_of_the_table():
    rows = [line for line in TEXT.split("\n") if line.startswith("| `") and line.count("|") == 8]
    counts = [sum(other in row.split("|")[-2] for row in rows) for other in OTHERS]
    sentence = "Of gascl's {} functions, {}, {} and {} are also theirs."
    assert sentence.format(len(FUNCTIONS), *counts) in TEXT
    with pytest.raises(ValueError, match="0 times"):
        shared("Of 3 functions", FUNCTIONS.values())


@pytest.mark.parametrize("name", ["generate_random_paths", "shortest_path"])
def test_what_the_page_leaves_out_is_in_no_list(name):
    assert f"`{name}" in TEXT.partition("## Functions")[2].partition("<!-- functions -->")[0]
    assert name not in FUNCTIONS and f"| `{name}`" not in TEXT


def test_the_page_names_the_tests_that_fail():
    assert all(f"`{name}`" in TEXT for name in (test.partition("::")[2] for test in EXPECTED))


def test_each_line_of_the_log_is_a_line_of_its_own():
    samples = [block for block in TEXT.split("```")[1::2] if ": ran in" in block]
    assert len(samples) == 2
    for line in "".join(samples).split("\n"):
        assert not line or (line.startswith("gascl.nx: ") and line.count("gascl.nx: ") == 1)
