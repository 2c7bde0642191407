"""`gascl check`: compiles the vertex programs of a file, and warns of likely mistakes; or compares
runs of a program with order = "any" by several schedules."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gascl.cli import exit_code, graph_options, program_options
from gascl.cli.formatting import count
from gascl.errors import GasclError, ProgramError

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram
    from gascl.opencl.device import Device
    from gascl.results.result import Result

ABOUT = "compile the vertex programs of a file, and warn of likely mistakes"
HELP = """\
Every class of the file is checked and, for each delivery that can run it, compiled for the device;
no graph is needed, and nothing is run. An error in the definition of a class ends the file, as in
Python. Each finding is a line that editors and hooks can read:

  my_program.py:16: error: ShortestPaths: unknown v.distnce; did you mean v.distance?
  my_program.py:12: warning: ShortestPaths: parameter 'cutoff' is not used: ...

With --order, a PROGRAM that declares order = "any", or whose in_any_order returns one that does,
runs on GRAPH in supersteps and by several random schedules. If the fields differ, the error names
the messages whose order matters. --set and the options for reading a graph are those of `gascl
run`, and have no effect without --order.

examples:
  gascl check my_program.py
  gascl check --strict programs/*.py
  gascl check my_program.py:MyProgram roads.txt --order --set source=5

exit codes: 0 no error, 1 error (with --strict, also a warning), 2 wrong usage"""


#: The number of random schedules of `--order`.
SCHEDULES = 4


class Finding(NamedTuple):
    """An error or a warning, and where it is."""

    file: str
    line: int
    kind: str
    text: str

    def shown(self, file: Path) -> str:
        """The line that is printed; `file` is the file as the user has named it."""
        path = str(file) if Path(self.file) == file.resolve() else self.file
        return f"{path}:{self.line}: {self.kind}: {self.text}"


def options(add: Callable[..., Any]) -> None:
    """Add FILE, --strict, --order and --device, and how --order reads a graph."""
    text = "a file with vertex programs, .py; with --order, PROGRAM and GRAPH"
    add("files", metavar="FILE", nargs="+", help=text)
    add("--strict", action="store_true", help="exit with 1 after a warning, too")
    add("--order", action="store_true", help="run PROGRAM on GRAPH by several random schedules")
    program_options.set_option(add)
    program_options.device(add)
    graph_options.format_option(add)
    graph_options.reading_options(add)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings of all files, then how many there are."""
    from gascl.opencl.device_choice import find

    if arguments.order:
        return _check_order(arguments)
    files = [Path(file) for file in arguments.files]
    for file in files:
        if not file.is_file():
            path, colon, name = str(file).rpartition(":")
            if colon and Path(path).is_file():
                raise GasclError(
                    f"{file}: give the file alone, whose classes are all checked; or to run {name} "
                    "on a graph: gascl check PROGRAM GRAPH --order"
                )
            if file.is_dir():
                raise GasclError(f"{file} is a folder; name its files, such as {file}/*.py")
            raise GasclError(f"{file}: there is no such file; check the path")
    if len(files) == 2 and files[0].suffix == ".py" != files[1].suffix:
        raise GasclError(
            f"{files[1]}: the name of a program's file must end in .py; if this is a graph: gascl "
            "check PROGRAM GRAPH --order"
        )
    device = find(arguments.device)
    kinds, programs = {"error": 0, "warning": 0}, 0
    for file in files:
        classes, found = _classes(file)
        programs += len(classes)
        for cls in classes:
            found += _findings(cls, device)
        for finding in sorted(dict.fromkeys(found)):
            kinds[finding.kind] += 1
            print(finding.shown(file))
    if not (programs or kinds["error"]):
        raise GasclError(
            f"{', '.join(map(str, files))}: there is no vertex program, a class derived from "
            "gascl.VertexProgram, to check"
        )
    counts = " and ".join(count(number, kind) for kind, number in kinds.items())
    print(f"{count(programs, 'program')} on {device}: {counts}")
    failed = kinds["error"] or (arguments.strict and kinds["warning"])
    return exit_code.ERROR if failed else exit_code.DONE


def _check_order(arguments: argparse.Namespace) -> int:
    """Run a program by several random schedules, and print whether the fields are the same."""
    from gascl.cli.find_program import construct, program_class
    from gascl.language.stage_discovery import inner_programs
    from gascl.opencl.device_choice import find

    if len(arguments.files) != 2:
        arguments.parser.error("--order takes a program and a graph: gascl check PROGRAM GRAPH")
    name, arguments.graph = arguments.files
    cls = program_class(name)
    programs = cls, *inner_programs(cls)
    if not any(each.spec.order == "any" or "in_any_order" in vars(each) for each in programs):
        why = "it has neither order = 'any' nor in_any_order"
        raise ProgramError(f"{cls.__name__} runs in supersteps alone: {why}")
    program, device = construct(cls, dict(arguments.set)), find(arguments.device)
    graph = graph_options.read(arguments)

    from gascl.run.engine import Engine

    for seed in range(SCHEDULES):
        try:
            result = Engine(graph, device, debug=True, seed=seed).run(program)
        except ProgramError as error:
            source = cls.spec.source
            file = Path(name.rpartition(":")[0] or name)
            print(_finding(error, source.file or name, source.line).shown(file))
            return exit_code.ERROR
        if not result.trace.notes:
            raise ProgramError(
                f"{cls.__name__}: no schedule can be compared: {_why_not(program, result)}"
            )
        for note in result.trace.notes:
            print(f"{cls.__name__}: {note}")
    return exit_code.DONE


def _why_not(program: VertexProgram, result: Result) -> str:
    """Why there was no random schedule to compare a run with."""
    if not result.converged:
        return f"it did not converge: {result.stopped}"
    if "in_any_order" in vars(type(program)):
        return "its in_any_order returns None for these values, or a program that needs the order"
    return "the run itself found that the order of messages matters for these values"


def _classes(file: Path) -> tuple[list[type[VertexProgram]], list[Finding]]:
    """The programs that a file defines, as far as it can be read, and the error that ended it."""
    from gascl.cli.find_program import load, module_name
    from gascl.language.program import VertexProgram

    path, errors = file.resolve(), []
    sys.modules.pop(module_name(path), None)
    try:
        load(path)
    except GasclError as error:
        errors.append(_finding(error, str(path), 1))
    module = sys.modules.get(module_name(path))
    types = [each for each in vars(module).values() if isinstance(each, type)] if module else []
    programs = [each for each in types if issubclass(each, VertexProgram)]
    own = [each for each in programs if each.__module__ == module_name(path)]
    return list(dict.fromkeys(own)), errors


def _findings(cls: type[VertexProgram], device: Device) -> Iterator[Finding]:
    """The warnings about a class, and the errors of the compiler."""
    from gascl.language.likely_mistakes import likely_mistakes

    for place, text in likely_mistakes(cls):
        if place.file is not None:
            yield Finding(place.file, place.line, "warning", f"{cls.__name__}: {text}")
    if not cls.spec.works:
        return
    source = cls.spec.source
    for error in _compiler_errors(cls, device):
        if not error.complaints:
            yield _finding(error, source.file or "", source.line)
        for place, text in error.complaints:
            file, line = place.file or source.file or "", place.line or source.line
            yield Finding(file, line, "error", f"{cls.__name__}: {text}")


def _compiler_errors(cls: type[VertexProgram], device: Device) -> Iterator[GasclError]:
    """The errors of a program that cannot be compiled."""
    from gascl.delivery.admission import demand_of, why_together
    from gascl.delivery.registry import DELIVERIES, admitted, choose, form_of
    from gascl.language.placeholder import any_values
    from gascl.language.program import VertexProgram
    from gascl.run.plan import Variant, plan_of, source_of

    try:
        program = cls.__new__(cls)
        VertexProgram.__init__(program, **any_values(cls))  # its own __init__ may take anything
        together = why_together(device.facts)
        demand = demand_of(
            *(program, device.atomics, device.fp64, True, together), group=device.group
        )
        choose(program, demand, "auto")  # refuses a program that no delivery can run
    except GasclError as error:
        yield error
        return
    optimized = not device.facts.may_skip_optimizer
    for name in admitted(demand):
        delivery = form_of(DELIVERIES[name], device.group)
        variant = Variant(persistent=delivery.in_one_launch, optimized=optimized)
        try:
            source = source_of(program, device.facts, delivery, "int32", variant)
            plan_of(program, device, source)
        except GasclError as error:
            yield error


def _finding(error: GasclError, file: str, line: int) -> Finding:
    """The first line of an error as a finding, at its own place or else at this one."""
    text = str(error)
    if error.place is not None and error.place.line:
        file, line = error.place.file or file, error.place.line
        text = text.removeprefix(f"{error.place}: ")
    return Finding(file, line, "error", text.partition("\n")[0])
