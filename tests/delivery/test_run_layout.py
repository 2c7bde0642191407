"""What a run needs in memory, and which kernel takes which: no device is asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gascl.programs
from gascl import GasclError, VertexProgram, arc, edge, vertex
from gascl.codegen.constants import Fault
from gascl.codegen.generate import generate
from gascl.delivery.buffers import Buffer
from gascl.delivery.delivery import Delivery
from gascl.delivery.launch import FINISH, START, Launch
from gascl.delivery.registry import DELIVERIES
from gascl.delivery.run_layout import (
    ARC,
    EDGE,
    GRAPH,
    NEXT,
    RUN,
    VERTEX,
    Extent,
    Key,
    RunLayout,
    run_layout,
)
from gascl.language.traits import Traits

V, A, GROUPS = 1000, 5000, 16
EXTENT = Extent(V, A, "int32", group=1, groups=GROUPS, blocks=16, block_groups=16, lines=10)


class Levels(VertexProgram):
    level = vertex.int32(init="v.id == 0 ? 0 : -1")
    message, combine = "int32", "min"
    mask = "v.id == 0"
    scatter = "send(v.level + 1);"
    apply = "if (v.level < 0) { v.level = msg; set_mask(); }"


class Weighed(Levels):
    """Vectors, arc and edge fields, lanes."""

    at = vertex.float3()
    kept = arc.int16()
    weight = edge.float32(default=2.0)
    lanes = 3
    scatter = "e.kept += 1; send(v.level + (int)e.weight + e.reversed);"


class Ahead(Levels):
    apply = "if (v.level < 0) { v.level = msg; send_to(0, 1); }"


def spec_of(
    program: type[VertexProgram],
    delivery: str | Delivery,
    extent: Extent = EXTENT,
    persistent: bool = False,
) -> RunLayout:
    chosen = DELIVERIES[delivery] if isinstance(delivery, str) else delivery
    lanes = program.spec.lanes
    traits = Traits.of(program.spec, lanes)
    header = generate(program.spec, lanes=lanes)
    persistent = persistent or chosen.queues  # which has no other form
    return run_layout(program.spec, header, traits, chosen, extent, persistent)


def bundled() -> list[type[VertexProgram]]:
    found = [getattr(gascl.programs, name) for name in gascl.programs.__all__]
    return [each for each in found if isinstance(each, type) and issubclass(each, VertexProgram)]


def test_arrays_of_a_rank():
    """Neighbors are those of the whole graph, and arcs to scatter on those of the rank."""

    class Asks(Levels):
        scatter = "if (num_neighbors > 2 && neighbor(0) > 2) send(v.level + 1);"

    alone = spec_of(Asks, "slots")
    apart = spec_of(Asks, "slots", replace(EXTENT, all_arcs=3 * A))
    scatter = "gascl_slots_scatter"
    places = [i for i, k in enumerate(alone.arguments[scatter]) if k == Key(GRAPH, "out_targets")]
    found = [apart.arguments[scatter][i] for i in places]
    assert found == [Key(GRAPH, "all_out_targets"), Key(GRAPH, "out_targets")]
    assert [apart.graph[key].count for key in found] == [3 * A, A]
    assert Key(GRAPH, "all_out_offsets") in apart.arguments["gascl_commit"]
    assert apart.own[Key("slots", "messages")].count == A
    assert not any(key.name.startswith("all_") for key in alone.graph)


def test_neighbors_of_own_vertices():
    """Where only apply reads them, those of the rank's own vertices are enough."""

    class Asks(Levels):
        scatter = "if (num_neighbors > 2) send(v.level + 1);"
        apply = "if (neighbor(0) != v.id) v.level = msg;"

    apart = spec_of(Asks, "slots", replace(EXTENT, all_arcs=3 * A, own_arcs=2 * A))
    assert Key(GRAPH, "own_out_offsets") in apart.graph
    assert apart.graph[Key(GRAPH, "own_out_targets")].count == 2 * A
    assert not any(key.name == "all_out_targets" for key in apart.graph)
    alone = spec_of(Asks, "slots")
    assert not any(key.name.startswith("own_") for key in alone.graph)


def test_buffers_of_a_delivery():
    """Slots have a mark for each arc; an outbox has an entry for each vertex, and is swapped."""
    slots, outbox = spec_of(Levels, "slots"), spec_of(Levels, "outbox")
    assert slots.own[Key("slots", "sent")].count == A
    assert outbox.own[Key("outbox", "outbox")].count == V
    for name, spec, own in (("slots", slots, "sent"), ("outbox", outbox, "outbox")):
        owners = {key.owner for its in spec.arguments.values() for key in its if key[1] == own}
        assert owners == {name}
    assert slots.swaps == ()
    assert outbox.swaps == ((Key("outbox", "outbox"), Key("outbox", "outbox_next")),)


