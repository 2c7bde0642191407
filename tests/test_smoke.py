"""Each part of gascl and each library that it works with, used once. `make oldest` runs these tests
with the oldest versions that pyproject.toml allows."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from support.admission import ANY_ORDER
from support.archives import zstandard
from support.file_server import serving

import gascl.dask
from gascl import Engine, Graph, VertexProgram, vertex
from gascl.communities import adjusted_rand
from gascl.delivery.registry import DELIVERIES
from gascl.io.registry import FORMATS
from gascl.programs import ConnectedComponents, Louvain, PageRank, ShortestPaths

pytestmark = pytest.mark.slow

#: a -> b -> c, of 2 and 3, and d -> e, apart, of 4.
ENDS, WEIGHTS = ([0, 1, 3], [1, 2, 4]), [2, 3, 4]
DISTANCES = [0, 2, 5, np.inf, np.inf]


def roads(directed: bool = True) -> Graph:
    return Graph.from_edges(*ENDS, weight=WEIGHTS, directed=directed)


def distances(graph: Graph) -> list[float]:
    return Engine(graph).run(ShortestPaths(source=graph.label_of(0))).distance.tolist()


@pytest.mark.parametrize("delivery", ["auto", *DELIVERIES])
def test_deliveries(delivery):
    class Largest(VertexProgram):
        label = vertex.int32(init="v.id")
        message, combine, edges = "int32", "max", "both"
        order = "any" if delivery in ANY_ORDER else "supersteps"
        scatter = "send(v.label);"
        apply = "if (msg > v.label) { v.label = msg; set_mask(); }"

    class LargestInPlace(VertexProgram):
        label = vertex.int32(init="v.id")
        edges, order, apply_on = "both", "any", "all"
        apply = """
            for (int i = 0; i < num_neighbors; ++i)
                if (label_of(neighbor(i)) > v.label) {
                    v.label = label_of(neighbor(i));
                    set_mask();
                }
        """

    engine = Engine(roads(), debug=delivery == "random")
    program = LargestInPlace() if delivery == "in_place" else Largest()
    label = engine.run(program, delivery=delivery).label
    assert label.tolist() == [2, 2, 2, 4, 4]


def test_debug_mode_and_a_checkpoint(tmp_path):
    result = Engine(roads(), debug=True).run(PageRank(dtype="float64"))
    again = Engine(roads()).run(PageRank(dtype="float64"), checkpoint=tmp_path / "run", every=1)
    assert result.rank == pytest.approx(again.rank) and result.rank.sum() == pytest.approx(1)


def test_arcs_in_parts():
    graph = gascl.generators.uniform(2000, 60000, seed=1)
    found = Engine(graph, device_memory="400 KiB").run(PageRank())
    assert "parts" in found.trace[0].why
    assert found.rank == pytest.approx(Engine(graph).run(PageRank()).rank)


def test_stages_and_communities():
    graph = Graph.dataset("karate")
    found = Engine(graph).run(Louvain())
    assert found.aggregates["modularity"] > 0.4
    assert adjusted_rand(found.community, found.community) == 1


@pytest.mark.parametrize("packing", ["", ".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("name", [name for name, f in FORMATS.items() if f.write])
def test_files(name, packing, tmp_path):
    if packing and not FORMATS[name].packs:
        pytest.skip(f"{name} has its own compression")
    graph = roads(directed=name != "metis")
    weighted = {"gap": ".wsg"}.get(name, FORMATS[name].extensions[0])
    path = tmp_path / f"roads{weighted}{packing}"
    graph.write(path, format=name)
    again = Graph.read(path, format=name, directed=graph.directed)
    assert again.num_edges == 3
    assert distances(again)[:3] == DISTANCES[:3]


def test_scipy():
    matrix = scipy.sparse.csr_array((WEIGHTS, ENDS), shape=(5, 5))
    graph = Graph.from_scipy(matrix)
    assert distances(graph) == DISTANCES
    assert (graph.to_scipy("weight") != matrix).nnz == 0


def test_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.karate_club_graph()
    expected = nx.pagerank(graph, tol=1e-10, weight=None)
    made = Graph.from_networkx(graph)
    rank = Engine(made).run(PageRank(dtype="float64", tolerance=1e-10)).rank
    assert dict(zip(made.labels.tolist(), rank.tolist(), strict=True)) == pytest.approx(expected)
    back = made.to_networkx()
    assert {frozenset(edge) for edge in back.edges()} == {frozenset(e) for e in graph.edges()}
    if hasattr(nx, "config") and "gascl" in getattr(nx.config, "backends", ()):
        from gascl.nx.backend import SUPPORTED, VERSION

        if VERSION >= SUPPORTED:
            found = nx.pagerank(graph, backend="gascl", weight=None)
            assert found == pytest.approx(expected, abs=1e-5)


def test_igraph():
    pytest.importorskip("igraph")
    graph = Graph.from_igraph(roads().to_igraph())
    assert distances(graph) == DISTANCES


def test_pandas():
    pandas = pytest.importorskip("pandas")
    graph = Graph.from_pandas(roads().to_pandas())
    result = Engine(graph).run(ShortestPaths(source=0))
    table = result.to_pandas()
    assert table.distance[2] == 5 and isinstance(table, pandas.DataFrame)
    assert len(result.trace.to_pandas()) == result.supersteps


def test_arrow(tmp_path):
    pytest.importorskip("pyarrow")
    graph = Graph.from_arrow(roads().to_arrow())
    assert distances(graph)[:3] == DISTANCES[:3]
    Engine(graph).run(PageRank()).save(tmp_path / "ranks.parquet")
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "ranks.parquet").num_rows == 5


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_results(suffix, tmp_path):
    result = Engine(roads()).run(PageRank())
    result.save(tmp_path / f"ranks{suffix}")
    result.save_trace(tmp_path / "trace.json")


def test_pictures(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    graph = Graph.dataset("karate")
    result = Engine(graph).run(PageRank())
    result.plot("rank").figure.savefig(tmp_path / "plot.png")
    result.trace.plot()[0].figure.savefig(tmp_path / "trace.png")
    gascl.draw(result, color="rank").figure.savefig(tmp_path / "drawn.png")
    large = gascl.generators.uniform(30_000, 60_000, seed=1)
    position = np.random.default_rng(0).random((30_000, 2))
    gascl.draw(large, position=position).figure.savefig(tmp_path / "large.png")
    gascl.draw(graph, bundle=True, edge_width=2).figure.savefig(tmp_path / "bundled.pdf")
    gascl.draw(graph, interactive=True).save(tmp_path / "page.html")


def test_progress(capsys):
    Engine(roads()).run(PageRank(), progress=True)
    shown = capsys.readouterr().err
    assert "PageRank" in shown


def test_conversion_in_little_memory(gascl_, tmp_path):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    (tmp_path / "roads.txt").write_text("a b 2\nb c 3\nd e 4\n")
    out = tmp_path / "roads.npz"
    code, _, err = gascl_("convert", tmp_path / "roads.txt", out, "--memory", "1 GiB")
    assert code == 0, err
    assert distances(Graph.read(out))[:3] == DISTANCES[:3]


def test_datasets(gascl_, tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    from gascl.datasets import REGISTRY, Dataset, catalog

    text = b"0 1\n1 2\n"
    monkeypatch.setenv("GASCL_DATA", str(tmp_path / "cache"))
    with serving() as server:
        server.files["/line.txt.zst"] = packed = zstandard(text)
        sha = hashlib.sha256(packed).hexdigest()
        traits: dict[str, Any] = {"url": server.url("/line.txt.zst"), "sha256": sha}
        line = Dataset("line", "a line", "SNAP", 3, 2, True, **traits)
        monkeypatch.setattr(catalog, "REGISTRY", {**REGISTRY, "line": line})
        code, _, err = gascl_("datasets", "line", "--download")
        assert code == 0, err
    assert Graph.dataset("line").num_edges == 2


def test_dask():
    pytest.importorskip("pandas")
    pytest.importorskip("tblib")
    distributed = pytest.importorskip("distributed")
    frames = pytest.importorskip("dask.dataframe")
    df = roads().to_pandas()
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        edges = frames.from_pandas(df, npartitions=2, sort=False)
        found = gascl.dask.run(edges, ConnectedComponents())
        assert found.vertices.compute()["component"].tolist() == [0, 0, 0, 3, 3]


def test_mpi(tmp_path):
    pytest.importorskip("mpi4py")
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    mpiexec = shutil.which("mpiexec", path=here)
    if not mpiexec:
        pytest.skip("there is no mpiexec")
    roads().write(tmp_path / "roads.npz")
    run = ["-m", "gascl", "run", "PageRank", tmp_path / "roads.npz"]
    ran = subprocess.run(
        [mpiexec, "-n", "2", sys.executable, *map(str, run)],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr
    assert "ranks: 2" in ran.stdout


def test_commands(gascl_, tmp_path):
    (tmp_path / "roads.txt").write_text("a b 2\nb c 3\nd e 4\n")
    for words in (
        ["devices"],
        ["programs"],
        ["programs", "PageRank"],
        ["kernel", "PageRank"],
        ["info", tmp_path / "roads.txt", "--memory", "--program", "PageRank"],
        ["generate", "uniform", "-o", tmp_path / "made.npz", "--vertices", "10", "--edges", "20"],
        ["run", "PageRank", tmp_path / "roads.txt", "--output", tmp_path / "ranks.csv"],
    ):
        code, _, err = gascl_(*words)
        assert code == 0, (words, err)
