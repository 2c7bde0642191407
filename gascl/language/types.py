"""The types of fields and messages: NumPy scalars, OpenCL vectors of them, arrays, structs, `real`,
`vertex` and `time`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from gascl.errors import ProgramError

#: NumPy's name of a scalar type -> its name in OpenCL C.
SCALARS = {
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "long",
    "uint64": "ulong",
    "float32": "float",
    "float64": "double",
}
#: Their names in other languages, for hints.
_ELSEWHERE = {"float": "float32", "double": "float64", "int": "int32", "long": "int64"}
_ELSEWHERE |= {"bool": "uint8", "half": "float32", "char": "int8", "unsigned": "uint32"}
_NUMPY = {c: name for name, c in SCALARS.items()}
#: The numbers of components that vectors can have.
WIDTHS = (2, 3, 4, 8, 16)
#: The most vectors of an array whose statements are written one by one, so that compilers keep them
#: in registers.
MOST_PARTS = 16

#: The type of values that are vertices: an index, less than 0 for no vertex. In C it is an int;
#: results offer the labels.
VERTEX = "vertex"

#: The type of points in time: int64 in C; results offer datetimes where the graph's times are such.
TIME = "time"

#: Vectors whose names in OpenCL are those of other types in NumPy, whose meaning holds: int8 is one
#: byte.
_LONG_INTS = {f"{c}32x{n}": f"{c}{n}" for c in ("int", "uint") for n in (8, 16)}

#: All type names in declarations: scalars by NumPy's names, vectors by OpenCL's, and `real`.
#: float16, a half in NumPy and a vector in OpenCL, is not allowed.
NAMES = ("real", *SCALARS, *(f"{c}{n}" for c in ("real", *_NUMPY) for n in WIDTHS), *_LONG_INTS)
NAMES = tuple(dict.fromkeys(n for n in (*NAMES, VERTEX, TIME) if n != "float16"))

#: The name of a type of arrays: its components' type and their number.
_ARRAY = re.compile(r"(\w+) ?\( ?(\d+) ?\)")
#: The largest number of components of an array in a field or message.
MOST_COMPONENTS = 1024


@dataclass(frozen=True)
class Type:
    """A type, on the device and on the host.

    Attributes:
        c: its name in OpenCL C.
        scalar: NumPy dtype of a component, or of the whole struct.
        width: the number of components (1 for a scalar or a struct).
        members: names and types of a struct's members.
        shape: the lengths of an array; () if it is none.
        boxed: whether it is an array as a value, which C only has in a union: its member `at` is
            the array, and `parts` the same as vectors; `c` is the name of the union. Otherwise `c`
            is the name of a component.
    """

    c: str
    scalar: np.dtype
    width: int = 1
    members: tuple[tuple[str, Type], ...] = ()
    shape: tuple[int, ...] = ()
    boxed: bool = False

    @property
    def stored(self) -> int:
        """Components in memory: a vector of 3 takes the space of 4 (OpenCL C 1.2, 6.1.5)."""
        return 4 if self.width == 3 and not self.shape else self.width

    @property
    def one(self) -> Type:
        """The type of a component of an array."""
        return Type(SCALARS[self.scalar.name], self.scalar)

    @property
    def part(self) -> Type:
        """The type of the vectors in an array as a value: the longest of which it has a whole
        number."""
        return self.vector_of(max(WIDTHS))

    def vector_of(self, most: int) -> Type:
        """The longest vector of which an array has a whole number, with up to `most` components, a
        power of two."""
        width = math.gcd(self.width, most)
        return Type(f"{self.one.c}{width if width > 1 else ''}", self.scalar, width)

    @property
    def bare(self) -> Type:
        """An array as a member of a struct, where C has arrays."""
        return replace(self, c=self.one.c, boxed=False) if self.boxed else self

    @property
    def is_float(self) -> bool:
        return self.scalar.kind == "f"

    @property
    def all_floats(self) -> bool:
        """Whether all of its parts are floats."""
        return all(s.kind == "f" for s in self.scalars)

    @property
    def itemsize(self) -> int:
        """The size of a value on the device, in bytes."""
        return self.scalar.itemsize * self.stored

    @property
    def alignment(self) -> int:
        """The alignment in bytes: a vector's is its size (OpenCL C 1.2, 6.1.5), a struct's is that
        of its widest member."""
        if self.boxed:
            return self.part.itemsize
        if self.shape:
            return self.scalar.itemsize
        return max(t.alignment for _, t in self.members) if self.members else self.itemsize

    @property
    def scalars(self) -> list[np.dtype]:
        """The scalar types that it consists of."""
        return [t.scalar for _, t in self.members] or [self.scalar]

    def parts(self) -> list[tuple[str, Type]]:
        """The scalars in a value: the C text that selects each one, and its type."""
        if self.members:
            return [(f".{n}{at}", part) for n, t in self.members for at, part in t.parts()]
        one = self.one
        if self.shape:
            of = ".at" if self.boxed else ""
            return [(f"{of}[{i}]", one) for i in range(self.width)]
        return [(f".s{i:x}", one) for i in range(self.width)] if self.width > 1 else [("", self)]

    @property
    def has_arrays(self) -> bool:
        """Whether it is an array, or a struct with one."""
        return bool(self.shape) or any(t.shape for _, t in self.members)

    def declared(self, name: str) -> str:
        """C text that declares a variable or member of the type."""
        lengths = "" if self.boxed else "".join(f"[{length}]" for length in self.shape)
        return f"{self.c} {name}{lengths}"

    def by_component(self, statement: Callable[[str, Type], str]) -> list[str]:
        """Lines of C: a statement for each member of a struct, or for the value; of an array, for
        each component, or each vector.

        Args:
            statement: the C text of one, given the text that selects the member or component, and
                its type.
        """
        if self.boxed:
            count = self.width // self.part.width
            if count > MOST_PARTS:
                each = statement(".parts[gascl_k]", self.part)
                return [f"    GASCL_EACH(gascl_k, {count})", f"        {each};"]
            return [f"    {statement(f'.parts[{i}]', self.part)};" for i in range(count)]
        parts = [(f".{n}", t) for n, t in self.members] or [("", self)]
        lines = []
        for at, type_ in parts:
            if not type_.shape:
                lines.append(f"    {statement(at, type_)};")
                continue
            lines.append(f"    GASCL_EACH(gascl_k, {type_.width})")
            lines.append(f"        {statement(f'{at}[gascl_k]', type_.one)};")
        return lines

    def array(self, shape: tuple[int, ...]) -> np.ndarray:
        """An uninitialized array of values as the device stores them."""
        return np.empty(shape if self.stored == 1 else (*shape, self.stored), self.scalar)

    def highest(self) -> str:
        """C text of the largest value, the identity of min."""
        return self._limit("INFINITY", "MAX")

    def lowest(self) -> str:
        """C text of the smallest value, the identity of max."""
        return "0" if self.scalar.kind == "u" else self._limit("-INFINITY", "MIN")

    def zero(self) -> str:
        """C text of a value that is zero in every component or member."""
        return f"({self.c}){{0}}" if self.members or self.boxed else f"({self.c})(0)"

    def _limit(self, infinite: str, suffix: str) -> str:
        if self.is_float:
            return infinite
        c = self.c
        name = {"char": "SCHAR", "uchar": "UCHAR", "short": "SHRT", "ushort": "USHRT"}.get(c)
        return f"{name or c.upper()}_{suffix}"


@dataclass(frozen=True)
class Struct:
    """A C struct: the names and types of its members.

    `name` is the class attribute that it was assigned to; the program's class sets it.
    """

    members: tuple[tuple[str, str], ...]
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"struct of {', '.join(n for n, _ in self.members)}"


@dataclass(frozen=True)
class FieldTypes(Mapping[str, "str | Struct"]):
    """The types of a program's vertex and arc fields by name, as they were declared.

    Attributes:
        inputs: the vertex fields that the program reads and never writes.
    """

    declared: Mapping[str, str | Struct] = field(default_factory=dict)
    inputs: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> str | Struct:
        return self.declared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.declared)

    def __len__(self) -> int:
        return len(self.declared)


def struct(members: Iterable[tuple[str, Any]] | np.dtype) -> Struct:
    """A type with several named members, for fields, messages and aggregators::

        Pair = struct([("distance", "real"), ("parent", "int32")])

    In snippets it has the name of the class attribute: `(Pair){0, -1}`. A structured NumPy dtype
    works, too, but cannot contain `real`.

    Raises:
        ProgramError: there are no members, duplicate names, nested structs or arrays.
    """
    if isinstance(members, np.dtype):
        if not members.names:
            raise ProgramError(f"struct: {members} is not a structured dtype")
        members = [(n, members.fields[n][0]) for n in members.names]  # type: ignore[index]
    try:
        pairs = [(str(n), t) for n, t in members]
    except (TypeError, ValueError):
        raise ProgramError(
            f"struct takes (name, type) pairs or a structured dtype, not {members!r}"
        ) from None
    names = [n for n, _ in pairs]
    for name, type_ in pairs:
        if isinstance(type_, Struct) or (isinstance(type_, np.dtype) and type_.names):
            raise ProgramError(
                f"struct: member {name!r} is a struct; members must be scalars or vectors"
            )
        if isinstance(type_, np.dtype) and len(type_.shape) > 1:
            raise ProgramError(
                f"struct: member {name!r} has {len(type_.shape)} dimensions; arrays in structs "
                "have one"
            )
        if type_ == TIME:
            raise ProgramError(
                f"struct: member {name!r} is a time, which only a field can be; declare a field"
            )
        if not name.isidentifier() or names.count(name) > 1:
            raise ProgramError(
                f"struct: {name!r} is not a valid name for a member, or occurs twice"
            )
    if not pairs:
        raise ProgramError("struct: give at least one member")
    return Struct(tuple((n, str(name_of(t))) for n, t in pairs))


def name_of(type_: object) -> str | Struct:
    """The canonical name of a type that is given by name, as a NumPy scalar type or as a dtype."""
    if isinstance(type_, Struct):
        return type_
    if isinstance(type_, np.dtype) and type_.names:
        return struct(type_)
    if isinstance(type_, str) and type_ in NAMES:
        return type_
    if isinstance(type_, np.dtype) and type_.shape:
        return array_name(type_.base.name, type_.shape[0])
    array = _ARRAY.fullmatch(type_) if isinstance(type_, str) else None
    if array:
        return array_name(array[1], int(array[2]))
    if isinstance(type_, str):  # not by NumPy's other names: its "float" is float64
        name = type_
    else:
        try:
            name = np.dtype(type_).name  # type: ignore[call-overload]
        except TypeError:
            name = str(type_)
    if name in SCALARS:
        return name
    near = [_ELSEWHERE[name]] if name in _ELSEWHERE else get_close_matches(name, NAMES, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ProgramError(
        f"{name!r} is not a type of fields or messages; {hint}use 'real', 'vertex', 'time', "
        f"a NumPy scalar ({', '.join(SCALARS)}), an OpenCL vector such as 'float4', an array such "
        "as 'real(64)', or a struct([...])"
    )


def array_name(component: str, length: int) -> str:
    """The name of the type of arrays with this many components.

    Raises:
        ProgramError: there is no such type.
    """
    named = f"{component}({length})"
    if component != "real" and component not in SCALARS:
        raise ProgramError(
            f"{named!r} is not a type: the components of an array are 'real' or NumPy scalars "
            f"({', '.join(SCALARS)})"
        )
    if not 2 <= length <= MOST_COMPONENTS:
        raise ProgramError(
            f"{named!r}: an array has from 2 to {MOST_COMPONENTS} components"
            + (f"; for one, write {component!r}" if length == 1 else "")
        )
    return named


def array_type(component: Type, shape: tuple[int, ...]) -> Type:
    """The type of arrays, as members of structs."""
    return Type(component.c, component.scalar, math.prod(shape), (), shape)


def resolve(name: str | Struct, real: str) -> Type:
    """The type called `name`; `real` stands for 'float32' or 'float64'."""
    if isinstance(name, Struct):
        members = tuple((n, resolve(t, real).bare) for n, t in name.members)
        return Type(name.name, struct_dtype(members), 1, members)
    name = {VERTEX: "int32", TIME: "int64"}.get(name, name)
    array = _ARRAY.fullmatch(name)
    if array:
        return boxed(array_type(resolve(array[1], real), (int(array[2]),)))
    if name in SCALARS:
        return Type(SCALARS[name], np.dtype(name))
    name = _LONG_INTS.get(name, name)
    base, digits = re.fullmatch(r"([a-z]+)(\d*)", name).groups()  # type: ignore[union-attr]
    c = SCALARS[real] if base == "real" else base
    return Type(c + digits, np.dtype(_NUMPY[c]), int(digits or 1))


def boxed(type_: Type) -> Type:
    """The type of an array as a value."""
    return replace(type_, c=f"gascl_{type_.c}_{type_.width}", boxed=True)


def struct_dtype(members: Iterable[tuple[str, Type]]) -> np.dtype:
    """The NumPy dtype of a C struct with these members.

    NumPy's align=True is not enough: to NumPy, a vector is a subarray with the alignment of its
    items.
    """
    members = list(members) or [("gascl_unused", resolve("int32", ""))]
    offsets, end = [], 0
    for _, type_ in members:
        end = -(-end // type_.alignment) * type_.alignment
        offsets.append(end)
        end += type_.itemsize
    widest = max(t.alignment for _, t in members)
    return np.dtype(
        {
            "names": [n for n, _ in members],
            "formats": [
                t.scalar if t.width == 1 else (t.scalar, t.shape or (t.width,)) for _, t in members
            ],
            "offsets": offsets,
            "itemsize": -(-end // widest) * widest,
        },
        align=True,
    )


def unfit(value: Any, name: str | Struct) -> str:
    """Why the type called `name` cannot hold a number given in Python; "" if it can."""
    scalar = resolve(name, "float64").scalar
    if scalar.names:
        return f"expected a string with a C expression for a {name}"
    if isinstance(value, str | bytes | bool | np.bool_ | complex) or not np.isscalar(value):
        return f"expected a number ({name})"
    if scalar.kind == "f":
        return ""
    info = np.iinfo(scalar)
    number: Any = value
    if np.isfinite(number) and int(number) == number and info.min <= number <= info.max:
        return ""
    return f"expected a whole number from {info.min} to {info.max} ({name})"
