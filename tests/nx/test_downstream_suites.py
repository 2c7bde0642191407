"""The tests of packages that call NetworkX: each has the same outcome with gascl as without it,
where gascl takes the calls that pay, and where it takes every call that it supports.

The packages come from PyPI, the tests with their source archives or, where these have none, from
GitHub."""

import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.slow

#: The tests by package. Those of pgmpy that don't look at graphs take an hour.
SUITES = {
    "python-louvain": ["test_community.py"],
    "dwave-networkx": ["tests"],
    "pgmpy": [f"pgmpy/tests/test_{part}" for part in ("base", "identification", "independencies")],
    "cdlib": ["cdlib/test"],
}
#: Where those are that no source archive has.
ELSEWHERE = {"cdlib": "https://github.com/GiulioRossetti/cdlib/archive/refs/tags/v0.4.0.tar.gz"}
#: The versions of these are those of gascl's tests.
KEPT = "networkx", "numpy", "scipy"

VARIABLES = "NETWORKX_BACKEND_PRIORITY", "NETWORKX_BACKEND_PRIORITY_GENERATORS"
OURS = dict.fromkeys([*VARIABLES, "NETWORKX_BACKEND_PRIORITY_CLASSES"], "gascl")


def pip(*arguments):
    """Runs pip, or skips the test where it cannot download."""
    command = [sys.executable, "-m", "pip", "--quiet", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip {arguments[0]} failed: {done.stderr.strip().splitlines()[-1:]}")


def source(package, folder):
    """The folder of a package's source, which is downloaded."""
    if package in ELSEWHERE:
        try:
            with urlopen(ELSEWHERE[package], timeout=60) as answer:
                (folder / "source.tar.gz").write_bytes(answer.read())
        except OSError as error:  # offline, refused, reset, or too slow
            pytest.skip(f"{ELSEWHERE[package]}: {error}")
    else:
        pip("download", "--no-deps", "--no-binary", ":all:", "--dest", folder, package)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder / "source", filter="data")
    (found,) = (folder / "source").iterdir()
    return found


def outcomes(folder, target, tests, *options, **environment):
    """What became of each test."""
    report = folder / "report.xml"
    path = os.pathsep.join(map(str, (target, Path(__file__).parents[1])))
    # One test after the other: those of cdlib write files of the same names.
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", *options]
    command += ["-p", "support.seeded", "-p", "no:cacheprovider", "-o", "addopts="]
    command += [f"--junitxml={report}", *tests]
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": path, **environment}
    environment["PYTHONHASHSEED"] = "0"  # upon which the order of sets of texts depends
    subprocess.run(command, env=environment, cwd=folder, capture_output=True, timeout=1800)
    return {
        (test.get("classname"), test.get("name")): [part.tag for part in test]
        for test in ElementTree.parse(report).iter("testcase")
    }


@pytest.mark.parametrize("package", SUITES)
def test_every_test_has_the_outcome_that_it_has_without_gascl(package, tmp_path):
    pytest.importorskip("pip", reason="pip is not installed")
    folder, target = source(package, tmp_path), tmp_path / "target"
    (tmp_path / "kept.txt").write_text("\n".join(f"{name}=={version(name)}" for name in KEPT))
    needed = [package, "parameterized"]  # which tests of dwave-networkx import
    pip("install", "--target", target, "--constraint", tmp_path / "kept.txt", *needed)
    tests = [str(folder / part) for part in SUITES[package]]
    own = outcomes(tmp_path, target, tests)
    assert len(own) >= 20 and [] in own.values()
    assert outcomes(tmp_path, target, tests, **OURS) == own
    assert outcomes(tmp_path, target, tests, "-p", "support.forcing", **OURS) == own
