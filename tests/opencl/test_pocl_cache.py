"""The folder where PoCL keeps compiled kernels: writable, and without files that were cut short."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gascl.opencl.device import devices
from gascl.opencl.workarounds import pocl_cache

RUN = """
from gascl import Engine, Graph
from gascl.programs import BreadthFirst
found = Engine(Graph.from_edges([0, 1], [1, 2]), "Portable").run(BreadthFirst(source=0))
print(found.depth.tolist())
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not any("PoCL" in d.cl.platform.version for d in devices()),
    reason="PoCL is not here",
)


def _run(**variables):
    path = os.pathsep.join(p for p in sys.path if p)
    return subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The files that one run leaves: path below the folder -> content."""
    folder = tmp_path_factory.mktemp("whole")
    assert _run(POCL_CACHE_DIR=str(folder)).stdout == "[0, 1, 2]\n"
    found = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert {p.suffix for p in found} >= {".so", ".bc"}
    return found


def test_damaged(kept, tmp_path):
    """Every file that is cut anywhere, or that a power cut left empty or full of zeros."""
    compiled = [(p, data) for p, data in kept.items() if p.suffix in (".so", ".bc")]
    (tmp_path / "PROGRAM").mkdir()
    (tmp_path / "tempfile_a.so").write_bytes(b"\x7fELF")  # another process is writing it
    for path, data in compiled:
        file = tmp_path / "PROGRAM" / path.name
        for length in range(0, len(data), len(data) // 20):
            file.write_bytes(data[:length])
            assert list(pocl_cache.damaged(tmp_path)) == [file], length
        file.write_bytes(bytes(len(data)))
        assert list(pocl_cache.damaged(tmp_path)) == [file]
        file.write_bytes(data)
        assert list(pocl_cache.damaged(tmp_path)) == []
        file.unlink()


def test_runs_with_a_damaged_cache(kept, tmp_path):
    for path, data in kept.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data[: len(data) // 2])
    ran = _run(POCL_CACHE_DIR=str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "[0, 1, 2]\n"), ran.stderr


def test_files_are_checked_once_after_each_start_of_the_system(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("POCL_CACHE_DIR", str(tmp_path))
    path, data = next((p, data) for p, data in kept.items() if p.suffix == ".so")
    file = tmp_path / "PROGRAM" / path.name
    file.parent.mkdir()

    def checked(start: str) -> bool:
        monkeypatch.setattr(pocl_cache, "_start_of_system", lambda: start)
        file.write_bytes(data[:9])
        pocl_cache.prepare()
        return not file.exists()

    assert [checked(start) for start in ("a", "a", "b", "b")] == [True, False, True, False]
    (tmp_path / pocl_cache.CHECKED).write_bytes(b"\xff")
    assert checked("b"), "damaged itself"
    pocl_cache.suspect()
    assert checked("b") and not checked("b")
    assert checked("") and checked(""), "where nobody knows"


def test_runs_with_a_damaged_database_of_pyopencl(tmp_path):
    assert _run(XDG_CACHE_HOME=str(tmp_path)).returncode == 0
    found = [p for p in (tmp_path / "pytools").iterdir() if p.is_file()]
    assert found
    for path in found:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    ran = _run(XDG_CACHE_HOME=str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "[0, 1, 2]\n"), ran.stderr


@pytest.mark.parametrize("home", ["/proc", "a file"])
def test_home_that_can_not_be_written(tmp_path, home):
    """/proc takes no folder from anybody, root included."""
    if home == "a file":
        home = str(tmp_path / "file")
        Path(home).write_text("", encoding="utf-8")
    ran = _run(HOME=home, XDG_CACHE_HOME="", POCL_CACHE_DIR="", TMPDIR=str(tmp_path))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "[0, 1, 2]\n", "")
    assert not list(tmp_path.glob("gascl-*")), "its own folder goes with the process"


def test_a_forked_childs_exit_removes_nothing_of_its_parents(tmp_path):
    pocl_cache._remove(str(tmp_path), os.getpid() + 1)
    assert tmp_path.exists()
    pocl_cache._remove(str(tmp_path), os.getpid())
    assert not tmp_path.exists()


def test_place(monkeypatch):
    monkeypatch.setenv("POCL_CACHE_DIR", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert pocl_cache.place() == Path("/a")
    monkeypatch.delenv("POCL_CACHE_DIR")
    assert pocl_cache.place() == Path("/b/pocl/kcache")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert pocl_cache.place() == Path("/c/.cache/pocl/kcache")
    monkeypatch.delenv("HOME")
    assert pocl_cache.place() == Path("/tmp/pocl/kcache")
