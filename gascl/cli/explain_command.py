"""`gascl explain`: says how a program would run on a graph, and why, without running it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gascl.cli import graph_options, program_options
from gascl.cli.exit_code import DONE

ABOUT = "say how a program would run on a graph, and why"
HELP = """\
It prints the delivery and why the others were not chosen, the numbering of the vertices, where the
arcs are, the memory of each buffer, what may take long, and which declarations would help. Nothing
is compiled or run.

examples:
  gascl explain PageRank wiki-Vote.txt.gz
  gascl explain BreadthFirst roads.gr.gz --set source=1 --delivery push
  gascl explain my_program.py:MyProgram graph.mtx --device-memory 2GiB"""


def options(add: Callable[..., Any]) -> None:
    """Add PROGRAM, GRAPH, and those options of a run that decide how it goes."""
    program_options.options(add)
    graph_options.options(add)
    program_options.engine_options(add, "as in `gascl run`", "explain a run in debug mode")


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation."""
    from gascl.cli.find_program import example, program_class
    from gascl.opencl.device_choice import find

    program = example(program_class(arguments.program), dict(arguments.set))
    device = find(arguments.device)
    graph = graph_options.read(arguments)
    print(graph_options.describe(graph))

    from gascl.run.engine import Engine

    engine = Engine(
        graph,
        device,
        deterministic=not arguments.nondeterministic,
        debug=arguments.debug,
        device_memory=arguments.device_memory,
    )
    print(engine.explain(program, delivery=arguments.delivery))
    return DONE
