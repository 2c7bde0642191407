"""Direction that is asked for: `directed=`, and --directed and --undirected of the commands."""

import numpy as np
import pytest
from support.filecases import edges_of, put, refused

from gascl.cli.main import main
from gascl.errors import GraphError
from gascl.graph.graph import Graph

# Three edges, one of them a self-loop, as files that say that they are undirected.
UNDIRECTED = {
    "a.txt": "# gascl: undirected, 3 vertices, 3 edges\nsource target w\n1 2 5\n2 3 6\n3 3 7\n",
    "b.txt": "# Undirected graph: x.txt\n1 2 5\n2 3 6\n3 3 7\n",
    "c.txt": "% sym weighted\n1 2 5\n2 3 6\n3 3 7\n",
    "d.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 2 6\n3 3 7\n",
    "e.gml": "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 w 5 ]"
    " edge [ source 2 target 3 w 6 ] edge [ source 3 target 3 w 7 ] ]",
    "f.graphml": '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<key id="w" for="edge" attr.name="w" attr.type="int"/><graph edgedefault="undirected">'
    '<node id="1"/><node id="2"/><node id="3"/>'
    '<edge source="1" target="2"><data key="w">5</data></edge>'
    '<edge source="2" target="3"><data key="w">6</data></edge>'
    '<edge source="3" target="3"><data key="w">7</data></edge></graph></graphml>',
}
BOTH = [(1, 2, 5), (2, 1, 5), (2, 3, 6), (3, 2, 6), (3, 3, 7)]


@pytest.mark.parametrize("name", UNDIRECTED)
def test_an_undirected_file_as_directed_has_two_edges_of_each(tmp_path, name):
    path = put(tmp_path, name, UNDIRECTED[name])
    assert Graph.read(path).num_edges == 3 and not Graph.read(path).directed
    graph = Graph.read(path, directed=True)
    first = graph.labels is None  # then vertices count from 0
    rows = sorted((u + first, v + first, w) for u, v, w in edges_of(graph))
    assert graph.directed and rows == BOTH
    assert "directed=True: " in "\n".join(graph.report)
    assert not Graph.read(path, directed=False).directed


def test_tables_and_gascl_s_own(tmp_path):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 2], directed=False, w=np.array([5, 6, 7]))
    for name in ("a.parquet", "a.arrow", "a.npz"):
        graph.write(tmp_path / name)
        both = Graph.read(tmp_path / name, directed=True)
        assert sorted((u + 1, v + 1, w) for u, v, w in edges_of(both)) == BOTH
        assert "directed=True: each edge became two, one in each direction" in both.report
    assert Graph.from_arrow(graph.to_arrow(), directed=True).num_edges == 5


def test_a_file_that_says_nothing_has_its_rows(tmp_path):
    path = put(tmp_path, "a.txt", "1 2\n2 3\n")
    assert edges_of(Graph.read(path, directed=True)) == [(1, 2), (2, 3)]


def test_formats_of_one_direction_name_the_remedy(tmp_path):
    way = Graph.from_edges([0], [1], weight=[1])
    both = Graph.from_edges([0], [1], directed=False, weight=[1])
    refused(
        ["undirected graphs", "directed=False"],
        lambda: way.write(tmp_path / "a.graph"),
    )
    for name in ("a.gr", "a.wel"):
        refused(["directed=True"], lambda name=name: both.write(tmp_path / name))


@pytest.mark.parametrize("command", ["info", "convert", "run", "generate"])
@pytest.mark.parametrize("ways", [("--directed", "--undirected"), ("--undirected", "--directed")])
def test_both_at_once_are_wrong_usage(capsys, command, ways):
    given = {
        "info": ["a.txt"],
        "convert": ["a.txt", "b.npz"],
        "run": ["PageRank", "a.txt"],
        "generate": ["uniform", "--vertices", "3", "--edges", "2", "-o", "a.npz"],
    }[command]
    with pytest.raises(SystemExit) as caught:
        main([command, *given, *ways])
    assert caught.value.code == 2
    assert f"argument {ways[1]}: not allowed with {ways[0]}" in capsys.readouterr().err


def test_directed_of_the_commands(gascl_, tmp_path):
    path = put(tmp_path, "d.mtx", UNDIRECTED["d.mtx"])
    assert "3 vertices, 5 edges, directed" in gascl_("info", path, "--directed", "--directed")[1]
    assert "3 vertices, 3 edges, undirected" in gascl_("info", path)[1]
    code, _, err = gascl_("convert", path, tmp_path / "b.gr")
    assert code == 1 and "read it with --directed" in err
    assert gascl_("convert", path, tmp_path / "b.gr", "--directed")[0] == 0
    rows = (tmp_path / "b.gr").read_text().splitlines()
    assert rows[0] == "p sp 3 5" and sorted(rows[1:]) == [f"a {u} {v} {w}" for u, v, w in BOTH]


def test_a_direction_that_is_not_a_bool_is_refused(write):
    path = write("a.txt", "# Undirected graph: a\n0 1\n")
    with pytest.raises(GraphError, match="directed='no' must be True or False"):
        Graph.read(path, directed="no")
