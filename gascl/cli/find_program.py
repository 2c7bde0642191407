"""Finds the program class that a command line names: a bundled one, or one in a user's file."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli.initial_values import initial_values
from gascl.errors import GasclError, Place, ProgramError

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram


def program_class(text: str) -> type[VertexProgram]:
    """The class that PROGRAM names.

    Raises:
        ProgramError: there is no such class, or its file has an error.
    """
    from gascl.language.program import VertexProgram

    file, colon, name = text.rpartition(":")
    if not colon and text.endswith(".py"):
        file, name = text, ""
    if file:
        path = Path(file)
        if not path.is_file():
            raise ProgramError(f"{file}: there is no such file; check the path")
        classes = vars(load(path.resolve()))
        names = [
            n
            for n, c in classes.items()
            if isinstance(c, type) and issubclass(c, VertexProgram) and c is not VertexProgram
        ]
        problem = f"{file} has no vertex program {name!r}"
        problem = problem if name else f"give the class, too: {file}:Class"
    else:
        import gascl.programs

        names = gascl.programs.__all__
        classes = {name: getattr(gascl.programs, name)} if name in names else {}
        problem = f"there is no bundled program {name!r}"
    if name in names:
        program: type[VertexProgram] = classes[name]
        return program
    if file:
        raise ProgramError(f"{problem}{suggestion(name, names)}")
    near = get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    own = "a program of your own is given as my_program.py:Class"
    raise ProgramError(f"{problem}; {hint}`gascl programs` lists them, and {own}")


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the most similar name, and all known ones."""
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"{hint} Known: {', '.join(known) or 'none'}"


def load(path: Path) -> Any:
    """The module in a user's file.

    Raises:
        ProgramError: it has an error; the message begins with the file and the line.
    """
    import importlib.util

    name = module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ProgramError(f"{path}: the name of a program's file must end in .py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.append(str(path.parent))  # to find modules next to it, after all others
    try:
        spec.loader.exec_module(module)
    except GasclError as error:
        place = _place_in(path, error)
        if place is None or error.place is not None:
            raise
        raise ProgramError(error.message, place=place) from None
    except SyntaxError as error:
        file, line = error.filename or str(path), error.lineno or 0
        place = Place(f"{file}:{line}", error.text or "", file, line)
        raise ProgramError(error.msg, place=place) from None
    except Exception as error:
        place = _place_in(path, error) or Place(str(path), file=str(path))
        raise ProgramError(f"{type(error).__name__}: {error}", place=place) from None
    return module


def module_name(path: Path) -> str:
    """The name in `sys.modules` of a user's file, which has a prefix, so that a random.py hides no
    other module."""
    return f"program_{path.stem}"


def _place_in(path: Path, error: BaseException) -> Place | None:
    """The innermost line of the file in the traceback of an error."""
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(path)
    ]
    if not lines:
        return None
    return Place.at(str(path), lines[-1])


def example(cls: type[VertexProgram], values: dict[str, str]) -> VertexProgram:
    """`construct` for commands that only read what the class declares: required parameters that are
    not given get any value."""
    from gascl.language.placeholder import any_values

    try:
        return construct(cls, values)
    except ProgramError:
        return construct(cls, values, any_values(cls))


def construct(
    cls: type[VertexProgram], values: dict[str, str], others: dict[str, Any] | None = None
) -> VertexProgram:
    """The program with these parameters and initial values of vertex fields, given as text.

    Args:
        others: values of other parameters.

    Raises:
        ProgramError: one is wrong.
        GasclError: a file cannot be read.
    """
    given: dict[str, Any] = {**(others or {})} | {
        name: initial_values(cls, name, text)
        if name in cls.spec.vertex_fields
        else _value(cls, name, text)
        for name, text in values.items()
    }
    try:
        return cls(**given)
    except TypeError as error:  # an invalid dtype, or the user's own __init__
        raise ProgramError(f"{cls.__name__}: {error}") from None


def _value(cls: type[VertexProgram], name: str, text: str) -> Any:
    """The value that a text stands for: unless it may be a label or a word of a choice, `none`, in
    upper or lower case, is None, and commas separate the values of several runs. An array is in a
    file."""
    from gascl.language.fields import ArrayParam, ChoiceParam, VertexParam, VerticesParam

    param = cls.spec.params.get(name)
    if isinstance(param, ArrayParam) and text.startswith("@"):
        return _array(name, text[1:])
    if isinstance(param, VertexParam | ChoiceParam):
        return text
    if text.lower() == "none":
        return None
    several = param is not None and not isinstance(param, VerticesParam) and "," in text
    return text.split(",") if several else text


def _array(name: str, file: str) -> Any:
    """The array in a file of NumPy's format."""
    import numpy as np

    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else f"{error}"
        raise GasclError(
            f"--set {name}=@{file}: {why}; give a file of NumPy's format, by numpy.save"
        ) from None
