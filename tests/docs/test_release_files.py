"""Files for publishing agree with pyproject.toml and the version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gascl

TOP = Path(__file__).parents[2]


def test_the_citation_names_the_version():
    assert f"\nversion: {gascl.__version__}\n" in (TOP / "CITATION.cff").read_text()


def test_the_conda_recipe_has_the_dependencies():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    recipe = (TOP / "conda.recipe" / "meta.yaml").read_text()
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)[1]
    needed = {line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()}
    declared = {line for line in project["dependencies"] if not line.startswith("pocl")}
    assert needed == declared | {"pocl", f"python{project['requires-python']}"}


@pytest.mark.parametrize("path", [*(TOP / ".github" / "ISSUE_TEMPLATE").iterdir()], ids=str)
def test_issue_templates_ask_for_devices(path):
    assert "gascl devices" in path.read_text()
