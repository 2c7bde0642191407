"""Drivers that pip installed: found without any variable of the environment."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from gascl.opencl.workarounds import intel_icd


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """As if Intel's runtime were installed in a folder: its library."""

    class Installed:
        def __init__(self, name):
            self.name = name

        def locate(self):
            return tmp_path / "lib" / self.name

    library = tmp_path / "lib" / intel_icd.LIBRARY["linux"]
    library.parent.mkdir()
    library.write_bytes(b"")
    found = [Installed("cl.cfg"), Installed(library.name)]
    monkeypatch.setattr(intel_icd, "files", lambda package: found)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(intel_icd, "VENDORS", tmp_path / "vendors")
    for variable in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"):
        monkeypatch.delenv(variable, raising=False)
    return library


def test_announced_beside_the_systems_own(installed, tmp_path):
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "nvidia.icd").write_text("libnvidia-opencl.so.1\n", encoding="utf-8")
    with intel_icd.announced():
        folder = Path(os.environ["OCL_ICD_VENDORS"])
        found = {p.name: p.read_text(encoding="utf-8") for p in folder.iterdir()}
    assert found == {
        "nvidia.icd": "libnvidia-opencl.so.1\n",
        "gascl-intel.icd": f"{installed.resolve()}\n",
    }
    assert "OCL_ICD_VENDORS" not in os.environ
    assert not folder.exists()


def test_intels_vectorizer_is_off_by_default(installed, monkeypatch):
    """That sums are then added up as written, test_order_of_sums shows on that device."""
    monkeypatch.delenv(intel_icd.VECTORIZER, raising=False)
    with intel_icd.announced():
        pass
    assert os.environ[intel_icd.VECTORIZER] == "1"
    monkeypatch.setenv(intel_icd.VECTORIZER, "8")
    with intel_icd.announced():
        assert os.environ[intel_icd.VECTORIZER] == "8"


def test_announced_on_windows(installed, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(intel_icd.LIBRARY, "win32", installed.name)
    with intel_icd.announced():
        assert os.environ["OCL_ICD_FILENAMES"] == str(installed.resolve())
    assert "OCL_ICD_FILENAMES" not in os.environ


def test_a_users_own_variable_stands(installed, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", "/mine")
    with intel_icd.announced():
        assert os.environ["OCL_ICD_VENDORS"] == "/mine"
    assert os.environ["OCL_ICD_VENDORS"] == "/mine"


def test_nothing_installed(installed, monkeypatch):
    def none(package):
        raise PackageNotFoundError(package)

    for found in (none, lambda package: None, lambda package: []):
        monkeypatch.setattr(intel_icd, "files", found)
        with intel_icd.announced():
            assert "OCL_ICD_VENDORS" not in os.environ


def test_intels_runtime_is_found():
    try:
        version(intel_icd.INTEL)
    except PackageNotFoundError:
        pytest.skip(f"{intel_icd.INTEL} is not installed: pip install 'gascl[intel]'")
    hidden = {k: v for k, v in os.environ.items() if not k.startswith("OCL_ICD")}
    path = os.pathsep.join(p for p in sys.path if p)
    code = "from gascl import devices; print([d.platform for d in devices()])"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**hidden, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Intel(R) OpenCL" in ran.stdout
