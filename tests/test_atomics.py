"""Many work-items combine messages in few cells: the result is NumPy's, whichever way is taken."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import numpy as np
import oclgrind
import pyopencl as cl
import pytest

from gascl import devices
from gascl.atomics import OPS, TYPES, Atomics, cell_bits, definitions, probe
from gascl.deliveries import kernel_text
from gascl.device import Device, find
from gascl.types import Type, resolve

#: Under Oclgrind, which interprets, a few items do.
UNDER_OCLGRIND = "GASCL_TEST_OCLGRIND" in os.environ
ITEMS, CELLS = (128, 3) if UNDER_OCLGRIND else (20_000, 7)

KERNELS = """
__kernel void empty(__global gascl_cell *cells) {
    cells[get_global_id(0)] = gascl_cell_empty();
}
__kernel void combine(__global gascl_cell *cells, __global const gascl_accumulator *x,
                      __global const int *target, __global int *wraps, const int n) {
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const int wrap = gascl_cell_combine(&cells[target[i]], x[i]);
    if (wrap)
        atomic_add(&wraps[target[i]], wrap);
}
__kernel void take(__global const gascl_cell *cells, __global gascl_accumulator *out,
                   __global int *overflows) {
    int overflow = 7;
    const int i = get_global_id(0);
    out[i] = gascl_cell_take(cells[i], &overflow);
    overflows[i] = overflow;
}
"""


@pytest.fixture(scope="module")
def device() -> Device:
    return find()


WAYS = ["native", "cas"]
GROUPS = [1, 8] if UNDER_OCLGRIND else [1, 64]


def header(combine: str, c: str, identity: str, before: str = "") -> str:
    """What gascl_cell_combine needs of a generated header, other than the cells' definitions."""
    named = combine in OPS
    # Integer sums and products have more arguments there; no cell may call them.
    body = "" if named and combine in ("sum", "prod") and c not in ("float", "double") else None
    text = {"sum": "a + b", "prod": "a * b", "or": "a | b", "and": "a & b"}.get(combine, combine)
    if combine in ("min", "max"):
        nan = " || b != b" if c in ("float", "double") else ""
        text = f"b {'<' if combine == 'min' else '>'} a{nan} ? b : a"
    function = (
        "static gascl_accumulator gascl_combine(const gascl_accumulator a,"
        f" const gascl_accumulator b) {{ return ({text}); }}"
    )
    return "\n".join(
        [
            before,
            f"typedef {c} gascl_accumulator;",
            f"static gascl_accumulator gascl_identity(void) {{ return {identity}; }}",
            function if body is None else "",
        ]
    )


