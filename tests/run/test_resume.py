"""Runs that any delivery takes up, after any other, equal the run that was not broken off."""

from __future__ import annotations

import signal
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from hypothesis import given, note, settings
from support.admitting_deliveries import admitted
from support.agreement import find_device
from support.bundled import NAMES, example, program_class
from support.case_subsets import one_in
from support.program_text import listing
from support.random_cases import QUIET, RECIPES, Case, any_case, drawn, may_be_infinite
from support.resumes import Part, Posts, Waves, in_parts, resume_case, same_result
from support.samples import grid, random_graph, weighted
from support.toy_deliveries import TOYS, registered

from gascl import (
    DeviceError,
    Engine,
    GasclError,
    Graph,
    Interrupted,
    ProgramError,
    VertexProgram,
    vertex,
)
from gascl import programs as bundled
from gascl.delivery.registry import DELIVERIES
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs.betweenness import Forward
from gascl.programs.core_number import Shells
from gascl.programs.eigenvector import Peel, WeightedIteration
from gascl.programs.hits import HubsAndAuthorities
from gascl.programs.katz import WeightedWalks
from gascl.programs.multi_source_search import MultiSourceSearch
from gascl.programs.particle_communities import Particles
from gascl.programs.strongly_connected import Color, Trim

pytestmark = [
    pytest.mark.usefixtures("poisoned"),
    pytest.mark.filterwarnings("ignore:.*no edge field"),
]


@pytest.mark.parametrize("delivery", ["auto", "push", "edges"])
def test_inboxes_are_empty_where_the_run_before_had_none(delivery):
    engine = Engine(Graph.from_edges(range(7), range(1, 8)))
    program = bundled.ShortestPaths(source=0)
    options = {"max_supersteps": 2, "keep_state": True, "not_converged": "ignore"}
    part = engine.run(program, delivery="pull", **options)
    rest = engine.run(program, delivery=delivery, state=part.state)
    assert rest.distance.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


# Random programs ---------------------------------------------------------------------------------


#: Of the recipes: messages ahead, gathers, pairs, arc state, structs.
FEW = (1, *(pytest.param(number, marks=pytest.mark.slow) for number in (3, 13, 18, 24)))


@pytest.mark.parametrize("number", FEW)
def test_random_programs(number: int) -> None:
    group = (1, 8)[number % 2]
    assert resume_case(find_device(group), drawn(number, group), Random(number))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(RECIPES)))
def test_every_recipe(device: Any, number: int) -> None:
    for seed in range(2):
        resume_case(device, drawn(number, 1 if device.group != 8 else 8), Random(seed))


@pytest.mark.slow
def test_many_random_programs(device: Any, capsys: Any) -> None:
    taken_up = []

    @settings(max_examples=60, **QUIET)
    @given(case=any_case())
    def every_pair(case: Case) -> None:
        note(listing(case.program))
        taken_up.append(resume_case(device, case, Random(len(taken_up))))

    every_pair()
    with capsys.disabled():
        print(f"\n{sum(taken_up):,} runs of {len(taken_up)} programs were taken up")


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 22])
def test_debug_mode_takes_up_other_runs(number: int) -> None:
    case = drawn(number, 1)
    assert not may_be_infinite(case.program)
    assert resume_case(find_device(1), case, Random(number), debug=True)


# Bundled programs --------------------------------------------------------------------------------


class Marked(Posts):
    """A mask that is read and stays although all scatter; messages are under way."""

    mask = "v.id % 3 != 1"
    apply = (
        Posts.apply + "if (get_mask() || msg % 3 == 0) set_mask_of((v.id + 1) % g.num_vertices);"
    )


def simple(graph: Graph) -> Graph:
    ends = graph.edge_src, graph.edge_dst
    options = {"duplicates": "first", "self_loops": "drop", "directed": False}
    return Graph.from_edges(*ends, num_vertices=graph.num_vertices, **options)


PLACES = np.random.default_rng(0).uniform(-1, 1, (64, 3))


