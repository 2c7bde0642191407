"""`gascl kernel`: what it prints is what a compiler takes."""

import pytest

import gascl
from gascl.programs import BreadthFirst, ShortestPaths


@pytest.mark.parametrize("delivery", ["auto", "slots", "pull", "push", "edges", "serial"])
def test_kernel_prints_what_a_compiler_takes_and_needs_no_device(gascl_, monkeypatch, delivery):
    import pyopencl as cl

    found = gascl.devices()[0]
    with monkeypatch.context() as patch:
        patch.setattr(cl, "get_platforms", None)
        code, out, err = gascl_("kernel", "ShortestPaths", "--delivery", delivery)
    assert (code, err) == (0, "")
    assert ShortestPaths.scatter in out
    numbers = {"GROUP": 1, "BLOCK": 1024, "LINES": 9999}
    options = [f"-DGASCL_{name}={number}" for name, number in numbers.items()]
    cl.Program(found.context, out).build([*options, *found.atomics.options()])


def test_kernel_of_a_delivery_that_can_not_take_it(gascl_):
    code, out, err = gascl_("kernel", "LabelPropagation", "--delivery", "pull")
    assert (code, out) == (1, "")
    assert "delivery 'pull' cannot run LabelPropagation: its messages are grouped by key" in err


def test_kernel_follows_dtype_and_choices(gascl_):
    single, double, ignoring = (
        gascl_("kernel", "PageRank", *options)[1]
        for options in ((), ("--set", "dtype=float64"), ("--set", "dangling=ignore"))
    )
    assert len({single, double, ignoring}) == 3
    code, out, err = gascl_("kernel", "PageRank", "--set", "dangling=keep")
    assert (code, out) == (1, "")
    assert "expected one of 'spread', 'ignore'" in err


@pytest.mark.parametrize(
    ("program", "parts"),
    [
        ("Triangles", "Count"),
        ("Neighborhoods", "Backwards"),
        ("Betweenness", "Backward Forward"),
        ("LocalClustering", "Corners Count"),
        ("WeightedCloseness", "Distances"),  # by way of a function of another file
        ("BipartiteMatching", "ConnectedComponents Forest Levels"),  # it runs Bipartition
    ],
)
def test_kernel_of_one_that_runs_others(gascl_, program, parts):
    """Whatever file these are from, and whatever else is there."""
    code, out, err = gascl_("kernel", program)
    assert (code, err) == (0, "")
    shown = [line for line in out.splitlines() if line.endswith(f", which {program} runs")]
    assert sorted(shown) == [f"// {part}, which {program} runs" for part in parts.split()]


def test_kernel_of_one_that_takes_several_sources(gascl_):
    code, out, err = gascl_("kernel", "BreadthFirst", "--set", "sources=0,33")
    assert (code, err) == (0, "") and BreadthFirst.scatter in out


def test_kernel_of_one_that_names_no_others(gascl_, write):
    path = write("mine.py", HIDDEN)
    code, out, err = gascl_("kernel", f"{path}:Whole")
    assert (code, out) == (1, "")
    assert err.endswith(
        "the code of Whole names no program that it runs: give `gascl kernel` the one that you "
        f"want to see, such as {path}:Hop\n"
    )
    assert gascl_("kernel", f"{path}:Hop")[0] == 0


HIDDEN = """
from gascl import VertexProgram, param, vertex

class Hop(VertexProgram):
    least = param.int32(low=2)
    x = vertex.int32()
    apply_on = "all"
    supersteps = param.supersteps(1)
    apply = "v.x = p.least;"

class Whole(VertexProgram):
    x = vertex.int32()

    def solve(self, stages):
        stages.run(self.inner())
"""