def test_types_and_counts():
    spec = spec_of(Weighed, "slots")
    at = spec.own[Key(VERTEX, "at")]  # a vector of 3 takes the place of 4
    assert (at.nbytes, at.count) == (4 * 4 * 3 * V, 3 * V)
    kept = spec.own[Key(ARC, "kept")]
    assert (kept.dtype, kept.count) == (np.int16, 3 * A)
    assert spec.own[Key("slots", "messages")].nbytes == 4 * 3 * A
    assert spec.own[Key(RUN, "mask")].nbytes == V
    assert spec.own[Key(RUN, "counts")].nbytes == 16 * GROUPS
    assert spec.graph[Key(GRAPH, "out_offsets")].nbytes == 4 * (V + 1)
    wide = spec_of(Weighed, "slots", extent=replace(EXTENT, offset="int64"))
    assert wide.graph[Key(GRAPH, "out_offsets")].nbytes == 8 * (V + 1)
    edges = {key: array for key, array in spec.graph.items() if key.owner == EDGE}
    assert {array.edge.name: array.nbytes for array in edges.values()} == {
        "weight": 4 * A,
        "reversed": A,
    }


def test_only_what_is_used():
    pulled = spec_of(Levels, "pull")
    assert not {key.name for key in pulled.own} & {"inbox", "arrived", "flags", "paired", "boxes"}
    assert Key(GRAPH, "slot") not in pulled.graph
    assert Key(GRAPH, "in_sources") in pulled.graph
    pushed = {key.name for key in spec_of(Levels, "push").own}
    assert {"inbox", "arrived", "receivers", "mask"} <= pushed
    assert not pushed & {"inbox_next", "flags", "listed", "bits", "pulled", "piles"}
    assert Key(GRAPH, "in_sources") not in spec_of(Levels, "push").graph
    asked = type("Asked", (Levels,), {"apply": "v.level = get_mask(); set_mask();"})
    assert {"flags", "listed"} <= {key.name for key in spec_of(asked, "push").own}
    ahead = spec_of(Ahead, "push")
    assert "receivers_next" in {key.name for key in ahead.own}
    assert (Key(RUN, "inbox"), Key(RUN, "inbox_next")) in ahead.swaps


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("program", [c for c in bundled() if c.solve is None])
def test_every_buffer_is_given_to_a_kernel(program, delivery):
    """Or takes the place of one that is, after a superstep."""
    spec = spec_of(program, delivery)
    given = {key for its in spec.arguments.values() for key in its}
    given |= {key for pair in spec.swaps for key in pair if given & {*pair}}
    assert not {*spec.graph, *spec.own} - given


