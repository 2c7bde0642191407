"""Graphs from and to Arrow tables: one edge per row. Only the columns needed are loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.arcs import INT32_MAX
from gascl.graph.field_types import (
    NO_TEXT,
    NOT_A_TIME,
    Bools,
    Coded,
    FieldType,
    Texts,
    Times,
    categories,
    decoded,
    described,
    types_of,
)
from gascl.graph.labels import has_surrogate
from gascl.graph.parallel import in_threads, joined
from gascl.graph.raw_graph import RawGraph
from gascl.graph.reordering import inverse
from gascl.io.adapters.pandas import components
from gascl.io.attributes import Values
from gascl.io.column_names import (
    ENDS,
    WEIGHT,
    chosen_fields,
    ends_of,
    field_and_column,
    looks_like_weight,
    naming_ends,
    no_weight,
    warn_of_unread,
)
from gascl.io.outofcore.spool import EdgeSpool, Spooled
from gascl.io.symmetry import ASSUMED_DIRECTED, MADE_DIRECTED, both_ways
from gascl.io.vertex_ids import numbered
from gascl.user_messages import Option
from gascl.util.extras import imported

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

KEY = b"gascl"  # in the schema's metadata: direction, vertices and labels, as JSON


def read_arrow(
    table: Any,
    columns: Sequence[str] | str | None,
    directed: bool | None,
    weight: str | None = None,
) -> RawGraph:
    """`parsed_table` of a pyarrow.Table, RecordBatch, or anything that exports an Arrow stream."""
    table = arrow_table(table, "from_arrow")

    def load(names: list[str]) -> dict[str, Any]:
        return {name: table.column(name) for name in names}

    source = Source("the table", table.schema, table.num_rows, load)
    return parsed_table(source, columns, directed, weight, "Arrow table")


def arrow_table(table: Any, what: str) -> Any:
    """A pyarrow.Table of a RecordBatch, or of anything that exports an Arrow stream.

    Args:
        what: is to be made of it, for errors.
    """
    pyarrow = imported("pyarrow", what, GraphError)
    if isinstance(table, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([table])
    if isinstance(table, pyarrow.Table):
        return table
    if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
        raise GraphError(
            f"{what} needs an Arrow table, or one of pandas, polars or DuckDB with Arrow's "
            f"interface, not {type(table).__name__}"
        )
    return pyarrow.table(table)


def parsed_table(
    source: Source,
    columns: Sequence[str] | str | None,
    directed: bool | None,
    weight: str | None,
    kind: str,
) -> RawGraph:
    """The graph of a table: one edge per row, ids integers or text, other columns edge fields.

    Args:
        columns: the names of the columns of sources and targets, and those to read as fields,
            "weight=minutes" under another name. By default the ends are found by name (ENDS), or
            are the only two columns that are not the weight, and all of numbers, bools, texts and
            times are fields. A single numeric field is "weight", except in gascl's own tables.
        directed: by default what gascl's own metadata says, otherwise directed. True makes two
            edges of each if the metadata says that they are undirected.
        weight: the column to read as the field "weight".
        kind: what the report calls it.

    Raises:
        GraphError, or source.error: a column is missing, has the wrong type, or contains a null
            that is neither a text nor a time, or the names do not say which columns are the ends.
    """
    return parsed_rows(source, table_layout(source, directed, kind, columns, weight))


def parsed_rows(source: Source, layout: TableLayout, row: int = 0) -> RawGraph:
    """The graph of a table, or of some rows of it.

    Args:
        row: the number of the first of these rows.

    Raises:
        source.error: as `parsed_table`.
    """
    may_lack = [name for name in layout.fields.values() if _may_lack(source, name)]
    loaded = _loaded(source, [layout.tail, layout.head, *layout.fields.values()], may_lack, row)
    report = list(layout.report)
    ends = layout.tail, layout.head
    labels, src, dst = _vertices(source, *ends, loaded, layout.own, report, row)
    report += layout.remarks
    coded = {name: _field(column, loaded, report) for name, column in layout.fields.items()}
    fields = {name: field.values for name, field in coded.items()}
    report += layout.end
    if layout.both_ways:
        src, dst, fields = both_ways(src, dst, fields)
    return RawGraph(
        src=src,
        dst=dst,
        num_vertices=layout.own["num_vertices"] if labels is None else len(labels),
        directed=layout.directed,
        labels=labels,
        fields=fields,
        report=report,
        edge_types=types_of(coded),
        in_range=True,
    )


def spool_table(
    source: Source,
    batches: Iterable[Any],
    layout: TableLayout,
    spool: EdgeSpool,
) -> Spooled:
    """Put the edges of a table into a spool; with the result, what `parsed_table` says of it.

    Args:
        batches: pyarrow.RecordBatch, with at least the columns of the layout.

    Raises:
        source.error: as `parsed_table`; or the labels are in the table's metadata or dictionary,
            whose order only a reader of the whole table keeps.
    """
    import pyarrow

    kept = layout.own.get("labels", "ids")
    if kept not in ("ids", "none"):
        raise source.error(
            f"{source.name}: the order of the labels is kept beside the rows, and --memory reads "
            "row by row; convert it without --memory"
        )
    kinds = [source.schema.field(name).type for name in (layout.tail, layout.head)]
    values = [k.value_type if pyarrow.types.is_dictionary(k) else k for k in kinds]
    texts = [is_text(kind) for kind in values]
    if texts[0] != texts[1]:
        raise _unlike(source, layout.tail, layout.head)
    are_vertices = spool.vertices = kept == "none" and not texts[0]
    remarks: list[str] = []
    row = 0
    for batch in batches:
        batch.validate(full=True)
        notes: list[str] = []
        loaded = {}
        for name in (layout.tail, layout.head, *layout.fields.values()):
            loaded[name] = pyarrow.chunked_array([batch.column(name)])
            _check_nulls(source, name, loaded[name], row)
        ends = []
        for name in (layout.tail, layout.head):
            column = _decoded(source, name, loaded.pop(name), row)
            ends.append(column.combine_chunks() if texts[0] else concatenated(column.chunks))
            if are_vertices:
                _check_below(source, name, ends[-1], layout.own["num_vertices"], row)
        coded = {name: _field(column, loaded, notes) for name, column in layout.fields.items()}
        fields = {name: field.values for name, field in coded.items()}
        spool.take(ends[0], ends[1], fields)
        row += batch.num_rows
        remarks = notes
    ids = IDS_ARE_TEXT if texts[0] else IDS_ARE_INTEGERS
    ids = IDS_ARE_VERTICES if are_vertices else ids
    end = [line for line in layout.end if line != MADE_DIRECTED]
    return Spooled(
        directed=layout.directed,
        report=[*layout.report, ids, *layout.remarks, *remarks, *end],
        both_ways=layout.both_ways,
        num_vertices=layout.own["num_vertices"] if are_vertices else None,
        end=[MADE_DIRECTED] if layout.both_ways else [],
        bools=[n for n, c in layout.fields.items() if not _type_of(source, c)[1]],
    )


IDS_ARE_VERTICES = "ids are the vertices themselves, without labels"
IDS_ARE_INTEGERS = "ids read as integers"
IDS_ARE_TEXT = "ids read as text"


@dataclass(frozen=True)
class TableLayout:
    """Which columns of a table are what.

    Attributes:
        tail, head: the columns of the ends.
        fields: the column of each edge field.
        own: gascl's own metadata.
        directed: whether the edges are.
        both_ways: each of them is to become two.
        report, remarks, end: lines of the report, before and after that about the ids, and last.
    """

    tail: str
    head: str
    fields: dict[str, str]
    own: dict[str, Any]
    directed: bool
    both_ways: bool
    report: list[str]
    remarks: list[str]
    end: list[str]


def table_layout(
    source: Source,
    directed: bool | None,
    kind: str,
    columns: Sequence[str] | str | None = None,
    weight: str | None = None,
    numbers: bool = False,
) -> TableLayout:
    """The layout of a table; the arguments are those of `parsed_table`.

    Args:
        numbers: texts and times are left out, since they would need a dictionary of all rows.
    """
    names = list(source.schema.names)
    (tail, head), wanted = _chosen(source, names, columns, weight)
    if weight is not None and (names.count(weight) != 1 or weight in (tail, head)):
        there = ", ".join(n for n in names if n not in (tail, head)) or "none"
        raise source.error(
            f"{source.name}: ",
            Option("weight", weight),
            f" must be one of the other columns: {there}",
        )
    report = [f"{kind}: rows: {source.rows:,}; source and target: columns {tail!r}, {head!r}"]
    own = _own(source)
    if own.get("ends") != [tail, head]:
        own = {}
    declared = own.get("directed", True)
    if directed is None and not own:
        report.append(ASSUMED_DIRECTED)
    elif own and directed not in (None, declared):
        report.append(
            f"directed={directed}, though the table was written from a graph of the other kind"
        )
    for name in (tail, head):
        _check_kind(source, name, weight)
    others = [n for n in names if n not in (tail, head)]
    remarks: list[str] = []
    fields = chosen_fields(
        others,
        wanted,
        weight,
        lambda name: _type_of(source, name, numbers),
        remarks,
        lambda message: source.error(f"{source.name}: {message}"),
        renamed=not own,
    )
    if columns is weight is None and WEIGHT not in fields:
        read = {name for name in fields.values() if _type_of(source, name)[1]}
        _warn_of_unread(source, [name for name in others if name not in read])
    twice = bool(directed) and not declared
    numeric = [field for field, name in fields.items() if _type_of(source, name)[1]]
    end = [] if own else no_weight(numeric)
    return TableLayout(
        tail,
        head,
        fields,
        own,
        declared if directed is None else directed,
        twice,
        report,
        remarks,
        [*end, MADE_DIRECTED] if twice else end,
    )


def _chosen(
    source: Source, names: list[str], columns: Sequence[str] | str | None, weight: str | None
) -> tuple[tuple[str, str], dict[str, str] | None]:
    """The columns of the ends; the fields by column, or None for all."""
    if columns is not None:
        requested = columns.split(",") if isinstance(columns, str) else list(columns)
        pairs = [("", name) for name in requested[:2]] + [
            field_and_column(name) for name in requested[2:]
        ]
        wanted = [column for _, column in pairs]
        bad = next((name for name in wanted if names.count(name) != 1), None)
        if len(wanted) < 2 or len(set(wanted)) < len(wanted) or bad is not None:
            wrong = "name at least two columns, each once"
            if bad is not None:
                count = "more than one" if names.count(bad) else "no"
                wrong = f"there is {count} column {bad!r}"
            raise source.error(
                f"{source.name}: ",
                Option("columns", columns, of="reader"),
                f": {wrong}; there are {', '.join(names)}",
            )
        return (wanted[0], wanted[1]), {column: field for field, column in pairs[2:]}
    if len(names) < 2:
        raise source.error(
            f"{source.name}: has {len(names)} column{'s' * (len(names) != 1)}, and an edge needs "
            "two, source and target; check that it is a table of edges"
        )
    places = ends_of(names, weight)
    if isinstance(places, str):
        raise source.error(f"{source.name}: {places}; ", *naming_ends(names, weight))
    ends = names[places[0]], names[places[1]]
    if names.count(ends[0]) > 1 or names.count(ends[1]) > 1:
        raise source.error(f"{source.name}: two columns have the name {ends[0]!r}; rename one")
    return ends, None


def _own(source: Source) -> dict[str, Any]:
    """gascl's own entry in the schema's metadata; {} for other tables."""
    text = (source.schema.metadata or {}).get(KEY)
    if text is None:
        return {}
    try:
        own = json.loads(text)
        whole = (
            own["version"] == 1
            and isinstance(own["directed"], bool)
            and isinstance(own["num_vertices"], int)
            and 0 <= own["num_vertices"] <= INT32_MAX
            and (isinstance(own["labels"], list) or own["labels"] in ("none", "ids", "dictionary"))
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise source.error(
            f"{source.name}: its metadata from gascl ({KEY.decode()!r}) is damaged, or "
            "from a newer gascl; write it again"
        )
    return own


def _type_of(source: Source, name: str, numbers: bool = False) -> tuple[str, bool, bool]:
    """The type of a column, whether it is integers or floats, and whether it is bools, texts or
    times, or if `numbers`, bools."""
    from pyarrow import types

    kind = source.schema.field(source.schema.names.index(name)).type
    numeric = types.is_integer(kind) or types.is_floating(kind)
    value = kind.value_type if types.is_dictionary(kind) else kind
    other = is_text(value) or types.is_timestamp(kind) or types.is_date(kind)
    return str(kind), numeric, types.is_boolean(kind) or (other and not numbers)


def _may_lack(source: Source, name: str) -> bool:
    """Whether values may be missing in a column, which has texts or times."""
    from pyarrow import types

    kind = source.schema.field(name).type
    return _type_of(source, name)[2] and not types.is_boolean(kind)


def _warn_of_unread(source: Source, names: list[str]) -> None:
    """Warn of columns that look like weights, and are not read."""

    def numeric(name: str) -> bool:
        kind, is_numeric, _ = _type_of(source, name)
        return is_numeric or kind.startswith("decimal")

    like = [name for name in names if looks_like_weight(name, numeric(name))]
    warn_of_unread(source.name, like)


def _field(name: str, columns: dict[str, Any], report: list[str]) -> Coded:
    """A column of any type that a field can have, taken out of the columns."""
    column = columns.pop(name)
    values = arrow_values(column)
    if isinstance(values, Coded):
        report.append(f"column {name!r}: {described(values)}")
        return values
    array = np.asarray(values)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
        report.append(f"column {name!r}: {column.type} read as {array.dtype}")
    return Coded(array)


def arrow_values(column: Any) -> Values:
    """A column of any type, with None for what is missing."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind) and is_text(kind.value_type):
        return _categories(column)
    if types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if is_text(kind):
        found = _categories(column.cast(pyarrow.large_string()).dictionary_encode())
        assert isinstance(found.type, Texts)
        order = np.argsort(found.type.values, kind="stable")
        rank = np.append(inverse(order), NO_TEXT)
        return categories(rank[found.values], found.type.values[order].tolist())
    if types.is_date(kind):
        column = column.cast(pyarrow.timestamp("s"))
    if types.is_timestamp(column.type):
        counts = concatenated(column.cast(pyarrow.int64()).fill_null(NOT_A_TIME).chunks)
        return Coded(counts, Times(column.type.unit, column.type.tz))
    if column.null_count:
        return list(column.to_pylist())
    if types.is_boolean(kind):
        return Coded(concatenated(column.chunks).astype(np.int8), Bools())
    if types.is_integer(kind) or types.is_floating(kind):
        return concatenated(column.chunks)
    return list(column.to_pylist())


