"""What a run returns: arrays by name, the trace, and why it stopped."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gascl.errors import FieldError, GasclError
from gascl.graph.graph import Graph
from gascl.newfile import new_file


@dataclass(frozen=True)
class Step:
    """One superstep of the trace.

    Attributes:
        superstep: its number, from 0.
        active: vertices that scattered.
        messages: arcs that carried a message.
        aggregates: the aggregators' values at its end.
        seconds: kernel time.
        delivery, why: how its messages travelled, and why, where `auto` had a choice.
        program: where several take turns, whose superstep this is.
    """

    superstep: int
    active: int
    messages: int
    aggregates: dict[str, float | int]
    seconds: float
    delivery: str = ""
    why: str = ""
    program: str = ""


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
    """What a program left behind.

    `result["rank"]` and `result.rank` are the vertex field `rank`: (V,) in the graph's vertex
    order, (V, lanes) of a run with lanes; a vector field has one more dimension, a struct's array
    is a structured one. A field that is called like an attribute or a method here, such as
    `missing`, is `result["missing"]` only.

    Attributes:
        arc_fields: arc fields by name, (A,) or (A, lanes), in the order of (scattering vertex,
            other end, edge id).
        supersteps: how many ran.
        converged: the program's own rule ended the run.
        stopped: why it ended, in words.
        trace: one `Step` a superstep.
        device, delivery: what it ran on and how.
        seconds: wall time of "build", "upload" and "supersteps"; where several programs take turns,
            of "solve", what was done between them.
        state: the State on the device, if it was kept; it goes on in `Engine.run(state=...)`.
        missing: fields that are not there yet, where a program that runs others ended early.
    """

    graph: Graph
    fields: Mapping[str, np.ndarray]
    supersteps: int
    converged: bool
    stopped: str
    trace: list[Step]
    device: str
    delivery: str
    seconds: dict[str, float] = field(default_factory=dict)
    arc_fields: Mapping[str, np.ndarray] = field(default_factory=dict)
    state: KeptState | None = None
    missing: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.fields:
            return self.fields[name]
        there = ", ".join(self.fields) or "none"
        if name in self.missing:
            raise FieldError(
                f"no field {name!r} yet: the run ended before ({self.stopped}); let it run to its "
                f"end; there is {there}"
            )
        near = get_close_matches(str(name), [*self.fields, *self.missing], 1)
        hint = f"did you mean {near[0]!r}? There" if near else "there"
        raise FieldError(f"no field {name!r}; {hint} is {there}")

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__") or "fields" not in self.__dict__:  # copy and pickle ask for some
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
        """The k vertices of largest (or smallest) value, as (label, value); ties by vertex order.

        NaN comes last, whichever way.
        """
        values = self[name]
        if values.ndim > 1 or values.dtype.names:
            what = "a struct" if values.dtype.names else f"of {values.shape[1]} values a vertex"
            raise GasclError(f"field {name!r} is {what}: it has no order")
        order = np.argsort(values, kind="stable")  # NaN sorts last
        if largest:
            numbers = np.count_nonzero(values == values)
            # Reversed, equal values would come in reverse vertex order: sort them back.
            backwards = np.argsort(values[::-1], kind="stable")[:numbers]
            order = np.concatenate([len(values) - 1 - backwards[::-1], order[numbers:]])
        return [(self.graph.label_of(int(i)), values[i].item()) for i in order[: max(k, 0)]]

    def save(self, path: str | Path) -> None:
        r"""Write every field and the labels, one row a vertex: .csv, .npz or .parquet.

        The labels, or the indices of vertices without, are the column `vertex`. A vector's columns
        are `x_0`, `x_1` and so on, a struct's `best_near`; if another column has such a name, the
        field's are `x[0]` or `best.near`, and `fields.vertex` is a field called `vertex`. .npz
        holds each field as it is, under its name.

        Text is UTF-8; a lone surrogate in a label, which UTF-8 can't hold, is written as
        its escape, such as \ud800, in .csv and .parquet. The file appears only once it is
        complete, and replaces an old one only then.

        Raises:
            FormatError: the file cannot be written; what stood there stays.
            GasclError: another ending, or pyarrow is missing for .parquet.
        """
        from gascl.paths import checked_path

        path = checked_path(path)
        writers = {".csv": self._save_csv, ".npz": self._save_npz, ".parquet": self._save_parquet}
        if path.suffix not in writers:
            raise GasclError(f"{path}: expected a name that ends in {', '.join(writers)}")
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
        if vertices.dtype == object:  # an object array would need pickle to be read again
            vertices = vertices.astype(str)
        # numpy.savez has parameters of its own, `file` for one, that a field may be called, too.
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
        """Write the trace and the run's circumstances as JSON.

        Raises:
            FormatError: the file cannot be written; what stood there stays.
        """
        from gascl.paths import checked_path

        summary = {
            "supersteps": self.supersteps,
            "converged": self.converged,
            "stopped": self.stopped,
            "device": self.device,
            "delivery": self.delivery,
            "seconds": self.seconds,
            "trace": [asdict(s) for s in self.trace],
        }
        text = json.dumps(_plain(summary), indent=1) + "\n"
        with new_file(checked_path(path)) as file:
            file.write(text.encode())


def _plain(value: Any) -> Any:
    """JSON has no infinity and no NaN: they become their names."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


#: The steps from a field to one column of it: a member's name, or a lane's or component's number.
_Steps = tuple[str | int, ...]


def columns_of(vertices: np.ndarray, fields: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One column a component, a lane or a member, (V,) each, behind the vertices' labels.

    A column is named like `x_0` or `best_near`. Where two columns would share a name, the fields
    that they come from have names that cannot clash: `x[0]`, `best.near`, `fields.vertex`.
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
    """A name with brackets or a dot, which no field's has; different steps give different ones."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f"fields.{name}" if name == "vertex" and not steps else name + path
