"""`OwnRows`: the values that one of several ranks has of its own vertices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gascl.errors import FieldError, GasclError
from gascl.graph.lazy import NamedFields


@dataclass(frozen=True, eq=False)
class OwnRows(Mapping[str, np.ndarray]):
    """The fields of the vertices of one rank, (own,) or (own, lanes) and so on, by name. Each
    vertex belongs to one rank.

    Args:
        numbers: `vertices`, which may be made when it is read.

    Attributes:
        rank, size: the number of this rank, and how many there are.
        ranks: the ranks, which write files together; None after pickling.
    """

    numbers: np.ndarray = field(repr=False)
    fields: Mapping[str, np.ndarray] = field(repr=False)
    rank: int
    size: int
    ranks: Any = field(repr=False)

    @property
    def vertices(self) -> np.ndarray:
        """int (own,): these vertices, in ascending order."""
        return np.asarray(self.numbers)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.fields:
            raise FieldError(f"there is no field {name!r}. Available fields: {', '.join(self)}")
        return self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return OwnRows, (self.vertices, dict(self.fields), self.rank, self.size, None)


class SlicedFields(NamedFields):
    """Fields of a range of vertices, from those of all."""

    def __init__(self, fields: Mapping[str, np.ndarray], vertices: slice):
        self._names = self._fields = fields
        self._vertices = vertices

    def __getitem__(self, name: str) -> np.ndarray:
        return self._fields[name][self._vertices]


class RemoteFields(NamedFields):
    """The names of fields that each rank has of its own vertices alone, or of its own arcs; reading
    one is an error."""

    def __init__(self, names: list[str], arcs: bool = False):
        self._names, self._arcs = names, arcs

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(name)
        if self._arcs:
            raise GasclError(
                f"each rank has {name!r} of its own arcs alone, since the graph was read with "
                "comm= and the run had collect=False: leave collect=False out"
            )
        raise GasclError(
            f"each rank has {name!r} of its own vertices alone, as result.own_rows[{name!r}], "
            "since the run had collect=False: use these, write all with result.to_parquet(folder), "
            "or, if the graph is stored, leave collect=False out"
        )
