"""What ranks exchange after each superstep, and which programs need that of a halo alone."""

import pytest

from gascl import VertexProgram, arc, param, vertex
from gascl.delivery.admission import halo_refuses, local_refuses
from gascl.delivery.exchanged_rows import exchanged_marks, exchanged_rows
from gascl.delivery.registry import DELIVERIES
from gascl.delivery.run_layout import VERTEX, Key
from gascl.language.traits import Traits
from gascl.programs import BreadthFirst, MaximalIndependentSet, PageRank


class Base(VertexProgram):
    """Scatter reads x; y is read by its own vertex alone."""

    supersteps = param.supersteps(3)
    x = vertex.int32(init="v.id")
    y = vertex.int32()
    message, combine = "int32", "min"
    mask = "v.id < 5"
    scatter = "send(v.x);"
    apply = "v.x = msg; v.y += 1; set_mask();"


class Neighbors(Base):
    apply = "v.x = msg; v.y = neighbor(0); set_mask();"


class Reads(Base):
    apply = "v.x = msg + y_of(0); v.y += 1; set_mask();"


class Sends(Base):
    apply = "v.x = msg; v.y += 1; send_to(0, 1);"


class Asks(Base):
    apply = "v.x = msg; v.y += get_mask_of(0); set_mask();"


class Marks(Base):
    apply = "v.x = msg; v.y += 1; set_mask_of(0); unset_mask();"


class Wakes(Base):
    scatter = "send(v.x); set_mask();"


class Waits(Base):
    priority = "v.y"


class Turns(Base):
    edges = "alternate"


class Meets(Base):
    pairs = "if (u.x != v.x) send(u.x);"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        *((cls, None) for cls in (Base, Neighbors, PageRank, BreadthFirst, MaximalIndependentSet)),
        (Reads, "it reads fields of any vertex"),
        (Sends, "it sends to any vertex"),
        *((cls, "it reads or sets the mask of other vertices") for cls in (Asks, Marks, Wakes)),
        (Waits, "its priority compares all vertices that wait"),
        (Turns, "its edges alternate, and so does the rank that has a vertex"),
        (Meets, "every pair of vertices interacts"),
    ],
)
def test_which_programs_have_halos(program, why):
    assert halo_refuses(Traits.of(program.spec)) == why


class Keeps(Base):
    sent = arc.int32()


class Looks(Base):
    apply = "v.x = msg; v.y += get_mask(); set_mask();"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        *((cls, None) for cls in (Base, PageRank, BreadthFirst)),
        (Neighbors, "it reads neighbors, which may be any vertices"),
        (Keeps, "it has arc fields"),
        (Looks, "it reads the mask"),
        (Reads, "it reads fields of any vertex"),
        (Meets, "every pair of vertices interacts"),
    ],
)
def test_for_which_programs_a_rank_has_its_own_vertices_and_halo(program, why):
    assert local_refuses(Traits.of(program.spec)) == why


@pytest.mark.parametrize(
    ("program", "delivery", "fields", "others", "marks"),
    [
        (Base, "slots", ["x"], ["next"], []),
        (Base, "pull", ["x"], ["next"], []),
        (Base, "push", ["x"], [], []),
        (Reads, "pull", ["x", "y"], ["next"], []),
        (Waits, "pull", ["x", "y"], ["next"], []),
        (Turns, "pull", ["x", "y"], ["next"], []),
        (Marks, "pull", ["x"], ["next"], ["marks"]),
        (PageRank, "outbox", [], ["outbox_next"], []),
    ],
)
def test_what_they_exchange(program, delivery, fields, others, marks):
    """Fields that apply writes and others read, the next mask, or what apply has put into the
    outbox."""
    traits, way = Traits.of(program.spec), DELIVERIES[delivery]
    there = [Key(way.active.owner, b.name) for b in way.active.buffers if way.needs(b, traits)]
    given = program.spec, traits, way, there
    rows = exchanged_rows(*given)
    assert [key.name for key in rows if key.owner == VERTEX] == fields
    assert [key.name for key in rows if key.owner != VERTEX] == others
    assert [key.name for key in exchanged_marks(*given)] == marks