def run(device, way, group, combine, type_, values, target, identity, before=""):
    """What CELLS cells hold after all values: the results, counts of wraps and overflows."""
    atomics = device.atomics if way == "native" else replace(device.atomics, native=False)
    if cell_bits(type_) == 64 and not atomics.int64:
        pytest.skip("the device has no atomics on 64 bits")
    text = "\n".join(
        [
            header(combine, type_.c, identity, before),
            *definitions(combine, type_),
            kernel_text("atomics.cl"),
            KERNELS,
        ]
    )
    built = cl.Program(device.context, text).build(atomics.options())
    flags = cl.mem_flags.READ_WRITE
    copied = flags | cl.mem_flags.COPY_HOST_PTR
    count = int(target.max()) + 1
    cells = cl.Buffer(device.context, flags, count * cell_bits(type_) // 8)
    x, where = (cl.Buffer(device.context, copied, hostbuf=a) for a in (values, target))
    wraps, overflows = np.zeros(count, np.int32), np.zeros(count, np.int32)
    wrapped, overflown = (cl.Buffer(device.context, copied, hostbuf=a) for a in (wraps, overflows))
    results = np.zeros(count, values.dtype)
    out = cl.Buffer(device.context, flags, results.nbytes)
    items = -(-len(values) // group) * group
    kernels = {n: cl.Kernel(built, n) for n in ("empty", "combine", "take")}
    kernels["empty"](device.queue, (count,), None, cells)
    kernels["combine"](
        device.queue, (items,), (group,), cells, x, where, wrapped, np.int32(len(values))
    )
    kernels["take"](device.queue, (count,), None, cells, out, overflown)
    for array, buffer in ((results, out), (wraps, wrapped), (overflows, overflown)):
        cl.enqueue_copy(device.queue, array, buffer)
    return results, wraps, overflows


def targets(rng, n=ITEMS):
    """A cell for each value; every cell has one, and the last one has nothing else."""
    target = rng.integers(0, CELLS - 1, n).astype(np.int32)
    target[:CELLS] = np.arange(CELLS)
    return target


def folded(values, target, function):
    return [function(values[target == cell]) for cell in range(CELLS)]


def check(device, way, group, combine, name, values, want, seed=1, **more):
    """Results are `want` of each cell's values; nothing wraps or overflows."""
    type_ = resolve(name, "float32")
    target = targets(np.random.default_rng(seed), len(values))
    identity = more.pop("identity", None) or IDENTITY[combine](type_)
    got, wraps, overflows = run(
        device, way, group, combine, type_, values, target, identity, **more
    )
    np.testing.assert_array_equal(got, np.array(folded(values, target, want), values.dtype))
    assert not wraps.any() and not overflows.any()


IDENTITY = {
    "sum": lambda t: "0",
    "prod": lambda t: "1",
    "min": Type.highest,
    "max": Type.lowest,
    "or": lambda t: "0",
    "and": lambda t: "~(gascl_accumulator)0",
}

INTEGERS = ["int32", "uint32", "int64", "uint64"]
SMALL = ["int8", "uint8", "int16", "uint16"]
FLOATS = ["float32", "float64"]

all_ways = pytest.mark.parametrize("way", WAYS)
all_groups = pytest.mark.parametrize("group", GROUPS)


def whole_range(name, rng, n=ITEMS):
    info = np.iinfo(name)
    values = rng.integers(info.min, info.max, n, dtype=name, endpoint=True)
    values[CELLS : CELLS + 4] = [info.min, info.max, 0, 1]
    return values


# Integers ---------------------------------------------------------------------------------------


@all_ways
@all_groups
@pytest.mark.parametrize("name", INTEGERS)
def test_combines_integer_sums_and_counts_wraps(device, way, group, name):
    rng = np.random.default_rng(3)
    values, target = whole_range(name, rng), targets(rng)
    type_ = resolve(name, "float32")
    got, wraps, overflows = run(device, way, group, "sum", type_, values, target, "0")
    exact = folded(values.astype(object), target, np.sum)
    size, lowest = 2 ** (8 * values.itemsize), int(np.iinfo(name).min)
    assert got.tolist() == [(x - lowest) % size + lowest for x in exact]
    assert wraps.tolist() == [(x - lowest) // size for x in exact]
    assert wraps.any()
    assert not overflows.any()


@all_ways
@pytest.mark.parametrize("name", INTEGERS)
def test_combines_integer_sums_that_wrap_and_come_back(device, way, name):
    info = np.iinfo(name)
    half = info.max // 2 + 1
    values = np.full(ITEMS, half, name)
    if info.min:
        values[1::2] = -half
    type_ = resolve(name, "float32")
    target = np.zeros(ITEMS, np.int32)
    got, wraps, _ = run(device, way, 8, "sum", type_, values, target, "0")
    exact = sum(values.tolist())
    assert int(got[0]) + int(wraps[0]) * 2 ** (8 * values.itemsize) == exact
    assert bool(wraps[0]) == (not info.min)


@all_ways
@all_groups
@pytest.mark.parametrize("op", ["min", "max", "or", "and"])
@pytest.mark.parametrize("name", [*INTEGERS, *SMALL])
def test_combines_integers(device, way, group, op, name):
    values = whole_range(name, np.random.default_rng(5))
    if op in ("or", "and"):  # or else every cell has all bits, or none
        rare = np.random.default_rng(6).random(len(values)) < 10 / len(values)
        values = np.where(rare, values, 0).astype(name)
        values = values if op == "or" else ~values
    function = {"min": np.min, "max": np.max}.get(op)
    function = function or {"or": np.bitwise_or, "and": np.bitwise_and}[op].reduce
    check(device, way, group, op, name, values, function)


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
def test_combines_products(device, way, group, name):
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
    got, wraps, overflows = run(device, way, group, "prod", type_, values, target, "1")
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
def test_combines_products_at_the_edge(device, way, name, factors, product):
    """A product depends on no order: forwards, backwards and among many ones."""
    type_ = resolve(name, "float32")
    ones = [1] * (8 * len(factors))
    for order in (factors, factors[::-1], factors + ones, ones + factors):
        for group in (1, 8):  # one group of 8 takes turns, groups of 1 do so in order on most CPUs
            values = np.array(order, name)
            target = np.zeros(len(values), np.int32)
            got, _, overflow = run(device, way, group, "prod", type_, values, target, "1")
            assert (None if overflow[0] else int(got[0])) == product


@all_ways
@pytest.mark.parametrize("name", ["int64", "uint64"])
def test_combines_a_factor_known_not_to_fit(device, way, name):
    """gascl_cell_overflown() as a factor: the product does not fit, unless it is 0."""
    c = resolve(name, "float32").c
    lowest = np.iinfo(name).min
    mark = lowest or np.iinfo(name).max
    values = np.array([mark, 1, -1 if lowest else 1, 5, mark, 0], name)
    target = np.array([0, 0, 0, 0, 1, 1], np.int32)
    got, _, overflow = run(device, way, 1, "prod", resolve(name, "float32"), values, target, "1")
    assert overflow.tolist() == [1, 0] and got[1] == 0
    text = [header("prod", c, "1"), *definitions("prod", resolve(name, "float32"))]
    text += [kernel_text("atomics.cl")]
    text += ["__kernel void mark(__global gascl_accumulator *out) {"]
    text += ["    *out = gascl_cell_overflown();", "}"]
    built = cl.Program(device.context, "\n".join(text)).build(device.atomics.options())
    out = np.zeros(1, name)
    buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, out.nbytes)
    cl.Kernel(built, "mark")(device.queue, (1,), None, buffer)
    cl.enqueue_copy(device.queue, out, buffer)
    assert out[0] == mark


# Floats -----------------------------------------------------------------------------------------


@all_ways
@all_groups
@pytest.mark.parametrize("name", FLOATS)
def test_combines_float_sums(device, way, group, name):
    """Quarters, whose sums are exact in any order."""
    rng = np.random.default_rng(9)
    values = (rng.integers(-400, 400, ITEMS) / 4).astype(name)
    check(device, way, group, "sum", name, values, np.sum)


@all_ways
@pytest.mark.parametrize("name", FLOATS)
def test_combines_float_sums_without_a_number(device, way, name):
    values = np.array([1, np.inf, np.nan, 2, np.inf, -np.inf, 1, np.inf, 3], name)
    target = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4], np.int32)
    type_ = resolve(name, "float32")
    got, _, _ = run(device, way, 1, "sum", type_, values, target, "0")
    np.testing.assert_array_equal(got, np.array([np.inf, np.nan, np.nan, np.inf, 3], name))


