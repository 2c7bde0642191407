"""Results: fields by name, rankings, and files that other tools read."""

from __future__ import annotations

import copy
import csv
import json
import math
import pickle
import sys

import numpy as np
import pyarrow.parquet
import pytest

from gascl import GasclError, Graph, Result
from gascl.result import Step

RANK = [0.5, math.nan, 0.25, 0.5, math.inf, math.nan, -math.inf, 0.5]
PLACE = np.arange(16, dtype=np.float32).reshape(8, 2)
LABELS = ["a", "b", "c,c", "d", 'e"e', "f\nf", "g", "h"]


def made(labels=LABELS) -> Result:
    steps = [
        Step(0, 8, 7, {"change": 1.5, "least": math.inf}, 1e-6),
        Step(1, 3, 2, {"change": math.nan, "far": (math.inf, 3)}, 2e-6, "push", "few arcs"),
    ]
    count = np.array([3, 1, 2, 3, 1, 0, 7, 7], np.int64)
    return Result(
        graph=Graph.from_edges([0], [1], num_vertices=8, labels=labels),
        fields={"rank": np.array(RANK), "count": count, "place": PLACE},
        supersteps=2,
        converged=True,
        stopped="stop held: it",
        trace=steps,
        device="Some (CL)",
        delivery="pull",
        seconds={"build": 0.5},
    )


def test_fields_by_item_and_attribute():
    result = made()
    assert result["count"] is result.count
    assert result.place.shape == (8, 2)
    assert {"rank", "count", "place", "top", "supersteps"} <= set(dir(result))
    with pytest.raises(
        KeyError, match=r"'rnak'; did you mean 'rank'\? There is rank, count, place"
    ):
        result["rnak"]
    with pytest.raises(AttributeError, match=r"no field 'rnak'; did you mean 'rank'\? There is"):
        result.rnak  # noqa: B018
    with pytest.raises(GasclError, match=r"^no field 'supersteps'; there is rank, count, place$"):
        result["supersteps"]
    assert not hasattr(result, "supersteps_") and not hasattr(result, "__array__")
    assert repr(result) == (
        "Result(rank, count, place; 2 supersteps, stop held: it, pull on Some (CL))"
    )


def test_copies_and_pickles():
    for again in (copy.copy(made()), copy.deepcopy(made()), pickle.loads(pickle.dumps(made()))):
        assert again.count.tolist() == made().count.tolist()
        assert again.graph.label_of(2) == "c,c"


def test_top():
    """Ties in vertex order, NaN last, whichever way."""
    result = made()
    assert result.top("count") == [
        ("g", 7), ("h", 7), ("a", 3), ("d", 3), ("c,c", 2), ("b", 1), ('e"e', 1), ("f\nf", 0),
    ]  # fmt: skip
    assert result.top("count", 3) == [("g", 7), ("h", 7), ("a", 3)]
    assert result.top("count", 3, largest=False) == [("f\nf", 0), ("b", 1), ('e"e', 1)]
    largest = result.top("rank", 100)
    assert [label for label, _ in largest] == ['e"e', "a", "d", "h", "c,c", "g", "b", "f\nf"]
    assert largest[0][1] == math.inf
    assert all(math.isnan(value) for _, value in largest[6:])
    smallest = result.top("rank", 100, largest=False)
    assert [label for label, _ in smallest] == ["g", "c,c", "a", "d", "h", 'e"e', "b", "f\nf"]
    assert all(math.isnan(value) for _, value in smallest[6:])
    assert result.top("count", 0) == result.top("count", -3) == []
    assert type(result.top("count", 1)[0][1]) is int
    assert type(result.top("rank", 1)[0][1]) is float
    assert made(None).top("count", 2) == [(6, 7), (7, 7)]


def test_top_of_unsigned_numbers():
    result = made()
    result.fields["count"] = np.array([0, 2**64 - 1, 5, 0, 0, 0, 0, 2**63], np.uint64)
    assert result.top("count", 2) == [("b", 2**64 - 1), ("h", 2**63)]


def test_top_refuses():
    with pytest.raises(GasclError, match="field 'place' is of 2 values a vertex: it has no order"):
        made().top("place")
    with pytest.raises(KeyError, match="no field 'rnak'"):
        made().top("rnak")
    with pytest.raises(GasclError, match="field 'best' is a struct: it has no order"):
        structured().top("best")
    with pytest.raises(GasclError, match="field 'rank' is of 3 values a vertex: it has no order"):
        structured(lanes=3).top("rank")


