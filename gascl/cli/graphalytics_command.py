"""`gascl graphalytics`: the algorithms that a graph's properties ask for, run and validated."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import exitcode, graphfile
from gascl.cli.formatnames import PACKED
from gascl.cli.terminal import say
from gascl.errors import GasclError

if TYPE_CHECKING:
    import numpy as np

    from gascl.graph.graph import Graph
    from gascl.graphalytics.algorithms import Algorithm

ABOUT = "run and validate the algorithms of LDBC Graphalytics"
HELP = """\
The properties say which algorithms are run, with which parameters: bfs, cdlp, lcc, pr, sssp, wcc,
all in float64. Each result is compared with the expected one, in NAME-BFS and so on, where that
lies beside the graph.

example:
  gascl graphalytics example-directed.properties --output results

exit code: 0 no result differs from an expected one, 1 one does, or an error, 2 wrong usage,
130 interrupted (Ctrl-C)"""


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, --output and --device."""
    add("graph", metavar="GRAPH", type=Path, help="the graph's .properties, its files beside it")
    text = "write each result there, NAME-BFS and so on, as Graphalytics does; made if need be"
    add("--output", metavar="DIR", type=Path, help=text)
    add("--device", metavar="D", help="an index into `gascl devices`, or part of a name")


def run(arguments: argparse.Namespace) -> int:
    """Run them one after the other; a line each."""
    from gascl.graph.graph import Graph
    from gascl.graphalytics.algorithms import algorithms_of, fitted
    from gascl.graphalytics.outputs import write_values
    from gascl.io.files import plain
    from gascl.io.formats.ldbc import read_properties
    from gascl.progress import RunProgress
    from gascl.runtime.device import find
    from gascl.runtime.engine import Engine

    # Everything that can be refused is refused before the graph is read.
    path, folder = arguments.graph, arguments.output
    if plain(path).suffix.lower() in (".v", ".e"):
        named = f"{plain(path).stem}.properties"
        raise GasclError(f"{path}: name the .properties, such as {named}: they say what is run")
    properties = read_properties(path)
    algorithms = algorithms_of(path, properties)
    if folder is not None:
        _check_output(folder, path, [f"{properties['name']}-{each.name}" for each in algorithms])
    device = find(arguments.device)
    graph = fitted(Graph.read(path, format="graphalytics"), path, properties)
    print(graphfile.described(graph), flush=True)
    engine, failed = Engine(graph, device), []
    for algorithm in algorithms:
        name = f"{properties['name']}-{algorithm.name}"
        progress = RunProgress(say)
        started, took = time.perf_counter(), 0.0
        try:
            values = algorithm.run(engine, progress)
            took = time.perf_counter() - started
            if folder is not None:
                write_values(folder / name, graph, values)
            wrong, said = _compared(algorithm, graph, values, path.with_name(name))
        except GasclError as error:
            wrong, said = True, str(error)
        finally:
            progress.clear()
        took = took or time.perf_counter() - started
        print(f"{algorithm.name:<4} {took:9.3f} s  {'failed: ' * wrong}{said}", flush=True)
        failed += [algorithm.name] * wrong
    print(f"device: {device}")
    if failed:
        which = f"{len(failed)} of {len(algorithms)} failed: {', '.join(failed)}"
        return say(f"error: {which}", exitcode.ERROR)
    return exitcode.DONE


def _check_output(folder: Path, graph: Path, names: list[str]) -> None:
    """Make the folder for the results, or refuse it."""
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = f"cannot be written: {error.strerror}; name another folder"
        raise GasclError(f"--output {folder} {why}") from error
    if folder.samefile(graph.parent):
        why = "is where the expected results lie beside the graph; name another folder"
        raise GasclError(f"--output {folder} {why}")
    for name in names:
        if (folder / name).is_dir():
            raise GasclError(f"--output {folder}: {name} in it is a folder; name another")


def _compared(
    algorithm: Algorithm, graph: Graph, values: np.ndarray, expected: Path
) -> tuple[bool, str]:
    """Whether the values are others than those expected, and a word about it."""
    from gascl.graphalytics.outputs import read_values

    found = [expected.with_name(expected.name + suffix) for suffix in ("", *PACKED)]
    file = next((each for each in found if each.is_file()), None)
    if file is None:
        return False, f"not compared: there is no {expected.name} beside the graph"
    wanted = read_values(file, graph, algorithm.dtype)
    assert graph.labels is not None  # by the format
    difference = algorithm.rule.difference(graph.labels, values, wanted)
    if difference:
        return True, f"{difference} ({file})"
    return False, f"ok: {algorithm.rule.words} {file.name}"
