"""Graph.with_edges against NetworkX and plain lists; what it says of a change, and refuses."""

import pickle
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from gascl import Graph, GraphError

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
#: Labels of 12 vertices, as a reader or a user gives them.
LABELS = {
    "none": None,
    "integers": [7 * i - 20 for i in range(12)],
    "narrow": np.arange(12, dtype=np.uint8) * 3,
    "wide": np.arange(12, dtype=np.uint64) + 2**63,
    "text": [f"v{i * i}" for i in range(12)],
    "tuples": [(i // 4, i % 4) for i in range(12)],
    "mixed": [0, "0", (0,), -7, 5, "b", "c", 2.5, "d", "e", 10**30, -1],
}
V = 12


def keyed(a, b, directed):
    return (a, b) if directed else (min(a, b), max(a, b))


def random_edges(rng, kind, count, taken=()):
    """Ends by vertex; where `kind` has no parallel edges, none are, nor any in `taken`."""
    made = kind()
    seen, edges = set(taken), []
    while len(edges) < count:
        a, b = (int(x) for x in rng.integers(0, V, 2))
        if made.is_multigraph() or keyed(a, b, made.is_directed()) not in seen:
            seen.add(keyed(a, b, made.is_directed()))
            edges.append((a, b))
    return edges


def names_of(labels):
    return list(range(V)) if labels is None else getattr(labels, "tolist", lambda: labels)()


def as_pairs(edges, form, names):
    named = [(names[a], names[b]) for a, b in edges]
    if form == "pairs":
        return named
    if form == "zip":
        return zip((a for a, _ in named), (b for _, b in named), strict=True)
    if form == "lists":
        return [a for a, _ in named], [b for _, b in named]
    ends = [np.empty(len(named), object) for _ in "ab"]
    for i, pair in enumerate(named):
        ends[0][i], ends[1][i] = pair
    return tuple(ends)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("form", ["pairs", "zip", "lists", "arrays"])
def test_as_networkx(kind, labels, form):
    rng = np.random.default_rng([KINDS.index(kind), sorted(LABELS).index(labels), len(form)])
    names, directed = names_of(LABELS[labels]), kind().is_directed()
    for _ in range(4):
        edges = random_edges(rng, kind, 30)
        weight = rng.integers(1, 100, 30)
        src, dst = np.array(edges).T
        graph = Graph.from_edges(
            src, dst, num_vertices=V, directed=directed, labels=LABELS[labels], weight=weight
        )
        G = kind()
        G.add_nodes_from(names)
        G.add_weighted_edges_from(
            (names[a], names[b], int(w)) for (a, b), w in zip(edges, weight, strict=True)
        )

        doomed = [edges[i] for i in rng.choice(30, 6, replace=False)]
        turned = [p if directed or rng.random() < 0.5 else p[::-1] for p in doomed]
        gone = {keyed(*p, directed) for p in doomed}
        rest = [
            (p, w) for p, w in zip(edges, weight, strict=True) if keyed(*p, directed) not in gone
        ]
        added = random_edges(rng, kind, 8, {keyed(*p, directed) for p, _ in rest})
        more = rng.integers(1, 100, 8)
        new = graph.with_edges(
            add=as_pairs(added, form, names), remove=as_pairs(turned, form, names), weight=more
        )
        for pair in gone:
            a, b = (names[x] for x in pair)
            while G.has_edge(a, b):
                G.remove_edge(a, b)
        G.add_weighted_edges_from(
            (names[a], names[b], int(w)) for (a, b), w in zip(added, more, strict=True)
        )

        # In order: what stays, then what is added.
        want = [*((a, b, w) for (a, b), w in rest)]
        want += [(a, b, w) for (a, b), w in zip(added, more, strict=True)]
        got = zip(
            new.edge_src.tolist(), new.edge_dst.tolist(), new.edge_fields["weight"], strict=True
        )
        assert list(got) == want
        # As NetworkX has it, whichever way round an undirected edge is.
        theirs = Counter(
            (*keyed(names.index(a), names.index(b), directed), w)
            for a, b, w in G.edges(data="weight")
        )
        assert Counter((*keyed(a, b, directed), w) for a, b, w in want) == theirs
        if directed:
            assert new.in_degree.tolist() == [d for _, d in G.in_degree(names)]
            assert new.out_degree.tolist() == [d for _, d in G.out_degree(names)]
        else:
            loops = Counter(a for a, b, _ in want if a == b)
            assert new.out_degree.tolist() == [G.degree(n) - loops[i] for i, n in enumerate(names)]
        touched = sorted({v for p in (*gone, *added) for v in p})
        assert new.change.vertices.tolist() == touched
        assert new.change.vertices.dtype == np.int32
        assert (new.change.added, new.change.removed) == (8, 30 - len(rest))
        assert new.change.before == graph.fingerprint
        assert (new.num_vertices, new.directed) == (graph.num_vertices, graph.directed)
        assert new.edge_fields["weight"].dtype == weight.dtype


@pytest.fixture
def roads():
    """Parallel edges, a self-loop, two fields; undirected."""
    return Graph.from_edges(
        [0, 1, 1, 2, 2],
        [1, 0, 2, 2, 3],
        directed=False,
        labels=["ann", "bob", "cid", "dot"],
        length=np.array([1, 2, 3, 4, 5], np.float32),
        lanes=np.array([1, 1, 2, 2, 3], np.int8),
    )


def test_parallel_edges_and_loops(roads):
    new = roads.with_edges(remove=[("bob", "ann"), ("cid", "cid"), ("ann", "bob")])
    assert new.edge_src.tolist() == [1, 2]
    assert new.edge_dst.tolist() == [2, 3]
    assert new.edge_fields["length"].tolist() == [3, 5]
    assert (new.change.added, new.change.removed) == (0, 3)
    assert new.change.vertices.tolist() == [0, 1, 2]
    new = new.with_edges(add=[("dot", "dot"), ("dot", "dot")], length=[0.1, 2], lanes=[1, 2])
    assert new.change.vertices.tolist() == [3]
    assert new.edge_fields["length"].tolist() == [3, 5, np.float32(0.1), 2]
    assert new.edge_fields["lanes"].dtype == np.int8
    assert new.num_arcs == 2 + 2 + 1 + 1
    assert new.index_of("cid") == 2


def test_directed_edges_go_one_way():
    graph = Graph.from_edges([0, 1, 1], [1, 0, 1])
    new = graph.with_edges(remove=[(0, 1)])
    assert list(zip(*new.coo(), strict=True)) == [(1, 0), (1, 1)]
    assert graph.num_edges == 3, "the graph itself stays"
    with pytest.raises(GraphError, match="remove: there is no edge from 0 to 1"):
        new.with_edges(remove=[(1, 1), (0, 1)])


def test_an_edge_may_be_replaced(roads):
    """What is removed was there before; what is added comes after."""
    new = roads.with_edges(remove=[("cid", "dot")], add=[("cid", "dot")], length=[50], lanes=[1])
    assert new.edge_fields["length"].tolist() == [1, 2, 3, 4, 50]
    assert new.fingerprint == roads.fingerprint
    assert new.change.vertices.tolist() == [2, 3]


@pytest.mark.parametrize(
    "nothing", [None, [], ((), ()), ([], []), (np.array([]), np.array([])), np.empty((0, 2)), ()]
)
def test_nothing_to_change(roads, nothing):
    if isinstance(nothing, tuple) and not nothing:
        with pytest.raises(GraphError, match="not a tuple of 0"):
            roads.with_edges(add=nothing)
        return
    for fields in ({}, {"length": [], "lanes": np.empty(0, np.int64)}):
        if fields.get("length") == []:
            fields["length"] = np.empty(0)
        new = roads.with_edges(add=nothing, remove=nothing, **fields)
        assert new is not roads
        assert new.edge_src.tolist() == roads.edge_src.tolist()
        assert {n: v.dtype for n, v in new.edge_fields.items()} == {
            n: v.dtype for n, v in roads.edge_fields.items()
        }
        assert new.fingerprint == roads.fingerprint == new.change.before
        assert (new.change.added, new.change.removed, len(new.change.vertices)) == (0, 0, 0)
        assert new.change.vertices.dtype == np.int32


def test_graphs_of_nothing():
    empty = Graph.from_edges([], [])
    assert empty.with_edges().num_vertices == 0
    with pytest.raises(GraphError, match="add: there is no vertex 0"):
        empty.with_edges(add=[(0, 0)])
    bare = Graph.from_edges([], [], num_vertices=3)
    assert bare.with_edges(add=[(0, 2)]).out_degree.tolist() == [1, 0, 0]
    with pytest.raises(GraphError, match="remove: there is no edge from 1 to 2"):
        bare.with_edges(remove=[(1, 2)])
    named = Graph.from_edges([], [], labels=[])
    with pytest.raises(GraphError, match="no vertex has the label 'a'"):
        named.with_edges(add=[("a", "a")])


def test_labels_are_found_as_index_of_finds_them():
    graph = Graph.from_edges([0], [1], labels=[4037, -5])
    assert graph.with_edges(add=[("4037", -5), (4037, "-5")]).edge_src.tolist() == [0, 0, 0]
    plain = Graph.from_edges([0], [1])
    assert plain.with_edges(add=(["1"], [0])).edge_src.tolist() == [0, 1]
    assert plain.with_edges(add=np.array([[1, 0], [1, 1]])).edge_dst.tolist() == [1, 0, 1]
    text = Graph.from_edges([0], [1], labels=["1", "2"])
    with pytest.raises(GraphError, match="add: no vertex has the label 2;"):
        text.with_edges(add=[("1", 2)])  # a number is no text, beside text or alone
    assert text.with_edges(add=[["1", "2"], ["2", "2"]]).edge_src.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (dict(add=[("ann", "bbo")]), "add: no vertex has the label 'bbo'; the graph has 4 labels;"),
        (dict(add=[("ann", "bbo")]), "did you mean 'bob'?; with_edges does not add vertices"),
        (dict(remove=[("ann", "eve")]), "remove: no vertex has the label 'eve'"),
        (dict(remove=[("ann", "bob"), ("dot", "ann")]), "no edge between 'dot' and 'ann'"),
        (dict(remove=[("ann", "ann")]), "no edge between 'ann' and 'ann'"),
        (
            dict(add=(["ann"], ["bob", "cid"])),
            "add has 1 sources and 2 destinations; give the same number",
        ),
        (dict(add=("ann", "bob")), "a single edge is [('ann', 'bob')]"),
        (dict(add=(1, 2)), "a single edge is [(1, 2)]"),
        (dict(add=["ab"]), "item 0 is 'ab', which is not a pair"),
        (
            dict(add=[("ann", "bob"), ("ann", "bob", 3)]),
            "item 1 is ('ann', 'bob', 3), which is not a pair",
        ),
        (dict(add=[("ann", "bob"), 3]), "item 1 is 3, which is not a pair"),
        (dict(add="ann"), "must be a list of pairs, as [(1, 2), (1, 3)], or a tuple (src, dst)"),
        (dict(remove=5), "remove must be a list of pairs"),
        (dict(add=([1], [2], [3])), "not a tuple of 3"),
        (dict(add=np.zeros((2, 3), int)), "an array of pairs has shape (n, 2), not (2, 3)"),
        (dict(add=(np.zeros((1, 1), int), [1])), "of one dimension, not of shape (1, 1)"),
        (dict(add=[("ann", "bob")]), "values of the edge field 'length' are missing; give length="),
        (dict(add=[("ann", "bob")], length=[1]), "values of the edge field 'lanes' are missing"),
        (dict(length=[1.0]), "has shape (1,), and there are 0 added edges"),
        (dict(add=[("ann", "bob")], length=[1, 2], lanes=[1]), "has shape (2,), and there are 1 a"),
        (dict(add=[("ann", "bob")], length=1, lanes=[1]), "has shape (), and"),
        (dict(add=[("ann", "bob")], width=[1]), "no edge field 'width'; it has: length, lanes"),
        (dict(width=[]), "no edge field 'width'"),
        (dict(add=[("ann", "bob")], length=["x"], lanes=[1]), "has numbers, and texts are added"),
        (
            dict(add=[("ann", "bob")], length=[1], lanes=[128]),
            "128 does not fit the edge field '",
        ),
        (dict(add=[("ann", "bob")], length=[1], lanes=[1.5]), "1.5 does not fit the edge field"),
        (dict(add=[("ann", "bob")], length=[1], lanes=[np.nan]), "'lanes', which is int8"),
    ],
)
def test_refuses(roads, change, said):
    known = {"length": [1], "lanes": [1]}
    if said.startswith(("add: no vertex", "did", "no edge", "a single")):
        change = {**known, **change} if "add" in change else change
    with pytest.raises(GraphError) as caught:
        roads.with_edges(**change)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "values", "fits"),
    [
        ("int64", [2.0, -3.0], True),
        ("int64", [2.0**63], False),
        ("int64", np.array([2**63], np.uint64), False),
        ("uint64", [-1], False),
        ("uint64", np.array([2**64 - 1], np.uint64), True),
        ("uint8", [256], False),
        ("uint8", np.array([-1], np.int8), False),
        ("int32", [2**31], False),
        ("int32", [np.inf], False),
        ("float32", [0.1, 2**40 + 1], True),
        ("float64", [np.nan], True),
    ],
)
def test_field_values_fit_or_are_refused(dtype, values, fits):
    graph = Graph.from_edges([0], [1], w=np.zeros(1, dtype))
    pairs = [(0, 1)] * len(values)
    if fits:
        new = graph.with_edges(pairs, w=values)
        assert new.edge_fields["w"].dtype == dtype
        np.testing.assert_array_equal(new.edge_fields["w"][1:], np.asarray(values).astype(dtype))
    else:
        with pytest.raises(GraphError, match="does not fit the edge field 'w'"):
            graph.with_edges(pairs, w=values)


