"""Results: fields by name, rankings, and files that other tools read."""

from __future__ import annotations

import copy
import csv
import json
import math
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pyarrow.parquet
import pytest

from gascl import Engine, GasclError, Graph, Result, VertexProgram, param, vertex
from gascl.errors import FieldError
from gascl.language.types import FieldTypes
from gascl.programs import BreadthFirst, CoreNumber, Hits, Katz, PageRank, StronglyConnected
from gascl.results.result import steps_of
from gascl.results.trace import Step, Trace

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
        stopped="stop is true: it",
        trace=Trace(steps),
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
        KeyError, match=r"'rnak'; did you mean 'rank'\? Available fields: rank, count, place"
    ):
        result["rnak"]
    with pytest.raises(AttributeError, match=r"no field 'rnak'; did you mean 'rank'\? Available"):
        result.rnak  # noqa: B018
    with pytest.raises(
        GasclError,
        match=r"^the result has no field 'supersteps'. Available fields: rank, count, place$",
    ):
        result["supersteps"]
    assert not hasattr(result, "supersteps_") and not hasattr(result, "__array__")
    assert repr(result) == (
        "Result(rank, count, place; 2 supersteps, stop is true: it, pull on Some (CL))"
    )


def test_runs_without_supersteps_say_so():
    words = {"pull": "2 supersteps", "asynchronous": "2 rounds", "in_place": "2 passes"}
    for delivery, said in words.items():
        result = replace(made(), delivery=delivery)
        assert steps_of(result) == said and f"; {said}, stop is true" in repr(result)
        assert f"{said}: stop is true" in result._repr_html_()


def test_copies_and_pickles():
    for again in (copy.copy(made()), copy.deepcopy(made()), pickle.loads(pickle.dumps(made()))):
        assert again.count.tolist() == made().count.tolist()
        assert again.graph.label_of(2) == "c,c"


def test_top():
    """Ties in vertex order; without infinity and NaN, whichever way."""
    result = made()
    assert result.top("count") == [
        ("g", 7), ("h", 7), ("a", 3), ("d", 3), ("c,c", 2), ("b", 1), ('e"e', 1), ("f\nf", 0),
    ]  # fmt: skip
    assert result.top("count", 3) == [("g", 7), ("h", 7), ("a", 3)]
    assert result.top("count", 3, largest=False) == [("f\nf", 0), ("b", 1), ('e"e', 1)]
    largest = result.top("rank", 100)
    assert [label for label, _ in largest] == ["a", "d", "h", "c,c"]
    smallest = result.top("rank", 100, largest=False)
    assert [label for label, _ in smallest] == ["c,c", "a", "d", "h"]
    assert result.top("count", 0) == result.top("count", -3) == []
    assert type(result.top("count", 1)[0][1]) is int
    assert type(result.top("rank", 1)[0][1]) is float
    assert made(None).top("count", 2) == [(6, 7), (7, 7)]


def test_printed():
    """The largest values first, as `top` sorts them, and those without values last."""
    graph = Graph.from_edges([0, 1], [1, 2], labels=list("abcdefghijklm"), num_vertices=13)
    rank = np.array([0.5, np.inf, 3, 1.25, *range(10, 18), np.nan])
    parent = np.array([-1, 0, 1] + [-1] * 10)
    types = FieldTypes({"parent": "vertex"})
    fields = {"rank": rank, "parent": parent}
    result = Result(graph, fields, 5, True, "stop is true", Trace(), "D", "slots", types=types)
    lines = str(result).splitlines()
    assert lines[0].split() == ["vertex", "rank", "parent"]
    assert [line.split()[0] for line in lines[1:11]] == list("lkjihgfecd")
    assert lines[9].split() == ["c", "3", "b"]
    assert lines[11:] == ["... 3 more", "5 supersteps: stop is true", "slots on D"]
    shown = result._repr_html_()
    assert shown.index("<td>l</td>") < shown.index("<td>k</td>") < shown.index("5 supersteps")
    assert repr(result) == "Result(rank, parent; 5 supersteps, stop is true, slots on D)"
    few = Result(graph, {"x": np.full(13, np.nan)}, 1, True, "", Trace(), "D", "slots")
    assert str(few).splitlines()[1].split() == ["a", "nan"], "there are no others"


