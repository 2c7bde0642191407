"""`deliveries.py` measures kinds by all deliveries, in rows that `choices.py` reads."""

from __future__ import annotations

import csv

import choices
import deliveries

from gascl.run.supersteps import Loop


def test_rows(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Loop, "run", Loop.run)  # restored afterwards
    file = tmp_path / "deliveries.csv"
    given = ["--scale", "5", "--repeat", "1", "--cache", str(tmp_path), "--csv", str(file)]
    deliveries.main([*given, "--graphs", "star", "--kinds", "real_sum,common"])
    with file.open(newline="", encoding="utf-8") as text:
        row, small = csv.DictReader(text)
    assert (row["kind"], row["graph"]) == ("sum of reals", "star5")
    assert (row["vertices"], row["arcs"], row["supersteps"]) == ("33", "64", "10")
    times = choices.times_of(row)
    assert times.keys() == {"outbox", "pull", "slots"}
    assert small["kind"] == "common neighbors, nested loops"
    assert row["auto"] == "outbox" and times[row["best"]] == min(times.values()) > 0
    capsys.readouterr()
    choices.main([str(file), "--cache", str(tmp_path)])
    assert "of 2 choices are above" in capsys.readouterr().out
