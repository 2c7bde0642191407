"""Edges that several ranks have read, compared with the graph of all rows."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from support.local_ranks import local_ranks
from test_ranks import ranks, succeed

from gascl import Engine, GasclError, Graph, GraphError, RankError
from gascl.distributed import shared_edges
from gascl.distributed.ranks import Ranks
from gascl.distributed.shared_edges import shared_graph
from gascl.distributed.shared_labels import numbered_in_all
from gascl.graph.edge_pieces import checked_piece, joined
from gascl.graph.partial_array import RemoteDataError
from gascl.graph.partition import Division, shares
from gascl.graph.remote_field import hash_of_field
from gascl.io.adapters.pandas import read_pandas
from gascl.programs import BreadthFirst, PageRank, ShortestPaths

pd = pytest.importorskip("pandas")

#: The first rows of pieces; those of three ranks are two pieces each, and some are empty.
CUTS = [0, 0, 100, 101, 600, 600, 900]


def frame(kind: str = "integers"):
    """Edges with loops and parallel ones, and fields."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 200, (2, 900)) * 3 - 40
    if kind == "text":
        ends = np.array([f"vertex {i}" for i in range(-40, 560)])[ends + 40]
    minutes = rng.integers(1, 9, 900)
    return pd.DataFrame({"a": ends[0], "b": ends[1], "weight": minutes / 3, "x": minutes})


def pieces(df, numbers=range(6)) -> list:
    read = [read_pandas(df[i:j], "a", "b", None, True) for i, j in pairwise(CUTS)]
    return [checked_piece(read[number]) for number in numbers]


def in_ranks(work, df, directed: bool = True) -> list:
    """What `work(rank's graph, ranks)` returns in each of three ranks."""

    def one(comm):
        ranks = Ranks(comm)
        own = pieces(df, (2 * ranks.rank, 2 * ranks.rank + 1))
        return work(shared_graph(own, ranks, directed), ranks)

    found = local_ranks(3, one)
    for outcome in found:
        if isinstance(outcome, BaseException):
            raise outcome
    return found


@pytest.mark.parametrize("kind", ["text", "integers"])
@pytest.mark.parametrize("directed", [True, False])
def test_the_graph_is_that_of_all_rows(kind, directed):
    df = frame(kind)
    expected = Graph.from_pandas(df, "a", "b", directed=directed)
    policies = {"duplicates": "sum", "self_loops": "drop"}
    merged = Graph.from_pandas(df, "a", "b", directed=directed, **policies)

    def work(graph, _):
        assert repr(graph) == repr(expected) and graph.num_loops == expected.num_loops
        return graph._shared.whole(), graph._shared.whole(**policies)

    alone = joined(pieces(df), directed, [])
    both = in_ranks(work, df, directed)
    for found in (Graph._from_raw(alone, "keep", "keep"), *(one for one, _ in both)):
        assert found.fingerprint == expected.fingerprint
        assert found.labels.dtype == expected.labels.dtype
        for name, values in expected.edge_fields.items():
            np.testing.assert_array_equal(found.edge_fields[name], values, strict=True)
    assert all(found.fingerprint == merged.fingerprint for _, found in both)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("way", ["out", "in", "both"])
