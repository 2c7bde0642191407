"""Every recipe of the cookbook, compared with another library or an independent computation."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from blocks import TOP, run_page
from scipy.ndimage import convolve
from scipy.sparse.csgraph import laplacian
from scipy.stats import mannwhitneyu

from gascl import Engine, Graph, uniform

COOKBOOK = TOP / "docs" / "cookbook"
KARATE = nx.karate_club_graph()


@pytest.fixture
def recipe(tmp_path_factory, monkeypatch):
    """The names that a page defines, by the page's name."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return cache(lambda name: run_page(COOKBOOK / f"{name}.md", tmp_path_factory.mktemp(name)))


def test_every_recipe_is_tested():
    text = Path(__file__).read_text("utf-8")
    pages = {path.stem for path in COOKBOOK.glob("*.md")} - {"index"}
    assert {page for page in pages if f'recipe("{page}")' not in text} == set()
    listed = (COOKBOOK / "index.md").read_text("utf-8")
    assert {page for page in pages if f"({page}.md)" not in listed} == set()


def neighbors_of(graph: Graph) -> list[list[int]]:
    """The vertices at the other ends of each vertex's edges."""
    near: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        near[u].append(v)
        near[v].append(u)
    return near


def test_epidemic(recipe):
    """Against a simulation of each person by itself, with the same draws."""
    page = recipe("epidemic")
    near = neighbors_of(page["town"])
    status, day, curve = {0: 1}, {0: 0}, []
    superstep = 0
    while any(state == 1 for state in status.values()):
        ill = [v for v, state in status.items() if state == 1]
        caught = {
            w
            for v in ill
            for w in near[v]
            if w not in status and uniform(3, v, w, superstep) < np.float32(0.2)
        }
        for v in ill:
            if uniform(3, v, superstep) < np.float32(0.1):
                status[v] = 2
        status |= dict.fromkeys(caught, 1)
        day |= dict.fromkeys(caught, superstep + 1)
        curve.append(sum(state == 1 for state in status.values()))
        superstep += 1
    n = page["town"].num_vertices
    assert page["curve"] == curve and max(curve) > 100
    assert page["result"].day.tolist() == [day.get(v, -1) for v in range(n)]
    assert page["result"].status.tolist() == [status.get(v, 0) for v in range(n)]


def test_label_spreading(recipe):
    """Against the solution of the equations F = a S F + (1 - a) Y."""
    page = recipe("label-spreading")
    adjacency = page["graph"].to_scipy().toarray()
    root = 1 / np.sqrt(adjacency.sum(0))
    similar = root[:, None] * adjacency * root
    expected = np.linalg.solve(np.eye(120) - 0.8 * similar, 0.2 * page["known"])
    np.testing.assert_allclose(page["result"].score, expected, atol=1e-5)
    assert (page["label"] == page["group"]).mean() > 0.9


def test_label_spreading_with_weights(recipe):
    """The same equations, with SciPy's normalized Laplacian I - S of the weights."""
    page = recipe("label-spreading")
    weights = page["meetings"].to_scipy("weight").toarray()
    assert set(np.unique(weights)) == {0, 1, 3}
    similar = np.eye(120) - laplacian(weights, normed=True)
    expected = np.linalg.solve(np.eye(120) - 0.8 * similar, 0.2 * page["known"])
    assert np.allclose(page["weighted"].score, expected, atol=1e-5)
    unweighted = page["result"].score
    assert not np.allclose(expected, unweighted, atol=1e-3)


def test_two_hops(recipe):
    page = recipe("two-hops")
    G = nx.Graph(page["karate"].to_networkx().edges())  # without weights
    for v, shared in enumerate(page["friends"].shared.tolist()):
        near = v == 16 or G.has_edge(16, v)
        assert shared == (0 if near else len(list(nx.common_neighbors(G, 16, v))))
    matrix = nx.to_scipy_sparse_array(G, nodelist=range(34))
    assert page["walks"].total.tolist() == (matrix @ matrix @ np.ones(34)).tolist()


def test_features(recipe):
    page = recipe("features")
    adjacency = nx.to_numpy_array(KARATE, weight=None)
    closed = adjacency + np.eye(34)
    root = 1 / np.sqrt(closed.sum(0))
    draw = np.random.default_rng(0)
    x = draw.standard_normal((34, 8)).astype(np.float32)
    for weights in draw.standard_normal((2, 8, 8)).astype(np.float32):
        x = np.maximum((root[:, None] * closed * root) @ x @ weights, 0)
    np.testing.assert_allclose(page["x"], x, rtol=1e-4, atol=1e-5)

    mean = adjacency / adjacency.sum(1, keepdims=True)
    np.testing.assert_allclose(page["smooth"], mean @ mean @ np.eye(34, 4), rtol=1e-5, atol=1e-7)
    wide = type("Wide", (page["Smoothed"],), {"lanes": 3})
    features = np.random.default_rng(0).random((34, 3, 4))
    result = Engine(page["graph"]).run(wide(features=features))
    expected = np.einsum("uv,vkn->ukn", mean @ mean, features)
    np.testing.assert_allclose(result.features, expected, rtol=1e-5)


