"""`gascl run`: runs a vertex program on a graph, prints and writes the result."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gascl.cli import exit_code, graph_options, program_options
from gascl.cli.formatting import count, number
from gascl.cli.mpi_launch import communicator, in_all_ranks, is_first, silenced
from gascl.cli.shell_messages import for_shell
from gascl.cli.stdio import STANDARD, file_for_stdout
from gascl.cli.terminal import say
from gascl.errors import GasclError, ProgramError
from gascl.util.atomic_file import check_writable
from gascl.util.atomic_folder import check_folder

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.language.program import VertexProgram
    from gascl.opencl.device import Device
    from gascl.results.result import Result
    from gascl.run.options import RunOptions

ABOUT = "run a vertex program on a graph"
HELP = f"""\
examples:
  gascl run PageRank karate
  gascl run PageRank wiki-Vote.txt.gz --top 20 --output ranks.csv
  gascl run ShortestPaths roads.txt --set source=4037 --set dtype=float64 --smallest 5
  gascl run ShortestPaths roads.txt --set source=4037 --path 12
  zcat edges.gz | gascl run BreadthFirst - --set source=0 --fields depth --output - | sort
  gascl run my_program.py:MyProgram graph.mtx --device nvidia --trace trace.json
  gascl run PageRank web.npz --output ranks.parquet --checkpoint run.ckpt --resume
  mpiexec -n 4 gascl run PageRank web.npz --output ranks/

