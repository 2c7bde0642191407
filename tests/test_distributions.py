"""What `pip install` makes of the wheel and the source archive. Building downloads setuptools."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What an earlier build or a tool may have left in the tree.
LEFT = ("[.]*", "build", "dist", "*.egg-info", "__pycache__")

#: Asks an installed gascl for all that is no Python module.
LOOK = """
import sys
from pathlib import Path
import gascl
from gascl import programs

tree, target = map(Path, sys.argv[1:])
folder = Path(gascl.__file__).parent
assert folder == target / "gascl", folder
assert (folder / "py.typed").exists()
names = lambda folder, ending: {p.relative_to(folder) for p in folder.rglob(f"*.{ending}")}
for place, ending in (("codegen/kernels", "cl"), ("programs", "py"), ("datasets/files", "gz")):
    source = {"programs": "programs", "datasets/files": "datasets"}.get(place, f"gascl/{place}")
    assert names(folder / place, ending) == names(tree / source, ending) != set(), place
assert gascl.Graph.dataset("karate").num_edges == 78
assert programs.PageRank.__module__ == "gascl.programs.page_rank"
print(gascl.__version__)
"""


def run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=500, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_source_archive_and_its_wheel(tmp_path):
    pytest.importorskip("build")
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(*LEFT))
    run(sys.executable, "-m", "build", tree, "--outdir", tmp_path)
    for kind in ("*.whl", "*.tar.gz"):
        (package,) = tmp_path.glob(kind)
        check(package, tree, tmp_path / f"target{package.suffix}")


def check(package, tree, target):
    """Install a package in a folder of its own, and use what is there."""
    install = ["install", "--quiet", "--no-deps", "--target", target]
    run(sys.executable, "-m", "pip", *install, package)
    there = {"cwd": target, "env": os.environ | {"PYTHONPATH": str(target)}}
    version = run(sys.executable, "-c", LOOK, tree, target, **there)
    assert f"-{version}" in package.name
    (command,) = target.glob("[bS]*/gascl*")  # bin, or Scripts
    assert run(command, "--version", **there) == f"gascl {version}"
    assert run(sys.executable, "-m", "gascl", "--version", **there) == f"gascl {version}"
    assert "34 vertices" in run(sys.executable, "-m", "gascl", "info", "karate", **there)
