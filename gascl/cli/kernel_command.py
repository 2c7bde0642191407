"""`gascl kernel`: prints the OpenCL C that is generated for a program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gascl.cli import programoption
from gascl.cli.exitcode import DONE

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram

ABOUT = "print the OpenCL C that is generated for a program"
HELP = """\
examples:
  gascl kernel PageRank --set dangling=ignore
  gascl kernel my_program.py:MyProgram --delivery slots > my_program.cl"""

options = programoption.options


def run(arguments: argparse.Namespace) -> int:
    """Print the source; no device is needed."""
    from gascl.cli.programfile import construct, program_class
    from gascl.errors import ProgramError
    from gascl.language.inner import inner_programs

    cls = program_class(arguments.program)
    if cls.solve is None:
        program = construct(cls, _placeholders(cls) | dict(arguments.set))
        print(_source(program, arguments.delivery), end="")
        return DONE
    construct(cls, _placeholders(cls) | dict(arguments.set))  # refuses wrong parameters
    parts = inner_programs(cls)
    if not parts:
        raise ProgramError(f"the code of {cls.__name__} names no program that it runs: name one")
    for part in parts:
        print(f"// {part.__name__}, which {cls.__name__} runs")
        print(_source(construct(part, _placeholders(part)), arguments.delivery), end="")
    return DONE


def _placeholders(cls: type[VertexProgram]) -> dict[str, str]:
    """Required parameters with any values: only choices and dtype affect the source."""
    from gascl.language.fields import REQUIRED

    return {n: "0" for n, p in cls.spec.params.items() if p.default is REQUIRED}


def _source(program: VertexProgram, delivery: str) -> str:
    from gascl.codegen.generate import generate
    from gascl.delivery.admission import demand_of
    from gascl.delivery.assembly import assemble
    from gascl.delivery.atomics import Atomics
    from gascl.delivery.table import choose

    cls = type(program)
    header = generate(
        cls.spec,
        real=program.dtype,
        choices=program.choices(),
        lanes=program.lanes,
    )
    demand = demand_of(program, Atomics(int64=True, int64_extended=True), True, False)
    return assemble(header, demand.facts, choose(program, demand, delivery))[0]
