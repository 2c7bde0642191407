"""Graphs of the edges and vertices that meet a condition, or of a span of time."""

import datetime
import pickle

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gascl import Graph, GraphError
from gascl.communities.tracking import track
from gascl.programs import Louvain

TIMES = ["2024-01-01T08:00", "2024-01-01T09:30", "2024-01-02", "NaT"]


def trips() -> Graph:
    return Graph.from_edges(
        [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")],
        kind=["tram", "bus", None, "tram"],
        time=np.array(TIMES, "M8[s]"),
        paid=[True, False, True, False],
        minutes=[5, 7, 9, 11],
        share=[0.5, np.nan, 1, 2],
        small=np.array([1, 2, 3, 4], np.uint8),
        vertex_fields={
            "city": {"a": "Ulm", "b": "Bonn", "c": "Ulm", "d": "Bonn"},
            "age": [1, 2, 3, 4],
        },
    )


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("minutes < 8", [5, 7]),
        ("5 < minutes <= 9", [7, 9]),
        ("8 > minutes", [5, 7]),
        ("minutes < 10 and kind == 'tram'", [5]),
        ("kind == 'tram' or minutes == 7", [5, 7, 11]),
        ("not (kind == 'tram')", [7, 9]),
        ("kind != 'tram'", [7, 9]),
        ("'bus' == kind", [7]),
        ("kind >= 'c'", [5, 11]),
        ("kind in ['bus', 'boat']", [7]),
        ("kind not in ('bus',)", [5, 9, 11]),
        ("kind in []", []),
        ("kind is None", [9]),
        ("kind is not None and paid", [5]),
        ("kind.startswith('t') & ~paid", [11]),
        ("kind.contains('us') | kind.endswith('m')", [5, 7, 11]),
        ("paid == False", [7, 11]),
        ("paid == 5", []),
        ("paid == (minutes > 8)", [7, 9]),
        ("2 > 1 and small < 300", [5, 7, 9, 11]),
        ("time >= '2024-01-01T09:00'", [7, 9]),
        ("time < '2024-01-02'", [5, 7]),
        ("time is None", [11]),
        ("share is None", [7]),
        ("share * 2 >= 2", [9, 11]),
        ("small - 3 < 0", [5, 7]),
        ("abs(minutes - 8) == 1 and minutes % 4 == 3", [7]),
        ("-minutes < -8", [9, 11]),
        ("source == 'a'", [5, 9]),
        ("source.city == target.city", [9]),
        ("target.age - source.age == 1", [5, 7, 11]),
        ("source < target", [5, 7, 9, 11]),
        ("True", [5, 7, 9, 11]),
        ("  minutes ==\n5 ", [5]),
    ],
)
def test_conditions_on_edges(condition, kept):
    graph = trips()
    found = graph.where(edges=condition)
    assert found.edge_fields["minutes"].tolist() == kept
    assert found.num_vertices == 4 and found.labels is graph.labels
    line = f"where: edges {condition!r}: {len(kept)} of 4 edges"
    assert found.report[-1] == line and line not in graph.report


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("city == 'Ulm'", ["a", "c"]),
        ("age > 1 and vertex != 'd'", ["b", "c"]),
        ("degree == 2", ["a", "b"]),
        ("in_degree == 0 or out_degree == 0", ["a", "d"]),
    ],
)
def test_conditions_on_vertices(condition, kept):
    found = trips().where(vertices=condition)
    assert found.labels.tolist() == kept
    assert f"where: vertices {condition!r}" in found.report


