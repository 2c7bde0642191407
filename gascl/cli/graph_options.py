"""The options that name a graph and say how it is read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from gascl.cli import direction_option as direction
from gascl.cli.format_names import COMPRESSIONS, FORMATS
from gascl.cli.formatting import count
from gascl.cli.mpi_launch import in_all_ranks
from gascl.cli.reader_options import FLOAT, INTEGER, reader_option
from gascl.cli.shell_messages import for_shell
from gascl.cli.stdio import STANDARD, file_of_stdin
from gascl.errors import GasclError
from gascl.user_messages import Message

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.io.outofcore.convert import Written

# The same as in gascl.graph.validation, which cannot be imported here because it imports NumPy.
DUPLICATES = ("keep", "sum", "min", "max", "first", "error")
SELF_LOOPS = ("keep", "drop", "error")

#: Arguments of Graph.read that are options of the shell, too.
ARGUMENTS = (
    *("directed", "format", "duplicates", "self_loops", "weight"),
    *("vertices", "id"),
)
#: Arguments of Graph.read itself, which --option cannot set -> how to give them instead.
RESERVED = {
    "directed": "--directed or --undirected",
    "duplicates": "--duplicates",
    "format": "--format or --from",
    "path": "GRAPH",
    "progress": "nothing: long reading is shown anyway",
    "comm": "mpiexec: ranks read Parquet by share anyway",
    "report": "`gascl info`, which prints the report",
    "self_loops": "--self-loops",
    "id": "--id",
    "vertices": "--vertices",
    "weight": "--weight",
}
COMPRESSED_TOO = f"possibly compressed ({', '.join(COMPRESSIONS)})"


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, --format and the options for reading it."""
    text = f"a file, {COMPRESSED_TOO}, in one of the formats {', '.join(FORMATS)}; or, if there is "
    text += "no such file, a name listed by `gascl datasets`; - reads stdin"
    add("graph", metavar="GRAPH", help=text)
    format_option(add)
    reading_options(add)


def format_option(add: Callable[..., Any]) -> None:
    """Add --format."""
    add("--format", metavar="NAME", help="the file's format (default: detected from the file)")


def reading_options(add: Callable[..., Any]) -> None:
    """Add the options for the edges of a file, and --option."""
    text = "read edges as directed; each edge of an undirected file becomes two, one per direction"
    direction.options(add, text, "read edges as undirected")
    text = "what to do with several edges between the same vertices (default keep)"
    add("--duplicates", choices=DUPLICATES, default="keep", help=text)
    text = "what to do with edges from a vertex to itself (default keep)"
    add("--self-loops", choices=SELF_LOOPS, default="keep", help=text)
    text = "the column, or the edge field of the file, to read as the edge field `weight`"
    add("--weight", metavar="NAME", help=text)
    text = "a table with a row for each vertex, whose columns become vertex fields: text with the"
    text += " names of the columns in its first line, such as .csv; Parquet or Arrow"
    add("--vertices", metavar="FILE", help=text)
    text = "the column of the ids in --vertices (default: the first one)"
    add("--id", metavar="COLUMN", help=text)
    text = "only the edges that meet a condition, such as \"minutes < 30 and kind == 'tram'\""
    add("--where", metavar="CONDITION", action="append", help=f"{text}; repeatable")
    text = 'only the vertices that meet a condition, such as "age > 30", and the edges between them'
    add("--where-vertices", metavar="CONDITION", action="append", help=f"{text}; repeatable")
    text = "only the edges from one time on and before another, such as 2024-05-01 2024-06-01"
    add("--between", nargs=2, metavar=("BEGIN", "END"), help=text)
    text = "the edge field of times, or of numbers, for --between (default: the only one of times)"
    add("--time", metavar="FIELD", help=text)
    text = "an option for the reader of the format, such as columns=from,to,cost; repeatable"
    shown = {"metavar": "NAME=VALUE", "dest": "reader_options", "help": text}
    add("--option", type=reader_option, action="append", default=[], **shown)


def read(arguments: argparse.Namespace, comm: Any = None) -> Graph:
    """The graph that the arguments name.

    Args:
        comm: all ranks call this, and may each read a share, unless the graph is then selected
            from. An error of one is raised in all.

    Raises:
        GasclError: the file cannot be read like this, or the dataset is not downloaded yet.
    """
    from gascl.graph.graph import Graph
    from gascl.util.progress import Progress

    by_share: dict[str, Any] = {}
    with in_all_ranks(comm):
        options, is_dataset = options_of(arguments), _is_dataset(arguments.graph)
        if comm is not None and not is_dataset and not _selects(arguments):
            by_share = {"comm": comm}  # where errors are raised in all, too
    try:
        read_one = Graph.dataset if is_dataset else Graph.read
        with in_all_ranks(None if by_share else comm), Progress() as progress:
            if arguments.graph == STANDARD:
                with file_of_stdin() as path:
                    graph = Graph.read(path, progress=progress, **options)
            else:
                graph = read_one(arguments.graph, progress=progress, **options, **by_share)
            return _selected(graph, arguments)
    except TypeError as error:
        raise unusable(arguments, error) from error


