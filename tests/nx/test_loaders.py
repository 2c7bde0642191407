"""Functions that make graphs: what is stored as arrays is what NetworkX makes of the same input."""

import io
import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from gascl.nx import loader, metadata
from gascl.nx.backend import backend
from gascl.nx.edge_list import _repeated, stored_edges
from gascl.nx.loader import LOADERS

KINDS = [nx.Graph, nx.DiGraph]
NODES, EDGES = 40, 150


@pytest.fixture(autouse=True)
def stored_from_the_first_edge(monkeypatch):
    monkeypatch.setattr(loader, "LEAST", 2)


def ends(seed=0):
    return np.random.default_rng(seed).integers(0, NODES, (EDGES, 2))


def table():
    rng = np.random.default_rng(1)
    pairs = ends()
    columns = {"source": pairs[:, 0], "target": pairs[:, 1], "weight": rng.random(EDGES)}
    columns["count"] = rng.integers(0, 9, EDGES, np.int8)
    columns["color"] = rng.choice(["a", "b", "c", "d"], EDGES)
    columns["real"] = pairs[:, 1] * 0.5
    columns["day"] = pd.Timestamp("2026-11-27") + pd.to_timedelta(columns["count"], "D")
    return pd.DataFrame(columns)


def matrix(dtype=float):
    values = np.random.default_rng(2).integers(0, 4, (NODES, NODES))
    return (values * (values < 3)).astype(dtype)


def text(*columns):
    rows = zip(*columns, strict=True)
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


U, V = ends().T.tolist()
W = np.random.default_rng(3).random(EDGES).tolist()
SPARSE = scipy.sparse.csr_array(matrix())
CASES = {
    "pandas": ("from_pandas_edgelist", lambda: (table(),), {}),
    "pandas weight": ("from_pandas_edgelist", lambda: (table(),), {"edge_attr": "weight"}),
    "pandas list": ("from_pandas_edgelist", lambda: (table(),), {"edge_attr": ["day", "count"]}),
    "pandas all": ("from_pandas_edgelist", lambda: (table(),), {"edge_attr": True}),
    "pandas text": ("from_pandas_edgelist", lambda: (table(), "color", "target"), {}),
    "pandas reals": ("from_pandas_edgelist", lambda: (table(), "real", "real"), {}),
    "pandas small": ("from_pandas_edgelist", lambda: (table(), "count", "count"), {}),
    "list": ("from_edgelist", lambda: (list(zip(U, V, strict=True)),), {}),
    "tuple of lists": ("from_edgelist", lambda: (tuple(map(list, zip(U, V, strict=True))),), {}),
    "iterator": ("from_edgelist", lambda: (zip(map(str, U), V, strict=True),), {}),
    "large numbers": (
        "from_edgelist",
        lambda: ([(u * 10**9, v - 10**18) for u, v in zip(U, V, strict=True)],),
        {},
    ),
    "larger numbers": (
        "from_edgelist",
        lambda: ([(u * 10**20, v) for u, v in zip(U, V, strict=True)],),
        {},
    ),
    "tuples": (
        "from_edgelist",
        lambda: ([((u, "x"), (v, v)) for u, v in zip(U, V, strict=True)],),
        {},
    ),
    "missing": ("from_edgelist", lambda: ([("a", float("nan")), ("b", "a"), (math.nan, 2.0)],), {}),
    "array": ("from_edgelist", lambda: (ends(),), {}),
    "array of int8": ("from_edgelist", lambda: (ends().astype(np.int8),), {}),
    "csr": ("from_scipy_sparse_array", lambda: (SPARSE,), {}),
    "csr symmetric": ("from_scipy_sparse_array", lambda: (SPARSE + SPARSE.T,), {}),
    "csr unequal values": (
        "from_scipy_sparse_array",
        lambda: (scipy.sparse.csr_array(np.arange(1.0, 26).reshape(5, 5)),),
        {"edge_attribute": "cost"},
    ),
    "csc": ("from_scipy_sparse_array", lambda: (scipy.sparse.csc_array(matrix(int)),), {}),
    "coo": (
        "from_scipy_sparse_array",
        lambda: (scipy.sparse.coo_array((U, (V, U)), shape=(NODES, NODES)),),
        {},
    ),
    "numpy": ("from_numpy_array", lambda: (matrix(),), {}),
    "numpy bool": ("from_numpy_array", lambda: (matrix(bool),), {"edge_attr": None}),
    "numpy float32": ("from_numpy_array", lambda: (matrix(np.float32),), {"edge_attr": "x"}),
    "numpy nodes": (
        "from_numpy_array",
        lambda: (matrix(),),
        {"nodelist": [*map(str, range(NODES))]},
    ),
    "file": ("read_edgelist", lambda: (io.BytesIO(b"# a\n#b\n" + text(U, V)),), {}),
    "file of ints": ("read_edgelist", lambda: (io.BytesIO(text(U, V)),), {"nodetype": int}),
    "file of text": ("read_edgelist", lambda: (io.BytesIO(text(map("n{}".format, U), V)),), {}),
    "file of zeros": ("read_edgelist", lambda: (io.BytesIO(b"1 2\n01 2\n+1 3\n\n-4 -0"),), {}),
    "file, data": (
        "read_edgelist",
        lambda: (io.BytesIO(text(U, V, W)),),
        {"data": [("x", float)], "nodetype": int},
    ),
    "weights": ("read_weighted_edgelist", lambda: (io.BytesIO(text(U, V, W)),), {}),
    "weights, ints": (
        "read_weighted_edgelist",
        lambda: (io.BytesIO(text(U, V, W)),),
        {"nodetype": int},
    ),
}