def sizes() -> pandas.DataFrame:
    """Ordered categories, two with the same order and one with another."""
    kind = pandas.CategoricalDtype(["S", "M", "L"], ordered=True)
    other = pandas.CategoricalDtype(["L", "M", "S"], ordered=True)
    ends = {"source": [0, 1, 2, 3], "target": [1, 2, 3, 0], "n": [1, 2, 3, 4], "m": 0}
    frame = pandas.DataFrame(ends)
    frame["size"] = pandas.Series(["L", "S", None, "M"], dtype=kind)
    frame["least"] = pandas.Series(["M", "M", "S", "M"], dtype=kind)
    frame["turned"] = pandas.Series(["L", "M", "S", "S"], dtype=other)
    frame["text"] = ["L", "L", "S", "S"]
    return frame


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("size < 'L'", [2, 4]),
        ("'M' <= size", [1, 4]),
        ("size == 'XL'", []),
        ("size != 'L'", [2, 3, 4]),
        ("size < least", [2]),
        ("size >= least", [1, 4]),
        ("size == turned", [1]),
        ("size == text", [1]),
        ("source == 0 or size > 'S'", [1, 4]),
    ],
)
def test_ordered_categories_are_compared_by_their_order(condition, kept, tmp_path):
    graph = Graph.from_pandas(sizes())
    assert "column 'size': text, 3 different, in this order: 0 is 'S'" in "\n".join(graph.report)
    graph.write(tmp_path / "g.npz")
    graph.write(tmp_path / "g.parquet")
    graphs = [graph, *(Graph.read(tmp_path / f"g{s}") for s in (".npz", ".parquet"))]
    graphs += [Graph.from_pandas(graph.to_pandas()), Graph.from_arrow(graph.to_arrow())]
    graphs.append(pickle.loads(pickle.dumps(graph)))
    for each in graphs:
        assert each.where(edges=condition).edge_fields["n"].tolist() == kept
    frame = sizes()
    if "turned" not in condition and "source" not in condition and "text" not in condition:
        assert frame.query(condition).n.tolist() == kept


def test_ordered_categories_are_not_guessed():
    graph = Graph.from_pandas(sizes())
    for condition, words in (
        ("size < 'XL'", "'S', 'M', 'L', with 'XL'"),
        ("size < turned", "ordered categories with others"),
        ("size < text", "ordered categories with others"),
    ):
        with pytest.raises(GraphError, match=words):
            graph.where(edges=condition)
    added = {"n": [5], "m": [0], "size": ["M"], "least": ["L"], "turned": ["S"], "text": ["new"]}
    more = graph.with_edges(add=([0], [2]), **added)
    assert more.where(edges="size < 'L'").edge_fields["n"].tolist() == [2, 4, 5]
    with pytest.raises(GraphError, match=r"'XL' is none of the ordered categories 'S', 'M', 'L'"):
        graph.with_edges(add=([0], [2]), **{**added, "size": ["XL"]})
    people = pandas.Series(["b", "a"], ["x", "y"], pandas.CategoricalDtype(["b", "a"], True))
    pair = Graph.from_edges([("y", "x")], vertex_fields={"rank": people})
    assert pair.where(vertices="rank < 'a'").labels.tolist() == ["x"]


def test_names_in_backquotes():
    frame = pandas.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "a"]})
    frame = frame.assign(
        **{"class": ["x y", "`x`", "z"], "minutes late": [5, 7, 9], "à": [1, 2, 3]}
    )
    people = pandas.DataFrame({"name": ["a", "b", "c"], "home town": ["Ulm", "Bonn", "Ulm"]})
    graph = Graph.from_pandas(frame, vertices=people).with_edge_fields(n=[1, 2, 3])
    for condition, kept in (
        ("`minutes late` > 6", [2, 3]),
        ("minutes_late > 6 and `class` == 'z'", [3]),
        ("`class` == '`x`'", [2]),
        ('`class` == "x y" or `minutes late` == 9', [1, 3]),
        ("source.`home town` == 'Ulm' and `à` < 3", [1]),
        ("source.home_town == target.`home town`", [3]),
    ):
        assert graph.where(edges=condition).edge_fields["n"].tolist() == kept, condition
    assert graph.where(vertices="`home town` == 'Bonn'").labels.tolist() == ["b"]
    for condition, words in (
        ("`minutes lat` > 6", "no field 'minutes_lat'; did you mean 'minutes_late'"),
        ("class == 'z'", "in backquotes if Python could not read them"),
        ("`minutes late` > `class`", "'`minutes late` > `class`' compares"),
        ("`minutes late > 6", "cannot be read"),
    ):
        with pytest.raises(GraphError, match=words):
            graph.where(edges=condition)


def test_times_are_not_compared_with_numbers():
    graph = trips()
    for condition in ("time > 5", "time == 2024", "2024 < time", "time in [2024]"):
        with pytest.raises(GraphError, match=r"compares time with .* write times as '2024-05-31'"):
            graph.where(edges=condition)
    with pytest.raises(GraphError, match="2024 is no point in time"):
        graph.between(2024, 2025)


