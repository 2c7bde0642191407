"""What `Graph` offers and packages above this one do: readers, writers, adapters and datasets.

`gascl/__init__.py` names their functions, so that this package imports none of them, and each is
loaded when it is first used.
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
    """The function that was provided under that name."""
    module, _, function = _PLACES[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
