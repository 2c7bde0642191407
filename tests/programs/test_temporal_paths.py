"""Paths in time against a serial search, and by hand."""

from __future__ import annotations

import datetime
import pickle
import warnings

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from support.admitting_deliveries import some_admitted
from support.verifiers.temporal_paths import NEVER, arrivals, first, verify

from gascl import (
    Engine,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    aggregate,
    edge,
    param,
    struct,
    vertex,
)
from gascl.cli.main import main
from gascl.programs import EarliestArrival, ShortestPaths, TemporalReachability


def run(graph: Graph, program: EarliestArrival, **options):
    result = Engine(graph).run(program, **options)
    verify(graph, result, program)
    return result


def trips() -> Graph:
    """By bus from b to c before one can be in b, and later; d is met before a is left."""
    return Graph.from_edges(
        [("a", "b"), ("b", "c"), ("b", "c"), ("c", "d"), ("d", "e")],
        time=np.array(
            ["2024-05-01T08:00", "2024-05-01T07:00", "2024-05-01T09:00", "2024-05-01T08:30", "NaT"],
            "M8[m]",
        ),
        duration=[1800, 60, 600, 60, 60],
    )


#: When they are reached from a by hand: the first edge leaves at 7.
FROM_A = ["2024-05-01T07:00:00", "2024-05-01T08:30:00", "2024-05-01T09:10:00", "NaT", "NaT"]


def test_by_hand():
    graph = trips()
    found = run(graph, TemporalReachability(source="a"))
    assert found.reached.tolist() == [1, 1, 1, 0, 0]
    assert found.arrival.dtype == "M8[s]" and found.arrival.astype(str).tolist() == FROM_A
    assert run(graph, TemporalReachability(source="b")).reached.tolist() == [0, 1, 1, 1, 0]
    engine = Engine(graph)
    nine = np.datetime64("2024-05-01T09:00", "s")
    for at in (nine, str(nine), "2024-05-01 09:00", nine.astype("M8[h]"), nine.item()):
        assert engine.run(TemporalReachability(source="b", begin=at)).reached.sum() == 2
        assert (
            engine.run(TemporalReachability(source="a", end=pandas.Timestamp(at))).reached.sum()
            == 2
        )
    early = engine.run(EarliestArrival(source="a", begin=datetime.date(2024, 4, 30)))
    assert early.arrival[0] == np.datetime64("2024-04-30")
    two = engine.run(EarliestArrival(source=["a", "b"]))
    assert two.arrival[:, 0].astype(str).tolist() == FROM_A
    with pytest.raises(GraphError, match="duration must be 0 or more"):
        run(graph.with_edge_fields(duration=[-1] * 5), EarliestArrival(source="a"))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("longest", [0, 5])
def test_random_graphs(directed, longest):
    rng = np.random.default_rng(longest)
    for count, edges in ((1, 3), (30, 150), (200, 500)):
        graph = Graph.from_edges(
            *rng.integers(0, count, (2, edges)),
            num_vertices=count,
            directed=directed,
            time=rng.integers(-20, 60, edges),
            duration=rng.integers(0, longest + 1, edges),
        )
        program = TemporalReachability(source=0, begin=-10, end=50)
        if longest:  # some before they leave
            until = graph.edge_fields["time"] + rng.integers(-1, longest, edges)
            run(graph.with_edge_fields(until=until), program)
        for delivery in ("auto", *some_admitted(program)):
            run(graph, program, delivery=delivery)


def test_a_long_chain_a_star_and_other_names():
    n = 400
    chain = Graph.from_edges(np.arange(n), np.arange(n) + 1, at=np.arange(n))
    assert run(chain.with_edge_fields(time="at"), EarliestArrival(source=0)).arrival[-1] == n - 1
    assert Engine(chain).run(EarliestArrival(source=0, time="at")).arrival[-1] == n - 1
    late = chain.with_edge_fields(time=np.arange(n)[::-1].copy())
    assert run(late, TemporalReachability(source=0)).reached.sum() == 2
    star = Graph.from_edges(np.zeros(5000, int), np.arange(1, 5001), time=np.arange(5000))
    assert run(star, TemporalReachability(source=0, begin=4000)).reached.sum() == 1001


def test_an_arrival_beyond_the_greatest_time_is_never():
    late = Graph.from_edges([0], [1], time=np.array([2**62]), duration=np.array([2**62]))
    assert Engine(late).run(EarliestArrival(source=0)).arrival.tolist() == [2**62, 2**63 - 1]