@pytest.mark.parametrize("renumbers", [True, False])
def test_a_rank_has_its_arcs(way, directed, renumbers, monkeypatch):
    """Those of the whole graph that it is to have, in the same order, with the values of a field;
    of others how many."""
    monkeypatch.setattr("gascl.graph.reordering.LEAST", 1)
    monkeypatch.setattr("gascl.graph.reordering.SHARE", 0.1)
    monkeypatch.setattr("gascl.distributed.shared_edges.AT_ONCE", 70)
    df = frame()
    expected = Graph.from_pandas(df, "a", "b", directed=directed)
    numbering, arcs = expected.numbered(way, 3) if renumbers else (None, expected.arcs(way))
    base = PageRank if renumbers else ShortestPaths
    body = {"edges": way, "__module__": __name__, "__doc__": "One way."}
    program = type("OneWay", (base,), body)(**({} if renumbers else {"source": 2}))

    def work(graph, ranks):
        graph._shared.bring(graph, program, False)
        for name in ("in_degree", "out_degree", "degree"):
            np.testing.assert_array_equal(getattr(graph, name), getattr(expected, name))
        its_numbering, its = graph.numbered(way, 3) if renumbers else (None, graph.arcs(way))
        if renumbers:
            np.testing.assert_array_equal(its_numbering.order, numbering.order)
        part = shares(its.in_offsets, Division(ranks.rank, 3))[ranks.rank]
        assert part == shares(arcs.in_offsets, Division(ranks.rank, 3))[ranks.rank]
        found, here = its.part(part), arcs.part(part)
        for order in ("into", "out"):
            for name in ("offsets", "ends"):
                each = [getattr(getattr(one, order), name) for one in (found, here)]
                np.testing.assert_array_equal(*each, strict=True)
        np.testing.assert_array_equal(found.slot, here.slot, strict=True)
        if not renumbers:
            values = graph.edge_fields["weight"].own[its.into][part.begin : part.end]
            wanted = expected.edge_fields["weight"][here.in_edges]
            np.testing.assert_array_equal(values, wanted, strict=True)
        for absent in (graph.edge_src, graph.edge_fields["x"], its.in_sources):
            with pytest.raises(RemoteDataError, match="of other ranks"):
                np.asarray(absent)

    in_ranks(work, df, directed)


def test_an_error_while_edges_travel_ends_all_ranks(monkeypatch, capfd):
    """In one rank, before the first round, and in the second one, in which the others wait."""
    monkeypatch.setattr(shared_edges, "AT_ONCE", 70)
    calls = threading.local()

    def keys(piece, *given):
        left = getattr(calls, "left", -1)
        calls.left = left - 1
        if left == 0:
            raise MemoryError("no room for these")
        return made(piece, *given)

    made = shared_edges._keys
    monkeypatch.setattr(shared_edges, "_keys", keys)

    def work(graph, ranks):
        blocks = sum(1 for _ in graph._shared._blocks())
        told = []
        for fails_after in (1, blocks + 1):
            calls.left = fails_after if ranks.rank == 1 else -1
            with pytest.raises((MemoryError, RankError)) as caught:
                graph._shared.bring(graph, BreadthFirst(source=2), False)
            told.append(f"{caught.typename}: {caught.value}")
        return told

    one, failed, other = in_ranks(work, frame())
    assert failed == ["MemoryError: no room for these"] * 2
    error = "RankError: rank 1 of 3 has "
    assert one == other == [f"{error}failed: {failed[0]}", f"{error}ended the run"]
    assert capfd.readouterr().err == f"gascl: rank 1 of 3 ends all: {failed[0]}\n"


def fails_in(rank: int, monkeypatch, *names: str) -> threading.local:
    """Let one of these operations of `Ranks`, which others wait for, fail in a rank: the one after
    the next `left` ones of the returned object, which a thread may set."""
    calls = threading.local()

    def failing(name: str):
        made = getattr(Ranks, name)

        def call(self, *given):
            left = getattr(calls, "left", -1)
            calls.left = left - 1
            if left == 0 and self.rank == rank:
                raise MemoryError("no room for these")
            return made(self, *given)

        return call

    for name in names:
        monkeypatch.setattr(Ranks, name, failing(name))
    return calls


#: What ranks do together besides sending edges, and how many operations of a rank go well.
TOGETHER = {
    "the fingerprint": (lambda graph: graph.fingerprint, 3),
    "a hash": (lambda graph: hash_of_field(graph.edge_fields["x"]), 3),
    "sums of weights": (lambda graph: graph.weighted_in_degree("x"), 0),
    "the hub": (lambda graph: graph.hub, 0),
    "all edges": (lambda graph: graph._shared.whole(), 1),
    "all labels": (lambda graph: graph._shared.labels.gather(), 0),
    "some labels": (lambda graph: graph.labels_of(np.array([150, 3])), 1),
    "an index": (lambda graph: graph.index_of("vertex 2"), 0),
}


