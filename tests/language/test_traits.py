"""The traits of programs, by which code is generated and deliveries admit programs."""

from __future__ import annotations

from typing import Any

import pytest
from support.case_subsets import one_in
from support.obfuscation import STATEMENTS, Disguise
from support.traits import traits_of

from gascl import VertexProgram, aggregate, arc, edge, param, vertex
from gascl.language.traits import Traits


class Plain(VertexProgram):
    """Sends along its arcs, takes the least, and marks itself."""

    x = vertex.int32()
    y = vertex.int32()
    weight = edge.int32(default=1)
    rule = param.choice("near", "far")
    change = aggregate.int32("sum")
    supersteps = param.supersteps()
    message, combine = "int32", "min"
    scatter = "if (v.x) send(v.x);"
    apply = "v.x = msg; set_mask();"


#: Of the class above. What the new declarations add is tested on its own, below.
PLAIN = {
    "scatters": True,
    "sends_only": True,
    "reads_edge": False,
    "arc_state": False,
    "every_arc_sends": False,
    "reads_singly": False,
    "sends_to": False,
    "apply_sends_to": False,
    "masked": True,
    "marks": False,
    "fusable": False,
    "overflows": False,
    "snapshots": (),
    "reads_others": (),
    "reads_neighbors": False,
    "own_neighbors": False,
    "can_trap": False,
    "lanes": 1,
    "pairs": False,
    "scatter_reads_others": False,
    "alternates": False,
}
ALL: dict[str, Any] = {
    "scatter_on": "all",
    "apply": "v.x = msg;",
    "supersteps": param.supersteps(1),
}
KEPT = {"kept": arc.int32()}
ON_ALL = {"masked": False, "fusable": True}
SINGLE = {"combine": None, "gather": "msg = messages[0];"}
#: (what is changed of the class, what is changed in what is found)
CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"pairs": "send(u.x);"}, {"pairs": True}),
    ({"scatter": ""}, {"scatters": False, "sends_only": False}),
    ({"scatter": "set_mask();"}, {"sends_only": False}),
    ({"scatter": "send(1); set_mask_of(e.dst);"},
     {"sends_only": False, "reads_edge": True, "fusable": True, "can_trap": True}),
    ({"scatter": "send(e.weight);"}, {"reads_edge": True, "fusable": True}),
    ({"scatter": "send(e.reversed);"}, {"reads_edge": True, "fusable": True}),
    (KEPT, {"arc_state": True}),  # whether or not scatter uses it
    ({**KEPT, "scatter": "send(e.kept);"},
     {"reads_edge": True, "fusable": True, "arc_state": True, "sends_only": False}),
    ({**KEPT, "scatter": "e.kept = 1;"},
     {"reads_edge": True, "fusable": True, "arc_state": True, "sends_only": False}),
    ({"edges": "alternate"}, {"alternates": True}),
    ({**ALL, "edges": "alternate"}, {**ON_ALL, "alternates": True}),
    ({**ALL, "edges": "alternate", "apply": "v.x = x_of(0);"},
     {**ON_ALL, "fusable": False, "alternates": True, "reads_others": ("x",), "snapshots": ("x",),
      "can_trap": True}),
    ({"scatter": "send(1);"}, {}),  # but only of those in the mask
    # Sums
    ({"combine": "sum"}, {"overflows": True}),
    ({"combine": "prod", "message": "uint8"}, {"overflows": True}),
    ({"combine": "sum", "message": "real"}, {}),
    ({"combine": "a + b", "identity": "0"}, {}),
    # On all
    (ALL, ON_ALL),
    ({**ALL, "scatter": "send(v.x);"}, {**ON_ALL, "every_arc_sends": True}),
    ({**ALL, "scatter": "if (v.x) stop send(v.x);", "functions": "#define stop return;"}, ON_ALL),
    ({**ALL, "scatter": "send(v.x);", "functions": "#define other return"},
     {**ON_ALL, "every_arc_sends": True}),
    ({**ALL, "combine": "sum"}, {**ON_ALL, "fusable": False, "overflows": True}),
    ({**ALL, "scatter": "if (prev.change) send(1);"}, {**ON_ALL, "fusable": False}),
    ({**ALL, "scatter": "if (get_mask()) send(1);"}, {}),
    ({**ALL, "apply": "unset_mask();"}, {"fusable": True}),
    ({**ALL, "apply": "v.x = get_mask_of(0);"}, {"fusable": True, "can_trap": True}),
    ({**ALL, "init": "set_mask_of(0);"}, {"fusable": True, "can_trap": True}),
    ({**ALL, "scatter": ""}, {"scatters": False, "sends_only": False, "masked": False}),
    ({**ALL, "scatter": "if (p.rule == rule_near) send(g.num_edges);"}, ON_ALL),
    # Masks
    ({"apply": "set_mask_of(0); unset_mask();"}, {"marks": True, "can_trap": True}),
    ({"apply": "set_mask_of(0); set_mask();"}, {"can_trap": True}),
    ({"scatter": "set_mask_of(0); send(1);", "apply": "unset_mask();"},
     {"sends_only": False, "can_trap": True}),
    ({"init": "set_mask_of(0);", "apply": "unset_mask();"}, {"can_trap": True}),
    # To any vertex
    ({"scatter": "send_to(0, 1);"}, {"sends_to": True, "sends_only": False, "can_trap": True}),
    ({"scatter": "send(1); send_to(0, 1);"},
     {"sends_to": True, "sends_only": False, "can_trap": True}),
    ({"apply": "send_to(0, 1);"}, {"sends_to": True, "apply_sends_to": True, "can_trap": True}),
    ({**ALL, "apply": "send_to(0, 1);"},
     {**ON_ALL, "sends_to": True, "apply_sends_to": True, "can_trap": True}),
    # Messages one by one
    (SINGLE, {"reads_singly": True, "can_trap": True}),
    ({**ALL, **SINGLE, "scatter": "send(1);"},
     {**ON_ALL, "reads_singly": True, "can_trap": True, "every_arc_sends": True}),
    # Fields of others: before apply, and copied where apply writes what others read then
    ({"scatter": "send(x_of(0));"},
     {"scatter_reads_others": True, "reads_others": ("x",), "can_trap": True}),
    ({"scatter": "send(x_of(e.dst));"},
     {"scatter_reads_others": True, "reads_others": ("x",), "can_trap": True, "reads_edge": True,
      "fusable": True}),
    ({"apply": "v.x = y_of(0);"}, {"reads_others": ("y",), "can_trap": True}),
    ({"apply": "v.x = x_of(0);"}, {"reads_others": ("x",), "snapshots": ("x",), "can_trap": True}),
    ({"apply": "v.y = 1; v.x = y_of(x_of(0));"},
     {"reads_others": ("x", "y"), "snapshots": ("x", "y"), "can_trap": True}),
    ({"scatter": "send(x_of(0));", "apply": "v.x = 1;"},
     {"scatter_reads_others": True, "reads_others": ("x",), "can_trap": True}),
    ({**SINGLE, "gather": "msg = x_of(0);"},
     {"reads_singly": True, "reads_others": ("x",), "snapshots": ("x",), "can_trap": True}),
    ({**SINGLE, "gather": "msg = y_of(0);"},
     {"reads_singly": True, "reads_others": ("y",), "can_trap": True}),
    ({**ALL, "scatter": "if (x_of(0)) send(1);"},
     {**ON_ALL, "fusable": False, "scatter_reads_others": True, "reads_others": ("x",),
      "can_trap": True}),
    ({**ALL, "apply": "v.x = x_of(0);"},
     {**ON_ALL, "reads_others": ("x",), "snapshots": ("x",), "can_trap": True}),
    # The adjacency
    ({"apply": "v.x = num_neighbors;"}, {"reads_neighbors": True, "own_neighbors": True}),
    ({"apply": "v.x = neighbor(0);"},
     {"reads_neighbors": True, "own_neighbors": True, "can_trap": True}),
    ({"init": "v.x = neighbor(0);"}, {"reads_neighbors": True, "can_trap": True}),
    ({"scatter": "send(neighbor(0));"}, {"reads_neighbors": True, "can_trap": True}),
    ({"apply": "v.x = neighbor_of(0, 0);"}, {"reads_neighbors": True, "can_trap": True}),
    ({"apply": "v.x = num_neighbors_of(0);"},
     {"reads_neighbors": True, "own_neighbors": True, "can_trap": True}),
    ({"apply": "v.x = weight_to(0);"},
     {"reads_neighbors": True, "can_trap": True, "reads_to": ("weight",)}),
    ({**ALL, "scatter": "if (num_neighbors_of(0)) send(1);"},
     {**ON_ALL, "reads_neighbors": True, "own_neighbors": True, "can_trap": True,
      "fusable": False}),
    ({**SINGLE, "gather": "msg = has_edge(0, 1);"},
     {"reads_neighbors": True, "can_trap": True, "reads_singly": True}),
    ({**ALL, "scatter": "if (num_neighbors) send(1);"},
     {**ON_ALL, "reads_neighbors": True, "own_neighbors": True}),
    ({**ALL, "scatter": "if (has_edge(0, 1)) send(1);"},
     {**ON_ALL, "reads_neighbors": True, "can_trap": True, "fusable": False}),
    ({"lanes": 5}, {"lanes": 5}),
]  # fmt: skip