# Change and fingerprint -------------------------------------------------------------------------


def test_change_is_read_only_and_is_kept(roads):
    assert roads.change is None
    new = roads.with_edges(remove=[("ann", "bob")])
    for change in (new.change, pickle.loads(pickle.dumps(new)).change):
        assert change.vertices.tolist() == [0, 1]
        assert (change.added, change.removed) == (0, 2)
        assert change.gone.tolist() == [0, 1]
        assert change.before == roads.fingerprint
        with pytest.raises(ValueError, match="read-only"):
            change.vertices[0] = 3
        with pytest.raises(AttributeError):
            change.added = 3
    again = new.with_edges(add=[("ann", "bob")], length=[1], lanes=[1])
    assert again.change.before == new.fingerprint
    assert again.change.vertices.tolist() == [0, 1]
    assert not any(a.flags.writeable for a in (again.edge_src, *again.edge_fields.values()))
    assert again.report == roads.report
    assert again.report is not roads.report


def test_fingerprint_tells_graphs_apart():
    def make(src=(0, 1), dst=(1, 2), **more):
        return Graph.from_edges(np.array(src), np.array(dst), **more).fingerprint

    different = [
        make(),
        make(num_vertices=4),
        make(directed=False),
        make((1, 0), (2, 1)),  # the order of edges is their ids
        make((0, 1, 0), (1, 2, 0)),
        make((1, 2), (0, 1)),
        make(labels=[0, 1, 2]),
        make(labels=[0, 1, 3]),
        make(labels=["0", "1", "2"]),
        make(labels=["0", "12", ""]),
        make(labels=["01", "2", ""]),
        make(labels=[0, 1, "2"]),
        make(labels=[0, "1", 2]),
        make(labels=[0, 1, (2,)]),
        make(labels=[0, 1, 2**63]),
        make(labels=[0, 1, -(2**63)]),
    ]
    assert len(set(different)) == len(different)
    assert all(isinstance(f, str) for f in different)


