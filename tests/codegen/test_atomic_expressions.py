"""Atomics by a program's own expression: on numbers, structs and vectors, as NumPy does."""

import numpy as np
import pytest
from support.case_subsets import one_in
from support.inbox_cells import ITEMS, all_groups, all_ways, check, folded, run, targets

from gascl.language.types import Type, resolve, struct_dtype

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
def test_combines_by_expressions(way, group, name):
    rng = np.random.default_rng(13)
    combine, prime = EXPRESSIONS[name]
    if prime is None:
        size = 1024 if name == "float32" else 1048576
        values = rng.integers(0, size, ITEMS).astype(name)
        check(way, group, combine, name, values, lambda v: v.sum() % size, identity="0")
        return

    def product(values):
        result = 1
        for x in values.tolist():
            result = result * x % prime
        return result

    values = rng.integers(1, prime, ITEMS, dtype=name)
    check(way, group, combine, name, values, product, identity="1")


PAIR = "typedef struct { float distance; int parent; } pair;"
SMALLER = "a.distance < b.distance || (a.distance == b.distance && a.parent <= b.parent) ? a : b"


def struct(c, members):
    """The Type of a C struct."""
    typed = tuple((name, resolve(np.dtype(kind).name, "float32")) for name, kind in members)
    return Type(c, struct_dtype(typed), 1, typed)


@all_ways
@all_groups
def test_combines_structs(way, group):
    rng = np.random.default_rng(17)
    type_ = struct("pair", [("distance", "f4"), ("parent", "i4")])
    values = np.zeros(ITEMS, type_.scalar)
    values["distance"] = rng.integers(0, 50, ITEMS)
    values["parent"] = rng.integers(0, 1000, ITEMS)
    target = targets(rng)
    got, _, _ = run(way, group, SMALLER, type_, values, target, "(pair){INFINITY, -1}", PAIR)
    want = folded(values, target, lambda v: min(v.tolist()))
    assert got.tolist() == want


@all_ways
def test_combines_small_structs_with_gaps(way):
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
        got, _, _ = run(way, 8, combine, type_, values, target, "(three){0, 0, 0}", before)
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
@pytest.mark.parametrize(
    "name", one_in(2, ["float2", "int2", "short3", "char8", "uchar3", "char4"])
)
def test_combines_vectors(way, name):
    rng = np.random.default_rng(23)
    type_ = resolve(name, "float32")
    values = rng.integers(-100, 100, (ITEMS, type_.stored)).astype(type_.scalar)
    values[:, type_.width :] = 0
    target = targets(rng)
    as_items = np.dtype((np.void, type_.itemsize))
    packed = values.view(as_items)[:, 0]
    got, _, _ = run(way, 8, "a + b", type_, packed, target, f"({name})(0)")
    got = got.view(type_.scalar).reshape(-1, type_.stored)[:, : type_.width]
    want = folded(values, target, lambda v: v.sum(axis=0, dtype=type_.scalar))
    np.testing.assert_array_equal(got, np.array(want)[:, : type_.width])