def test_arrivals_are_shown_as_datetimes(tmp_path, capsys):
    graph = trips()
    result = Engine(graph).run(EarliestArrival(source="a"))
    eight, nine = datetime.datetime(2024, 5, 1, 8, 30), datetime.datetime(2024, 5, 1, 9, 10)
    assert result.top("arrival", 2) == [("c", nine), ("b", eight)]
    lines = str(result).splitlines()
    assert [line.split() for line in lines[:2]] == [
        ["vertex", "arrival"],
        ["c", "2024-05-01", "09:10:00"],
    ]
    assert "2024-05-01 09:10:00" in result._repr_html_()
    frame = result.to_pandas()
    assert frame.arrival.loc["b"] == eight and frame.arrival.isna().tolist() == [0, 0, 0, 1, 1]
    for name in ("r.csv", "r.npz", "r.parquet"):
        result.save(tmp_path / name)
    text = "a,2024-05-01T07:00:00\nb,2024-05-01T08:30:00\nc,2024-05-01T09:10:00\nd,\ne,\n"
    assert (tmp_path / "r.csv").read_text() == f"vertex,arrival\n{text}"
    assert np.load(tmp_path / "r.npz")["arrival"].astype(str).tolist() == FROM_A
    saved = pyarrow.parquet.read_table(tmp_path / "r.parquet")["arrival"]
    assert saved.to_pylist()[1:4] == [eight, nine, None]
    assert pickle.loads(pickle.dumps(result)).arrival.astype(str).tolist() == FROM_A
    again = Engine(graph).run(EarliestArrival(source="a", arrival=result.arrival))
    assert again.arrival.astype(str).tolist() == FROM_A
    states = [step["arrival"] for step in Engine(graph).steps(EarliestArrival(source="a"))]
    assert states[0].astype(str).tolist() == [FROM_A[0], *["NaT"] * 4]
    assert states[-1].astype(str).tolist() == FROM_A
    graph.write(tmp_path / "g.npz")
    run = ["run", "EarliestArrival", str(tmp_path / "g.npz"), "--set", "source=a"]
    assert main([*run, "--set", "begin=2024-05-01T07:30", "--smallest", "9"]) == 0
    out = capsys.readouterr().out
    assert "b       2024-05-01 08:30:00" in out and "(2 vertices with no arrival not shown)" in out


def test_time_zones_and_units():
    at = pandas.to_datetime(["2024-05-01T08:00:00.25", "2024-05-01T09:00:00.00"]).tz_localize(
        "Europe/Berlin"
    )
    graph = Graph.from_pandas(pandas.DataFrame({"from": [0, 1], "to": [1, 2], "time": at}))
    result = Engine(graph).run(EarliestArrival(source=0, begin="2024-05-01T08:00:00.25"))
    assert result.time_type.zone == "Europe/Berlin"
    assert result.to_pandas().arrival.tolist() == [at[0], at[0], at[1]]
    utc = datetime.timezone.utc
    assert result.top("arrival", 1) == [(2, datetime.datetime(2024, 5, 1, 7, tzinfo=utc))]
    late = Engine(graph).run(EarliestArrival(source=0, begin="2024-05-01T08:00:00.25Z"))
    assert np.isnat(late.arrival).tolist() == [False, True, True]


def test_times_of_other_kinds_are_refused():
    graph, numbers = trips(), Graph.from_edges([0, 1], [1, 2], time=[5, 7])
    for given, begin, words in (
        (graph, 5, "begin=5 is a number, and the graph has times; give a point in time"),
        (graph, "2024-05-01T08:00:00.5", "cannot be counted in s"),
        (numbers, "2024-05-01", "is a point in time, and the graph's times are numbers"),
    ):
        with pytest.raises(ProgramError, match=words):
            Engine(given).run(EarliestArrival(source=0 if given is numbers else "a", begin=begin))
    for begin in ("soon", True, None, pandas.NaT, np.datetime64("NaT"), "2024-02-31", 1.5):
        with pytest.raises(ProgramError, match="begin"):
            EarliestArrival(source=0, begin=begin)
    assert run(numbers, EarliestArrival(source=0)).top("arrival") == [(2, 7), (0, 5), (1, 5)]
    assert run(numbers, EarliestArrival(source=0, begin=6)).top("arrival") == [(0, 6)]


