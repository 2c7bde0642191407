"""`gascl run`: a vertex program on a graph, its result printed and written."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import exitcode, graphfile, programoption
from gascl.cli.numbertext import number
from gascl.cli.outputfile import why_not
from gascl.cli.terminal import say
from gascl.errors import GasclError, ProgramError

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram
    from gascl.result import Result

ABOUT = "run a vertex program on a graph"
HELP = f"""\
examples:
  gascl run PageRank karate
  gascl run PageRank wiki-Vote.txt.gz --top 20 --output ranks.csv
  gascl run ShortestPaths roads.txt --set source=4037 --set dtype=float64
  gascl run my_program.py:MyProgram graph.mtx --device nvidia --trace trace.json

{exitcode.HELP}"""
OUTPUTS = (".csv", ".npz", ".parquet")


def options(add: Callable[..., Any]) -> None:
    """Add PROGRAM, GRAPH and what a run takes besides."""
    programoption.options(add)
    graphfile.options(add)
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


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, not {text!r}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Run the program; prints and writes what there is also where it did not converge."""
    from gascl.cli.programfile import constructed, program_class
    from gascl.delivery.admission import demand_of
    from gascl.delivery.table import choose
    from gascl.progress import RunProgress

    # Everything that can be refused is refused before the graph is read.
    cls = program_class(arguments.program)
    program = constructed(cls, dict(arguments.set))
    field = _field_to_print(program, arguments.field)
    _check_outputs(arguments)

    from gascl.runtime.device import find
    from gascl.runtime.engine import Engine

    device = find(arguments.device)
    orderly = not arguments.nondeterministic
    if cls.solve is None:
        demand = demand_of(program, device.atomics, device.fp64, orderly)
        choose(program, demand, arguments.delivery)
    started = time.perf_counter()
    graph = graphfile.read(arguments)
    read = time.perf_counter() - started
    with suppress(BrokenPipeError):  # --output is still to be written
        print(graphfile.described(graph), flush=True)
    progress = RunProgress(say)
    try:
        engine = Engine(graph, device, deterministic=orderly, debug=arguments.debug)
        result = engine.run(
            program,
            delivery=arguments.delivery,
            max_supersteps=arguments.max_supersteps,
            callback=progress,
        )
        code = exitcode.DONE if result.converged else exitcode.NOT_CONVERGED
    except KeyboardInterrupt as pressed:
        if not hasattr(pressed, "result"):
            raise
        result, code = pressed.result, exitcode.INTERRUPTED
        whole = "Ctrl-C came as the run ended; the result is whole"
        partial = f"{pressed}; the result is partial: it is not the answer yet"
        say(f"warning: {whole if result.converged else partial}")
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
        if why := why_not(path, pipes=True):
            raise GasclError(f"{option} {path} cannot be written: {why}")
        if path.exists() and Path(arguments.graph).exists() and path.samefile(arguments.graph):
            raise GasclError(f"{option} {path} is the graph's own file; name another")
    if output and trace and output.resolve() == trace.resolve():
        raise GasclError(f"--output and --trace are both {output}; name two files")


def _field_to_print(program: VertexProgram, wanted: str | None) -> str | None:
    """The vertex field to print: the one wanted, or the first scalar that apply, or else init,
    writes, since others are rather input; None where the program has no scalar field."""
    from gascl.cli.programfile import nearest

    cls = type(program)
    if wanted is not None and wanted not in cls.spec.vertex_fields:
        hint = nearest(wanted, cls.spec.vertex_fields)
        raise ProgramError(f"{cls.__name__} has no vertex field {wanted!r}{hint}")
    spec = cls.spec
    written = [spec.snippets[s].writes("v") for s in ("apply", "init") if s in spec.snippets]
    order = [n for names in written for n in spec.vertex_fields if n in names]
    order = [wanted] if wanted else [*order, *spec.vertex_fields]
    scalars = [n for n in order if spec.vertex_fields[n].resolve(program.dtype).width == 1]
    if wanted and not scalars:
        raise ProgramError(f"--field {wanted}: it is a vector and has no order; use --output")
    return scalars[0] if scalars else None


def _print_top(result: Result, field: str | None, k: int) -> None:
    from dataclasses import replace

    import numpy as np

    if field is None or not k or not result.graph.num_vertices:
        return
    if field in result.missing:
        print(f"no `{field}` yet: the run ended before")
        there = {n: v for n, v in result.fields.items() if v.ndim == 1 and not v.dtype.names}
        if not there:
            return
        field = next(iter(there))
    values = result[field]
    finite = np.isfinite(values)
    # Infinity stands for what was not reached: a list of it would tell nothing. NaN comes last.
    count = min(k, int(finite.sum()))
    ranked = values if finite.all() else np.where(finite, values, np.nan)
    top = replace(result, fields={field: ranked}).top(field, count)
    rows = [("vertex", field), *((str(label), number(value)) for label, value in top)]
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    print()
    for label, value in rows:
        print(f"{label:<{widths[0]}}  {value:>{widths[1]}}")
    if not finite.all():
        print(f"({len(values) - int(finite.sum()):,} vertices of infinite or no value left out)")
    print()