def test_degrees_are_those_of_the_edges_selected_by_the_same_call():
    found = trips().where(edges="minutes == 9", vertices="degree > 0")
    assert found.labels.tolist() == ["a", "c"] and found.edge_fields["minutes"].tolist() == [9]
    by_function = trips().where(edges="minutes == 9", vertices=lambda table: table.graph.degree > 0)
    assert by_function.labels.tolist() == ["a", "c"]


def test_arithmetic_does_not_wrap():
    large = 2**63 + 5
    graph = Graph.from_edges(
        *([0, 1], [1, 0]),
        n=[0, 1],
        tiny=np.array([100, 1], np.int8),
        huge=np.array([large, 7], np.uint64),
        long=np.array([2**62, 3]),
    )
    for condition, kept in (
        ("tiny * 2 > 100", [0]),
        ("tiny + 1000 > 1050", [0]),
        ("abs(tiny - 1000) >= 999", [1]),
        ("huge + 1 > 100", [0]),
        ("long * 4 > 100", [0]),
        ("long + long > 100", [0]),
        ("long ** 2 > 100", [0]),
        ("tiny % (tiny - 1) == 1 and n == 0", [0]),
        ("tiny // (tiny - 1) > 100", [1]),  # by 0
        ("tiny ** -1 < 0.5", [0]),
        ("tiny < 9**9**9**9", [0, 1]),
        ("tiny < 2**3", [1]),
        ("long == 2**62", [0]),
    ):
        assert graph.where(edges=condition).edge_fields["n"].tolist() == kept, condition


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("minuts < 3", "'minuts < 3': the edges have no field 'minuts'; did you mean 'minutes'"),
        ("source.cty == 'Ulm'", "did you mean 'source.city'"),
        ("kind == 5", "compares text with 5"),
        ("minutes == 'x'", "compares numbers with text"),
        ("time == 'soon'", "'soon' is no point in time"),
        ("minutes", "is no condition; compare it"),
        ("kind and paid", "'kind' is neither true nor false"),
        ("kind + 1 == 2", "'kind' is text, and a number is needed"),
        ("minutes <", "cannot be read"),
        ("minutes = 5", "cannot be read at"),
        ("", "cannot be read"),
        ("__import__('os').system('x')", "is not allowed; an expression may have names"),
        ("(lambda: 1)()", "is not allowed"),
        ("[m for m in minutes]", "is not allowed"),
        ("minutes.__class__ == 1", "no field 'minutes.__class__'"),
        ("kind in 'bus'", "without a list"),
        ("paid is True", "use =="),
        ("minutes == 5 if paid else True", "is not allowed"),
        ("minutes < kind", "compares text with numbers"),
        ("kind > minutes", "compares text with numbers"),
        ("minutes < time", "compares time with numbers"),
        ("minutes + 1 < kind", "compares text with numbers"),
        ("paid == kind", "compares bool with text"),
        ("kind == paid", "compares text with bool"),
        ("minutes > 1/0", "cannot be computed: division by zero"),
        ("minutes + 1" + "0" * 400 + " > 1", "cannot be computed"),
        ("minutes == [1, 2]", "which only `in` can"),
        ("[1] == [1]", "which only `in` can"),
        ("minutes in [[5]]", "which only `in` can"),
        ("[True, False, True, True]", "is no condition"),
        ("abs(minutes, x=1) > 1", "is not allowed"),
        ("None < 5", "compares numbers with None"),
        ("minutes > " + "1 + " * 400 + "1", "nested too deeply"),
        ("not " * 400 + "paid", "nested too deeply"),
    ],
)
def test_wrong_conditions(condition, words):
    with pytest.raises(GraphError) as caught:
        trips().where(edges=condition)
    assert words in str(caught.value)


def test_masks_and_functions():
    graph = trips()
    mask = np.array([True, False, False, True])
    assert graph.where(edges=mask).edge_fields["minutes"].tolist() == [5, 11]
    found = graph.where(edges=lambda table: table["minutes"] > 8)
    assert found.edge_fields["minutes"].tolist() == [9, 11]
    assert found.report[-1] == "where: edges by a function: 2 of 4 edges"
    series = pandas.Series([True, True, False, False])
    assert graph.where(vertices=series).labels.tolist() == ["a", "b"]
    for wrong in ([True], [1, 0, 1, 0], lambda table: table["minutes"]):
        with pytest.raises(GraphError, match="one bool for each of the 4 edges"):
            graph.where(edges=wrong)
    with pytest.raises(GraphError, match="needs a condition"):
        graph.where()