def test_what_a_frontier_takes_that_pushes_and_pulls():
    """The arcs in both orders, and edge fields in both; bits for two supersteps."""

    class Nearest(Levels):
        weight = edge.int32(default=1)
        scatter = "send(v.level + e.weight);"

    spec = spec_of(Nearest, "frontier")
    assert {Key(GRAPH, f"{way}_offsets") for way in ("in", "out")} <= set(spec.graph)
    edges = [array.edge for array in spec.graph.values() if array.edge]
    assert {(its.name, its.order) for its in edges} == {("weight", "out"), ("weight", "in")}
    assert spec.own[Key("active set lists", "bits")].count == 2 * -(-V // 32)
    assert spec.own[Key("frontier", "pulled")].count == V


def test_where_every_arc_has_its_reverse_both_orders_are_one():
    """But for the way in which arcs run."""

    class Nearest(Levels):
        weight = edge.int32(default=1)
        scatter = "send(v.level + e.weight * (e.reversed + 1) + e.id);"

    extent = replace(EXTENT, symmetric=True)
    spec = spec_of(Nearest, "frontier", extent=extent)
    names = {key.name for key in spec.graph}
    ids, reversed_ = {"id@out", "weight@out:int:1"}, {"reversed@out", "reversed@in"}
    assert names >= ids | reversed_ and not names & {"id@in", "weight@in:int:1"}
    assert names - ids - reversed_ == {"out_blocks", "out_offsets", "out_targets"}
    pulled = spec_of(Levels, "pull", extent=extent).graph
    assert {key.name for key in pulled} == {"out_offsets", "out_targets", "out_blocks"}
    other = spec_of(Nearest, "frontier")
    assert spec.arguments.keys() == other.arguments.keys()
    for kernel, arguments in spec.arguments.items():
        twins = [str(a).replace("in_sources", "out_targets") for a in other.arguments[kernel]]
        twins = [a if a.startswith("num_") else a.replace("in_", "out_") for a in twins]
        twins = [a if "reversed" in a else a.replace("@in", "@out") for a in twins]
        assert [str(a) for a in arguments] == twins, kernel


def test_only_floats_can_be_nan_and_only_some_programs_have_faults():
    assert not {Key(RUN, "nans"), Key(RUN, "faults")} & set(spec_of(Levels, "pull").own)
    real = type("Real", (Levels,), {"x": vertex.real(), "at": vertex.double3()})
    assert spec_of(real, "pull").own[Key(RUN, "nans")].nbytes == 2 * 8
    anyone = type("Anyone", (Levels,), {"scatter": "send_to(0, v.level);"})
    assert spec_of(anyone, "push").own[Key(RUN, "faults")].count == len(Fault) * 10


def test_arguments_that_a_program_does_not_need_are_left_out():
    """Of a launch that names them, too, so that kernels do not take them."""
    persistent = DELIVERIES["push"].persistent
    assert persistent is not None and "piles" in persistent.arguments
    piles = Key("active set lists", "piles")

    def given(program: type[VertexProgram], delivery: str) -> tuple[Key | str, ...]:
        return spec_of(program, delivery, persistent=True).arguments["gascl_persistent"]

    assert piles not in given(Levels, "push")
    turns = type("Turns", (Levels,), {"priority": "v.level"})
    assert piles in given(turns, "push")
    assert "gascl_split_far" in spec_of(turns, "push").arguments
    assert "gascl_split_far" not in spec_of(Levels, "push").arguments
    assert Key(RUN, "inbox_next") in given(Ahead, "push")
    # Without a persistent kernel, there are no words for it.
    for whole in (False, True):
        spec = spec_of(Levels, "push", persistent=whole)
        assert (Key(RUN, "team") in spec.own) == ("gascl_persistent" in spec.arguments) == whole
    # Where the arcs of senders begin, which a scatter that may fail is not run without.
    degrees, gather = Key(GRAPH, "out_offsets"), "gascl_outbox_gather"
    summed = type("Summed", (Levels,), {"combine": "sum"})  # may overflow
    assert degrees not in spec_of(Levels, "outbox").arguments[gather]
    assert degrees in spec_of(summed, "outbox").arguments[gather]
    assert degrees in spec_of(Levels, "outbox", persistent=True).arguments[gather]
    # The rows of the next superstep, where edges alternate.
    following = Key(NEXT, "in_offsets")
    assert following not in given(Levels, "pull")
    assert following in given(type("Turning", (Levels,), {"edges": "alternate"}), "pull")


def test_what_kernels_are_given():
    spec = spec_of(Levels, "pull")
    header = generate(Levels.spec)
    assert header.state == ("run", "control", "v.level")
    state = (Key(RUN, "run"), Key(RUN, "control"), Key(VERTEX, "level"), Key(RUN, "mask"))
    state += (Key("active set bytes", "next"),)
    tallies, counts = Key(RUN, "tallies"), Key(RUN, "counts")
    begun = (tallies, counts, Key(RUN, "posted"))
    assert spec.arguments[START.kernel] == (*state, "given", "partly", "kept", "own_mask", *begun)
    counted = (tallies, "num_tallies", counts, "num_counts")
    decision = ("starting", "ask_stop", "least_arcs", "most_arcs", Key(RUN, "records"), "record")
    assert spec.arguments[FINISH.kernel] == (*state, *counted, *decision)
    gather = spec.arguments["gascl_pull_gather"]
    blocks = Key(GRAPH, "in_blocks")
    assert gather[len(state) : len(state) + 2] == (blocks, "num_in_blocks")
    assert gather[-1] == Key("pull", "pulled")


def test_pull_stores_no_messages_if_scatter_reads_nothing_that_apply_writes():
    class Named(Levels):
        scatter = "send(v.id);"

    kept, gone = spec_of(Levels, "pull"), spec_of(Named, "pull")
    assert kept.own.keys() - gone.own.keys() == {Key("pull", "pulled")}
    assert kept.arguments.keys() - gone.arguments.keys() == {"gascl_pull_apply"}
    assert gone.arguments["gascl_pull_gather"][-1] == Key(RUN, "tallies")


def test_where_a_rule_gives_the_arcs():
    """Degrees have a byte, and the commit of the mask counts no arcs."""

    class Named(Levels):
        scatter = "send(v.id + v.out_degree);"

    stored, made = (spec_of(Named, "pull", replace(EXTENT, ids=n)) for n in (None, 3))
    degree, offsets = Key(GRAPH, "out_degree"), Key(GRAPH, "out_offsets")
    assert [each.graph[degree].nbytes for each in (stored, made)] == [4 * V, V]
    assert offsets in stored.arguments["gascl_commit"]
    assert offsets not in made.graph


def test_a_delivery_may_call_its_buffers_as_it_likes():
    """Its own kernels see its own; those that every run has see theirs."""
    names = ("cells", "given", "tallies", "mask", "slot")
    own = replace(
        DELIVERIES["slots"],
        name="own",
        buffers=tuple(Buffer(name, "flag", "vertex") for name in names),
        launches=(Launch("own_kernel", "one", ("STATE", *names)),),
    )
    spec = spec_of(Levels, own)
    given = spec.arguments["own_kernel"]
    assert given[-5:] == tuple(Key("own", name) for name in names)
    assert Key(RUN, "mask") in given[:-5]
    assert spec.arguments[START.kernel][-3] == Key(RUN, "tallies")
    assert "given" in spec.arguments[START.kernel]


def test_an_argument_that_nothing_has():
    unknown = replace(
        DELIVERIES["slots"], name="own", launches=(Launch("own_kernel", "one", ("nowhere",)),)
    )
    with pytest.raises(
        GasclError, match="own_kernel has the argument 'nowhere', which is no array"
    ):
        spec_of(Levels, unknown)
