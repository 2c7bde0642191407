"""`gascl draw`: draws a graph, colored by what a program computes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import exit_code, graph_options, picture_options, program_options
from gascl.errors import GasclError
from gascl.util.atomic_file import new_file
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
  gascl draw friends.graphml --color age --edge-width since --no-labels
  gascl draw karate --program PageRank -o ranks.html

Pictures need matplotlib: pip install 'gascl[plot]'. A picture in an .html file is interactive: one
can zoom, search, and point at vertices. docs/pictures.md says more, and how to draw in Python.
`gascl animate` shows the supersteps of a run.

{exit_code.HELP}"""


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, its options, and those of the picture."""
    graph_options.options(add)
    text = (
        "the file to write: .png, .svg, .pdf or what else matplotlib writes, or .html, a page for"
    )
    text += (
        " browsers (default: GRAPH's name with .png, in the current folder, unless there is such a"
    )
    text += " file)"
    add("-o", "--output", metavar="FILE", type=Path, help=text)
    text = "run this program first, to draw what it computes: as in `gascl run`"
    add("--program", metavar="PROGRAM", help=text)
    program_options.set_option(add)
    picture_options.options(add)
    picture_options.edge_options(add)
    program_options.device(add)


def run(arguments: argparse.Namespace) -> int:
    """Read the graph, run the program, and write the picture."""
    from gascl.cli.field_option import check_one_run, shown_field
    from gascl.cli.find_program import construct, program_class

    program = None
    if arguments.program is not None:
        program = construct(program_class(arguments.program), dict(arguments.set))
        check_one_run(program, "a picture")
    elif arguments.set:
        raise GasclError("--set sets parameters of a program: give --program, too")
    path = picture_options.output(arguments, _endings(), ".png")

    from matplotlib import rc_context

    from gascl.drawing import draw
    from gascl.drawing.arguments import check_edge_names, check_names
    from gascl.opencl.device_choice import find
    from gascl.results.plots import pyplot

    device = find(arguments.device)
    graph = graph_options.read(arguments)
    print(graph_options.describe(graph), flush=True)
    edges = {name: getattr(arguments, name) for name in ("edge_color", "edge_width", "edge_labels")}
    check_edge_names(graph, **edges)
    try:
        programs = [type(program)] if program else []
        check_names(programs, graph, color=arguments.color, size=arguments.size)
    except GasclError as error:
        more = "" if program else "; --program runs a program and draws its fields"
        raise GasclError(error.message, more) from None
    what: Graph | Result = graph
    color, code = arguments.color, exit_code.DONE
    if program is not None:
        what = _result(program, graph, device)
        code = exit_code.DONE if what.converged else exit_code.NOT_CONVERGED
        color = color or shown_field(program)
    looks = {"color": color, "size": arguments.size, "labels": arguments.labels, **edges}
    looks |= {"seed": arguments.seed, "device": device}
    if path.suffix == ".html":
        draw(what, interactive=True, **looks).save(path)
    else:
        figure: Any = draw(what, **looks).figure
        fonts: Any = {"pdf.fonttype": 42}  # journals refuse matplotlib's own, Type 3
        with new_file(path) as file, rc_context(fonts):
            figure.savefig(file, format=path.suffix[1:], dpi=150)
        pyplot().close(figure)
    print(f"wrote {path}: {amount(path.stat().st_size)}")
    return code


def _result(program: VertexProgram, graph: Graph, device: Any) -> Result:
    from gascl.run.engine import Engine
    from gascl.util.progress import Progress

    with Progress() as progress:
        return Engine(graph, device).run(program, progress=progress)


def _endings() -> list[str]:
    """The endings of the files that matplotlib can write, and .html.

    Raises:
        GasclError: matplotlib is missing.
    """
    from gascl.results.plots import pyplot

    shown = pyplot()
    from matplotlib.backend_bases import FigureCanvasBase

    shown.switch_backend("Agg")  # a window would need a display
    return [f".{ending}" for ending in FigureCanvasBase.get_supported_filetypes()] + [".html"]
