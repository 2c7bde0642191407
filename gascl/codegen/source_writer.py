"""Generated C while it is written: its lines, and the user's line that each comes from."""

from __future__ import annotations

from collections.abc import Callable

from gascl.errors import Place
from gascl.language.snippet import Snippet
from gascl.language.types import Type

_STRICTLY = (
    "#pragma clang diagnostic push",
    '#pragma clang diagnostic error "-Wshorten-64-to-32"',
    '#pragma clang diagnostic error "-Wimplicit-int-conversion"',
)
_AS_BEFORE = ("#pragma clang diagnostic pop",)


class Text:
    """Lines of C.

    Args:
        written: a snippet's text as it is written.
        strict: compilers refuse snippets that put integers into fewer bits without a cast. (All
            compilers of OpenCL C that gascl knows are based on Clang.)

    Attributes:
        lines: the lines without line ends.
        places: for each line, the user's line that it comes from, or None.
    """

    def __init__(
        self,
        written: Callable[[Snippet, str], str] = lambda snippet, text: text,
        strict: bool = False,
    ) -> None:
        self._written, self._strict = written, strict
        self.lines: list[str] = []
        self.places: list[Place | None] = []

    def put(self, *lines: str) -> None:
        """Add lines that are not the user's."""
        for line in lines:
            self.lines.append(line)
            self.places.append(None)

    def snippet(self, snippet: Snippet, text: str | None = None) -> None:
        """Add a snippet's lines with their places, or `text`, which has as many lines."""
        written = self._written(snippet, snippet.text if text is None else text)
        self.put(*_STRICTLY * self._strict)
        for i, line in enumerate(written.split("\n")):
            self.lines.append(line)
            self.places.append(snippet.place(i))
        self.put(*_AS_BEFORE * self._strict)

    def expression(self, before: str, snippet: Snippet, after: str) -> None:
        """Add a snippet that is an expression, on its own lines."""
        self.put(before)
        self.snippet(snippet)
        self.put(after)

    def struct(self, type_: Type) -> None:
        """Add the definition of a struct."""
        members = (f"    {t.declared(n)};" for n, t in type_.members)
        self.put("typedef struct {", *members, f"}} {type_.c};", "")

    def macro(self, head: str, *statements: str) -> None:
        """Add a macro. (A function would need one version for each address space.)"""
        lines = [f"#define {head}", "    do {", *(f"        {text};" for text in statements)]
        self.put(*(f"{line} \\" for line in lines), "    } while (0)", "")
