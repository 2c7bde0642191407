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
_DECLARATION = re.compile(r"^(\w[^(\n]* (\w+)\([^;]*;)", re.MULTILINE)
_WORD = re.compile(r"[a-z]\w*")
#: Half precision, of which PoCL only has pointers to numbers.
_HALF = re.compile(r"\bhalf(\d|\b(?! *\*))")


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
    base, lines = _headers(folder)
    words = sorted(lines.keys() & {*_WORD.findall(text)})
    named = [line for word in words for line in lines[word] if not _HALF.search(line)]
    return "\n".join([base, _BEFORE, *named, _AFTER]) + text, [OPTION]


@cache
def _folder() -> Path | None:
    """The folder of PoCL's headers."""
    found = find_spec("pocl_binary_distribution")
    for place in (found and found.submodule_search_locations) or ():
        folder = Path(place, ".libs", "share", "pocl", "include")
        if (folder / "opencl-c.h").is_file():
            return folder
    return None


@cache
def _headers(folder: Path) -> tuple[str, Mapping[str, Sequence[str]]]:
    """The header with types and constants, and the declarations of each renamed function."""
    base, functions, renames = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("opencl-c-base.h", "opencl-c.h", "_builtin_renames.h")
    )
    lines: dict[str, list[str]] = {name: [] for name in _RENAMED.findall(renames)}
    for line, name in _DECLARATION.findall(functions):
        if name in lines:
            lines[name].append(line)
    return base, lines
