"""The functions that the backend has, against those that NetworkX has."""

import inspect

import networkx as nx
import pytest

from gascl.nx import metadata
from gascl.nx.backend import FUNCTIONS, backend

backends = pytest.importorskip("networkx.utils.backends")  # NetworkX 3.2 and newer


def test_the_metadata_names_the_functions():
    renamed = {"barycenter", "centroid"} - FUNCTIONS.keys()
    assert [name for name in metadata.FUNCTIONS if name not in renamed] == sorted(FUNCTIONS)
    assert len(renamed) == 1
    assert len(FUNCTIONS) >= 100
    info = nx.utils.backends.backend_info["gascl"]
    assert info["functions"].keys() == metadata.FUNCTIONS.keys()


#: Parameters that NetworkX 3.6 does not have.
NEWER = {
    "adjacency_matrix": {"format"},
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
def test_checks_take_the_same_parameters(name):
    function = FUNCTIONS[name]
    count = len(inspect.signature(function).parameters)
    G = nx.path_graph(4)
    # the checks see the graph, and then None for every other argument that has no default
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    arguments = (G, *[None] * (len(required) - 1))
    if name in ("pagerank",):
        assert count > 1
    assert isinstance(function.can_run(arguments, {}), bool | str)
    assert isinstance(function.should_run(arguments, {}), bool | str)


def test_networkx_explains_the_backend():
    assert "gascl" in nx.pagerank.__doc__
    assert "any OpenCL device" in nx.pagerank.__doc__


def test_an_unknown_function_is_an_attribute_error():
    assert "pagerank" in dir(backend)
    with pytest.raises(AttributeError, match="no 'page_rank'"):
        _ = backend.page_rank
