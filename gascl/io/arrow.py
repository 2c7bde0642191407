"""Graphs from and to Arrow tables, a row an edge; of the columns only those needed are loaded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.arcs import INT32_MAX
from gascl.graph.parsed import Parsed
from gascl.io.bothways import SAID, both_ways
from gascl.io.extras import imported
from gascl.io.tableids import vertices
from gascl.io.tablesource import Source, concatenated, without_nulls
from gascl.io.weightcolumn import WEIGHT, field_and_column, no_weight, weight_column

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

#: Names that columns of sources and targets have, in any case, in the order they are looked for.
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("source_id", "target_id"),
    ("src_id", "dst_id"),
    ("tail", "head"),
    ("u", "v"),
)

KEY = b"gascl"  # of the schema's metadata: direction, vertices and labels, as JSON


def ends_of(names: Sequence[str]) -> tuple[tuple[str, str], bool]:
    """Which columns are the sources and the targets, and whether their names tell."""
    lower = [str(name).lower() for name in names]
    for source, target in ENDS:
        if lower.count(source) == lower.count(target) == 1:
            return (names[lower.index(source)], names[lower.index(target)]), True
    return (names[0], names[1]), False


def read_arrow(table: Any, columns: Sequence[str] | str | None, directed: bool | None) -> Parsed:
    """`parsed_table` of a pyarrow.Table, a RecordBatch, or what else exports an Arrow stream."""
    pyarrow = imported("pyarrow", "from_arrow", GraphError)
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    if not isinstance(table, pyarrow.Table):
        if not hasattr(table, "__arrow_c_stream__"):
            raise GraphError(f"from_arrow needs an Arrow table, not {type(table).__name__}")
        table = pyarrow.table(table)
    source = Source("the table", table.schema, table.num_rows, table.column)
    return parsed_table(source, columns, directed, "Arrow table")


def parsed_table(
    source: Source, columns: Sequence[str] | str | None, directed: bool | None, kind: str
) -> Parsed:
    """The graph of a table: a row an edge, ids integers or text, other columns edge fields.

    Args:
        columns: the names of the columns of the sources, the targets, and those to take as fields,
            "weight=minutes" under another name; by default the first two are told by name (ENDS),
            or else the first two columns, and all numeric ones are fields. Of others than gascl's
            own tables a single field of numbers is "weight".
        directed: by default what gascl's own metadata say, or else directed. True makes two edges
            of each where those say that they are undirected.
        kind: what the report calls it.

    Raises:
        GraphError, or source.error: there are no such columns, they have other types, or a null.
    """
    names = list(source.schema.names)
    (tail, head), wanted, how = _chosen(source, names, columns)
    report = [f"{kind}: rows: {source.rows:,}; source and target: columns {tail!r}, {head!r}{how}"]
    own = _own(source)
    if own.get("ends") != [tail, head]:
        own = {}
    said = own.get("directed", True)
    if directed is None and not own:
        report.append("read as directed, which the table doesn't say; else directed=False")
    elif directed not in (None, said):
        report.append(f"directed={directed}, though the table was written from another graph")
    labels, src, dst = vertices(source, tail, head, own, report)
    others = [n for n in names if n not in (tail, head)]
    fields = _fields(source, others, wanted, bool(own), report)
    if directed and not said:
        report.append(SAID)
        src, dst, fields = both_ways(src, dst, fields)
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=own["num_vertices"] if labels is None else len(labels),
        directed=said if directed is None else directed,
        labels=labels,
        fields=fields,
        report=report,
    )


def _chosen(
    source: Source, names: list[str], columns: Sequence[str] | str | None
) -> tuple[tuple[str, str], dict[str, str] | None, str]:
    """The names of the ends, the fields of columns (None: all that can be), and how the ends were
    told."""
    if columns is not None:
        given = columns.split(",") if isinstance(columns, str) else list(columns)
        pairs = [("", name) for name in given[:2]] + [field_and_column(name) for name in given[2:]]
        wanted = [column for _, column in pairs]
        bad = next((name for name in wanted if names.count(name) != 1), None)
        if len(wanted) < 2 or len(set(wanted)) < len(wanted) or bad is not None:
            wrong = "name at least two columns, each once"
            if bad is not None:
                wrong = f"there is no one column {bad!r}"
            raise source.error(
                f"{source.name}: columns={columns!r}: {wrong}; there are {', '.join(names)}"
            )
        return (wanted[0], wanted[1]), {column: field for field, column in pairs[2:]}, ""
    if len(names) < 2:
        raise source.error(
            f"{source.name}: has {len(names)} column{'s' * (len(names) != 1)}, and an edge needs "
            "two: a source and a target; check that it is a table of edges"
        )
    ends, told = ends_of(names)
    if names.count(ends[0]) > 1 or names.count(ends[1]) > 1:
        raise source.error(
            f"{source.name}: two columns have the name {ends[0]!r}; give each its own"
        )
    return ends, None, "" if told else ", the first two"


def _own(source: Source) -> dict[str, Any]:
    """What gascl wrote into the schema's metadata; nothing for tables of others."""
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
            f"{source.name}: gascl's metadata in it ({KEY.decode()!r}) are damaged, or "
            "from a newer gascl; write it again"
        )
    return own


