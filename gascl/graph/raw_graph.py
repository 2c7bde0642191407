"""A graph as a reader or an adapter returns it, from which `Graph` is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gascl.graph.arcs import Arcs
from gascl.graph.csr_ends import CsrEnds
from gascl.graph.field_types import FieldType
from gascl.graph.reordering import Numbering


@dataclass(frozen=True)
class RawGraph:
    """The edges of a graph as they were read, before checks and policies are applied."""

    src: np.ndarray | CsrEnds  # (E,) integers
    dst: np.ndarray | CsrEnds  # (E,) integers
    num_vertices: int | None  # None: by the labels, or the highest id
    directed: bool
    labels: np.ndarray | None = None  # (V,)
    fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (E,)
    report: list[str] = field(default_factory=list)  # for the user, a sentence each
    vertex_fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (V,)
    arcs: Mapping[str, Arcs] = field(default_factory=dict)  # those that the file contains
    numbered: Mapping[str, tuple[Numbering, Arcs]] = field(default_factory=dict)  # the same
    fingerprint: str | None = None  # `Graph.fingerprint`, if the file contains it
    edge_types: Mapping[str, FieldType] = field(default_factory=dict)  # of those not just numbers
    vertex_types: Mapping[str, FieldType] = field(default_factory=dict)
    in_range: bool = False  # the reader has found all ids of edges in [0, num_vertices)
    checked: bool = False  # gascl wrote the file, and nothing in it needs a check or a copy
