"""Atomics on numbers: many work-items combine in few cells what NumPy does."""

import numpy as np
import pyopencl as cl
import pytest
from support.case_subsets import thinned
from support.inbox_cells import (
    CELLS,
    IDENTITY,
    ITEMS,
    WAYS,
    all_groups,
    all_ways,
    atomics_text,
    built,
    check,
    chosen_device,
    folded,
    header,
    run,
    run_counting,
    targets,
)

from gascl.codegen.atomic_cells import definitions
from gascl.language.combiners import PRODUCT
from gascl.language.types import resolve

INTEGERS = ["int32", "uint32", "int64", "uint64"]
SMALL = ["int8", "uint8", "int16", "uint16"]
FLOATS = ["float32", "float64"]


def whole_range(name, rng, n=ITEMS):
    info = np.iinfo(name)
    values = rng.integers(info.min, info.max, n, dtype=name, endpoint=True)
    values[CELLS : CELLS + 4] = [info.min, info.max, 0, 1]
    return values


@all_groups
@pytest.mark.parametrize(
    ("op", "name", "way"),
    thinned(["sum", "min", "max", "or"], [*INTEGERS, "int16", "float32"], WAYS, by=8),
)
def test_combines_and_tells_the_first_that_it_is(way, group, op, name):
    if op == "or" and name == "float32":
        pytest.skip("floats have no or")
    rng = np.random.default_rng(11)
    values, target = rng.integers(1, 100, ITEMS).astype(name), targets(rng)
    type_ = resolve(name, "float32")
    identity = "0" if op == "sum" else IDENTITY[op](type_)
    *_, firsts = run_counting(way, group, op, type_, values, target, identity)
    if way == "exchange":  # another item may have taken out what was there
        assert firsts.min() >= 1
    else:
        assert firsts.tolist() == [1] * CELLS


# Integers ---------------------------------------------------------------------------------------


