"""The admission table: which delivery refuses which program on which device, and why."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import pytest
import support.admission
from support.admission import ANY_ORDER
from support.admitting_deliveries import admitted, demand_of

from gascl import (
    DeviceError,
    Engine,
    Graph,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    edge,
    struct,
    vertex,
)
from gascl.delivery import admission, registry
from gascl.delivery.admission import Parts
from gascl.delivery.atomics import Atomics
from gascl.delivery.cost import TYPICAL, costs_of
from gascl.delivery.registry import DELIVERIES, choose
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find


def test_every_delivery_has_its_rules():
    """Written independently of gascl's own, which random programs are compared with."""
    lacking = DELIVERIES.keys() - set(support.admission.DELIVERIES)
    assert not lacking, f"add {lacking} and their rules to tests/support/admission.py"


#: Compare-and-swap on 64 bits and all else; what a demand says must not depend on this machine.
FULL = Atomics(int64=True, int64_extended=True)


class Plain(VertexProgram):
    """Every delivery takes it."""

    Wide = struct([("a", "int64"), ("b", "int32")])
    Small = struct([("a", "int32"), ("b", "int16")])
    x = vertex.int32()
    weight = edge.int32(default=1)
    message, combine = "int32", "min"
    scatter = "send(v.x);"
    apply = "v.x = msg; set_mask();"


#: Those for programs whose messages have an order.
BY_SUPERSTEPS = [name for name in DELIVERIES if name not in ANY_ORDER]
SINGLE = "its gather snippet reads messages one by one"
ANEW = "its scatter does more than send along its arcs, and this delivery may run scatter again"
ARC = "it has arc fields"
OF_ARC = "its scatter reads `e`, so that messages are only known where they are combined"
OF_OTHERS = "its scatter reads `e`, and fields of other vertices"
ALTERNATES = "its edges alternate, and the list of active vertices counts this superstep's arcs"
ORDER = (
    "atomics would add its floats in a different order each time; Engine(..., deterministic=False)"
)
WIDE = "a combined message has 16 bytes, and atomics handle at most 8"
PRODUCT = "atomics cannot detect the overflow of a 64-bit product"
LANES = "it has several lanes, and there is only one list of active vertices"
EMPTIES = "its apply sends to any vertex, and pulling does not empty the inbox"
PUT = "scatter or other vertices put vertices into its mask"
ASKS = "it asks by get_mask() or get_mask_of() which vertices are in the mask"
OF_MASK = 'apply_on = "mask" lets the vertices in the mask apply'
SENDERS_OF_PAIRS = "its pairs snippet takes the vertices in the mask as senders"
SENDERS = "it combines messages atomically, and cannot tell which sender is the first"
REREADS = "scatter reads a field that apply writes, and 'first' is found by running"
WRITES = "scatter writes arc fields or sets the mask, and 'first' is found by running"
SILENT = "it sends nothing along arcs"
ONE = "it has combine = 'first', and a vertex that is reached pulls all of its row"
ENOUGH = "it has enough, and a vertex that is reached"
ANYONE = "it sends to any vertex"
NO_ATOMICS = "the device has no atomics for its combiner"


def inboxes(words: str) -> dict[str, str]:
    return dict.fromkeys(("push", "frontier", "edges"), words)


def sparse(words: str) -> dict[str, str]:
    return dict.fromkeys(("push", "frontier", "reached"), words)


def pulling(words: str) -> dict[str, str]:
    return dict.fromkeys(("pull", "outbox"), words)


def everywhere(words: str) -> dict[str, str]:
    """That serial alone does not refuse floats in any order."""
    return {n: words for n in BY_SUPERSTEPS if n != "serial" or words != ORDER}


