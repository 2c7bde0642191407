"""`gascl kernel`: the source that is built for a program."""

from __future__ import annotations

import argparse

from gascl.commands import programoption
from gascl.commands.exitcode import DONE

ABOUT = "print the OpenCL C that is built for a program"
HELP = """\
examples:
  gascl kernel PageRank --set dangling=ignore
  gascl kernel my_program.py:MyProgram --delivery slots > my_program.cl"""

options = programoption.options


def run(arguments: argparse.Namespace) -> int:
    """Print the source; needs no device."""
    from gascl.atomics import Atomics
    from gascl.codegen import generate
    from gascl.deliveries import choose, demand_of
    from gascl.fields import REQUIRED
    from gascl.plan import assemble
    from gascl.programfile import constructed, program_class

    cls = program_class(arguments.program)
    # Only choices and dtype show in the source: any value does for what must be given.
    values = {n: "0" for n, p in cls.params.items() if p.default is REQUIRED}
    program = constructed(cls, values | dict(arguments.set))
    header = generate(cls, real=program.dtype, choices=program.choices(), lanes=program.lanes)
    demand = demand_of(program, Atomics(int64=True, int64_extended=True), True, False)
    print(assemble(header, choose(program, demand, arguments.delivery)[0])[0], end="")
    return DONE