def test_csv(tmp_path):
    made().save(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["vertex", "rank", "count", "place_0", "place_1"]
    assert [row[0] for row in rows[1:]] == LABELS
    assert [float(row[1]) for row in rows[1:]] == pytest.approx(RANK, abs=0, nan_ok=True)
    assert [row[2:] for row in rows[1:3]] == [["3", "0.0", "1.0"], ["1", "2.0", "3.0"]]


def structured(lanes: int = 1) -> Result:
    """A struct with a vector in it, a scalar and a vector; of several lanes at once."""
    shape = (2, lanes) if lanes > 1 else (2,)
    best = np.zeros(shape, [("near", "f4"), ("at", "i2", (2,)), ("who", "i4")])
    for name in ("near", "who", "at"):
        best[name] = np.arange(best[name].size).reshape(best[name].shape)
    fields = {
        "best": best,
        "rank": np.arange(2.0 * lanes).reshape(shape),
        "place": np.arange(4 * lanes).reshape(*shape, 2),
    }
    graph = Graph.from_edges([0], [1])
    return Result(graph, fields, 1, True, "", [], "Some (CL)", "slots")


COLUMNS = {
    1: {
        "vertex": [0, 1],
        "best_near": [0, 1],
        "best_at_0": [0, 2],
        "best_at_1": [1, 3],
        "best_who": [0, 1],
        "rank": [0, 1],
        "place_0": [0, 2],
        "place_1": [1, 3],
    },
    2: {
        "vertex": [0, 1],
        "best_near_0": [0, 2],
        "best_near_1": [1, 3],
        "best_at_0_0": [0, 4],
        "best_at_0_1": [1, 5],
        "best_at_1_0": [2, 6],
        "best_at_1_1": [3, 7],
        "best_who_0": [0, 2],
        "best_who_1": [1, 3],
        "rank_0": [0, 2],
        "rank_1": [1, 3],
        "place_0_0": [0, 4],
        "place_0_1": [1, 5],
        "place_1_0": [2, 6],
        "place_1_1": [3, 7],
    },
}


@pytest.mark.parametrize("lanes", COLUMNS)
def test_columns_of_structs_and_lanes(tmp_path, lanes):
    """A member, a lane (before a vector's component) and a component each have a column."""
    result = structured(lanes)
    result.save(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    columns = {name: [float(x) for x in column] for name, *column in zip(*rows, strict=True)}
    assert columns == COLUMNS[lanes]
    result.save(tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert {n: table[n].to_pylist() for n in table.column_names} == COLUMNS[lanes]
    assert str(table["best_at_0" if lanes == 1 else "best_at_0_0"].type) == "int16"
    result.save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as found:
        assert found["best"].dtype == result.best.dtype
        assert all(np.array_equal(found[n], result[n]) for n in ("best", "rank", "place"))


def test_csv_keeps_every_bit(tmp_path):
    result = made(None)
    result.fields["rank"] = np.array([0.1 + 0.2, 1e-300, 1 / 3, 5e-324, 0, 1, 2, 3])
    result.save(str(tmp_path / "out.csv"))
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert [float(line.split(",")[1]) for line in lines[1:]] == result.rank.tolist()
    assert [line.split(",")[0] for line in lines[1:]] == [str(i) for i in range(8)]


@pytest.mark.parametrize("labels", [LABELS, None, list(range(10, 18)), [1, "x", *"bcdefg"]])
def test_npz(tmp_path, labels):
    made(labels).save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as found:  # refuses what would need pickle
        assert sorted(found.files) == ["count", "place", "rank", "vertex"]
        expected = list(range(8)) if labels is None else labels
        if labels is not None and labels[1] == "x":
            expected = ["1", "x", *"bcdefg"]
        assert found["vertex"].tolist() == expected
        assert found["place"].dtype == np.float32
        assert np.array_equal(found["place"], PLACE)
        assert np.array_equal(found["rank"], RANK, equal_nan=True)


@pytest.mark.parametrize("labels", [LABELS, None, [1, "x", *"bcdefg"]])
def test_parquet(tmp_path, labels):
    made(labels).save(tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["vertex", "rank", "count", "place_0", "place_1"]
    expected = list(range(8)) if labels is None else [str(name) for name in labels]
    assert table["vertex"].to_pylist() == expected
    assert table["count"].to_pylist() == made().count.tolist()
    assert table["place_1"].to_pylist() == PLACE[:, 1].tolist()
    assert str(table["place_1"].type) == "float"


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(GasclError, match=r"needs pyarrow: `pip install pyarrow`"):
        made().save(tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_other_endings(tmp_path):
    for name in ("out.txt", "out", "out.csv.gz"):
        with pytest.raises(GasclError, match=r"ends in \.csv, \.npz, \.parquet"):
            made().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_trace(tmp_path):
    made().save_trace(tmp_path / "trace.json")
    text = (tmp_path / "trace.json").read_text()

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    found = json.loads(text, parse_constant=refuse)
    assert found["trace"][0]["aggregates"] == {"change": 1.5, "least": "inf"}
    assert found["trace"][1]["aggregates"] == {"change": "nan", "far": ["inf", 3]}
    assert found["trace"][1]["superstep"] == 1
    assert (found["trace"][0]["active"], found["trace"][0]["messages"]) == (8, 7)
    assert found["trace"][1]["seconds"] == 2e-6
    assert [s["delivery"] for s in found["trace"]] == ["", "push"]
    assert [s["why"] for s in found["trace"]] == ["", "few arcs"]
    assert {k: found[k] for k in ("supersteps", "converged", "stopped", "device", "delivery")} == {
        "supersteps": 2,
        "converged": True,
        "stopped": "stop held: it",
        "device": "Some (CL)",
        "delivery": "pull",
    }
    assert found["seconds"] == {"build": 0.5}
