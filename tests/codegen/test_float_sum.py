"""Sums of floats that do not depend on the order of additions (kernels/float_sum.cl)."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

from gascl import VertexProgram, aggregate
from gascl.codegen.context import Context
from gascl.codegen.kernel_files import kernel_text
from gascl.codegen.source_writer import Text
from gascl.language.traits import Traits
from gascl.language.types import resolve
from gascl.opencl.device_choice import find

#: An item adds up a part; then the sums of the parts are merged, in the order of `merged`.
KERNEL = """
__kernel void add(__global const gascl_addend *values, __global const int *ends,
                  __global const int *merged, const int parts, __global gascl_addend *out) {
    gascl_float_sum total = gascl_no_floats();
    for (int i = 0; i < parts; ++i) {
        gascl_float_sum part = gascl_no_floats();
        for (int k = merged[i] ? ends[merged[i] - 1] : 0; k < ends[merged[i]]; ++k)
            gascl_add_float(&part, values[k]);
        total = i % 2 ? gascl_merged_floats(part, total) : gascl_merged_floats(total, part);
    }
    out[0] = gascl_sum_of_floats(total);
}
"""
#: The bits below the first one of the largest addend that a sum is certain to keep: those of its
#: fraction and of one bin.
BIN = 26
KEPT = {"float64": 52 + BIN, "float32": 23 + BIN}


class Total(VertexProgram):
    total = aggregate.real("sum")
    apply = "aggregate_total(1);"


@functools.cache
def built(dtype: str) -> Any:
    device = find()
    if dtype == "float64" and not device.fp64:
        pytest.skip("the device has no double precision")
    wide = dtype == "float64"
    spec = Total.spec
    given = spec, Traits.of(spec), dtype, {}, resolve("int32", dtype), wide
    context = Context(*given, False, False, False, True, True)
    text = Text()
    text.struct(context.float_sum)
    head = f"#define GASCL_DOUBLE_SUMS {int(wide)}\n"
    source = "\n".join([head, *text.lines, kernel_text("float_sum.cl"), KERNEL])
    return cl.Kernel(cl.Program(device.context, source).build(), "add")


def total(values: Sequence[float], dtype: str, seed: int | None = None) -> np.floating[Any]:
    """The device's sum: of one part in the given order, or with a seed, shuffled and in parts."""
    rng = random.Random(seed)
    given = np.array(values, dtype)
    ends = [len(given)]
    if seed is not None:
        given = given[rng.sample(range(len(given)), len(given))]
        ends = sorted([rng.randint(0, len(given)) for _ in range(rng.randint(0, 6))] + ends)
    merged = np.array(rng.sample(range(len(ends)), len(ends)), np.int32)
    queue, flags = find().queue, cl.mem_flags
    buffers = [
        cl.Buffer(queue.context, flags.COPY_HOST_PTR, hostbuf=a)
        for a in (np.append(given, given.dtype.type(0)), np.array(ends, np.int32), merged)
    ]
    out = cl.Buffer(queue.context, flags.WRITE_ONLY, given.itemsize)
    built(dtype)(queue, (1,), (1,), *buffers, np.int32(len(ends)), out)
    found = np.empty(1, dtype)
    cl.enqueue_copy(queue, found, out)
    return found[0]


def rounded(exact: Fraction, dtype: str) -> float:
    """The nearest float; of two, the one whose last bit is 0. Python rounds fractions to double."""
    if dtype == "float64":
        try:
            return float(exact)
        except OverflowError:
            return math.copysign(math.inf, exact)
    if not exact:
        return 0.0
    size = abs(exact)
    low = math.floor(math.log2(float(size)))
    unit = Fraction(2) ** (max(low + (size >= Fraction(2) ** (low + 1)), -126) - 23)
    return float(np.float32(float(round(exact / unit) * unit)))


def addends(rng: random.Random, dtype: str, span: int) -> list[float]:
    """Random ones whose exponents are at most so far apart; some are equal but for the sign."""
    info = np.finfo(dtype)
    top = rng.randint(info.minexp - info.nmant + span, info.maxexp - 20)
    made = [
        rng.choice((-1, 1)) * float(np.dtype(dtype).type(math.ldexp(1 + rng.random(), place)))
        for place in (rng.randint(top - span, top) for _ in range(rng.randint(1, 40)))
    ]
    return made + [-x for x in made if rng.random() < 0.5]


@pytest.mark.parametrize("dtype", KEPT)
@pytest.mark.parametrize("span", [0, 20, BIN, 90, 160, 240])
def test_the_sum_of_random_floats(dtype, span):
    """It is the same for each order. Its error is that of one rounding and, if addends differ much,
    of the bits that are left out."""
    rng = random.Random(span)
    for seed in range(10):
        values = addends(rng, dtype, span)
        found = total(values, dtype)
        exact = sum(map(Fraction, values))
        if span <= BIN:
            assert found == rounded(exact, dtype), values
        left_out = Fraction(max(map(abs, values))) * len(values) / 2 ** KEPT[dtype]
        assert rounded(exact - left_out, dtype) <= found <= rounded(exact + left_out, dtype)
        for shuffled in range(3):
            again = total(values, dtype, 3 * seed + shuffled)
            assert again.tobytes() == found.tobytes(), values


LARGEST, SMALLEST = float(np.finfo(np.float64).max), math.ulp(0.0)
ENDS = {
    "nothing": ([], 0.0),
    "negative zeros": ([-0.0, -0.0], 0.0),
    "a few": ([1e30, 1, -1e30], 0.0),  # 1 is far below
    "a few that are kept": ([1e20, 1, -1e20], 1.0),
    "subnormals": ([SMALLEST] * 3 + [-5 * SMALLEST], -2 * SMALLEST),
    "a subnormal of two normals": ([2.0**-1022, -(2.0**-1022) + SMALLEST], SMALLEST),
    "subnormals below a large one": ([1.0, SMALLEST, -1.0], 0.0),
    "the largest": ([LARGEST], LARGEST),
    "too large between": ([LARGEST, LARGEST, -LARGEST, 1e200], LARGEST),
    "too large": ([LARGEST, LARGEST], math.inf),
    "too small": ([-LARGEST, -LARGEST], -math.inf),
    "half of a last bit, even": ([2.0**53, 1.0], 2.0**53),
    "half of a last bit, odd": ([2.0**53 + 2, 1.0], 2.0**53 + 4),
    "a bit more than half": ([2.0**53, 1.0, 2.0**-20], 2.0**53 + 2),
    "a negative": ([-(2.0**53), -1.0, -(2.0**-20)], -(2.0**53) - 2),
    "infinite": ([math.inf, 1.0, -LARGEST], math.inf),
    "negative infinite": ([1.0, -math.inf, -math.inf], -math.inf),
    "both": ([math.inf, 2.0, -math.inf], math.nan),
    "not a number": ([1.0, math.nan, math.inf], math.nan),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_of_the_range(name):
    values, expected = ENDS[name]
    for seed in (None, *range(4)):
        found = total(values, "float64", seed)
        assert repr(float(found)) == repr(expected), (found, expected)


def test_many_addends():
    """More than a bin's bits count."""
    values = np.full(1 << 16, 0.1)
    values[::3] = -1e15
    assert total(values.tolist(), "float64", 1) == math.fsum(values)