def everything(G):
    rows = [G._adj, G._pred] if G.is_directed() else [G._adj]
    return repr([type(G), G.graph, G._node, *rows])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_stored_graphs_are_those_of_networkx(case, kind):
    name, make, options = CASES[case]
    G = getattr(nx, name)(*make(), **options, create_using=kind, backend="gascl")
    H = getattr(nx, name)(*make(), **options, create_using=kind)
    assert stored_edges(G) is not None
    assert (len(G), G.number_of_edges()) == (len(H), H.number_of_edges())
    assert everything(G) == everything(H)


#: What is left to NetworkX, with or without an error.
LEFT = {
    "a multigraph": lambda: nx.from_edgelist(zip(U, V, strict=True), create_using=nx.MultiGraph),
    "a graph to fill": lambda: nx.from_edgelist(
        zip(U, V, strict=True), create_using=nx.Graph([(3, "x")])
    ),
    "few edges": lambda: nx.from_edgelist([(0, 1)]),
    "data of edges": lambda: nx.from_edgelist([(1, 2, {"w": 3})] * 5),
    "equal nodes": lambda: nx.from_edgelist([(0, 1.0), (1, True), (2.0, 2), (math.nan, 1)]),
    "equal tuples": lambda: nx.from_edgelist([((0, 1.0), 2), ((0, 1), 2), (3, 4)]),
    "equal columns": lambda: nx.from_pandas_edgelist(table(), "real", "source"),
    "no pairs": lambda: nx.from_edgelist([(1,), (2,), (3,)]),
    "None": lambda: nx.from_edgelist([(1, None), (2, 3), (3, 4)]),
    "lists as nodes": lambda: nx.from_edgelist([([1], 2)] * 5),
    "no column": lambda: nx.from_pandas_edgelist(table(), "source", "nobody"),
    "no attribute": lambda: nx.from_pandas_edgelist(table(), edge_attr=["nobody"]),
    "no attributes": lambda: nx.from_pandas_edgelist(table(), edge_attr=[]),
    "a dictionary": lambda: nx.from_pandas_edgelist({"source": [1, 2, 3], "target": [4, 5, 6]}),
    "no square": lambda: nx.from_numpy_array(np.ones((3, 4))),
    "complex": lambda: nx.from_numpy_array(np.ones((3, 3)) * 1j),
    "no square, sparse": lambda: nx.from_scipy_sparse_array(scipy.sparse.eye_array(3, 4)),
    "dok": lambda: nx.from_scipy_sparse_array(scipy.sparse.dok_array(matrix())),
    "twice the same node": lambda: nx.from_numpy_array(np.ones((3, 3)), nodelist=[1, 2, 1]),
    "no number": lambda: nx.read_weighted_edgelist(io.BytesIO(b"1 2 x\n" * 9)),
    "a row of one": lambda: nx.read_edgelist(io.BytesIO(b"1 2\n3\n4 5\n6 7\n"), nodetype=int),
    "a comment behind": lambda: nx.read_edgelist(io.BytesIO(b"1 2 # a\n3 4\n5 6\n" * 3)),
    "only comments": lambda: nx.read_edgelist(io.BytesIO(b"1 2\n" * 9), comments=""),
    "another separator": lambda: nx.read_edgelist(io.BytesIO(b"1,2\n" * 9), delimiter=","),
    "text with other ends of lines": lambda: nx.read_edgelist(
        io.StringIO("a\x0cb\nc\u2028d\ne\x85 f\ng h\n")
    ),
    "lines": lambda: nx.read_edgelist([b"1 2\n", b"2 3\n", b"3 4\n"]),
}