REAL = {"message": "real", "combine": "sum"}
LEAST = {"combine": "a.a < b.a ? a : b", "scatter": "send((message){v.x, 1});", "apply": ""}
OF_WIDE = {"message": Plain.Wide, "identity": "(message){0, 0}", **LEAST}
TO_ANYONE = {"scatter": "send_to(0, v.x);"}
#: (what is changed of the class, who refuses it and why)
TABLE: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "plain": ({}, {}),
    "no scatter": ({"scatter": ""}, {"reached": SILENT}),
    "reads e": ({"scatter": "send(e.weight);"}, {}),
    "reads e.dst": ({"scatter": "send(e.dst);"}, {}),
    "reads e and others": (
        {"scatter": "send(e.weight + x_of(e.dst));"}, {"outbox": OF_OTHERS}
    ),
    "reads others": ({"scatter": "send(x_of(0));"}, {}),
    "edges alternate": ({"edges": "alternate"}, sparse(ALTERNATES)),
    "marks in scatter": (
        {"scatter": "send(1); set_mask();"},
        {**pulling(ANEW), "frontier": PUT, "reached": PUT},
    ),
    "only marks": (
        {"scatter": "set_mask();"}, {**pulling(ANEW), "frontier": PUT, "reached": PUT}
    ),
    "marks others": ({"apply": "set_mask_of(0);"}, {"frontier": PUT, "reached": PUT}),
    "asks for its mask": (
        {"apply": "v.x = get_mask(); set_mask();"}, {"frontier": ASKS, "reached": ASKS}
    ),
    "applies its mask": ({"apply_on": "mask"}, {"frontier": OF_MASK, "reached": OF_MASK}),
    "an arc field that scatter does not use": (
        {"kept": arc.int32()},
        {"pull": ARC, "frontier": ARC, "outbox": ARC, "reached": ARC},
    ),
    "arc state": (
        {"kept": arc.int32(), "scatter": "send(e.kept++);"},
        {"pull": ARC, "frontier": ARC, "outbox": ARC, "reached": ARC},
    ),
    "gather": (
        {"combine": None, "gather": "msg = messages[0];"},
        {"pull": SINGLE, "outbox": SINGLE, "reached": SINGLE, **inboxes(SINGLE)},
    ),
    "gather where every arc sends": (
        {"combine": None, "gather": "msg = messages[0];", "scatter_on": "all",
         "stop": "superstep > 2"},
        {"pull": SINGLE, **inboxes(SINGLE), "frontier": "every vertex scatters",
         "reached": "every vertex scatters"},
    ),
    "gather of the arc": (
        {"combine": None, "gather": "msg = messages[0];", "scatter": "send(e.id);"},
        {"pull": SINGLE, "outbox": OF_ARC, "reached": SINGLE, **inboxes(SINGLE)},
    ),
    # Payloads
    "8 bytes": (
        {"message": Plain.Small, "identity": "(message){0, 0}", **LEAST},
        {},
    ),
    "16 bytes": (OF_WIDE, inboxes(WIDE)),
    "a vector of 8 bytes": (
        {"message": "short4", "combine": "a + b", "identity": "(short4)(0)",
         "scatter": "send((short4)(1));", "apply": ""},
        {},
    ),
    "a vector of 3 that takes 16 bytes": (
        {"message": "float3", "combine": "fmin(a, b)", "identity": "(float3)(0)",
         "scatter": "send((float3)(1));", "apply": ""},
        inboxes(WIDE),
    ),
    "a product of 32 bits": ({"combine": "prod"}, {}),
    "a product of 64 bits": ({"combine": "prod", "message": "int64"}, inboxes(PRODUCT)),
    "an unsigned product of 64 bits": (
        {"combine": "prod", "message": "uint64"}, inboxes(PRODUCT)
    ),
    "a sum of 64 bits": ({"combine": "sum", "message": "int64"}, {}),
    "the largest of 64 bits": ({"combine": "max", "message": "uint64"}, {}),
    # Floats
    "a sum of floats": (REAL, inboxes(ORDER)),
    "a product of floats": ({**REAL, "combine": "prod"}, inboxes(ORDER)),
    "a sum of doubles": ({**REAL, "message": "float64"}, inboxes(ORDER)),
    "a product of doubles": ({"combine": "prod", "message": "float64"}, inboxes(ORDER)),
    "the least of floats": ({**REAL, "combine": "min"}, {}),
    "a rule over floats": (
        {**REAL, "combine": "a < b ? a : b", "identity": "INFINITY"}, {}
    ),
    "aggregated floats": ({"total": aggregate.real("sum"), "apply": "aggregate_total(1);"}, {}),
    "a mean": ({"mean": aggregate.real("mean"), "apply": "aggregate_mean(1);"}, {}),
    "the largest float aggregated": (
        {"most": aggregate.real("max"), "apply": "aggregate_most(1);"}, {}
    ),
    "aggregated integers": ({"n": aggregate.int32("sum"), "apply": "aggregate_n(1);"}, {}),
    # Lanes
    "lanes": ({"lanes": 2}, sparse(LANES)),
    "lanes and arc state": (
        {"lanes": 2, "kept": arc.int32(), "scatter": "send(e.kept);"},
        {"push": LANES, **dict.fromkeys(("pull", "frontier", "outbox", "reached"), ARC)},
    ),
    # Of several messages one, or the nearest first
    "the first": ({"combine": "first", "apply": "set_mask();"}, {"edges": SENDERS, "reached": ONE}),
    "the first, of a field that apply writes": (
        {"combine": "first"}, {**inboxes(REREADS), "edges": SENDERS, "reached": ONE}
    ),
    "the first, who writes on arcs": (
        {"combine": "first", "kept": arc.int32(), "scatter": "send(e.kept++);",
         "apply": "set_mask();"},
        {**pulling(ARC), "frontier": ARC, "push": WRITES, "edges": SENDERS, "reached": ONE},
    ),
    "the first, who stays in the mask": (
        {"combine": "first", "scatter": "send(v.x); set_mask();", "apply": "unset_mask();"},
        {**pulling(ANEW), "frontier": PUT, "push": WRITES, "edges": SENDERS, "reached": PUT},
    ),
    "pairs": (
        {"pairs": "send(u.x);"}, {"frontier": SENDERS_OF_PAIRS, "reached": SENDERS_OF_PAIRS}
    ),
    "enough": ({"enough": "msg == 0"}, {"reached": ENOUGH}),
    "not from all": ({"receive_if": "v.x > 0"}, {}),
    "only with the mask": (
        {"receive_if": "get_mask()"}, {"frontier": ASKS, "reached": ASKS}
    ),
    "not every message": ({"receive_if": "msg < v.x"}, {}),
    "the nearest first": (
        {"priority": "v.x"}, {"frontier": "it has a priority", "reached": "it has a priority"}
    ),
    # To any vertex
    "to anyone": (TO_ANYONE, {**pulling(ANEW), "frontier": ANEW, "reached": ANYONE}),
    "to anyone, from apply": (
        {"apply": "send_to(0, 1);"}, {"frontier": EMPTIES, "reached": ANYONE}
    ),
    "floats to anyone": (
        {**REAL, **TO_ANYONE},
        {**everywhere(ORDER), **pulling(ANEW), "frontier": ANEW, "reached": ANYONE},
    ),
    "floats to anyone, from apply": (
        {**REAL, "apply": "send_to(0, 1);"},
        {**everywhere(ORDER), "frontier": EMPTIES, "reached": ANYONE},
    ),
    "16 bytes to anyone": (
        {**OF_WIDE, "apply": "send_to(0, msg);"},
        {**everywhere(WIDE), "frontier": EMPTIES, "reached": ANYONE},
    ),
}  # fmt: skip
#: Those that deterministic=False lets pass.
BY_ORDER = (ORDER,)


