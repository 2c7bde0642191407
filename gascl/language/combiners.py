"""Combiners: the rules by which messages, and the values of aggregators, are combined.

Each combiner is an object that knows the type of a combined value, the C text of its identity and
of the combination of two values, whether it can overflow, and whether the result depends on the
order. `EXPRESSION` stands for an expression of the user's own, whose text and identity are
snippets.
"""

from __future__ import annotations

from dataclasses import dataclass

from gascl.language.types import Type, array_type, boxed, resolve, struct_dtype


@dataclass(frozen=True)
class Combiner:
    """An associative and commutative rule that combines two values.

    Attributes:
        name: its name in programs and, in capitals, in kernels/atomics.cl.
        sign: the C operator that combines two values; for min and max, the comparison that holds
            between the result and the other value.
        atomic: the kind of OpenCL atomic operation that can do it: "add", "extreme" or "bitwise";
            "" if it takes compare-and-swap.
    """

    name: str
    sign: str = ""
    atomic: str = ""

    def refuses(self, message: Type) -> str:
        """Why values of this type cannot be combined like this; "" if they can."""
        if message.boxed:
            return self.refuses(message.one)
        if message.width > 1 or message.members:
            return "needs a scalar or array message; write it as an expression over a and b"
        return ""

    def accumulator(self, message: Type, fp64: bool) -> Type:
        """The type in which such messages are combined.

        Args:
            fp64: the device has double precision.
        """
        return message

    def overflows(self, message: Type) -> bool:
        """Whether combined messages may exceed the range of their type, which must be reported."""
        return False

    def depends_on_order(self, message: Type) -> bool:
        """Whether the result depends, through rounding, on the order of the messages."""
        return False

    def identity(self, type_: Type) -> str:
        """C text of the identity: the value of a scalar type that leaves all others unchanged."""
        raise NotImplementedError

    def combined(self, type_: Type, a: str, b: str) -> str:
        """C text of the combination of two values of a type."""
        return f"{a} {self.sign} {b}"

    def noticing_overflow(self, type_: Type, message: Type) -> list[str]:
        """C statements that return the combination of a and b, values of `type_` in which such
        messages are combined, and track overflow.

        `*gascl_overflow` is the overflow count that belongs to a, `gascl_more` the one that belongs
        to b; `*gascl_overflow` becomes that of the result. Whether the final count says "overflow"
        must not depend on the order of the messages.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class _Arithmetic(Combiner):
    """A sum or a product."""

    def refuses(self, message: Type) -> str:
        if message.boxed and not message.all_floats and message.scalar.itemsize == 8:
            return (
                f"of arrays of {message.scalar} cannot be checked for overflow; use arrays of at "
                "most 32 bits, or of floats"
            )
        return super().refuses(message)

    def accumulator(self, message: Type, fp64: bool) -> Type:
        if message.all_floats:
            return message
        # 64 bits: a sum of up to 2^32 messages of 32 bits cannot overflow.
        wide = resolve("uint64" if message.scalar.kind == "u" else "int64", "")
        return boxed(array_type(wide, message.shape)) if message.boxed else wide

    def overflows(self, message: Type) -> bool:
        return not message.all_floats

    def depends_on_order(self, message: Type) -> bool:
        return message.all_floats


@dataclass(frozen=True)
class _Sum(_Arithmetic):
    def refuses(self, message: Type) -> str:
        if message.boxed:
            return super().refuses(message)
        if (message.width > 1 or message.members) and not message.all_floats:
            return (
                "needs a scalar or array message, or a vector or struct of floats; write it as an "
                "expression over a and b"
            )
        return ""

    def accumulator(self, message: Type, fp64: bool) -> Type:
        # In float, a hub's sum of 3 million equal messages is 3 % off.
        floats = message.all_floats and fp64
        return _in_double(message) if floats else super().accumulator(message, fp64)

    def identity(self, type_: Type) -> str:
        return type_.zero() if type_.members else "0"

    def combined(self, type_: Type, a: str, b: str) -> str:
        return added(type_, "gascl_accumulator", a, b)

    def noticing_overflow(self, type_: Type, message: Type) -> list[str]:
        """The count is how often a sum wrapped around upwards minus downwards. One of narrower
        messages does not, as `accumulator` says."""
        if message.itemsize < type_.itemsize:
            return ["    *gascl_overflow += gascl_more;", "    return a + b;"]
        wrapped = ["    *gascl_overflow += gascl_more + (c < a);"]
        if type_.c != "ulong":
            wrapped = [
                "    const int gascl_wrap = ((a ^ c) & (b ^ c)) < 0 ? (a < 0 ? -1 : 1) : 0;",
                "    *gascl_overflow += gascl_more + gascl_wrap;",
            ]
        return [_WRAPPING.format("+"), *wrapped, "    return c;"]


@dataclass(frozen=True)
class _Product(_Arithmetic):
    def refuses(self, message: Type) -> str:
        if message.boxed and not message.all_floats:
            return "of arrays of integers cannot be checked for overflow; use floats"
        return super().refuses(message)

    def identity(self, type_: Type) -> str:
        return "1"

    def noticing_overflow(self, type_: Type, message: Type) -> list[str]:
        """A product that contains a zero is zero, whatever its other factors are."""
        high = "0" if type_.c == "ulong" else "(c < 0 ? -1 : 0)"
        return [
            _WRAPPING.format("*"),
            "    const bool gascl_zero =",
            "        (a == 0 && !*gascl_overflow) || (b == 0 && !gascl_more);",
            "    *gascl_overflow = !gascl_zero",
            f"        && (*gascl_overflow || gascl_more || mul_hi(a, b) != {high});",
            "    return c;",
        ]


@dataclass(frozen=True)
class _Extreme(Combiner):
    """Minimum or maximum; NaN wins, as in NumPy."""

    def identity(self, type_: Type) -> str:
        return type_.highest() if self.sign == "<" else type_.lowest()

    def combined(self, type_: Type, a: str, b: str) -> str:
        nan = f" || {b} != {b}" if type_.is_float else ""
        return f"{b} {self.sign} {a}{nan} ? {b} : {a}"


@dataclass(frozen=True)
class _Bitwise(Combiner):
    def refuses(self, message: Type) -> str:
        return super().refuses(message) or ("needs an integer message" if message.is_float else "")

    def identity(self, type_: Type) -> str:
        return "0" if self.sign == "|" else f"~({type_.c})0"


@dataclass(frozen=True)
class _Expression(Combiner):
    """An expression of the user's own, over values of any type but arrays."""

    def refuses(self, message: Type) -> str:
        if message.boxed:
            return "is an expression, and C has none over arrays; give the message as a struct"
        return ""


