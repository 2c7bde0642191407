"""What a State computes on the device."""

import re

import numpy as np
import pytest
from support.samples import skewed

from gascl import Engine, GasclError, VertexProgram, param, vertex
from gascl.device_graph import gather


class Lanes(VertexProgram):
    """Three lanes, with fields of several types."""

    supersteps = param.supersteps(1)
    lanes = 3
    small, large = vertex.int16(init="lane - v.id"), vertex.int64(init="v.id * 3L << lane * 20")
    high, part = vertex.uint32(init="UINT_MAX - v.id - lane"), vertex.real(init="v.id / 7.0f")
    pair = vertex.float4()
    apply_on, apply = "all", "v.part += lane;"


@pytest.mark.parametrize("on_device", [False, True])
def test_sums_over_lanes(on_device, monkeypatch):
    """NumPy's own; by a kernel, or on the host."""
    added = []
    own = gather.add_lanes
    monkeypatch.setattr(gather, "pays", lambda device: on_device)
    monkeypatch.setattr(gather, "add_lanes", lambda *a: (added.append(a[-1]), own(*a)))
    engine = Engine(skewed(1, 700, 2000))
    state = engine.run(Lanes(), keep_state=True).state
    for name in ("small", "large", "high", "part"):
        values = state.field(name)
        wide = np.float64 if name == "part" else np.int64
        for first in (None, 1, 2, 3):
            sums = state.lane_sums(name, first)
            np.testing.assert_array_equal(sums, values[:, :first].sum(axis=1, dtype=wide))
            assert sums.dtype == wide
    types = ["short", "long", "uint", "float"] if on_device else []
    assert added == [name for name in types for _ in range(4)]


@pytest.mark.parametrize(
    ("name", "first", "why"),
    [
        ("smal", None, "the State has no field 'smal'; it has: small, large"),
        ("small", 4, "first=4: the State has 3 lanes"),
        ("small", -1, "first=-1: the State has 3 lanes"),
        ("pair", None, "field 'pair' is of type float4: lane_sums adds up numbers only"),
    ],
)
def test_wrong_sums_over_lanes(name, first, why):
    state = Engine(skewed(1, 70, 200)).run(Lanes(), keep_state=True).state
    with pytest.raises(GasclError, match=re.escape(why)):
        state.lane_sums(name, first)


def test_operators_of_a_field_on_the_device():
    state = Engine(skewed(1, 70, 200)).run(Lanes(), keep_state=True).state
    field, values = state.on_device("small"), state.field("small")
    np.testing.assert_array_equal(2 - field, 2 - values)
    np.testing.assert_array_equal(field[3:] == values[3:], True)
    ones = np.ones(values.shape, np.int16)
    expected = np.add(ones, 1, where=values > 0, out=ones.copy())
    np.testing.assert_array_equal(
        np.add(ones, 1, where=state.on_device("small") > 0, out=ones.copy()), expected
    )
    ones += field
    np.testing.assert_array_equal(ones, values + 1)
    with pytest.raises(GasclError, match=r"cannot be changed: write x = x \+ 1"):
        field += 1
    with pytest.raises(GasclError, match="cannot be changed"):
        np.add(ones, 1, out=field)
