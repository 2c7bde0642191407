"""The warning of fields that keep old values where no message comes, and where there is none."""

from __future__ import annotations

import sys
import warnings

import pytest
from support.case_subsets import one_in

import gascl.programs
from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.language.stale_fields import stale_field

#: 0 and 3 have no incoming arc.
GRAPH = Graph.from_edges([0, 1, 2, 3], [1, 2, 1, 1])


def program(**changes) -> type[VertexProgram]:
    """The sick count their sick neighbors; x is set to what it is sent."""
    body = {
        "supersteps": param.supersteps(3),
        "x": vertex.int32(init="v.id < 2"),
        "total": vertex.int32(),
        "message": "int32",
        "combine": "sum",
        "scatter_on": "all",
        "scatter": "if (v.x) send(1);",
        "apply": "v.total = v.total + 1;\nv.x = msg;",
    }
    return type("Sick", (VertexProgram,), body | changes)


STALE = [
    {},
    {"combine": "max"},
    {"combine": "a > b ? a : b", "identity": "0"},
    {"scatter": "send(v.x);"},
    {"scatter": "send(v.x);", "combine": "prod"},
    {"scatter": "if (x_of(e.dst)) send(1);"},
    {"apply": "{ v.x = 2 * (msg + 1); }"},
]
FRESH = [
    {"apply_on": "all"},
    {"scatter_on": "mask"},
    {"apply": "if (has_msg) v.x = msg;"},
    {"apply": "if (msg > v.x) v.x = msg;"},
    {"apply": "v.x = max(v.x, msg);"},
    {"apply": "v.x += msg;"},
    {"apply": "v.total = msg;", "scatter": "send(v.x);"},  # 0 where nobody sends
    {"scatter": "send(v.x);", "combine": "max"},
    {"receive_if": "v.x == 0"},
    {"combine": "first"},
    {"combine": None, "gather": "msg = messages[0];"},
    {"scatter": "if (superstep == 0) send(v.x);"},
    {"scatter": "if (v.id % 2) send(1);"},  # always to the same vertices
]


@pytest.mark.parametrize("changes", one_in(2, STALE), ids=str)
def test_stale(changes):
    found = stale_field(program(**changes).spec)
    assert found is not None and found.field == "x"
    words = (
        r"Sick: Sick\.apply:[12]: v\.x keeps its value at .*: write apply_on = 'all' .*if \(has_"
    )
    with pytest.warns(UserWarning, match=words):
        Engine(GRAPH).run(program(**changes)())


@pytest.mark.parametrize("changes", FRESH, ids=str)
def test_fresh(changes):
    assert stale_field(program(**changes).spec) is None


def test_only_the_graph_tells():
    """Where everyone always sends, those without incoming arcs alone keep their values."""
    cls = program(scatter="send(v.x);")
    with pytest.warns(UserWarning, match="at 2 vertices without incoming arcs, such as 0,"):
        Engine(GRAPH).run(cls())
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Engine(ring).run(cls())
        Engine(GRAPH).run(program(scatter="send(v.x);", edges="both")())


def test_no_bundled_program_is_suspected():
    for name in gascl.programs.__all__:
        module = sys.modules[getattr(gascl.programs, name).__module__]
        for cls in vars(module).values():
            if isinstance(cls, type) and issubclass(cls, VertexProgram):
                assert stale_field(cls.spec) is None, cls
