"""`gascl check`: compiles the vertex programs of a file, and warns of likely mistakes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gascl.cli import exit_code, program_options
from gascl.cli.formatting import count
from gascl.errors import GasclError

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram
    from gascl.opencl.device import Device

ABOUT = "compile the vertex programs of a file, and warn of likely mistakes"
HELP = """\
Every class of the file is checked and, for each delivery that can run it, compiled for the device;
no graph is needed, and nothing is run. An error in the definition of a class ends the file, as in
Python. Each finding is a line that editors and hooks can read:

  my_program.py:16: error: ShortestPaths: unknown v.distnce; did you mean v.distance?
  my_program.py:12: warning: ShortestPaths: parameter 'cutoff' is not used: ...

examples:
  gascl check my_program.py
  gascl check --strict programs/*.py

exit codes: 0 no error, 1 error (with --strict, also a warning), 2 wrong usage"""


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
    """Add FILE, --strict and --device."""
    add("files", metavar="FILE", type=Path, nargs="+", help="a file with vertex programs, .py")
    add("--strict", action="store_true", help="exit with 1 after a warning, too")
    program_options.device(add)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings of all files, then how many there are."""
    from gascl.opencl.device_choice import find

    for file in arguments.files:
        if not file.is_file():
            raise GasclError(f"{file}: there is no such file; check the path")
    device = find(arguments.device)
    kinds, programs = {"error": 0, "warning": 0}, 0
    for file in arguments.files:
        classes, found = _classes(file)
        programs += len(classes)
        for cls in classes:
            found += _findings(cls, device)
        for finding in sorted(dict.fromkeys(found)):
            kinds[finding.kind] += 1
            print(finding.shown(file))
    counts = " and ".join(count(number, kind) for kind, number in kinds.items())
    print(f"{count(programs, 'program')} on {device}: {counts}")
    failed = kinds["error"] or (arguments.strict and kinds["warning"])
    return exit_code.ERROR if failed else exit_code.DONE


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
        demand = demand_of(program, device.atomics, device.fp64, True, together)
        choose(program, demand, "auto")  # refuses a program that no delivery can run
    except GasclError as error:
        yield error
        return
    optimized = not device.facts.may_skip_optimizer
    for name in admitted(demand):
        delivery = form_of(DELIVERIES[name], device.group)
        variant = Variant(persistent=delivery.queues, optimized=optimized)
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
