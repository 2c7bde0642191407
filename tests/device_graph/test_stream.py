"""Runs on graphs whose arcs do not fit on the device, and come to it part by part."""

import re

import numpy as np
import pytest
from support.agreement import find_device
from support.case_subsets import thinned
from support.parts import agree_on_parts
from support.random_cases import MOST, RECIPES, drawn
from support.random_graphs import SPECIAL
from support.special_programs import SPECIAL_PROGRAMS

from gascl import DeviceError, Engine, GasclError, Graph, generators
from gascl.codegen.constants import SENDERS_OF_WORD
from gascl.device_graph import stream
from gascl.device_graph.stream import ArcStream
from gascl.graph.arcs import Order
from gascl.graph.csr_ends import CsrEnds
from gascl.graph.partition import Division, bit_of, cut, reaches, shares
from gascl.programs import (
    BreadthFirst,
    Closeness,
    ConnectedComponents,
    Hits,
    LocalClustering,
    PageRank,
    ShortestPaths,
)
from gascl.run import prepare as preparation
from gascl.run.memory_estimate import described, estimate
from gascl.util.units import bytes_of

pytestmark = pytest.mark.usefixtures("poisoned")

#: By the row blocks of a part, a group handles other rows than with all arcs.
NUMBERS = [
    n if n % 24 in (5, 10) else pytest.param(n, marks=pytest.mark.slow) for n in range(len(RECIPES))
]


@pytest.fixture(params=[2, pytest.param(3, marks=pytest.mark.slow)], ids=["2 parts", "3 parts"])
def divided(request, monkeypatch):
    """No graph fits on any device; returns the number of parts, which no more are needed than."""
    monkeypatch.setattr(preparation, "shortage", lambda *given, **limit: "the device is small")
    monkeypatch.setattr(stream, "FEWEST", request.param)
    return request.param


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_random_programs_on_parts(divided, number):
    case = drawn(number, (1, 8)[number % 2])
    options = {"dtype": case.dtype, "given": case.given, **dict(case.params)}
    agree_on_parts(find_device((1, 8)[number % 2]), case.program, case.plain, MOST, **options)


@pytest.mark.parametrize("name", SPECIAL_PROGRAMS)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_special_programs_on_parts(divided, name):
    group = (1, 8)[(list(SPECIAL_PROGRAMS).index(name) + divided) % 2]
    agree_on_parts(find_device(group), SPECIAL_PROGRAMS[name], SPECIAL.values(), 8)


@pytest.fixture(scope="module")
def web():
    weighted = generators.rmat(9, seed=4)
    weight = np.random.default_rng(1).integers(1, 9, weighted.num_edges)
    return weighted.with_edge_fields(weight=weight)


@pytest.mark.parametrize(
    "program",
    [
        PageRank(),
        BreadthFirst(source=0),
        ShortestPaths(source=0),
        Hits(),
        Closeness(),
    ],
    ids=lambda program: type(program).__name__,
)
def test_programs_on_parts(divided, device, web, program):
    """In two directions, in lanes, with weights, on directed and undirected graphs."""
    for graph in (web, Graph.from_edges(web.edge_src, web.edge_dst, directed=False)):
        found = Engine(graph, device).run(program)
        with pytest.MonkeyPatch.context() as whole:
            whole.setattr(preparation, "shortage", lambda *given, **limit: "")
            expected = Engine(graph, device).run(program)
        for name in expected.fields:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, atol=1e-7)
        if found.trace[0].why:  # not of a program with `solve`
            assert f"{divided} parts" in found.trace[0].why


@pytest.mark.parametrize(
    ("divided", "program"),
    thinned([3, 7, 50], [BreadthFirst, ShortestPaths], by=3),
    indirect=["divided"],
)
def test_only_parts_with_arcs_of_senders_are_copied(divided, device, monkeypatch, program):
    """On a path with chords of some length, where the frontier is in few parts at a time."""
    ends = np.arange(600)
    path = Graph.from_edges(
        np.concatenate([ends[:-1], ends[::90]]),
        np.concatenate([ends[1:], (ends[::90] * 7 + 100) % 600]),
        directed=False,
    )
    copied = []

    def fill(stream, place, number, keys, fill=ArcStream._fill):
        copied.append(number)
        fill(stream, place, number, keys)

    monkeypatch.setattr(ArcStream, "_fill", fill)
    found = Engine(path, device).run(program(source=5))
    arcs = path.arcs()
    part_of = np.empty(600, int)
    for number, part in enumerate(cut(arcs.in_offsets, divided)):
        part_of[part.first : part.last] = number
    level = getattr(found, "depth" if program is BreadthFirst else "distance")
    needed = []
    for step in range(found.supersteps):
        # A part is also copied for arcs of a sender's neighbors in the numbering.
        sends = np.isin(
            arcs.out.rows // SENDERS_OF_WORD, np.flatnonzero(level == step) // SENDERS_OF_WORD
        )
        needed.append(len(np.unique(part_of[arcs.out_targets[sends]])))
    told = [re.search(r"(\d+) parts, (\d+) of them needed", step.why) for step in found.trace]
    assert {int(words[1]) for words in told} == {divided}
    if divided <= 32:  # else a bit is of several
        assert [int(words[2]) for words in told] == needed
    assert len(copied) <= sum(int(words[2]) for words in told) < 0.6 * divided * found.supersteps


