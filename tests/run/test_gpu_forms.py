"""The forms of kernels that only GPUs run pass the compiler of the device of the tests."""

from __future__ import annotations

import pytest

from gascl.delivery.registry import DELIVERIES, form_of
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