{exit_code.HELP}"""
OUTPUTS = (".csv", ".npz", ".parquet")
#: What may go to stdout -> the suffix that it has there.
SUFFIXES = {"output": ".csv", "arcs": ".csv", "trace": ".json"}


def options(add: Callable[..., Any]) -> None:
    """Add PROGRAM, GRAPH and the options of a run."""
    program_options.options(add)
    graph_options.options(add)
    program_options.max_supersteps(add)
    text = (
        "print the K vertices with the largest values (default 10); of groups, such as communities,"
    )
    text += " the K largest with their sizes and hubs"
    add("--top", metavar="K", type=program_options.whole_number, help=text)
    text = "print the K vertices with the smallest values, and the largest only with --top"
    add("--smallest", metavar="K", type=program_options.whole_number, default=0, help=text)
    text = "print the path to the vertex LABEL, of programs with the field `parent`; repeatable;"
    text += " the largest values only with --top"
    add("--path", metavar="LABEL", action="append", default=[], help=text)
    text = "the vertex field to print (default: the first one that apply writes); of one with"
    text += " several numbers per vertex, such as `levels`, the groups by each of them"
    add("--field", metavar="NAME", help=text)
    text = "write the vertex fields, one row per vertex: .csv, .npz or .parquet, or without an"
    text += " extension a folder with a Parquet file from each rank, of its own vertices; - writes"
    text += (
        " CSV to stdout, and all else that is printed to stderr; so it does for --arcs and --trace"
    )
    add("--output", metavar="FILE", type=Path, help=text)
    text = "the vertex fields to write, separated by commas (default: all but inputs)"
    add("--fields", metavar="NAMES", type=lambda names: names.split(","), help=text)
    text = "write all arc fields, one row per arc: .csv, .npz or .parquet"
    add("--arcs", metavar="FILE", type=Path, help=text)
    add("--trace", metavar="FILE", type=Path, help="write the trace of all supersteps as JSON")
    text = "save checkpoints of the run in FILE, so that it can resume after a kill or Ctrl-C"
    add("--checkpoint", metavar="FILE", type=Path, help=text)
    text = "how often: a time, such as 60s (the default), 5min or 1h, or a number of supersteps"
    add("--every", metavar="TIME|N", type=_every, help=text)
    text = "resume from --checkpoint, if the file exists; without this, such a file is refused"
    add("--resume", action="store_true", help=text)
    text = "with several ranks, which of them has which vertices: ranges (the default), hash, or a"
    text += " vertex field of integers or text"
    add("--partition", metavar="HOW", default="ranges", help=text)
    text = "on a CPU, have what the run keeps of the vertices in files of FOLDER, so that it may be"
    text += " larger than memory"
    add("--spill", metavar="FOLDER", type=Path, help=text)
    text = (
        "also print the whole report of how the graph was read, the delivery and numbering on the"
    )
    text += " device, and what took how long"
    add("--verbose", action="store_true", help=text)
    memory = "such as 8GiB; arcs that do not fit come to it part by part"
    debug = "stop with the snippet's line at NaN, infinity, division by zero, index out of range"
    program_options.engine_options(add, memory, debug)


def _every(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def run(arguments: argparse.Namespace) -> int:
    """Run the program, and print and write the result, even if it is partial. Of several MPI ranks,
    the first one prints and writes."""
    first = is_first()
    try:
        comm = communicator()
        arguments = argparse.Namespace(**vars(arguments), comm=comm)
        arguments.collect = _collects(arguments)
        with in_all_ranks(comm):
            streamed = _streamed(arguments)
        if first:
            return _printing(arguments, streamed)
        arguments.arcs = arguments.trace = None
        if not _is_folder(arguments.output):
            arguments.output = arguments.fields = None
        with silenced():
            return _run(arguments)
    except GasclError:
        if first:
            raise
        return exit_code.ERROR


def _is_folder(output: Path | None) -> bool:
    """Whether each rank writes its own vertices, into a folder."""
    return output is not None and not output.suffix and output != Path(STANDARD)


def _collects(arguments: argparse.Namespace) -> bool:
    """Whether each rank needs the values of all vertices: unless they all go to a folder, and no
    option needs them or the values of all arcs."""
    asked = arguments.top, arguments.smallest, arguments.path, arguments.arcs
    return arguments.comm is None or not _is_folder(arguments.output) or any(asked)


def _streamed(arguments: argparse.Namespace) -> str | None:
    """The output that goes to stdout, if there is one.

    Raises:
        GasclError: there are two, or stdin is the graph of several ranks.
    """
    if arguments.comm is not None and arguments.graph == STANDARD:
        raise GasclError("stdin has one reader, and the run has several ranks; name a file")
    streamed = [name for name in SUFFIXES if getattr(arguments, name) == Path(STANDARD)]
    if len(streamed) > 1:
        raise GasclError(
            f"--{streamed[0]} and --{streamed[1]} are both {STANDARD}, and stdout is one file; "
            "name a file for one of them"
        )
    return streamed[0] if streamed else None


def _printing(arguments: argparse.Namespace, streamed: str | None) -> int:
    """`run` in the rank that prints."""
    if streamed is None:
        return _run(arguments)
    with file_for_stdout(SUFFIXES[streamed]) as path:
        return _run(argparse.Namespace(**{**vars(arguments), streamed: path}))


class _Ready(NamedTuple):
    """The checked arguments, before the graph is read."""

    program: VertexProgram
    field: str | None
    options: RunOptions
    device: Device


def _prepare(arguments: argparse.Namespace) -> _Ready:
    """Check the arguments; refuse as much as possible before the graph is read."""
    from gascl.cli.field_option import check_field, shown_field
    from gascl.cli.find_program import construct, program_class
    from gascl.delivery.admission import Parts, demand_of, why_together
    from gascl.delivery.registry import choose

    cls = program_class(arguments.program)
    program = construct(cls, dict(arguments.set))
    field = shown_field(program, arguments.field, levels=not arguments.path)
    if arguments.arcs and not cls.spec.arc_fields:
        raise ProgramError(f"{cls.__name__} has no arc fields: leave out --arcs")
    if arguments.fields and not arguments.output:
        raise GasclError("--fields says what --output writes: give --output, too")
    for name in arguments.fields or ():
        check_field(cls, name)
    if arguments.path:
        _check_parents(cls)
    _check_outputs(arguments)

    from gascl.opencl.device_choice import find
    from gascl.run.checkpoint import checkpoint_of
    from gascl.run.options import RunOptions

    options = RunOptions(
        delivery=arguments.delivery,
        max_supersteps=arguments.max_supersteps,
        checkpoint=arguments.checkpoint,
        every=arguments.every,
        resume=arguments.resume,
        collect=arguments.collect,
    )
    checkpoint_of(program, options)
    device = find(arguments.device)
    if cls.solve is None:
        repeats = not arguments.nondeterministic
        together = why_together(device.facts, arguments.debug)
        of_device = device.atomics, device.fp64
        demand = demand_of(program, *of_device, repeats, together, arguments.debug, device.group)
        ranks = None if arguments.comm is None else Parts(arguments.comm.Get_size())
        choose(program, demand, arguments.delivery, parts=ranks)
    return _Ready(program, field, options, device)


def _read(arguments: argparse.Namespace) -> tuple[Graph, float]:
    """The graph, and the seconds that it took to read it."""
    from gascl.graph.vertex_partition import check_partition

    started = time.perf_counter()
    graph = graph_options.read(arguments, arguments.comm)
    read_seconds = time.perf_counter() - started
    with suppress(BrokenPipeError):  # --output must be written even if nobody reads this
        describe = graph_options.describe if arguments.verbose else graph_options.describe_briefly
        print(describe(graph), flush=True)
    with in_all_ranks(arguments.comm), graph.labels_in_all():
        for label in arguments.path:
            graph.index_of(label)
        check_partition(graph, arguments.partition)
    return graph, read_seconds


def _run(arguments: argparse.Namespace) -> int:
    from gascl.util.progress import Progress

    with in_all_ranks(arguments.comm):
        program, field, options, device = _prepare(arguments)
    graph, read_seconds = _read(arguments)
    cls = type(program)
    _note_weights(cls, graph)

    from gascl.run.engine import Engine

    progress = Progress()
    try:
        engine = Engine(
            graph,
            device,
            deterministic=not arguments.nondeterministic,
            debug=arguments.debug,
            device_memory=arguments.device_memory,
            comm=arguments.comm,
            partition=arguments.partition,
            spill=arguments.spill,
        )
        result = engine.run_with(program, replace(options, progress=progress))
        code = exit_code.DONE if result.converged else exit_code.NOT_CONVERGED
    except KeyboardInterrupt as pressed:
        if not hasattr(pressed, "result"):
            raise
        result, code = pressed.result, exit_code.INTERRUPTED
        if result.converged:
            say("warning: Ctrl-C came when the run had just ended; the result is complete")
        else:
            say("warning: " + pressed.args[0] + "; the result is partial, not the final answer")
    finally:
        progress.close()
    try:
        if _is_folder(arguments.output):
            result.to_parquet(arguments.output, _there(result, arguments.fields))
        elif arguments.output:
            result.save(arguments.output, _there(result, arguments.fields))
        if arguments.arcs:
            result.save(arguments.arcs, arcs=True)
        if arguments.trace:
            result.save_trace(arguments.trace)
    finally:  # if the disk is full, the result is still shown on the terminal
        largest = arguments.top
        if largest is None:
            largest = 0 if arguments.smallest or arguments.path or not options.collect else 10
        for title, each in _by_lane(program, result):
            if title:
                print(f"\n{title}")
            _print_top(each, field, largest)
            _print_top(each, field, arguments.smallest, largest=False)
            for label in arguments.path:
                _print_path(each, field, label)
            if cls.spec.composite:  # whose aggregators are numbers that it returns
                for name, value in each.aggregates.items():
                    print(f"{name}: {number(value)}")
        from gascl.results.result import steps_of

        stopped = for_shell(result.stopped)
        print(f"{cls.__name__}: {steps_of(result)}; {stopped}")
        _print_how(result, arguments, read_seconds)
    return code


def _print_how(result: Result, arguments: argparse.Namespace, read_seconds: float) -> None:
    """Print where the program ran and how long it took."""
    where = f"device: {result.device}"
    if arguments.verbose:
        where += f"; delivery: {result.delivery}"
    if arguments.comm:
        where += f"; ranks: {arguments.comm.Get_size()}"
    if result.trace and "parts" in (why := result.trace[0].why):
        where += f"; {why.partition(',')[0]}"  # how many were needed differs
    times = {"read": read_seconds, **result.seconds}
    if not arguments.verbose:
        print(f"{where}; time: {sum(times.values()):.3f} s")
        return
    print(where)
    if result.numbering:
        print(f"vertices on the device: {result.numbering}")
    print(f"time: {' s, '.join(f'{name} {took:.3f}' for name, took in times.items())} s")
    for line in (*result.trace.notes, *result.trace.hints()):
        print(line)


def _check_outputs(arguments: argparse.Namespace) -> None:
    from importlib.util import find_spec

    tables = {"--output": arguments.output, "--arcs": arguments.arcs}
    paths = {**tables, "--trace": arguments.trace, "--checkpoint": arguments.checkpoint}
    outputs = {option: path for option, path in paths.items() if path is not None}
    for option, path in outputs.items():
        in_folder = option == "--output" and _is_folder(path)
        if option in tables and not in_folder and path.suffix not in OUTPUTS:
            more = "; or, for a folder, have no extension" if option == "--output" else ""
            raise GasclError(f"{option} {path}: the name must end in {', '.join(OUTPUTS)}{more}")
        is_parquet = in_folder or (option in tables and path.suffix == ".parquet")
        if is_parquet and not find_spec("pyarrow"):
            raise GasclError(f"{option} {path}: Parquet needs pyarrow: `pip install pyarrow`")
        if in_folder:
            check_folder(path, f"{option} {path}")
        else:
            check_writable(path, f"{option} {path}", pipes=True)
        if path.exists() and Path(arguments.graph).exists() and path.samefile(arguments.graph):
            raise GasclError(f"{option} {path} is the graph's own file; name another file")
    if _is_folder(arguments.output):
        inside = {"the graph": Path(arguments.graph), **outputs}
        for option, path in inside.items():
            if arguments.output.resolve() in path.resolve().parents:
                raise GasclError(
                    f"--output {arguments.output}: {option} is in this folder, which is replaced "
                    "as a whole; name another folder"
                )
    for (one, path), (other, second) in combinations(outputs.items(), 2):
        if path.resolve() == second.resolve():
            raise GasclError(f"{one} and {other} are both {path}; name two files")


def _note_weights(cls: type[VertexProgram], graph: Graph) -> None:
    """Say that a bundled program leaves weights out, where another one reads them."""
    import gascl.programs

    weighted = f"Weighted{cls.__name__}"
    bundled = cls is getattr(gascl.programs, cls.__name__, None)
    if not bundled or weighted not in gascl.programs.__all__ or "weight" not in graph.edge_fields:
        return
    weights = graph.edge_summary("weight")
    if (weights.least, weights.greatest) != (1, 1):
        say(f"note: {cls.__name__} does not read this graph's weights; {weighted} does")


def _check_parents(cls: type[VertexProgram]) -> None:
    from gascl.language.types import VERTEX

    parent = cls.spec.vertex_fields.get("parent")
    if parent is None or parent.type != VERTEX:
        raise ProgramError(
            f"{cls.__name__} finds no paths: leave out --path, or run a program that has the field "
            "`parent`, such as ShortestPaths or BreadthFirst"
        )


def _there(result: Result, names: Sequence[str] | None) -> list[str] | None:
    """Those of these fields that have been computed; None: all."""
    return [name for name in names if name not in result.missing] if names else None


def _by_lane(program: VertexProgram, result: Result) -> list[tuple[str, Result]]:
    """What to print of each lane, and a title with its parameters; of a program without lanes, the
    result, without a title."""
    from gascl.language.fields import Lanes
    from gascl.results.own_rows import RemoteFields

    if program.lanes == 1:
        return [("", result)]
    here = {} if isinstance(result.fields, RemoteFields) else result.fields
    listed = {n: v for n in program.spec.params if isinstance(v := getattr(program, n), Lanes)}
    found = []
    for lane in range(program.lanes):
        given = [f"{name}={values[lane]}" for name, values in listed.items()]
        its = replace(
            result,
            fields={name: values[:, lane] for name, values in here.items()},
            aggregates={
                name: value[lane] if isinstance(value, list) else value
                for name, value in result.aggregates.items()
            },
            named=result.named[lane : lane + 1],
        )
        found.append((", ".join(given) or f"lane {lane}", its))
    return found


def _print_top(result: Result, field: str | None, k: int, largest: bool = True) -> None:
    from gascl.results.result import GROUPS

    if field is None or not k or not result.graph.num_vertices:
        return
    if field in result.missing:
        print(f"`{field}` is not computed yet: the run ended too early")
        there = {n: v for n, v in result.fields.items() if v.ndim == 1 and not v.dtype.names}
        if not there:
            return
        field = next(iter(there))
    if result[field].ndim == 1:
        _print_values(result, field, k, largest, field in GROUPS)
        return
    for level, values in enumerate(result[field].T):
        name = f"{field}_{level}"  # as in tables
        _print_values(replace(result, fields={name: values}), name, k, largest, True)


def _print_values(result: Result, field: str, k: int, largest: bool, grouped: bool) -> None:
    """Print the k vertices with the largest or smallest values, or of groups the sizes."""
    from gascl.language.types import TIME
    from gascl.results.result import has_value

    print()
    if grouped:
        _print_groups(result, field, k, largest)
    else:
        _print_rows(result, field, result.top(field, k, largest))
    hidden = int((~has_value(result[field], result.types.get(field))).sum())
    if hidden:
        named = _of_vertices(result, field) or result.types.get(field) == TIME
        without = f"no {field}" if named else "infinity or NaN"
        print(f"({count(hidden, 'vertex', 'vertices')} with {without} not shown)")
    print()


def _print_groups(result: Result, field: str, k: int, largest: bool) -> None:
    """Print the k largest or smallest groups of vertices that have the same value of a field."""
    import numpy as np

    from gascl.results.result import has_value

    groups = result.communities(field, k, largest)
    cells = [(str(each.community), f"{each.size:,}", str(each.hub)) for each in groups]
    _print_columns([(field, "vertices", "hub"), *cells])
    values = result[field]
    found = np.unique(values[has_value(values, result.types.get(field))])
    if more := len(found) - len(cells):
        print(f"({count(more, 'more group')} not shown)")


def _print_path(result: Result, field: str | None, target: str) -> None:
    """Print the vertices on the path, each with its value of the field."""
    from gascl.graph.field_types import listed

    try:
        labels = result.path(target)
    except GasclError as error:  # that there is none is an answer, too
        print(f"\n{for_shell(error.message)}\n")
        return
    name = "parent" if field is None or field in result.missing else field
    at = result.graph.indices_of(labels)
    values = result[name][at]
    if _of_vertices(result, name):
        values = result.graph.labels_of(values)
    times = result.time_type if _of_times(result, name) else None
    print(f"\npath to {target}:")
    _print_rows(result, name, list(zip(labels, listed(values, times), strict=True)))
    print()


def _print_rows(result: Result, field: str, rows: Iterable[tuple[Any, Any]]) -> None:
    """Print labels and values of a field in two columns."""
    shown = str if _of_vertices(result, field) or _of_times(result, field) else number
    _print_columns([("vertex", field), *((str(label), shown(value)) for label, value in rows)])


def _print_columns(cells: Sequence[tuple[str, ...]]) -> None:
    """Print rows: the first column and the third one are texts, the second one has numbers."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        aligned = zip(row, "<><", widths, strict=False)
        print("  ".join(f"{cell:{side}{width}}" for cell, side, width in aligned).rstrip())


def _of_vertices(result: Result, field: str) -> bool:
    from gascl.language.types import VERTEX

    return result.types.get(field) == VERTEX


def _of_times(result: Result, field: str) -> bool:
    """Whether the field has points in time, and not just numbers."""
    return result[field].dtype.kind == "M"