@pytest.mark.parametrize("what", TOGETHER)
def test_an_error_where_others_wait_ends_all_ranks(what, monkeypatch, capfd):
    look, left = TOGETHER[what]
    names = "exchanged", "exchanged_counts", "allgather_rows", "allgather_counts", "allreduce"
    calls = fails_in(1, monkeypatch, *names)

    def work(graph, ranks):
        with graph._shared.running():
            calls.left = left
            with pytest.raises((MemoryError, RankError)) as caught:
                look(graph)
        if ranks.rank == 1:  # if the others still wait
            ranks.comm.Abort(1)
        return f"{caught.typename}: {caught.value}"

    one, failed, other = in_ranks(work, frame("text"))
    assert failed == "MemoryError: no room for these"
    assert one == other == "RankError: rank 1 of 3 has ended the run"
    assert capfd.readouterr().err == f"gascl: rank 1 of 3 ends all: {failed}\n"


@pytest.mark.parametrize("left", [2, 7])
def test_an_error_while_edges_are_numbered_ends_all_ranks(left, monkeypatch, capfd):
    """While labels are, and while degrees are added up."""
    calls = fails_in(2, monkeypatch, "exchanged", "allgather", "allgather_counts", "allreduce")

    def work(comm):
        calls.left, rank = left, comm.Get_rank()
        with pytest.raises((MemoryError, RankError)) as caught:
            shared_graph(pieces(frame(), (2 * rank, 2 * rank + 1)), Ranks(comm), True)
        if rank == 2:
            comm.Abort(1)
        return caught.typename

    assert local_ranks(3, work) == ["RankError", "RankError", "MemoryError"]
    told = "gascl: rank 2 of 3 ends all: MemoryError: no room for these\n"
    assert capfd.readouterr().err == told


def test_ctrl_c_in_one_rank_is_told_to_all():
    def pressed(ranks):
        with ranks.errors_in_all():
            if ranks.rank == 1:
                raise KeyboardInterrupt

    def work(comm):
        ranks = Ranks(comm)
        with pytest.raises((KeyboardInterrupt, RankError)) as caught:
            pressed(ranks)
        if ranks.rank == 1:  # if the others still wait
            comm.Abort(1)
        return str(caught.value)

    told = "rank 1 of 3 has failed: KeyboardInterrupt: "
    assert local_ranks(3, work) == [told, "", told]


@pytest.mark.parametrize("kind", ["text", "integers"])
def test_labels_are_looked_up_by_all_ranks(kind):
    df = frame(kind)
    whole = Graph.from_pandas(df, "a", "b")
    some = np.array([[150, 3], [0, whole.num_vertices - 1]])
    wrong = "vertex  2" if kind == "text" else 10**6
    with pytest.raises(GraphError) as expected:
        whole.index_of(wrong)

    def work(graph, ranks):
        assert len(graph._shared.labels.own) < 0.6 * whole.num_vertices  # no rank has all
        for look in (lambda: graph.labels_of(some), lambda: graph.index_of(df["a"][1])):
            with pytest.raises(RemoteDataError, match="each rank has the labels of a part"):
                look()
        with graph.labels_in_all():
            labels = graph.labels_of(some)
            found = graph.indices_of(labels.reshape(-1)).reshape(labels.shape)
            with pytest.raises(GraphError) as refused:
                graph.index_of(wrong)
            one = graph.index_of(df["a"][1])
        assert str(refused.value) == str(expected.value)
        own = np.arange(ranks.rank, whole.num_vertices, 3)
        graph._shared.keep_labels(own)
        np.testing.assert_array_equal(graph.labels_of(own), whole.labels[own])
        graph._shared.keep_labels(None)
        assert graph.index_of(df["a"][1]) == one == whole.index_of(df["a"][1])
        np.testing.assert_array_equal(graph.labels, whole.labels)
        return labels, found

    for labels, found in in_ranks(work, df):
        np.testing.assert_array_equal(labels, whole.labels[some], strict=True)
        np.testing.assert_array_equal(found, some)