def assert_found(cls: type[VertexProgram], expected: dict[str, Any]) -> None:
    found = traits_of(cls)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(("changed", "found"), CASES, ids=lambda x: ", ".join(map(str, x.values())))
def test_traits(changed, found):
    cls = type("Changed", (Plain,), changed)
    assert_found(cls, {**PLAIN, **found})


@pytest.mark.parametrize(
    ("changed", "found"), one_in(3, CASES), ids=lambda x: ", ".join(map(str, x.values()))
)
def test_traits_of_what_macros_hide(changed, found):
    cls = type("Changed", (Plain,), changed)
    shown = {**{name: getattr(cls, name) for name in STATEMENTS}, "functions": cls.functions}
    for seed in range(5):
        hidden = type("Hidden", (cls,), Disguise(seed).of(shown))
        assert_found(hidden, {**PLAIN, **found})


@pytest.mark.parametrize(
    ("changed", "skips"),
    [
        ({}, True),
        ({"scatter": ""}, False),
        ({"scatter": "send(1); set_mask();"}, False),
        ({"scatter": "send(1); set_mask_of(e.dst);"}, False),
        ({"scatter": "send(1); send_to(0, 1);"}, False),
        ({**KEPT, "scatter": "send(1); e.kept = 1;"}, False),
        ({**KEPT, "scatter": "send(e.kept);"}, False),
        (KEPT, True),
        # What cannot fail
        ({"scatter": "send(x_of(e.dst) + y_of( v.id ) + get_mask_of(e.src));"}, True),
        ({"scatter": "send(num_neighbors + get_mask());"}, True),
        ({"combine": "sum", "scatter": "if (v.x) send(v.x);"}, True),
        ({"scatter": "send(1); send(2);"}, True),
        # And what can
        ({"scatter": "send(x_of(e.dst) + x_of(v.y));"}, False),
        ({"scatter": "send(x_of(e.dst + 1));"}, False),
        ({"scatter": "send(get_mask_of(v.x));"}, False),
        ({"scatter": "send(neighbor(0));"}, False),
        ({"scatter": "send(has_edge(v.id, 0));"}, False),
        ({"combine": "sum", "scatter": "send(1); send(2);"}, False),
        ({"combine": "sum", "scatter": "for (int i = 0; i < 2; ++i) send(1);"}, False),
    ],
)
def test_which_arcs_may_be_left_out(changed, skips):
    cls = type("Changed", (Plain,), changed)
    assert Traits.of(cls.spec).skips == skips
    assert not Traits.of(cls.spec, debug=True).skips