def test_groups_are_printed_by_size():
    """Those of vertices by label; a number below 0 is no group."""
    graph = Graph.from_edges([], [], labels=list("abcdefg"), num_vertices=7)
    fields = {
        "community": np.array([9, 9, 4, 2, 2, 2, -1]),
        "component": np.array([2] * 3 + [4] * 4),
    }
    types = FieldTypes({"component": "vertex"})
    result = Result(graph, fields, 1, True, "", Trace(), "D", "slots", types=types)
    assert str(result).splitlines()[:3] == [
        "community: 3 groups; vertices: 2 (3), 9 (2), 4 (1)",
        "component: 2 groups; vertices: e (4), c (3)",
        "vertex  community  component",
    ]
    shown = result._repr_html_()
    assert shown.index("vertices: e (4), c (3)") < shown.index("<table")


def test_top_of_unsigned_numbers():
    result = made()
    result.fields["count"] = np.array([0, 2**64 - 1, 5, 0, 0, 0, 0, 2**63], np.uint64)
    assert result.top("count", 2) == [("b", 2**64 - 1), ("h", 2**63)]


def test_top_refuses():
    why = (
        r"field 'place' has 2 values per vertex and cannot be sorted; sort a column of result\.to_"
    )
    with pytest.raises(GasclError, match=why):
        made().top("place")
    with pytest.raises(KeyError, match="no field 'rnak'"):
        made().top("rnak")
    with pytest.raises(
        GasclError, match="field 'best' has a struct per vertex and cannot be sorted"
    ):
        structured().top("best")
    with pytest.raises(
        GasclError, match="field 'rank' has 3 values per vertex and cannot be sorted"
    ):
        structured(lanes=3).top("rank")


def test_communities():
    graph = Graph.from_edges(
        [("a", "b"), ("b", "c"), ("b", "b"), ("d", "e"), ("e", "d"), ("f", "d")],
        labels=["a", "b", "c", "d", "e", "f", "g"],
    )
    made_of = replace(made(), graph=graph)
    label = np.array([2, 2, 2, 3, 3, 3, -1], np.int32)
    result = replace(
        made_of, fields={"label": label, "x": label}, types=FieldTypes({"label": "vertex"})
    )
    # b has three edges and d three; the others fewer. Of groups of one size, that of c is first.
    assert result.communities() == [("c", 3, "b"), ("d", 3, "d")]
    assert result.communities(k=1)[0].hub == "b"
    assert result.communities(k=-1) == []
    assert result.communities("x", largest=False) == [(-1, 1, "g"), (2, 3, "b"), (3, 3, "d")]
    frame = pandas.DataFrame(result.communities("x"))
    assert frame.columns.tolist() == ["community", "size", "hub"]
    rank = np.array([0.5, math.nan, 0.5, 0.25, math.inf, 0.25, 0.25])
    ranked = replace(made_of, fields={"rank": rank, "pair": rank[:, None]})
    assert ranked.communities("rank") == [(0.25, 3, "d"), (0.5, 2, "a")]
    with pytest.raises(GasclError, match="name it; there are: rank, pair"):
        ranked.communities()
    with pytest.raises(GasclError, match="'pair' has 1 values per vertex and cannot be grouped"):
        ranked.communities("pair")
    with pytest.raises(GasclError, match="no field 'label'"):
        ranked.communities("label")
    levels = np.stack([label, np.arange(7)], axis=1)
    scales = replace(made_of, fields={"label": label, "levels": levels})
    assert scales.communities(levels=True) == scales.communities("levels", levels=True)
    coarse, fine = scales.communities(levels=True, k=2)
    assert coarse == scales.communities("label", k=2) == [(2, 3, "b"), (3, 3, "d")]
    assert fine == [(0, 1, "a"), (1, 1, "b")]
    with pytest.raises(GasclError, match="'label' has no levels"):
        scales.communities("label", levels=True)
    with pytest.raises(GasclError, match="name it; there are: rank, pair"):
        ranked.communities(levels=True)
    nobody = replace(
        made_of, graph=Graph.from_edges([], []), fields={"label": np.zeros(0, np.int32)}
    )
    assert nobody.communities() == []


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
    return Result(graph, fields, 1, True, "", Trace(), "Some (CL)", "slots")


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