@pytest.mark.parametrize("divided", [3], indirect=True)
def test_parts_that_are_on_the_device_are_not_copied_again(divided, device, web, monkeypatch):
    """There is room for two: of three, one is copied in each superstep but the first."""
    copied, fill = [], ArcStream._fill
    monkeypatch.setattr(ArcStream, "_fill", lambda *given: copied.append(fill(*given)))
    Engine(web, device).run(PageRank(supersteps=6))
    assert len(copied) == 3 + 5


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 100])
def test_in_which_parts_a_vertex_has_arcs(count):
    rng = np.random.default_rng(count)
    vertices = 150
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 4, vertices))])
    sources = rng.integers(0, vertices, offsets[-1])
    parts = cut(offsets, count)
    each = 4
    found = np.zeros(-(-vertices // each), np.uint32)
    reaches((sources[p.begin : p.end] for p in parts), len(parts), each, found)
    for i, word in enumerate(found.tolist()):
        some = {*range(each * i, each * (i + 1))}
        its = {n for n, p in enumerate(parts) if some.intersection(sources[p.begin : p.end])}
        bits = {n for n in range(len(parts)) if word & bit_of(n, len(parts))}
        assert its == bits if len(parts) <= 32 else its <= bits
        assert word == sum({bit_of(n, len(parts)) for n in its})


@pytest.mark.usefixtures("units")
def test_a_run_takes_parts_where_memory_is_short(device):
    """And says how many; with more memory than it needs, none."""
    web, program = generators.rmat(14, seed=4), PageRank(supersteps=3)
    alone = Engine(web, device).run(program)
    size = web.num_vertices, web.num_edges
    memory, taken = 2 * sum(estimate(*size, program=program, device=device).device.values()), []
    while not taken or taken[-1] < 5:
        engine = Engine(web, device, device_memory=memory)
        found = engine.run(program)
        np.testing.assert_allclose(found.rank, alone.rank, rtol=1e-6)
        why = re.search(r"the arcs come in (\d+) parts", found.trace[0].why)
        taken.append(int(why[1]) if why else 1)
        told = described(web, program, device=device, device_memory=memory)[-1]
        assert told.endswith(f"so the arcs come to it in {taken[-1]} parts") == bool(why)
        memory = int(0.97 * memory)
    assert taken[0] == 1 and taken == sorted(taken)
    with pytest.raises(DeviceError, match="for what it keeps of vertices and for parts of its"):
        Engine(web, device, device_memory="9 KiB").run(program)


@pytest.mark.parametrize("given", [0, -3, "8 apples", 2.5, True, "-1 GiB"])
def test_memory_that_is_none(given):
    with pytest.raises(GasclError, match=f"device_memory is {re.escape(repr(given))}; give"):
        Engine(Graph.from_edges([0], [1]), device_memory=given)


def test_sizes_in_words():
    for text, size in (("2 KiB", 2048), ("1.5gib", 3 * 2**29), ("3 MB", 3_000_000), ("17", 17)):
        assert Engine(Graph.from_edges([0], [1]), device_memory=text).device_memory == size


def test_programs_that_need_all_arcs_say_why(divided):
    engine = Engine(generators.rmat(6, seed=1))
    with pytest.raises(DeviceError, match="ConnectedComponents cannot take its arcs in parts: it"):
        engine.run(ConnectedComponents())
    # The program that the user runs, and none that it runs.
    with pytest.raises(DeviceError) as caught:
        engine.run(LocalClustering())
    said = "LocalClustering cannot take its arcs in parts: it reads neighbors, which may be in any"
    assert str(caught.value).startswith(said) and "Corners" not in str(caught.value)
    with pytest.raises(DeviceError, match="delivery 'slots' cannot take the arcs of PageRank in"):
        engine.run(PageRank(), delivery="slots")


@pytest.mark.parametrize("number", [1, 2, 3, 7, 100])
def test_parts_have_every_vertex_and_about_as_many_arcs(number):
    rng = np.random.default_rng(number)
    for degrees in (rng.integers(0, 9, 50), [0] * 6, [0, 0, 99, 0, 1], [3]):
        offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
        parts = cut(offsets, number)
        assert [p.first for p in parts] == [0, *(p.last for p in parts[:-1])]
        assert parts[-1].last == len(degrees) and len(parts) <= number
        assert all((p.begin, p.end) == (offsets[p.first], offsets[p.last]) for p in parts)
        most = offsets[-1] / number + max(degrees)
        assert all(p.end - p.begin <= most for p in parts)


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 100])
def test_shares_have_about_as_much_work(ranks):
    """Of arcs, or of arcs and vertices: as many vertices where each has work with all others."""
    rng = np.random.default_rng(ranks)
    for degrees in (rng.integers(0, 9, 50), [0, 0, 99, 0, 1], [3], [0] * 6):
        vertices, offsets = len(degrees), np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
        for each in (0, 1, vertices):
            parts = shares(offsets, Division(0, ranks, each))
            assert len(parts) == ranks
            assert [p.first for p in parts] == [0, *(p.last for p in parts[:-1])]
            assert parts[-1].last == vertices
            assert all((p.begin, p.end) == (offsets[p.first], offsets[p.last]) for p in parts)
            work = [p.end - p.begin + each * (p.last - p.first) for p in parts]
            assert max(work) <= sum(work) / ranks + max(degrees) + each
    even = shares(np.full(100, 2**31 - 1, np.int32), Division(0, 9, 2**31 - 1))  # of 64 bits
    assert {part.last - part.first for part in even} == {11}