def test_fingerprint_is_of_the_graph_not_of_how_it_is_stored(roads):
    def labeled(labels):
        return Graph.from_edges([0], [1], labels=labels).fingerprint

    assert labeled([3, 4]) == labeled(np.array([3, 4], np.uint8))
    assert labeled(np.array([3, 4], ">i4")) == labeled(np.array([3, 4], np.uint64))
    assert labeled(["a", "b"]) == labeled(np.array(["a", "b"], "U20"))
    assert labeled(["a", (1,)]) == labeled(["a", (1,)])
    assert labeled(["a", 7]) == labeled(["a", np.int64(7)])
    same = roads.with_edges()
    assert same.fingerprint == roads.fingerprint
    fewer = Graph.from_edges(
        roads.edge_src, roads.edge_dst, directed=False, labels=roads.labels, other=range(5)
    )
    assert fewer.fingerprint == roads.fingerprint, "edge fields do not count"
    assert pickle.loads(pickle.dumps(roads)).fingerprint == roads.fingerprint
    assert roads.fingerprint is roads.fingerprint
    # The same on every machine, and in later versions: states are kept under it.
    assert Graph.from_edges([0, 1], [1, 2]).fingerprint == FINGERPRINT


FINGERPRINT = "1b90ace4b42b9f27036ae39b7faad8d2"


def test_indices_of(roads):
    found = roads.indices_of(["dot", "ann"])
    assert found.tolist() == [3, 0]
    assert found.dtype == np.int32
    assert roads.indices_of([]).tolist() == []
    assert roads.indices_of(np.array(["bob"])).tolist() == [1]
    with pytest.raises(GraphError, match="no vertex has the label 'z'"):
        roads.indices_of(["ann", "z", "y"])
    for labels in LABELS.values():
        graph = Graph.from_edges([], [], num_vertices=V, labels=labels)
        assert graph.indices_of(names_of(labels)).tolist() == list(range(V))
        assert graph.indices_of(names_of(labels)[::-1]).tolist() == list(range(V))[::-1]
    wide = Graph.from_edges([], [], labels=LABELS["wide"])
    for wrong in (2**63 - 1, -1, 2**64):
        with pytest.raises(GraphError, match=f"no vertex has the label {wrong};"):
            wide.indices_of([wrong])
    plain = Graph.from_edges([], [], num_vertices=3)
    for wrong in (3, -1, 2**70, "a"):
        with pytest.raises(GraphError, match="there is no vertex"):
            plain.indices_of([0, wrong])
