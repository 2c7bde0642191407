"""The notebooks run from top to bottom, and are kept without output. Those that collect answers
have the same ones with NetworkX alone."""

from __future__ import annotations

import json

import pytest
from blocks import TOP

NOTEBOOKS = sorted((TOP / "docs" / "notebooks").glob("*.ipynb"))
#: `make site` runs the others, too.
QUICK = {"first-steps", "many-small-graphs", "tables-and-times"}


def test_every_notebook_is_listed():
    text = (TOP / "docs" / "notebooks" / "index.md").read_text("utf-8")
    assert len(NOTEBOOKS) == 8 and all(f"({path.name})" in text for path in NOTEBOOKS)


@pytest.mark.parametrize(
    "notebook",
    [
        pytest.param(path, marks=[] if path.stem in QUICK else pytest.mark.slow, id=path.stem)
        for path in NOTEBOOKS
    ],
)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    nx = pytest.importorskip("networkx", "3.6", reason="the backend needs NetworkX 3.6")
    from support import backend_answers

    for package in ("matplotlib", "pandas"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    names = run(notebook, nx)
    if "answers" in names:
        own = run(notebook, nx, priority="[]")["answers"]
        assert list(own) == list(names["answers"])
        for name, answer in own.items():
            assert backend_answers.same(answer, names["answers"][name], ordered=False), name
    from matplotlib import pyplot

    pyplot.close("all")


def run(notebook, nx, priority='["gascl"]'):
    """The names that a notebook defines.

    Args:
        priority: what stands in the place of the backends that it asks for.
    """
    names: dict = {"__name__": "notebook"}
    with nx.config(backend_priority=[], warnings_to_ignore=set()):  # which some of them change
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None
                text = "".join(cell["source"]).replace('["gascl"]', priority)
                exec(compile(text, f"{notebook.name}, {cell['id']}", "exec"), names)
    return names
