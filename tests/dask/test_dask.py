"""gascl.dask: runs on a cluster of two processes, compared with runs without Dask."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
from support.case_subsets import one_in
from support.local_ranks import local_ranks

import gascl.dask
from gascl import (
    DeviceError,
    Engine,
    GasclError,
    Graph,
    GraphError,
    NotConvergedError,
    RankError,
    VertexProgram,
    param,
    vertex,
)
from gascl.dask.edges import part_of
from gascl.distributed.shared_edges import SharedEdges
from gascl.programs import BreadthFirst, PageRank, ShortestPaths, WeightedBetweenness
from gascl.util.progress import Progress

pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module")
def client():
    """Of a cluster of two processes, which a nanny starts and starts again."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options, silence_logs=60) as cluster,
        distributed.Client(cluster) as its,
    ):
        its.run(build_quickly)
        yield its


def build_quickly() -> None:
    """As the fixture `quick_builds` does in the process of the tests."""
    import pyopencl as cl

    build = cl.Program.build
    cl.Program.build = lambda self, options=(), *more, **others: build(
        self, [*options, "-cl-opt-disable"], *more, **others
    )


def frame(kind: str = "text", rows: int = 900, seed: int = 0):
    """Edges with loops and parallel ones, in a DataFrame of pandas."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 200, (2, rows)) * 3 - 40
    if kind == "text":
        ends = np.array([f"vertex {i}" for i in range(-40, 560)])[ends + 40]
    minutes = rng.integers(1, 9, rows)
    return pd.DataFrame({"minutes": minutes, "a": ends[0], "b": ends[1], "x": minutes / 3})


def in_partitions(df, number: int):
    return dd.from_pandas(df, npartitions=number, sort=False)


COLUMNS = {"source": "a", "target": "b"}


# Edges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "integers"])
def test_edges_of_a_partition(kind):
    """Are taken once; what is no edge is told."""
    df = frame(kind)
    part, expected = part_of(df, 1, "a", "b", None, "minutes"), Graph.from_pandas(df, "a", "b")
    assert part.rows == 900
    edges = pickle.loads(pickle.dumps(part)).take()
    np.testing.assert_array_equal(edges.labels, expected.labels)
    np.testing.assert_array_equal(edges.src, expected.edge_src, strict=True)
    assert edges.fields.keys() == {"weight", "x"}
    df.loc[700, "b"] = None
    wrong = part_of(df, 1, "a", "b", None, None)
    assert wrong.rows == 0
    with pytest.raises(GraphError, match=r"partition 1 \(the first is 0\): row 700"):
        wrong.take()


# Messages ----------------------------------------------------------------------------------------


def exchanges(comm) -> list:
    """What each of those methods of a communicator gives that gascl calls, in all their forms."""
    mpi, rank, size = sys.modules[type(comm).__module__], comm.Get_rank(), comm.Get_size()
    time.sleep(0.01 * rank)
    found: list = [
        size,
        comm.allgather(("a", rank)),
        comm.bcast(rank + 5),
    ]
    tried = (mpi.MAX, [rank, -rank]), (mpi.BOR, [1 << rank, 0]), (mpi.SUM, [rank, 1])
    for op, own in tried:
        values = np.array(own)
        comm.Allreduce(mpi.IN_PLACE, values, op)
        found.append(values.tolist())
        values[:] = 99  # after it was told
    least = np.empty(2, int)
    comm.Allreduce(np.array([rank, -rank]), least, mpi.MIN)
    numbers = np.empty(size, int)
    comm.Allgather(np.array([rank * rank]), numbers)
    values, counts, begins = np.full(9, 255, np.uint8), [4, 0, 3], [0, 4, 5]
    values[begins[rank] : begins[rank] + counts[rank]] = rank
    comm.Allgatherv(mpi.IN_PLACE, [values, (counts, begins), mpi.BYTE])
    pairs = np.empty((6, 2), np.int32)
    own = np.full((rank + 1, 2), rank, np.int32)
    comm.Allgatherv([own, mpi.BYTE], [pairs, ([8, 16, 24], [0, 8, 24]), mpi.BYTE])
    turned = np.empty(size, int)
    comm.Alltoall(np.arange(size) + 10 * rank, turned)
    both = np.empty((size, 2), int)
    comm.Alltoall(np.arange(2 * size).reshape(size, 2) + 10 * rank, both)
    sent, came = np.arange(size, dtype=np.uint8) + 10 * rank, np.zeros(3, np.uint8)
    each = [1, 1, 1], [0, 1, 2]
    comm.Alltoallv([sent, each, mpi.BYTE], [came, each, mpi.BYTE])
    there = [comm.iprobe(tag=1)]
    comm.allgather(None)
    if rank == 1:
        for call in [comm.isend("off", other, tag=1) for other in (0, 2)]:
            call.wait()
    comm.allgather(None)
    there += [comm.iprobe(tag=2), comm.iprobe(tag=1)]
    there += ["off" if rank == 1 else comm.recv(source=1, tag=1), comm.iprobe(tag=1)]
    found.append(there)
    return found + [a.tolist() for a in (least, numbers, values, pairs, turned, both, came)]


def expected(rank: int) -> list:
    turned = [rank, 10 + rank, 20 + rank]
    return [
        *(3, [("a", 0), ("a", 1), ("a", 2)], 5, [2, 0], [7, 0], [3, 3]),
        *([False, False, rank != 1, "off", False], [0, -2], [0, 1, 4]),
        [0, 0, 0, 0, 255, 2, 2, 2, 255],
        [[0, 0], [1, 1], [1, 1], [2, 2], [2, 2], [2, 2]],
        turned,
        [[2 * rank + sender * 10, 2 * rank + 1 + sender * 10] for sender in range(3)],
        turned,
    ]


def test_what_ranks_tell_each_other():
    """What MPI's definition says."""
    assert local_ranks(3, exchanges) == [expected(rank) for rank in range(3)]