def _categories(column: Any) -> Coded:
    """A column of a dictionary of texts, in its order. One chunk's dictionary may differ from the
    next one's, and contain a text twice, or a null. Ordered categories that have another order in
    another chunk have none."""
    import pyarrow

    place: dict[str, int] = {}
    table, known, ordered = np.empty(0, np.int32), None, bool(column.type.ordered)
    codes = [np.empty(0, np.int32)]
    for chunk in column.chunks:
        if known is None or not chunk.dictionary.equals(known):
            known = chunk.dictionary
            texts = known.to_pylist()
            own = [NO_TEXT if t is None else place.setdefault(t, len(place)) for t in texts]
            table = np.array([*own, NO_TEXT], np.int32)
            named = table[table != NO_TEXT]
            ordered = ordered and bool((named[1:] > named[:-1]).all())
        indices = chunk.indices.cast(pyarrow.int32()).fill_null(NO_TEXT)
        codes.append(table[indices.to_numpy()])
    return categories(np.concatenate(codes), list(place), ordered)


def write_arrow(graph: Graph, dense: bool = False) -> Any:
    """A pyarrow.Table of columns "source", "target" and the edge fields; one edge per row.

    Only text labels are copied: without labels the ends are the graph's own arrays, and with labels
    dictionary columns with these arrays as indices. Vertex fields are left out.

    Args:
        dense: the rows contain the labels themselves, as Parquet needs.

    Raises:
        GraphError: pyarrow is not installed, a field has the name of one of the ends, or the labels
            are neither integers nor text in UTF-8.
    """
    pyarrow = imported("pyarrow", "to_arrow", GraphError)
    names = ENDS[0]
    for name in names:
        if name in graph.edge_fields:
            raise GraphError(
                f"the edge field {name!r} has the name of the column of {name}s; rename it"
            )
    labels = graph.labels
    if labels is not None and not len(labels):
        labels = labels.astype(np.int64)
    if labels is not None and labels.dtype.kind == "U":
        wrong = next(filter(has_surrogate, labels.tolist()), None)
        if wrong is not None:
            raise GraphError(
                f"a table cannot hold the label {wrong!r}: UTF-8 does not have one of its "
                "characters; gascl's own format (.npz) can; or give other labels"
            )
    dense = dense or not graph.num_edges  # a file without rows has no dictionary
    own: dict[str, Any] = {"version": 1, "ends": names, "directed": graph.directed}
    own |= {"num_vertices": graph.num_vertices, "labels": "none"}
    ends = [graph.edge_src, graph.edge_dst]
    if labels is None:
        columns = [pyarrow.array(end) for end in ends]
    elif labels.dtype.kind not in "iuU":
        raise GraphError(
            "the labels in a table are integers or text, and the graph's are other objects; give "
            "it labels of text"
        )
    elif dense and labels.dtype.kind != "U":
        columns = [pyarrow.array(labels[end]) for end in ends]
    else:
        text = labels.dtype.kind == "U"
        texts = pyarrow.array(labels.tolist(), pyarrow.string()) if text else pyarrow.array(labels)
        columns = [pyarrow.DictionaryArray.from_arrays(pyarrow.array(end), texts) for end in ends]
        own["labels"] = "dictionary"
    if labels is not None and dense:
        used = np.zeros(len(labels), dtype=bool)
        for end in ends:
            used[end] = True
        in_order = bool((labels[1:] > labels[:-1]).all())
        own["labels"] = "ids" if in_order and used.all() else labels.tolist()
    columns += _arrow_columns(graph.edge_fields, graph.edge_types)
    table = pyarrow.table(columns, names=[*names, *graph.edge_fields])
    return table.replace_schema_metadata({KEY: json.dumps(own).encode()})