#: Why messages are applied in supersteps: they are read, they add up, or nothing is said of them.
IN_SUPERSTEPS = (
    "its gather snippet reads messages one by one, all those of a superstep",
    "its messages are combined by 'sum', which must count each of them once",
    "its messages are combined by 'prod', which must count each of them once",
    "its messages may depend on their order: order = 'any' declares that they do not",
)


def refusals(changes: dict[str, Any], atomics: Atomics, deterministic: bool) -> dict[str, str]:
    program = type("Changed", (Plain,), changes)()
    demand = admission.demand_of(program, atomics, True, deterministic)
    found = {name: d.refuses(demand) for name, d in DELIVERIES.items()}
    assert registry.admitted(demand) == [n for n, why in found.items() if why is None]
    for name in ANY_ORDER:
        assert found.pop(name) in IN_SUPERSTEPS
    return {n: why for n, why in found.items() if why is not None}


def same_reasons(found: dict[str, str], expected: dict[str, str]) -> None:
    wrong = set(found) ^ set(expected)
    assert not wrong, f"{wrong}: write down in TABLE and `pulling` etc. which programs they refuse"
    for name, why in expected.items():
        assert found[name].startswith(why), name


@pytest.mark.parametrize("name", TABLE)
def test_refusals_of_each_delivery(name):
    changes, expected = TABLE[name]
    same_reasons(refusals(changes, FULL, True), expected)
    anyhow = {n: why for n, why in expected.items() if why not in BY_ORDER}
    same_reasons(refusals(changes, FULL, False), anyhow)


