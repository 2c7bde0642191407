"""The vertex field of a program that a command prints or draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gascl.cli.find_program import suggestion
from gascl.errors import ProgramError

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram


def check_field(cls: type[VertexProgram], name: str) -> None:
    """Raise ProgramError if the program has no such vertex field."""
    if name not in cls.spec.vertex_fields:
        hint = suggestion(name, cls.spec.vertex_fields)
        raise ProgramError(f"{cls.__name__} has no vertex field {name!r}{hint}")


def shown_field(
    program: VertexProgram, wanted: str | None = None, levels: bool = False
) -> str | None:
    """The vertex field that was asked for, or else the first scalar one; None if there is none.

    The first one is one that apply writes, or else init: other fields are more likely input.

    Args:
        levels: whether it may also be one with several numbers of groups per vertex.

    Raises:
        ProgramError: the program has no such field, or it is no scalar.
    """
    from gascl.results.result import LEVELS

    if wanted is None:
        return program.spec.first_scalar(program.dtype)
    check_field(type(program), wanted)
    type_ = program.spec.vertex_fields[wanted].resolve(program.dtype)
    if type_.members or (type_.width > 1 and not (levels and wanted in LEVELS)):
        raise ProgramError(f"--field {wanted}: vectors and structs have no order; use --output")
    return wanted


def check_one_run(program: VertexProgram, shows: str) -> None:
    """Raise ProgramError if lists of values make the program several runs.

    Args:
        shows: what shows only one of them.
    """
    if program.lanes > 1:
        raise ProgramError(
            f"{shows} shows one run, and {type(program).__name__} would make {program.lanes}: give "
            "one value of each parameter"
        )