def test_scatter_may_run_again():
    def scatter_repeatable(scatter: str) -> bool:
        return Traits.of(
            type("Kept", (Plain,), {**KEPT, "scatter": scatter}).spec
        ).scatter_repeatable

    assert scatter_repeatable("send(e.kept);")
    assert not scatter_repeatable("send(1); e.kept += 1;")
    assert not scatter_repeatable("send(1); set_mask();")
    assert not scatter_repeatable("send(1); set_mask_of(e.dst);")


def test_lanes_are_those_of_the_run():
    assert Traits.of(Plain.spec, 7).lanes == 7
    assert Traits.of(type("Three", (Plain,), {"lanes": 3}).spec, 7).lanes == 7


#: What decides how a frontier is kept and pulled, of the class above and of changed ones.
FRONTIER: dict[str, Any] = {
    "scatters_on_all": False,
    "first": False,
    "receives": False,
    "filters": False,
    "counts_once": False,
    "prioritized": False,
    "scatter_independent": False,  # scatter reads x, and apply writes it
    "own_mask": True,
    "reads_mask": False,
    "lists_directly": True,
    "keeps_flags": False,
}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, {}),
        ({"scatter": "send(v.y);"}, {"scatter_independent": True}),
        ({"scatter": "send(x_of(0));"}, {}),
        ({"scatter": "send(y_of(0));"}, {"scatter_independent": True}),
        ({"combine": "first"}, {"first": True, "counts_once": True}),
        ({"receive_if": "v.x > 0"}, {"receives": True}),
        ({"receive_if": "msg > v.x"}, {"receives": True, "filters": True}),
        (
            {"receive_if": "get_mask()"},
            {"receives": True, "reads_mask": True, "lists_directly": False, "keeps_flags": True},
        ),
        ({"enough": "msg <= 0"}, {"counts_once": True}),
        (ALL, {"scatters_on_all": True, "lists_directly": False}),
        (
            {"apply_on": "mask"},
            {"reads_mask": True, "lists_directly": False, "keeps_flags": True},
        ),
        (
            {"apply": "v.x = get_mask();"},
            {"reads_mask": True, "lists_directly": False, "keeps_flags": True},
        ),
        (
            {"scatter": "send(v.y); set_mask();"},
            {"own_mask": False, "lists_directly": False, "keeps_flags": True}
            | {"scatter_independent": True},
        ),
        (
            {"apply": "set_mask_of(0);"},
            {"own_mask": False, "lists_directly": False, "keeps_flags": True}
            | {"scatter_independent": True},
        ),
    ],
)
def test_traits_of_the_frontier(changed, found):
    assert_found(type("Changed", (Plain,), changed), {**FRONTIER, **found})


def test_waiting_for_a_bucket_takes_flags():
    class Waiting(VertexProgram):
        x = vertex.int32()
        message, combine = "int32", "min"
        priority = "v.x"
        scatter = "send(v.x);"
        apply = "v.x = msg; set_mask();"

    traits = Traits.of(Waiting.spec)
    assert (traits.prioritized, traits.lists_directly, traits.keeps_flags) == (True, False, True)
