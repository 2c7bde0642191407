"""`priority`: messages wait in buckets."""

import pytest
from support.case_subsets import one_in

from gascl import Engine, Graph, VertexProgram, vertex


class Ends(VertexProgram):
    """Priorities that are no numbers, and one that is the last which has a bucket of its own."""

    heard = vertex.int32()
    message, combine = "int32", "max"
    mask = "1"
    priority = """
        v.id == 0 ? -INFINITY : v.id == 1 ? -1e30f : v.id == 2 ? 0
        : v.id == 3 ? 1e9f : v.id == 4 ? INFINITY : NAN
    """
    delta = 1
    scatter = "send(superstep);"
    apply = "v.heard = msg;"


@pytest.mark.parametrize("delivery", one_in(3, ["slots", "pull", "push", "edges", "serial"]))
def test_buckets_beyond_32_bits_are_the_first_and_the_last(delivery):
    ring = Graph.from_edges(range(6), [1, 2, 3, 4, 5, 0])
    result = Engine(ring).run(Ends(), delivery=delivery)
    assert [step.active for step in result.trace] == [2, 1, 1, 2]
    assert result.heard.tolist() == [3, 0, 0, 1, 2, 3]
