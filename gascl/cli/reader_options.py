"""--option NAME=VALUE: turns the text of a value into a Python value."""

from __future__ import annotations

import argparse
import re
from typing import Any

WORDS = {"true": True, "false": False, "none": None}
INTEGER = re.compile(r"[+-]?[0-9]+")
FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)


def reader_option(text: str) -> tuple[str, Any]:
    """NAME=VALUE as (name, value); an argparse type.

    `true`, `false` and `none` (upper or lower case) become True, False and None, numbers become
    numbers, and values separated by commas become a list (a single value followed by a comma, too).
    Everything else is text, and so is anything in quotes, which are removed.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, _value(value)


def _value(text: str) -> Any:
    parts = text.removesuffix(",").split(",")
    if "," in text and all(parts) and not _quoted_whole(text):
        return [_single(part) for part in parts]
    return _single(text)


def _quoted_whole(text: str) -> bool:
    match = QUOTED.fullmatch(text)
    return match is not None and match[1] not in match[2]


def _single(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INTEGER.fullmatch(text):
        return int(text)
    if FLOAT.fullmatch(text):
        return float(text)
    quoted = QUOTED.fullmatch(text)
    return quoted[2] if quoted else text
