"""The notebooks run from top to bottom, and are kept without output."""

from __future__ import annotations

import json

import pytest
from blocks import TOP

NOTEBOOKS = sorted((TOP / "docs" / "notebooks").glob("*.ipynb"))


def test_every_notebook_is_listed():
    text = (TOP / "docs" / "notebooks" / "index.md").read_text("utf-8")
    assert len(NOTEBOOKS) == 5 and all(f"({path.name})" in text for path in NOTEBOOKS)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    nx = pytest.importorskip("networkx", "3.6", reason="the backend needs NetworkX 3.6")
    for package in ("matplotlib", "pandas"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "notebook"}
    with nx.config(backend_priority=[], warnings_to_ignore=set()):  # which one of them changes
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None
                text = "".join(cell["source"])
                exec(compile(text, f"{notebook.name}, {cell['id']}", "exec"), names)
    from matplotlib import pyplot

    pyplot.close("all")