@given(st.data())
def test_arcs_that_are_filtered_are_those_that_would_be_sorted(data):
    count = data.draw(st.integers(1, 6))
    ends = st.integers(0, count - 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends), max_size=20))
    directed = data.draw(st.booleans())
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs))))
    kept = kept.astype(bool)
    src, dst = (list(end) for end in zip(*pairs, strict=True)) if pairs else ([], [])
    graph = Graph.from_edges(src, dst, num_vertices=count, directed=directed, n=range(len(pairs)))
    for direction in ("out", "in", "both"):
        arcs = graph.arcs(direction)
        for name in ("out_targets", "in_sources", "out_edges", "in_edges"):
            getattr(arcs, name)
    found = graph.where(edges=kept)
    assert bool(found._arcs) == (3 * kept.sum() >= len(kept))
    fresh = Graph.from_edges(found.edge_src, found.edge_dst, num_vertices=count, directed=directed)
    assert found.edge_fields["n"].tolist() == np.flatnonzero(kept).tolist()
    for direction in ("out", "in", "both"):
        one, two = found.arcs(direction), fresh.arcs(direction)
        for name in (
            *("out_offsets", "out_targets", "out_edges", "out_reversed"),
            *("in_offsets", "in_sources", "in_edges", "in_reversed", "slot"),
        ):
            assert getattr(one, name).tolist() == getattr(two, name).tolist(), (direction, name)


def test_between():
    graph = trips()
    assert graph.between("2024-01-01T09:00").edge_fields["minutes"].tolist() == [7, 9]
    for end in ("2024-01-02", datetime.date(2024, 1, 2), pandas.Timestamp("2024-01-02")):
        assert graph.between(end=end).edge_fields["minutes"].tolist() == [5, 7]
    found = graph.between("2024-01-01", np.datetime64("2024-01-02"))
    assert found.report[-1] == (
        "edges with 'time' from 2024-01-01T00:00:00 and before 2024-01-02T00:00:00: 2 of 4 edges"
    )
    numbers = Graph.from_edges([0, 1, 2], [1, 2, 0], time=[1, 2.5, 4], late=[3, 2, 1])
    assert numbers.between(2, 4).edge_fields["time"].tolist() == [2.5]
    assert numbers.between(2, field="late").edge_fields["late"].tolist() == [3, 2]
    for wrong, words in (
        (lambda: numbers.between("2024-01-01"), "must be a number"),
        (lambda: numbers.between(4, 2), "end=2 is before begin=4"),
        (lambda: graph.where(edges="minutes == true"), "write True, which is a bool"),
        (lambda: graph.where(edges="minutes = 3"), r"at '= 3': write == instead of =;"),
        (lambda: graph.where(edges="paid && minutes < 3"), "write and instead of &&"),
        (lambda: graph.where(edges="paid || paid"), r"write or instead of \|\|"),
        (lambda: graph.where(edges="!paid"), "write not instead of !"),
        (lambda: graph.where(edges="paid AND kind == 'a = b'"), "write and instead of AND"),
        (lambda: graph.where(edges="kind <> 'bus'"), "write != instead of <>"),
        (lambda: graph.where(edges="kind == 'a = b' 3"), "invalid syntax"),
        (lambda: graph.between("noon"), "'noon' is no point in time"),
        (lambda: graph.between(np.datetime64("NaT")), "is no point in time"),
        (lambda: graph.between(np.timedelta64(1, "s")), "is no point in time"),
        (lambda: numbers.between(np.timedelta64(1, "s")), "must be a number"),
        (lambda: graph.between(1, field="kind"), "field='kind' is text"),
        (lambda: numbers.between(1, field="hour"), "no edge field 'hour'"),
        (lambda: Graph.from_edges([0], [1], x=[1]).between(1), "no field of times; name one"),
    ):
        with pytest.raises(GraphError, match=words):
            wrong()


def test_texts_that_a_column_does_not_have():
    graph = trips()
    for condition, kept, near in (
        ("kind == 'trma'", [], "; did you mean 'tram'"),
        ("kind in ['bus', 'ship']", [7], ""),
        ("kind != 'ship'", [5, 7, 9, 11], ""),
    ):
        with pytest.warns(UserWarning, match=f"none of the edges has the text '.*'{near}") as told:
            found = graph.where(edges=condition)
        assert len(told) == 1 and told[0].filename == __file__
        assert found.edge_fields["minutes"].tolist() == kept
    with pytest.warns(UserWarning, match="none of the vertices has the text 'Rom'"):
        assert graph.where(vertices="city == 'Rom'").num_vertices == 0
    # A view has its graph's dictionary: no kind has become unknown.
    few = graph.where(edges="kind == 'tram'")
    assert few.where(edges="kind == 'bus'").num_edges == 0


