"""Functions that are given local memory are inlined: PoCL needs it (GASCL_INLINE in runtime.cl)."""

from __future__ import annotations

import re

from support.oclgrind import KERNELS

FUNCTION = re.compile(
    r"^static ([^;{}()]*?)\b(\w+)\(([^{};]*)\) \{(.*?)^\}", re.DOTALL | re.MULTILINE
)
#: What has PoCL inline a function and all that call it.
SURE = re.compile(r"GASCL_INLINE|\bget_\w+\(0\)|\bbarrier\(|GASCL_FOR_(RANGE|WORDS)\b")


def functions() -> list[tuple[str, str, str]]:
    """(name, parameters, the whole text) of each in gascl/codegen/kernels/."""
    texts = [path.read_text() for path in sorted(KERNELS.rglob("*.cl"))]
    return [(m[2], m[3], m[0]) for text in texts for m in FUNCTION.finditer(text)]


def test_functions_that_are_given_local_memory_are_inlined():
    given = [(name, text) for name, parameters, text in functions() if "__local" in parameters]
    assert {"gascl_join", "gascl_tally_store", "gascl_gather"} <= {name for name, _ in given}
    left = [(name, text) for name, text in given if not SURE.search(text)]
    while True:
        sure = {name for name, _ in given} - {name for name, _ in left}
        still = [(n, text) for n, text in left if not sure & set(re.findall(r"(\w+)\(", text))]
        if len(still) == len(left):
            break
        left = still
    assert [name for name, _ in left] == []
