"""Writes what docs say of the bundled programs from their classes: `python docs/program_tables.py`.

That is in docs/library.md the table of the programs, between its markers; a row in the table of
times; and a section for each program that has none, which begins as the docstring of its class. A
test fails as long as this script would change the page.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from gascl import VertexProgram, programs
from gascl.language.fields import REQUIRED

PAGE = Path(__file__).with_name("library.md")
TABLE = re.compile(r"(?<=<!-- docs/program_tables.py -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
#: The table of times: its rows are replaced by measuring them again.
TIMES = re.compile(r"(?<=<!-- benchmarks/programs.py -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \|.*\n", re.MULTILINE)


def library(text: str) -> str:
    """The text of docs/library.md with the table of the programs that there are, and a row of times
    and a section for each."""
    text = TABLE.sub(lambda _: summary(), text)
    text = TIMES.sub(lambda table: with_rows(table[1]), text)
    end = "## LDBC Graphalytics\n"
    described = set(re.findall(r"\w+", " ".join(re.findall(r"^## (.*)$", text, re.MULTILINE))))
    for name in sorted({*programs.__all__} - described):
        about = inspect.cleandoc(getattr(programs, name).__doc__ or "")
        text = text.replace(end, f"## {name}\n\n{about}\n\n{end}")
    return text


def with_rows(table: str) -> str:
    """The table of times without programs that are gone, and with those that were not measured."""
    rows = {row[1]: row[0] for row in ROW.finditer(table)}
    before, _, _ = table.partition(next(iter(rows.values())))
    columns = before.splitlines()[-1].count("|") - 1
    for name in programs.__all__:
        rows.setdefault(name, f"| `{name}` |" + " |" * (columns - 2) + " not measured |\n")
    return before + "".join(rows[name] for name in sorted(programs.__all__))


def summary() -> str:
    """A row for each program, with what it takes and computes; a program along weights shares the
    row of the one without where they are the same."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for name in sorted(programs.__all__, key=lambda name: (plain(name), name)):
        cls = getattr(programs, name)
        rows.setdefault((plain(name), takes(cls), finds(cls)), []).append(f"`{name}`")
    lines = ["| program | parameters | result |", "|---|---|---|"]
    for (_, parameters, results), names in rows.items():
        lines.append(f"| {', '.join(names)} | {parameters} | {results} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def plain(name: str) -> str:
    """The name of the program that does without weights what this one does along them, or its own
    name."""
    without = name.removeprefix("Weighted")
    return without if without in programs.__all__ else name


def docstring(cls: type[VertexProgram]) -> str:
    """What a class says of itself, what those say from which it inherits, and what the program
    without weights says."""
    classes = [
        *cls.__mro__[: cls.__mro__.index(VertexProgram)],
        getattr(programs, plain(cls.__name__)),
    ]
    return "\n".join(each.__doc__ or "" for each in classes)


def takes(cls: type[VertexProgram]) -> str:
    """The parameters with their defaults, and the vertex fields that the docstring's Args name."""
    params = dict(cls.spec.params)
    cells = []
    if {"source", "sources"} <= params.keys():
        cells.append("`source` or `sources`")
        del params["source"], params["sources"]
    words = [name + default(param.default) for name, param in params.items()]
    cells += [f"`{', '.join(words)}`"] if words else []
    arguments = re.findall(r"^ +(\w+(?:, \w+)*): ", docstring(cls), re.MULTILINE)
    named = {name for names in arguments for name in names.split(", ")}
    return ", ".join(cells + [f"`{name}`" for name in cls.spec.vertex_fields if name in named])


def default(value: object) -> str:
    """A default as it stands after the parameter's name."""
    if value is REQUIRED:
        return ""
    return f'="{value}"' if isinstance(value, str) else f"={value}".replace("e-0", "e-")


def finds(cls: type[VertexProgram]) -> str:
    """The fields and aggregates that the docstring mentions, but for inputs."""
    spec = cls.spec
    mentioned = set(re.findall(r"`(?:result\.)?(?:aggregates\W+)?(\w+)\W*`", docstring(cls)))
    fields = spec.vertex_fields.items()
    inputs = (
        spec.types.inputs if cls.solve is None else {n for n, f in fields if f.rest is not None}
    )
    of = [
        ", ".join(f"`{name}`" for name, _ in fields if name in mentioned - inputs),
        ", ".join(f"`{name}`" for name in spec.arc_fields) + ", of arcs" * bool(spec.arc_fields),
        ", ".join(f'`aggregates["{name}"]`' for name in spec.aggregates if name in mentioned),
    ]
    return "; ".join(filter(None, of))


if __name__ == "__main__":
    PAGE.write_text(library(PAGE.read_text("utf-8")), "utf-8")