def test_a_failing_rank_ends_the_ranks_that_wait():
    def work(comm):
        comm.allgather(1)
        if comm.Get_rank() == 1:
            raise ValueError("no more of this")
        return comm.allgather(2)

    one, failed, other = local_ranks(3, work)
    assert isinstance(failed, ValueError)
    for told in (one, other):
        assert isinstance(told, RankError) and "rank 1 of 3 has ended the run" in str(told)


# Runs --------------------------------------------------------------------------------------------


def make_no_whole_graph() -> None:
    SharedEdges.kept, SharedEdges.whole = SharedEdges.whole, None


def make_whole_graphs() -> None:
    SharedEdges.whole = SharedEdges.kept


def test_a_run(client):
    """Text as ids, a partition for each worker, and the same as without Dask. No worker makes the
    whole graph."""
    df = frame()
    client.run(make_no_whole_graph)
    found = gascl.dask.run(in_partitions(df, 3), PageRank(), **COLUMNS)
    alone = Engine(Graph.from_pandas(df, "a", "b")).run(PageRank())
    assert (found.supersteps, found.stopped) == (alone.supersteps, alone.stopped)
    assert found.converged and len(found.trace) == found.supersteps
    assert found.communication == "Dask"
    assert found.trace[0].why == "2 ranks have a part of the arcs each"
    assert list(found.devices) == sorted(client.nthreads())
    assert found.vertices.npartitions == 2
    assert found.vertices.divisions[0] == alone.graph.labels[0]
    assert found.vertices.divisions[-1] == alone.graph.labels[-1]
    frame_of_all = found.vertices.compute()
    options = {"rtol": 1e-5, "check_index_type": False}  # Dask may turn text into Arrow's strings
    pd.testing.assert_frame_equal(frame_of_all, alone.to_pandas(), **options)
    again = gascl.dask.run(in_partitions(df, 5), PageRank(), **COLUMNS).vertices
    pd.testing.assert_frame_equal(again.compute(), frame_of_all, rtol=0, atol=0)
    client.run(make_whole_graphs)
    label = alone.graph.labels[7]
    assert again.loc[label].compute()["rank"].tolist() == [frame_of_all["rank"][label]]