@pytest.mark.parametrize("kind", ["text", "integers"])
def test_the_hash_is_that_of_the_whole_graph(kind, monkeypatch):
    """Of edges, labels and fields; only while all ranks do the same."""
    monkeypatch.setattr("gascl.distributed.shared_edges.AT_ONCE", 70)
    df = frame(kind)
    expected = Graph.from_pandas(df, "a", "b")

    def work(graph, _):
        with pytest.raises(RemoteDataError, match="each rank has a part of the edges"):
            _ = graph.fingerprint
        with graph._shared.running():
            assert graph.fingerprint == expected.fingerprint
            assert {n: hash_of_field(v) for n, v in graph.edge_fields.items()} == hashes
        assert graph.with_edge_fields(other="x").fingerprint == expected.fingerprint

    hashes = {name: hash_of_field(values) for name, values in expected.edge_fields.items()}
    in_ranks(work, df)


@pytest.mark.parametrize("directed", [True, False])
def test_sums_of_weights(directed, monkeypatch):
    """They are added up in the order of the edges, so that they have the same bits."""
    monkeypatch.setattr("gascl.distributed.shared_edges.AT_ONCE", 70)
    df = frame()
    expected = Graph.from_pandas(df, "a", "b", directed=directed)
    loops = df["a"][df["a"] == df["b"]].value_counts()

    def work(graph, _):
        with graph._shared.running():
            for dtype in ("float64", "float32"):
                for name in ("weighted_out_degree", "weighted_in_degree"):
                    each = [getattr(one, name)(dtype=dtype) for one in (graph, expected)]
                    np.testing.assert_array_equal(*each, strict=True)
        with pytest.raises(RemoteDataError, match="each rank has a part of the edges"):
            graph.weighted_out_degree("x")
        assert graph.loops.sum() == loops.sum()
        with graph.labels_in_all():
            assert graph.loops[graph.indices_of(loops.index)].tolist() == loops.tolist()

    in_ranks(work, df, directed)


@pytest.mark.parametrize("way", ["out", "in", "both"])
def test_the_edges_of_arcs(way, monkeypatch):
    monkeypatch.setattr("gascl.distributed.shared_edges.AT_ONCE", 70)
    df = frame()
    expected = Graph.from_pandas(df, "a", "b").arcs(way)
    scatter = "send(e.id + e.reversed + e.weight);"
    body = {"edges": way, "scatter": scatter, "__module__": __name__, "__doc__": "Of edges."}
    program = type("OfEdges", (ShortestPaths,), body)(source=2)

    def work(graph, ranks):
        graph._shared.bring(graph, program, False)
        its = graph.arcs(way)
        part = shares(its.in_offsets, Division(ranks.rank, 3))[ranks.rank]
        found, here = its.part(part), expected.part(part)
        for name in ("in_edges", "in_reversed", "out_edges", "out_reversed"):
            each = [getattr(one, name) for one in (found, here)]
            np.testing.assert_array_equal(*each, strict=True)

    in_ranks(work, df)


def test_the_hub():
    df = frame()
    expected = Graph.from_pandas(df, "a", "b").hub

    def work(graph, _):
        with graph._shared.running():
            return graph.hub

    assert in_ranks(work, df) == [expected] * 3


def test_all_edges_have_the_fields_of_the_graph():
    """Also those that a user has given to the graph of ranks."""
    df = frame()
    expected = Graph.from_pandas(df, "a", "b")

    def work(graph, _):
        given = graph.with_edge_fields(weight="x", y=df["x"].to_numpy())
        given = given.with_vertex_fields(z=np.arange(graph.num_vertices))
        return graph._shared.whole_of(given)

    for whole in in_ranks(work, df):
        for name, column in (("weight", "x"), ("x", "x"), ("y", "x")):
            assert whole.edge_fields[name].tolist() == df[column].tolist()
        assert whole.vertex_fields["z"].tolist() == list(range(expected.num_vertices))