@all_ways
@all_groups
@pytest.mark.parametrize("name", FLOATS)
def test_combines_float_products(device, way, group, name):
    """Powers of 2, whose products are exact in any order."""
    rng = np.random.default_rng(10)
    values = np.ones(ITEMS, name)
    values[: 10 * CELLS] = rng.choice([-2, -0.5, 0.5, 2], 10 * CELLS)
    check(device, way, group, "prod", name, values, np.prod)


@all_ways
@all_groups
@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("name", FLOATS)
def test_combines_least_and_greatest_floats(device, way, group, op, name):
    rng = np.random.default_rng(11)
    unsigned, bits = ("uint32", 32) if name == "float32" else ("uint64", 64)
    # Of all magnitudes and both signs, subnormal ones among them.
    values = rng.integers(0, 2**bits - 1, ITEMS, dtype=unsigned, endpoint=True).view(name)
    values = np.where(np.isfinite(values), values, name == "float64").astype(name)
    check(device, way, group, op, name, values, np.min if op == "min" else np.max)
    check(device, way, group, op, name, -np.abs(values), np.min if op == "min" else np.max)
    check(device, way, group, op, name, np.abs(values), np.min if op == "min" else np.max)


@all_ways
@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("name", FLOATS)
def test_combines_special_floats(device, way, op, name):
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
        got, _, _ = run(device, way, 1, op, type_, x, where, IDENTITY[op](type_))
        np.testing.assert_array_equal(got, want)


