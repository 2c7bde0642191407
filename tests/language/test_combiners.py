"""The rules of combiners: what they refuse, in which type they combine, what can go wrong."""

import pytest

from gascl.language.combiners import (
    AND,
    EXPRESSION,
    FIRST,
    MAX,
    MIN,
    NAMED,
    OR,
    PRODUCT,
    SUM,
    combiner_of,
)
from gascl.language.types import resolve, struct


def type_(name):
    return resolve(name, "float32")


POINT = struct([("x", "float2"), ("y", "real")])
MIXED = struct([("x", "real"), ("n", "int32")])


def test_names():
    assert [*NAMED] == ["sum", "prod", "min", "max", "or", "and", "first"]
    assert all(combiner_of(name) is combiner for name, combiner in NAMED.items())
    assert combiner_of("a + b") is combiner_of("expression") is EXPRESSION


@pytest.mark.parametrize(
    ("combiner", "name", "why"),
    [
        (SUM, "float4", ""),
        (SUM, POINT, ""),
        (SUM, "int4", "or a vector or struct of floats"),
        (SUM, MIXED, "or a vector or struct of floats"),
        (PRODUCT, "float2", "needs a scalar or array message; write it as an expression"),
        (MIN, "float2", "needs a scalar or array message; write it as an expression"),
        (SUM, "int64(4)", "of arrays of int64 cannot be checked for overflow"),
        (PRODUCT, "int32(4)", "of arrays of integers cannot be checked for overflow"),
        (OR, "real(4)", "needs an integer message"),
        (EXPRESSION, "real(4)", "is an expression, and C has none over arrays"),
        (MAX, "real", ""),
        (OR, "uint8", ""),
        (OR, "real", "needs an integer message"),
        (AND, "int2", "needs a scalar or array message"),
        (EXPRESSION, MIXED, ""),
        (FIRST, MIXED, ""),
        (FIRST, "int4", ""),
    ],
)
def test_what_they_refuse(combiner, name, why):
    found = combiner.refuses(type_(name))
    assert why in found
    assert bool(why) == bool(found)


@pytest.mark.parametrize(
    ("combiner", "name", "fp64", "c"),
    [
        (SUM, "float32", True, "double"),
        (SUM, "float32", False, "float"),
        (SUM, "float4", True, "double4"),
        (SUM, "uint8", True, "ulong"),
        (SUM, "int32", False, "long"),
        (PRODUCT, "int16", True, "long"),
        (PRODUCT, "float32", True, "float"),
        (MIN, "int8", True, "char"),
        (MAX, "float32", True, "float"),
        (OR, "uint16", True, "ushort"),
        (EXPRESSION, "float2", True, "float2"),
    ],
)
def test_in_which_type_they_combine(combiner, name, fp64, c):
    assert combiner.accumulator(type_(name), fp64).c == c


def test_sums_and_products_of_integers_may_overflow_and_of_floats_depend_on_the_order():
    for combiner in (*NAMED.values(), EXPRESSION):
        arithmetic = combiner in (SUM, PRODUCT)
        assert combiner.overflows(type_("int64")) == arithmetic
        assert combiner.depends_on_order(type_("float32")) == arithmetic
        assert not combiner.overflows(type_("float32"))
        assert not combiner.depends_on_order(type_("int64"))


def test_identities_and_what_two_values_give():
    texts = {
        c.name: (c.identity(type_("int32")), c.combined(type_("int32"), "a", "b"))
        for c in NAMED.values()
    }
    assert texts == {
        "sum": ("0", "a + b"),
        "prod": ("1", "a * b"),
        "min": ("INT_MAX", "b < a ? b : a"),
        "max": ("INT_MIN", "b > a ? b : a"),
        "or": ("0", "a | b"),
        "and": ("~(int)0", "a & b"),
        "first": ("(int)(0)", "a"),
    }
    assert MIN.combined(type_("float32"), "a", "b") == "b < a || b != b ? b : a"  # NaN wins
    assert (MIN.identity(type_("float32")), MAX.identity(type_("uint32"))) == ("INFINITY", "0")
