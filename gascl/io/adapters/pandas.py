"""Graphs from and to pandas' DataFrames: one edge per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import (
    Bools,
    Coded,
    FieldType,
    Texts,
    Times,
    coded,
    decoded,
    described,
    types_of,
)
from gascl.graph.labels import has_surrogate, shown
from gascl.graph.pandas_values import pandas_values
from gascl.graph.raw_graph import RawGraph
from gascl.io.column_names import (
    WEIGHT,
    chosen_fields,
    ends_of,
    looks_like_weight,
    no_weight,
    warn_of_unread,
)
from gascl.io.vertex_ids import numbered
from gascl.user_messages import Option
from gascl.util.extras import imported

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


def read_pandas(
    df: Any,
    source: Any,
    target: Any,
    fields: Iterable[Any] | Mapping[str, Any] | None,
    directed: bool,
    weight: Any = None,
) -> RawGraph:
    """The rows of a DataFrame as edges; their ids, integers or text, sorted, are the labels.

    Args:
        source, target: the columns of ids; both None: found by name, or the only two that are not
            the weight.
        fields: columns, or a dict from fields to columns; None: all possible columns.
        weight: the column of the field "weight".

    Raises:
        GraphError: it is not a DataFrame, a column is missing, has the wrong type or lacks a
            value, or the names do not say which columns are the ends; names the row.
    """
    pandas = imported("pandas", "from_pandas", GraphError)
    if not isinstance(df, pandas.DataFrame):
        type_name = f"{type(df).__module__.partition('.')[0]}.{type(df).__name__}"
        remedy = ": give it to Graph.from_arrow" if hasattr(df, "__arrow_c_stream__") else ""
        raise GraphError(f"from_pandas needs a pandas DataFrame, not a {type_name}{remedy}")
    if isinstance(fields, str):
        raise GraphError(f"fields={fields!r} must be a list of names: fields=[{fields!r}]")
    names = list(df.columns)
    by_name = source is None
    source, target = _ends(names, source, target, weight)
    wanted: dict[Any, str] | None = None
    if isinstance(fields, Mapping):
        wanted = {column: field for field, column in fields.items()}
        if len(wanted) < len(fields):
            columns = list(fields.values())
            column = next(c for c in columns if columns.count(c) > 1)
            both = " and ".join(repr(f) for f, c in fields.items() if c == column)
            raise GraphError(
                f"fields={fields!r}: column {column!r} cannot be both {both}; name each column once"
            )
    elif fields is not None:
        wanted = dict.fromkeys(fields, "")
    chosen = [*(wanted or ()), *([] if weight is None else [weight])]
    if weight is not None and weight in (source, target):
        listed = ", ".join(repr(name) for name in names if name not in (source, target))
        end = "sources" if weight == source else "targets"
        raise GraphError(
            Option("weight", weight),
            f" is the column of {end}; name one of the others: {listed or 'none'}",
        )
    for name in (source, target, *chosen):
        if names.count(name) != 1:
            listed = ", ".join(map(repr, names))
            count = "more than one" if name in names else "no"
            raise GraphError(
                f"the DataFrame has {count} column {name!r}; name one of its columns: {listed}"
            )
    report = [f"DataFrame: rows: {len(df):,}; source and target: {source!r}, {target!r}"]
    hint = "; or name the columns: from_pandas(df, SOURCE, TARGET)" if by_name else ""
    labels, src, dst = _vertices(pandas, df[source], df[target], report, hint)
    types = pandas.api.types

    others_coded: dict[Any, Coded | None] = {}

    def coded_of(name: Any) -> Coded | None:
        if name not in others_coded:
            values = pandas_values(df.iloc[:, names.index(name)], report)
            others_coded[name] = values if isinstance(values, Coded) else coded(values)
        return others_coded[name]

    def type_of(name: Any) -> tuple[str, bool, bool]:
        dtype = df.dtypes.iloc[names.index(name)]
        if types.is_integer_dtype(dtype) or types.is_float_dtype(dtype):
            return str(dtype), True, False
        return str(dtype), False, types.is_bool_dtype(dtype) or coded_of(name) is not None

    others = [name for name in names if name not in (source, target)]
    if wanted is not None:
        wanted = {name: field for name, field in wanted.items() if name in others}
    column_of = chosen_fields(others, wanted, weight, type_of, report, GraphError)
    taken: dict[str, Coded] = {}
    for field, name in column_of.items():
        if type_of(name)[1]:
            taken[field] = Coded(_values(df[name]))
            continue
        if types.is_bool_dtype(df[name].dtype):
            _check_nulls(df[name])
        found = coded_of(name) or Coded(np.empty(0, np.int8), Bools())
        taken[field] = found
        report.append(f"column {name!r}: {described(found)}")
    report += no_weight([field for field in taken if taken[field].type is None])
    if fields is weight is None and WEIGHT not in taken:
        numeric = {name: type_of(name)[1] for name in others}
        left_out = [n for n in others if n not in column_of.values() or not numeric[n]]
        unread = [name for name in left_out if looks_like_weight(name, numeric[name])]
        warn_of_unread("the DataFrame", unread)
    return RawGraph(
        src=src,
        dst=dst,
        num_vertices=len(labels),
        directed=directed,
        labels=labels,
        fields={name: field.values for name, field in taken.items()},
        report=report,
        edge_types=types_of(taken),
    )


def _ends(names: list[Any], source: Any, target: Any, weight: Any) -> tuple[Any, Any]:
    """The columns of the ends."""
    listed = ", ".join(map(repr, names)) or "none"
    if (source is None) != (target is None):
        raise GraphError(
            f"source={source!r}, target={target!r}: name both columns, or neither; there are "
            f"{listed}"
        )
    if source is not None:
        return source, target
    if len(names) < 2:
        raise GraphError(
            f"an edge needs two columns, source and target, and the DataFrame has: {listed}"
        )
    places = ends_of(names, weight)
    if isinstance(places, str):
        raise GraphError(
            f"the DataFrame: {places}; name them: from_pandas(df, source=COLUMN, target=COLUMN)"
        )
    return names[places[0]], names[places[1]]


def _values(column: Any) -> np.ndarray:
    """A numeric column as a NumPy array; NaN is a number there, and a null is an error."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    _check_nulls(column)
    kind = getattr(column.dtype, "numpy_dtype", None)
    return column.to_numpy(dtype=kind)


