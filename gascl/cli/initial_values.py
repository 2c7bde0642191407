"""Initial values of vertices that a command line gives: `--set NAME=...` of a vertex field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.errors import GasclError, ProgramError

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram

FORMS = "a number for all vertices, LABEL:NUMBER,LABEL:NUMBER, an object in JSON, or @FILE, a table"


def initial_values(cls: type[VertexProgram], name: str, text: str) -> Any:
    """The values of a vertex field: a number, or a dict from labels to numbers.

    Args:
        text: a number for all vertices; `libc6:1,bash:0.5`, of which a label may contain colons;
            for labels with commas, an object in JSON; or `@ranks.csv`, a file whose first column
            has labels, with a column of the field's name, or only one of numbers.

    Raises:
        ProgramError: it is none of these, or the field has several numbers per vertex.
        GasclError: the file cannot be read.
    """
    field = cls.spec.vertex_fields[name]
    type_ = field.resolve("float64")
    if type_.width > 1 or type_.members:
        raise ProgramError(
            f"{cls.__name__}: {name} has several numbers per vertex, which --set cannot give; give "
            f"them in Python: {cls.__name__}({name}=...)"
        )
    if text.startswith("@"):
        return _of_file(cls, name, text[1:])
    try:
        return _parsed(text)
    except ValueError as error:
        raise ProgramError(f"{cls.__name__}: --set {name}={text}: {error}; give {FORMS}") from None


def _parsed(text: str) -> Any:
    from gascl.language.parameter_text import number

    if text.startswith("{"):
        values = json.loads(text, object_pairs_hook=_distinct)
        wrong = [v for v in values.values() if type(v) not in (int, float)]
        if wrong:
            raise ValueError(f"{json.dumps(wrong[0])} is no number")
        return values
    if ":" not in text:
        return number(text)
    given = {}
    for part in text.removesuffix(",").split(","):
        label, colon, value = part.rpartition(":")
        if not colon:
            raise ValueError(f"{part!r} has no colon")
        if label in given:
            raise ValueError(f"{label!r} has two values")
        try:
            given[label] = number(value)
        except ValueError:
            raise ValueError(f"{value!r} is no number") from None
    return given


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in JSON, of which each label has one value."""
    given: dict[str, Any] = {}
    for label, value in pairs:
        if label in given:
            raise ValueError(f"{label!r} has two values")
        given[label] = value
    return given


def _of_file(cls: type[VertexProgram], name: str, file: str) -> dict[Any, Any]:
    from gascl.io.vertex_table import read_vertex_table

    if not Path(file).is_file():
        raise GasclError(f"--set {name}=@{file}: there is no such file")
    # Graphs find integer labels by text, too, but not text by integers.
    table = read_vertex_table(file, text_ids=True)
    numbers = {n: each.values for n, each in table.fields.items() if each.type is None}
    column = name
    if name not in numbers:
        if len(numbers) != 1:
            there = ", ".join(map(str, numbers)) or "none"
            raise GasclError(
                f"--set {name}=@{file}: the file has no column {name!r} of numbers, nor just one "
                f"such column (it has: {there}); call one {name}"
            )
        (column,) = numbers
    labels = map(str, table.ids.tolist())
    return dict(zip(labels, numbers[column].tolist(), strict=True))
