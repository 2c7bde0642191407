"""A generated header: its text, and what the host must know to call its kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gascl.errors import Place
from gascl.language.types import Type


@dataclass(frozen=True)
class Header:
    """A header that was generated for a program.

    Attributes:
        text: OpenCL C.
        places: for each line of the text, the user's line that it comes from, or None.
        state: the names of the arguments in GASCL_STATE, in order.
        edge: the names of the arguments in GASCL_EDGE, in order: what snippets read of `e`.
        types: the types of all vertex and arc fields, and of the edge fields that are read.
        message, gathered: the types of a message, and of `msg` in apply.
        stored: the type of what is stored of each message.
        accumulator: the type in which messages are combined.
        staged: the bytes of local memory for each arc of a block: a message, its mark and the start
            of a row; with groups, a code or slots of a table.
        outbox_entry: the type of what the outbox keeps of each vertex.
        packed: the bytes of the word that holds what apply writes of a vertex: 4 or 8; 0 if there
            is none.
        applied: the layout of what apply writes of a vertex.
        alone: the field that makes up that word by itself; "" if there is none.
        box, run, tally, control, outcome: the layouts of structs that host and device share.
        tables: the layout of the array parameters; without members if there are none.
        other: the layout of what a pairs snippet reads of the sender `u`.
        node: that of a group of senders, where there are places (`pairs_at`).
        axes: the number of their dimensions, 1 to 3; 0 without places.
        lanes: the number of runs at once.
        reals: the vertex fields whose values, or components, are floats, in the order of
            GASCL_FOR_REALS.
    """

    text: str
    places: tuple[Place | None, ...]
    state: tuple[str, ...]
    edge: tuple[str, ...]
    types: dict[str, Type]
    message: Type
    stored: Type
    gathered: Type
    accumulator: Type
    staged: int
    outbox_entry: Type
    packed: int
    applied: np.dtype
    alone: str
    box: np.dtype
    run: np.dtype
    tables: np.dtype
    tally: np.dtype
    control: np.dtype
    outcome: np.dtype
    other: np.dtype
    node: np.dtype
    axes: int
    lanes: int
    reals: tuple[str, ...]