def sage_by_numpy(x, neighbors, own, bias):
    """A layer of GraphSAGE before the ReLU, with matrices."""
    adjacency = nx.to_numpy_array(KARATE, weight=None)
    mean = adjacency / adjacency.sum(1, keepdims=True)
    return mean @ x @ neighbors + x @ own + bias


def test_graphsage(recipe):
    page = recipe("graphsage")
    hidden = np.maximum(sage_by_numpy(page["features"], **page["first"]), 0)
    np.testing.assert_allclose(page["hidden"], hidden, rtol=1e-4, atol=1e-5)
    scores = sage_by_numpy(hidden, **page["second"])
    np.testing.assert_allclose(page["scores"], scores, rtol=1e-4, atol=1e-5)
    assert page["classes"].tolist() == scores.argmax(1).tolist()


def test_graphsage_by_pytorch_geometric(recipe):
    torch = pytest.importorskip("torch")
    nn = pytest.importorskip("torch_geometric.nn")
    page = recipe("graphsage")
    arcs = torch.tensor([*KARATE.edges, *((v, u) for u, v in KARATE.edges)]).T
    x = torch.tensor(page["features"])
    with torch.no_grad():
        for weights, last in ((page["first"], False), (page["second"], True)):
            conv = nn.SAGEConv(*weights["own"].shape)
            conv.lin_l.weight.copy_(torch.tensor(weights["neighbors"].T))
            conv.lin_l.bias.copy_(torch.tensor(weights["bias"]))
            conv.lin_r.weight.copy_(torch.tensor(weights["own"].T))
            x = conv(x, arcs) if last else conv(x, arcs).relu()
    np.testing.assert_allclose(page["scores"], x.numpy(), rtol=1e-4, atol=1e-5)


def test_influence(recipe):
    """Against NetworkX's reachability in each of the 64 drawn graphs."""
    page = recipe("influence")
    chance = np.float32(0.1)
    draws = []
    for i in range(64):
        graph = nx.DiGraph()
        graph.add_nodes_from(KARATE)
        arcs = [*KARATE.edges(), *((v, u) for u, v in KARATE.edges())]
        graph.add_edges_from((u, v) for u, v in arcs if uniform(0, u, v, i) < chance)
        draws.append({v: nx.descendants(graph, v) | {v} for v in graph})
    chosen: list[int] = []
    for _ in range(3):
        means = [
            sum(len(set().union(*(reach[s] for s in [*chosen, v]))) for reach in draws) / 64
            for v in range(34)
        ]
        found = page["listeners"](page["engine"], chosen, list(range(34)))
        np.testing.assert_allclose(found, means)
        chosen.append(int(np.argmax(means)))
    assert page["chosen"] == chosen


def test_walks(recipe):
    """Every step is along an edge, and the vectors tell the planted groups apart."""
    page = recipe("walks")
    near, walks = neighbors_of(page["graph"]), page["walks"]
    assert walks.shape == (900, 41)
    assert all(w in near[v] for walk in walks.tolist() for v, w in pairwise(walk))
    vectors, group = page["vectors"][:, :3], page["graph"].vertex_fields["community"]
    apart = np.linalg.norm(vectors[:, None] - vectors, axis=2) + np.diag([np.inf] * 90)
    assert (group[apart.argmin(1)] == group).mean() > 0.95


def test_many_sources(recipe):
    rank = recipe("many-sources")["rank"]
    for column, source in enumerate((0, 33)):
        expected = nx.pagerank(KARATE, personalization={source: 1}, weight=None, tol=1e-12)
        np.testing.assert_allclose(rank[:, column], [expected[v] for v in range(34)], atol=1e-6)


def test_local_push(recipe):
    """Against NetworkX's PageRank: never more, and less by epsilon times the degree at most."""
    page = recipe("local-push")
    graph, source = page["verbs"], page["source"]
    exact = nx.pagerank(
        nx.Graph(graph.to_networkx()),
        personalization={source: 1},
        weight=None,
        tol=1e-11,
        max_iter=500,
    )
    missing = np.array([exact[label] for label in graph.labels]) - page["result"].rank
    assert missing.min() > -1e-6
    assert (missing <= 1e-5 * graph.degree + 1e-6).all()
    assert 8 < (page["result"].rank > 0).sum() < graph.num_vertices


def test_widest_paths(recipe):
    """Against the narrowest edge of the path in NetworkX's maximum spanning tree."""
    page = recipe("widest-paths")
    drawn = nx.gnm_random_graph(40, 100, seed=1)
    capacity = np.random.default_rng(1).integers(1, 50, 100)
    graph = Graph.from_edges(
        *np.array(drawn.edges()).T, num_vertices=40, directed=False, capacity=capacity
    )
    for (u, v), width in zip(drawn.edges(), capacity.tolist(), strict=True):
        drawn.edges[u, v]["weight"] = width
    tree = nx.maximum_spanning_tree(drawn)
    for target, width in enumerate(Engine(graph).run(page["Widest"](source=0)).width.tolist()):
        path = nx.shortest_path(tree, 0, target) if nx.has_path(tree, 0, target) else []
        widths = [tree.edges[edge]["weight"] for edge in pairwise(path)]
        assert width == min(widths, default=np.inf if target == 0 else 0)