@pytest.mark.filterwarnings("error")
def test_a_graph_without_times_and_one_without_durations():
    graph = Graph.from_edges([0, 1], [1, 2], at=np.array(["2024-05-01", "2024-05-02"], "M8[s]"))
    said = r"^EarliestArrival: the program reads time, but .*program with time='at'$"
    with pytest.raises(GraphError, match=said):  # without a line of gascl's
        Engine(graph).run(EarliestArrival(source=0))
    found = Engine(graph).run(EarliestArrival(source=0, time="at")).arrival
    assert found.astype("M8[D]").astype(str).tolist() == ["2024-05-01", "2024-05-01", "2024-05-02"]


@pytest.mark.parametrize("reader", ["csv", "pandas", "arrow"])
def test_the_only_column_of_numbers_is_no_lost_duration(reader, tmp_path):
    """Readers call it weight; c is reached at 8:30 only if the first edge takes no time."""
    table = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    table["time"] = pandas.to_datetime(["2024-05-01T08:00", "2024-05-01T08:30"])
    if reader == "pandas":
        table["duration"] = [3600 * 10**6, 0]  # microseconds
        graph = Graph.from_pandas(table)
    elif reader == "arrow":
        table["duration"] = [3600 * 10**6, 0]
        graph = Graph.from_arrow(pyarrow.Table.from_pandas(table))
    else:
        table["duration"] = [3600, 0]
        table.to_csv(tmp_path / "a.csv", index=False)
        graph = Graph.read(tmp_path / "a.csv")
    with pytest.warns(UserWarning, match=r"'duration' was read as weight; .*duration='weight'"):
        Engine(graph).run(EarliestArrival(source="a"))
    with warnings.catch_warnings(action="error"):
        found = Engine(graph).run(EarliestArrival(source="a", duration="weight"))
        Engine(graph).run(EarliestArrival(source="a", duration=None))
    assert [label for label, _ in found.top("arrival")] == ["b", "a"]


def test_a_column_that_is_read_under_another_name(tmp_path, capsys):
    """The error said to leave out time=, upon which there was no field `time` at all."""
    path = tmp_path / "a.csv"
    path.write_text("from,to,sent at,minutes\na,b,2024-05-01T08:00,5\n")
    graph = Graph.read(path)
    with pytest.raises(GraphError, match=r"read as edge field sent_at: .*with time='sent_at'\)"):
        Engine(graph).run(EarliestArrival(source="a", time="sent at"))
    assert main(["run", "EarliestArrival", str(path), "--set", "source=a", "--set", "time=sent at"])
    assert "read as edge field sent_at: give --set time=sent_at)" in capsys.readouterr().err
    with pytest.raises(GraphError, match=r"read as edge field weight: leave out weight=\)"):
        Engine(graph).run(ShortestPaths(source="a", weight="minutes"))


@pytest.mark.parametrize("values", [["08:00", "07:00"], [True, False]])
def test_texts_and_bools_are_no_times(values):
    """Codes of texts would be compared as times: here, the second edge as the later one."""
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "time": values})
    with pytest.raises(GraphError, match=r"'time' is (text|bool), and the program reads points in"):
        Engine(Graph.from_pandas(table)).run(EarliestArrival(source=0))
    graph = Graph.from_edges([0], [1], time=[1]).with_vertex_fields(known=np.array(values))
    with pytest.raises(GraphError, match=r"vertex field 'known' is (text|bool), and the program"):
        Engine(graph).run(Latest())


def test_columns_of_departures_and_arrivals():
    table = pandas.DataFrame({"from": ["a", "b", "b"], "to": ["b", "c", "c"]})
    table["leaves"] = pandas.to_datetime(
        ["2024-05-01T08:00", "2024-05-01T08:20", "2024-05-01T08:40"]
    )
    table["arrives"] = table.leaves + pandas.to_timedelta([30, 10, 5], "min")
    program = EarliestArrival(source="a", time="leaves", until="arrives")
    result = Engine(Graph.from_pandas(table)).run(program)
    assert result.to_pandas().arrival.tolist() == [table.leaves[0], *table.arrives[[0, 2]]]


def test_edges_without_a_time_and_no_edges():
    never = Graph.from_edges([0], [1], time=np.array(["NaT"], "M8[s]"))
    for graph in (never, never.where(edges="time is not None")):
        found = Engine(graph).run(TemporalReachability(source=0))
        assert np.isnat(found.arrival).all() and found.reached.tolist() == [1, 0]
    nothing = Graph.from_edges([], [], num_vertices=2, time=np.array([], np.int64))
    assert Engine(nothing).run(EarliestArrival(source=0)).arrival.tolist() == [0, 2**63 - 1]