def _selected(graph: Graph, arguments: argparse.Namespace) -> Graph:
    """The part of the graph that --where, --where-vertices and --between select."""
    if arguments.where is not None or arguments.where_vertices is not None:
        edges, vertices = map(_all_of, (arguments.where, arguments.where_vertices))
        graph = graph.where(edges=edges, vertices=vertices)
    if arguments.between is not None:
        graph = graph.between(*map(_limit, arguments.between), field=arguments.time)
    elif arguments.time is not None:
        raise GasclError("--time names the field for --between, which is not given; give both")
    return graph


def _limit(text: str) -> Any:
    """A limit of --between: a number, or a time as text."""
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if FLOAT.fullmatch(text) else text


def _all_of(conditions: list[str] | None) -> str | None:
    """One condition that holds where all of them do; None if there are none."""
    if conditions is None:
        return None
    several = len(conditions) > 1
    return " and ".join(f"({each})" if several else each for each in conditions)


SELECTIONS = ("where", "where_vertices", "between", "time")


def _selects(arguments: argparse.Namespace) -> bool:
    """Whether only a part of the graph is wanted."""
    return any(getattr(arguments, name) is not None for name in SELECTIONS)


def refuse_selection(arguments: argparse.Namespace) -> None:
    """Raises GasclError if --where or the like is given to a command that reads row by row."""
    for name in SELECTIONS:
        if getattr(arguments, name, None) is not None:
            option = f"--{name.replace('_', '-')}"
            raise GasclError(f"{option} needs the graph in memory; convert it without --memory")


def options_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the arguments say of how the file is read.

    Raises:
        GasclError: --option names what has an option of its own.
    """
    options = dict(arguments.reader_options)
    for name in options:
        if name in RESERVED:
            raise GasclError(f"--option {name}: no reader has this option; use {RESERVED[name]}")
    for name in ARGUMENTS:
        value = getattr(arguments, name)
        if value not in (None, "keep"):  # otherwise a dataset's own settings hold
            options[name] = value
    return options


def unusable(arguments: argparse.Namespace, error: TypeError) -> Exception:
    """The error for a value of --option that a reader cannot use; `error` if there is none."""
    options = dict(arguments.reader_options)
    if not options:
        return error
    values = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return GasclError(
        f"{arguments.graph}: the reader of the format cannot use --option {values} ({error}); "
        "to give a number as text, quote it: --option \"NAME='5'\""
    )


def _is_dataset(name: str) -> bool:
    """Whether the name is that of a dataset and not of a file.

    Raises:
        GasclError: it is a dataset that is not downloaded yet, or there is neither, but something
            with a similar name.
    """
    from gascl.datasets import REGISTRY
    from gascl.datasets.cache import place

    if os.path.lexists(name):
        return False
    if name not in REGISTRY:
        folder = os.path.dirname(name)
        with suppress(OSError):
            files = [os.path.join(folder, other) for other in os.listdir(folder or ".")]
            near = get_close_matches(name, [*([] if folder else REGISTRY), *sorted(files)], 1, 0.75)
            if near:
                raise GasclError(f"{name}: there is no such file; did you mean {near[0]!r}?")
        return False
    path = place(REGISTRY[name])
    if path is None or not path.exists():
        raise GasclError(
            f"{name}: there is no such file, and the dataset of that name is not downloaded yet: "
            f"run `gascl datasets {name} --download`"
        )
    return True


def describe(graph: Graph | Written) -> str:
    """A line with the counts, and the report of how the graph was read."""
    return "\n  ".join([_counts(graph), *map(for_shell, graph.report)])


def describe_briefly(graph: Graph) -> str:
    """A line with the counts and fields, and those of the report that name an option by which the
    graph would be read otherwise, or the column that is the weight."""
    from gascl.io.column_names import WEIGHT

    line = _counts(graph)
    for kind, fields in (("edge", graph.edge_fields), ("vertex", graph.vertex_fields)):
        if fields:
            line += f"; {kind} fields: {', '.join(fields)}"
    said = [
        text
        for text in graph.report
        if text.endswith(f"read as edge field {WEIGHT}")
        or (isinstance(text, Message) and text.options)
    ]
    return "\n  ".join([line, *map(for_shell, said)])


def _counts(graph: Graph | Written) -> str:
    kind = "directed" if graph.directed else "undirected"
    counts = f"{count(graph.num_vertices, 'vertex', 'vertices')}, {count(graph.num_edges, 'edge')}"
    return f"graph: {counts}, {kind}"