@pytest.mark.parametrize(("limited", "mapped"), thinned([False, True], [False, True]))
def test_arcs_that_came_in_order(device, tmp_path, monkeypatch, limited, mapped):
    """Of a graph from compressed columns, nothing is sorted, nor are receivers written out."""
    rng = np.random.default_rng(5)
    src, dst = rng.zipf(1.4, 1 << 18) % 8000, np.sort(rng.integers(0, 8000, 1 << 18))
    src = src[np.lexsort((src, dst))]
    same = Graph.from_edges(src, dst, num_vertices=8000)
    expected = Engine(same, device).run(PageRank(supersteps=5))

    def never(*_):
        raise AssertionError("that takes memory for all edges")

    graph = Graph.from_csr(np.searchsorted(dst, np.arange(8001)), src).reversed()
    if mapped:
        graph.write(tmp_path / "g.npz")
        graph = Graph.read(tmp_path / "g.npz")
    monkeypatch.setattr(Order, "_sorted", never)
    needed = sum(estimate(8000, 1 << 18, program=PageRank(), device=device).device.values())
    memory = int(0.9 * needed) if limited else None
    found = Engine(graph, device, device_memory=memory).run(PageRank(supersteps=5))
    np.testing.assert_allclose(found.rank, expected.rank, rtol=1e-5)
    assert bool(found.trace[0].why) == limited
    assert isinstance(graph.dst, CsrEnds) and "whole" not in graph.dst.kept


@pytest.mark.parametrize("program", [PageRank(), ShortestPaths(source=1)], ids=["all", "weights"])
@pytest.mark.parametrize("scale", [9, 13])
@pytest.mark.usefixtures("units")
def test_the_memory_that_an_error_requests_is_enough(device, scale, program):
    """And less is not; where parts of a small graph need as much as all of it, they do not come."""
    web = generators.rmat(scale, seed=4)
    web = web.with_edge_fields(weight=np.random.default_rng(1).integers(1, 9, web.num_edges))
    with pytest.raises(DeviceError) as refused:
        Engine(web, device, device_memory=1).run(program)
    asked, unit = re.search(r"needs ([\d.]+) (\w+) on", str(refused.value)).groups()
    memory = bytes_of(f"{asked} {unit}", "memory")
    found = Engine(web, device, device_memory=memory).run(program)
    size = web.num_vertices, web.num_edges
    needed = sum(estimate(*size, program=program, device=device).device.values())
    assert ("parts" in found.trace[0].why) == (memory < needed)
    assert memory < needed or scale == 9
    with pytest.raises(DeviceError, match=re.escape(str(refused.value).split(";")[0])):
        Engine(web, device, device_memory=f"{float(asked) - 0.1:.1f} {unit}").run(program)