def test_an_end_before_the_beginning_is_refused():
    """Nothing was reached, without a word."""
    days = np.array(["2024-05-01", "2024-05-02"], "M8[D]")
    graph = Graph.from_edges(["a", "b"], ["b", "c"], time=days)
    for end in ("2024-04-01", ["2024-06-01", "2024-04-30"]):
        program = EarliestArrival(source="a", begin="2024-05-01", end=end)
        with pytest.raises(
            ProgramError, match=r"EarliestArrival: end='2024-04-.*' is before begin="
        ):
            Engine(graph).run(program)
    with pytest.raises(ProgramError, match="end=2 is before begin=5: give the earlier"):
        Engine(Graph.from_edges([0], [1], time=[3])).run(EarliestArrival(source=0, begin=5, end=2))
    found = Engine(graph).run(EarliestArrival(source="a", begin="2024-05-01", end="2024-05-01"))
    assert found.arrival.astype("M8[D]").astype(str).tolist() == ["2024-05-01"] * 2 + ["NaT"]


class Earliest(VertexProgram):
    """The earliest time at which an edge comes in, and the earliest known at its ends."""

    supersteps = param.supersteps(1)
    first = vertex.time(init="LONG_MAX")
    nearest = vertex.time(init="LONG_MAX")
    known = vertex.time()
    time = edge.time()
    Both = struct([("edge", "int64"), ("end", "int64")])
    message, edges, scatter_on = Both, "both", "all"
    combine = "(Both){min(a.edge, b.edge), min(a.end, b.end)}"
    identity = "(Both){LONG_MAX, LONG_MAX}"
    scatter = "send((Both){e.time, v.known});"
    apply = "v.first = msg.edge; v.nearest = msg.end;"


@pytest.mark.parametrize("how", [{}, {"debug": True}])
def test_a_missing_time_is_never(how):
    """Of an edge, it was the least int64, and of an initial value the greatest."""
    times = np.array(["2024-05-01", "NaT", "2024-05-03", "NaT"], "M8[s]")
    graph = Graph.from_edges([0, 0, 1, 2], [1, 1, 2, 3], time=times)
    known = np.array(["NaT", "2024-06-02", "NaT", "2024-06-04"], "M8[s]")
    expected = ["2024-05-01", "2024-05-01", "2024-05-03", "NaT"]
    for given, fields in (({}, {"known": known}), ({"known": known}, {})):
        found = Engine(graph.with_vertex_fields(**fields), **how).run(Earliest(**given))
        assert found.first.astype("M8[D]").astype(str).tolist() == expected
        ends = ["2024-06-02", "NaT", "2024-06-02", "NaT"]
        assert found.nearest.astype("M8[D]").astype(str).tolist() == ends
    # As numbers, they are what the graph has.
    raw = type("Raw", (Earliest,), {"time": edge.int64(), "first": vertex.int64(init=1)})
    found = Engine(graph.with_vertex_fields(known=known)).run(raw()).first
    assert found.tolist()[2:] == [-(2**63)] * 2


class Latest(VertexProgram):
    """The last time at which an edge comes in, and one that is given."""

    last = vertex.time(init=-1)
    known = vertex.time()
    time = edge.time()
    until = edge.time(default=0, optional=True)
    message, combine, scatter_on = "int64", "max", "all"
    scatter = "send(max(e.time, e.until));"
    apply = "v.last = max(msg, v.known); "
    stop = "superstep == 1"


def test_a_program_with_times():
    days = np.array(["2024-05-01", "2024-05-02"], "M8[D]")
    graph = Graph.from_edges([0, 1], [1, 1], time=days, until=days[::-1].copy())
    graph = graph.with_vertex_fields(known=np.array(["2024-04-01", "2024-06-01"], "M8[D]"))
    result = Engine(graph).run(Latest())
    assert result.last[1] == np.datetime64("2024-06-01")
    assert result.known.astype("M8[D]").astype(str).tolist() == ["2024-04-01", "2024-06-01"]
    assert result.last[0] == np.datetime64("1969-12-31T23:59:59")
    given = Engine(graph).run(Latest(known=days[::-1])).last[1]
    assert given == np.datetime64("2024-05-02")
    odd = graph.with_edge_fields(until=days.astype("M8[ms]"))
    with pytest.raises(GasclError, match=r"different units: .*'time' has s, .* has ms"):
        Engine(odd).run(Latest())
    numbers = graph.with_edge_fields(time=[1, 2], until=None)
    with pytest.raises(GasclError, match="different units"):
        Engine(numbers).run(Latest())
    numbers = numbers.with_vertex_fields(known=None)
    with pytest.raises(ProgramError, match=r"'known' has points in time, and .* are numbers"):
        Engine(numbers).run(Latest(known=days))


