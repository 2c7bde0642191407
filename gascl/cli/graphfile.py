"""Options that name a graph's file and say how it is read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gascl.cli import directionoption as direction
from gascl.cli.formatnames import FORMATS, PACKED
from gascl.cli.readeroption import reader_option
from gascl.errors import GasclError

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

# As in gascl.graph.intake, which imports NumPy.
DUPLICATES = ("keep", "sum", "min", "max", "first", "error")
SELF_LOOPS = ("keep", "drop", "error")

#: What Graph.read takes of itself, so that a reader's option cannot be called so: how to give it.
OWN = {
    "directed": "--directed or --undirected",
    "duplicates": "--duplicates",
    "format": "--format or --from",
    "path": "the file's name",
    "report": "`gascl info`, which prints the report",
    "self_loops": "--self-loops",
}
PACKED_OR_NOT = f"also packed ({', '.join(PACKED)})"


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, --format and how it is read."""
    text = f"a graph's file, {PACKED_OR_NOT}, of a format among {', '.join(FORMATS)}; or, where "
    text += "there is no such file, the name of one of `gascl datasets`"
    add("graph", metavar="GRAPH", help=text)
    add("--format", metavar="NAME", help="the file's format (default: told by the file)")
    reading_options(add)


def reading_options(add: Callable[..., Any]) -> None:
    """Add what becomes of the edges that a file has, and --option."""
    text = "edges have one way; those of an undirected file are two, one a direction"
    direction.options(add, text, "each edge runs both ways")
    text = "what becomes of edges with the same ends (default keep)"
    add("--duplicates", choices=DUPLICATES, default="keep", help=text)
    text = "what becomes of edges from a vertex to itself (default keep)"
    add("--self-loops", choices=SELF_LOOPS, default="keep", help=text)
    text = "an option of the format's reader, such as columns=from,to,cost; repeatable"
    shown = {"metavar": "NAME=VALUE", "dest": "reader_options", "help": text}
    add("--option", type=reader_option, action="append", default=[], **shown)


def read(arguments: argparse.Namespace) -> Graph:
    """The graph that the arguments name.

    Raises:
        GasclError: the file cannot be read so, or it is a dataset that is not there yet.
    """
    from gascl.graph.graph import Graph

    options = dict(arguments.reader_options)
    for name in options:
        if name in OWN:
            raise GasclError(f"--option {name}: no reader has it; it is given by {OWN[name]}")
    for name in ("directed", "format", "duplicates", "self_loops"):
        value = getattr(arguments, name)
        if value not in (None, "keep"):  # a dataset may have others of its own
            options[name] = value
    try:
        if _is_dataset(arguments.graph):
            return Graph.dataset(arguments.graph, **options)
        return Graph.read(arguments.graph, **options)
    except TypeError as error:
        options = dict(arguments.reader_options)
        if not options:
            raise
        given = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise GasclError(
            f"{arguments.graph}: --option took {given}, which the format's reader can't use "
            f"({error}); quotes make text of a number: --option \"NAME='5'\""
        ) from error


def _is_dataset(name: str) -> bool:
    """Whether it is one, where there is no such file; one that is not there yet is refused."""
    from gascl.datasets import REGISTRY
    from gascl.datasets.cache import place

    if os.path.lexists(name) or name not in REGISTRY:
        return False
    path = place(REGISTRY[name])
    if path is None or not path.exists():
        raise GasclError(
            f"{name}: there is no such file, and the dataset of that name is still to be "
            f"downloaded: `gascl datasets {name} --download`"
        )
    return True


def described(graph: Graph) -> str:
    """A line of counts, and the report of what was taken for what."""
    kind = "directed" if graph.directed else "undirected"
    lines = [f"graph: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges, {kind}"]
    return "\n  ".join([*lines, *graph.report])