#: Of a program with order = "any": what is changed of it, of the device, and why it is refused.
UNORDERED = {"combine": "min", "order": "any", "apply": "v.x = min(v.x, msg); set_mask();"}
CPU = ""
WIDE_STATE = {"y": vertex.int64(), "apply": "v.x = msg; v.y = msg; set_mask();"}
IN_ANY_ORDER: dict[str, tuple[dict[str, Any], Atomics, str, str | None]] = {
    "plain": ({}, FULL, CPU, None),
    "on a device without atomics on 64 bits": ({}, Atomics(), CPU, None),
    "8 bytes": ({**WIDE_STATE, "y": vertex.int32()}, FULL, CPU, None),
    "8 bytes, of 32-bit atomics": (
        {**WIDE_STATE, "y": vertex.int32()},
        Atomics(),
        CPU,
        "the device has no atomic operations on 64 bits",
    ),
    "12 bytes": (WIDE_STATE, FULL, CPU, "apply writes 16 bytes of a vertex"),
    "lanes": ({"lanes": 2}, FULL, CPU, "it has several lanes"),
    "to anyone": ({"scatter": "send_to(0, v.x);"}, FULL, CPU, "it sends to any vertex"),
    "reads others": ({"scatter": "send(x_of(e.dst));"}, FULL, CPU, "it reads what apply writes of"),
    "together": ({}, FULL, "debug mode checks each superstep", "debug mode checks each"),
    "in place": ({"scatter": None, "apply_on": "all"}, FULL, CPU, "all its vertices apply"),
}


@pytest.mark.parametrize("name", IN_ANY_ORDER)
def test_who_may_be_asynchronous(name):
    changes, atomics, together, why = IN_ANY_ORDER[name]
    program = type("Unordered", (Plain,), {**UNORDERED, **changes})()
    demand = admission.demand_of(program, atomics, True, True, together)
    found = DELIVERIES["asynchronous"].refuses(demand)
    assert found is None if why is None else str(found).startswith(why)
    assert (choose(program, demand, "auto").name == "asynchronous") == (why is None)


def test_random_schedules_are_for_debug_mode():
    program = type("Unordered", (Plain,), UNORDERED)()
    demands = [admission.demand_of(program, FULL, True, True, debug=debug) for debug in (0, 1)]
    refused = [DELIVERIES["random"].refuses(demand) for demand in demands]
    assert str(refused[0]).startswith("it is for debug mode") and refused[1] is None
    assert choose(program, demands[1], "auto", debug=True).name != "random"


