"""Options that name a vertex program, its parameters and its delivery."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def options(add: Callable[..., Any]) -> None:
    """Add PROGRAM, --set and --delivery."""
    text = "a bundled program's name (a wrong one lists them), or my_program.py:Class"
    add("program", metavar="PROGRAM", help=text)
    text = "a parameter of the program, or dtype=float64; repeatable. A vertex is given by its"
    text += " label; of several, sources=8 draws 8, sources=0,33 names two, and sources=5, one"
    add("--set", metavar="NAME=VALUE", type=named_text, action="append", default=[], help=text)
    text = "how messages travel: auto (the default), slots, pull, outbox, push, edges or serial"
    add("--delivery", metavar="NAME", default="auto", help=text)


def named_text(text: str) -> tuple[str, str]:
    """NAME=VALUE in its two parts; an argparse type."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value
