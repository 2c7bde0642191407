"""What `import gascl` alone gives, and when it loads it; the names of modules and classes."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import gascl

MODULES = ("datasets", "generators", "io", "memory", "programs")


def alone(code):
    """What a process prints that imports nothing but gascl."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, gascl; {code}"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_modules_are_there_by_name():
    assert alone("print(gascl.generators.rmat(5).num_vertices)") == "32"
    assert alone("print(gascl.memory.estimate(3, 4).host['ends of the edges'])") == "32"
    names = "gascl.io.graphalytics.read_properties, gascl.programs.PageRank, gascl.datasets.fetch"
    assert alone(f"print(*(x.__name__ for x in ({names})))") == "read_properties PageRank fetch"
    assert alone(f"print({set(MODULES)} <= {{*dir(gascl)}})") == "True"


def test_nothing_is_loaded_before_it_is_used():
    """So that `gascl --help` need not wait for it."""
    loaded = alone("print(*(m for m in sys.modules if m.startswith(('gascl.', 'numpy'))))")
    assert loaded == "gascl.graph gascl.graph.provided gascl.version"


def test_a_star_imports_all_but_a_name_of_the_standard_library():
    names = "generators, programs, datasets, memory, Graph, io"
    code = f"import io; from gascl import *; print(*(x.__name__ for x in ({names})))"
    assert alone(code) == (
        "gascl.generators gascl.programs gascl.datasets gascl.run.memory_estimate Graph io"
    )


def test_no_such_name():
    with pytest.raises(AttributeError, match="module 'gascl' has no attribute 'generator'"):
        _ = gascl.generator


def test_the_command_as_a_module():
    command = [sys.executable, "-m", "gascl", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, f"gascl {gascl.__version__}\n")


def test_every_package_is_installed():
    """pyproject.toml lists the packages, as two of them lie elsewhere, and has a pattern for
    kernels."""
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11
    root = Path(__file__).parents[1]
    listed = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    kernels = root / "gascl" / "codegen" / "kernels"  # a package of data, with its subfolders
    found = {kernels, *(path.parent for path in (root / "gascl").rglob("*.py"))}
    names = {".".join(folder.relative_to(root).parts) for folder in found}
    assert set(listed) == names | {"gascl.datasets.files", "gascl.programs"}


def test_the_oldest_versions_are_those_that_are_declared():
    """Where two extras need a package, the older of the bounds."""
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    declared: dict[str, list[Version]] = defaultdict(list)
    for line in (*project["dependencies"], *(line for lines in extras for line in lines)):
        requirement = Requirement(line)
        for bound in requirement.specifier:
            assert bound.operator == ">=", line
            declared[requirement.name].append(Version(bound.version))
    oldest = {}
    for line in (root / ".ci" / "oldest.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, _, version = line.partition("==")
            oldest[name] = Version(version)
    assert oldest == {name: min(versions) for name, versions in declared.items()}
