"""The functions that the backend has, against those that NetworkX has."""

import inspect

import networkx as nx
import pytest
from networkx.utils.backends import _registered_algorithms
from support.backend_cases import FUNCTIONS as PRESENT

from gascl.nx import metadata
from gascl.nx.backend import FUNCTIONS, VERSION, backend


def test_the_metadata_names_the_functions():
    assert list(metadata.FUNCTIONS) == sorted(FUNCTIONS)
    assert len(FUNCTIONS) >= 100
    info = nx.utils.backends.backend_info["gascl"]
    assert info["functions"].keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", sorted(PRESENT))
def test_parameters_are_those_of_networkx(name):
    """But for keywords that newer versions of NetworkX have."""

    def parameters(function):
        signature = inspect.signature(function).parameters.values()
        return [(p.name, p.kind, p.default) for p in signature]

    own = parameters(FUNCTIONS[name])
    expected = parameters(_registered_algorithms[name].orig_func)
    newer = [p for p in own if p not in expected]
    assert [p for p in own if p not in newer] == expected
    assert all(kind is inspect.Parameter.KEYWORD_ONLY for _, kind, _ in newer)
    assert not (newer and VERSION >= (3, 7))


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