# Expressions ------------------------------------------------------------------------------------

#: type -> a combiner of which every message shows in the result.
EXPRESSIONS = {
    "int32": ("(int)(((a * b) % 9973 + 9973) % 9973)", 9973),
    "uint32": ("(a * b) % 65521", 65521),
    "int64": ("(a * b) % 2147483647", 2**31 - 1),
    "uint64": ("(a * b) % 4294967291UL", 4294967291),
    "uint8": ("(uchar)((a * b) % 251)", 251),
    "float32": ("fmod(a + b, 1024.0f)", None),
    "float64": ("fmod(a + b, 1048576.0)", None),
}


@all_ways
@all_groups
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_combines_by_expressions(device, way, group, name):
    rng = np.random.default_rng(13)
    combine, prime = EXPRESSIONS[name]
    if prime is None:
        size = 1024 if name == "float32" else 1048576
        values = rng.integers(0, size, ITEMS).astype(name)
        check(device, way, group, combine, name, values, lambda v: v.sum() % size, identity="0")
        return

    def product(values):
        result = 1
        for x in values.tolist():
            result = result * x % prime
        return result

    values = rng.integers(1, prime, ITEMS, dtype=name)
    check(device, way, group, combine, name, values, product, identity="1")


PAIR = "typedef struct { float distance; int parent; } pair;"
SMALLER = "a.distance < b.distance || (a.distance == b.distance && a.parent <= b.parent) ? a : b"


def struct(c, members):
    """The Type of a C struct."""
    return Type(c, np.dtype(members, align=True))


@all_ways
@all_groups
def test_combines_structs(device, way, group):
    rng = np.random.default_rng(17)
    type_ = struct("pair", [("distance", "f4"), ("parent", "i4")])
    values = np.zeros(ITEMS, type_.scalar)
    values["distance"] = rng.integers(0, 50, ITEMS)
    values["parent"] = rng.integers(0, 1000, ITEMS)
    target = targets(rng)
    got, _, _ = run(
        device, way, group, SMALLER, type_, values, target, "(pair){INFINITY, -1}", PAIR
    )
    want = folded(values, target, lambda v: min(v.tolist()))
    assert got.tolist() == want


@all_ways
def test_combines_small_structs_with_gaps(device, way):
    """Of 3 bytes, of 4 with padding, and of 6: bytes that are no member's change nothing."""
    rng = np.random.default_rng(19)
    added = "({t}){{(uchar)(a.x + b.x), (uchar)(a.y ^ b.y), (uchar)(a.z > b.z ? a.z : b.z)}}"
    shapes = [("uchar x, y, z", "u1"), ("uchar x; ushort y; uchar z", "u2"), ("ushort x, y, z", "")]
    for members, kind in shapes:
        formats = {"u1": ["u1", "u1", "u1"], "u2": ["u1", "u2", "u1"], "": ["u2", "u2", "u2"]}[kind]
        type_ = struct("three", list(zip("xyz", formats, strict=True)))
        values = np.zeros(ITEMS, type_.scalar)
        for member in "xyz":
            values[member] = rng.integers(0, 256, ITEMS)
        target = targets(rng)
        combine, before = added.format(t="three"), f"typedef struct {{ {members}; }} three;"
        got, _, _ = run(device, way, 8, combine, type_, values, target, "(three){0, 0, 0}", before)
        want = folded(
            values,
            target,
            lambda v: (
                int(v["x"].sum(dtype=np.int64)) % 256,
                int(np.bitwise_xor.reduce(v["y"])),
                int(v["z"].max()),
            ),
        )
        assert got.tolist() == want


