"""`ResultFields`: the fields that a run has left on the device, each read on first use."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gascl.delivery.run_layout import ARC, VERTEX, Key, Owner
from gascl.distributed.ranks import Ranks
from gascl.graph.graph import Graph
from gascl.graph.lazy import LazyValues, NamedFields
from gascl.opencl import fork_guard
from gascl.results.own_rows import OwnRows, SlicedFields
from gascl.run.state import DeviceField, State


class ResultFields(NamedFields):
    """The fields of a State after its run. Threads may share it; a pickled one has been read.

    Args:
        owner: VERTEX, or ARC for arc fields.
        known: the fields whose values are on the host already.
        kept: the State is kept for another run. Otherwise a field that has been read takes no more
            memory of the device, and all are read when a run needs that memory and before a fork.
    """

    def __init__(
        self,
        state: State,
        owner: Owner = VERTEX,
        *,
        known: Mapping[str, np.ndarray] | None = None,
        kept: bool = False,
    ):
        self._state, self._owner, self._kept = state, owner, kept
        order = state.program.spec.result_order
        self._names = state.names(owner)
        if owner == VERTEX:  # those of earlier programs are the last
            self._names.sort(key=lambda name: order.get(name, len(order)))
        self._known = {name: known[name] for name in self._names if name in known} if known else {}
        self._read: dict[str, np.ndarray] = {}
        self._lock = threading.RLock()
        if not kept:
            if self._known:
                state.drop(self._known, owner)
            if self.nbytes:
                state.device.holds(self)

    def __getitem__(self, name: str) -> np.ndarray:
        values = self._read.get(name)
        if values is None:
            if name not in self._names:
                raise KeyError(name)
            if name not in self._known:
                fork_guard.check()  # in a forked child, the lock could stay locked
            with self._lock:
                if name not in self._read:
                    self._read[name] = self._field(name)
                values = self._read[name]
            if not self._kept:  # after it has been stored: Ctrl-C may come at any time
                self._state.drop([name], self._owner)
        return values

    def _field(self, name: str) -> np.ndarray:
        values = self._known.get(name)
        if values is not None:  # those of a graph are for reading alone
            return values if values.flags.writeable else values.copy()
        return self._state.field(name, self._owner)

    def __repr__(self) -> str:
        return f"<the fields {', '.join(self._names)}>"

    # As Results, these are equal only to themselves, and devices remember them.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    @property
    def nbytes(self) -> int:
        """The bytes of the device's memory that these fields take where the State is not kept."""
        total, sizes, buffers = 0, self._state.sizes, self._state.buffers
        for name in self._names:
            key = Key(self._owner, name)
            if key in buffers:
                total += sizes[key]
        return total

    def read(self) -> None:
        """Read all that is on the device alone."""
        for name in self._names:
            if name not in self._known:
                self[name]


def own_rows(
    ranks: Ranks | None,
    fields: Mapping[str, np.ndarray],
    graph: Graph,
    vertices: np.ndarray | None = None,
) -> OwnRows | None:
    """What `Result.own_rows` is; None: there is one process.

    Args:
        fields: those of `vertices`, which are this rank's own; None: of all, so that each rank
            takes an equal share.
    """
    if ranks is None:
        return None
    if vertices is None:
        first, last = (graph.num_vertices * n // ranks.size for n in (ranks.rank, ranks.rank + 1))
        vertices = np.arange(first, last)
        fields = SlicedFields(fields, slice(first, last))
    return OwnRows(vertices, fields, ranks.rank, ranks.size, ranks)


def solved_fields(
    fields: Iterable[dict[str, Any]], kept: State | None
) -> list[Mapping[str, np.ndarray]]:
    """The vertex and arc fields that `solve` returned, of which some may be read on first use.

    Args:
        kept: the State that is kept for another run. Of others, only these fields are needed.
    """
    both = [*fields]
    left = [each for one in both for each in one.values() if isinstance(each, DeviceField)]
    for state in {each.state for each in left if each.state is not kept}:
        needed = {each.key for each in left if each.state is state}
        for owner in (VERTEX, ARC):
            names = state.names(owner)
            state.drop([name for name in names if Key(owner, name) not in needed], owner)
    lazy = any(isinstance(each, LazyValues) for one in both for each in one.values())
    return [SolvedFields(one) if lazy else one for one in both]


class SolvedFields(NamedFields):
    """Arrays, and fields that are read on first use. Threads may share it.

    Args:
        fields: by name, an array or LazyValues, such as a DeviceField.
    """

    def __init__(self, fields: dict[str, Any]):
        self._names = self._fields = fields
        self._lock = threading.RLock()
        for device in {each.state.device for each in self._left()}:
            device.holds(self)

    def _left(self) -> list[DeviceField]:
        return [each for each in self._fields.values() if isinstance(each, DeviceField)]

    def __getitem__(self, name: str) -> np.ndarray:
        values = self._fields[name]
        if isinstance(values, LazyValues):
            if isinstance(values, DeviceField):
                fork_guard.check()
            with self._lock:
                self._fields[name] = values = np.asarray(self._fields[name])
        return values

    # As Results, these are equal only to themselves, and devices remember them.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def known(self) -> dict[str, np.ndarray]:
        """Those that are arrays."""
        fields = self._fields.items()
        return {name: values for name, values in fields if isinstance(values, np.ndarray)}

    @property
    def nbytes(self) -> int:
        """The bytes of the device's memory that the others take."""
        return sum(each.nbytes for each in self._left())

    def read(self) -> None:
        """Read all that is on the device."""
        for name, values in [*self._fields.items()]:
            if isinstance(values, DeviceField):
                self[name]