def test_different_units_are_refused_before_the_run():
    ends = {"time": np.array(["2024-05-01"], "M8[s]"), "until": np.array(["2024-05-01"], "M8[ms]")}
    ran = []
    with pytest.raises(GraphError, match="different units"):
        Engine(Graph.from_edges([0], [1], **ends)).run(Latest(), callback=ran.append)
    assert not ran


def midnights():
    """Edges at the midnights that begin two days of May."""
    days = np.array(["2024-05-01", "2024-05-02"], "M8[D]")
    return Graph.from_edges(["a", "b"], ["b", "b"], time=days)


@pytest.mark.parametrize(
    "known",
    [
        {"b": "2024-06-01"},
        pandas.Series({"b": pandas.Timestamp("2024-06-01"), "a": pandas.NaT}),
        datetime.date(2024, 6, 1),
        "2024-06-01T00:00",
        np.datetime64("2024-06-01"),
        [datetime.datetime(2024, 5, 3), datetime.datetime(2024, 6, 1)],
        pandas.Series(pandas.to_datetime(["2024-05-03", "2024-06-01"])),
        np.array(["NaT", "2024-06-01"], "M8[ns]"),
    ],
)
def test_initial_times(known):
    result = Engine(midnights()).run(Latest(known=known))
    assert result.last[1] == np.datetime64("2024-06-01T00:00:00")


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (
            np.array(["2024-05-01T08:00:00.5"] * 2, "M8[ms]"),
            "00.500' cannot be counted in s",
        ),
        ({"a": np.datetime64("2024-05-01T08:00:00.5")}, "for 'a'='.* cannot be counted in s"),
        (np.array(["2024-05-01", "300000000000-01-01"], "M8[Y]"), "cannot be counted in s"),
        ({"a": "soon"}, "for 'a': 'soon' is no point in time; write it as"),
    ],
)
def test_initial_times_that_the_graph_cannot_count(known, words):
    with pytest.raises(GasclError, match=words):
        Engine(midnights()).run(Latest(known=known))


def test_where_times_cannot_be():
    with pytest.raises(ProgramError, match=r"write aggregate\.int64"):
        aggregate.time("min")
    with pytest.raises(ProgramError, match="which only a field can be"):
        struct([("at", "time")])


@pytest.mark.parametrize("lanes", [1, 2])
def test_debug_mode_parts_and_checkpoints(lanes, tmp_path):
    """Runs of every kind compare and keep counts, and show datetimes."""
    rng = np.random.default_rng(lanes)
    begin = np.datetime64("2024-05-01", "s")
    times = begin + rng.integers(0, 86400, 600).astype("m8[s]")
    duration = rng.integers(0, 600, 600)
    ends = rng.integers(0, 80, (2, 600))
    graph = Graph.from_edges(*ends, num_vertices=80, time=times, duration=duration)
    source = list(range(lanes)) if lanes > 1 else 0
    count = np.array([arrivals(graph, v, first(graph), NEVER) for v in range(lanes)])
    right = np.where(count == NEVER, np.datetime64("NaT"), count.astype("M8[s]")).T
    right = right if lanes > 1 else right[:, 0]
    program = EarliestArrival(source=source)
    file = tmp_path / "run.npz"
    half = {"max_supersteps": 2, "not_converged": "ignore"}
    Engine(graph).run(program, checkpoint=file, every=1, **half)
    kept = Engine(graph).run(program, keep_state=True, **half)
    # What a GPU needs besides the arcs is more than all of these take.
    parts = "26 KiB" if Engine(graph).device.is_cpu else None
    for result in (
        Engine(graph, debug=True).run(program),
        Engine(graph, device_memory=parts).run(program),
        Engine(graph).run(program, checkpoint=file, resume=True),
        Engine(graph).run(program, state=kept.state),
    ):
        assert np.array_equal(result.arrival, right, equal_nan=True)
