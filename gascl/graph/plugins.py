"""What `Graph` offers and packages above this one do: readers, writers, adapters and datasets.

`gascl/__init__.py` says where their functions are, so that this package imports none of them, and
each is loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}


def provide(**places: str) -> None:
    """Say where functions are: name="module:function"."""
    _PLACES.update(places)


def outside(name: str) -> Callable[..., Any]:
    """The function that was provided under this name.

    Raises:
        LookupError: none was provided.
    """
    if name not in _PLACES:
        known = ", ".join(sorted(_PLACES)) or "nothing"
        raise LookupError(
            f"Graph needs a function {name!r} from outside gascl.graph, and none was provided "
            f"(provided: {known}); `import gascl` provides those of gascl, others are set with "
            f"gascl.graph.plugins.provide({name}='module:function')"
        )
    module, _, function = _PLACES[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
