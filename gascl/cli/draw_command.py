"""`gascl draw`: draws a graph, colored by what a program computes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import exit_code, graph_options, program_options
from gascl.cli.stdio import STANDARD
from gascl.errors import GasclError
from gascl.util.atomic_file import check_writable, new_file
from gascl.util.units import amount

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.language.program import VertexProgram
    from gascl.results.result import Result

ABOUT = "draw a graph"
HELP = f"""\
examples:
  gascl draw karate
  gascl draw karate --program PageRank --size rank -o ranks.svg
  gascl draw karate --program Louvain
  gascl draw roads.txt --program ShortestPaths --set source=4037 --color distance
  gascl draw friends.graphml --color age --no-labels

Pictures need matplotlib: pip install 'gascl[plot]'; those of more than 20,000 edges also need
datashader: pip install 'gascl[draw]'. docs/pictures.md says more, and how to draw in Python.

{exit_code.HELP}"""


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, its options, and those of the picture."""
    graph_options.options(add)
    text = "the file to write: .png, .svg, .pdf or what else matplotlib writes (default: GRAPH's"
    text += " name with .png, in the current folder, unless there is such a file)"
    add("-o", "--output", metavar="FILE", type=Path, help=text)
    text = "run this program first, to draw what it computes: as in `gascl run`"
    add("--program", metavar="PROGRAM", help=text)
    program_options.set_option(add)
    text = "a vertex field of the program or of the graph, or a color of matplotlib (default: the"
    text += " field that `gascl run` prints)"
    add("--color", metavar="FIELD", help=text)
    text = "a vertex field to which the vertices' areas are in proportion"
    add("--size", metavar="FIELD", help=text)
    text = "draw labels, or none (default: of up to 60 vertices)"
    add("--labels", action=argparse.BooleanOptionalAction, default=None, help=text)
    add("--seed", metavar="N", type=int, default=0, help="of the layout (default 0)")
    program_options.device(add)


def run(arguments: argparse.Namespace) -> int:
    """Read the graph, run the program, and write the picture."""
    from gascl.cli.field_option import scalar_field
    from gascl.cli.find_program import construct, program_class

    program = None
    if arguments.program is not None:
        program = construct(program_class(arguments.program), dict(arguments.set))
    elif arguments.set:
        raise GasclError("--set sets parameters of a program: give --program, too")
    path = _output(arguments)

    from gascl.drawing import check_installed, draw
    from gascl.opencl.device import find

    device = find(arguments.device)
    graph = graph_options.read(arguments)
    print(graph_options.describe(graph), flush=True)
    check_installed(graph)
    _check_fields(arguments, program, graph)
    what: Graph | Result = graph
    color, code = arguments.color, exit_code.DONE
    if program is not None:
        what = _result(program, graph, device)
        code = exit_code.DONE if what.converged else exit_code.NOT_CONVERGED
        color = color or scalar_field(program)
    looks = {"color": color, "size": arguments.size, "labels": arguments.labels}
    ax = draw(what, seed=arguments.seed, device=device, **looks)
    figure: Any = ax.figure
    with new_file(path) as file:
        figure.savefig(file, format=path.suffix[1:], dpi=150)
    print(f"wrote {path}: {amount(path.stat().st_size)}")
    return code


def _result(program: VertexProgram, graph: Graph, device: Any) -> Result:
    from gascl.run.engine import Engine
    from gascl.util.progress import Progress

    with Progress() as progress:
        return Engine(graph, device).run(program, progress=progress)


def _output(arguments: argparse.Namespace) -> Path:
    """The file to write. Called before the graph is read, which may take long.

    Raises:
        GasclError: matplotlib is missing or cannot write it, or the name is not given, and the file
            exists.
    """
    from gascl.results.plots import pyplot

    shown = pyplot()
    from matplotlib.backend_bases import FigureCanvasBase

    shown.switch_backend("Agg")  # a window would need a display
    path: Path | None = arguments.output
    if path is None:
        stem = "graph" if arguments.graph == STANDARD else Path(arguments.graph).name
        path = Path(f"{stem.partition('.')[0] or stem}.png")
        if path.exists():
            raise GasclError(f"{path} exists already: give -o {path} to replace it, or -o FILE")
    endings = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:] not in endings:
        raise GasclError(f"-o {path}: the name must end in {', '.join(f'.{e}' for e in endings)}")
    check_writable(path, f"-o {path}")
    return path


def _check_fields(
    arguments: argparse.Namespace, program: VertexProgram | None, graph: Graph
) -> None:
    """Raise GasclError if --color or --size names nothing that the picture could have."""
    from matplotlib.colors import is_color_like

    from gascl.cli.find_program import suggestion

    known = [*(program.spec.vertex_fields if program else ()), *graph.vertex_fields]
    for option, name in (("--color", arguments.color), ("--size", arguments.size)):
        if name is None or name in known or (option == "--color" and is_color_like(name)):
            continue
        what = "vertex field or color" if option == "--color" else "vertex field"
        more = "" if program else "; --program runs a program and draws its fields"
        raise GasclError(f"{option} {name}: there is no such {what}{suggestion(name, known)}{more}")