def write_vertices(graph: Graph) -> Any:
    """A pyarrow.Table of the labels, as `vertex`, and the vertex fields. The columns of a field
    with several values per vertex are `x_0`, `x_1` and so on.

    Raises:
        GraphError: pyarrow is not installed, or the labels are neither integers nor text.
    """
    pyarrow = imported("pyarrow", "to_arrow", GraphError)
    labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    if labels.dtype.kind not in "iuU":
        raise GraphError(
            "the labels in a table are integers or text, and the graph's are other objects; give "
            "it labels of text"
        )
    ids = pyarrow.array(labels.tolist() if labels.dtype.kind == "U" else labels)
    fields = components(graph.vertex_fields)
    if "vertex" in fields:
        raise GraphError(
            "the vertex field 'vertex' has the name of the column of labels; rename it"
        )
    columns = [ids, *_arrow_columns(fields, graph.vertex_types)]
    return pyarrow.table(columns, names=["vertex", *fields])


def _arrow_columns(fields: Mapping[str, np.ndarray], types: Mapping[str, FieldType]) -> list[Any]:
    """Fields as columns: texts as dictionaries, times as timestamps."""
    import pyarrow

    columns = []
    for name, values in fields.items():
        kind, array = types.get(name), np.asarray(values)
        if isinstance(kind, Texts):
            codes = pyarrow.array(array, mask=array == NO_TEXT)
            texts = pyarrow.array(kind.values.tolist(), pyarrow.string())
            columns.append(pyarrow.DictionaryArray.from_arrays(codes, texts, ordered=kind.ordered))
        elif isinstance(kind, Times):
            counts = pyarrow.array(array, mask=array == NOT_A_TIME)
            columns.append(counts.cast(pyarrow.timestamp(kind.unit, kind.zone)))
        else:
            columns.append(pyarrow.array(decoded(array, kind)))
    return columns


