"""What a graph keeps about an edge field, by NumPy over the whole array."""

import numpy as np
import pytest

from gascl import Engine, Graph, GraphError
from gascl.device_graph.buffers import convert
from gascl.graph import field_stats as module
from gascl.graph.field_stats import summary
from gascl.language.types import resolve
from gascl.programs import ShortestPaths, WeightedPageRank

ARRAYS = {
    "empty": np.zeros(0),
    "zeros": np.zeros(5, np.float32),
    "whole": np.array([3, 0, 255], np.float32),
    "fractions": np.array([0.5, -2.25, 7]),
    "integers": np.array([5, -3, 0, 2**40]),
    "unsigned": np.array([2**64 - 1, 3], np.uint64),
    "large": np.array([3.4e38, 1e300]),
    "small": np.array([0, 1e-300, -1e-310]),
    "infinite": np.array([np.inf, 1, 2]),
    "NaN": np.array([np.nan, -1, 2.5]),
    "nothing finite": np.array([np.nan, -np.inf]),
    "NaN behind": np.array([4.0, 2, 1, 2, np.nan, np.inf, 6, 7, 8, -9]),
}


@pytest.mark.parametrize("part", [1, 3, 1 << 16])
@pytest.mark.parametrize("name", ARRAYS)
def test_as_numpy_says(name, part, monkeypatch):
    monkeypatch.setattr(module, "_PART", part)
    values = ARRAYS[name]
    found, good = summary(values), values[np.isfinite(values)]
    assert found.count == len(good) and found.finite == (len(good) == len(values))
    assert found.whole == all(float(x).is_integer() for x in good)
    assert found.total == pytest.approx(float(sum(map(float, good))))
    assert found.magnitude == min((abs(float(x)) for x in good if x), default=np.inf)
    if len(good):
        assert found.least == good.min() and found.greatest == good.max()
        assert found.least.dtype == found.greatest.dtype == values.dtype
        assert found.mean == found.total / len(good)
    else:
        assert found.least is None and found.greatest is None and np.isnan(found.mean)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("type_", ["int8", "int32", "uint32", "int64", "uint64", "float32"])
def test_what_fits_is_what_can_be_converted(name, type_):
    values, type_ = ARRAYS[name], resolve(type_, "float32")
    try:
        convert(values, type_, "it")
    except GraphError:
        fits = False
    else:
        fits = True
    assert summary(values).fits(type_.scalar) == fits


def test_a_graph_finds_out_once(monkeypatch):
    """A second run does not go through the weights again."""
    calls = []
    monkeypatch.setattr("gascl.graph.graph.summary", lambda v: calls.append(1) or summary(v))
    graph = Graph.from_edges([0, 1, 0], [1, 2, 2], weight=[1.0, 2.0, 4.0])
    engine = Engine(graph)
    for _ in range(2):
        assert engine.run(ShortestPaths(source=0)).distance.tolist() == [0, 1, 3]
        assert engine.run(WeightedPageRank()).rank.sum() == pytest.approx(1)
    assert graph.edge_summary().greatest == 4 and len(calls) == 1
    degree = graph.weighted_out_degree()
    assert degree is graph.weighted_out_degree() and not degree.flags.writeable
    assert graph.weighted_in_degree().tolist() == [0, 1, 6]
    narrow = graph.weighted_out_degree(dtype="float32")
    assert narrow.dtype == np.float32 and narrow.tolist() == degree.tolist() == [5, 2, 0]
    assert narrow is graph.weighted_out_degree("weight", "float32") and not narrow.flags.writeable
    huge = Graph.from_edges([0, 0], [1, 2], weight=[3e38, 3e38])
    assert huge.weighted_out_degree(dtype="float32")[0] == np.inf
    assert huge.weighted_out_degree()[0] == 6e38
    with pytest.raises(GraphError, match="no edge field 'cost'; it has: weight"):
        graph.edge_summary("cost")
