"""What a run returns: arrays by name, the trace, and why the run stopped."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol, overload

import numpy as np

from gascl.errors import FieldError, GasclError
from gascl.graph.graph import Graph
from gascl.newfile import new_file


@dataclass(slots=True)  # not frozen, which takes longer to make
class Step:
    """One superstep of the trace; `Trace` makes another one each time that it is asked.

    Attributes:
        superstep: its number, from 0.
        active: how many vertices scattered.
        messages: how many messages were sent, counted as docs/programs.md says.
        aggregates: the aggregators' values at its end.
        seconds: kernel time.
        delivery: how its messages travelled.
        why: why `auto` chose that delivery, where it had a choice.
        program: the program that ran it, in a program of several stages.
    """

    superstep: int
    active: int
    messages: int
    aggregates: dict[str, float | int]
    seconds: float
    delivery: str = ""
    why: str = ""
    program: str = ""


class Trace(Sequence[Step]):
    """The steps of a run. A step is made when it is looked at, so that thousands of supersteps on a
    small frontier do not cost more than the device's work."""

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._makers: list[Callable[[int], Step]] = []

    def extend(self, count: int, make: Callable[[int], Step]) -> None:
        """Add `count` steps; `make(i)` returns the i-th of them."""
        self._ends.append(len(self) + count)
        self._makers.append(make)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        part = bisect_right(self._ends, place)
        return self._makers[part](place - (self._ends[part - 1] if part else 0))

    def __iter__(self) -> Iterator[Step]:
        for make, start, end in zip(self._makers, [0, *self._ends], self._ends, strict=False):
            yield from map(make, range(end - start))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:  # what makes steps may hold a device
        return _trace, (list(self),)


def _trace(steps: list[Step]) -> Trace:
    trace = Trace()
    trace.extend(len(steps), steps.__getitem__)
    return trace