@pytest.mark.parametrize("call", LEFT.values(), ids=LEFT)
def test_what_is_left_to_networkx(call):
    def outcome():
        try:
            return everything(call())
        except Exception as error:
            return type(error), str(error)

    expected = outcome()
    with nx.config(backend_priority={"algos": [], "generators": ["gascl"], "classes": []}):
        assert outcome() == expected


def test_the_table_may_change_afterwards():
    frame = table()
    G = nx.from_pandas_edgelist(frame, edge_attr="weight", backend="gascl")
    expected = everything(nx.from_pandas_edgelist(frame, edge_attr="weight"))
    frame.loc[:, "weight"] = 0.0
    frame.loc[:, "source"] = 0
    assert everything(G) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_graphs_by_their_class(kind):
    pairs = list(zip(U, V, strict=True))
    for data in (pairs, matrix(), SPARSE):
        G = kind(data, backend="gascl", name="some")
        assert stored_edges(G) is not None and G.graph == {"name": "some"}
        assert everything(G) == everything(kind(data, name="some"))
    for data in (None, {1: [2]}, iter(pairs), nx.path_graph(4)):
        G = kind(data, backend="gascl", year=1990)
        assert type(G) is kind and G.graph == {"year": 1990}
    with pytest.raises(nx.NetworkXError, match="Failed to interpret array"):
        kind(np.ones((3, 4)), backend="gascl")

    class Own(kind):
        pass

    with nx.config(backend_priority={"algos": [], "generators": [], "classes": ["gascl"]}):
        assert type(Own(pairs)) is Own and type(kind()) is kind
        assert stored_edges(kind(pairs)) is not None


def test_small_graphs_are_made_by_networkx(monkeypatch):
    monkeypatch.undo()
    path = [(node, node + 1) for node in range(loader.LEAST)]
    assert type(nx.from_edgelist(path[1:], backend="gascl")) is nx.Graph
    assert stored_edges(nx.from_edgelist(path, backend="gascl")) is not None


def test_the_metadata_name_every_function():
    assert sorted(metadata.LOADERS.split()) == sorted(LOADERS)
    assert set(LOADERS) <= set(dir(backend))
    functions = nx.utils.backends.backend_info["gascl"]["functions"]
    assert set(LOADERS) <= set(functions)


@pytest.mark.parametrize("limit", [100, 2**50, 2**62])
def test_repeated_edges_are_found_whatever_the_number_of_nodes(limit):
    keys = np.random.default_rng(5).integers(0, 100, 400) * (limit // 100)
    order, again = _repeated(keys.copy(), limit)
    assert order.tolist() == sorted(range(400), key=lambda place: (keys[place], place))
    assert again.tolist() == [False, *(np.diff(np.sort(keys)) == 0)]