@dataclass(frozen=True)
class Source:
    """A table in memory or in a file.

    Attributes:
        name: the file's name, or what errors call the table.
        rows: their number.
        load: names of columns -> a pyarrow.ChunkedArray by each name.
        error: the error to raise for it.
    """

    name: str
    schema: Any
    rows: int
    load: Callable[[list[str]], dict[str, Any]]
    error: type[GraphError] = GraphError


def _loaded(
    source: Source, names: list[str], may_lack: Collection[str], row: int
) -> dict[str, Any]:
    """The columns as they are stored, each a pyarrow.ChunkedArray of all rows.

    Args:
        may_lack: those in which values may be missing.
        row: the number of the first row.

    Raises:
        source.error: one has more or fewer rows than the table, or a null; names the row.
    """
    columns = source.load(names)
    for name, column in columns.items():
        if len(column) != source.rows:
            raise source.error(
                f"{source.name}: column {name!r} has {len(column):,} rows, and the table has "
                f"{source.rows:,}; the file is damaged: fetch or write it again"
            )
        if name not in may_lack:
            _check_nulls(source, name, column, row)
    return columns


def _check_nulls(source: Source, name: str, column: Any, row: int = 0) -> None:
    """Raises source.error for the first row without a value; `row` is that of the first item."""
    for chunk in column.chunks if column.null_count else ():
        nulls = np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False))
        if len(nulls):
            raise source.error(
                f"{source.name}: row {row + nulls[0]} (the first is 0) has no value for {name!r}; "
                "drop such rows, or fill them"
            )
        row += len(chunk)


