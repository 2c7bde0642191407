"""Functions of `Graph` that higher packages implement: readers, writers, adapters and datasets.

`gascl/__init__.py` registers where they are, so that this package imports none of them. Each is
loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}


def provide(**places: str) -> None:
    """Register functions: name="module:function"."""
    _PLACES.update(places)


def provided(name: str) -> Callable[..., Any]:
    """The function that was provided under this name.

    Raises:
        LookupError: no function was.
    """
    if name not in _PLACES:
        names = ", ".join(sorted(_PLACES)) or "nothing"
        raise LookupError(
            f"Graph needs a function {name!r} from outside gascl.graph, and none was provided "
            f"(provided: {names}); `import gascl` provides those of gascl, others are set with "
            f"gascl.graph.provided.provide({name}='module:function')"
        )
    module, _, function = _PLACES[name].partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), function)
    return loaded