def test_columns_that_were_read_under_another_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("from,to,minutes\na,b,5\nb,c,7\n")
    graph = Graph.read(path)
    said = (
        r"no field 'minutes' \(column .*'minutes'.* read as edge field weight: write weight\); the"
    )
    for wrong in (lambda: graph.where(edges="minutes < 6"), lambda: graph.edges["minutes"]):
        with pytest.raises(GraphError, match=said):
            wrong()
    path.write_text("from,to,time\na,b,5\nb,c,7\n")
    with pytest.raises(
        GraphError, match=r"there are: weight \(column .*'time'.* as edge field weight"
    ):
        Graph.read(path).between(5, 6)


def moments(unit: str, *texts: str) -> Graph:
    times = np.array(texts, f"M8[{unit}]")
    return Graph.from_edges([0] * len(times), [1] * len(times), when=times, n=range(len(times)))


@pytest.mark.parametrize(
    ("unit", "condition", "kept"),
    [
        ("ns", "when < '2500-01-01'", [0, 1]),
        ("ns", "when > '1500-01-01'", [0, 1]),
        ("ns", "when <= '1500-01-01T00:00:00.123456789'", []),
        ("ns", "when != '2500-01-01'", [0, 1]),
        ("s", "when == '2024-01-01T00:00:00.5'", []),
        ("s", "when != '2024-01-01T00:00:00.5'", [0, 1]),
        ("s", "when >= '2024-01-01T00:00:00.5'", [1]),
        ("s", "when > '2024-01-01T00:00:00.5'", [1]),
        ("s", "when < '2024-01-01T00:00:00.5'", [0]),
        ("s", "when <= '2024-01-01T00:00:00.5'", [0]),
        ("s", "'2024-01-01T00:00:01.000' == when", [1]),
    ],
)
def test_limits_that_the_field_cannot_hold(unit, condition, kept):
    graph = moments(unit, "2024-01-01T00:00:00", "2024-01-01T00:00:01")
    assert graph.where(edges=condition).edge_fields["n"].tolist() == kept


def test_spans_that_the_field_cannot_hold():
    graph = moments("s", "2024-01-01T00:00:00", "2024-01-01T00:00:01")
    assert graph.between("2024-01-01T00:00:00.5").edge_fields["n"].tolist() == [1]
    assert graph.between(end="2024-01-01T00:00:00.5").edge_fields["n"].tolist() == [0]
    graph = moments("ns", "2024-01-01T00:00:00", "NaT")
    assert graph.between("1500-01-01", "2500-01-01").edge_fields["n"].tolist() == [0]
    (window,) = graph.windows("365000 d", begin="1500-01-01", end="1600-01-01")
    assert window.edge_fields["n"].tolist() == [0]


def test_limits_without_a_zone_are_in_that_of_the_field():
    zone = datetime.timezone.utc
    times = pandas.Series([datetime.datetime(2024, 7, 1, hour, tzinfo=zone) for hour in (6, 8)])
    for name in ("Europe/Berlin", "+02:00"):
        frame = pandas.DataFrame({"s": [0, 0], "t": [1, 1], "when": times})
        graph = Graph.from_pandas(frame, "s", "t")
        kind = type(graph.edge_types["when"])(graph.edge_types["when"].unit, name)
        object.__setattr__(graph, "edge_types", {"when": kind})
        for condition, count in (
            ("when < '2024-07-01T08:00'", 0),
            ("when <= '2024-07-01T08:00'", 1),
            ("when == '2024-07-01T08:00Z'", 1),
            ("when >= '2024-07-01T10:00:00.000000001'", 0),
        ):
            assert graph.where(edges=condition).num_edges == count, (name, condition)


