"""`kinds.py` verifies small programs of many kinds, and puts errors into their rows."""

from __future__ import annotations

import csv
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import kinds
import numpy as np
import pytest
from small_programs import KINDS, SUPERSTEPS, Links

#: What is measured of a kind on a graph.
FIGURES = ("ms", "multiple", "pagerank_ms", "auto_ratio")


@pytest.fixture
def measured(tmp_path):
    """Runs kinds.py: measured(...) -> the rows of its file."""

    def run(*arguments: str) -> list[dict[str, str]]:
        results = tmp_path / "kinds.csv"
        given = ["--repeat", "1", "--jobs", "1", "--cache", str(tmp_path), "--csv", str(results)]
        kinds.main([*given, *arguments])
        return rows_of(results)

    return run


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def test_table(measured, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- benchmarks/kinds.py -->\nold\n<!-- end -->\nafter\n")
    chosen = ["--kinds", "real_sum,gather_second", "--update", str(page)]
    rows = measured("--graphs", "star", "--scale", "4", *chosen)
    titles = ["sum of reals", "gather snippet, second largest"]
    assert [(row["kind"], row["graph"], row["error"]) for row in rows] == [
        (title, "star4", "") for title in titles
    ]
    for row in rows:
        assert all(float(row[name]) > 0 for name in FIGURES)
        assert float(row["auto_ratio"]) >= 1
        assert (row["auto"], row["supersteps"]) == ("outbox", str(SUPERSTEPS))
        assert row["best"] in ("outbox", *(each.split()[0] for each in row["others"].split(", ")))
    arcs, vertices = 32, 17
    assert float(rows[0]["MB"]) == pytest.approx((8 * arcs + 16 * vertices) / 1e6, rel=1e-3)
    text = page.read_text()
    assert "old" not in text and all(f"| {title} | star4 |" in text for title in titles)
    assert all(f"| {title} | star4 |" in capsys.readouterr().out for title in titles[:1])


def test_a_run_in_any_order_counts_as_one_superstep(measured):
    rows = measured("--graphs", "grid", "--scale", "6", "--kinds", "levels,routes,roots")
    assert [(row["supersteps"], row["error"]) for row in rows] == 3 * [("1", "")]
    arcs, vertices = 224, 64  # of a grid of 8 x 8
    expected = (8 * arcs + 12 * vertices, 16 * arcs + 16 * vertices, 8 * arcs + 12 * vertices)
    assert [float(row["MB"]) for row in rows] == pytest.approx(np.array(expected) / 1e6, rel=1e-3)


def test_errors_stand_in_their_rows(measured, monkeypatch):
    def fails(g: Links) -> None:
        raise RuntimeError("no such | program")

    right = KINDS["gather"]
    wrong = replace(right, title="wrong", answer=lambda g: {"x": right.answer(g)["x"] + 1})
    failing = replace(right, title="failing", make=fails)
    monkeypatch.setattr(kinds, "KINDS", {"wrong": wrong, "failing": failing, "right": right})
    rows = measured("--graphs", "path", "--scale", "3")
    errors = {row["kind"]: row["error"] for row in rows}
    assert errors == {
        "wrong": "SystemExit: refused: auto: x: 8 of 8 values differ from those that are verified",
        "failing": "RuntimeError: no such / program",
        right.title: "",
    }
    assert [bool(row["multiple"]) for row in rows] == [False, False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--graphs", "torus"], "--graphs torus: there are rmat, uniform, grid"),
        (["--kinds", "sum"], "--kinds sum: there are real_sum"),
    ],
)
def test_refusals(capsys, arguments, message):
    with pytest.raises(SystemExit):
        kinds.main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("family", kinds.GRAPHS)
def test_all(measured, family):
    rows = measured("--graphs", family, "--scale", "5")
    assert [row["kind"] for row in rows] == [kind.title for kind in KINDS.values()]
    assert {row["kind"]: row["error"] for row in rows if row["error"]} == {}
    assert all(float(row["multiple"]) > 0 for row in rows)


@pytest.mark.slow
def test_processes_share_the_kinds(tmp_path):
    """In a process of its own: this one may have used a device, and must not be forked then."""
    results = tmp_path / "kinds.csv"
    chosen = ["--kinds", "gather,mask_half,pairs", "--graphs", "rmat", "--scale", "4"]
    options = ["--jobs", "2", "--repeat", "1", "--rivals", "1", "--cache", str(tmp_path)]
    command = [sys.executable, kinds.__file__, *chosen, *options, "--csv", str(results)]
    subprocess.run(command, check=True)
    rows = rows_of(results)
    assert [row["kind"] for row in rows] == [
        KINDS[n].title for n in ("gather", "mask_half", "pairs")
    ]
    assert [row["error"] for row in rows] == ["", "", ""]
    assert all(row["others"].count(",") == 0 for row in rows)


def test_floods_count_what_is_sent():
    """Along a path of eight vertices, the label 0 goes one vertex further in each superstep."""
    g = Links(kinds.made("path3"))
    flood = g.flooded("labels", np.arange(8), np.minimum)
    assert flood.values.tolist() == [0] * 8
    # All eight send; then those that have heard a smaller label: seven, six, ..., one.
    assert flood.sent == 8 + sum(range(1, 8))
    assert flood.arcs == 14 + sum(2 * n - 1 for n in range(1, 8))