def has_dictionary(column: Any) -> bool:
    """Whether a column stores indices into a dictionary of its values."""
    from pyarrow import types

    return types.is_dictionary(column.type)


def concatenated(chunks: list[Any]) -> np.ndarray:
    """Chunks of numbers as one array; a single chunk is not copied, and can be written to if its
    memory can."""
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in chunks]
    if len(parts) != 1:
        return joined(parts) if parts else np.empty(0, dtype=np.int64)
    (array,), memory = parts, chunks[0].buffers()[-1]
    if array.flags.writeable or memory is None or not memory.is_mutable:
        return array
    return np.frombuffer(memory, array.dtype, len(array), chunks[0].offset * array.itemsize)


def _vertices(
    source: Source,
    tail: str,
    head: str,
    columns: dict[str, Any],
    own: dict[str, Any],
    report: list[str],
    row: int,
) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    """Labels, or None if the ids are the vertices, and the ends of every edge as vertices; takes
    these out of the columns. `row` is the number of the first row."""
    import pyarrow

    kept = own.get("labels", "ids")
    ends = [columns.pop(name) for name in (tail, head)]
    if all(pyarrow.types.is_integer(end.type) for end in ends):
        narrow = in_threads(_narrow, ends)
        ends.clear()
        return _numbered_integers(source, (tail, head), narrow, kept, own, report, row)
    if kept == "dictionary" and all(map(_one_dictionary, ends)):
        chunk = ends[0].chunk(0)
        if chunk.dictionary.equals(ends[1].chunk(0).dictionary):
            places = [concatenated([c.indices for c in end.chunks]) for end in ends]
            for name, places_of in zip((tail, head), places, strict=True):
                _check_below(source, name, places_of, len(chunk.dictionary))
            report.append("ids: the table's dictionary, in its order")
            return _label_array(source, chunk.dictionary), places[0], places[1]
    named = zip((tail, head), ends, strict=True)
    plain = [_decoded(source, name, end, row) for name, end in named]
    del ends
    texts = [pyarrow.types.is_large_string(end.type) for end in plain]
    if texts[0] != texts[1]:
        raise _unlike(source, tail, head)
    if not texts[0]:
        narrow = [_narrow(end) for end in plain]
        return _numbered_integers(source, (tail, head), narrow, kept, own, report, row)
    report.append(IDS_ARE_TEXT)
    return _in_order(source, *_numbered_texts(source, plain[0], plain[1]), kept)


