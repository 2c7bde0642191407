"""A graph as a plain list of edges, and its arcs, derived from that list once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PlainGraph:
    num_vertices: int
    edges: tuple[tuple[int, int], ...]
    directed: bool = True
    fields: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __str__(self) -> str:
        edges = self.edges if len(self.edges) < 40 else f"{self.edges[:3]} ... {self.edges[-3:]}"
        kind = "directed" if self.directed else "undirected"
        some = {name: list(values[:40]) for name, values in self.fields.items()}
        return f"{kind}, {self.num_vertices} vertices, {len(self.edges)} edges {edges}, {some}"

    def arcs(self, along: str) -> list[tuple[int, int, int, int]]:
        """(scattering vertex, other end, edge id, reversed) of every arc, in that order."""
        arcs = []
        for i, (a, b) in enumerate(self.edges):
            forth, back = (a, b, i, 0), (b, a, i, 1)
            if not self.directed or along == "both":
                arcs += [forth] if a == b else [forth, back]
            else:
                arcs += [forth if along == "out" else back]
        return sorted(arcs)
