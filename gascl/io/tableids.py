"""Ids in the columns of a table as vertices and labels."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.io.anyids import numbered
from gascl.io.tablesource import Source, check_nulls, concatenated, has_dictionary, without_nulls


def vertices(
    source: Source, tail: str, head: str, own: dict[str, Any], report: list[str]
) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    """Labels, or None where ids are vertices, and the ends of every edge as vertices."""
    import pyarrow

    kept = own.get("labels", "ids")
    integer = pyarrow.types.is_integer
    if all(integer(_kind(source, name)) for name in (tail, head)):
        columns = [_narrow(without_nulls(source, name)) for name in (tail, head)]
        return _numbered_integers(source, (tail, head), columns, kept, own, report)
    ends = [without_nulls(source, name) for name in (tail, head)]
    if kept == "dictionary" and all(map(_one_dictionary, ends)):
        chunk = ends[0].chunk(0)
        if chunk.dictionary.equals(ends[1].chunk(0).dictionary):
            places = [concatenated([c.indices for c in end.chunks]) for end in ends]
            for name, places_of in zip((tail, head), places, strict=True):
                _check_below(source, name, places_of, len(chunk.dictionary))
            report.append("ids: the table's dictionary, in its order")
            return _label_array(source, chunk.dictionary), places[0], places[1]
    plain = [_decoded(source, name, end) for name, end in zip((tail, head), ends, strict=True)]
    del ends
    texts = [pyarrow.types.is_large_string(end.type) for end in plain]
    if texts[0] != texts[1]:
        raise source.error(
            f"{source.name}: {tail!r} is of type {source.schema.field(tail).type} and {head!r} of "
            f"{source.schema.field(head).type}; make both integers or both text"
        )
    if not texts[0]:
        columns = [_narrow(end) for end in plain]
        return _numbered_integers(source, (tail, head), columns, kept, own, report)
    report.append("ids taken as text")
    labels, src, dst = _numbered_texts(source, plain[0], plain[1])
    return (
        _in_order(source, labels, src, dst, kept) if isinstance(kept, list) else (labels, src, dst)
    )


def _numbered_integers(
    source: Source,
    names: tuple[str, str],
    columns: list[np.ndarray],
    kept: Any,
    own: dict[str, Any],
    report: list[str],
) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    src, dst = columns
    columns.clear()
    if kept == "none":
        for name, column in zip(names, (src, dst), strict=True):
            _check_below(source, name, column, own["num_vertices"])
        report.append("ids: the vertices themselves, without labels")
        return None, src, dst
    try:
        labels, src, dst = numbered(src, dst)
    except GraphError as error:
        raise source.error(f"{source.name}: {error}") from error
    report.append("ids taken as integers")
    return (
        _in_order(source, labels, src, dst, kept) if isinstance(kept, list) else (labels, src, dst)
    )


def _narrow(column: Any) -> np.ndarray:
    """A column of integers as int32, if they are such, one chunk after the other."""
    import pyarrow.compute

    ends = pyarrow.compute.min_max(column).as_py()
    if column.type == pyarrow.int32() or not column.num_chunks or ends["min"] is None:
        return concatenated(column.chunks)
    if ends["min"] < -(2**31) or ends["max"] >= 2**31:
        return concatenated(column.chunks)
    narrow = np.empty(len(column), dtype=np.int32)
    row = 0
    for chunk in column.chunks:
        narrow[row : row + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
        row += len(chunk)
    return narrow


def _kind(source: Source, name: str) -> Any:
    """The type of a column, which must be one of ids."""
    from pyarrow import types

    kind = source.schema.field(name).type
    value = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_integer(value) or is_text(value)):
        raise source.error(
            f"{source.name}: column {name!r} is of type {kind}, and ids are integers or text; cast "
            "it, or name others with columns=(source, target)"
        )
    return kind


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of text."""
    from pyarrow import types

    view = getattr(types, "is_string_view", lambda _: False)
    return types.is_string(kind) or types.is_large_string(kind) or view(kind)


def _one_dictionary(column: Any) -> bool:
    if not has_dictionary(column) or not column.num_chunks:
        return False
    first = column.chunk(0).dictionary
    return all(chunk.dictionary.equals(first) for chunk in column.chunks[1:])


def _decoded(source: Source, name: str, column: Any) -> Any:
    """The column as integers, or as text of one type."""
    import pyarrow

    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
        check_nulls(source, name, column)  # the dictionary may have one, too
    return column.cast(pyarrow.large_string()) if is_text(kind) else column


def _check_below(source: Source, name: str, column: np.ndarray, count: int) -> None:
    if len(column) and (column.min() < 0 or column.max() >= count):
        row = int(np.flatnonzero((column < 0) | (column >= count))[0])
        raise source.error(
            f"{source.name}: row {row} (the first is 0) has the {name} {column[row]}, and the "
            f"graph has {count:,} vertices, from 0; the table is damaged, or was changed"
        )


def _label_array(source: Source, dictionary: Any) -> np.ndarray:
    if dictionary.null_count:
        raise source.error(f"{source.name}: the dictionary has a null; drop it")
    if is_text(dictionary.type):
        return np.array(dictionary.to_pylist(), dtype=str)
    return dictionary.to_numpy(zero_copy_only=False)


def _numbered_texts(
    source: Source, src: Any, dst: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import pyarrow

    both = pyarrow.chunked_array([*src.chunks, *dst.chunks], type=src.type)
    both = both.dictionary_encode().unify_dictionaries()
    if not both.num_chunks:
        return np.empty(0, dtype=str), np.empty(0, np.int32), np.empty(0, np.int32)
    texts = np.array(both.chunk(0).dictionary.to_pylist(), dtype=str)
    labels, rank = np.unique(texts, return_inverse=True)
    if len(labels) < len(texts):
        raise source.error(f"{source.name}: two ids differ in NUL at their ends; rename one")
    places = rank.astype(np.int32)[concatenated([chunk.indices for chunk in both.chunks])]
    return labels, places[: len(src)], places[len(src) :]


def _in_order(
    source: Source, labels: np.ndarray, src: np.ndarray, dst: np.ndarray, kept: list[Any]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends as places in `kept`, labels in an order of their own, some perhaps without edges."""
    array = _kept_labels(source, kept)
    place = {label: number for number, label in enumerate(kept)}
    missing = next((label for label in labels.tolist() if label not in place), None)
    if missing is not None:
        raise source.error(
            f"{source.name}: the id {missing!r} is not among the labels in gascl's metadata; the "
            "table is damaged, or was changed"
        )
    moved = np.array([place[label] for label in labels.tolist()], dtype=np.int32)
    return array, moved[src], moved[dst]


def _kept_labels(source: Source, kept: list[Any]) -> np.ndarray:
    kinds = set(map(type, kept))
    if kinds <= {str} or kinds <= {int}:
        for dtype in (str,) if kinds == {str} else (np.int64, np.uint64):
            with suppress(OverflowError):
                return np.array(kept, dtype=dtype)
    raise source.error(
        f"{source.name}: the labels in gascl's metadata are damaged; write the table again"
    )