def _unlike(source: Source, tail: str, head: str) -> GraphError:
    """The error for ends of two types."""
    return source.error(
        f"{source.name}: {tail!r} is of type {source.schema.field(tail).type} and {head!r} of "
        f"{source.schema.field(head).type}; make both integers or both text"
    )


def _numbered_integers(
    source: Source,
    names: tuple[str, str],
    columns: list[np.ndarray],
    kept: Any,
    own: dict[str, Any],
    report: list[str],
    row: int,
) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    src, dst = columns
    columns.clear()
    if kept == "none":
        for name, column in zip(names, (src, dst), strict=True):
            _check_below(source, name, column, own["num_vertices"], row)
        report.append(IDS_ARE_VERTICES)
        return None, src, dst
    try:
        labels, src, dst = numbered(src, dst)
    except GraphError as error:
        raise source.error(f"{source.name}: {error}") from error
    report.append(IDS_ARE_INTEGERS)
    return _in_order(source, labels, src, dst, kept)


def _narrow(column: Any) -> np.ndarray:
    """A column of integers, as int32 if they fit, converted chunk by chunk."""
    import pyarrow.compute

    if column.type == pyarrow.int32() or not len(column):
        return concatenated(column.chunks)
    ends = pyarrow.compute.min_max(column).as_py()
    if ends["min"] < -(2**31) or ends["max"] >= 2**31:
        return concatenated(column.chunks)
    narrow = np.empty(len(column), dtype=np.int32)
    row = 0
    for chunk in column.chunks:
        narrow[row : row + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
        row += len(chunk)
    return narrow


def _check_kind(source: Source, name: str, weight: str | None) -> None:
    """Raises source.error unless a column is of a type for ids."""
    from pyarrow import types

    kind = source.schema.field(name).type
    value = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_integer(value) or is_text(value)):
        raise source.error(
            f"{source.name}: column {name!r} is of type {kind}, and ids are integers or text; cast "
            "it, or, if other columns are the ends, ",
            *naming_ends(source.schema.names, weight),
        )


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text."""
    from pyarrow import types

    view = getattr(types, "is_string_view", lambda _: False)
    return types.is_string(kind) or types.is_large_string(kind) or view(kind)


def _one_dictionary(column: Any) -> bool:
    if not has_dictionary(column) or not column.num_chunks:
        return False
    first = column.chunk(0).dictionary
    return all(chunk.dictionary.equals(first) for chunk in column.chunks[1:])


def _decoded(source: Source, name: str, column: Any, row: int = 0) -> Any:
    """The column, from a row on, as integers, or as text of one type."""
    import pyarrow

    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
        _check_nulls(source, name, column, row)  # the dictionary may have one, too
    return column.cast(pyarrow.large_string()) if is_text(kind) else column


def _check_below(source: Source, name: str, column: np.ndarray, count: int, first: int = 0) -> None:
    """Raises source.error unless the ids, from row `first` on, are below `count`."""
    if len(column) and (column.min() < 0 or column.max() >= count):
        row = int(np.flatnonzero((column < 0) | (column >= count))[0])
        raise source.error(
            f"{source.name}: row {first + row} (the first is 0) has the {name} {column[row]}, and "
            f"the graph has {count:,} vertices, from 0; the table is damaged or was changed: write "
            "it again"
        )


def _label_array(source: Source, dictionary: Any) -> np.ndarray:
    if dictionary.null_count:
        raise source.error(f"{source.name}: the dictionary contains a null; drop it")
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
        raise source.error(f"{source.name}: two ids differ only in NULs at the end; rename one")
    places = rank.astype(np.int32)[concatenated([chunk.indices for chunk in both.chunks])]
    return labels, places[: len(src)], places[len(src) :]


def _in_order(
    source: Source, labels: np.ndarray, src: np.ndarray, dst: np.ndarray, kept: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The labels and ends; if `kept` is a list of the labels in the graph's order, some perhaps
    unused, the ends as positions there."""
    if not isinstance(kept, list):
        return labels, src, dst
    array = _kept_labels(source, kept)
    place = {label: number for number, label in enumerate(kept)}
    missing = next((label for label in labels.tolist() if label not in place), None)
    if missing is not None:
        raise source.error(
            f"{source.name}: the id {missing!r} is not among the labels in gascl's metadata; the "
            "table is damaged or was changed: write it again"
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
