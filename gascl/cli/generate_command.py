"""`gascl generate`: writes a generated graph to a file."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import direction_option as direction
from gascl.cli import memory_option
from gascl.cli.exit_code import DONE
from gascl.cli.graph_options import describe
from gascl.errors import FormatError, GraphError
from gascl.util.atomic_file import check_writable
from gascl.util.progress import Progress
from gascl.util.units import amount

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

ABOUT = "generate a random or regular graph and write it to a file"

SHARED = ("seed", "weights")
POLICIES = ("duplicates", "self_loops")

#: Each generator's required and optional parameters. The same as in gascl.generators, which cannot
#: be asked here because it imports NumPy.
GENERATORS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rmat": (("scale",), ("edges_per_vertex", "a", "b", "c", "renumber", "directed", *POLICIES)),
    "uniform": (("num_vertices", "num_edges"), ("directed",)),
    "barabasi_albert": (("num_vertices", "edges_per_vertex"), ()),
    "watts_strogatz": (("num_vertices", "neighbors", "rewire"), ()),
    "grid": (("rows", "columns"), ("layers", "periodic")),
    "star": (("num_vertices",), ("directed",)),
    "path": (("num_vertices",), ("directed",)),
    "complete": (("num_vertices",), ("directed",)),
    "stochastic_block_model": (("sizes", "probabilities"), ("directed",)),
    "lfr": (
        ("num_vertices", "average_degree", "max_degree"),
        (
            "mixing",
            "degree_exponent",
            "community_exponent",
            "min_community",
            "max_community",
        ),
    ),
}
WITH_COMMUNITY = ("stochastic_block_model", "lfr")
WITH_PROGRESS = ("rmat", "barabasi_albert", "watts_strogatz")


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, not {text!r}") from None


def _list(text: str) -> list[int]:
    return [_whole_number(part) for part in text.split(",")]


def _range(text: str) -> tuple[int, int]:
    low, comma, high = text.partition(",")
    if not comma:
        raise argparse.ArgumentTypeError(f"expected LOW,HIGH, such as 1,255, not {text!r}")
    return _whole_number(low), _whole_number(high)


def _probabilities(text: str) -> list[float] | list[list[float]]:
    rows = [[_number(part) for part in row.split(",")] for row in text.split(";")]
    return rows if ";" in text else rows[0]


@dataclass(frozen=True)
class Option:
    """A parameter as an option: its placeholder, the type of its value, and its help."""

    metavar: str
    type: Callable[[str], Any]
    help: str
    flag: str = ""

    def flag_of(self, name: str) -> str:
        return self.flag or "--" + name.replace("_", "-")


OPTIONS = {
    "scale": Option("N", _whole_number, "2**N vertices"),
    "num_vertices": Option("N", _whole_number, "the number of vertices", "--vertices"),
    "num_edges": Option("M", _whole_number, "the number of edges", "--edges"),
    "edges_per_vertex": Option("N", _whole_number, "edges per (new) vertex (default for rmat: 16)"),
    "neighbors": Option(
        "N", _whole_number, "neighbors of each vertex before rewiring; an even number"
    ),
    "rewire": Option("P", _number, "the probability that an edge is rewired"),
    "rows": Option("N", _whole_number, "rows of the grid"),
    "columns": Option("N", _whole_number, "columns of the grid"),
    "layers": Option("N", _whole_number, "layers of the grid (default 1: two-dimensional)"),
    "sizes": Option("N,N,...", _list, "the sizes of the groups"),
    "probabilities": Option(
        "P,P",
        _probabilities,
        "probabilities within and between groups; or a matrix, 'P,P;P,P'",
    ),
    "average_degree": Option("X", _number, "the mean degree"),
    "max_degree": Option("N", _whole_number, "the largest degree"),
    "mixing": Option("X", _number, "the fraction of edges between communities (default 0.3)"),
    "degree_exponent": Option("X", _number, "exponent of the degrees' power law (default 2.5)"),
    "community_exponent": Option("X", _number, "exponent of the sizes' power law (default 1.5)"),
    "min_community": Option("N", _whole_number, "the size of the smallest community"),
    "max_community": Option("N", _whole_number, "the size of the largest community"),
    "a": Option("P", _number, "probability of the top left quadrant (default 0.57)", "--a"),
    "b": Option("P", _number, "probability of the top right quadrant (default 0.19)", "--b"),
    "c": Option("P", _number, "probability of the bottom left quadrant (default 0.19)", "--c"),
    "seed": Option("N", _whole_number, "the same seed gives the same graph (default 0)"),
    "weights": Option("LOW,HIGH", _range, "give each edge a random integer weight in this range"),
    "duplicates": Option("POLICY", str, "keep (default), sum, min, max, first or error"),
    "self_loops": Option("POLICY", str, "keep (default), drop or error"),
}


def _usage(name: str) -> str:
    required, optional = GENERATORS[name]
    texts = [f"{OPTIONS[p].flag_of(p)} {OPTIONS[p].metavar}" for p in required]
    texts += [f"[{flag}]" for p in optional for flag in _flags(p)]
    lines, line = [], f"  {name.replace('_', '-')}"
    for text in texts:
        if len(line) + len(text) > 90:
            lines.append(line)
            line = "     "
        line += f" {text}"
    return "\n".join([*lines, line])


def _flags(parameter: str) -> list[str]:
    if parameter == "directed":
        return ["--directed", "--undirected"]
    if parameter == "renumber":
        return ["--no-renumber"]
    return [OPTIONS[parameter].flag_of(parameter) if parameter in OPTIONS else f"--{parameter}"]


HELP = "\n".join(
    [
        "generators and their options, besides --seed and --weights:",
        *map(_usage, GENERATORS),
        "",
        "examples:",
        "  gascl generate rmat --scale 22 -o g.npz",
        "  gascl generate rmat --scale 26 -o g.npz --memory 4GiB --arcs",
        "  gascl generate grid --rows 1000 --columns 1000 --weights 1,255 -o roads.mtx.gz",
        "  gascl generate stochastic-block-model --sizes 500,500 --probabilities 0.1,0.01 -o b.npz",
    ]
)


def options(add: Any) -> None:
    """Add the generator, the output file and the options of all generators."""
    names = [name.replace("_", "-") for name in GENERATORS]
    add("generator", metavar="GENERATOR", choices=names, help=", ".join(names))
    text = "the file to write"
    add("-o", "--output", metavar="FILE", type=Path, required=True, help=text)
    add("--format", metavar="NAME", help="the file format (default: given by FILE's extension)")
    for name, option in OPTIONS.items():
        kinds: dict[str, Any] = {"metavar": option.metavar, "type": option.type}
        add(option.flag_of(name), dest=name, default=None, help=option.help, **kinds)
    memory_option.options(add, "FILE")
    text = "generate undirected edges (the default, except for rmat)"
    direction.options(add, "generate directed edges", text)
    text = "keep R-MAT's own numbering, in which low ids have the most edges"
    add("--no-renumber", dest="renumber", action="store_false", default=None, help=text)
    text = "connect the last row, column and layer of the grid to the first"
    add("--periodic", action="store_true", default=None, help=text)


def run(arguments: argparse.Namespace) -> int:
    """Generate the graph and write it; returns the exit code.

    Raises:
        GraphError: a parameter is missing or wrong, or the generator does not have it.
        FormatError: the file cannot be written, or its format cannot hold the graph.
    """
    name = arguments.generator.replace("-", "_")
    parameters = _parameters(arguments, name)
    from gascl import generators

    _dry_run(arguments, name, parameters)
    if arguments.memory is not None:
        return _run_in_files(arguments, name, parameters)
    began = time.perf_counter()
    with Progress() as progress:
        extra = {"progress": progress} if name in WITH_PROGRESS else {}
        graph: Graph = getattr(generators, name)(**parameters, **extra)
        made = time.perf_counter()
    graph.write(arguments.output, format=arguments.format, arcs=arguments.arcs)
    written = time.perf_counter()
    print(describe(graph))
    print(f"wrote {arguments.output}: {amount(arguments.output.stat().st_size)}")
    print(f"time: generate {made - began:.3f} s, write {written - made:.3f} s")
    return DONE


def _run_in_files(arguments: argparse.Namespace, name: str, parameters: dict[str, Any]) -> int:
    """Generate the graph by files, within --memory."""
    from gascl.generators.chunked import RECIPES

    target: Path = arguments.output
    if (arguments.format or target.suffix.lower()) not in ("gascl", ".npz"):
        raise FormatError(
            f"{target}: --memory writes gascl's own .npz, and nothing else; name such a file, or "
            "leave it out"
        )
    if name not in RECIPES:
        others = ", ".join(other.replace("_", "-") for other in RECIPES)
        raise GraphError(
            f"{arguments.generator} makes its edges all together in memory; leave out --memory, "
            f"or generate one of {others}"
        )
    recipe = RECIPES[name](**parameters)
    began = time.perf_counter()
    policies = {policy: getattr(recipe, policy) for policy in POLICIES}
    memory_option.write(recipe, target, arguments, **policies)
    took = time.perf_counter() - began
    print(f"wrote {target}: {amount(target.stat().st_size)} in {took:.3f} s")
    return DONE


def _parameters(arguments: argparse.Namespace, name: str) -> dict[str, Any]:
    """The parameters that were given.

    Raises:
        GraphError: a required one is missing, or the generator does not have one of them.
    """
    required, optional = GENERATORS[name]
    known = (*required, *optional, *SHARED)
    every = (*OPTIONS, "directed", "renumber", "periodic")
    parameters = {n: getattr(arguments, n) for n in every if getattr(arguments, n) is not None}
    for parameter in parameters:
        if parameter not in known:
            takes = ", ".join(flag for p in known for flag in _flags(p))
            flags = _flags(parameter)
            flag = flags[-1] if parameters[parameter] is False else flags[0]
            raise GraphError(f"{arguments.generator} has no option {flag}; its options: {takes}")
    missing = [OPTIONS[p].flag_of(p) for p in required if p not in parameters]
    if missing:
        raise GraphError(
            f"{arguments.generator} needs {' and '.join(missing)}; see `gascl generate --help`"
        )
    return parameters


def _dry_run(arguments: argparse.Namespace, name: str, parameters: dict[str, Any]) -> None:
    """Write a similar graph with two vertices to a temporary file: what could not be written in the
    end is refused before the work.

    Raises:
        FormatError: the file cannot be written, or its format cannot hold such a graph.
    """
    import numpy as np

    from gascl.graph.graph import Graph

    path = arguments.output
    if path.is_dir():
        raise FormatError(f"{path} is a folder; name a file in it")
    check_writable(path)
    ends = np.array([0], np.int32), np.array([1], np.int32)
    small = Graph(
        *ends,
        2,
        parameters.get("directed", name == "rmat"),
        edge_fields={"weight": np.ones(1, np.int32)} if "weights" in parameters else {},
        vertex_fields={"community": np.zeros(2, np.int32)} if name in WITH_COMMUNITY else {},
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            small.write(Path(folder) / path.name, format=arguments.format, arcs=arguments.arcs)
        except FormatError as error:
            raise FormatError(
                error.message.replace(str(Path(folder) / path.name), str(path))
            ) from None
