"""One declaration in several classes, under several names: each class has a copy of its own."""

from __future__ import annotations

from typing import Any

import pytest

from gascl import (
    Engine,
    Graph,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    edge,
    param,
    struct,
    vertex,
)

RING = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], weight=[10, 20, 30, 40], cost=[1, 2, 3, 4])


class First(VertexProgram):
    Way = struct([("far", "int32"), ("to", "int32")])
    supersteps = param.supersteps(1)
    rate = param.int32(3, low=0)
    rule = param.choice("near", "far")
    x = vertex.int32(init="v.id + 1")
    way = vertex.struct(Way, init="(Way){7, v.id}")
    weight = edge.int32()
    told = arc.int32(init="e.src")
    most = aggregate.int32("max")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "e.told += p.rate; send(e.weight + e.told);"
    apply = "v.x = msg; aggregate_most(v.way.to);"


class Second(VertexProgram):
    """Everything of First under other names; of the struct, only what is declared with it."""

    rounds = First.supersteps
    speed = First.rate
    how = First.rule
    y = First.x
    route = First.way
    cost = First.weight
    kept = First.told
    top = First.most
    message, combine = First.message, First.combine
    scatter_on = apply_on = "all"
    scatter = "e.kept += p.speed; send(e.cost + e.kept);"
    apply = "v.y = p.how == how_far ? msg : 0; aggregate_top(v.route.far);"


def test_each_class_keeps_its_own():
    first, second = First(rate=2), Second(speed=5, how="far", rounds=2)
    assert (first.rate, first.rule, first.supersteps) == (2, "near", 1)
    assert (second.speed, second.how, second.rounds) == (5, "far", 2)
    names = [
        [*table]
        for table in (Second.spec.vertex_fields, Second.spec.edge_fields, Second.spec.arc_fields)
    ]
    assert names == [["y", "route"], ["cost"], ["kept"]]
    for cls in (First, Second):
        tables = (
            cls.spec.vertex_fields,
            cls.spec.edge_fields,
            cls.spec.arc_fields,
            cls.spec.params,
            cls.spec.aggregates,
        )
        for table in tables:
            assert [f.name for f in table.values()] == [*table]
            assert all(getattr(cls, name) is table[name] for name in table)


def test_both_run():
    ran = Engine(RING).run(First(rate=2))
    assert ran.x.tolist() == [40 + 3 + 2, 10 + 0 + 2, 20 + 1 + 2, 30 + 2 + 2]
    assert ran.arc_fields["told"].tolist() == [2, 3, 4, 5]
    assert ran.trace[0].aggregates == {"most": 3}
    ran = Engine(RING).run(Second(speed=2, how="far"))
    assert ran.y.tolist() == [4 + 3 + 2, 1 + 0 + 2, 2 + 1 + 2, 3 + 2 + 2]
    assert ran.arc_fields["kept"].tolist() == [2, 3, 4, 5]
    assert ran.trace[0].aggregates == {"top": 7}


def test_two_names_in_one_class():
    class Twice(VertexProgram):
        supersteps = param.supersteps(1)
        low = high = param.int32(4)
        x = y = vertex.int32(init=5)
        apply_on = "all"
        apply = "v.x += p.low; v.y += p.high;"

    made = Twice(low=1)
    assert (made.low, made.high) == (1, 4)
    ran = Engine(RING).run(made)
    assert (ran.x.tolist(), ran.y.tolist()) == ([6] * 4, [9] * 4)


def test_classes_that_mix_in_declarations():
    class Sized:
        rate = param.int32(4)
        x = vertex.int32(init=5)

    class One(Sized, VertexProgram):
        supersteps = param.supersteps(1)
        apply_on = "all"
        apply = "v.x += p.rate;"

    class Other(One):
        slow = One.rate
        apply = "v.x -= p.slow + p.rate;"

    class Quick:
        rate = param.int32(9)

    class Again(Quick, One):
        pass

    assert (One(rate=3).rate, Other(slow=2).rate, Other(slow=2).slow) == (3, 4, 2)
    assert (Again().rate, Again(rate=6).rate, One().rate) == (9, 6, 4)
    assert Engine(RING).run(One(rate=3)).x.tolist() == [8] * 4
    assert Engine(RING).run(Other(slow=2)).x.tolist() == [5 - 6] * 4


def test_a_declaration_outside_of_classes():
    shared = param.int32(2)
    one = type("One", (First,), {"a": shared})
    other = type("Other", (First,), {"b": shared, "c": shared})
    assert (one(a=5).a, one().a, other(b=3, c=4).b, other(b=3).c, shared.name) == (5, 2, 3, 2, "")


@pytest.mark.parametrize("value", [First.rate, param.int32(1)])
def test_a_parameter_that_a_class_is_given_later(value: Any):
    later = type("Later", (Second,), {})
    later.quick = value  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"Later has no parameter .*in the class statement"):
        _ = later().quick  # type: ignore[attr-defined]


def test_a_declaration_is_not_changed():
    with pytest.raises(AttributeError):
        First.x.init = 3  # type: ignore[misc]


def test_a_struct_of_another_class_whose_name_is_taken():
    with pytest.raises(ProgramError, match="the struct of 'way' has no name"):
        type("Taken", (VertexProgram,), {"Way": struct([("z", "int32")]), "way": First.way})
