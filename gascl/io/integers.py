"""Whole numbers in text, fast: blocks of whole lines, and NumPy over each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from gascl.graph.labels import INTEGER
from gascl.io.files import UTF16

BLOCK = 1 << 20  # bytes: what the arrays of a block need stays in the cache
BOM = b"\xef\xbb\xbf"
INT64 = np.iinfo(np.int64)


def blocks(file: BinaryIO, size: int = BLOCK) -> Iterator[tuple[int, bytes]]:
    """The file in blocks of whole lines, each with the number of its first line.

    Every block ends in a line end; the last line is given one where it has none.
    """
    number, kept = 1, [b""]
    if (begin := file.read(len(BOM))) != BOM:
        if begin.startswith(UTF16):
            begin[:2].decode()  # which says so
        kept = [begin]
    while data := file.read(size):
        end = data.rfind(b"\n") + 1
        if not end:
            kept.append(data)
            continue
        block = b"".join([*kept, data[:end]])
        kept = [data[end:]]
        yield number, block
        number += block.count(b"\n")
    if rest := b"".join(kept):
        yield number, rest + b"\n"


def integers(block: bytes) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers in lines that hold nothing but integers, parted by blanks and tabs.

    Returns:
        values, int64 (N,), and how many each line has, int64 (lines,); None where anything else
        is in the block, or an integer that does not fit.
    """
    if block.translate(None, b"0123456789- \t\r\n"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            values = np.fromstring(block, dtype=np.int64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    text = np.frombuffer(block, dtype=np.uint8)
    blank = text <= ord(" ")
    begins = ~blank
    begins[1:] &= blank[:-1]
    places = np.flatnonzero(begins)
    # NumPy takes 1-2 for two numbers and - 1 for one, and gives the nearest to what does not fit.
    if len(values) != len(places):
        return None
    if len(values) and (values.min() == INT64.min or values.max() == INT64.max):
        return None
    minus = np.flatnonzero(text == ord("-"))
    if len(minus) and not (begins[minus].all() and not blank[minus + 1].any()):
        return None
    ends = np.searchsorted(places, np.flatnonzero(text == ord("\n")))
    return values, np.diff(ends, prepend=0)


def integer(text: str) -> int | None:
    """The integer of 64 bits that `text` is; None where it is none."""
    if not INTEGER.fullmatch(text):
        return None
    value = int(text) if len(text) < 1000 else INT64.max + 1  # int() refuses very long ones
    return value if INT64.min <= value <= INT64.max else None


def shown(line: bytes) -> str:
    """A line for an error: as text in quotes, cut where it is long."""
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= 80 else text[:77] + "...")