@dataclass(frozen=True)
class _First(Combiner):
    """The message of the sender with the smallest id; of its arcs, of that with the smallest edge
    id (the monoid ANY of GraphBLAS, made definite). Whoever combines keeps that order."""

    def refuses(self, message: Type) -> str:
        return ""

    def identity(self, type_: Type) -> str:
        return type_.zero()

    def combined(self, type_: Type, a: str, b: str) -> str:
        return a


SUM, PRODUCT = _Sum("sum", "+", "add"), _Product("prod", "*")
MIN, MAX = _Extreme("min", "<", "extreme"), _Extreme("max", ">", "extreme")
OR, AND = _Bitwise("or", "|", "bitwise"), _Bitwise("and", "&", "bitwise")
FIRST = _First("first")
EXPRESSION = _Expression("expression")

#: The combiners that have a name in the language.
NAMED = {c.name: c for c in (SUM, PRODUCT, MIN, MAX, OR, AND, FIRST)}

_WRAPPING = "    const gascl_accumulator c = (gascl_accumulator)((ulong)a {} (ulong)b);"


def combiner_of(rule: str) -> Combiner:
    """The combiner that a program names, or `EXPRESSION` if it gives an expression over a and b."""
    return NAMED.get(rule, EXPRESSION)


def added(type_: Type, c: str, a: str, b: str, by_component: bool = False) -> str:
    """C text of a + b; member by member for a struct, whose name in C is `c`.

    Args:
        by_component: also add vectors component by component, so that a compiler can vectorize over
            several of them.
    """
    if type_.members and not type_.has_arrays:
        sums = (added(t, t.c, f"{a}.{n}", f"{b}.{n}", by_component) for n, t in type_.members)
        return f"({c}){{{', '.join(sums)}}}"
    if type_.width > 1 and by_component:
        return f"({type_.c})({', '.join(f'{a}{at} + {b}{at}' for at, _ in type_.parts())})"
    return f"{a} + {b}"


def _in_double(type_: Type) -> Type:
    """The type with every float replaced by a double."""
    if type_.shape:
        wide = array_type(_in_double(type_.one), type_.shape)
        return boxed(wide) if type_.boxed else wide
    if type_.members:
        members = tuple((n, _in_double(t)) for n, t in type_.members)
        same = members == type_.members
        return type_ if same else Type("gascl_wide", struct_dtype(members), 1, members)
    if type_.scalar != "float32":
        return type_
    return resolve(f"double{type_.width}" if type_.width > 1 else "float64", "float64")
