"""Integers of more than 53 bits beside fractions: rounded with a warning, or held exactly."""

import warnings

import networkx as nx
import numpy as np
import pytest

from gascl import Graph
from gascl.io.outofcore.convert import LEAST, Conversion
from gascl.io.outofcore.file_source import FileSource

#: 2^53 + 1, the first integer that float64 lacks, and what it becomes.
ODD, EVEN = 9007199254740993, 9007199254740992
ROUNDED = f"{ODD}, an integer of more than 53 bits, is rounded to {EVEN}.*give {EVEN}.0"
FILES = {
    "a.csv": (f"source,target,w\n1,2,0.5\n2,3,{ODD}\n", r"a\.csv, line 3: weight="),
    "b.csv": (f"source,target,w\nx,y,0.5\n# -\ny,z,{ODD}\n", r"b\.csv, line 4: weight="),
    "a.txt": (f"1 2 {ODD}\n2 3 1.5\n", r"a\.txt, line 1: weight="),
    "a.gml": (
        "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 w 0.5 ] "
        f"edge [ source 2 target 1 w {ODD} ] ]",
        "edge 1: w=",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_in_a_file(write, name):
    text, where = FILES[name]
    with pytest.warns(UserWarning, match=where + ROUNDED):
        graph = Graph.read(write(name, text), directed=True)
    (field,) = graph.edge_fields.values()
    assert field.dtype == np.float64 and EVEN in field.tolist()
    for exact in (f"{EVEN}.0", f"{EVEN}", "1e30"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Graph.read(write(name, text.replace(str(ODD), exact)), directed=True)
    with warnings.catch_warnings():  # integers alone are exact
        warnings.simplefilter("error")
        whole = text.replace("0.5", "5").replace("1.5", "5")
        graph = Graph.read(write(name, whole), directed=True)
    assert {*next(iter(graph.edge_fields.values())).tolist()} == {5, ODD}


def test_in_a_file_that_is_converted(write, tmp_path):
    source = FileSource(write("a.csv", FILES["a.csv"][0]))
    conversion = Conversion(source, tmp_path / "out.npz", LEAST)
    with pytest.warns(UserWarning, match=FILES["a.csv"][1] + ROUNDED):
        conversion.run()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("edge", {"w": [0.5, ODD]}), ("vertex", {"vertex_fields": {"w": [0.5, ODD]}})],
)
def test_in_a_list(kind, fields):
    with pytest.warns(UserWarning, match=f"{kind} 1: w=" + ROUNDED):
        Graph.from_edges([0, 1], [1, 0], **fields)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Graph.from_edges([0, 1], [1, 0], w=[0.5, float(EVEN)], x=[1, ODD])


def test_in_a_graph_of_networkx():
    G = nx.DiGraph([("a", "b", {"w": 0.5}), ("b", "a", {"w": ODD})])
    with pytest.warns(UserWarning, match="edge 1: w=" + ROUNDED):
        Graph.from_networkx(G)
    with pytest.warns(UserWarning, match=r"edge \('b', 'a'\): w=" + ROUNDED):
        Graph.from_networkx(G, fields=["w"])
    nx.set_node_attributes(G, {"a": [1, ODD], "b": [0.5, 1]}, "at")
    with pytest.warns(UserWarning, match="node 0: at=" + ROUNDED):
        Graph.from_networkx(G, fields=[])
