"""The options that name a vertex program and its parameters, and say how it runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gascl.cli.formatting import num_bytes


def options(add: Callable[..., Any]) -> None:
    """Add PROGRAM, --set and --delivery."""
    program(add)
    set_option(add)
    text = "how messages travel: auto (the default) or a delivery's name (a wrong one lists them)"
    add("--delivery", metavar="NAME", default="auto", help=text)


def program(add: Callable[..., Any]) -> None:
    """Add PROGRAM."""
    text = "a program that `gascl programs` lists, or my_program.py:Class"
    add("program", metavar="PROGRAM", help=text)


def max_supersteps(add: Callable[..., Any]) -> None:
    """Add --max-supersteps."""
    text = "stop after N supersteps at the latest (default 100000, or what the program asks for)"
    add("--max-supersteps", metavar="N", type=whole_number, help=text)


def whole_number(text: str) -> int:
    """A whole number, 0 or more; an argparse type."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, not {text!r}")
    return int(text)


def set_option(add: Callable[..., Any]) -> None:
    """Add --set."""
    text = "set a parameter of the program, or dtype=float64; repeatable. Vertices are given by"
    text += " label: source=5. For sources, sources=8 draws 8 vertices, sources=0,33 names two,"
    text += " sources=5, names one, and labels with commas are a list in JSON:"
    text += """ 'sources=["Doe, J.", "Roe, R."]'. weight=none: every edge counts 1."""
    text += " Of other parameters, resolution=0.5,1,2 makes a run for each number."
    text += " Or set initial values of a vertex field: personalization=libc6:1,bash:2, or"
    text += " personalization=@ranks.csv, a table with the labels in its first column"
    add("--set", metavar="NAME=VALUE", type=named_text, action="append", default=[], help=text)


def device(add: Callable[..., Any]) -> None:
    """Add --device."""
    add("--device", metavar="D", help="an index into `gascl devices`, or part of a name")


def engine_options(add: Callable[..., Any], memory: str, debug: str) -> None:
    """Add the options of an engine; `memory` is the end of the help text of --device-memory, and
    `debug` that of --debug."""
    device(add)
    text = f"the most memory of the device to take, {memory}"
    add("--device-memory", metavar="SIZE", type=num_bytes, help=text)
    text = "allow deliveries that add floats in a different order each time"
    add("--nondeterministic", action="store_true", help=text)
    add("--debug", action="store_true", help=debug)


def named_text(text: str) -> tuple[str, str]:
    """The two parts of NAME=VALUE; an argparse type."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value
