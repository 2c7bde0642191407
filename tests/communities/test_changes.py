"""A graph that a table of changes changes: against a dictionary of edges kept by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gascl import GasclError, Graph
from gascl.communities.changes import changed_graphs
from gascl.communities.tracking import track
from gascl.programs import AlternatingLabelPropagation

NAMES = np.array(["ann", "bob", "cy", "dee", "eve", "flo"])


def edges(graph: Graph) -> Counter:
    pairs = zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True)
    return Counter(pairs if graph.directed else (tuple(sorted(pair)) for pair in pairs))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("every", [None, 1, 7.5])
@pytest.mark.parametrize("seed", range(4))
def test_against_a_dictionary(directed, every, seed):
    rng = np.random.default_rng(seed)
    n = 6
    graph = Graph.from_edges([0, 0, 1], [1, 1, 2], num_vertices=n, directed=directed)
    there, rows, time = edges(graph), [], 0
    expected = {}
    for _ in range(60):
        time += int(rng.integers(0, 3))
        if rng.random() < 0.4 and there:
            pair, change = sorted(there)[rng.integers(len(there))], "remove"
            del there[pair]
        else:
            pair, change = tuple(map(int, rng.integers(0, n, 2))), "add"
            there[pair if directed else tuple(sorted(pair))] += 1
        ends = pair if directed or rng.random() < 0.5 else pair[::-1]
        rows.append((*ends, time, change))
        expected[time] = there.copy()
    order = rng.permutation(len(rows)) if every is None else np.arange(len(rows))
    order = order[np.argsort([rows[i][2] for i in order], kind="stable")]
    columns = dict(
        zip(("source", "target", "time", "change"), zip(*rows, strict=True), strict=True)
    )
    found = list(changed_graphs(graph, {k: np.array(v) for k, v in columns.items()}, every))
    assert found[0] == (None, graph)
    if every is None:
        assert [when for when, _ in found[1:]] == sorted(expected)
    else:
        start = rows[0][2]
        assert [when for when, _ in found[1:]] == [
            start + every * k for k in range(1, int((rows[-1][2] - start) // every) + 2)
        ]
    for when, made in found[1:]:
        last = max(t for t in expected if (t <= when if every is None else t < when))
        assert edges(made) == expected[last]


def test_labels_dates_fields_and_words():
    pandas = pytest.importorskip("pandas")
    graph = Graph.from_edges(
        [0, 1], [1, 2], num_vertices=6, labels=NAMES, directed=False, weight=[1.0, 2.0]
    )
    table = pandas.DataFrame(
        {
            "source": ["dee", "bob", "eve", "flo"],
            "target": ["eve", "ann", "flo", "dee"],
            "time": pandas.to_datetime(
                ["2024-03-04 00:00", "2024-03-04 12:00", "2024-03-06 00:00", "2024-03-06 00:00"]
            ),
            "change": ["+", "-", "add", "Added"],
            "weight": [3.0, 0.0, 4.0, 5.0],
            "note": list("abcd"),
        }
    )
    found = list(changed_graphs(graph, table.iloc[[3, 0, 2, 1]], every="1 day"))
    assert [str(when)[:10] for when, _ in found[1:]] == ["2024-03-05", "2024-03-06", "2024-03-07"]
    assert [g.num_edges for _, g in found] == [2, 2, 2, 4]
    assert sorted(found[1][1].edge_fields["weight"].tolist()) == [2.0, 3.0]
    assert sorted(found[3][1].edge_fields["weight"].tolist()) == [2.0, 3.0, 4.0, 5.0]
    as_graph = Graph.from_pandas(table, source="source", target="target")
    again = list(changed_graphs(graph, as_graph, every="1 day"))
    assert [edges(g) for _, g in again] == [edges(g) for _, g in found]
    only_added = table.drop(columns="change").iloc[[0, 2]]
    assert [g.num_edges for _, g in changed_graphs(graph, only_added)] == [2, 3, 4]


def test_signs_and_bools_are_changes_too():
    graph = Graph.from_edges([0], [1], num_vertices=3, directed=False)
    for change in ([1, -1], [1.0, 0.0], [True, False], ["TRUE", "false"]):
        table = {"source": [1, 0], "target": [2, 1], "time": [1, 2], "change": np.array(change)}
        assert [edges(g) for _, g in changed_graphs(graph, table)] == [
            {(0, 1): 1},
            {(0, 1): 1, (1, 2): 1},
            {(1, 2): 1},
        ]


@pytest.mark.parametrize("every", [0.1, 0.5, 0.3])
def test_an_event_at_the_end_of_a_step_is_in_the_next_one(every):
    """Whatever rounding makes of the number of steps."""
    graph = Graph.from_edges([0], [1], num_vertices=3)
    table = {"source": [1, 2], "target": [2, 0], "time": [1.0, 2.0]}
    found = list(changed_graphs(graph, table, every))
    for when, made in found[1:]:
        assert made.num_edges == 1 + (when > 1.0) + (when > 2.0)
    assert found[-1][1].num_edges == 3
    with pytest.raises(GasclError, match="would make 10,000,001 steps, and each is a run"):
        list(changed_graphs(graph, table, 1e-7))


def test_fields_of_text_times_and_bools():
    since = np.array(["2024", "2025"], "M8[s]")
    fields = {"kind": ["x", "y"], "since": since, "on": [True, False]}
    graph = Graph.from_edges(["a", "b"], ["b", "c"], **fields)
    table = {
        "source": ["a", "b"],
        "target": ["c", "c"],
        "time": [1, 2],
        "change": ["add", "remove"],
    }
    added = {"kind": ["z", ""], "since": np.array(["2026", "2026"], "M8[s]"), "on": [True, True]}
    *_, (_, last) = changed_graphs(graph, table | added)
    assert last.edges["kind"].tolist() == ["x", "z"]
    assert last.edges["since"].astype("M8[Y]").astype(str).tolist() == ["2024", "2026"]
    assert last.edges["on"].tolist() == [True, True]


def test_no_changes():
    graph = Graph.from_edges([0], [1], num_vertices=3)
    nothing = {name: np.empty(0, np.int64) for name in ("source", "target", "time")}
    assert list(changed_graphs(graph, nothing)) == [(None, graph)]
    of_texts = nothing | {"change": np.empty(0, object)}
    assert list(changed_graphs(graph, of_texts)) == [(None, graph)]


def test_times_at_the_ends_of_steps_are_in_the_next_ones():
    graph = Graph.from_edges([0], [1], num_vertices=9)
    times = [0.0, 0.1, 0.2, 0.3, 0.6, 0.7]
    table = {"source": range(6), "target": range(1, 7), "time": times}
    counts = [made.num_edges for _, made in changed_graphs(graph, table, 0.1)]
    assert counts == [1, 2, 3, 4, 5, 5, 5, 6, 7]


TABLE = {"source": [0, 1], "target": [1, 2], "time": [1.0, 2.0], "change": ["add", "remove"]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, r"row 1 removes the edge \(1, 2\) at 2.0, and it is not there: correct the row"),
        ({"change": ["add", "gone"]}, "the change of row 1 is 'gone', and must be 'add' or"),
        ({"change": [1, 7]}, "the change of row 1 is 7, and must be 'add' or"),
        ({"time": [1.0, np.nan]}, "row 1 has no time"),
        ({"target": [1, 9]}, "9.*create the graph with all vertices"),
        ({"time": ["2024-03-01", "2024-03-02"]}, "the times are text: convert them, as by pandas"),
        ({"target": None}, "no column 'target'; the columns are: source, time, change"),
        ({"time": None}, "no column 'time'"),
    ],
)
def test_wrong_tables(change, said):
    table = {k: v for k, v in (TABLE | change).items() if v is not None}
    graph = Graph.from_edges([0], [1], num_vertices=3)
    with pytest.raises(GasclError, match=said):
        list(changed_graphs(graph, table))


def test_wrong_kinds():
    graph = Graph.from_edges([0], [1], num_vertices=3, directed=False)
    with pytest.raises(GasclError, match=r"must be a table with the columns source.*not int"):
        list(track(graph, events=3))
    with pytest.raises(GasclError, match="track: every='a while' must be a number above 0"):
        list(track(graph, events=TABLE, every="a while"))
    weighted = Graph.from_edges([0], [1], num_vertices=3, weight=[1.0])
    with pytest.raises(GasclError, match="no column 'weight', and the edges of the graph have"):
        list(track(weighted, events=TABLE))


def test_track_events_of_a_stream():
    """Two triangles that become one group by nine edges, and two again."""
    graph = Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], directed=False)
    between = [(u, v) for u in range(3) for v in range(3, 6)]
    src, dst = np.array(between * 2).T
    table = {
        "source": src,
        "target": dst,
        "time": np.repeat([10, 20], 9),
        "change": [1] * 9 + [-1] * 9,
    }
    moments = list(track(graph, events=table))
    assert [str(e) for m in moments[1:] for e in m.events] == [
        "10: merge 0 + 1 -> 0",
        "20: split 0 -> 0 + 2",
    ]
    assert [m.time for m in moments] == [None, 10, 20]
    by_label = list(track(graph, AlternatingLabelPropagation(), events=table))
    assert by_label[0].identity.tolist() == [0, 0, 0, 1, 1, 1]
