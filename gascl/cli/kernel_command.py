"""`gascl kernel`: prints the OpenCL C that is generated for a program."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gascl.cli import program_options
from gascl.cli.exit_code import DONE

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram

ABOUT = "print the OpenCL C that is generated for a program"
HELP = """\
examples:
  gascl kernel PageRank --set dangling=ignore
  gascl kernel ShortestPaths --form gpu-persistent
  gascl kernel my_program.py:MyProgram --delivery slots > my_program.cl"""
#: The forms of the kernels, and the number of items in a work-group.
FORMS = {"cpu": 1, "cpu-persistent": 1, "gpu": 256, "gpu-persistent": 256}


def options(add: Callable[..., Any]) -> None:
    program_options.options(add)
    text = "the form of the kernels: for a CPU (cpu, the default) or a GPU, as launches for each"
    text += " superstep or, where the delivery has one, as a persistent kernel, which runs them all"
    add("--form", choices=FORMS, default="cpu", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print the source; no device is needed."""
    from gascl.cli.find_program import example, program_class
    from gascl.errors import ProgramError
    from gascl.language.placeholder import example_of
    from gascl.language.stage_discovery import inner_programs

    cls = program_class(arguments.program)
    program = example(cls, dict(arguments.set))  # refuses wrong parameters
    if cls.solve is None:
        print(_source(program, arguments.delivery, arguments.form), end="")
        return DONE
    parts = inner_programs(cls)
    if not parts:
        raise ProgramError(
            f"the code of {cls.__name__} names no program that it runs: give `gascl kernel` the "
            f"one that you want to see, such as {_others(cls, arguments.program)}"
        )
    for part in parts:
        print(f"// {part.__name__}, which {cls.__name__} runs")
        shown = example_of(part, program.dtype)
        print(_source(shown, arguments.delivery, arguments.form), end="")
    return DONE


def _others(cls: type[VertexProgram], given: str) -> str:
    """The programs without `solve` that there are in the file of a class, as they are given to
    `gascl kernel`; or a bundled one, if there are none."""
    from gascl.language.program import VertexProgram

    there = vars(sys.modules[cls.__module__]).items()
    names = [
        name
        for name, other in there
        if isinstance(other, type) and issubclass(other, VertexProgram) and other.spec.snippets
    ]
    file = given.rpartition(":")[0]
    return " or ".join(f"{file}:{name}" if file else name for name in names) or "PageRank"


def _source(program: VertexProgram, delivery: str, form: str) -> str:
    from dataclasses import replace

    from gascl.codegen.generate import generate
    from gascl.delivery.admission import demand_of
    from gascl.delivery.assembly import assemble
    from gascl.delivery.atomics import Atomics
    from gascl.delivery.registry import choose, form_of
    from gascl.language.reductions import reductions

    spec, group = type(program).spec, FORMS[form]
    persists = form.endswith("-persistent")
    together = "" if persists else f"form {form!r} cannot run it"
    atomics = Atomics(int64=True, int64_extended=True)
    demand = demand_of(program, atomics, True, False, together, group=group)
    chosen = form_of(choose(program, demand, delivery).delivery, group)
    persistent = persists and not chosen.refuses_persistent(demand.traits)
    why_not = chosen.shares_no_loops(demand.traits, group)
    shares = not (persistent or why_not) and bool(reductions(spec, program.dtype))
    header = generate(
        spec,
        real=program.dtype,
        choices=program.choices(),
        lanes=program.lanes,
        shares=shares,
        reorders=chosen.active.lists_receivers,
    )
    traits = replace(demand.traits, shares=shares)
    return assemble(header, traits, chosen, group, persistent)[0]