def test_windows_of_narrow_and_of_infinite_times():
    graph = Graph.from_edges([0] * 3, [1] * 3, time=np.array([0, 100, 250], np.uint8))
    assert [each.num_edges for each in graph.windows(100)] == [1, 1, 1]
    assert [each.num_edges for each in graph.windows(1000)] == [3]
    assert [each.num_edges for each in graph.windows(300, begin=-200)] == [1, 2]
    floats = Graph.from_edges([0] * 4, [1] * 4, time=[0, 1.5, np.inf, -np.inf])
    assert [each.num_edges for each in floats.windows(1)] == [1, 1]
    for wrong in (
        lambda: floats.windows(np.inf),
        lambda: floats.windows(1, end=np.inf),
        lambda: floats.windows(np.timedelta64(1, "s")),
    ):
        with pytest.raises(GraphError, match="must be"):
            wrong()


@pytest.mark.parametrize(
    ("unit", "width", "count"),
    [
        ("ms", "1.001 s", 1001),
        ("us", "0.000123 s", 123),
        ("us", datetime.timedelta(microseconds=123), 123),
        ("us", np.timedelta64(123, "us"), 123),
        ("s", np.timedelta64(2, "m"), 120),
        ("s", np.timedelta64(1, "D"), 86400),
        ("ns", pandas.Timedelta(7, "ns"), 7),
        ("s", np.timedelta64(1, "M"), None),
        ("s", np.timedelta64(1), None),
        ("s", np.timedelta64("NaT"), None),
        ("s", pandas.NaT, None),
    ],
)
def test_widths_are_exact(unit, width, count):
    graph = moments(unit, "2024-01-01", "2024-01-01")
    if count is None:
        with pytest.raises(GraphError, match="must be a length of time"):
            graph.windows(width)
        return
    begin = graph.edges["when"][0]
    windows = list(graph.windows(width, begin=begin, end=begin + (2 * count + 1)))
    assert len(windows) == 3


def test_a_field_called_like_an_end_goes_before_it():
    graph = Graph.from_edges([0, 1], [1, 0], source=[7, 8])
    assert graph.edges["source"].tolist() == [7, 8]
    assert graph.where(edges="source == 7").edge_fields["source"].tolist() == [7]
    assert "source" in graph.edges and "target" in graph.edges and "x" not in graph.edges
    assert graph.edges["target"].tolist() == [1, 0]


def test_windows():
    days = np.array(["2024-01-01", "2024-01-03", "2024-01-09", "2024-01-20"], "M8[D]")
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], day=days)
    weeks = [each.edge_fields["day"].tolist() for each in graph.windows("1 week")]
    seconds = days.astype("M8[s]").astype(int).tolist()
    assert weeks == [seconds[:2], seconds[2:3], seconds[3:]]
    lengths = ("2 weeks", "14 days", "336h", datetime.timedelta(14), np.timedelta64(2, "W"))
    for width in lengths:
        counts = [each.num_edges for each in graph.windows(width, step="week")]
        assert counts == [3, 2, 1]
    parts = list(graph.windows("1 week", begin="2023-12-25", end="2024-01-08"))
    assert [each.num_edges for each in parts] == [0, 2]
    assert parts[1].report[-1].startswith("edges with 'day' from 2024-01-01T00:00:00 and before")
    fine = Graph.from_edges([0, 1], [1, 0], at=np.array(["2024-01-01T00:00:00.5"] * 2, "M8[ms]"))
    says = (
        "edges with 'at' from 2024-01-01T00:00:00.500 and before 2024-01-02T00:00:00: 2 of 2 edges"
    )
    assert fine.between("2024-01-01T00:00:00.5", "2024-01-02").report[-1] == says
    numbers = Graph.from_edges([0, 1, 2], [1, 2, 0], t=[0.0, 1.5, 4])
    assert [each.num_edges for each in numbers.windows(2, step=1)] == [2, 1, 0, 1, 1]
    assert list(Graph.from_edges([], [], t=[]).windows(2)) == []
    for width, words in (
        ("1 month", "months and years differ"),
        ("soon", "such as '2 weeks'"),
        ("0 days", "above 0"),
        ("1 ms", "the field counts s"),
        (3, "such as '2 weeks'"),
    ):
        with pytest.raises(GraphError, match=words):
            graph.windows(width)


def test_windows_are_what_track_takes():
    ends = np.random.default_rng(0).integers(0, 12, (2, 60))
    times = np.sort(np.random.default_rng(1).integers(0, 40 * 86400, 60)).astype("M8[s]")
    graph = Graph.from_edges(*ends, num_vertices=12, directed=False, time=times)
    moments = list(track(graph.windows("2 weeks", step="1 week"), Louvain()))
    assert len(moments) == 6 and len(moments[0].result.community) == 12
