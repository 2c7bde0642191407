"""`gascl programs`: lists the bundled programs, or describes one, also one in a user's file."""

from __future__ import annotations

import argparse
import inspect
import math
import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gascl.cli.exit_code import DONE

if TYPE_CHECKING:
    from gascl.language.fields import EdgeField, Param
    from gascl.language.program import VertexProgram

ABOUT = "list the bundled programs, or describe one"
HELP = """\
examples:
  gascl programs
  gascl programs PageRank
  gascl programs my_program.py:MyProgram

Parameters are set with `gascl run PROGRAM GRAPH --set NAME=VALUE`. docs/library.md says more of the
bundled programs."""
#: Edge fields that a program needs -> a dataset that has them, and a vertex there.
GRAPHS = {(): ("karate", "0"), ("weight",): ("liechtenstein-roads", "Vaduz:Auring")}
#: Bundled programs for bipartite graphs, which no dataset is -> a command that makes such a graph,
#: and its file.
BIPARTITE = dict.fromkeys(
    ("BipartiteMatching", "Bipartition"),
    ("gascl generate grid --rows 5 --columns 8 -o grid.npz", "grid.npz"),
)


def options(add: Callable[..., Any]) -> None:
    """Add NAME."""
    text = "the program to describe: a bundled one, or my_program.py:Class"
    add("name", metavar="NAME", nargs="?", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or what a program takes and computes."""
    from gascl.cli.find_program import program_class

    if arguments.name is not None:
        print("\n".join(_described(program_class(arguments.name), arguments.name)))
        return DONE
    import gascl.programs

    names = sorted(gascl.programs.__all__)
    widest = max(map(len, names))
    for name in names:
        print(f"{name:<{widest}}  {_about(program_class(name))}")
    print("\n`gascl programs NAME` shows the parameters and fields of one.")
    return DONE


def _about(cls: type[VertexProgram]) -> str:
    """The first sentence of the class's docstring, or of its module's."""
    text = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return " ".join(text.split())


def _described(cls: type[VertexProgram], name: str) -> Iterator[str]:
    from gascl.language.fields import REQUIRED

    spec = cls.spec
    yield f"{cls.__name__}: {_about(cls)}"
    parameters = [(n, _takes(p), p.doc) for n, p in spec.params.items()]
    yield from _table("parameters", [*parameters, ("dtype", "float32 or float64", "of `real`")])
    yield from _table(
        "edge fields that it reads",
        [(n, _of_edges(f), f.doc) for n, f in spec.edge_fields.items()],
    )
    fields = [spec.vertex_fields[name] for name in spec.result_order]
    yield from _table("vertex fields", [(f.name, str(f.type), f.doc) for f in fields])
    yield from _table("arc fields", [(n, str(f.type), f.doc) for n, f in spec.arc_fields.items()])
    asked = tuple(n for n, field in spec.edge_fields.items() if field.default is REQUIRED)
    graph, label = GRAPHS.get(asked, ("GRAPH", "LABEL"))
    needed = [f"{n}={_example(p, label)}" for n, p in spec.params.items() if p.default is REQUIRED]
    settings = "".join(f" --set {shlex.quote(each)}" for each in needed)
    yield from ("", "example:")
    if name in BIPARTITE:
        make, graph = BIPARTITE[name]
        yield f"  {make}"
    yield f"  gascl run {shlex.quote(name)} {graph}{settings}"
    if asked not in GRAPHS:
        yield f"  (GRAPH is a file with these edge fields: {', '.join(asked)})"
    begun = [f"{n}={{LABEL: VALUE}}" for n, f in spec.vertex_fields.items() if f.rest is not None]
    if begun:
        yield f"  (initial values are given in Python: {cls.__name__}({', '.join(begun)}))"


def _example(param: Param, label: str) -> str:
    """A value that the parameter takes, as text; `label` is a vertex."""
    from gascl.language.fields import ArrayParam, FlagParam, TimeParam, VertexParam, within

    if isinstance(param, ArrayParam):
        return "@FILE.npy"
    if isinstance(param, FlagParam):
        return "true"
    if isinstance(param, VertexParam):
        return label
    if isinstance(param, TimeParam):
        return "2024-05-31T18:30"
    ends = [end for end in (param.low, param.high) if end is not None]
    values = (0, 1, *map(math.ceil, ends), *ends)
    return str(next(value for value in values if within(value, param.low, param.high)))


def _takes(param: Param) -> str:
    """The type of a parameter, and its default."""
    from gascl.language.fields import (
        REQUIRED,
        ArrayParam,
        ChoiceParam,
        FlagParam,
        SuperstepsParam,
        VertexParam,
        VerticesParam,
        span,
    )

    if isinstance(param, ChoiceParam):
        return f"{' or '.join(param.words)} ({param.default})"
    kinds = {
        FlagParam: "true or false",
        SuperstepsParam: "a number of supersteps",
        VertexParam: "a vertex",
        VerticesParam: "vertices",
    }
    kind = kinds.get(type(param), str(param.type))
    if isinstance(param, ArrayParam):
        kind = f"{param.type} array of shape {param.shape}"
    if (param.low, param.high) != (None, None):
        kind += f", {span(param.low, param.high)}"
    return f"{kind} ({'required' if param.default is REQUIRED else param.default})"


def _of_edges(field: EdgeField) -> str:
    from gascl.language.fields import REQUIRED

    need = "required" if field.default is REQUIRED else f"{field.default} if the graph has none"
    return f"{field.type} ({need})"


def _table(title: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", f"{title}:")
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    for name, kind, doc in rows:
        yield f"  {name:<{widths[0]}}  {kind:<{widths[1]}}  {doc}".rstrip()