class KeptState(Protocol):
    """What a run left on the device: for `Engine.run(state=...)`, which uses it up."""

    @property
    def superstep(self) -> int:
        """How many supersteps its program has run."""

    @property
    def pending(self) -> bool:
        """Messages are under way to the next superstep."""

    def names(self) -> list[str]:
        """The vertex fields that it holds."""

    def field(self, name: str) -> np.ndarray:
        """A vertex field on the host: (V,), (V, lanes) with lanes, and one more dimension for a
        vector's components."""


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a run of a program computed.

    `result["rank"]` and `result.rank` are the vertex field `rank`: (V,) in the graph's vertex
    order, or (V, lanes) for a run with lanes, read from the device on first use. A vector field
    has one more dimension, and a struct field is a structured array. A field with the name of an
    attribute or method of this class, such as `missing`, can only be read as `result["missing"]`.

    Attributes:
        arc_fields: arc fields by name, (A,) or (A, lanes), sorted by scattering vertex, other end
            and edge id.
        supersteps: how many ran.
        converged: whether the program's own rule ended the run.
        stopped: why it ended, in words.
        trace: one `Step` per superstep.
        device, delivery: what it ran on, and how messages travelled.
        numbering: in which order the vertices were on the device, if not in the graph's, and why.
        seconds: wall time of "build", "upload" and "supersteps"; for a program of several stages
            also "solve", the time spent between them.
        state: the State on the device, if it was kept, for `Engine.run(state=...)`.
        missing: fields that were not computed yet when a program of several stages ended early.
    """

    graph: Graph
    fields: Mapping[str, np.ndarray]
    supersteps: int
    converged: bool
    stopped: str
    trace: Sequence[Step]
    device: str
    delivery: str
    seconds: dict[str, float] = field(default_factory=dict)
    arc_fields: Mapping[str, np.ndarray] = field(default_factory=dict)
    state: KeptState | None = None
    missing: tuple[str, ...] = ()
    numbering: str = ""

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.fields:
            return self.fields[name]
        there = ", ".join(self.fields) or "none"
        if name in self.missing:
            raise FieldError(
                f"field {name!r} is not computed yet: the run ended too early ({self.stopped}); "
                f"let it run to its end. Available fields: {there}"
            )
        if name in self.arc_fields:
            raise FieldError(f"{name!r} is an arc field: use result.arc_fields[{name!r}]")
        near = get_close_matches(str(name), [*self.fields, *self.missing], 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise FieldError(f"the result has no field {name!r}{hint} Available fields: {there}")

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__") or "fields" not in self.__dict__:  # copy and pickle look for such
            raise AttributeError(name)
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __repr__(self) -> str:
        return (
            f"Result({', '.join(self.fields) or 'no field'}; {self.supersteps} supersteps, "
            f"{self.stopped}, {self.delivery} on {self.device})"
        )

    def top(self, name: str, k: int = 10, largest: bool = True) -> list[tuple[Any, Any]]:
        """The k vertices with the largest (or smallest) values, as (label, value).

        Ties are in vertex order; NaN always comes last.
        """
        values = self[name]
        if values.ndim > 1 or values.dtype.names:
            what = "a struct" if values.dtype.names else f"{values.shape[1]} values"
            raise GasclError(
                f"field {name!r} has {what} per vertex and cannot be sorted; sort a part of it"
            )
        order = np.argsort(values, kind="stable")  # NaN sorts last
        if largest:
            numbers = np.count_nonzero(values == values)
            # Simply reversing `order` would reverse the vertex order of equal values.
            backwards = np.argsort(values[::-1], kind="stable")[:numbers]
            order = np.concatenate([len(values) - 1 - backwards[::-1], order[numbers:]])
        return [(self.graph.label_of(int(i)), values[i].item()) for i in order[: max(k, 0)]]

    def save(self, path: str | Path) -> None:
        r"""Write every field and the labels, one row per vertex: .csv, .npz or .parquet.

        The column `vertex` holds the labels, or the indices if the graph has no labels. A vector's
        columns are `x_0`, `x_1` and so on, a struct's are `best_near` and so on; if another column
        already has such a name, they are `x[0]` or `best.near` instead. A field called `vertex`
        becomes `fields.vertex`. .npz holds each field as it is, under its name.

        Text is UTF-8; a lone surrogate in a label, which UTF-8 cannot encode, is written as an
        escape, such as \ud800, in .csv and .parquet. An existing file is replaced only when the new
        one is complete.

        Raises:
            FormatError: the file cannot be written; an existing one is unchanged.
            GasclError: another file extension, or pyarrow is missing for .parquet.
        """
        from gascl.paths import checked_path

        path = checked_path(path)
        writers = {".csv": self._save_csv, ".npz": self._save_npz, ".parquet": self._save_parquet}
        if path.suffix not in writers:
            raise GasclError(f"{path}: the name must end in {', '.join(writers)}")
        writers[path.suffix](path)

    def _vertices(self) -> np.ndarray:
        """(V,): the labels, or else the indices."""
        labels = self.graph.labels
        return np.arange(self.graph.num_vertices) if labels is None else labels

    def _save_csv(self, path: Path) -> None:
        columns = columns_of(self._vertices(), self.fields)
        with new_file(path) as file:
            text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*(c.tolist() for c in columns.values()), strict=True))
            text.detach()

    def _save_npz(self, path: Path) -> None:
        vertices = self._vertices()
        if vertices.dtype == object:  # to read an object array, one would need pickle
            vertices = vertices.astype(str)
        # Not numpy.savez: a field may have the name of one of its parameters, such as `file`.
        with new_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, values in [("vertex", vertices), *self.fields.items()]:
                name = "fields.vertex" if name == "vertex" and values is not vertices else name
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)

    def _save_parquet(self, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise GasclError(
                f"{path}: writing Parquet needs pyarrow: `pip install pyarrow`"
            ) from None
        vertices = self._vertices()
        if vertices.dtype.kind not in "iu":
            texts = [str(label) for label in vertices.tolist()]
            vertices = np.array(
                [text.encode("utf-8", "backslashreplace").decode() for text in texts], dtype=object
            )
        table = pyarrow.table(columns_of(vertices, self.fields))
        with new_file(path) as file:
            pyarrow.parquet.write_table(table, file)

    def save_trace(self, path: str | Path) -> None:
        """Write the trace as JSON, with what the run was and why it stopped.

        Raises:
            FormatError: the file cannot be written; an existing one is unchanged.
        """
        from gascl.paths import checked_path

        summary = {
            "supersteps": self.supersteps,
            "converged": self.converged,
            "stopped": self.stopped,
            "device": self.device,
            "delivery": self.delivery,
            "numbering": self.numbering,
            "seconds": self.seconds,
            "trace": [asdict(s) for s in self.trace],
        }
        text = json.dumps(_plain(summary), indent=1) + "\n"
        with new_file(checked_path(path)) as file:
            file.write(text.encode())


def _plain(value: Any) -> Any:
    """The value with infinity and NaN, which JSON does not have, as text."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


#: The path from a field to one of its columns: names of members, numbers of lanes and components.
_Steps = tuple[str | int, ...]


def columns_of(vertices: np.ndarray, fields: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The labels as the first column, then one column (V,) per component, lane or member.

    A column has a name such as `x_0` or `best_near`. If two columns would have the same name, the
    fields that they come from get names that cannot clash: `x[0]`, `best.near`, `fields.vertex`.
    """
    parts = {name: list(_parts(values)) for name, values in fields.items()}
    uses = Counter(["vertex"])
    for name, columns in parts.items():
        uses.update(_short(name, steps) for steps, _ in columns)
    found = {"vertex": vertices}
    for name, columns in parts.items():
        clash = any(uses[_short(name, steps)] > 1 for steps, _ in columns)
        for steps, values in columns:
            found[_long(name, steps) if clash else _short(name, steps)] = values
    return found


def _parts(values: np.ndarray, steps: _Steps = ()) -> Iterator[tuple[_Steps, np.ndarray]]:
    if values.dtype.names:
        for name in values.dtype.names:
            yield from _parts(values[name], (*steps, name))
    elif values.ndim > 1:
        for number in range(values.shape[1]):
            yield from _parts(values[:, number], (*steps, number))
    else:
        yield steps, values


def _short(name: str, steps: _Steps) -> str:
    return "_".join(map(str, (name, *steps)))


def _long(name: str, steps: _Steps) -> str:
    """A unique name: with brackets or dots, which names of fields cannot contain."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f"fields.{name}" if name == "vertex" and not steps else name + path
