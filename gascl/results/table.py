"""`ResultTable`: fields of a result as columns, in a DataFrame or a file."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import GasclError
from gascl.graph.field_types import Times, cells, listed
from gascl.graph.graph import Graph
from gascl.graph.labels import has_surrogate, labeled
from gascl.language.types import VERTEX, Struct
from gascl.util.atomic_file import new_file
from gascl.util.decimals import decimals
from gascl.util.extras import imported

#: The path from a field to one of its columns: names of members, indices of lanes and components.
Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Attributes:
        values: (rows,); for vertices, their labels.
        none: bool (rows,), true where there is no vertex; None if the column holds no vertices.
        times: the unit and the time zone, if the values are points in time, datetime64.
    """

    values: np.ndarray
    none: np.ndarray | None = None
    times: Times | None = None

    def listed(self) -> list[Any]:
        """Python objects, with None for no vertex and no time."""
        values = listed(self.values, self.times)
        if self.none is None or not self.none.any():
            return values
        return [None if none else v for v, none in zip(values, self.none.tolist(), strict=True)]

    def cells(self) -> list[Any]:
        """The cells of a CSV file."""
        if self.times is not None:
            return cells(self.values.view(np.int64), self.times).tolist()
        return decimals(self.values) if self.values.dtype.kind == "f" else self.listed()


@dataclass(frozen=True)
class ResultTable:
    """Fields with one row per vertex or arc.

    A vector's columns are `x_0`, `x_1` and so on, a struct's are `best_near` and so on. If two
    columns would have the same name, the fields that they come from get names that cannot clash:
    `x[0]`, `best.near`, `fields.vertex`.

    Attributes:
        keys: the columns that identify the vertex or arc of a row: indices (rows,) by name.
        fields: arrays (rows, ...) by name.
        types: the declared types of fields; only vertices are treated differently.
        numbers: columns between keys and fields, written unchanged.
        times: as in `Result`.
    """

    graph: Graph
    keys: Mapping[str, np.ndarray]
    fields: Mapping[str, np.ndarray]
    types: Mapping[str, str | Struct]
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict)
    times: Times | None = None

    def columns(self) -> dict[str, TableColumn]:
        """All columns by name."""
        table = {name: TableColumn(self._labeled(ids)[0]) for name, ids in self.keys.items()}
        table |= {name: TableColumn(values) for name, values in self.numbers.items()}
        parts = {n: list(_parts(v, self.types.get(n, ""))) for n, v in self.fields.items()}
        uses = Counter(table.keys())
        for name, columns in parts.items():
            uses.update(_short(name, steps) for steps, _, _ in columns)
        for name, columns in parts.items():
            clash = any(uses[_short(name, steps)] > 1 for steps, _, _ in columns)
            for steps, values, type_ in columns:
                key = self._long(name, steps) if clash else _short(name, steps)
                if type_ == VERTEX:
                    table[key] = TableColumn(*self._labeled(values))
                else:
                    times = self.times if values.dtype.kind == "M" else None
                    table[key] = TableColumn(values, times=times)
        return table

    def _labeled(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return labeled(self.graph.labels, self.graph.num_vertices, ids)

    def _long(self, name: str, steps: Steps) -> str:
        """A unique name: with brackets or dots, which names of fields cannot contain."""
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        own = name in self.keys or name in self.numbers
        return f"fields.{name}" if own and not steps else name + path

    def to_pandas(self) -> Any:
        """A DataFrame; the key is the index if there is one."""
        pandas = imported("pandas", "to_pandas", GasclError)
        columns = self.columns()
        index = None
        if len(self.keys) == 1:
            (name,) = self.keys
            # A tuple is one label, not the levels of an index.
            labels = columns.pop(name).values
            kind = object if _beyond_utf8(labels) else None
            index = pandas.Index(labels, kind, name=name, tupleize_cols=False)
        arrays = {name: _pandas_array(pandas, column, index) for name, column in columns.items()}
        return pandas.DataFrame(arrays, index=index, copy=True)

    def save(self, path: Path) -> None:
        """Write .csv, .npz or .parquet, as `Result.save` says."""
        writers = {".csv": self._save_csv, ".npz": self._save_npz, ".parquet": self._save_parquet}
        if path.suffix not in writers:
            raise GasclError(f"{path}: the name must end in {', '.join(writers)}")
        writers[path.suffix](path)

    def _save_csv(self, path: Path) -> None:
        columns = self.columns()
        with new_file(path) as file:
            text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*(c.cells() for c in columns.values()), strict=True))
            text.detach()

    def _save_npz(self, path: Path) -> None:
        own = {name: self._labeled(ids)[0] for name, ids in self.keys.items()}
        for name, labels in own.items():
            if labels.dtype == object:  # to read an object array, one would need pickle
                own[name] = np.array([str(label) for label in labels], dtype=str)
        own |= self.numbers
        members = own | {self._long(n, ()): values for n, values in self.fields.items()}
        # Not numpy.savez: a field may have the name of one of its parameters, such as `file`.
        with new_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, values in members.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)

    def _save_parquet(self, path: Path) -> None:
        pyarrow = imported("pyarrow", f"{path}: writing Parquet", GasclError)
        parquet = imported("pyarrow.parquet", f"{path}: writing Parquet", GasclError)
        table = pyarrow.table(
            {name: _arrow_array(pyarrow, column) for name, column in self.columns().items()}
        )
        with new_file(path) as file:
            parquet.write_table(table, file)


