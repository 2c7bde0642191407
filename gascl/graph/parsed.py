"""What every reader gives, and what a format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.graph.arcs import Arcs

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


@dataclass(frozen=True)
class Parsed:
    """The edges of a graph as found, before checks and policies."""

    src: np.ndarray  # (E,) integers
    dst: np.ndarray  # (E,) integers
    num_vertices: int
    directed: bool
    labels: np.ndarray | None = None  # (V,)
    fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (E,)
    report: list[str] = field(default_factory=list)  # in words
    vertex_fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (V,)
    arcs: Mapping[str, Arcs] = field(default_factory=dict)  # where the file holds them built


@dataclass(frozen=True)
class Format:
    """A file format: its name, how a file of it is known, its reader and its writer.

    Attributes:
        extensions: in lower case, with the dot, without that of packing (.gz and so on).
        recognizes: whether a file that begins so (its first KiB) is certainly of the format.
        read: (path, directed or None for the format's own, **options) -> Parsed.
        write: (path, graph) -> None; raises FormatError, before anything is written, for a graph
            that the format can't hold. None: nothing writes it.
        packs: files of it may be packed; else it packs itself.
    """

    name: str
    extensions: tuple[str, ...]
    recognizes: Callable[[bytes], bool]
    read: Callable[..., Parsed]
    write: Callable[[Path, Graph], None] | None = None
    packs: bool = True
