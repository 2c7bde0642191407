"""Makes the PoCL from pip declare only the built-in functions that a program uses.

PoCL makes clang read a header of a MiB, with every built-in function of OpenCL, twice for each
program: that takes most of the time of a short one. Clang can declare the functions by itself when
they are first used. But PoCL renames most of them (`#define sqrt _cl_sqrt`), which clang does not
know, so the declarations of those that a program names are copied from the header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from gascl.opencl.workarounds.pocl import VERSION

#: Clang declares the functions, and PoCL's header, of which this is the guard, is skipped. PoCL
#: refuses the option, but splits options at spaces only, and clang at any white space.
OPTION = "-D_OPENCL_H_\t-fdeclare-opencl-builtins"
#: The header's macros in declarations, and what PoCL sets after it.
_BEFORE = """
#define __ovld __attribute__((overloadable))
#define __conv __attribute__((convergent))
#define __purefn __attribute__((pure))
#define __cnfn __attribute__((const))
"""
_AFTER = """\
#undef FP_ILOGBNAN
#define FP_ILOGBNAN INT_MIN
#line 1
"""
_RENAMED = re.compile(r"^#define +(\w+) +_cl_", re.MULTILINE)
#: A directive of a condition, which may go on in the next line, or a declaration and its name.
_PART = re.compile(
    r"^(#(if|else|elif|endif)(?:.*\\\n)*.*)|^(\w[^(\n]* (\w+)\([^;]*;)", re.MULTILINE
)
_WORD = re.compile(r"\w+")
#: The beginning of names that a macro completes, as in `atomic_##operation`, and whether with more
#: than one word.
_BEGINNING = re.compile(r"([a-z]\w*) *## *\w+( *##)?")


def declared(device: Any, text: str) -> tuple[str, list[str]]:
    """A program's text with declarations of the built-in functions that it names, and the options
    with which it is built. Its lines keep their numbers.

    Args:
        device: a pyopencl device; for other versions of PoCL and other platforms, the text is
            returned as it is, without options.
    """
    folder = _folder() if VERSION in device.platform.version else None
    if folder is None:
        return text, []
    base, declarations = _headers(folder)
    words, names = {*_WORD.findall(text)}, set()
    for beginning, more in {*_BEGINNING.findall(text)}:
        begun = {name for name in declarations if name.startswith(beginning)}
        names |= begun if more else begun & {beginning + word for word in words}
    named = [lines for name, lines in declarations.items() if name in names | words]
    return "\n".join([base, _BEFORE, *chain.from_iterable(named), _AFTER]) + text, [OPTION]


@cache
def _folder() -> Path | None:
    """The folder of PoCL's headers."""
    package = find_spec("pocl_binary_distribution")
    for place in (package and package.submodule_search_locations) or ():
        folder = Path(place, ".libs", "share", "pocl", "include")
        if (folder / "opencl-c.h").is_file():
            return folder
    return None


@cache
def _headers(folder: Path) -> tuple[str, Mapping[str, Sequence[str]]]:
    """The header with types and constants, and the declarations of each renamed function, between
    the conditions on which they hold."""
    base, functions, renames = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("opencl-c-base.h", "opencl-c.h", "_builtin_renames.h")
    )
    found: dict[str, list[str]] = {name: [] for name in _RENAMED.findall(renames)}
    conditions: list[str] = []  # the first one is the header's own guard
    for directive, kind, declaration, name in _PART.findall(functions):
        if name in found:
            holds = conditions[1:]
            found[name] += [*holds, declaration, *["#endif"] * len(holds)]
        elif kind == "if":
            conditions.append(directive)
        elif kind == "endif":
            conditions.pop()
        elif kind:
            conditions[-1] += f"\n{directive}"
    return base, found