@all_ways
@all_groups
@pytest.mark.parametrize("name", INTEGERS)
def test_combines_integer_sums_and_counts_wraps(way, group, name):
    rng = np.random.default_rng(3)
    values, target = whole_range(name, rng), targets(rng)
    type_ = resolve(name, "float32")
    got, wraps, overflows = run(way, group, "sum", type_, values, target, "0")
    exact = folded(values.astype(object), target, np.sum)
    size, lowest = 2 ** (8 * values.itemsize), int(np.iinfo(name).min)
    assert got.tolist() == [(x - lowest) % size + lowest for x in exact]
    assert wraps.tolist() == [(x - lowest) // size for x in exact]
    assert wraps.any()
    assert not overflows.any()


@all_ways
@pytest.mark.parametrize("name", INTEGERS)
def test_combines_integer_sums_that_wrap_and_come_back(way, name):
    info = np.iinfo(name)
    half = info.max // 2 + 1
    values = np.full(ITEMS, half, name)
    if info.min:
        values[1::2] = -half
    type_ = resolve(name, "float32")
    target = np.zeros(ITEMS, np.int32)
    got, wraps, _ = run(way, 8, "sum", type_, values, target, "0")
    exact = sum(values.tolist())
    assert int(got[0]) + int(wraps[0]) * 2 ** (8 * values.itemsize) == exact
    assert bool(wraps[0]) == (not info.min)


@all_groups
@pytest.mark.parametrize(
    ("op", "name", "way"), thinned(["min", "max", "or", "and"], [*INTEGERS, *SMALL], WAYS, by=8)
)
def test_combines_integers(way, group, op, name):
    values = whole_range(name, np.random.default_rng(5))
    if op in ("or", "and"):  # or else every cell has all bits, or none
        rare = np.random.default_rng(6).random(len(values)) < 10 / len(values)
        values = np.where(rare, values, 0).astype(name)
        values = values if op == "or" else ~values
    function = {"min": np.min, "max": np.max}.get(op)
    function = function or {"or": np.bitwise_or, "and": np.bitwise_and}[op].reduce
    check(way, group, op, name, values, function)


def products(values, name):
    """Per cell: the product or None where one of 64 (32) bits does not hold it, ends included."""
    exact = 1
    for x in values.tolist():
        exact *= x
    info = np.iinfo(name)
    least = -info.max if info.min else 0
    greatest = info.max if info.min else info.max - 1
    return exact if least <= exact <= greatest else None


@all_ways
@all_groups
@pytest.mark.parametrize("name", INTEGERS)
def test_combines_products(way, group, name):
    rng = np.random.default_rng(7)
    signed = name.startswith("int")
    values = np.ones(ITEMS, name)
    values[: 12 * CELLS] = rng.integers(-7 if signed else 1, 7, 12 * CELLS, endpoint=True)
    values[values == 0] = 1
    if signed:
        values[12 * CELLS :] = rng.choice([-1, 1], ITEMS - 12 * CELLS)
    target = targets(rng)
    # Cell 0: far too much. Cell 1: the same with a zero in it. The others may or may not fit.
    for cell in (0, 1):
        mine = np.flatnonzero(target == cell)
        values[mine[:24]] = 1_000_003 if values.itemsize == 8 else 30_011
        if cell:
            values[mine[5]] = 0
    type_ = resolve(name, "float32")
    got, wraps, overflows = run(way, group, "prod", type_, values, target, "1")
    want = folded(values, target, lambda v: products(v, name))
    assert want[0] is None and want[1] == 0 and want[CELLS - 1] is not None
    assert [None if o else int(g) for g, o in zip(got, overflows, strict=True)] == want
    assert not wraps.any()


@all_ways
@pytest.mark.parametrize(
    ("name", "factors", "product"),
    [
        ("int64", [2**31 - 1, 2**31 - 1], (2**31 - 1) ** 2),
        ("int64", [-(2**31), -(2**31)], 2**62),
        ("int64", [-(2**31), -(2**31), -2], None),  # -2**63, which stands for all beyond
        ("int64", [-(2**31), -(2**31), 2, -1], None),
        ("int64", [-(2**31), -(2**31), 2, -1, 0], 0),
        ("int64", [-(2**31), -1], 2**31),
        ("int64", [-(2**31), -1, -1], -(2**31)),
        ("int64", [2**31 - 1] * 3 + [1] * 20, None),
        ("uint64", [2**32 - 1, 2**32 - 1], (2**32 - 1) ** 2),
        ("uint64", [2**32 - 1, 641, 6700417], None),  # 2**64 - 1, as above
        ("uint64", [2**32 - 1, 2**31, 2], 2**64 - 2**32),
        ("uint64", [2**32 - 1, 2**32 - 1, 2], None),
        ("uint64", [2**32 - 1, 2**32 - 1, 2, 1, 0, 3], 0),
    ],
)
def test_combines_products_at_the_edge(way, name, factors, product):
    """A product depends on no order: forwards, backwards and among many ones."""
    type_ = resolve(name, "float32")
    ones = [1] * (8 * len(factors))
    for order in (factors, factors[::-1], factors + ones, ones + factors):
        for group in (1, 8):  # one group of 8 takes turns, groups of 1 do so in order on most CPUs
            values = np.array(order, name)
            target = np.zeros(len(values), np.int32)
            got, _, overflow = run(way, group, "prod", type_, values, target, "1")
            assert (None if overflow[0] else int(got[0])) == product


@all_ways
@pytest.mark.parametrize("name", ["int64", "uint64"])
def test_combines_a_factor_known_not_to_fit(way, name):
    """The overflown cell as a factor: the product does not fit, unless it is 0."""
    c = resolve(name, "float32").c
    lowest = np.iinfo(name).min
    mark = lowest or np.iinfo(name).max
    values = np.array([mark, 1, -1 if lowest else 1, 5, mark, 0], name)
    target = np.array([0, 0, 0, 0, 1, 1], np.int32)
    got, _, overflow = run(way, 1, "prod", resolve(name, "float32"), values, target, "1")
    assert overflow.tolist() == [1, 0] and got[1] == 0
    text = [header("prod", c, "1"), *definitions(PRODUCT, resolve(name, "float32"))]
    text += [atomics_text("native")]
    text += ["__kernel void mark(__global gascl_accumulator *out) {"]
    text += ["    *out = gascl_of_cell(GASCL_OVERFLOWN_CELL);", "}"]
    device = chosen_device()
    program = built("\n".join(text), tuple(device.atomics.options()))
    out = np.zeros(1, name)
    buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, out.nbytes)
    cl.Kernel(program, "mark")(device.queue, (1,), None, buffer)
    cl.enqueue_copy(device.queue, out, buffer)
    assert out[0] == mark


