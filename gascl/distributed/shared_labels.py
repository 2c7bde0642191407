"""`SharedLabels`: the labels of a graph, of which each rank has a part.

The labels are sorted, and a rank has a range of them. So each vertex has the number that it has
where one process reads all edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gascl.distributed.ranks import Ranks
from gascl.errors import GraphError
from gascl.graph.edge_pieces import AT_ONCE, check_alike
from gascl.graph.fingerprint import Canonical, canonical_integers, canonical_text
from gascl.graph.labels import LabelIndex, near_labels, unknown_label
from gascl.graph.parallel import blocks
from gascl.graph.partial_array import RemoteDataError

#: How many labels of each rank are compared to find ranges of about equal size.
SAMPLES = 256


def numbered_in_all(own: np.ndarray | None, ranks: Ranks) -> tuple[SharedLabels, np.ndarray]:
    """The labels of all ranks, and the vertex of each of this rank's, int32.

    Args:
        own: the labels that occur in this rank's edges, sorted, each once; None: there are none.

    Raises:
        GraphError: in all ranks: labels are text in some, and integers in others.
    """
    dtypes = [one for one in ranks.allgather(None if own is None else own.dtype) if one is not None]
    check_alike(dtypes)
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(np.int64)
    given = np.empty(0, dtype) if own is None else own.astype(dtype, copy=False)
    places = np.linspace(0, len(given) - 1, min(SAMPLES, len(given))).astype(np.int64)
    samples = np.sort(np.concatenate(ranks.allgather(given[places])))
    bounds = samples[len(samples) * np.arange(1, ranks.size) // ranks.size] if len(samples) else []
    cuts = np.array([0, *np.searchsorted(given, bounds), len(given)])
    counts = np.diff(cuts) if len(samples) else np.zeros(ranks.size, np.int64)
    coming = ranks.exchanged_counts(counts)
    asked = ranks.exchanged(given, counts, coming)
    labels = np.unique(asked)
    every = ranks.allgather_counts(len(labels))
    begin = int(every[: ranks.rank].sum())
    vertices = (np.searchsorted(labels, asked) + begin).astype(np.int32)
    number = ranks.exchanged(vertices, coming, counts)
    return SharedLabels(labels, every, ranks), number


class SharedLabels:
    """The labels of all vertices, in the place of an array of them.

    Where all ranks do the same, in the block `together`, any of them can be read, since the ranks
    ask each other. Elsewhere, those that `gather` or `keep` has fetched can.

    Args:
        own: this rank's labels.
        counts: int64 (ranks,), how many each rank has.
    """

    ndim = 1

    def __init__(self, own: np.ndarray, counts: np.ndarray, ranks: Ranks):
        self.own, self._counts, self._ranks = own, counts, ranks
        self._ends = np.cumsum(counts)
        self.begin = int(self._ends[ranks.rank]) - len(own)
        self.dtype, self.shape = own.dtype, (int(self._ends[-1]),)
        self.size = self.shape[0]
        self._together = False
        self._whole: np.ndarray | None = None
        self._kept = np.empty(0, np.int64), own[:0]

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @contextmanager
    def together(self, together: bool = True) -> Iterator[None]:
        """A block in which all ranks look up labels at the same places of the program; with False,
        one in which each rank has only the labels that it has fetched."""
        before, self._together = self._together, together
        try:
            yield
        finally:
            self._together = before

    def __getattr__(self, name: str) -> Any:
        """What else an array has, of all labels."""
        if name.startswith("_"):  # probed by Python and NumPy on any object
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    @property
    def whole(self) -> np.ndarray | None:
        """All labels, if this process has them."""
        return self._whole

    def gather(self) -> np.ndarray:
        """All labels, from now on in every rank; all must call this."""
        if self._whole is None:
            with self._ranks.ends_all():
                rows = self._ranks.allgather_rows(self.own.reshape(-1, 1), self._counts)
            self._whole = rows.reshape(-1)
            self._whole.setflags(write=False)
        return self._whole

    def keep(self, vertices: np.ndarray) -> None:
        """Fetch the labels of some vertices, in ascending order; all ranks must call this."""
        if self._whole is None:
            self._kept = vertices, self._fetched(vertices)

    def __getitem__(self, index: Any) -> Any:
        if self._whole is not None:
            return self._whole[index]
        if isinstance(index, slice):
            index = np.arange(*index.indices(self.size))
        vertices = np.asarray(index)
        if vertices.dtype == bool:
            vertices = np.flatnonzero(vertices)
        found = self._fetched(vertices) if self._together else self._of_kept(vertices)
        return found if vertices.ndim else found[()]

    def take(self, vertices: np.ndarray) -> np.ndarray:
        found: np.ndarray = self[vertices]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._whole is None and not self._together:
            raise _remote()
        return np.array(self.gather(), dtype)

    def __reduce__(self) -> tuple[Any, ...]:  # a copy is an array
        return np.asarray, (np.asarray(self),)

    def _of_kept(self, vertices: np.ndarray) -> np.ndarray:
        kept, labels = self._kept
        places = np.searchsorted(kept, vertices)
        there = np.append(kept, -1)[places] == vertices
        if not np.all(there):
            raise _remote()
        found: np.ndarray = np.asarray(labels[places])
        return found

    def _fetched(self, vertices: np.ndarray) -> np.ndarray:
        """The labels of some vertices, from the ranks that have them."""
        ranks = self._ranks
        with ranks.ends_all():
            asked = vertices.reshape(-1).astype(np.int32)
            owner = np.searchsorted(self._ends, asked, "right")
            owner = owner.astype(np.min_scalar_type(ranks.size))
            order = np.argsort(owner, kind="stable")
            counts = np.bincount(owner, minlength=ranks.size)
            coming = ranks.exchanged_counts(counts)
            wanted = ranks.exchanged(asked[order], counts, coming)
            labels = ranks.exchanged(self.own.take(wanted - self.begin), coming, counts)
            found = np.empty(len(asked), self.dtype)
            found[order] = labels
        return found.reshape(vertices.shape)

    def places(self, find: Callable[[], np.ndarray]) -> np.ndarray:
        """The elementwise maximum over all ranks of the places among the rank's own labels that
        each finds, -1 where there is none, as vertices; all must call this."""
        if not self._together:
            raise _remote()
        with self._ranks.ends_all():
            own = find()
            found = np.where(own < 0, np.int64(-1), own.astype(np.int64) + self.begin)
            self._ranks.allreduce(found, self._ranks.MAX)
        return found

    def canonical(self) -> Canonical:
        """All labels as `fingerprint` takes them, in the first rank; all must read them, in a block
        of `ends_all`."""
        own, ranks = self.own, self._ranks
        rows = (own[block] for block in blocks(len(own), AT_ONCE))
        every = ranks.in_order(rows, self.dtype)
        if self.dtype.kind == "U":
            longest = int(np.char.str_len(own).max()) if len(own) else 0
            return canonical_text(max(ranks.allgather(longest)), every)
        return canonical_integers(max(ranks.allgather(int(own.max(initial=0)))), every)

    def every(self, value: Any) -> list[Any]:
        """The value of each rank."""
        return self._ranks.allgather(value)


class SharedLabelIndex(LabelIndex):
    """Finds the vertex of a label; all ranks look for the same ones, in `SharedLabels.together`."""

    def __init__(self, labels: SharedLabels):
        self._shared, self._index = labels, LabelIndex(labels.own)
        self._of_all: LabelIndex | None = None

    def _whole(self) -> LabelIndex | None:
        whole = self._shared.whole
        if self._of_all is None and whole is not None:
            self._of_all = LabelIndex(whole)
        return self._of_all

    def find(self, label: Any) -> int:
        if (whole := self._whole()) is not None:
            return whole.find(label)
        vertex = int(self._shared.places(lambda: np.array([self._place(label)]))[0])
        if vertex < 0:
            raise self._missed(label)
        return vertex

    def find_all(self, labels: np.ndarray) -> np.ndarray:
        if (whole := self._whole()) is not None:
            return whole.find_all(labels)
        every = labels.tolist()
        vertices = self._shared.places(
            lambda: np.array([self._place(label) for label in every], np.int64)
        )
        wrong = np.flatnonzero(vertices < 0)
        if len(wrong):
            raise self._missed(labels[wrong[0]].item())
        return vertices.astype(np.int32)

    def places(self, labels: np.ndarray) -> np.ndarray:
        if (whole := self._whole()) is not None:
            return whole.places(labels)
        return self._shared.places(lambda: self._index.places(labels)).astype(np.int32)

    def _place(self, label: Any) -> int:
        try:
            return self._index.find(label)
        except GraphError:
            return -1

    def _missed(self, label: Any) -> GraphError:
        own, shared = self._shared.own, self._shared
        ends = [] if not len(own) else [own[0], own[-1]]
        near = [] if own.dtype.kind in "iu" else near_labels(label, own)
        every = shared.every((ends, near))
        all_ends = [end for ends, _ in every for end in ends]
        all_near = near_labels(label, np.array([n for _, near in every for n in near], object))
        return unknown_label(label, len(shared), shared.dtype, all_ends, all_near)


def _remote() -> RemoteDataError:
    return RemoteDataError(
        "each rank has the labels of a part of the vertices, since the graph was read with comm=; "
        "a run, and result.to_parquet(folder), look up all that they need, and after a run with "
        "collect=True, which is the default, all ranks have all labels; where all ranks do the "
        "same, look labels up in a block `with graph.labels_in_all():`"
    )
