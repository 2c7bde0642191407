"""Every code block of every page runs, and prints what the page says."""

import pytest
from blocks import PAGES, TOP, blocks, run_page

COOKBOOK = TOP / "docs" / "cookbook"


@pytest.mark.parametrize(
    "page",
    [
        # `make site` runs the gallery, too.
        pytest.param(page, marks=pytest.mark.slow if page.name == "gallery.md" else ())
        for page in PAGES
        if page.parent != COOKBOOK  # those of recipes: test_cookbook.py
        and any(block.language in ("python", "sh") for block in blocks(page))
    ],
    ids=lambda page: page.relative_to(TOP).as_posix(),
)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    for package in ("matplotlib", "networkx", "pandas", "pyarrow"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    run_page(page, tmp_path)
    from matplotlib import pyplot

    pyplot.close("all")


def test_a_block_that_fails_is_reported_with_its_line(tmp_path):
    page = tmp_path / "page.md"
    cases = {
        "```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n": r"page\.md:5: .*AssertionError",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n": r"page\.md:1 prints\n1",
        "```sh\ngascl nothing\n```\n": r"page\.md:1: gascl nothing",
        "Save it as `a.py`:\n\n```python\n1 / 0\n```\n\n```sh\npython a.py\n```\n": "ZeroDivision",
    }
    monkeypatch = pytest.MonkeyPatch()
    with monkeypatch.context() as patch:
        patch.setattr("blocks.TOP", tmp_path)
        (tmp_path / "datasets").mkdir()
        for text, message in cases.items():
            page.write_text(text)
            with pytest.raises(AssertionError, match=f"(?s){message}"):
                run_page(page, tmp_path)