def of_one_stage(name: str) -> tuple[Any, int | None]:
    """What makes a bundled program, for a number of supersteps; how many (None: its rule says)."""
    cls = program_class(name)
    asked = cls.spec.supersteps_param
    if asked is None or cls.spec.params[asked].default is None:
        return lambda n: example(name, dtype="float64"), None
    return lambda n: example(name, dtype="float64", **{asked: n}), 6


#: What makes a program, for a number of supersteps; how many (None: its rule says).
PROGRAMS: dict[str, tuple[Any, int | None]] = {
    **{name: of_one_stage(name) for name in NAMES if program_class(name).solve is None},
    "BreadthFirst in lanes": (lambda n: bundled.BreadthFirst(source=[0, 5, 9]), None),
    "PageRank twelve times": (lambda n: bundled.PageRank(supersteps=n, dtype="float64"), 12),
    "Distances of two sources": (
        lambda n: bundled.Distances(sources=[0, 7], dtype="float64"), None
    ),
    "ShortestPaths in float32": (lambda n: bundled.ShortestPaths(source=0), None),
    # What others are made of.
    "Color": (lambda n: Color(), None),
    "Forward": (lambda n: Forward(source=[0, 7], dtype="float64"), None),
    "HubsAndAuthorities": (
        lambda n: HubsAndAuthorities(tolerance=1e-7, dtype="float64"), None
    ),
    "Particles": (
        lambda n: Particles(supersteps=n, dtype="float64", position=PLACES), 5
    ),
    "Peel": (lambda n: Peel(), None),
    "MultiSourceSearch": (
        lambda n: MultiSourceSearch(first=0, all=2**64 - 1, place=np.arange(64)), None
    ),
    "Shells": (lambda n: Shells(begin=0, limit=20, core=np.arange(64) % 24), None),
    "Trim": (lambda n: Trim(), None),
    "WeightedIteration": (lambda n: WeightedIteration(tolerance=1e-9, dtype="float64"), None),
    "WeightedWalks": (
        lambda n: WeightedWalks(alpha=0.05, tolerance=1e-9, dtype="float64"), None
    ),
    # What none of them has.
    "Marked": (lambda n: Marked(supersteps=n), 9),
    "Posts": (lambda n: Posts(supersteps=n), 9),
    "Waves": (lambda n: Waves(supersteps=n), 9),
}  # fmt: skip
#: Fields that the program would not find in its State, if they were not given.
GIVEN = {"Particles": "position", "MultiSourceSearch": "place", "Shells": "core"}
FAST = {"BreadthFirst", "Waves"}