@all_ways
@pytest.mark.parametrize("name", ["float2", "int2", "short3", "char4", "char8", "uchar3"])
def test_combines_vectors(device, way, name):
    rng = np.random.default_rng(23)
    type_ = resolve(name, "float32")
    values = rng.integers(-100, 100, (ITEMS, type_.stored)).astype(type_.scalar)
    values[:, type_.width :] = 0
    target = targets(rng)
    as_items = np.dtype((np.void, type_.itemsize))
    packed = values.view(as_items)[:, 0]
    got, _, _ = run(device, way, 8, "a + b", type_, packed, target, f"({name})(0)")
    got = got.view(type_.scalar).reshape(-1, type_.stored)[:, : type_.width]
    want = folded(values, target, lambda v: v.sum(axis=0, dtype=type_.scalar))
    np.testing.assert_array_equal(got, np.array(want)[:, : type_.width])


@all_ways
def test_cells_without_a_message_are_empty(device, way):
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
        got, _, overflow = run(device, way, 1, op, type_, values, target, IDENTITY[op](type_))
        assert got.tolist() == [want, 1] if op != "max" else got[0] == want
        assert not overflow.any()


# What Python says of it -------------------------------------------------------------------------


def test_cell_bits():
    for name, bits in (
        ("int8", 32),
        ("uint16", 32),
        ("float32", 32),
        ("char4", 32),
        ("short3", 64),
        ("float2", 64),
        ("float64", 64),
        ("float3", None),
        ("long2", None),
    ):
        assert cell_bits(resolve(name, "float32")) == bits, name


def test_definitions():
    def lines(combine, name):
        return [s.split()[-1] for s in definitions(combine, resolve(name, "float32"))]

    assert lines("sum", "int64") == ["64", "GASCL_SIGNED", "GASCL_SUM"]
    assert lines("min", "float32") == ["32", "GASCL_FLOATING", "GASCL_MIN"]
    assert lines("or", "uint8") == ["32", "GASCL_UNSIGNED", "GASCL_OR"]
    assert lines("a + b", "real2") == ["64", "GASCL_OTHER", "GASCL_EXPRESSION"]
    assert lines("a > b ? a : b", "float64") == ["64", "GASCL_FLOATING", "GASCL_EXPRESSION"]
    assert lines("a + b", "float4") == []
    assert lines(None, "float32") == []


FULL = Atomics(int64=True, int64_extended=True, ptx_float32=True, ptx_float64=True)


@pytest.mark.parametrize(
    ("atomics", "op", "type_", "way"),
    [
        (FULL, "sum", "int32", "native"),
        (FULL, "sum", "uint64", "native"),
        (FULL, "min", "float32", "native"),
        (FULL, "max", "float64", "native"),
        (FULL, "sum", "float32", "ptx"),
        (FULL, "sum", "float64", "ptx"),
        (FULL, "prod", "int64", "cas"),
        (FULL, "or", "float32", ""),
        (FULL, "sum", "struct8", ""),
        (FULL, "expression", "struct8", "cas"),
        (Atomics(), "sum", "int32", "native"),
        (Atomics(), "sum", "int64", ""),
        (Atomics(), "sum", "float64", ""),
        (Atomics(), "sum", "float32", "cas"),
        (Atomics(), "expression", "struct8", ""),
        (Atomics(int64=True), "sum", "int64", "native"),
        (Atomics(int64=True), "min", "int64", "cas"),
        (Atomics(int64=True), "min", "float64", "cas"),
        (Atomics(int64=True), "sum", "float64", "cas"),
        (replace(FULL, native=False), "sum", "int32", "cas"),
        (replace(FULL, native=False), "sum", "float32", "cas"),
    ],
)
def test_way(atomics, op, type_, way):
    assert atomics.way(op, type_) == way


