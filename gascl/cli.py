"""The command `gascl`: run a vertex program on a graph, describe graphs and devices, show kernels.

What a command needs is imported inside it, so that `gascl --help` need not wait for OpenCL.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl import __version__
from gascl.errors import DeviceError, GasclError, Interrupted, ProgramError
from gascl.programfile import constructed, nearest, program_class
from gascl.progress import CLEAR, Progress

if TYPE_CHECKING:
    import numpy as np

    from gascl.graph import Graph
    from gascl.program import VertexProgram
    from gascl.result import Result

DONE, ERROR, NOT_CONVERGED, INTERRUPTED = 0, 1, 3, 130  # argparse exits with 2 on wrong usage
OUTPUTS = (".csv", ".npz", ".parquet")
# As in gascl.intake, which imports NumPy.
DUPLICATES = ("keep", "sum", "min", "max", "first", "error")
SELF_LOOPS = ("keep", "drop", "error")

EXIT_CODES = """\
exit code: 0 done, 1 error, 2 wrong usage, 3 ran but did not converge, 130 interrupted (Ctrl-C);
with 3 and 130, what there is is printed and written all the same"""
#: What each command's help ends with.
HELP = {
    "gascl": f"""\
example:
  gascl run PageRank wiki-Vote.txt.gz

{EXIT_CODES}""",
    "run": f"""\
examples:
  gascl run PageRank wiki-Vote.txt.gz --top 20 --output ranks.csv
  gascl run ShortestPaths roads.txt --set source=4037 --set dtype=float64
  gascl run my_program.py:MyProgram graph.mtx --device nvidia --trace trace.json

{EXIT_CODES}""",
    "info": """\
example:
  gascl info wiki-Vote.txt.gz""",
    "devices": """\
example:
  gascl devices

* marks the device that runs where --device is not given: the environment's GASCL_DEVICE, else the
fastest GPU, else the CPU.""",
    "kernel": """\