def test_life(recipe):
    """Against SciPy's convolution."""
    page = recipe("life")
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    cells = page["board"].astype(int)
    for _ in range(40):
        near = convolve(cells, ring, mode="wrap")
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype(int)
    assert page["after"].tolist() == cells.tolist()
    glider, toad = np.hsplit(page["board"], [16])
    moved = np.pad(np.roll(glider, 10, (0, 1)), [(0, 0), (0, 16)])
    assert page["after"].tolist() == (moved + np.pad(toad, [(0, 0), (16, 0)])).tolist()


def test_heat(recipe):
    """Against SciPy's Laplacian, multiplied as often."""
    page = recipe("heat")
    matrix = laplacian(page["roads"].to_scipy("conductance"))
    x = page["x"].copy()
    for _ in range(2000):
        x -= page["step"] * (matrix @ x)
    np.testing.assert_allclose(page["result"].x, x, rtol=1e-9, atol=1e-9)
    assert abs(page["result"].x.sum() - 1000) < 1e-6


def test_matching(recipe):
    """Against the greedy method, one edge after the other."""
    page = recipe("matching")
    graph, mate = page["graph"], {}
    weight = graph.edge_fields["weight"]
    for edge in np.lexsort([np.arange(graph.num_edges), -weight]).tolist():
        u, v = int(graph.edge_src[edge]), int(graph.edge_dst[edge])
        if u != v and u not in mate and v not in mate:
            mate |= {u: v, v: u}
    assert page["result"].mate.tolist() == [mate.get(v, -1) for v in range(60)]
    same = Graph.from_edges(graph.edge_src, graph.edge_dst, num_vertices=60, directed=False)
    pairs = Engine(same).run(page["HeavyMatching"]()).mate.tolist()  # all weights are equal
    free = [v for v in range(60) if pairs[v] < 0]
    assert all(pairs[pairs[v]] == v for v in range(60) if pairs[v] >= 0)
    near = neighbors_of(same)
    assert all(pairs[w] >= 0 or w == v for v in free for w in near[v])


def test_communities_that_change(recipe):
    """The planted groups are found: three, two while the bridge stands, and three again."""
    page = recipe("communities-that-change")
    groups = [len(set(moment.identity.tolist())) for moment in page["moments"]]
    kinds = [[event.kind for event in moment.events] for moment in page["moments"]]
    assert groups == [3, 2, 3]
    assert kinds[1:] == [["merge"], ["split"]]


def test_link_prediction(recipe):
    """Against NetworkX's scores of the same pairs."""
    page = recipe("link-prediction")
    rest = nx.Graph(page["rest"].to_networkx())
    scores = {
        "jaccard": nx.jaccard_coefficient,
        "adamic_adar": nx.adamic_adar_index,
        "resource_allocation": nx.resource_allocation_index,
        "preferential_attachment": nx.preferential_attachment,
    }
    pairs = [tuple(pair) for pair in page["others"][:, page["chosen"]].T.tolist()]
    for name, score in scores.items():
        expected = [value for _, _, value in score(rest, pairs)]
        np.testing.assert_allclose(page["absent"][name], expected, rtol=1e-5)
    higher = mannwhitneyu(page["missing"]["jaccard"], page["absent"]["jaccard"]).statistic
    assert page["auc"]("jaccard") == pytest.approx(higher / len(pairs) ** 2)
    graph = nx.Graph(page["graph"].to_networkx())
    ends = list(zip(page["graph"].edge_src.tolist(), page["graph"].edge_dst.tolist(), strict=True))
    expected = [value for _, _, value in nx.jaccard_coefficient(graph, ends)]
    np.testing.assert_allclose(page["jaccard"], expected, rtol=1e-5)


def test_single_cells(recipe):
    """Against the types that the cells were drawn from, and NetworkX's modularity."""
    page = recipe("single-cells")
    adata, types = page["adata"], page["type_of_cell"]
    found = adata.obs["leiden"]
    assert isinstance(found.dtype, pd.CategoricalDtype)
    assert found.cat.categories.tolist() == ["0", "1", "2", "3"]
    sizes = found.value_counts().reindex(found.cat.categories)
    assert sizes.is_monotonic_decreasing and sizes.tolist() == sorted(np.bincount(types))[::-1]
    assert (pd.crosstab(found, types) > 0).sum(axis=1).eq(1).all()
    G = nx.from_scipy_sparse_array(adata.obsp["connectivities"])
    groups = [set(np.flatnonzero(found == name).tolist()) for name in found.cat.categories]
    modularity = nx.community.modularity(G, groups)
    assert page["result"].aggregates["modularity"] == pytest.approx(modularity, rel=1e-5)
    assert all(nx.is_connected(G.subgraph(group)) for group in groups)
    before = found.copy()
    page["leiden"](adata, resolution=3, key_added="fine")
    page["leiden"](adata, key_added="again")
    assert adata.obs["again"].equals(before)
    assert len(adata.obs["fine"].cat.categories) > 4