def test_csv_has_the_shortest_text_of_a_float32(tmp_path):
    values = np.array([0.01, 1 / 3, 1e-5, 3e38, 16777216, 0, np.inf, np.nan], np.float32)
    result = made(None)
    result.fields["rank"] = values
    result.save(tmp_path / "out.csv")
    texts = [line.split(",")[1] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert texts[:3] == ["0.01", "0.33333334", "1e-05"]
    assert np.array_equal(np.array(texts, np.float32), values, equal_nan=True)
    for suffix in (".csv", ".mtx", ".v"):
        graph = Graph.from_edges([1, 2], [0, 1], weight=values[:2])
        graph.write(tmp_path / f"a{suffix}")
        again = Graph.read(tmp_path / f"a{suffix}").edge_fields["weight"]
        assert sorted(again.tolist()) == [0.01, 0.33333334]


def test_the_name_can_be_left_out_of_top():
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    result = Engine(graph).run(BreadthFirst(source="a"))
    assert result.top(k=1) == result.top("depth", 1) == [("c", 2)]
    ranks = Engine(graph).run(PageRank())
    assert ranks.top(k=1) == ranks.top("rank", 1), "not by what it was given"
    with pytest.raises(GasclError, match=r"top sorts by one field: name it, such as 'hub'; there"):
        Engine(graph).run(Hits()).top()


def test_answers_come_before_what_is_given(tmp_path):
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    result = Engine(graph).run(PageRank(personalization={"a": 1}))
    order = ["rank", "personalization", "landing"]
    assert list(result) == list(result.fields) == order
    assert repr(result).startswith("Result(rank, personalization, landing; ")
    assert list(Engine(Graph.from_edges([])).run(PageRank())) == order

    class Solved(VertexProgram):
        given = vertex.real()
        answer = vertex.real()

        def solve(self, stages):
            stages.run(Given())
            return {"answer": np.zeros(3)}

    class Given(VertexProgram):
        supersteps = param.supersteps(0)
        given = vertex.real()
        apply = "v.given = 1;"

    solved = Engine(graph).run(Solved())
    assert list(solved) == ["answer", "given"]
    assert list(solved.to_pandas().columns) == ["answer", "given"], "a stage writes the second"


def test_tables_have_answers_and_requested_inputs(tmp_path):
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    result = Engine(graph).run(PageRank(personalization={"a": 1}))
    for each in (result, pickle.loads(pickle.dumps(result)), replace(result, seconds={})):
        assert list(each.to_pandas().columns) == ["rank"]
        assert list(each.to_pandas([*each]).columns) == ["rank", "personalization", "landing"]
        assert "<th>vertex</th><th>rank</th></tr>" in each._repr_html_()
    for names, header in (({}, "rank"), ({"fields": ["landing", "rank"]}, "landing,rank")):
        result.save(tmp_path / "out.csv", **names)
        assert (tmp_path / "out.csv").read_text().startswith(f"vertex,{header}\n")
    result.save(tmp_path / "out.npz")
    assert np.load(tmp_path / "out.npz").files == ["vertex", "rank"]
    katz = Engine(graph).run(Katz(own={"a": 1}))
    assert list(katz.to_pandas().columns) == ["centrality"], "solve returns it, no stage writes own"
    components = Engine(graph).run(StronglyConnected())
    assert list(components.to_pandas().columns) == ["component"], "which a stage writes"

    class Unwritten(VertexProgram):
        supersteps = param.supersteps(1)
        group = vertex.int32(init="v.id % 2")
        message, combine, scatter_on = "int32", "sum", "all"
        scatter = "send(1);"

    assert list(Engine(graph).run(Unwritten()).to_pandas().columns) == ["group"], "all it has"


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


SCALAR, VECTOR = np.array([10, 20]), np.array([[1, 2], [3, 4]])
#: Fields of two vertices, and the columns besides `vertex`. Structs are by their members.
CLASHES = [
    ({"x": VECTOR, "x_0": SCALAR}, {"x[0]": [1, 3], "x[1]": [2, 4], "x_0": [10, 20]}),
    ({"x_1": SCALAR, "x": VECTOR}, {"x[0]": [1, 3], "x[1]": [2, 4], "x_1": [10, 20]}),
    ({"x": VECTOR, "x_2": SCALAR}, {"x_0": [1, 3], "x_1": [2, 4], "x_2": [10, 20]}),
    ({"vertex": SCALAR}, {"fields.vertex": [10, 20]}),
    ({"vertex": VECTOR}, {"vertex_0": [1, 3], "vertex_1": [2, 4]}),
    ({"a_b": SCALAR, "a": {"b": SCALAR + 1}}, {"a_b": [10, 20], "a.b": [11, 21]}),
    (
        {"a": {"b_0": SCALAR}, "a_b": VECTOR},
        {"a.b_0": [10, 20], "a_b[0]": [1, 3], "a_b[1]": [2, 4]},
    ),
    (
        {"a": {"b": VECTOR, "b_1": SCALAR}},
        {"a.b[0]": [1, 3], "a.b[1]": [2, 4], "a.b_1": [10, 20]},
    ),
    (
        {name: SCALAR + at for at, name in enumerate(["file", "missing", "allow_pickle", "args"])},
        {"file": [10, 20], "missing": [11, 21], "allow_pickle": [12, 22], "args": [13, 23]},
    ),
    ({"graph": SCALAR, "fields": SCALAR + 1}, {"graph": [10, 20], "fields": [11, 21]}),
]


def with_fields(fields) -> Result:
    def array(value):
        if not isinstance(value, dict):
            return value
        made = np.zeros(2, [(n, values.dtype, values.shape[1:]) for n, values in value.items()])
        for name, values in value.items():
            made[name] = values
        return made

    fields = {name: array(value) for name, value in fields.items()}
    graph = Graph.from_edges([0], [1], labels=["a", "b"])
    return Result(graph, fields, 1, True, "", Trace(), "Some (CL)", "slots")


@pytest.mark.parametrize(("fields", "columns"), CLASHES)
def test_no_column_is_lost_where_names_clash(tmp_path, fields, columns):
    result = with_fields(fields)
    for name in fields:
        assert result[name] is result.fields[name]
    result.save(tmp_path / "out.csv")
    frame = pandas.read_csv(tmp_path / "out.csv")
    assert frame.to_dict("list") == {"vertex": ["a", "b"], **columns}
    result.save(tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.to_pydict() == {"vertex": ["a", "b"], **columns}
    result.save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as found:
        assert found["vertex"].tolist() == ["a", "b"]
        assert len(found.files) == 1 + len(fields)
        for name in fields:
            again = found["fields.vertex" if name == "vertex" else name]
            assert again.dtype == result[name].dtype
            assert again.tobytes() == result[name].tobytes()


def test_fields_with_the_names_of_other_things(tmp_path):
    class Clashes(VertexProgram):
        count = vertex.int32(init="v.id + 1")
        file = vertex.int32(init="v.id + 3")
        vertex = vertex.int32(init="v.id + 2")
        message, combine = "int32", "sum"
        mask = "1"
        scatter = "send(1);"
        apply = "v.count += msg;"

    result = Engine(Graph.from_edges([0], [1])).run(Clashes())
    assert result["count"].tolist() == [1, 3]
    result.save(tmp_path / "out.npz", [*result])
    with np.load(tmp_path / "out.npz") as found:
        assert {name: found[name].tolist() for name in found.files} == {
            "vertex": [0, 1],
            "count": [1, 3],
            "fields.vertex": [2, 3],
            "file": [3, 4],
        }


#: Of which one is half of a surrogate pair, as file names that are no text become.
TEXTS = ["Zürich", "東京", "\ud800", "a\udcff", "=1+2", "\u2028", "plain", "🙂"]


def test_text_is_utf_8_with_lf(tmp_path):
    made(TEXTS).save(tmp_path / "out.csv")
    content = (tmp_path / "out.csv").read_bytes()
    assert b"\r" not in content and content.endswith(b"\n")
    lines = content.decode("utf-8").split("\n")
    written = [line.split(",")[0] for line in lines[1:-1]]
    escaped = ["\\ud800", "a\\udcff"]
    assert written == [*TEXTS[:2], *escaped, *TEXTS[4:]]
    made(TEXTS).save(tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table["vertex"].to_pylist() == [*TEXTS[:2], *escaped, *TEXTS[4:]]
    made(TEXTS).save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as found:
        assert found["vertex"].tolist() == TEXTS
    made(TEXTS).save_trace(tmp_path / "trace.json")
    json.loads((tmp_path / "trace.json").read_bytes().decode("utf-8"))


SAVES = {
    "out.csv": lambda path: made().save(path),
    "out.npz": lambda path: made().save(path),
    "out.parquet": lambda path: made().save(path),
    "trace.json": lambda path: made().save_trace(path),
}


@pytest.mark.parametrize("name", SAVES)
def test_files_that_cannot_be_written(tmp_path, name):
    path = tmp_path / "none" / name
    words = f"^{re.escape(str(path))} cannot be written: there is no folder .*; create it first"
    with pytest.raises(GasclError, match=words):
        SAVES[name](path)
    (tmp_path / name).mkdir()
    with pytest.raises(GasclError, match="cannot be written: it is a folder; name a file in it"):
        SAVES[name](tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with pytest.raises(GasclError, match="is given as None; give its path"):
        SAVES[name](None)


def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A full disk, played by a limit on the size of files."""
    script = """
import resource, sys
from test_result import SAVES, GasclError
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for name in SAVES:
    try:
        SAVES[name](f"{sys.argv[1]}/{name}")
    except GasclError as error:
        print(error)
"""
    pytest.importorskip("resource", reason="limits on the size of files are POSIX")
    for name in SAVES:
        (tmp_path / name).write_bytes(b"as it was")
    command = [sys.executable, "-c", script, str(tmp_path)]
    folder = Path(__file__).parent
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)
    for name in SAVES:
        path = tmp_path / name
        assert f"{path} cannot be written: File too large; make room there" in ran.stdout, name
        assert path.read_bytes() == b"as it was"
    assert {path.name for path in tmp_path.iterdir()} == {*SAVES}


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(GasclError, match=r"needs pyarrow: `pip install pyarrow`"):
        made().save(tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_other_endings(tmp_path):
    for name in ("out.txt", "out", "out.csv.gz"):
        with pytest.raises(GasclError, match=r"must end in \.csv, \.npz, \.parquet"):
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
        "stopped": "stop is true: it",
        "device": "Some (CL)",
        "delivery": "pull",
    }
    assert found["seconds"] == {"build": 0.5}


def test_a_pickled_result_of_a_run_has_its_trace():
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3], directed=False)
    for program in (BreadthFirst(source=0), PageRank(), CoreNumber()):
        result = Engine(graph).run(program)
        again = pickle.loads(pickle.dumps(result))
        assert list(again.trace) == list(result.trace) and len(again.trace) == result.supersteps
        for name in result.fields:
            np.testing.assert_array_equal(again[name], result[name])


def test_what_scripts_for_ranks_do_with_one_process(tmp_path):
    """Its own vertices are all; of Parquet files, it may write one, where ranks need a folder."""
    graph = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")])
    result = Engine(graph).run(BreadthFirst(source="b"), collect=False)
    assert result.depth.tolist() == [2, 0, 1]
    assert result.own_rows.vertices.tolist() == [0, 1, 2]
    assert result.own_rows["depth"].tolist() == [2, 0, 1]
    with pytest.raises(FieldError, match=r"no field .deep.\. Available fields: depth"):
        result.own_rows["deep"]
    result.to_parquet(tmp_path / "one.parquet", ["depth"])
    assert (tmp_path / "one.parquet").is_file()
    found = pandas.read_parquet(tmp_path / "one.parquet")
    assert found.to_numpy().tolist() == [["a", 2], ["b", 0], ["c", 1]]
    (tmp_path / "one.parquet").unlink()
    result.to_parquet(tmp_path / "depths", ["depth"])
    assert [each.name for each in (tmp_path / "depths").iterdir()] == ["part-00000.parquet"]
    found = pandas.read_parquet(tmp_path / "depths")
    assert found.to_numpy().tolist() == [["a", 2], ["b", 0], ["c", 1]]
    with pytest.raises(FieldError, match=r"no field 'deep'; did you mean 'depth'"):
        result.to_parquet(tmp_path / "other", ["deep"])
    assert [each.name for each in tmp_path.iterdir()] == ["depths"]