def _beyond_utf8(values: np.ndarray) -> bool:
    """Whether there are texts that pandas' own type for text, which is UTF-8, does not hold."""
    return values.dtype.kind == "U" and any(map(has_surrogate, values.tolist()))


def _pandas_array(pandas: Any, column: TableColumn, index: Any) -> Any:
    if column.times is not None and column.times.zone:
        moments = pandas.DatetimeIndex(column.values).tz_localize("UTC")
        return moments.tz_convert(column.times.zone)
    if column.none is None and not _beyond_utf8(column.values):
        return column.values
    if column.values.dtype.kind in "iu":
        return pandas.arrays.IntegerArray(column.values, column.none)
    values = column.values.astype(object)
    if column.none is not None:
        values[column.none] = None
    beyond = _beyond_utf8(column.values)
    return pandas.Series(values, index, dtype=object) if beyond else values


def _arrow_array(pyarrow: Any, column: TableColumn) -> Any:
    values = column.values
    if column.times is not None:
        kind = pyarrow.timestamp(column.times.unit, column.times.zone)
        counts = values.view(np.int64)
        return pyarrow.array(counts, mask=np.isnat(values)).cast(kind)
    if values.dtype.kind not in "UO":
        return pyarrow.array(values, mask=column.none)
    texts = [None if v is None else _escaped(str(v)) for v in column.listed()]
    return pyarrow.array(texts, pyarrow.string())


def _escaped(text: str) -> str:
    """The text with an escape for each lone surrogate, which UTF-8 does not have."""
    return text.encode("utf-8", "backslashreplace").decode()


def _parts(
    values: np.ndarray, type_: str | Struct, steps: Steps = ()
) -> Iterator[tuple[Steps, np.ndarray, str | Struct]]:
    """The scalars in a field's values: the path to each, its values (rows,), its type."""
    if values.dtype.names:
        members = dict(type_.members) if isinstance(type_, Struct) else {}
        for name in values.dtype.names:
            yield from _parts(values[name], members.get(name, ""), (*steps, name))
    elif values.ndim > 1:
        for number in range(values.shape[1]):
            yield from _parts(values[:, number], type_, (*steps, number))
    else:
        yield steps, values, type_


def _short(name: str, steps: Steps) -> str:
    return "_".join(map(str, (name, *steps)))
