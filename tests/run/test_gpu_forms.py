"""The forms of kernels that only GPUs run pass the compiler of the device of the tests."""

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.delivery.registry import DELIVERIES, form_of
from gascl.language.traits import Traits
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst, LabelPropagation, MaximalIndependentSet, ShortestPaths
from gascl.programs.connected_components import Hooked
from gascl.programs.hits import HubsAndAuthorities
from gascl.run.plan import Variant, plan_of, source_of


@pytest.mark.parametrize(
    ("program", "delivery"),
    [
        (BreadthFirst(source=0), "frontier"),  # vertices have enough before their last message
        (MaximalIndependentSet(), "frontier"),  # every message counts
        (ShortestPaths(source=0), "push"),  # there is a priority
        (HubsAndAuthorities(tolerance=0.1), "outbox"),  # all rows, in either direction
        (LabelPropagation(), "outbox"),  # a gather snippet
        (BreadthFirst(source=[0, 1]), "pull"),  # words of the lanes that send
        (ShortestPaths(source=0), "asynchronous"),  # messages are applied when they are sent
        (Hooked(), "in_place"),  # vertices change at once
    ],
)
def test_persistent_kernels_of_gpus_compile(program, delivery):
    device = Device(find().cl, group=64)
    variant = Variant(persistent=True)
    form = form_of(DELIVERIES[delivery], device.group)
    source = source_of(program, device.facts, form, "int32", variant)
    assert plan_of(program, device, source).program.kernel_names


class Waves(VertexProgram):
    """What waves from vertex 0 bring: the sum of all messages of the first one to arrive."""

    level = vertex.int32(init="v.id == 0 ? 0 : -1")
    total = vertex.int64()
    message, combine = "int64", "sum"
    mask = "v.id == 0"
    scatter = "if (v.level != 1) send(v.id + 1);"
    apply = """
        if (v.level < 0) {
            v.level = superstep + 1;
            v.total = msg;
            set_mask();
        }
    """


def test_a_frontier_has_no_outbox_in_debug_mode():
    device = Device(find().cl, group=8)  # on which the frontier has a form of its own
    graph = Graph.from_edges([(0, 1), (0, 2), (0, 3), (0, 3), (1, 4), (3, 3)])
    result = Engine(graph, device=device, debug=True).run(Waves(), delivery="frontier")
    assert result.level.tolist() == [0, 1, 1, 1, -1]
    assert result.total.tolist() == [0, 1, 1, 2, 0]


class Doubled(VertexProgram):
    """The way from each vertex to the root of a tree, by pointer jumping."""

    up = vertex.int32(init="max(v.id - 1, 0)")
    scatter_on = apply_on = "all"
    apply = "v.up = up_of(v.up);"
    supersteps = param.supersteps(4)


def test_without_messages_no_outbox_is_filled():
    graph = Graph.from_edges(range(40), range(1, 41))
    result = Engine(graph, device=Device(find().cl, group=8)).run(Doubled(), delivery="frontier")
    assert result.up.tolist() == np.maximum(np.arange(41) - 16, 0).tolist()
    assert has_outbox(Waves, 8) and not has_outbox(Doubled, 8)


def has_outbox(program: type[VertexProgram], group: int) -> bool:
    form = form_of(DELIVERIES["frontier"], group)
    (outbox,) = (buffer for buffer in form.buffers if buffer.name == "outbox")
    return form.needs(outbox, Traits.of(program.spec))


class Bits(Waves):
    """Bits of all senders of the first wave to arrive."""

    combine, identity = "a | b", "0"


def test_a_cpu_has_an_outbox_only_where_it_can_combine_the_identity():
    assert has_outbox(Waves, 1) and not has_outbox(Bits, 1) and has_outbox(Bits, 8)
    arcs = [(0, v) for v in range(1, 40)] + [(v, 40 + v % 9) for v in range(2, 40)]
    graph = Graph.from_edges(arcs)
    heard = [0] * 49
    for source, target in arcs:
        if source == 0:
            heard[target] |= 1
    for group in (1, 8):
        engine = Engine(graph, device=Device(find().cl, group=group))
        (run,) = engine.explain(Bits(), delivery="frontier").runs
        assert any("outbox" in name for name in run.memory) == (group == 8)
        result = engine.run(Bits(), delivery="frontier")
        assert result.total.tolist() == heard