#: The same where all vertices apply.
OF_ALL = {"scatter": None, "apply_on": "all", "apply": "v.x = min(v.x, x_of(0)); send_to(0, v.x);"}
IN_PLACE: dict[str, tuple[dict[str, Any], Atomics, str, str | None]] = {
    "plain": ({}, FULL, CPU, None),
    "12 bytes": ({**WIDE_STATE, "apply": "v.x = v.y = 1;"}, FULL, CPU, "apply writes 16 bytes"),
    "8 bytes, of 32-bit atomics": (
        {"y": vertex.int32(), "apply": "v.x = v.y = 1;"},
        Atomics(),
        CPU,
        "the device has no atomic operations on 64 bits",
    ),
    "lanes": ({"lanes": 2}, FULL, CPU, "it has several lanes"),
    "together": ({}, FULL, "debug mode checks each superstep", "debug mode checks each"),
    "vertices that scatter": (
        {"scatter": Plain.scatter, "apply_on": "message"}, FULL, CPU, "only its vertices with"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_PLACE)
def test_who_may_apply_in_place(name):
    changes, atomics, together, why = IN_PLACE[name]
    program = type("Unordered", (Plain,), {**UNORDERED, **OF_ALL, **changes})()
    demand = admission.demand_of(program, atomics, True, True, together)
    found = DELIVERIES["in_place"].refuses(demand)
    assert found is None if why is None else str(found).startswith(why)
    assert (choose(program, demand, "auto").name == "in_place") == (why is None)


@pytest.mark.parametrize("sends", [True, False])
def test_who_may_apply_in_place_on_a_gpu(sends):
    apply = OF_ALL["apply"] if sends else "v.x = min(v.x, x_of(0));"
    program = type("Unordered", (Plain,), {**UNORDERED, **OF_ALL, "apply": apply})()
    demand = admission.demand_of(program, FULL, True, True, "", group=256)
    found = DELIVERIES["in_place"].refuses(demand)
    assert found is None if sends else str(found).startswith("on GPUs, it is for programs whose")


NARROW = {
    # 32 bits are part of OpenCL; a sum is held in 64.
    "plain": {},
    "lanes": sparse(LANES),
    "16 bytes": inboxes(WIDE),
    "8 bytes": inboxes(NO_ATOMICS),
    "a product of 32 bits": inboxes(NO_ATOMICS),
    "a sum of 64 bits": inboxes(NO_ATOMICS),
    "the largest of 64 bits": inboxes(NO_ATOMICS),
    "the least of floats": {},
    "a rule over floats": {},
    "to anyone, from apply": {"frontier": EMPTIES, "reached": ANYONE},
    "floats to anyone, from apply": {
        **everywhere(NO_ATOMICS),
        "frontier": EMPTIES,
        "reached": ANYONE,
    },
}


@pytest.mark.parametrize("name", NARROW)
def test_a_device_without_atomics_on_64_bits(name):
    same_reasons(refusals(TABLE[name][0], Atomics(), True), NARROW[name])


def test_without_doubles_a_sum_of_floats_takes_32_bits():
    program = type("Sum", (Plain,), REAL)()
    narrow = admission.demand_of(program, Atomics(), False, False)
    assert (narrow.accumulator.c, narrow.atomic) == ("float", "cas")
    assert admitted(program, Single(find().cl), deterministic=False) == BY_SUPERSTEPS


# What auto chooses -------------------------------------------------------------------------------

AUTO = {
    "plain": "frontier",
    "no scatter": "push",
    "reads e": "frontier",
    "marks in scatter": "push",
    "marks others": "push",
    "arc state": "push",
    "gather": "slots",
    "16 bytes": "reached",
    "a sum of floats": "reached",
    "aggregated floats": "frontier",
    "lanes": "pull",
    "the first": "frontier",
    "the first, of a field that apply writes": "pull",
    "the nearest first": "push",
    "to anyone": "push",
    "to anyone, from apply": "push",
    "pairs": "push",
    "floats to anyone": "",
}


@pytest.mark.parametrize("name", AUTO)
def test_what_auto_chooses(name):
    program = type("Changed", (Plain,), TABLE[name][0])()
    demand = admission.demand_of(program, FULL, True, True)
    if not AUTO[name]:
        with pytest.raises(ProgramError, match=r"auto: atomics .*; use delivery='serial'$"):
            choose(program, demand, "auto")
        return
    assert choose(program, demand, "auto").name == AUTO[name]


@pytest.mark.parametrize(
    ("changes", "chosen"),
    [
        ({}, "outbox"),
        ({"scatter": "send(e.weight);"}, "outbox"),
        ({"scatter": "send(e.weight + x_of(e.dst));"}, "pull"),
        ({"scatter": "send(1); set_mask();"}, "push"),
        (
            {"scatter": "send(1); set_mask();", "combine": "a ^ b", "identity": "0"},
            "slots",
        ),
        ({"scatter": None, "apply": "send_to(v.id, 1);"}, "pull push"),
        ({"combine": None, "gather": "msg = messages[0];"}, "outbox"),
        ({"combine": None, "gather": "msg = 0;", "scatter": "if (v.x) send(1);"}, "slots"),
    ],
)
def test_what_auto_chooses_where_all_scatter(changes, chosen):
    on_all = {"scatter_on": "all", "stop": "superstep > 2"}
    program = type("OnAll", (Plain,), {**on_all, **changes})()
    demand = demand_of(program)
    assert choose(program, demand, "auto").name == chosen.split()[0]
    costs = costs_of(program, demand, TYPICAL, on_gpu=True)
    assert choose(program, demand, "auto", costs=costs).name == chosen.split()[-1]


# Where a device has only some of the arcs ---------------------------------------------------------

BLOCKS = {"slots", "pull", "outbox"}
NEIGHBORS = {"scatter": "send(neighbor(0));"}
#: Who takes a program on several ranks, with their arcs on the devices; on one device, to which
#: they come in parts; and where both is so.
IN_PARTS: dict[str, tuple[dict[str, Any], set[str], set[str], set[str]]] = {
    "plain": ({}, {*BLOCKS, "push", "frontier"}, {"pull", "outbox"}, {"pull", "outbox"}),
    "applied by all": ({"apply_on": "all"}, BLOCKS, {"pull", "outbox"}, {"pull", "outbox"}),
    "applies its mask": (TABLE["applies its mask"][0], BLOCKS, *2 * [{"pull", "outbox"}]),
    "marks others": (TABLE["marks others"][0], BLOCKS, *2 * [{"pull", "outbox"}]),
    "marks in scatter": (TABLE["marks in scatter"][0], {"slots"}, set(), set()),
    "arc state": (TABLE["arc state"][0], {"slots", "push"}, set(), set()),
    "gather": (TABLE["gather"][0], {"slots"}, set(), set()),
    "lanes": ({"lanes": 3}, BLOCKS, {"pull", "outbox"}, {"pull", "outbox"}),
    "neighbors": (NEIGHBORS, {*BLOCKS, "push", "frontier"}, set(), {"pull", "outbox"}),
    "to anyone": (TO_ANYONE, {"slots"}, set(), set()),
    "to anyone, from apply": (
        {"apply": "send_to(0, 1);"},
        BLOCKS,
        {"pull", "outbox"},
        {"pull", "outbox"},
    ),
}


@pytest.mark.parametrize("name", IN_PARTS)
def test_deliveries_that_take_arcs_in_parts(name):
    changes, *taken = IN_PARTS[name]
    program = type("Changed", (Plain,), changes)()
    demand = admission.demand_of(program, FULL, True, True)
    short = "the device is small"
    cases = (Parts(ranks=2), Parts(short=short), Parts(ranks=2, short=short))
    for parts, expected in zip(cases, taken, strict=True):
        found = set()
        for each in DELIVERIES:
            with contextlib.suppress(ProgramError, DeviceError):
                found.add(choose(program, demand, each, parts=parts).name)
        assert found == expected, parts
        if not expected:
            kind, remedy = (
                (DeviceError, "a device with more") if parts.short else (ProgramError, "MPI")
            )
            with pytest.raises(kind, match=rf"^Changed cannot .*; and {parts}: .*{remedy}$"):
                choose(program, demand, "auto", parts=parts)


# In runs -----------------------------------------------------------------------------------------


class Single(Device):
    fp64 = False


class Poor(Device):
    """32 bits only."""

    atomics = Atomics()


class Plainest(Device):
    """Nothing but compare-and-swap."""

    atomics = Atomics(int64=True, native=False)


@functools.cache
def engine(kind: type[Device] = Device, deterministic: bool = True) -> Engine:
    graph = Graph.from_edges([0, 0, 1, 2, 3, 3], [1, 2, 3, 3, 4, 0])
    return Engine(graph, kind(find().cl), deterministic=deterministic)


Sum = type("Sum", (Plain,), {**REAL, "apply": "v.x = msg;"})


def test_an_engine_refuses_and_names_the_others():
    refusing = TABLE["a sum of floats"][1]
    others = ", ".join(name for name in BY_SUPERSTEPS if name not in refusing)
    said = "^delivery 'push' cannot run Sum: atomics would add its floats .*"
    with pytest.raises(ProgramError, match=said + f"use one of: {others}$"):
        engine().run(Sum(), delivery="push")


def but_slow(*quick: str) -> list[Any]:
    """All deliveries; these are quick tests."""
    return [d if d in quick else pytest.param(d, marks=pytest.mark.slow) for d in DELIVERIES]


@pytest.mark.parametrize("delivery", but_slow("frontier", "edges", "outbox"))
def test_a_run_names_the_delivery_it_went_by(delivery):
    result = engine(deterministic=False).run(Sum(), delivery=delivery)
    if delivery == "frontier":  # which says in which way it went, and why
        assert {s.delivery for s in result.trace} <= {"push", "pull"}
        assert all(s.why for s in result.trace)
        return
    assert result.delivery == delivery
    assert {s.delivery for s in result.trace} == {delivery}
    assert {s.why for s in result.trace} == {""}


@pytest.mark.parametrize("delivery", but_slow("push", "edges"))
def test_every_delivery_on_a_device_without_atomics_on_64_bits(delivery):
    least = type("Least", (Plain,), {"x": vertex.int32(init="9 - v.id"), "apply": "v.x = msg;"})()
    # Each vertex has the least of those with an arc to it: of 9, 8, 7, 6 and 5.
    assert engine(Poor).run(least, delivery=delivery).x.tolist() == [6, 9, 9, 7, 6]


def test_what_a_device_without_atomics_on_64_bits_refuses():
    poor = engine(Poor)
    sum_ = type("Sum", (Plain,), {"combine": "sum", "scatter": "send(1);", "apply": "v.x = msg;"})()
    for delivery in ("push", "edges"):
        with pytest.raises(ProgramError, match=f"'{delivery}' cannot run Sum: {NO_ATOMICS}"):
            poor.run(sum_, delivery=delivery)
    assert poor.run(sum_).delivery in ("pull", "outbox", "slots", "reached")
    posts = type("Posts", (Plain,), {"combine": "sum", "scatter": "send_to(0, 1);"})()
    with pytest.raises(ProgramError, match=f"auto: {NO_ATOMICS}; .*another device"):
        poor.run(posts)


@pytest.mark.parametrize(
    "changes",
    [
        "8 bytes",
        *(
            pytest.param(changes, marks=pytest.mark.slow)
            for changes in ("plain", "a sum of 64 bits", "the least of floats")
        ),
    ],
)
def test_an_engine_on_a_device_with_compare_and_swap_alone(changes):
    """As the others give it."""
    program = type("Changed", (Plain,), {**TABLE[changes][0], "mask": "v.id != 1"})()
    expected = engine().run(program, delivery="serial", max_supersteps=5, not_converged="ignore")
    for delivery in ("push", "edges"):
        result = engine(Plainest).run(
            program, delivery=delivery, max_supersteps=5, not_converged="ignore"
        )
        assert result.x.tolist() == expected.x.tolist()
        assert result.supersteps == expected.supersteps
