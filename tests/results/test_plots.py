"""Pictures of numbers: what is drawn, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from gascl import Engine, GasclError, Graph, Result
from gascl.errors import FieldError
from gascl.programs import BreadthFirst, Closeness
from gascl.results.trace import Step, Trace


@pytest.fixture(autouse=True)
def no_window():
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


def result_of(**fields) -> Result:
    count = len(next(iter(fields.values())))
    graph = Graph.from_edges([0], [1], num_vertices=count)
    fields = {name: np.asarray(values) for name, values in fields.items()}
    return Result(graph, fields, 1, True, "", Trace(), "Some (CL)", "slots")


def test_a_histogram():
    values = np.random.default_rng(1).normal(0, 1, 400)
    ax = result_of(x=values).plot("x")
    assert sum(bar.get_height() for bar in ax.patches) == 400
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "vertices")
    ax.figure.canvas.draw()


def test_few_integers_have_a_bar_each():
    ax = result_of(depth=[0, 1, 1, 2, 2, 2, 5]).plot("depth")
    assert [bar.get_height() for bar in ax.patches] == [1, 2, 3, 0, 0, 1]
    assert [bar.get_x() + bar.get_width() / 2 for bar in ax.patches] == pytest.approx(range(6))
    largest = np.array([2**64 - 1, 2**64 - 2], np.uint64)
    assert len(result_of(x=largest).plot("x").patches) > 0


def test_a_heavy_tail_is_drawn_by_shares():
    """Of 1000 values, 1 is 100 or more, 10 are 10 or more, and all are 1 or more."""
    values = np.concatenate([np.ones(990), np.full(9, 10.0), [100.0]])
    ax = result_of(degree=values).plot("degree")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    x, share = ax.lines[0].get_data()
    assert x.tolist() == [1, 10, 100] and share == pytest.approx([1, 0.01, 0.001])
    assert result_of(x=-values).plot("x").get_xscale() == "linear"
    assert result_of(x=values).plot("x", "histogram").get_xscale() == "linear"
    zeros = result_of(x=np.concatenate([values, np.zeros(1000)])).plot("x")
    assert zeros.lines[0].get_ydata() == pytest.approx([0.5, 0.005, 0.0005])


def test_axes_of_one_s_own_and_what_is_not_shown():
    from matplotlib import pyplot

    mine = pyplot.subplots()[1]
    assert result_of(x=[1.0, 2.0, np.nan, np.inf]).plot("x", ax=mine) is mine
    assert mine.get_title() == "2 with infinity or NaN not shown"


def test_the_name_can_be_left_out_where_there_is_one():
    graph = Graph.from_edges(range(20), range(1, 21), directed=False)
    ax = Engine(graph).run(BreadthFirst(source=0)).plot()  # parents are vertices
    assert ax.get_xlabel() == "depth"
    with pytest.raises(
        GasclError, match=r"plot draws one field: name it, such as 'x'; there are: x, y$"
    ):
        result_of(x=[1, 2], y=[3, 4]).plot()
    with pytest.raises(GasclError, match=r"one number per vertex, and there is none among: x$"):
        result_of(x=[[1, 2], [3, 4]]).plot()


def test_what_is_refused():
    with pytest.raises(FieldError, match="no field 'y'"):
        result_of(x=[1, 2]).plot("y")
    with pytest.raises(GasclError, match="field 'x' has 2 values per vertex and cannot be drawn"):
        result_of(x=[[1, 2], [3, 4]]).plot("x")
    with pytest.raises(GasclError, match="field 'x' has no finite values to draw"):
        result_of(x=[np.nan, np.inf]).plot("x")
    with pytest.raises(GasclError, match=r"no value above 0, .* give kind='histogram'"):
        result_of(x=[0, -1]).plot("x", "ccdf")
    with pytest.raises(GasclError, match="kind must be one of auto, histogram, ccdf, not 'bars'"):
        result_of(x=[0, 1]).plot("x", "bars")


def test_the_course_of_a_run():
    graph = Graph.from_edges(range(20), range(1, 21), directed=False)
    result = Engine(graph).run(BreadthFirst(source=0))
    axes = result.trace.plot()
    assert [ax.get_ylabel() for ax in axes] == ["kernel time", "active vertices", "messages"]
    x, active = axes[1].lines[0].get_data()
    assert x.tolist() == list(range(result.supersteps))
    assert active.tolist() == [step.active for step in result.trace]
    axes[0].figure.canvas.draw()
    shown = {text.get_text() for text in axes[0].get_legend().get_texts()}
    assert shown == {step.delivery for step in result.trace}
    Engine(graph).run(Closeness()).trace.plot(axes)
    with pytest.raises(GasclError, match="three matplotlib Axes, not 1"):
        result.trace.plot(axes[0])
    with pytest.raises(GasclError, match="no supersteps to draw"):
        Trace().plot()


def test_no_point_of_a_trace_lies_on_the_frame():
    steps = [Step(i, active, 3 * active, {}, 1e-4 * i) for i, active in enumerate((1, 900, 0))]
    axes = Trace(steps).plot()
    axes[0].figure.canvas.draw()
    for ax in axes:
        height = ax.bbox.height
        points = np.concatenate([each.get_offsets() for each in ax.collections])
        y = ax.transData.transform(points)[:, 1] - ax.bbox.y0
        assert 0.03 * height < y.min() < y.max() < 0.97 * height
        shown = [at for at in ax.get_yticks() if ax.get_ylim()[0] <= at <= ax.get_ylim()[1]]
        assert min(shown) == 0, "there is nothing below 0"


def test_a_trace_fills_its_panels():
    """On axes of times and counts that reached down to 0, half of each panel was empty."""
    steps = [Step(i, 900 + i, 3 * 2**i, {}, 1e-4 * (1 + i % 3)) for i in range(12)]
    axes = Trace(steps).plot()
    axes[0].figure.canvas.draw()
    heights = []
    for ax in axes:
        points = np.concatenate([each.get_offsets() for each in ax.collections])
        y = ax.transData.transform(points)[:, 1]
        heights.append(ax.bbox.height)
        if ax is not axes[1]:
            assert np.ptp(y) > 0.6 * ax.bbox.height
    assert axes[2].get_yscale() == "log" and axes[1].get_yscale() == "linear"
    assert axes[1].get_ylim()[0] == 0, "nearly the same: the height tells how many"
    level = Trace([Step(i, 34, 2**i, {}, 1e-4 * i) for i in range(9)]).plot()
    level[0].figure.canvas.draw()
    assert level[1].bbox.height < 0.7 * level[2].bbox.height, "a level line needs less room"
    assert any("µs" in text.get_text() for text in level[0].get_yticklabels())


def test_supersteps_without_messages_are_drawn():
    Trace([Step(i, 0, 0, {}, 0.0) for i in range(3)]).plot()[0].figure.canvas.draw()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(GasclError, match=r"pictures need matplotlib: pip install 'gascl\[plot]'"):
        result_of(x=[1, 2]).plot("x")
