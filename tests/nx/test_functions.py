"""The functions that the backend has, against those that NetworkX has."""

import inspect

import networkx as nx
import pytest
from support.backend_answers import DECLINED, outcome, public
from support.backend_cases import calls, small

from gascl.nx import all_pairs, metadata
from gascl.nx.backend import FUNCTIONS, backend
from gascl.nx.converted_graph import Converted

backends = pytest.importorskip("networkx.utils.backends")  # NetworkX 3.2 and newer


def test_networkx_has_read_the_metadata():
    info = nx.utils.backends.backend_info["gascl"]
    names = " ".join([*metadata.FUNCTIONS.values(), metadata.LOADERS]).split()
    assert sorted(info["functions"]) == sorted(names)
    assert len(FUNCTIONS) >= 100


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_modules_have_the_names_of_networkx(name):
    """That of the module, or of the package, where NetworkX defines the function."""
    module = backends._registered_algorithms[name].orig_func.__module__
    assert FUNCTIONS[name].module in module.split("."), f"NetworkX dispatches {module}.{name}"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_that_numpy_computes_use_no_device(name, monkeypatch):
    """And the others do use one."""
    runs = []

    def engine(*_, **__):
        runs.append(name)
        raise NotImplementedError("no device in this test")

    monkeypatch.setattr(Converted, "engine", engine)
    monkeypatch.setattr(all_pairs, "SMALL", -1)
    answers = 0
    for kind in (nx.Graph, nx.DiGraph):
        for G in small(kind).values():
            for arguments, keywords in calls(name, G):
                result = outcome(public(name), G, *arguments, backend="gascl", **keywords)
                answers += not isinstance(result, str)
    if FUNCTIONS[name].numpy:
        assert answers and not runs
    else:
        assert runs, f"{name} runs no program: declare it with numpy=True"


#: Parameters that NetworkX 3.6 does not have.
NEWER = {
    "closeness_centrality": {"sp"},
    "hits": {"method"},
    "rich_club_coefficient": {"n_samples"},
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_parameters_are_those_of_networkx(name):
    def parameters(function):
        signature = inspect.signature(function).parameters.values()
        return {p.name: (p.kind, p.default) for p in signature}

    ours = parameters(FUNCTIONS[name])
    theirs = parameters(backends._registered_algorithms[name].orig_func)
    added = NEWER.get(name, set()) - theirs.keys()
    assert list(theirs.items()) == [(key, p) for key, p in ours.items() if key not in added]


def test_arguments_of_newer_versions_are_left_to_networkx():
    G = nx.path_graph(4)
    refused = FUNCTIONS["pagerank"].can_run((G,), {"accuracy": 3})
    assert refused == (
        "gascl does not take these arguments: got an unexpected keyword argument 'accuracy'"
    )


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_checks_read_arguments_that_exist(name):
    function = FUNCTIONS[name]
    G = nx.path_graph(4)
    # the checks see the graph, and then None for every other argument that has no default
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    arguments = (G, *[None] * (len(required) - 1))
    assert isinstance(function.can_run(arguments, {}), bool | str)
    assert isinstance(function.should_run(arguments, {}), bool | str)


def test_networkx_explains_the_backend():
    assert "gascl" in nx.pagerank.__doc__
    assert "any OpenCL device" in nx.pagerank.__doc__


def test_an_unknown_function_is_an_attribute_error():
    assert "pagerank" in dir(backend)
    with pytest.raises(AttributeError, match="no attribute 'page_rank'"):
        _ = backend.page_rank


def _weighted_bipartite():
    """Sides "abc" and 0 to 2, with a float beside the integers, and an edge within a side."""
    G = nx.Graph()
    G.add_weighted_edges_from([("a", 0, 1), ("b", 1, 2), ("c", 2, 3), ("b", 0, 4), (0, 1, 2.5)])
    return G


def test_a_biadjacency_matrix_has_the_type_of_its_own_entries():
    G = _weighted_bipartite()
    sides = list("abc"), [0, 1, 2]
    expected = nx.bipartite.biadjacency_matrix(G, *sides, dtype=float)
    found = nx.bipartite.biadjacency_matrix(G, *sides, dtype=float, backend="gascl")
    assert found.dtype == expected.dtype and (found != expected).nnz == 0
    assert nx.bipartite.biadjacency_matrix(G, *sides).dtype.kind == "i"
    assert outcome(nx.bipartite.biadjacency_matrix, G, *sides, backend="gascl") == DECLINED
    G.remove_edge(0, 1)
    found = nx.bipartite.biadjacency_matrix(G, *sides, backend="gascl")
    assert found.dtype.kind == "i" and (found != expected).nnz == 0


@pytest.mark.parametrize("weight", ["half", "none"])
def test_an_incidence_matrix_stores_no_zeros(weight):
    """Also not those that an integer type makes of fractions."""
    G = nx.path_graph(5)
    nx.set_edge_attributes(G, {edge: n / 2 for n, edge in enumerate(G.edges)}, "half")
    nx.set_edge_attributes(G, 0, "none")
    for dtype in (None, int):
        expected = nx.incidence_matrix(G, weight=weight, dtype=dtype)
        found = nx.incidence_matrix(G, weight=weight, dtype=dtype, backend="gascl")
        assert found.nnz == expected.nnz and (found != expected).nnz == 0


def test_the_missing_node_of_a_group_is_the_one_that_networkx_names():
    G = nx.path_graph(4)
    for group in ([9, 0, 7], (1, 30, 8), {2: 0, 77: 1, 5: 2}):
        expected = outcome(nx.group_closeness_centrality, G, group)
        assert outcome(nx.group_closeness_centrality, G, group, backend="gascl") == expected


def test_core_numbers_that_are_no_dictionary_are_left_to_networkx():
    G = nx.complete_graph(4)
    for numbers in ([3, 2, 1, 0], {0: 3}):
        assert outcome(nx.k_core, G, 1, numbers, backend="gascl") == DECLINED
