"""A generated header: its text, and what the host must know to feed its kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gascl.language.source import Place
from gascl.language.types import Type


@dataclass(frozen=True)
class Header:
    """What was generated for a program.

    Attributes:
        text: OpenCL C.
        places: for each line of the text, the user's line it came from, or None.
        state: names of the arguments behind GASCL_STATE, in order.
        edge: names of the arguments behind GASCL_EDGE, in order: what snippets read of `e`.
        types: type of every vertex and arc field, and of the edge fields that are read.
        message, gathered: type of a message, and of what a gather snippet makes of them.
        accumulator: type in which messages are combined.
        box, run, tally, control: layout of the structs that host and device share.
        other: layout of what a pairs snippet reads of the vertex that gives.
        layouts: sizes and offsets of the user's structs, as the device must have them.
        lanes: how many runs at once.
    """

    text: str
    places: tuple[Place | None, ...]
    state: tuple[str, ...]
    edge: tuple[str, ...]
    types: dict[str, Type]
    message: Type
    gathered: Type
    accumulator: Type
    box: np.dtype
    run: np.dtype
    tally: np.dtype
    control: np.dtype
    other: np.dtype
    layouts: tuple[int, ...]
    lanes: int