def test_edges_that_are_forgotten():
    """Those that have been sent are there; all else is an error."""

    def work(graph, _):
        shared = graph._shared
        shared.keeps = False
        for _ in range(2):
            shared.bring(graph, BreadthFirst(source=2), False)
        with pytest.raises(RemoteDataError, match="have been sent"):
            shared.bring(graph, ShortestPaths(source=2), False)
        with pytest.raises(RemoteDataError, match="have been sent"):
            shared.whole()

    in_ranks(work, frame())


@pytest.mark.parametrize("kind", ["part", "local"])
def test_arcs_that_are_on_the_device(kind):
    """They are freed with the edges: their offsets are there, and reading more is an error."""

    def work(graph, ranks):
        graph._shared.keeps = False
        graph._shared.bring(graph, BreadthFirst(source=2), False)
        arcs = graph.arcs()
        own = getattr(arcs, kind)(shares(arcs.in_offsets, Division(ranks.rank, 3))[ranks.rank])
        count = len(own.into.ends)
        graph._shared.uploaded(own)
        assert own.into.offsets[-1] == count
        for look in (lambda: np.asarray(own.into.ends), lambda: np.asarray(own.out.ends)):
            with pytest.raises(RemoteDataError, match="of other ranks"):
                look()

    in_ranks(work, frame())


def test_no_edges():
    df = frame()[:0]

    def size(graph, _):
        return graph.num_vertices, graph.num_edges, sorted(graph.edge_fields)

    assert in_ranks(size, df) == [(0, 0, ["weight", "x"])] * 3


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([np.array(["a"]), None, np.array([-1])], "integers in some parts of the edges, and text"),
        ([None, np.array([-1]), np.array([2**63])], "below 0 in some parts of the edges, and abo"),
    ],
)
def test_ids_of_several_kinds(labels, message):
    found = local_ranks(3, lambda comm: numbered_in_all(labels[comm.Get_rank()], Ranks(comm)))
    assert all(isinstance(each, GraphError) and message in str(each) for each in found)


def test_parts_that_do_not_fit_together():
    """All ranks raise the same error."""
    df = frame()

    def work(comm):
        own = df[["a", "b", "x"]] if comm.Get_rank() else df
        return shared_graph(pieces(own)[:3], Ranks(comm), True)

    found = local_ranks(2, work)
    assert all("the fields weight, x in some parts, and weight in" in str(each) for each in found)


def test_texts_times_and_categories():
    """The codes of each part's own dictionary are those of the graph."""
    df = pd.DataFrame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0], "w": [1.5, 2, 3, 4]})
    df["kind"] = ["tram", "bus", "bus", "ferry"]
    df["size"] = pd.Categorical(["S", "L", "L", None], ["S", "M", "L"], ordered=True)
    df["at"] = pd.date_range("2024-05-01", periods=4, freq="h", tz="Europe/Berlin")
    df["paid"] = [True, False, True, True]
    right = Graph.from_pandas(df, "a", "b")

    def work(comm):
        own = df[2 * comm.Get_rank() :][:2]
        piece = checked_piece(read_pandas(own, "a", "b", None, True))
        return shared_graph([piece], Ranks(comm), True)._shared.whole()

    for whole in local_ranks(2, work):
        for name in right.edges:
            assert (whole.edge_fields[name] == right.edge_fields[name]).all(), name
        assert whole.edges["kind"].tolist() == df["kind"].tolist()
        assert whole.edge_types["size"].ordered
        assert whole.edge_types["at"] == right.edge_types["at"]


def test_a_graph_of_ranks_needs_their_engine():
    def work(graph, _):
        with pytest.raises(GasclError, match="read with comm=, of 3 ranks: give the engine the"):
            Engine(graph).run(BreadthFirst(source=2))

    in_ranks(work, frame())


class Looking(PageRank):
    """Reads neighbors of vertices that other ranks may have."""

    apply = "v.rank = has_edge(0, v.id);"


