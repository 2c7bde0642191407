"""Messages that name options, rendered for Python or for the shell.

`Message("the edge repeats another; ", Option("duplicates", "first"), " merges them")` is a string
for Python's users. Its parts remain available, so that the command `gascl` can name the same option
in the shell's form: `--duplicates first`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

#: The value of an option for which any value will do.
ANY: Any = ...


class Placeholder(str):
    """A placeholder for a value, such as COLUMN, shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ProgramName(str):
    """The name of the vertex program that a message is about, as a part of the message."""

    __slots__ = ()


@dataclass(frozen=True)
class Option:
    """An option that a message names, often because changing it would help.

    Attributes:
        name: the name of the argument in Python.
        value: the value that is meant, or ANY.
        of: what takes the option: "run" is a function of gascl for graphs or runs, "reader" the
            reader of a file format, "program" the constructor of a vertex program, and "edge
            field" is an edge field of the program, which takes the name of the graph's field.
    """

    name: str
    value: Any = ANY
    of: Literal["run", "reader", "program", "edge field"] = "run"

    def __str__(self) -> str:
        """The option in Python, such as `directed=False`."""
        text = f"{self.name}={'' if self.value is ANY else repr(self.value)}"
        return f"construct the program with {text}" if self.of == "edge field" else text


class Message(str):
    """A text that names options; as a string, it is the text for Python.

    Options that follow each other are arguments of one call: `a=1, b=2`, or `--a 1 --b 2`.

    Attributes:
        parts: the pieces of the text in order, each a string or an Option.
    """

    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Message:
        nested = (part.parts if isinstance(part, Message) else (part,) for part in parts)
        pieces = tuple(piece for inner in nested for piece in inner)
        message = super().__new__(cls, render(pieces, str, ", "))
        message.parts = pieces
        return message

    def within(self, program: str) -> Message:
        """The message of a program that another one, named `program`, runs: it names both."""
        for i, part in enumerate(self.parts):
            if isinstance(part, ProgramName):
                outer = ProgramName(program)
                names = [part] if part == outer else [outer, f" ({part})"]
                return Message(*self.parts[:i], *names, *self.parts[i + 1 :])
        return Message(ProgramName(program), ": ", self)

    def __add__(self, after: str) -> Message:
        return Message(self, after)

    def __radd__(self, before: str) -> Message:
        return Message(before, self)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Message:
        """The message with other text in place of `old`, outside of options."""
        parts = (p.replace(old, new, count) if isinstance(p, str) else p for p in self.parts)
        return Message(*parts)

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that the message names, in order."""
        return tuple(part for part in self.parts if isinstance(part, Option))


def render(parts: Iterable[str | Option], shown: Callable[[Option], str], between: str) -> str:
    """The text of a message's parts.

    Args:
        shown: the text of an option.
        between: what separates two options that follow each other.
    """
    text, after_option = "", False
    for part in parts:
        is_option = isinstance(part, Option)
        text += between * (is_option and after_option)
        text += shown(part) if isinstance(part, Option) else part
        after_option = is_option
    return text


#: What many messages suggest where numbers need more precision or range.
DOUBLE = Option("dtype", "float64", of="program")