examples:
  gascl kernel PageRank --set dangling=ignore
  gascl kernel my_program.py:MyProgram --delivery slots > my_program.cl""",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (by default the process's own); returns its exit code.

    Raises:
        SystemExit: wrong usage (2), --help or --version (0).
    """
    arguments = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a label need not be in the terminal's encoding
        sys.stdout.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            code: int = arguments.command(arguments)
            sys.stdout.flush()
            return code
        except BrokenPipeError:  # `| head` has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DONE
        except KeyboardInterrupt:
            return _say("interrupted", INTERRUPTED)
        except GasclError as error:
            return _say(f"error: {error}", ERROR)
        except OSError as error:
            named = f"{error.filename}: " if error.filename else ""
            return _say(f"error: {named}{error.strerror or error}", ERROR)
        except MemoryError as error:
            return _say(f"error: the host has not enough memory for it: {error}", ERROR)


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    about = "Graph algorithms written as vertex programs, on any OpenCL device."
    parser = argparse.ArgumentParser("gascl", None, about, HELP["gascl"], formatter_class=layout)
    parser.add_argument("--version", action="version", version=f"gascl {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(call: Any, text: str, *options: Callable[[Any], None]) -> None:
        name = call.__name__.removeprefix("_")
        added = commands.add_parser(name, help=text, epilog=HELP[name], formatter_class=layout)
        added.description = f"{text[0].upper()}{text[1:]}."
        added.set_defaults(command=call)
        for add in options:
            add(added.add_argument)

    command(_run, "run a vertex program on a graph", _program_options, _graph_options, _run_options)
    command(_info, "describe a graph", _graph_options)
    command(_devices, "list the OpenCL devices")
    command(_kernel, "print the OpenCL C that is built for a program", _program_options)
    return parser


def _program_options(add: Any) -> None:
    text = "a bundled program's name (a wrong one lists them), or my_program.py:Class"
    add("program", metavar="PROGRAM", help=text)
    text = "a parameter of the program (a vertex by its label), or dtype=float64; repeatable"
    add("--set", metavar="NAME=VALUE", type=_setting, action="append", default=[], help=text)
    text = "how messages travel: auto (the default), slots, pull, outbox, push, edges or serial"
    add("--delivery", metavar="NAME", default="auto", help=text)


def _graph_options(add: Any) -> None:
    add("graph", metavar="GRAPH", help="an edge list or Matrix Market file, also gzipped")
    add("--format", metavar="NAME", help="edgelist or matrixmarket (default: told by the file)")
    add("--undirected", action="store_true", help="each edge runs both ways")
    text = "what becomes of edges with the same ends (default keep)"
    add("--duplicates", choices=DUPLICATES, default="keep", help=text)
    text = "what becomes of edges from a vertex to itself (default keep)"
    add("--self-loops", choices=SELF_LOOPS, default="keep", help=text)


def _run_options(add: Any) -> None:
    add("--device", metavar="D", help="an index into `gascl devices`, or part of a name")
    text = "stop there, unconverged (default 100000, or as many as the program asks for)"
    add("--max-supersteps", metavar="N", type=_count, help=text)
    text = "print the K vertices of largest value (default 10)"
    add("--top", metavar="K", type=_count, default=10, help=text)
    text = "the vertex field to print (default: the first that the program's apply writes)"
    add("--field", metavar="NAME", help=text)
    text = "write every vertex field, one row a vertex: .csv, .npz or .parquet"
    add("--output", metavar="FILE", type=Path, help=text)
    add("--trace", metavar="FILE", type=Path, help="write each superstep's numbers as JSON")
    text = "allow deliveries that add floats in another order each time"
    add("--nondeterministic", action="store_true", help=text)
    text = "stop at NaN, infinity, division by zero and wrong indices, with the snippet's line"
    add("--debug", action="store_true", help=text)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, not {text!r}")
    return int(text)


def _say(message: str, code: int = DONE) -> int:
    clear = CLEAR if sys.stderr.isatty() else ""  # a line of progress may stand there
    print(f"{clear}gascl: {message}", file=sys.stderr, flush=True)
    return code


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {message}")


# -- commands --------------------------------------------------------------------------------------


def _run(arguments: argparse.Namespace) -> int:
    from gascl import deliveries

    # Everything that can be refused is refused before the graph is read.
    cls = program_class(arguments.program)
    program = constructed(cls, dict(arguments.set))
    field = _field_to_print(program, arguments.field)
    _check_outputs(arguments)

    from gascl.device import find
    from gascl.engine import Engine

    device = find(arguments.device)
    orderly = not arguments.nondeterministic
    demand = deliveries.demand_of(program, device.atomics, device.fp64, orderly)
    deliveries.choose(program, demand, arguments.delivery)
    started = time.perf_counter()
    graph = _read(arguments)
    read = time.perf_counter() - started
    with suppress(BrokenPipeError):  # --output is still to be written
        print(_described(graph), flush=True)
    progress = Progress(_say)
    try:
        engine = Engine(graph, device, deterministic=orderly, debug=arguments.debug)
        result = engine.run(
            program,
            delivery=arguments.delivery,
            max_supersteps=arguments.max_supersteps,
            callback=progress,
        )
        code = DONE if result.converged else NOT_CONVERGED
    except Interrupted as interrupted:
        result, code = interrupted.result, INTERRUPTED
        _say(f"warning: {interrupted}; the result is partial: it is not the answer yet")
    finally:
        progress.clear()
    try:
        if arguments.output:
            result.save(arguments.output)
        if arguments.trace:
            result.save_trace(arguments.trace)
    finally:  # where a disk is full, the terminal still shows what was found
        _print_top(result, field, arguments.top)
        took = " s, ".join(f"{n} {s:.3f}" for n, s in [("read", read), *result.seconds.items()])
        print(f"{cls.__name__}: {result.supersteps:,} supersteps; {result.stopped}")
        print(f"device: {result.device}; delivery: {result.delivery}")
        print(f"time: {took} s")
    return code


def _info(arguments: argparse.Namespace) -> int:
    import numpy as np

    graph = _read(arguments)
    print(_described(graph))
    print(f"arcs: {graph.num_arcs:,}")
    if graph.labels is None:
        print("labels: none; a vertex is its index from 0")
    else:
        some = ", ".join(repr(label) for label in graph.labels[:3].tolist())
        kind = "text" if graph.labels.dtype.kind == "U" else str(graph.labels.dtype)
        print(f"labels: {kind}, such as {some}" if some else f"labels: {kind}")
    for name, values in graph.edge_fields.items():
        span = f", {_span(values)}" if len(values) else ""
        print(f"edge field {name}: {values.dtype}{span}")
    if not graph.num_vertices:
        return DONE
    degrees = {"out-degree": graph.out_degree, "in-degree": graph.in_degree}
    for name, degree in degrees.items() if graph.directed else [("degree", graph.out_degree)]:
        print(f"{name}: {_span(degree)}, mean {_number(degree.mean().item())}")
    print(f"isolated vertices: {np.count_nonzero(graph.out_degree + graph.in_degree == 0):,}")
    src, dst = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    print(f"self-loops: {np.count_nonzero(src == dst):,}")
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    parallel = graph.num_edges - len(np.unique(src * graph.num_vertices + dst))
    print(f"parallel edges: {parallel:,} beyond the first with the same ends")
    return DONE


def _devices(arguments: argparse.Namespace) -> int:
    from gascl.device import devices, find

    found = devices()
    default = None
    try:
        default = find()
    except DeviceError as error:  # GASCL_DEVICE names none of them
        _say(f"warning: {error}")
    for index, device in enumerate(found):
        mark = "*" if device is default else " "
        print(f"{mark} {index}: {device.kind}, {device}")
        print(
            f"     {device.memory / 2**30:.1f} GiB of memory, "
            f"largest buffer {device.largest_buffer / 2**30:.1f} GiB, "
            f"{device.cl.max_compute_units} compute units"
        )
        print(f"     atomics: {device.atomics}")
        for missing in device.lacks():
            print(f"     lacks {missing}")
    return DONE


def _kernel(arguments: argparse.Namespace) -> int:
    from gascl.atomics import Atomics
    from gascl.codegen import generate
    from gascl.deliveries import choose, demand_of
    from gascl.fields import REQUIRED
    from gascl.plan import assemble

    cls = program_class(arguments.program)
    # Only choices and dtype show in the source: any value does for what must be given.
    values = {n: "0" for n, p in cls.params.items() if p.default is REQUIRED}
    program = constructed(cls, values | dict(arguments.set))
    header = generate(cls, real=program.dtype, choices=program.choices(), lanes=program.lanes)
    demand = demand_of(program, Atomics(int64=True, int64_extended=True), True, False)
    print(assemble(header, choose(program, demand, arguments.delivery)[0])[0], end="")
    return DONE


# -- files and text --------------------------------------------------------------------------------


def _check_outputs(arguments: argparse.Namespace) -> None:
    from importlib.util import find_spec

    output, trace = arguments.output, arguments.trace
    if output and output.suffix not in OUTPUTS:
        raise GasclError(f"--output {output}: expected a name that ends in {', '.join(OUTPUTS)}")
    if output and output.suffix == ".parquet" and not find_spec("pyarrow"):
        raise GasclError(f"--output {output}: Parquet needs pyarrow: `pip install pyarrow`")
    for option, path in (("--output", output), ("--trace", trace)):
        if path is None:
            continue
        if not path.parent.is_dir():
            raise GasclError(f"{option} {path}: there is no folder {path.parent}; make it first")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise GasclError(f"{option} {path} cannot be written; name another file")
        if path.exists() and Path(arguments.graph).exists() and path.samefile(arguments.graph):
            raise GasclError(f"{option} {path} is the graph's own file; name another")
    if output and trace and output.resolve() == trace.resolve():
        raise GasclError(f"--output and --trace are both {output}; name two files")


def _read(arguments: argparse.Namespace) -> Graph:
    from gascl.graph import Graph

    return Graph.read(
        arguments.graph,
        directed=False if arguments.undirected else None,
        format=arguments.format,
        duplicates=arguments.duplicates,
        self_loops=arguments.self_loops,
    )


def _described(graph: Graph) -> str:
    kind = "directed" if graph.directed else "undirected"
    lines = [f"graph: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges, {kind}"]
    return "\n  ".join([*lines, *graph.report])


def _field_to_print(program: VertexProgram, wanted: str | None) -> str | None:
    """The vertex field to print: the one wanted, or the first scalar that apply, or else init,
    writes, since others are rather input; None where the program has no scalar field."""
    cls = type(program)
    if wanted is not None and wanted not in cls.vertex_fields:
        hint = nearest(wanted, cls.vertex_fields)
        raise ProgramError(f"{cls.__name__} has no vertex field {wanted!r}{hint}")
    written = [cls.snippets[s].writes("v") for s in ("apply", "init") if s in cls.snippets]
    order = [n for names in written for n in cls.vertex_fields if n in names]
    order = [wanted] if wanted else [*order, *cls.vertex_fields]
    scalars = [n for n in order if cls.vertex_fields[n].resolve(program.dtype).width == 1]
    if wanted and not scalars:
        raise ProgramError(f"--field {wanted}: it is a vector and has no order; use --output")
    return scalars[0] if scalars else None


def _print_top(result: Result, field: str | None, k: int) -> None:
    from dataclasses import replace

    import numpy as np

    if field is None or not k or not result.graph.num_vertices:
        return
    values = result[field]
    finite = np.isfinite(values)
    # Infinity stands for what was not reached: a list of it would tell nothing. NaN comes last.
    count = min(k, int(finite.sum()))
    ranked = values if finite.all() else np.where(finite, values, np.nan)
    top = replace(result, fields={field: ranked}).top(field, count)
    rows = [("vertex", field), *((str(label), _number(value)) for label, value in top)]
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    print()
    for label, value in rows:
        print(f"{label:<{widths[0]}}  {value:>{widths[1]}}")
    if not finite.all():
        print(f"({len(values) - int(finite.sum()):,} vertices of infinite or no value left out)")
    print()


def _span(values: np.ndarray) -> str:
    return f"{_number(values.min().item())} to {_number(values.max().item())}"


def _number(value: float) -> str:
    """Whole numbers in full, also where they are floats; else six digits."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


if __name__ == "__main__":
    sys.exit(main())
