"""`Snapshot`: fields by name, and what it says of others."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import FieldError, Graph
from gascl.results.snapshot import Snapshot
from gascl.results.trace import Step

GRAPH = Graph.from_edges([0, 1], [1, 2])
MASK = np.array([True, False, False])


def snapshot(**more) -> Snapshot:
    given = {"fields": {"depth": np.array([0, 1, 2])}, "mask": MASK, "active": 1} | more
    return Snapshot(GRAPH, 2, **given)


def test_fields_of_vertices_and_arcs_by_name():
    shown = snapshot(arc_fields={"passed": np.array([5, 6])})
    assert shown["depth"].tolist() == [0, 1, 2] and shown["passed"].tolist() == [5, 6]
    assert "depth" in shown and "passed" in shown and "mask" not in shown


def test_names_that_are_no_fields():
    shown = snapshot(aggregates={"change": 3})
    with pytest.raises(
        FieldError, match=r"no field 'dpth'; did you mean 'depth'\? Available fields: depth"
    ):
        shown["dpth"]
    with pytest.raises(FieldError, match=r"aggregator, aggregates\['change'\]"):
        shown["change"]


def test_messages_are_those_of_the_last_superstep():
    assert snapshot().messages == 0
    assert snapshot(last=Step(1, 4, 9, {}, 0.0)).messages == 9


def test_text():
    assert repr(snapshot()) == "Snapshot(superstep 2: depth; 1 active, 0 messages)"
    assert repr(snapshot(program="Inner")).startswith("Snapshot(Inner, superstep 2")
