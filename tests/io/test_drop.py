"""`gascl convert --drop`: what a format cannot hold is left out, and said."""

import pytest
import scipy.io
from support.filecases import refused

from gascl.graph.graph import Graph

GML = """graph [ node [ id 7 label "a" size 1 ] node [ id 8 label "b" size 2 ]
edge [ source 7 target 8 weight 3 cost 4 ] ]"""


def test_drop(gascl_, write, tmp_path):
    path, target = write("a.gml", GML), tmp_path / "b.mtx"
    given = []
    for what, left in (
        ("vertex-fields", "size"),
        ("edge-fields", "weight, cost"),
        ("labels", "2 labels"),
    ):
        code, _, err = gascl_("convert", path, target, *given)
        assert code == 1 and f"`gascl convert --drop {what}`" in err
        assert "Graph.from_edges(graph.edge_src, " in err
        given += ["--drop", what]
        out = gascl_("convert", path, target, *given)[1]
        assert f"  --drop {what}: {left} left out\n" in out
    matrix = scipy.io.mmread(target).toarray()
    assert matrix.tolist() == [[0, 1], [1, 0]]


def test_absent_columns_are_not_reported_as_dropped(gascl_, write, tmp_path):
    path = write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
    given = [x for w in ("labels", "edge-fields", "vertex-fields", "labels") for x in ("--drop", w)]
    code, out, _ = gascl_("convert", path, tmp_path / "b.npz", *given)
    assert code == 0 and "--drop" not in out


def test_what_else_is_dropped_is_wrong_usage(gascl_):
    with pytest.raises(SystemExit):
        gascl_("convert", "a.txt", "b.npz", "--drop", "weights")


@pytest.mark.parametrize("name", ["a.gr", "a.graph", "a.v", "a.sg", "a.npz", "a.parquet", "a.txt"])
def test_writers_name_the_remedy(tmp_path, name):
    full = Graph.read(put_gml(tmp_path))
    if name == "a.gr":
        full = Graph.from_edges([0], [1], weight=[1], labels="ab")
    options = {"format": "scipynpz"} if name == "a.npz" else {}
    refused(["`gascl convert --drop "], lambda: full.write(tmp_path / name, **options))


def put_gml(folder):
    path = folder / "x.gml"
    path.write_text(GML)
    return path