# Floats -----------------------------------------------------------------------------------------


@all_ways
@all_groups
@pytest.mark.parametrize("name", FLOATS)
def test_combines_float_sums(way, group, name):
    """Quarters, whose sums are exact in any order."""
    rng = np.random.default_rng(9)
    values = (rng.integers(-400, 400, ITEMS) / 4).astype(name)
    check(way, group, "sum", name, values, np.sum)


@all_ways
@pytest.mark.parametrize("name", FLOATS)
def test_combines_float_sums_without_a_number(way, name):
    values = np.array([1, np.inf, np.nan, 2, np.inf, -np.inf, 1, np.inf, 3], name)
    target = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4], np.int32)
    type_ = resolve(name, "float32")
    got, _, _ = run(way, 1, "sum", type_, values, target, "0")
    np.testing.assert_array_equal(got, np.array([np.inf, np.nan, np.nan, np.inf, 3], name))


@all_ways
@all_groups
@pytest.mark.parametrize("name", FLOATS)
def test_combines_float_products(way, group, name):
    """Powers of 2, whose products are exact in any order."""
    rng = np.random.default_rng(10)
    values = np.ones(ITEMS, name)
    values[: 10 * CELLS] = rng.choice([-2, -0.5, 0.5, 2], 10 * CELLS)
    check(way, group, "prod", name, values, np.prod)


@all_ways
@all_groups
@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("name", FLOATS)
def test_combines_least_and_greatest_floats(way, group, op, name):
    rng = np.random.default_rng(11)
    unsigned, bits = ("uint32", 32) if name == "float32" else ("uint64", 64)
    # Of all magnitudes and both signs, subnormal ones among them.
    values = rng.integers(0, 2**bits - 1, ITEMS, dtype=unsigned, endpoint=True).view(name)
    values = np.where(np.isfinite(values), values, name == "float64").astype(name)
    check(way, group, op, name, values, np.min if op == "min" else np.max)
    check(way, group, op, name, -np.abs(values), np.min if op == "min" else np.max)
    check(way, group, op, name, np.abs(values), np.min if op == "min" else np.max)


@all_ways
@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("name", FLOATS)
def test_combines_special_floats(way, op, name):
    tiny = np.finfo(name).smallest_subnormal
    minus_nan = -np.array(np.nan, name)[()]
    cells = [
        [np.inf, 1, -np.inf],
        [1, np.nan, -np.inf, np.inf],
        [minus_nan, 2, 3],
        [np.nan, minus_nan],
        [np.inf, np.inf],
        [-np.inf],
        [tiny, 0, -tiny],
        [tiny, 2 * tiny],
        [-tiny, -2 * tiny],
        [np.finfo(name).max, np.finfo(name).tiny],
        [np.finfo(name).min, -np.inf],
    ]
    values = np.concatenate([np.array(c, name) for c in cells])
    target = np.repeat(np.arange(len(cells)), [len(c) for c in cells]).astype(np.int32)
    type_ = resolve(name, "float32")
    function = np.min if op == "min" else np.max
    want = np.array([function(np.array(c, name)) for c in cells], name)
    for order in (slice(None), slice(None, None, -1)):
        x, where = np.ascontiguousarray(values[order]), np.ascontiguousarray(target[order])
        got, _, _ = run(way, 1, op, type_, x, where, IDENTITY[op](type_))
        np.testing.assert_array_equal(got, want)


# Cells of no message ----------------------------------------------------------------------------


@all_ways
def test_cells_without_a_message_are_empty(way):
    """Cell 0 gets nothing, and the identity comes back."""
    for op, name, want in (
        ("sum", "int64", 0),
        ("prod", "uint64", 1),
        ("min", "int8", 127),
        ("max", "int16", -(2**15)),
        ("min", "float32", np.inf),
        ("max", "float64", -np.inf),
        ("and", "uint16", 2**16 - 1),
        ("and", "int32", -1),
    ):
        type_ = resolve(name, "float32")
        values, target = np.ones(1, name), np.ones(1, np.int32)
        got, _, overflow = run(way, 1, op, type_, values, target, IDENTITY[op](type_))
        assert got.tolist() == [want, 1] if op != "max" else got[0] == want
        assert not overflow.any()
