"""`gascl animate`: shows the supersteps of a run as an animation."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gascl.cli import exit_code, graph_options, picture_options, program_options
from gascl.cli.formatting import count
from gascl.util.units import amount

ABOUT = "show the supersteps of a run as an animation"
HELP = f"""\
examples:
  gascl animate BreadthFirst karate --set source=1
  gascl animate PageRank karate --size rank -o ranks.html
  gascl animate my_program.py:MyProgram graph.mtx --color level -o levels.mp4 --fps 4

It has a frame for each superstep, up to 500, of graphs with up to 10,000 vertices; vertices that
scatter in the superstep have a ring. Animations need matplotlib: pip install 'gascl[plot]'; .mp4
also needs the program ffmpeg. An .html file has buttons, and needs no other file and no network.

{exit_code.HELP}"""


def options(add: Callable[..., Any]) -> None:
    """Add PROGRAM, GRAPH, their options, and those of the animation."""
    program_options.program(add)
    program_options.set_option(add)
    graph_options.options(add)
    text = "the file to write: .gif, .html or .mp4 (default: GRAPH's name with .gif, in the current"
    text += " folder, unless there is such a file)"
    add("-o", "--output", metavar="FILE", type=Path, help=text)
    picture_options.options(add)
    add("--fps", metavar="N", type=_speed, default=2.0, help="frames per second (default 2)")
    program_options.max_supersteps(add)
    program_options.device(add)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= 100:
        raise argparse.ArgumentTypeError(f"expected a number above 0, up to 100, not {text!r}")
    return speed


def run(arguments: argparse.Namespace) -> int:
    """Read the graph, run the program, and write the animation."""
    from gascl.cli.field_option import check_one_run
    from gascl.cli.find_program import construct, program_class
    from gascl.results.plots import pyplot

    program = construct(program_class(arguments.program), dict(arguments.set))
    check_one_run(program, "an animation")
    pyplot()  # refuses if matplotlib is missing

    from gascl.animation import ENDINGS, animate, check_format, check_size
    from gascl.opencl.device_choice import find
    from gascl.util.progress import Progress

    path = picture_options.output(arguments, ENDINGS, ".gif")
    check_format(path)
    device = find(arguments.device)
    graph = graph_options.read(arguments)
    print(graph_options.describe(graph), flush=True)
    check_size(graph)
    animation = animate(
        program,
        graph,
        color=arguments.color,
        size=arguments.size,
        labels=arguments.labels,
        seed=arguments.seed,
        device=device,
        max_supersteps=arguments.max_supersteps,
        frames_per_second=arguments.fps,
    )
    with Progress() as progress:
        animation.save(path, progress=progress)
    print(f"wrote {path}: {count(len(animation), 'frame')}, {amount(path.stat().st_size)}")
    return exit_code.DONE if animation.result.converged else exit_code.NOT_CONVERGED
