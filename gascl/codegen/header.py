"""A generated header as it grows: its lines, where each came from, and what the host must know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from gascl.language.facts import Facts
from gascl.language.program import VertexProgram
from gascl.language.snippet import Snippet
from gascl.language.source import Place
from gascl.language.types import Type, resolve, struct_dtype


@dataclass
class Header:
    """The generated text and what the host must know to feed it.

    Attributes:
        text: OpenCL C.
        places: for each line of the text, the user's line it came from, or None.
        state: names of the arguments behind GASCL_STATE, in order.
        edge: names of the arguments behind GASCL_EDGE, in order: what snippets read of `e`.
        types: type of every vertex, edge and arc field.
        message, gathered: type of a message, and of what a gather snippet makes of them.
        accumulator: type in which messages are combined.
        box, run, tally, control: layout of the structs that host and device share.
        other: type of what a pairs snippet reads of the vertex that gives.
        layouts: sizes and offsets of the user's structs, as the device must have them.
        lanes: how many runs at once.
    """

    text: str = ""
    places: list[Place | None] = field(default_factory=list)
    state: list[str] = field(default_factory=list)
    edge: list[str] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    message: Type = field(default_factory=lambda: resolve("uint8", "float32"))
    gathered: Type = field(default_factory=lambda: resolve("uint8", "float32"))
    accumulator: Type = field(default_factory=lambda: resolve("uint8", "float32"))
    other: np.dtype = field(default_factory=lambda: np.dtype([]))
    box: np.dtype = field(default_factory=lambda: np.dtype([]))
    run: np.dtype = field(default_factory=lambda: np.dtype([]))
    tally: np.dtype = field(default_factory=lambda: np.dtype([]))
    control: np.dtype = field(default_factory=lambda: np.dtype([]))
    layouts: list[int] = field(default_factory=list)
    lanes: int = 1


class Lines:
    """Writes a program's header a line at a time."""

    def __init__(
        self,
        program: type[VertexProgram],
        real: str,
        choices: dict[str, str],
        offset: str,
        fp64: bool,
        lanes: int,
        debug: bool,
    ):
        self.program, self.real, self.choices, self.fp64 = program, real, choices, fp64
        self.offset, self.debug = resolve(offset, real), debug
        self.facts = Facts.of(program, lanes, debug)
        self.header = Header(lanes=lanes)
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        for line in lines:
            self.lines.append(line)
            self.header.places.append(None)

    def verbatim(self, snippet: Snippet, text: str | None = None) -> None:
        """The snippet's own lines, each remembering where the user wrote it."""
        for i, line in enumerate((snippet.text if text is None else text).split("\n")):
            self.lines.append(line)
            self.header.places.append(snippet.place(i))

    def expression(self, before: str, snippet: Snippet, after: str) -> None:
        self.put(before)
        self.verbatim(snippet)
        self.put(after)

    def _struct(self, name: str, members: Iterable[tuple[str, Type]]) -> Type:
        """A struct that host and device lay out alike."""
        members = tuple(members) or (
            ("gascl_unused", resolve("int32", "")),
        )  # C knows no empty one
        self.put("typedef struct {", *(f"    {t.c} {n};" for n, t in members), f"}} {name};", "")
        return Type(name, struct_dtype(members), 1, members)

    def _macro(self, head: str, *statements: str) -> None:
        """A macro, where a function would need one version for each kind of memory."""
        lines = [f"#define {head}", "    do {", *(f"        {text};" for text in statements)]
        self.put(*(f"{line} \\" for line in lines), "    } while (0)", "")