def _check_nulls(column: Any) -> None:
    nulls = np.flatnonzero(column.isna().to_numpy())
    if len(nulls):
        raise GraphError(
            f"row {nulls[0]} (the first is 0) of the DataFrame has no value in column "
            f"{column.name!r}; drop such rows (dropna) or fill them (fillna)"
        )


def _vertices(
    pandas: Any, source: Any, target: Any, report: list[str], hint: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, and the ends of every edge as positions in them; `hint` is the end of an error about
    the columns' types."""
    columns = [source, target]
    for column in columns:
        _check_nulls(column)
    if all(pandas.api.types.is_integer_dtype(column.dtype) for column in columns):
        report.append("ids read as integers")
        return numbered(*map(_values, columns))
    codes, values = pandas.factorize(pandas.concat([c.astype(object) for c in columns]))
    labels = _labels(list(values), source.name, target.name, hint)
    report.append(f"ids read as {'text' if labels.dtype.kind == 'U' else 'integers'}")
    sorted_labels, rank = np.unique(labels, return_inverse=True)
    places = rank.astype(np.int32)[codes]
    return sorted_labels, places[: len(source)], places[len(source) :]


def _labels(values: list[Any], source: Any, target: Any, hint: str) -> np.ndarray:
    if all(isinstance(value, str) for value in values):
        labels = np.array(values, dtype=str)
        if len(np.unique(labels)) == len(values):  # NumPy drops NULs at the end of text
            return labels
    whole = (int, np.integer)
    if all(isinstance(value, whole) and not isinstance(value, bool) for value in values):
        numbers = np.array(values)
        if numbers.dtype.kind in "iu":
            return numbers
    odd = next((v for v in values if not isinstance(v, str)), values[0])
    raise GraphError(
        f"columns {source!r} and {target!r} must both be integers or both text, and a value there "
        f"is {shown(odd)}; convert them with .astype(int) or .astype(str){hint}"
    )


def write_pandas(graph: Graph) -> Any:
    """A DataFrame of columns "source", "target" and the edge fields; all copies.

    Raises:
        GraphError: pandas is not installed, or an edge field is called "source" or "target".
    """
    pandas = imported("pandas", "to_pandas", GraphError)
    ends = {"source": graph.edge_src, "target": graph.edge_dst}
    for name in ends:
        if name in graph.edge_fields:
            raise GraphError(
                f"the edge field {name!r} has the name of the column of {name}s; rename it"
            )
    if graph.labels is not None:
        ends = {name: graph.labels[end] for name, end in ends.items()}
        if graph.labels.dtype.kind == "U" and any(map(has_surrogate, graph.labels.tolist())):
            # pandas' own type for text is UTF-8
            ends = {name: pandas.Series(end, dtype=object) for name, end in ends.items()}
    return pandas.DataFrame({**ends, **_columns(graph.edge_fields, graph.edge_types)}, copy=True)


def write_vertices(graph: Graph) -> Any:
    """A DataFrame of the vertex fields, with the labels as its index; all copies. The columns of a
    field with several values per vertex are `x_0`, `x_1` and so on.

    Raises:
        GraphError: pandas is not installed.
    """
    pandas = imported("pandas", "to_pandas", GraphError)
    labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    kind = object if labels.dtype == object else None
    index = pandas.Index(labels, kind, name="vertex", tupleize_cols=False)
    columns = _columns(components(graph.vertex_fields), graph.vertex_types)
    return pandas.DataFrame(columns, index=index, copy=True)


def components(fields: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The fields, with one of (V, n) as n of (V,).

    Raises:
        GraphError: two of them would have the same name.
    """
    flat: dict[str, np.ndarray] = {}
    for name, values in fields.items():
        parts = {name: values}
        if values.ndim > 1:
            parts = {f"{name}_{at}": values[:, at] for at in range(values.shape[1])}
        for part, column in parts.items():
            if part in flat:
                raise GraphError(
                    f"the vertex field {name!r} has the column {part!r}, and so has another one; "
                    "rename one of them"
                )
            flat[part] = column
    return flat


def _columns(
    fields: Mapping[str, np.ndarray], types: Mapping[str, FieldType]
) -> dict[str, np.ndarray | Any]:
    """The columns of a DataFrame: texts as categories."""
    import pandas

    columns: dict[str, Any] = {}
    for name, values in fields.items():
        kind = types.get(name)
        if isinstance(kind, Texts):
            codes, texts = np.asarray(values), list(kind.values)
            columns[name] = pandas.Categorical.from_codes(codes, texts, ordered=kind.ordered)
        elif isinstance(kind, Times) and kind.zone:
            moments = pandas.DatetimeIndex(kind.decoded(np.asarray(values)))
            columns[name] = moments.tz_localize("UTC").tz_convert(kind.zone)
        else:
            columns[name] = decoded(np.asarray(values), kind)
    return columns
