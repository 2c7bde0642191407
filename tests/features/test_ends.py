"""`ends = "stop"`: a run that goes on without a mask, until its rule holds."""

import numpy as np
import pytest
from support.admission import ANY_ORDER
from support.case_subsets import one_in

from gascl import Engine, Graph, ProgramError, VertexProgram, aggregate, param, vertex
from gascl.delivery.registry import DELIVERIES

PATH = Graph.from_edges(range(5), range(1, 6))


class Pulses(VertexProgram):
    """Every fourth superstep vertex 0 starts a walk along the path, which lasts two supersteps."""

    seen = vertex.int32()
    steps = vertex.int32()
    rounds = aggregate.int64("max")

    message, combine = "int32", "sum"
    apply_on = "all"
    mask = "v.id == 0"
    ends = "stop"
    scatter = "send(1);"
    apply = """
        ++v.steps;
        v.seen += msg;
        if (has_msg && v.id < 2)
            set_mask();
        if (v.id == 0 && superstep % 4 == 3)
            set_mask();
        aggregate_rounds(superstep);
    """
    stop = "agg.rounds == 9"


#: Those for programs whose messages must each count once.
BY_SUPERSTEPS = ["auto", *(name for name in DELIVERIES if name not in ANY_ORDER)]
#: Vertex 0 sends in supersteps 0, 4 and 8, and vertex 1 in the next one; nobody in 2, 3, 6 and 7.
ACTIVE = [1, 1, 0, 0, 1, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("delivery", one_in(4, BY_SUPERSTEPS))
def test_a_run_without_a_mask_continues(delivery):
    if delivery == "outbox":
        pytest.skip("what is sent is a constant")
    result = Engine(PATH).run(Pulses(), delivery=delivery)
    assert result.converged and result.stopped == "stop is true: agg.rounds == 9"
    assert [step.active for step in result.trace] == ACTIVE
    assert result.seen.tolist() == [0, 3, 3, 0, 0, 0]
    assert result.steps.tolist() == [10] * 6


def test_an_empty_mask_ends_it_otherwise():
    class Usual(Pulses):
        ends = "mask"

    result = Engine(PATH).run(Usual())
    assert result.supersteps == 2 and "active" in result.stopped


def test_a_first_mask_that_is_empty():
    for start, mask in ((np.zeros(6, bool), "v.id == 0"), (None, "false")):
        late = type("Late", (Pulses,), {"mask": mask})
        result = Engine(PATH).run(late(), start=start)
        assert [step.active for step in result.trace] == [0, 0, 0, 0, *ACTIVE[4:]]
        assert result.seen.tolist() == [0, 2, 2, 0, 0, 0]


def test_taken_up_where_there_was_no_mask():
    whole = Engine(PATH).run(Pulses())
    for steps in (2, 3, 7):
        options = {"max_supersteps": steps, "keep_state": True, "not_converged": "ignore"}
        part = Engine(PATH).run(Pulses(), **options)
        rest = Engine(PATH).run(Pulses(), state=part.state)
        assert rest.supersteps == whole.supersteps - steps
        assert rest.seen.tolist() == whole.seen.tolist()


def test_other_rules():
    class Asked(VertexProgram):
        supersteps = param.supersteps(4)
        x = vertex.int32()
        mask, apply_on, ends = "false", "all", "stop"
        apply = "++v.x;"

    assert Engine(PATH).run(Asked()).x.tolist() == [4] * 6

    class Convergent(VertexProgram):
        x = vertex.int32()
        mask, apply_on, ends = "false", "all", "stop"
        apply = "++v.x;"

        def converged(self, step):
            return step.superstep == 2

    assert Engine(PATH).run(Convergent()).x.tolist() == [3] * 6


def test_refused():
    with pytest.raises(ProgramError, match=r"test_ends.py:\d+: Endless: with ends = 'stop' the"):

        class Endless(VertexProgram):
            ends = "stop"
            apply = "set_mask();"

    with pytest.raises(ProgramError, match="ends must be 'mask' or 'stop', not 'never'"):

        class Other(VertexProgram):
            ends = "never"
            apply = "set_mask();"
