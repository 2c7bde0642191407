"""Runs that go on from a checkpoint equal, bit for bit, the run that was not broken off."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from support.admission import expected_deliveries
from support.admitting_deliveries import admitted
from support.agreement import find_device, gascl_graph, same
from support.case_subsets import one_in
from support.killed_runs import RUNS, kill_runs
from support.program_text import build, listing
from support.random_cases import MOST, RECIPES, drawn
from support.resumes import Posts, Waves, same_result
from support.samples import random_graph, weighted

from gascl import (
    DeviceError,
    Engine,
    FormatError,
    GasclError,
    Graph,
    Interrupted,
    VertexProgram,
    aggregate,
    param,
    vertex,
)
from gascl import programs as bundled
from gascl.programs.hits import HubsAndAuthorities
from gascl.programs.multi_source_search import MultiSourceSearch
from gascl.programs.particle_communities import Particles
from gascl.run import plan
from gascl.run.checkpoint import same_runs
from gascl.run.options import MAX_SUPERSTEPS

pytestmark = [
    pytest.mark.usefixtures("poisoned"),
    pytest.mark.filterwarnings("ignore:.*no edge field"),
]


class Drawn(VertexProgram):
    """Random numbers, and a sum of floats, whose last bits depend on the order."""

    supersteps = param.supersteps(12)
    seed = param.int32(5)
    x = vertex.real(init="uniform(p.seed, v.id)")
    total = aggregate.real("sum")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x * 0.3f);"
    apply = """
        v.x = 0.5f * uniform(p.seed, v.id, superstep) + 0.1f * msg + 1e-3f * prev.total;
        aggregate_total(v.x);
    """


class Asked(VertexProgram):
    """It is Python that ends it."""

    n = vertex.int64(init="v.id")
    most = aggregate.int64("max")
    message, combine = "int64", "max"
    scatter_on = apply_on = "all"
    scatter = "send(v.n + 1);"
    apply = "v.n = max(v.n, msg); aggregate_most(v.n);"

    def converged(self, step: Any) -> bool:
        return step.aggregates["most"] > 100


class Swung(VertexProgram):
    """Every vertex swings with a period of its own; the run ends because a state is repeated."""

    n = vertex.int32(init="v.id % 5")
    total = aggregate.int32("sum")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.n = v.n == 0 ? 3 : v.n == 1 ? 2 : v.n == 2 ? 1 : v.n == 3 ? 0 : 4; "
    stop = "agg.total < 0"


PLACES = np.random.default_rng(0).uniform(-1, 1, (64, 3))
PROGRAMS = {
    "PageRank": lambda: bundled.PageRank(),
    "PageRank, many times": lambda: bundled.PageRank(supersteps=30, dtype="float64"),
    "PageRank, personal": lambda: bundled.PageRank(personalization=np.arange(64) % 7),
    "BreadthFirst": lambda: bundled.BreadthFirst(source=0),
    "BreadthFirst, in lanes": lambda: bundled.BreadthFirst(source=[0, 7, 9]),
    "ShortestPaths": lambda: bundled.ShortestPaths(source=0),
    "ShortestPaths, another field": lambda: bundled.ShortestPaths(source=0, weight="minutes"),
    "ConnectedComponents": lambda: bundled.ConnectedComponents(),
    "MaximalIndependentSet": lambda: bundled.MaximalIndependentSet(),
    "HubsAndAuthorities": lambda: HubsAndAuthorities(tolerance=1e-7, dtype="float64"),
    "MultiSourceSearch": lambda: MultiSourceSearch(first=0, all=2**64 - 1, place=np.arange(64)),
    "Particles": lambda: Particles(supersteps=5, dtype="float64", position=PLACES),
    "Drawn": lambda: Drawn(),
    "Asked": lambda: Asked(),
    "Posts": lambda: Posts(),
    "Swung": lambda: Swung(),
    "Waves": lambda: Waves(),
}


def graph_of(name: str) -> Graph:
    graph = weighted(random_graph(3, directed=True, edges=200), seed=7)
    if name == "Particles":
        ends = graph.edge_src, graph.edge_dst
        simple = {"duplicates": "first", "self_loops": "drop", "directed": False}
        return Graph.from_edges(*ends, num_vertices=graph.num_vertices, **simple)
    minutes = np.random.default_rng(1).random(graph.num_edges)
    return graph.with_edge_fields(weight="weight", minutes=minutes)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.ckpt"


def in_pieces(make, engines, file, cuts, **options):
    """The last of runs that end after so many supersteps, and each of which goes on."""
    for i, cut in enumerate([*cuts, None]):
        result = engines[i % len(engines)].run(
            make(),
            checkpoint=file,
            every=2,
            resume=i > 0,
            max_supersteps=cut,
            not_converged="ignore",
            **options,
        )
        if cut is not None:
            assert result.supersteps == cut and file.exists()
    return result


@pytest.mark.parametrize("which", ["auto", pytest.param("every delivery", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", one_in(3, PROGRAMS))
def test_programs(name, which, file):
    graph, make = graph_of(name), PROGRAMS[name]
    engines = [Engine(graph), Engine(graph.with_edges())]  # an equal graph
    for delivery in ["auto"] if which == "auto" else admitted(make(), engines[0].device):
        # Who asks for a number of supersteps gets them, and no rounds.
        asked = {"max_supersteps": MAX_SUPERSTEPS, "not_converged": "ignore"}
        whole = engines[0].run(make(), delivery=delivery, **asked)
        steps = whole.supersteps
        assert steps > 2
        middle = min(steps // 2 + 1, steps - 1)
        for cuts in ([1], [middle], [1, 2, middle, steps - 1]):
            found = in_pieces(make, engines, file, cuts, delivery=delivery)
            same_result(found, whole)
            assert found.stopped == whole.stopped and found.delivery == whole.delivery
            ways = [[(s.delivery, s.why) for s in each.trace] for each in (found, whole)]
            assert ways[0] == ways[1]
            file.unlink()


def case_in_pieces(device: Any, number: int, rng: Random, file: Any) -> int:
    """A random program, by every delivery, broken off at random; checked against the oracle."""
    case = drawn(number, 1 if device.group != 8 else 8)
    params, resumed = dict(case.params), 0
    lists = [len(v) for v in params.values() if isinstance(v, list)]
    lanes = lists[0] if lists else case.program.lanes or 1
    for plain in case.plain:
        outcome, fields = case.outcome(plain), case.given(plain) if case.given else {}
        if outcome.supersteps < 2:
            continue
        for delivery in sorted(expected_deliveries(case.program, case.dtype, False, lanes)):
            cuts = sorted(rng.sample(range(1, outcome.supersteps), 1))
            for cut in (*cuts, MOST):
                # A class of the same text: the process that goes on has defined its own.
                cls = build(case.program)
                found = Engine(gascl_graph(plain), device, deterministic=False).run(
                    cls(dtype=case.dtype, **params, **fields),
                    delivery=delivery,
                    max_supersteps=cut,
                    checkpoint=file,
                    every=1,
                    resume=True,
                    not_converged="ignore",
                )
            same(found, outcome, f"{delivery} cut at {cuts}\n{listing(case.program)}")
            resumed += 1
            file.unlink()
    return resumed


@pytest.mark.parametrize("number", [1, pytest.param(24, marks=pytest.mark.slow)])
def test_random_programs(number, file):
    assert case_in_pieces(find_device((1, 8)[number % 2]), number, Random(number), file)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(RECIPES)))
def test_every_recipe(device, number, file):
    case_in_pieces(device, number, Random(number), file)


@pytest.mark.usefixtures("renumbered")
@pytest.mark.parametrize("name", ["PageRank", "PageRank, personal", "Asked"])
def test_other_numbers_do_not_show(name, file, monkeypatch):
    """A run goes on where vertices have other numbers on the device."""
    from gascl.graph import reordering

    graph, make = graph_of(name), PROGRAMS[name]
    whole = Engine(graph).run(make())
    assert whole.numbering
    Engine(graph).run(make(), checkpoint=file, max_supersteps=2, not_converged="ignore")
    monkeypatch.setattr(reordering, "hubs_first", lambda d: np.arange(len(d), dtype=np.int32)[::-1])
    rest = Engine(graph_of(name)).run(make(), checkpoint=file, resume=True)
    same_result(rest, whole, exact=name == "Asked")  # sums of floats have another order


def test_a_state_of_groups_of_another_size_continues(file):
    graph = random_graph(3, directed=True)
    engines = [Engine(graph, find_device(group)) for group in (1, 8)]
    whole = engines[0].run(Posts())
    same_result(in_pieces(Posts, engines, file, [2, 5], delivery="slots"), whole)


def test_a_start_of_ones_own(file):
    graph, program = graph_of(""), bundled.ShortestPaths(source=0)
    engine = Engine(graph)
    whole = engine.run(program, start=[0, 3], max_supersteps=MAX_SUPERSTEPS)
    found = in_pieces(lambda: program, [engine], file, [2], start=[0, 3])
    same_result(found, whole)
    with pytest.raises(GasclError, match="another start="):
        engine.run(program, start=[0, 4], checkpoint=file, resume=True)


# When ---------------------------------------------------------------------------------------------


def test_every_so_many_supersteps(file):
    seen = []

    def look(step):
        seen.append(len(np.load(file)["trace"]) if file.exists() else 0)

    result = Engine(graph_of("")).run(
        Asked(), callback=look, checkpoint=file, every=10, not_converged="ignore"
    )
    # The callback is called for a superstep before it is saved.
    assert seen == [10 * (i // 10) for i in range(result.supersteps)]


def test_every_so_often(file, monkeypatch):
    from gascl.run import checkpoint

    now = [0.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: now[0])
    seen = []

    def tick(step):
        seen.append(len(np.load(file)["trace"]) if file.exists() else 0)
        now[0] += 20.0

    Engine(graph_of("")).run(Asked(), callback=tick, checkpoint=file)
    assert seen[:8] == [0, 0, 0, 3, 3, 3, 6, 6]
    file.unlink()
    seen.clear()
    Engine(graph_of("")).run(Asked(), callback=tick, checkpoint=file, every="2min")
    assert seen[:8] == [0] * 6 + [6] * 2


def test_a_run_that_ends_by_its_rule_leaves_the_file_as_it_was(file):
    engine = Engine(graph_of(""))
    engine.run(bundled.PageRank(), checkpoint=file, every="1h")
    assert not file.exists()
    engine.run(Posts(supersteps=9), checkpoint=file, every=4)
    assert len(np.load(file)["trace"]) == 8


def test_without_a_file_a_run_begins(file):
    engine = Engine(graph_of(""))
    whole = engine.run(bundled.PageRank())
    same_result(engine.run(bundled.PageRank(), checkpoint=file, resume=True), whole)


def test_more_supersteps_than_before(file):
    """A number of supersteps that is asked for is of the whole run, and may be another one."""
    engine = Engine(graph_of(""))
    whole = engine.run(Posts(supersteps=40))
    options = {"max_supersteps": 10, "not_converged": "ignore"}
    engine.run(Posts(supersteps=20), checkpoint=file, every=20, **options)
    assert engine.run(Posts(supersteps=10), checkpoint=file, resume=True).supersteps == 10
    same_result(engine.run(Posts(supersteps=40), checkpoint=file, resume=True), whole)
    for most in (None, 1000):
        with pytest.raises(GasclError, match=r"has 10 supersteps.*after 9: request 10 or more"):
            engine.run(Posts(supersteps=9), checkpoint=file, resume=True, max_supersteps=most)


def test_callbacks_hear_of_new_supersteps_alone(file):
    engine, heard = Engine(graph_of("")), []
    engine.run(Posts(), checkpoint=file, max_supersteps=4, not_converged="ignore")
    result = engine.run(Posts(), checkpoint=file, resume=True, callback=heard.append)
    assert [s.superstep for s in heard] == [4, 5, 6, 7, 8]
    assert [s.superstep for s in result.trace] == list(range(9))
    assert [s.seconds > 0 for s in result.trace] == [False] * 4 + [True] * 5


def test_ctrl_c_saves(file):
    engine = Engine(graph_of(""))
    whole = engine.run(Asked())

    def press(step):
        if step.superstep == 30:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted, match=r"checkpoint='.*run.ckpt', resume=True") as caught:
        engine.run(Asked(), checkpoint=file, every="1h", callback=press)
    assert len(np.load(file)["trace"]) == caught.value.result.supersteps
    same_result(engine.run(Asked(), checkpoint=file, resume=True), whole)


def test_a_full_disk_does_not_end_the_run(file, monkeypatch):
    engine = Engine(graph_of(""))
    whole = engine.run(Posts())
    engine.run(Posts(), checkpoint=file, max_supersteps=2, not_converged="ignore")
    before = file.read_bytes()

    def full(*arguments, **arrays):
        arguments[0].write(b"half of")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", full)
        with pytest.warns(UserWarning, match="No space left on device.*the run continues without"):
            found = engine.run(Posts(), checkpoint=file, every=1, resume=True)
    same_result(found, whole)
    assert file.read_bytes() == before and [*file.parent.iterdir()] == [file]


# Kills --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["PageRank", pytest.param("ShortestPaths", marks=pytest.mark.slow)]
)
def test_kills(name):
    counts = kill_runs(name, 1)
    assert counts["ended"] and not counts["wrong"]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_many_kills(name):
    counts = kill_runs(name, 40, seed=1)
    assert counts["ended"] and not counts["wrong"] and counts["while writing"]


# Refusals -----------------------------------------------------------------------------------------


class OtherPosts(Posts):
    """The same by another name."""


def edited(cls, **changed):
    """A class of the same name with other attributes."""
    return type(cls.__name__, (cls,), changed)


REFUSED = {
    "another program": (
        lambda g: (g, OtherPosts()),
        "belongs to a run of Posts, not of OtherPosts",
    ),
    "another snippet": (
        lambda g: (g, edited(Posts, scatter="send(1);")()),
        "a run of Posts with other snippets or declarations",
    ),
    "another type": (
        lambda g: (g, edited(Posts, seen=vertex.int32())()),
        "a run of Posts with other snippets or declarations",
    ),
    "another dtype": (
        lambda g: (g, Posts(dtype="float64")),
        "with dtype='float32', not dtype='float64'",
    ),
    "another graph": (
        lambda g: (g.with_edges(add=[(0, 1)]), Posts()),
        "on a graph with other edges",
    ),
    "another direction": (lambda g: (g.reversed(), Posts()), "on a graph with other edges"),
}


@pytest.mark.parametrize("other", REFUSED)
def test_other_runs_are_refused(other, file):
    graph = random_graph(3, directed=True)
    engine = Engine(graph)
    engine.run(Posts(), checkpoint=file, max_supersteps=2, not_converged="ignore")
    before = file.read_bytes()
    make, why = REFUSED[other]
    graph, program = make(graph)
    with pytest.raises(GasclError, match=f"run.ckpt .*{why}.*; resume that run"):
        Engine(graph).run(program, checkpoint=file, resume=True)
    assert file.read_bytes() == before


def test_other_parameters_fields_and_deliveries_are_refused(file):
    graph = graph_of("")
    engine, make = Engine(graph), bundled.PageRank
    options = {"checkpoint": file, "max_supersteps": 3, "not_converged": "ignore"}

    def refused(why, program, engine=engine, **more):
        with pytest.raises(GasclError, match=why):
            engine.run(program, checkpoint=file, resume=True, **more)

    engine.run(make(rank=np.arange(64), damping=0.8), **options, delivery="pull")
    refused("with damping=0.8, not damping=0.85", make(rank=np.arange(64)))
    refused("other initial values of the field 'rank'", make(damping=0.8))
    again = make(rank=np.arange(64), damping=0.8)
    refused("delivery='pull', not delivery='slots'", again, delivery="slots")
    debug = Engine(graph, debug=True, seed=3)
    refused("without debug mode, not in debug mode with seed=3", again, debug, delivery="pull")
    file.unlink()
    engine.run(bundled.ShortestPaths(source=0), **options)
    others = graph.with_edge_fields(weight=graph.edge_fields["weight"] * 2)
    refused("of the edge field 'weight'", bundled.ShortestPaths(source=0), Engine(others))
    # A field that it does not read may be another one.
    others = graph.with_edge_fields(weight="weight", minutes=graph.edge_fields["minutes"] * 2)
    Engine(others).run(bundled.ShortestPaths(source=0), checkpoint=file, resume=True)


def test_other_versions_are_refused(file, monkeypatch):
    from gascl.run import checkpoint

    engine = Engine(graph_of(""))
    engine.run(Posts(), checkpoint=file, max_supersteps=2, not_converged="ignore")
    for name, value, why in (
        ("__version__", "9.9", r"written by gascl 0\S+, and this is gascl 9.9"),
        ("FORMAT", 3, r"has the format 2, and gascl \S+ reads 3"),
        ("FORMAT", 1, r"has the format 2, and gascl \S+ reads 1"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(checkpoint, name, value)
            with pytest.raises(GasclError, match=why):
                engine.run(Posts(), checkpoint=file, resume=True)


def changed_about(file, change):
    """Rewrite what a checkpoint says of itself."""
    arrays = dict(np.load(file))
    about = json.loads(arrays["about"].tobytes())
    change(about)
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with file.open("wb") as out:
        np.savez(out, **arrays)


def test_code_that_is_generated_otherwise_is_the_same_program(file, monkeypatch):
    """Another version of the generator, or another device, makes other code of a program."""
    engine = Engine(random_graph(3, directed=True))
    engine.run(Posts(), checkpoint=file, max_supersteps=2, not_converged="ignore")
    generate = plan.generate

    def commented(*args, **options):
        header = generate(*args, **options)
        return replace(header, text=f"{header.text.rstrip()}  // by another version\n")

    monkeypatch.setattr(plan, "generate", commented)
    Engine(engine.graph).run(edited(Posts)(), checkpoint=file, resume=True)


def test_a_device_with_other_types_is_refused(file):
    engine = Engine(graph_of(""))
    engine.run(Posts(), checkpoint=file, max_supersteps=2, not_converged="ignore")
    changed_about(file, lambda about: about.update(layout=about["layout"].replace("<i8", "<i4")))
    with pytest.raises(DeviceError, match=r"other types than on .*: resume on a device like that"):
        engine.run(Posts(), checkpoint=file, resume=True)


def test_a_file_that_exists_is_not_overwritten(file):
    file.write_text("precious")
    with pytest.raises(GasclError, match=r"run\.ckpt exists already: give resume=True"):
        Engine(graph_of("")).run(Posts(), checkpoint=file)
    assert file.read_text() == "precious"


def test_damaged_files_are_refused(file):
    engine = Engine(random_graph(3, directed=True))
    whole = engine.run(Posts())
    engine.run(Posts(), checkpoint=file, max_supersteps=4, not_converged="ignore")
    right = file.read_bytes()
    rng = np.random.default_rng(0)
    wrong = [b"", b"PK", right[:100], right[: len(right) // 2], right[:-1], b"{}", right[::-1]]
    refused = 0
    for content in wrong:
        file.write_bytes(content)
        with pytest.raises(
            FormatError, match=r"run\.ckpt is damaged, or not a checkpoint .*name another"
        ):
            engine.run(Posts(), checkpoint=file, resume=True)
    for place in rng.integers(0, len(right), 60).tolist():
        bits = bytearray(right)
        bits[place] ^= 1 << rng.integers(8)
        file.write_bytes(bits)
        said = ""
        try:  # a bit that says when a member was written means nothing
            same_result(engine.run(Posts(), checkpoint=file, resume=True), whole)
        except FormatError as error:
            said = str(error)
        assert not said or "run.ckpt is damaged, or not a checkpoint" in said
        refused += bool(said)
    assert refused > 20


def test_an_npz_of_something_else_is_refused(file):
    with file.open("wb") as out:
        np.savez(out, rank=np.arange(3))
    with pytest.raises(FormatError, match="is damaged, or not a checkpoint"):
        Engine(graph_of("")).run(Posts(), checkpoint=file, resume=True)


@pytest.mark.parametrize(
    "every", [0, -1, 1.5, True, "", "60", "0s", "-1s", "1 day", "s", None.__class__, [1]]
)
def test_intervals_that_are_none(every, file):
    with pytest.raises(GasclError, match=r"every=.* must be a time, such as '60s'"):
        Engine(graph_of("")).run(Posts(), checkpoint=file, every=every)


def test_what_cannot_have_a_checkpoint(file, tmp_path):
    engine = Engine(graph_of(""))

    def refused(why, program, kind=GasclError, **options):
        with pytest.raises(kind, match=why):
            engine.run(program, **options)

    refused("Hits: checkpoint=.*solve.*on parts of its work", bundled.Hits(), checkpoint=file)
    state = engine.run(Posts(), keep_state=True).state
    refused("Posts: .*leave out state=", Posts(), checkpoint=file, state=state)
    refused("resume=True is about a checkpoint: give checkpoint=FILE", Posts(), resume=True)
    refused("every='5s' is about a checkpoint: give checkpoint=FILE", Posts(), every="5s")
    there = tmp_path / "none" / "run.ckpt"
    refused("there is no folder .*none; create it first", Posts(), FormatError, checkpoint=there)
    refused("cannot be written: it is a folder", Posts(), FormatError, checkpoint=tmp_path)
    refused("checkpoint is given as 3", Posts(), FormatError, checkpoint=3)
    assert not file.exists()


def test_an_empty_graph(file):
    graph = Graph.from_edges([], [], num_vertices=0)
    for _ in range(2):
        assert Engine(graph).run(Posts(), checkpoint=file, resume=True).converged
    assert not file.exists()


class Bounds(VertexProgram):
    """A vector as an aggregator, which leaves gaps in the records of supersteps."""

    supersteps = param.supersteps(9)
    at = vertex.real2(init="(real2)(v.id, -v.id)")
    box = aggregate.real2("fmax(a, b)", identity="(real2)(-INFINITY, -INFINITY)")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = """
        v.at = (real2)(v.at.y + msg, v.at.x);
        aggregate_box(v.at);
    """


def test_records_with_gaps_are_kept_whole(file):
    engine = Engine(graph_of(""))
    whole = engine.run(Bounds(dtype="float64"))
    same_result(in_pieces(lambda: Bounds(dtype="float64"), [engine], file, [2, 4]), whole)


def test_runs_are_told_apart_by_values_given_by_label():
    """Ranks compare these before a run."""
    graph, program = Graph.from_edges([0, 1], [1, 2]), bundled.PageRank
    texts = [
        same_runs(program(personalization=given), graph)["initial fields"]
        for given in ({0: 1.0}, {0: 1.0}, {0: 2.0})
    ]
    assert texts[0] == texts[1] != texts[2]
