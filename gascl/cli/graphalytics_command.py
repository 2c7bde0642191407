"""`gascl graphalytics`: runs and validates the algorithms that a graph's properties ask for."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import exit_code, graph_options, program_options
from gascl.cli.format_names import COMPRESSIONS
from gascl.cli.terminal import say
from gascl.errors import GasclError

if TYPE_CHECKING:
    import numpy as np

    from gascl.graph.graph import Graph
    from gascl.graphalytics.algorithms import Algorithm

ABOUT = "run and validate the algorithms of LDBC Graphalytics"
HELP = """\
The properties file says which algorithms to run (bfs, cdlp, lcc, pr, sssp, wcc), and with which
parameters. All run in float64. Each result is compared with the expected one if the graph's folder
contains it, in a file NAME-BFS and so on.

example:
  gascl graphalytics example-directed.properties --output results

exit codes: 0 no result differs from the expected one, 1 some do, or an error, 2 wrong usage,
130 interrupted (Ctrl-C)"""


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, --output and --device."""
    add("graph", metavar="GRAPH", type=Path, help="the graph's .properties file")
    text = "write the results to this folder, as NAME-BFS and so on; created if necessary"
    add("--output", metavar="DIR", type=Path, help=text)
    program_options.device(add)


def run(arguments: argparse.Namespace) -> int:
    """Run the algorithms one after the other, and print a line for each."""
    from gascl.graph.graph import Graph
    from gascl.graphalytics.algorithms import algorithms_of, fitted
    from gascl.graphalytics.outputs import write_values
    from gascl.io.files import plain
    from gascl.io.formats.graphalytics import read_properties
    from gascl.opencl.device_choice import find
    from gascl.run.engine import Engine
    from gascl.util.progress import Progress

    # Refuse as much as possible before the graph is read.
    path, folder = arguments.graph, arguments.output
    if plain(path).suffix.lower() in (".v", ".e"):
        named = f"{plain(path).stem}.properties"
        raise GasclError(f"{path}: give the properties file instead, such as {named}")
    properties = read_properties(path)
    algorithms = algorithms_of(path, properties)
    if folder is not None:
        _check_output(folder, path, [f"{properties['name']}-{each.name}" for each in algorithms])
    device = find(arguments.device)
    graph = fitted(Graph.read(path, format="graphalytics"), path, properties)
    print(graph_options.describe(graph), flush=True)
    engine, failed = Engine(graph, device), []
    for algorithm in algorithms:
        name = f"{properties['name']}-{algorithm.name}"
        progress = Progress()
        started, took = time.perf_counter(), 0.0
        try:
            values = algorithm.run(engine, progress)
            took = time.perf_counter() - started
            if folder is not None:
                write_values(folder / name, graph, values)
            wrong, verdict = _compare(algorithm, graph, values, path.with_name(name))
        except GasclError as error:
            wrong, verdict = True, str(error)
        finally:
            progress.close()
        took = took or time.perf_counter() - started
        print(f"{algorithm.name:<4} {took:9.3f} s  {'failed: ' * wrong}{verdict}", flush=True)
        failed += [algorithm.name] * wrong
    print(f"device: {device}")
    if failed:
        which = f"{len(failed)} of {len(algorithms)} failed: {', '.join(failed)}"
        return say(f"error: {which}", exit_code.ERROR)
    return exit_code.DONE


def _check_output(folder: Path, graph: Path, names: list[str]) -> None:
    """Create the folder for the results, or raise GasclError."""
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = f"cannot be written: {error.strerror}; name another folder"
        raise GasclError(f"--output {folder} {why}") from error
    if folder.samefile(graph.parent):
        why = "is the graph's folder, with the expected results; name another folder"
        raise GasclError(f"--output {folder} {why}")
    for name in names:
        if (folder / name).is_dir():
            raise GasclError(f"--output {folder}: it contains a folder {name}; name another folder")


def _compare(
    algorithm: Algorithm, graph: Graph, values: np.ndarray, expected: Path
) -> tuple[bool, str]:
    """Whether the values differ from the expected ones, and the verdict in words."""
    from gascl.graphalytics.outputs import read_values

    candidates = [expected.with_name(expected.name + suffix) for suffix in ("", *COMPRESSIONS)]
    file = next((each for each in candidates if each.is_file()), None)
    if file is None:
        return False, f"not compared: there is no {expected.name} in the graph's folder"
    wanted = read_values(file, graph, algorithm.dtype)
    assert graph.labels is not None  # in this format, always
    difference = algorithm.rule.difference(graph.labels, values, wanted)
    if difference:
        return True, f"{difference} ({file})"
    return False, f"ok: {algorithm.rule.words} {file.name}"
