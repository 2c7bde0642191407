"""A kill or Ctrl-C at a random moment of a save leaves the old or the new file, whole."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes fork on POSIX only")
TESTS = Path(__file__).parents[1]


def interrupted(*arguments):
    """What is said of each kind of save."""
    command = [sys.executable, "-m", "support.interrupted_saves", *map(str, arguments)]
    path = os.pathsep.join([str(TESTS), *(p for p in sys.path if p)])
    environment = os.environ | {"PYTHONPATH": path}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    "kinds",
    [
        ("result .npz", "graph .txt.gz", "graph .gr and .co", "dataset", "archive"),
        pytest.param(
            ("result .csv", "result .parquet", "trace", "graph .npz"), marks=pytest.mark.slow
        ),
    ],
    ids=["some", "others"],
)
def test_kills(kinds):
    said = interrupted("--times", 3, *kinds)
    assert said.count("\n") == len(kinds) and "broken" not in said


@pytest.mark.parametrize(
    "kinds",
    [
        ("result .csv", "trace", "graph .npz"),
        pytest.param(("result .npz", "result .parquet", "graph .txt.gz"), marks=pytest.mark.slow),
    ],
    ids=["some", "others"],
)
def test_ctrl_c(kinds):
    """It leaves no part file, either."""
    said = interrupted("--times", 3, "--signal", "SIGINT", *kinds)
    assert said.count("'part files': 0") == len(kinds) and "broken" not in said


def test_a_file_that_is_written_in_place_is_seen_to_break():
    assert int(re.search(r"'broken': (\d+)", interrupted("--times", 5, "in place"))[1]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("signal", ["SIGKILL", "SIGINT"])
def test_all_kinds(signal):
    interrupted("--times", 200, "--signal", signal)