def check_pairs(name: str, graph: Graph, group: int) -> int:
    """Every pair of deliveries, broken off at the beginning, midway and before the last superstep;
    and each after each. Returns how often a run was taken up."""
    make, fixed = PROGRAMS[name]
    shape = find_device(group)
    engines = [Engine(graph, shape), Engine(graph.with_edges(), shape)]  # an equal graph

    def program(left: int | None, first: bool) -> VertexProgram:
        made = make(left)
        if not first and name in GIVEN:
            made.initial.pop(GIVEN[name])
        return made

    names = ["auto", *admitted(make(fixed), shape)]
    wholes = {d: engines[0].run(make(fixed), delivery=d, keep_state=True) for d in names}
    wholes = {d: (whole, dict(whole.fields), dict(whole.arc_fields)) for d, whole in wholes.items()}
    steps, taken_up = wholes["auto"][0].supersteps, 0
    assert steps > 1
    chains = [
        ([cut], pair)
        for pair in product(names, repeat=2)
        for cut in sorted({0, 1, steps // 2, steps - 1})
    ]
    chains.append(([1] * (steps - 1), (names * steps)[:steps]))
    for cuts, chain in chains:
        parts = [
            Part(count, d, engines[i % 2])
            for i, (count, d) in enumerate(zip([*cuts, None], chain, strict=True))
        ]
        found, times = in_parts(program, fixed, parts)
        # Sums of floats have an order of their own in each delivery's aggregators.
        same_result(found, wholes[chain[-1]][0], exact=len(set(chain)) == 1)
        assert times == len(cuts)
        taken_up += times
    return taken_up


def graph_of(name: str) -> Graph:
    if name == "BipartiteMatching":
        return grid(6, 7)
    if name == "Diameter":
        return random_graph(3, directed=False)
    graph = weighted(random_graph(3, directed=True, edges=200), seed=7)
    if name == "Particles":
        return simple(graph)
    if name == "Peel":  # of which a part is left, and a long tail is not
        tail = np.arange(40, 63)
        return graph.with_edges(
            add=(tail, tail + 1),
            remove=[(u, v) for u, v in zip(*graph.coo(), strict=True) if max(u, v) >= 40],
            weight=np.ones(23),
        )
    return graph


@pytest.mark.parametrize(
    "name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in PROGRAMS]
)
@pytest.mark.parametrize("group", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_every_pair_of_deliveries(name, group):
    assert check_pairs(name, graph_of(name), group) >= 4 * len(DELIVERIES)


#: Programs of several stages begin with the State's fields only where they say so: a run that was
#: broken off is begun again, as the documentation of `solve` has it.
COMPOSITE = [n for n in NAMES if program_class(n).solve is not None and n != "ParticleCommunities"]
#: Parameters with which they take less time, or converge.
VALUES = {
    **{name: {"sources": 5} for name in ("WeightedBetweenness", "WeightedEdgeBetweenness")},
    **{name: {"alpha": 0.05} for name in ("Katz", "WeightedKatz")},
    "WeightedEccentricity": {"targets": 9},
}


#: Those with the stages of another one.
ALIKE = {
    *("WeightedEdgeBetweenness", "EdgeBetweenness", "HarmonicCloseness", "WeightedEigenvector"),
    *("WeightedHarmonicCloseness", "WeightedEccentricity", "WeightedKatz", "Neighborhoods"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in ALIKE else n for n in COMPOSITE]
)
def test_programs_of_several_stages_begin_again(name):
    graph = graph_of(name)
    engine, parameters = Engine(graph), VALUES.get(name, {})
    whole = engine.run(example(name, **parameters))
    for most in (0, 1, 3):
        options = {"max_supersteps": most, "keep_state": True, "not_converged": "ignore"}
        part = engine.run(example(name, **parameters), **options)
        again = engine.run(example(name, **parameters), state=part.state)
        assert again.converged and again.supersteps == whole.supersteps
        for field, values in whole.fields.items():
            assert again[field].tobytes() == values.tobytes()


def test_particles_continue_from_their_positions():
    """In the one program that goes on where another run ended, no particle is moved by that. Its
    communities go on from those that were found there, and may be others."""
    engine = Engine(simple(random_graph(3, directed=True)))
    whole = engine.run(bundled.ParticleCommunities(supersteps=7))
    part = engine.run(bundled.ParticleCommunities(supersteps=4), keep_state=True)
    rest = engine.run(bundled.ParticleCommunities(supersteps=3), state=part.state)
    assert rest.fields["position"].tobytes() == whole.fields["position"].tobytes()


@pytest.mark.parametrize("toy", one_in(3, TOYS))
def test_a_delivery_of_ones_own_takes_runs_up_and_is_taken_up(toy):
    """What it needs begins as the items of its buffers do."""
    graph = random_graph(3, directed=True)
    with registered(toy):
        engine = Engine(graph)
        whole = engine.run(Marked(supersteps=9), keep_state=True)
        for chain in ((toy, "push", toy), ("pull", toy, "edges"), ("slots", toy, "auto")):
            parts = [Part(n, d, engine) for n, d in zip((1, 2, None), chain, strict=True)]
            found, _ = in_parts(lambda left, first: Marked(supersteps=left), 9, parts)
            same_result(found, whole)


def test_groups_of_another_size_take_runs_up():
    graph = random_graph(3, directed=True)
    one, eight = (Engine(graph, find_device(group)) for group in (1, 8))
    whole = one.run(Marked(supersteps=9), keep_state=True)
    for engines in ((one, eight, one), (eight, one, eight)):
        chain = zip((2, 3, None), ("slots", "push", "edges"), engines, strict=True)
        parts = [Part(*part) for part in chain]
        found, _ = in_parts(lambda left, first: Marked(supersteps=left), 9, parts)
        same_result(found, whole)


# How runs end ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [("pull", "push"), ("push", "pull"), ("slots", "edges")])
def test_interrupted_runs_are_taken_up_by_another_delivery(pair):
    graph = weighted(grid(20, 20), seed=1)
    runner = Engine(graph)
    program = bundled.ShortestPaths(source=0)
    whole = runner.run(program, delivery=pair[1])

    def stop(step):
        if step.superstep == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as raised:
        runner.run(program, callback=stop, keep_state=True, delivery=pair[0])
    before = raised.value.result
    rest = runner.run(program, state=before.state, delivery=pair[1])
    assert before.supersteps + rest.supersteps == whole.supersteps
    assert np.array_equal(rest.distance, whole.distance)
    assert np.array_equal(rest.parent, whole.parent)


def test_a_stop_in_a_batch_of_supersteps():
    """The device stops by itself while more supersteps are under way; those do nothing, and the
    double buffers stand as it left them."""

    class Posted(Posts):
        rest = vertex.int32(init=7)
        stop = "superstep % 7 == 6"

    graph = random_graph(3, directed=True)
    engine = Engine(graph)
    whole = engine.run(Posted(supersteps=21))
    for pair in product(("slots", "push", "edges"), repeat=2):
        part = engine.run(Posted(supersteps=None), delivery=pair[0], keep_state=True)
        assert part.supersteps == 7 and part.converged
        part = engine.run(
            Posted(supersteps=None), delivery=pair[1], state=part.state, keep_state=True
        )
        rest = engine.run(Posted(supersteps=None), delivery=pair[0], state=part.state)
        assert rest.token.tolist() == whole.token.tolist()
        assert rest.seen.tolist() == whole.seen.tolist()


def test_a_callback_that_raises_uses_the_state_up():
    engine = Engine(grid(4, 4))
    part = engine.run(
        bundled.BreadthFirst(source=0), max_supersteps=2, keep_state=True, not_converged="ignore"
    )

    def fail(step):
        raise RuntimeError("of one's own")

    with pytest.raises(RuntimeError, match="of one's own"):
        engine.run(bundled.BreadthFirst(source=0), state=part.state, callback=fail)
    with pytest.raises(GasclError, match="used up by a later run of BreadthFirst"):
        engine.run(bundled.BreadthFirst(source=0), state=part.state)


# What cannot continue -----------------------------------------------------------------------------


def test_messages_of_another_type_are_refused():
    """The fields are integers whatever `real` is; the messages under way are not."""

    class Reals(Posts):
        message = "real"
        combine = "max"
        apply = Posts.apply.replace("+ msg", "+ (int)msg")

    engine = Engine(random_graph(3, directed=True))
    for one, other in (("float32", "float64"), ("float64", "float32")):
        state = engine.run(Reals(supersteps=2, dtype=one), keep_state=True).state
        with pytest.raises(ProgramError, match=r"another dtype.*use the same dtype"):
            engine.run(Reals(supersteps=2, dtype=other), state=state)
        assert engine.run(Reals(supersteps=2, dtype=one), state=state).converged
    # Where there is no `real` at all, any dtype is the same.
    state = engine.run(Posts(supersteps=4, dtype="float64"), keep_state=True).state
    rest = engine.run(Posts(supersteps=5), state=state)
    assert rest.seen.tolist() == engine.run(Posts(supersteps=9)).seen.tolist()


def test_a_state_on_another_device_is_refused():
    class Apart(Device):
        """With memory of its own, as another device has."""

        @cached_property
        def context(self):
            return cl.Context([self.cl])

    graph = grid(4, 4)
    part = Engine(graph).run(bundled.PageRank(), keep_state=True)
    with pytest.raises(
        DeviceError, match=r"the State of PageRank is in the memory of .*same device"
    ):
        Engine(graph, Apart(find().cl)).run(bundled.PageRank(), state=part.state)
    assert Engine(graph).run(bundled.PageRank(), state=part.state).converged  # it is as it was