@pytest.mark.slow
def test_weights_and_vertices_in_results(client):
    df = frame("integers")
    program = ShortestPaths(source=int(df["a"][0]))
    graph = Graph.from_pandas(df, "a", "b", weight="minutes", directed=False)
    found = gascl.dask.run(
        in_partitions(df, 2), program, **COLUMNS, weight="minutes", directed=False, client=client
    )
    expected = Engine(graph).run(program).to_pandas()
    pd.testing.assert_frame_equal(found.vertices.compute(), expected, check_exact=True)


def on_ranks(count: int, *arguments: str) -> None:
    """Python on so many ranks of MPI."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    mpiexec = shutil.which("mpiexec", path=path)
    if not mpiexec:
        pytest.skip("there is no mpiexec")
    command = [mpiexec, "-n", str(count), sys.executable, *arguments]
    here = Path(__file__).parent
    environment = os.environ | {"PYTHONPATH": str(here.parent)}
    subprocess.run(command, check=True, timeout=240, cwd=here, env=environment)


@pytest.mark.slow
def test_mpi_tells_the_same():
    on_ranks(3, "-m", "support.mpi_world")


@pytest.mark.slow
def test_workers_that_mpi_has_started():
    """Their ranks talk by MPI; an error in the middle of a run leaves the cluster as it was."""
    pytest.importorskip("dask_mpi")
    on_ranks(4, "-m", "support.dask_on_mpi")


@pytest.mark.slow
def test_the_same_bits_as_over_mpi(client, tmp_path):
    df, place = frame(rows=5000), str(tmp_path / "edges.parquet")
    df.to_parquet(place)
    on_ranks(2, "-m", "support.rank_runs", "saved", place)
    found = gascl.dask.run(in_partitions(df, 3), PageRank(), **COLUMNS).vertices.compute()
    expected = pd.read_parquet(f"{place}.ranks")
    assert found.index.tolist() == expected["vertex"].tolist()
    assert found["rank"].to_numpy().tobytes() == expected["rank"].to_numpy().tobytes()


@pytest.mark.slow
def test_a_run_that_resumes_from_a_checkpoint(client, tmp_path):
    edges, program = in_partitions(frame(), 2), PageRank(supersteps=30)
    whole_run = gascl.dask.run(edges, program, **COLUMNS).vertices.compute()
    options = {"checkpoint": tmp_path / "run.ckpt", "every": 10}
    gascl.dask.run(edges, program, **COLUMNS, **options, max_supersteps=20, not_converged="ignore")
    found = gascl.dask.run(edges, program, **COLUMNS, **options, resume=True)
    assert found.supersteps == 30 or found.converged
    pd.testing.assert_frame_equal(found.vertices.compute(), whole_run, check_exact=True)


def is_second() -> bool:
    return distributed.get_worker().address == max(distributed.get_client().nthreads())


class Curious(BreadthFirst):
    """Looks at all edges."""

    def prepare(self, graph, initial):
        assert np.bincount(graph.edge_src).sum() == graph.num_edges


class Ids(VertexProgram):
    """Sends the ids of edges."""

    supersteps = param.supersteps(2)
    x = vertex.int64()
    message, combine = "int64", "max"
    scatter_on = "all"
    scatter = "send(e.id);"
    apply = "v.x += msg;"


DROPS = {"self_loops": "drop", "duplicates": "first"}


@pytest.mark.parametrize(
    ("make", "policies"),
    one_in(3, [(Curious, {}), (lambda **_: Ids(), {}), (BreadthFirst, DROPS)]),
)
def test_a_run_that_needs_the_whole_graph(client, make, policies):
    df = frame("integers")
    program = make(source=int(df["a"][0]))
    found = gascl.dask.run(in_partitions(df, 3), program, **COLUMNS, **policies)
    alone = Engine(Graph.from_pandas(df, "a", "b", **policies)).run(program)
    pd.testing.assert_frame_equal(found.vertices.compute(), alone.to_pandas(), check_exact=True)


class Unlucky(BreadthFirst):
    """The second rank cannot prepare the run."""

    def prepare(self, graph, initial):
        if is_second():
            raise MemoryError("no room here")


class Deadly(BreadthFirst):
    """The second worker dies as the run is prepared."""

    def prepare(self, graph, initial):
        if is_second():
            os._exit(1)


def test_errors_of_a_rank(client):
    """They come to the client once; the cluster can be used on."""
    edges = in_partitions(frame("integers"), 2)
    with pytest.raises(DeviceError, match=r"rank 1 of 2, on tcp.*: MemoryError: no room here"):
        gascl.dask.run(edges, Unlucky(source=2), **COLUMNS)
    with pytest.raises(GraphError, match="no vertex has the label 3"):
        gascl.dask.run(edges, BreadthFirst(source=3), **COLUMNS)
    with pytest.raises(NotConvergedError, match="PageRank") as caught:
        gascl.dask.run(edges, PageRank(), **COLUMNS, max_supersteps=2, not_converged="error")
    assert caught.value.result.supersteps == 2
    with pytest.warns(gascl.NotConverged, match="PageRank did not converge"):
        gascl.dask.run(edges, PageRank(), **COLUMNS, max_supersteps=2)


class Strange(Exception):
    """An error that pickle cannot make again."""

    def __init__(self, first, second):
        super().__init__(first)


class Shared(VertexProgram):
    """The second rank fails in the function that it is given."""

    wrong = param.choice("division", "strange", "label")
    count = vertex.int32()

    def solve(self, stages):
        return stages.share(stages.vertices(2), self.work)

    def work(self, stages, items):
        if is_second() and self.wrong == "division":
            return {"count": 1 // (len(items) - 1)}
        if is_second() and self.wrong == "strange":
            raise Strange("odd", 7)
        if is_second():
            stages.run(BreadthFirst(source=3))
        return {"count": np.zeros(stages.graph.num_vertices, np.int32)}


@pytest.mark.parametrize(
    ("wrong", "kind", "message", "line"),
    [
        (
            "division",
            DeviceError,
            "rank 1 of 2, .*ZeroDivisionError: .*by zero",
            'return {"count": 1 //',
        ),
        ("strange", DeviceError, r"rank 1 of 2, .*\bStrange: odd", "raise Strange"),
        ("label", GraphError, "Shared: no vertex has the label 3", "stages.run(Breadth"),
    ],
)
def test_an_error_of_the_users_names_its_line(client, wrong, kind, message, line):
    text = Path(__file__).read_text().splitlines()
    (number,) = (i for i, each in enumerate(text, 1) if each.lstrip().startswith(line))
    edges = in_partitions(frame("integers"), 2)
    with pytest.raises(kind, match=message) as caught:
        gascl.dask.run(edges, Shared(wrong=wrong), **COLUMNS)
    error = caught.value
    if kind is DeviceError:
        assert str(error).endswith(f", at {__file__}:{number}")
        error = error.__cause__
    lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    assert (__file__, number) in lines


@pytest.mark.parametrize(
    "program", [ShortestPaths, pytest.param(WeightedBetweenness, marks=pytest.mark.slow)]
)
def test_refused_weights_name_the_partition(client, program):
    """And the ends of the edge, as without Dask; not where edges are no longer rows."""
    df = frame("integers")
    df.loc[[500, 700], "minutes"] = 0 if program is WeightedBetweenness else -1
    source = {} if program is WeightedBetweenness else {"source": int(df["a"][0])}
    run, edges = program(**source), in_partitions(df, 3)
    ends = f"({df['a'][500]} to {df['b'][500]})"
    found = ".*".join(
        re.escape(each)
        for each in (f"edge 500 {ends} has", "; edge 500 is row 200 of partition 1 (the first")
    )
    with pytest.raises(GasclError, match=found):
        gascl.dask.run(edges, run, **COLUMNS, weight="minutes")
    with pytest.raises(GasclError) as caught:
        gascl.dask.run(edges, run, **COLUMNS, weight="minutes", self_loops="drop")
    assert ends in str(caught.value) and "partition" not in str(caught.value)


def test_the_recipe_of_the_documentation(client, tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "dask.md").read_text()
    (recipe,) = re.findall(r"^```py\n([^`]*gascl\.dask.*?)^```$", page, re.M | re.S)
    df = frame()
    df.rename(columns={"a": "from", "b": "to"}).to_parquet(tmp_path / "edges.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dask.distributed.Client", lambda **_: client)
    exec(recipe, {"__name__": "__main__"})
    assert "supersteps: " in capsys.readouterr().out
    ranks = pd.read_parquet(tmp_path / "ranks")
    assert ranks["rank"].sum() == pytest.approx(1, abs=1e-3)
    assert set(ranks.index) == {*df["a"], *df["b"]}


def test_rows_that_are_no_edges(client):
    """The client is told; no task fails, which every worker would log with a traceback."""
    df = frame()
    with pytest.raises(GraphError, match="duplicates") as caught:
        gascl.dask.run(in_partitions(df, 2), PageRank(), **COLUMNS, duplicates="error")
    with pytest.raises(GraphError, match=re.escape(str(caught.value))):
        Graph.from_pandas(df, "a", "b", duplicates="error")
    df.loc[700, "b"] = None
    with pytest.raises(GraphError, match=r"partition 1 \(the first is 0\): row 250"):
        gascl.dask.run(in_partitions(df, 2), PageRank(), **COLUMNS)


class Shown(Progress):
    """What is shown, instead of showing it."""

    def begin(self, title, total=None, unit="supersteps"):
        super().begin(title, total, unit)
        self.titles = [*getattr(self, "titles", []), title]


def test_progress(client, monkeypatch):
    monkeypatch.setattr("gascl.dask.cluster.LOOK", 0.05)
    shown = Shown()
    found = gascl.dask.run(in_partitions(frame(), 2), PageRank(), **COLUMNS, progress=shown)
    assert shown.done == found.supersteps
    assert shown.titles[0] == "reading the edges of the Dask DataFrame"
    assert shown.titles[-1] == "PageRank"


def test_calls_that_are_wrong(client, monkeypatch):
    edges = in_partitions(frame(), 2)
    with pytest.raises(GraphError, match=r"a Dask DataFrame of edges, not pandas\..*DataFrame"):
        gascl.dask.run(frame(), PageRank())
    with pytest.raises(GasclError, match="constructed program"):
        gascl.dask.run(edges, PageRank)
    with pytest.raises(GasclError, match="not_converged must be"):
        gascl.dask.run(edges, PageRank(), not_converged="never")
    with pytest.raises(GasclError, match="callback= does not work over a cluster"):
        gascl.dask.run(edges, PageRank(), callback=print)
    with pytest.raises(GasclError, match="sources= is no option of a run; there are: device"):
        gascl.dask.run(edges, PageRank(), sources="a")
    monkeypatch.setattr(distributed, "get_client", lambda: (_ for _ in ()).throw(ValueError()))
    with pytest.raises(GasclError, match="make a client first"):
        gascl.dask.run(edges, PageRank())
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GasclError, match="needs Dask: `pip install distributed`"):
        gascl.dask.run(edges, PageRank())


def test_a_worker_that_dies(client):
    """The run ends with an error. This is the last test of the cluster, which starts another worker
    meanwhile."""
    edges = in_partitions(frame("integers"), 2)
    began = time.monotonic()
    with pytest.raises(RankError, match=r"tcp://.*: rank 1 of 2 is lost with its Dask worker"):
        gascl.dask.run(edges, Deadly(source=2), **COLUMNS)
    assert time.monotonic() - began < 60