def test_way_of_a_program():
    def way(combine, name):
        return FULL.way_of(combine, resolve(name, "float32"))

    assert way("min", "int8") == way("sum", "int64") == way("max", "real") == "native"
    assert way("sum", "float64") == "ptx"
    assert way("prod", "uint64") == way("a + b", "char4") == way("a + b", "float2") == "cas"
    assert way("a + b", "uint8") == way("a * b", "float64") == "cas"
    assert way("a + b", "float4") == way(None, "int32") == way("sum", "float2") == ""
    assert Atomics().way_of("a + b", resolve("char4", "float32")) == "cas"
    assert Atomics().way_of("a + b", resolve("float2", "float32")) == ""
    with pytest.raises(KeyError):
        FULL.way("mean", "int32")
    with pytest.raises(KeyError):
        FULL.way("sum", "int16")


@pytest.mark.parametrize(
    "atomics",
    [
        Atomics(),
        Atomics(int64=True),
        FULL,
        replace(FULL, ptx_float64=False),
        replace(FULL, native=False),
    ],
)
def test_what_is_printed_tells_every_way(atomics):
    said: dict[tuple[str, str], str] = {}
    for part in str(atomics).split("; "):
        way = part.split()[0]
        for types, ops in re.findall(r"([\w ]+) \(([\w ]+)\)", part.removeprefix(way)):
            said |= {(op, t): way for op in ops.split() for t in types.split()}
    no_wide = "none on 64 bits" in str(atomics)
    assert "compare-and-swap for" in str(atomics)
    for op in OPS:
        for type_ in TYPES:
            wide = not type_.endswith("32")
            bitwise_float = op in ("or", "and") and type_.startswith("float")
            nothing = bitwise_float or (type_ == "struct8" and op != "expression")
            rest = "" if nothing or (no_wide and wide) else "cas"
            assert atomics.way(op, type_) == said.get((op, type_), rest), (op, type_)


def test_atomics_of_this_machine():
    for device in devices():
        assert device.atomics is device.atomics
        assert device.atomics.native
        if "nvidia" not in device.platform.lower():
            assert not device.atomics.ptx_float32 and not device.atomics.ptx_float64
        elif device.fp64:  # all that can run this library have it
            assert device.atomics.ptx_float32 and device.atomics.ptx_float64


@pytest.mark.parametrize("name", FLOATS)
def test_a_probe_fails_quietly_elsewhere_and_its_sums_are_right(device, name):
    """The probe's kernel with compare-and-swap gives what the probe expects of PTX."""
    if "nvidia" not in device.platform.lower():
        assert not device._adds(name)
    if name == "float64" and not device.atomics.int64:
        pytest.skip("the device has no atomics on 64 bits")
    text = probe(name, kernel_text("atomics.cl"))
    built = cl.Program(device.context, text).build(Atomics(native=False).options())
    sums = np.zeros(4, name)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(device.context, flags, hostbuf=sums)
    cl.Kernel(built, "gascl_probe")(device.queue, (1024,), None, buffer)
    cl.enqueue_copy(device.queue, sums, buffer)
    assert sums.tolist() == [384.0] * 4


@pytest.mark.skipif(bool(oclgrind.MISSING), reason=oclgrind.MISSING)
@pytest.mark.skipif(UNDER_OCLGRIND, reason="once is enough")
def test_clean_under_oclgrind(monkeypatch):
    monkeypatch.setenv("GASCL_TEST_OCLGRIND", "1")
    options = ["-q", "-s", "-x", "-p", "no:cacheprovider", "-k", "combines", "test_atomics.py"]
    code = f"import sys, pytest; sys.exit(pytest.main({options}))"
    report = oclgrind.run("-c", code, seconds=300)
    assert report.status == 0, report.output
    assert report.ran >= {"empty", "combine", "take"}
    assert not report.findings, str(report.findings[0])