def _fields(
    source: Source,
    names: list[str],
    wanted: dict[str, str] | None,
    own: bool,
    report: list[str],
) -> dict[str, np.ndarray]:
    """The edge fields; `own`: the table is gascl's, and columns have the fields' names."""
    from pyarrow import types

    kinds = {name: source.schema.field(source.schema.names.index(name)).type for name in names}
    numeric = [n for n in names if types.is_integer(kinds[n]) or types.is_floating(kinds[n])]
    asked = dict.fromkeys(names, "") if wanted is None else wanted
    weight = None
    if not own and WEIGHT not in asked.values():
        weight = weight_column([name for name in numeric if name in asked])
    taken: dict[str, np.ndarray] = {}
    for name in names:
        said = f"column {name!r}"
        if name not in asked:
            report.append(f"{said} left out")
            continue
        field = asked[name] or (WEIGHT if name == weight else name)
        wrong = "its name is not an identifier" if not field.isidentifier() else ""
        wrong = f"another one is called {field!r}" if field in taken else wrong
        wrong = "it occurs twice" if names.count(name) > 1 else wrong
        if wrong:
            if wanted is not None:
                raise source.error(f"{source.name}: {said} can't be a field: {wrong}; rename it")
            report.append(f"{said} left out: {wrong}")
            continue
        kind = kinds[name]
        if name not in numeric and not types.is_boolean(kind):
            if wanted is not None:
                raise source.error(
                    f"{source.name}: {said} is of type {kind}, and a field has integers or "
                    "floats; cast it or leave it out of columns"
                )
            report.append(f"{said} left out: it is of type {kind}, no numbers")
            continue
        values = concatenated(without_nulls(source, name).chunks)
        for other, small in ((np.bool_, np.int8), (np.float16, np.float32)):
            if values.dtype == other:
                values = values.astype(small)
                report.append(f"{said}: {kind} taken as {values.dtype}")
        if field != name:
            report.append(f"{said} taken as edge field {field}")
        taken[field] = values
    if not own:
        report += no_weight(list(taken), f"columns=(SOURCE, TARGET, '{WEIGHT}=COLUMN')")
    return taken


def write_arrow(graph: Graph, dense: bool = False) -> Any:
    """A pyarrow.Table of columns "source", "target" and the edge fields; a row an edge.

    Nothing is copied but labels of text: without labels the ends are the graph's own arrays, and
    with labels they are dictionary columns, whose indices are. Vertex fields are not in it.

    Args:
        dense: labels stand in the rows, as Parquet has them.

    Raises:
        GraphError: pyarrow is missing, a field has the name of one of the ends, or the labels are
            neither integers nor text.
    """
    pyarrow = imported("pyarrow", "to_arrow", GraphError)
    names = ENDS[0]
    for name in names:
        if name in graph.edge_fields:
            raise GraphError(f"the edge field {name!r} has the name of a column of ends; rename it")
    labels = graph.labels
    if labels is not None and not len(labels):
        labels = labels.astype(np.int64)
    dense = dense or not graph.num_edges  # without rows no file has a dictionary
    own: dict[str, Any] = {"version": 1, "ends": names, "directed": graph.directed}
    own |= {"num_vertices": graph.num_vertices, "labels": "none"}
    ends = [graph.edge_src, graph.edge_dst]
    if labels is None:
        columns = [pyarrow.array(end) for end in ends]
    elif labels.dtype.kind not in "iuU":
        raise GraphError(
            "a table has labels of integers or text, and the graph's are other objects"
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
    columns += [pyarrow.array(values) for values in graph.edge_fields.values()]
    table = pyarrow.table(columns, names=[*names, *graph.edge_fields])
    return table.replace_schema_metadata({KEY: json.dumps(own).encode()})
