"""Finds a class and its attributes in the user's file, for errors that show the line."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import FrameType

from gascl.errors import Place


@dataclass(frozen=True)
class ClassSource:
    """The `class` statement of a program, if its source file can be read.

    Attributes:
        name: the class's name.
        file: its file name in Python (IPython cells have one, too), or None.
        line: the line of the `class` statement, or 0.
        values: attribute name -> the expression assigned to it.
    """

    name: str
    file: str | None = None
    line: int = 0
    values: dict[str, ast.expr] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, frame: FrameType) -> ClassSource:
        """Find the class `name` whose `class` statement is being run in `frame`."""
        file = frame.f_code.co_filename
        linecache.checkcache(file)  # the file may have been edited and reloaded
        lines = linecache.getlines(file, frame.f_globals)
        if not lines:
            return cls(name)
        definition = None
        for node in _classes("".join(lines)):
            # f_lineno is the line of the statement or of a decorator; both are in this range.
            if node.name == name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                if first <= frame.f_lineno <= (node.end_lineno or first):
                    definition = node
        if definition is None:
            return cls(name)
        values: dict[str, ast.expr] = {}
        for statement in definition.body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    values.update(_names(target, statement.value))
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                values.update(_names(statement.target, statement.value))
        return cls(name, file, definition.lineno, values)

    def place(self, attribute: str | None = None) -> Place:
        """The place of an attribute's value, or of the class."""
        node = self.values.get(attribute or "")
        if self.file is None or (node is None and not self.line):
            return Place(f"{self.name}.{attribute}" if attribute else self.name)
        line = node.lineno if node is not None else self.line
        return self._line(line)

    def places(self, attribute: str, text: str) -> list[Place]:
        """For each line of the string `text` assigned to `attribute`, its place in the file.

        The lines of a literal are compared with those of the file, because escapes, continued lines
        and substitutions in f-strings can shift them.
        """
        count = len(text.split("\n"))
        node = self.values.get(attribute)
        unknown = [Place(f"{self.name}.{attribute}:{i + 1}") for i in range(count)]
        if self.file is None or node is None:
            return unknown
        if not isinstance(node, ast.Constant | ast.JoinedStr):
            at = self._line(node.lineno)
            return [replace(at, where=f"{at} ({each})", text="") for each in unknown]
        spanned = (node.end_lineno or node.lineno) - node.lineno + 1
        if isinstance(node, ast.JoinedStr) and spanned == count:
            return [self._line(node.lineno + i) for i in range(count)]
        places = []
        for i, content in enumerate(text.split("\n")):
            place = self._line(node.lineno + min(i, spanned - 1))
            if content.strip() not in place.text:
                place = self._search(content, node, place)
            places.append(place)
        return places

    def _search(self, content: str, node: ast.expr, otherwise: Place) -> Place:
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            if content.strip() and content.strip() in linecache.getline(self.file or "", line):
                return self._line(line)
        return otherwise

    def _line(self, line: int) -> Place:
        return Place.at(self.file or "", line)


@lru_cache(maxsize=1)  # a file of many programs is parsed once
def _classes(text: str) -> tuple[ast.ClassDef, ...]:
    """The `class` statements of a file, outer ones first; none where it is no Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _names(target: ast.expr, value: ast.expr) -> dict[str, ast.expr]:
    """`a = x` and `a, b = x, y` as name -> value."""
    if isinstance(target, ast.Name):
        return {target.id: value}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return {t.id: x for t, x in pairs if isinstance(t, ast.Name)}
    return {}
