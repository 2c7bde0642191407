"""The bundled vertex programs. `__init__.pyi` lists them, a line each.

A program's file contains the stages that it consists of. Several programs share
`multi_source_search.py`, a breadth-first search from many sources; `local_moving.py`, vertices that
move between communities; `search_accumulators.py`, sums over distances along weights;
`pair_join.py`, the pairs of vertices that edges join; `source_params.py`, the parameters that name
sources; and `validation.py`, which checks values. `particle_clusters.py` is the part of
ParticleCommunities that runs on the host. `link_prediction.py` and `random_walks.py` have functions
instead of programs: their results are of pairs of vertices and of walks.
"""

import ast
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any


def _modules() -> dict[str, str]:
    """Name of a program -> its module, by the imports in __init__.pyi. They are not imported here:
    some need SciPy, which takes long to load."""
    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    imports = [line for line in ast.parse(stub).body if isinstance(line, ast.ImportFrom)]
    return {each.name: str(line.module) for line in imports for each in line.names}


_HOME = _modules()
__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        near = get_close_matches(name, _HOME, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'gascl.programs' has no attribute {name!r}{hint}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