def test_programs_that_need_all_edges():
    def work(graph, _):
        graph._shared.check_suffices(PageRank())
        with pytest.raises(RemoteDataError, match="Looking reads the neighbors of any vertex"):
            graph._shared.check_suffices(Looking())

    in_ranks(work, frame())


def test_a_callback_of_one_rank_does_not_wait_for_labels_of_others():
    df = frame("text")

    def work(graph, ranks):
        other = graph.num_vertices - 1 if ranks.rank == 0 else 0
        look = graph._shared.apart(lambda step: graph.label_of(other))
        with graph.labels_in_all():
            if ranks.rank != 1:
                with pytest.raises(RemoteDataError, match="the labels of a part of the vertices"):
                    look(None)
            return graph.label_of(7)  # all ranks together, as before

    assert len({*in_ranks(work, df)}) == 1


def test_a_graph_of_ranks_is_shown_and_not_reversed():
    def work(graph, _):
        assert repr(graph) in graph._repr_html_()
        with pytest.raises(GraphError, match=r"reversed\(\) needs all edges.* edges='in'"):
            graph.reversed()

    in_ranks(work, frame())


# Processes ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Fewer files than ranks, of text; the first one has no rows."""
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(2)
    ends = rng.integers(0, 150, (2, 1200)) ** 2 // 150
    names = np.array([f"v{i}" for i in range(150)])
    df = pd.DataFrame({"from": names[ends[0]], "to": names[ends[1]], "weight": rng.random(1200)})
    df["n"] = rng.integers(1, 9, 1200)
    (tmp_path / "edges").mkdir()
    (tmp_path / "empty").mkdir()
    for number, rows in enumerate((df[:0], df)):
        rows.to_parquet(tmp_path / "edges" / f"{number}.parquet", index=False, row_group_size=500)
    return tmp_path / "edges"


READS = "support.reads_by_ranks"


@pytest.mark.slow
def test_runs_that_go_on(folder):
    succeed(2, "continued", str(folder), module=READS)


def test_programs_on_edges_read_by_share_and_errors(folder):
    """In one start of the ranks, as of several hosts."""
    some = ["ShortestPaths", "WeightedPageRank", "Nearest", "Tolls", "Meeting", "Triangles"]
    calls = "apart:programs", str(folder), *some, "--", "apart:partitions", str(folder)
    succeed(2, *calls, "--", "errors", str(folder), module=READS)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["programs", "apart:programs", "partitions"])
def test_all_programs_on_edges_read_by_share(folder, what):
    succeed(3, what, str(folder), module=READS)


def test_the_command_reads_by_share(folder, tmp_path):
    command = ["run", "BreadthFirst", str(folder), "--set", "source=v7", "--output"]
    ran = ranks(2, *command, str(tmp_path / "depths"), module="gascl")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("1,200 edges") == 1
    found = pd.read_parquet(tmp_path / "depths").set_index("vertex")["depth"].sort_index()
    expected = Engine(Graph.read(folder)).run(BreadthFirst(source="v7")).to_pandas()["depth"]
    assert found.index.tolist() == expected.index.tolist()
    assert found.tolist() == expected.tolist()


@pytest.mark.slow
def test_the_command_prints_paths_and_errors(folder, tmp_path):
    command = ["run", "BreadthFirst", str(folder), "--set", "source=v7", "--output"]
    path = ["--top", "2", "--path", "v9"]
    ran = ranks(2, *command, str(tmp_path / "depths"), *path, module="gascl")
    assert ran.returncode == 0 and "path to v9:" in ran.stdout, ran.stderr
    ran = ranks(2, *command[:3], "--set", "source=nowhere", module="gascl")
    assert ran.returncode == 1 and ran.stderr.count("no vertex has the label 'nowhere'") == 1
    (folder / "1.parquet").write_bytes(b"PAR1 nothing PAR1")
    ran = ranks(2, *command, str(tmp_path / "depths"), module="gascl")
    assert ran.returncode == 1 and ran.stderr.count("error:") == 1
