"""Files for publishing agree with pyproject.toml and the version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gascl

TOP = Path(__file__).parents[2]


@pytest.fixture
def pyproject() -> dict:
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    return tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))


@pytest.fixture
def recipe() -> dict:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((TOP / "conda.recipe" / "recipe.yaml").read_text("utf-8"))


def without_blanks(requirements: list[str]) -> set[str]:
    return {line.replace(" ", "") for line in requirements}


def test_the_citation_names_the_version():
    assert f"\nversion: {gascl.__version__}\n" in (TOP / "CITATION.cff").read_text()


def test_the_conda_recipe_has_the_dependencies(pyproject, recipe):
    project, needed = pyproject["project"], recipe["requirements"]
    python = f"python{project['requires-python']}"
    declared = {line for line in project["dependencies"] if not line.startswith("pocl")}
    assert without_blanks(needed["run"]) == declared | {"pocl", python}
    build = pyproject["build-system"]["requires"]
    assert without_blanks(needed["host"]) == {"pip", python, *build}


def test_the_conda_recipe_describes_this_version(pyproject, recipe):
    project = pyproject["project"]
    assert recipe["context"]["version"] == gascl.__version__
    commands = [f"{name} = {target}" for name, target in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["license_file"] == project["license-files"]


def test_the_badges_say_what_is_true():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    text = (TOP / "README.md").read_text("utf-8")
    badges = re.findall(r"^\[!\[(.*?)\]\((.*?)\)\]\((.*?)\)$", text, re.MULTILINE)
    oldest, license = project["requires-python"].removeprefix(">="), project["license"]
    workflow = f"{project['urls']['Homepage']}/actions/workflows/tests.yml"
    shield = "https://img.shields.io/badge/"
    assert badges == [
        ("tests", f"{workflow}/badge.svg", workflow),
        (f"Python {oldest}+", f"{shield}python-{oldest}%2B-blue", "pyproject.toml"),
        (f"license: {license}", f"{shield}license-{license}-blue", "LICENSE"),
    ]
    assert (TOP / ".github" / "workflows" / "tests.yml").exists()


@pytest.mark.parametrize("path", [*(TOP / ".github" / "ISSUE_TEMPLATE").iterdir()], ids=str)
def test_issue_templates_ask_for_devices(path):
    yaml = pytest.importorskip("yaml")
    template = yaml.safe_load(path.read_text("utf-8"))
    labels = [field["attributes"]["label"] for field in template["body"]]
    assert "The output of `gascl devices`" in labels
