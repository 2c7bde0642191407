"""`Result`, which a run returns: arrays by name, the trace, and why the run stopped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, overload

import numpy as np

from gascl.errors import FieldError, GasclError, GraphError, check_flags
from gascl.graph.field_types import Times, listed
from gascl.graph.graph import Graph
from gascl.graph.labels import shown
from gascl.language.types import TIME, VERTEX, FieldTypes, Struct
from gascl.results.own_rows import OwnRows, RemoteFields
from gascl.results.plots import plot_distribution
from gascl.results.table import ResultTable
from gascl.results.trace import Trace
from gascl.util import notebook_html
from gascl.util.atomic_file import new_file
from gascl.util.atomic_folder import new_folder, part_name
from gascl.util.paths import checked_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Fields that say in which group a vertex is: their numbers have no order.
GROUPS = ("community", "label", "component", "color", "side")
#: Fields of several numbers per vertex, each of which says in which group it is.
LEVELS = (*GROUPS, "levels")

#: Deliveries without supersteps -> what a step of their runs is, alone and in the plural.
_STEPS = {"asynchronous": ("round", "rounds"), "in_place": ("pass", "passes")}


class KeptState(Protocol):
    """The state of a run, kept on the device for `Engine.run(state=...)`, which uses it up."""

    @property
    def superstep(self) -> int:
        """The number of supersteps that its program has run."""

    @property
    def pending(self) -> bool:
        """Whether messages to the next superstep are pending."""

    def names(self) -> list[str]:
        """The vertex fields that it holds."""

    def field(self, name: str) -> np.ndarray:
        """A vertex field on the host: (V,), (V, lanes) with lanes, and one more dimension for a
        vector's components."""


class Community(NamedTuple):
    """A group of vertices with the same value of a field.

    Attributes:
        community: the value; of a field of vertices, the label.
        size: the number of vertices.
        hub: the label of the vertex that represents it: the one of highest degree, whichever way
            its edges point, and of several the first.
    """

    community: Any
    size: int
    hub: Any


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The outcome of a run of a program.

    `result["rank"]` and `result.rank` are the vertex field `rank`: (V,) in the graph's vertex
    order, or (V, lanes) for a run with lanes, read from the device on first use. A vector field
    has one more dimension, and a struct field is a structured array. A field with the name of an
    attribute or method of this class, such as `missing`, can only be read as `result["missing"]`.

    Vertices in fields, such as a `parent`, are indices there, less than 0 for no vertex;
    `to_pandas`, `save`, `top` and `path` give labels, and None for no vertex, as
    `graph.labels_of(result.parent)` does.

    Attributes:
        arc_fields: arc fields by name, (A,) or (A, lanes), sorted by scattering vertex, other end
            and edge id.
        aggregates: the aggregators' values by name: those of the last superstep, or if none ran,
            those after init, which are the identities if init adds nothing. Of a program of
            several stages, what it returned; on the empty graph, 0 for integers and else NaN.
        supersteps: the number of supersteps that ran; by delivery `asynchronous`, of rounds, and
            by `in_place`, of passes.
        converged: whether the program's own rule ended the run.
        stopped: why it ended, as text.
        trace: one `Step` per superstep; see `Trace` for its table and its plot.
        device, delivery: the device, and the deliveries of the messages.
        numbering: the order of the vertices on the device, if it is not the graph's, and why.
        seconds: wall time of "build", "upload" and "supersteps"; for a program of several stages
            also "solve", the time spent between them.
        missing: vertex fields, arc fields and aggregators that were not computed yet when a
            program of several stages ended early.
        types: the declared types of vertex and arc fields: those of type "vertex" are vertices;
            `types.inputs` are the vertex fields that the program reads and never writes.
        edges: the direction of the arcs of `arc_fields`, as in `Graph.arcs`.
        time_type: the unit and the time zone of fields of type `time`, which are datetime64, with
            NaT for a time that never comes; None: they are numbers, as the graph's times are.
        named: for each lane, the labels of the vertices that parameters named, such as a `source`.
    """

    graph: Graph
    fields: Mapping[str, np.ndarray]
    supersteps: int
    converged: bool
    stopped: str
    trace: Trace
    device: str
    delivery: str
    seconds: dict[str, float] = field(default_factory=dict)
    arc_fields: Mapping[str, np.ndarray] = field(default_factory=dict)
    aggregates: Mapping[str, Any] = field(default_factory=dict)
    _state: KeptState | None = None
    _keeps_state: bool = False
    missing: tuple[str, ...] = ()
    numbering: str = ""
    types: FieldTypes = field(default_factory=FieldTypes)
    edges: str = "out"
    time_type: Times | None = None
    named: Sequence[Sequence[Any]] = ()
    _own_rows: OwnRows | None = None

    @property
    def state(self) -> KeptState | None:
        """The State on the device, for `Engine.run(state=...)`. Programs of several stages that run
        others only in `share` or with fresh=True have none: None, with which a run begins again.

        Raises:
            GasclError: the run was not to keep it.
        """
        if not self._keeps_state:
            raise GasclError("the run has kept no State: give it keep_state=True")
        return self._state

    @property
    def own_rows(self) -> OwnRows:
        """The values of this rank's own vertices, by the name of the field, and
        `own_rows.vertices`; without ranks, of all vertices."""
        if self._own_rows is None:
            return OwnRows(np.arange(self.graph.num_vertices), self.fields, 0, 1, None)
        return self._own_rows

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.fields:
            return self.fields[name]
        available = ", ".join(self.fields) or "none"
        if name in self.missing:
            raise FieldError(
                f"field {name!r} is not computed yet: the run ended too early (",
                self.stopped,
                f"); let it run to its end. Available fields: {available}",
            )
        if name in self.arc_fields:
            raise FieldError(f"{name!r} is an arc field: use result.arc_fields[{name!r}]")
        if name in self.aggregates:
            raise FieldError(f"{name!r} is an aggregator: use result.aggregates[{name!r}]")
        near = get_close_matches(str(name), [*self.fields, *self.missing], 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise FieldError(f"the result has no field {name!r}{hint} Available fields: {available}")

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__") or "fields" not in self.__dict__:  # copy and pickle look for such
            raise AttributeError(name)
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    def __repr__(self) -> str:
        return (
            f"Result({', '.join(self.fields) or 'no field'}; {steps_of(self)}, "
            f"{self.stopped}, {self.delivery} on {self.device})"
        )

    def __str__(self) -> str:
        """What `print` shows: the vertices with the largest values, or the largest groups."""
        try:
            lines = self._groups()
            header, rows = self._rows()
        except GasclError as error:  # as in `_repr_html_`
            return f"{self!r}: {error}"
        cells = [header, *([_text(value) for value in row] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            first, *rest = zip(row, widths, strict=True)
            texts = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in rest)]
            lines.append("  ".join(texts).rstrip())
        more = self.graph.num_vertices - len(rows)
        lines += [f"... {more:,} more"] if more else []
        lines += [f"{name} = {value}" for name, value in self.aggregates.items()]
        lines += [f"{steps_of(self)}: {self.stopped}", f"{self.delivery} on {self.device}"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        took = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in self.seconds.items())
        lines = [
            f"{steps_of(self)}: {self.stopped}",
            f"{self.delivery} on {self.device}",
        ]
        lines += [took] if took else []
        lines += [f"{name} = {value}" for name, value in self.aggregates.items()]
        lines += [f"not computed yet: {', '.join(self.missing)}"] if self.missing else []
        lines += [f"arc fields: {', '.join(self.arc_fields)}"] if self.arc_fields else []
        about = map(notebook_html.line, lines)
        try:
            groups = map(notebook_html.line, self._groups())
            header, rows = self._rows()
        except GasclError as error:  # the device is busy, or a later run has used the State up
            return notebook_html.page("Result", notebook_html.line(str(error)), *about)
        shown = notebook_html.table(header, rows, self.graph.num_vertices - len(rows))
        return notebook_html.page("Result", *groups, shown, *about)

    def _rows(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The head of a table and some rows: the vertices with the largest values of the first
        field with one number per vertex that is no group; without one, the first vertices."""
        answers = self._answers()
        count, every = notebook_html.ROWS, np.arange(self.graph.num_vertices)
        sorts = [n for n in answers if n not in GROUPS and self._is_number(n)]
        if sorts:
            order = self._ordered(sorts[0], largest=True)[:count]
            if len(order) < count:  # then those without values
                order = np.append(order, np.setdiff1d(every, order)[: count - len(order)])
            every = order
        every = every[:count]
        fields = {name: self[name][every] for name in answers}
        table = self._table_of({"vertex": every}, fields)
        columns = {name: column.listed() for name, column in table.columns().items()}
        return [*columns], list(zip(*columns.values(), strict=True))

    def _groups(self) -> list[str]:
        """A line for each field of groups: how many there are, and the largest."""
        lines = []
        for name in self._answers():
            values = self[name]
            if name in GROUPS and values.ndim == 1 and values.dtype.kind in "iu":
                found = self.communities(name)
                if self.types.get(name) != VERTEX:  # a number below 0 is none
                    found = [each for each in found if each.community >= 0]
                largest = ", ".join(f"{each.community} ({each.size:,})" for each in found[:5])
                text = f"{name}: {len(found):,} group{'s' * (len(found) != 1)}"
                more = ", ..." if len(found) > 5 else ""
                lines.append(f"{text}; vertices: {largest}{more}" if found else text)
        return lines

    def top(
        self, name: str | None = None, k: int = 10, largest: bool = True
    ) -> list[tuple[Any, Any]]:
        """The k vertices with the largest (or smallest) values of a field, as (label, value).

        Vertices without a value are left out: those where it is infinite, such as the distance to a
        vertex that is not reached, or NaN, or no vertex. So there may be fewer than k. Ties are in
        vertex order. Values that are vertices are compared by their indices in the graph, and shown
        by label.

        Args:
            name: the field; it can be left out if only one, inputs aside, has a number per vertex.
        """
        check_flags(largest=largest)
        name = self._only_number("top sorts by") if name is None else name
        values = self._scalars(name, "sorted", "sort")
        first = self._ordered(name, largest)[: max(k, 0)]
        values = values[first]
        if self.types.get(name) == VERTEX:
            values = self.graph.labels_of(values)
        labels = self.graph.labels_of(first).tolist()
        return list(zip(labels, self._listed(values), strict=True))

    def _listed(self, values: np.ndarray) -> list[Any]:
        """The values as Python objects, times as datetimes."""
        return listed(values, self.time_type if values.dtype.kind == "M" else None)

    def _ordered(self, name: str, largest: bool) -> np.ndarray:
        """The vertices with a value of a field of numbers, sorted by these; of equal ones, in
        vertex order."""
        values = self[name]
        candidates = np.flatnonzero(has_value(values, self.types.get(name)))
        if largest:  # reversed twice, so that equal values stay in the order of vertices
            candidates = candidates[::-1]
        order = candidates[np.argsort(values[candidates], kind="stable")]
        return order[::-1] if largest else order

    @overload
    def communities(
        self,
        name: str | None = None,
        k: int | None = None,
        largest: bool = True,
        levels: Literal[False] = False,
    ) -> list[Community]: ...

    @overload
    def communities(
        self,
        name: str | None = None,
        k: int | None = None,
        largest: bool = True,
        *,
        levels: Literal[True],
    ) -> list[list[Community]]: ...

    def communities(
        self,
        name: str | None = None,
        k: int | None = None,
        largest: bool = True,
        levels: bool = False,
    ) -> list[Community] | list[list[Community]]:
        """The communities, or other groups of vertices with the same value of a field: the largest
        (or smallest) first, and of equal ones that with the lower value.

        Vertices without a value, as in `top`, are in none.

        Args:
            name: the field; it can be left out if there is one of those that `GROUPS` names, or
                with `levels`, just one field with several such numbers per vertex.
            k: at most so many communities; None: all.
            levels: of a field with several numbers per vertex, such as ParticleCommunities' levels
                or Leiden's communities at several resolutions: the communities by each of them.

        Returns:
            A list of tuples (community, size, hub), which `pandas.DataFrame` takes as a table. With
            `levels`, a list of such lists, in the order of the numbers.

        Raises:
            GasclError: the field has several values per vertex, or with `levels` only one; or no
                name is given, and there is not just one of those fields.
            FieldError: there is no such field.
        """
        check_flags(largest=largest, levels=levels)
        if name is None:
            named = LEVELS if levels else GROUPS
            there = [n for n in self if n in named and (self[n].ndim == 2 or not levels)]
            if len(there) != 1:
                raise GasclError(
                    "communities are the vertices with the same value of a field: name it; there "
                    f"are: {', '.join(self._answers()) or 'no field'}"
                )
            name = there[0]
        if not levels:
            return self._communities_by(
                name, self._scalars(name, "grouped", "group by"), k, largest
            )
        if self[name].ndim != 2:
            raise GasclError(
                f"field {name!r} has no levels: they are several numbers per vertex, such as "
                "ParticleCommunities' levels; leave out levels=True"
            )
        return [self._communities_by(name, values, k, largest) for values in self[name].T]

    def _communities_by(
        self, name: str, values: np.ndarray, k: int | None, largest: bool
    ) -> list[Community]:
        """The communities by values (V,) of a field."""
        vertices = np.flatnonzero(has_value(values, self.types.get(name)))
        found, number, sizes = np.unique(values[vertices], return_inverse=True, return_counts=True)
        names = self.graph.labels_of(found) if self.types.get(name) == VERTEX else found
        # Of the highest degree, and of several the first one.
        count = self.graph.num_vertices
        rank = self.graph.degree[vertices].astype(np.int64) * count + count - 1 - vertices
        highest = np.full(len(found), -1, np.int64)
        np.maximum.at(highest, number, rank)
        order = np.argsort(-sizes if largest else sizes, kind="stable")
        order = order[: None if k is None else max(k, 0)]
        hubs = self.graph.labels_of(count - 1 - highest[order] % max(count, 1))
        columns = names[order].tolist(), sizes[order].tolist(), hubs.tolist()
        return list(map(Community, *columns))

    def plot(self, name: str | None = None, kind: str = "auto", ax: Any = None) -> Axes:
        """Draw the distribution of a field's values over the vertices, by matplotlib.

        Args:
            name: the field; it can be left out if only one, inputs aside, has a number per vertex.
            kind: "histogram"; "ccdf", the share of vertices with x or more, for each x above 0, on
                logarithmic axes; or "auto": "ccdf" if no value is below 0 and the largest is at
                least 50 times the median of those above 0, else "histogram".
            ax: the matplotlib Axes to draw on; default: those of a new figure.

        Returns:
            The Axes.

        Raises:
            GasclError: matplotlib is missing, or the field has no finite values, or several values
                per vertex; or no name is given, and there is not just one field to draw.
            FieldError: there is no such field.
        """
        name = self._only_number("plot draws") if name is None else name
        return plot_distribution(self._scalars(name, "drawn", "draw"), name, kind, ax)

    def _only_number(self, does: str) -> str:
        """The name of the only field with a number per vertex, for a method that `does` it."""
        numbers = [n for n in self._answers() if self._is_number(n)]
        if len(numbers) == 1:
            return numbers[0]
        if numbers:
            raise GasclError(
                f"{does} one field: name it, such as {numbers[0]!r}; there are: "
                f"{', '.join(numbers)}"
            )
        raise GasclError(
            f"{does} a field with one number per vertex, and there is none among: "
            f"{', '.join(self._answers()) or 'no field'}"
        )

    def _is_number(self, name: str) -> bool:
        """Whether a field has one number per vertex, which names no vertex."""
        values = self[name]
        return self.types.get(name) != VERTEX and values.ndim == 1 and not values.dtype.names

    def _answers(self) -> list[str]:
        """The vertex fields except inputs."""
        return [name for name in self if name not in self.types.inputs]

    def _scalars(self, name: str, done: str, do: str) -> np.ndarray:
        """(V,): a field with one number per vertex, which can be `done`."""
        values = self[name]
        if values.ndim > 1 or values.dtype.names:
            what = "a struct" if values.dtype.names else f"{values.shape[1]} values"
            raise GasclError(
                f"field {name!r} has {what} per vertex and cannot be {done}; {do} a column of "
                "result.to_pandas(), which has one for each of them"
            )
        return values

    def path(self, target: Any, field: str = "parent", lane: int | None = None) -> list[Any]:
        """The labels on the path to a vertex, from where it begins to the vertex itself.

        Args:
            target: the label of its last vertex.
            field: the vertex field with the vertex before on the path, or none.
            lane: in a run with lanes, the number of the lane.

        Raises:
            FieldError: there is no such field.
            GraphError: there is no such vertex, or no path to it: nothing comes before it, and it
                is none of those that the program's parameters name.
            GasclError: the field's values are not vertices, they lead round in a circle, or
                there is no such lane.
        """
        before = self._before(field, lane)
        last = vertex = self.graph.index_of(target)
        path = [vertex]
        while 0 <= (ahead := int(before[vertex])) < len(before) and ahead != vertex:
            path.append(vertex := ahead)
            if len(path) > len(before):
                raise GasclError(
                    f"{field!r} leads round in a circle before {shown(target)}: it is no tree"
                )
        named = self.named[lane or 0] if self.named else ()
        if vertex == last and named and last not in self.graph.indices_of(named):
            starts = ", ".join(map(shown, named[:3])) + (", ..." if named[3:] else "")
            raise GraphError(
                f"there is no path to {shown(target)}: it has no {field!r}, and paths begin at "
                f"{starts}; `{field}` is -1 at all such vertices"
            )
        labels: list[Any] = self.graph.labels_of(path[::-1]).tolist()
        return labels

    def _before(self, field: str, lane: int | None) -> np.ndarray:
        """int (V,): a field of vertices, in one lane."""
        if field not in self and field not in self.missing:
            vertices = [n for n in self if self.types.get(n) == VERTEX]
            hint = f"its fields of vertices are {', '.join(vertices)}" if vertices else ""
            raise FieldError(
                f"the result has no field {field!r} to follow; "
                f"{hint or 'run a program that finds parents, such as ShortestPaths'}"
            )
        values = self[field]
        if self.types.get(field) != VERTEX:
            raise GasclError(
                f"field {field!r} does not hold vertices; declare it as vertex.vertex()"
            )
        lanes = values.shape[1] if values.ndim > 1 else 1
        if values.ndim > 1 and lane is None:
            raise GasclError(f"the run has {lanes} lanes; say which one: path(target, lane=0)")
        if lane is not None and not 0 <= lane < lanes:
            raise GasclError(f"lane={lane}: the run has {lanes}; give one from 0 to {lanes - 1}")
        return values if values.ndim == 1 else values[:, lane]

    def to_pandas(self, fields: Iterable[str] | None = None, *, arcs: bool = False) -> Any:
        """A DataFrame with one row per vertex, whose index `vertex` holds the labels. After a run
        with collect=False, these are a rank's own vertices.

        The columns are named as by `save`. Those of vertices, such as `parent`, hold labels, and
        NA or None for no vertex. Everything is copied.

        Args:
            fields: the names of the fields to take; by default all but inputs, which the program
                reads and never writes, such as PageRank's `personalization`. `fields=[*result]`
                takes these, too.
            arcs: one row per arc instead, in the order of `arc_fields`, with columns `source` and
                `target`, the labels of the vertex that scattered and of the other end, `edge`, the
                edge's id, and the arc fields.

        Raises:
            FieldError: there is no such field, or there are no arc fields.
            GasclError: pandas is not installed.
        """
        return self._table(fields, arcs).to_pandas()

    def save(
        self, path: str | Path, fields: Iterable[str] | None = None, *, arcs: bool = False
    ) -> None:
        r"""Write the fields and the labels, one row per vertex: .csv, .npz or .parquet. After a run
        with collect=False, these are a rank's own vertices, and each rank needs its own path.

        The column `vertex` holds the labels, or the indices if the graph has no labels. A vector's
        columns are `x_0`, `x_1` and so on, a struct's are `best_near` and so on; if another column
        already has such a name, they are `x[0]` or `best.near` instead. A field called `vertex`
        becomes `fields.vertex`. Vertices in fields are written as labels, and nothing or null for
        no vertex. .npz holds each field unchanged, under its name, so that vertices are indices
        into `vertex`.

        Text is UTF-8; a lone surrogate in a label, which UTF-8 cannot encode, is written as an
        escape, such as \ud800, in .csv and .parquet. An existing file is replaced only when the new
        one is complete.

        Args:
            fields, arcs: as in `to_pandas`.

        Raises:
            FormatError: the file cannot be written; an existing one is unchanged.
            FieldError: there is no such field, or there are no arc fields.
            GasclError: another file extension, or pyarrow is missing for .parquet.
        """
        self._table(fields, arcs).save(checked_path(path))

    def to_parquet(self, path: str | Path, fields: Iterable[str] | None = None) -> None:
        """Write the fields and the labels into a folder of Parquet files, which pandas, Dask, Spark
        and others read as one table; each rank writes its own vertices, to part-00000.parquet,
        part-00001.parquet and so on. Without ranks, a path that ends in .parquet is one file, as
        by `save`.

        All ranks must call this. A folder is created, or replaced if it has nothing but such parts,
        once all are complete. Ranks of several hosts need a file system that all of them see.

        Args:
            fields: as in `to_pandas`; the columns are those of `save`.

        Raises:
            FormatError: the folder cannot be written, or has other files; it is unchanged.
            FieldError: there is no such field.
            GasclError: pyarrow is missing; several ranks cannot write one file; or this Result has
                been pickled by one of several ranks.
        """
        own = self.own_rows
        if own.ranks is None and own.size > 1:
            raise GasclError(
                f"this is the result of rank {own.rank} of {own.size}, without the others: call "
                "to_parquet in all ranks of the run"
            )
        there = checked_path(path)
        if there.suffix == ".parquet":
            if own.size > 1:
                raise GasclError(
                    f"{there}: {own.size} ranks write a file each, into a folder: give a name "
                    f"without .parquet, such as {there.stem!r}"
                )
            return self.save(there, fields)
        with new_folder(there, own.ranks) as folder, self.graph.labels_in_all():
            self._table(fields, own=True).save(folder / part_name(own.rank))

    def _table(
        self, fields: Iterable[str] | None, arcs: bool = False, own: bool = False
    ) -> ResultTable:
        """The table of the vertices, or of the arcs.

        Args:
            own: of a rank's own vertices.
        """
        if isinstance(fields, str):
            raise FieldError(f"fields={fields!r} must be a list of names: fields=[{fields!r}]")
        check_flags(arcs=arcs)
        if not arcs:
            names = self._answers() if fields is None else fields
            if own or isinstance(self.fields, RemoteFields):
                rows = self.own_rows
                chosen = {name: rows[name] if name in rows else self[name] for name in names}
                return self._table_of({"vertex": rows.vertices}, chosen)
            chosen = {name: self[name] for name in names}
            every = np.arange(self.graph.num_vertices)
            return self._table_of({"vertex": every}, chosen)
        available = ", ".join(self.arc_fields)
        if not available:
            raise FieldError("the result has no arc fields: leave out arcs=True")
        names = list(self.arc_fields if fields is None else fields)
        for name in names:
            if name not in self.arc_fields:
                raise FieldError(f"the result has no arc field {name!r}. Arc fields: {available}")
        fields = {name: self.arc_fields[name] for name in names}
        order = self.graph.arcs(self.edges)
        ends = {"source": order.out.rows, "target": order.out_targets}
        return self._table_of(ends, fields, {"edge": order.out_edges})

    def _table_of(
        self,
        keys: Mapping[str, np.ndarray],
        fields: Mapping[str, np.ndarray],
        numbers: Mapping[str, np.ndarray] | None = None,
    ) -> ResultTable:
        return ResultTable(self.graph, keys, fields, self.types, numbers or {}, self.time_type)

    def save_trace(self, path: str | Path) -> None:
        """Write the trace as JSON, with a summary of the run and why it stopped.

        Perfetto (https://ui.perfetto.dev) and Chrome (chrome://tracing) open the file as a
        timeline: its `traceEvents` are those of `Trace.events`.

        Raises:
            FormatError: the file cannot be written; an existing one is unchanged.
        """
        summary = {
            "supersteps": self.supersteps,
            "converged": self.converged,
            "stopped": self.stopped,
            "device": self.device,
            "delivery": self.delivery,
            "aggregates": self.aggregates,
            "numbering": self.numbering,
            "seconds": self.seconds,
            "notes": self.trace.notes,
            "hints": [str(hint) for hint in self.trace.hints()],
            "trace": [step.to_dict() for step in self.trace],
            "traceEvents": self.trace.events(),
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


def _text(value: Any) -> str:
    """A cell of a printed table."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


def has_value(values: np.ndarray, type_: str | Struct | None) -> np.ndarray:
    """bool (V,): where a field with one number per vertex has a value: it is neither infinite nor
    NaN and, if it is declared as a vertex, names one, or as a time, comes."""
    if type_ == TIME and values.dtype.kind == "i":
        there: np.ndarray = values != np.iinfo(values.dtype).max
        return there
    return values >= 0 if type_ == VERTEX else np.isfinite(values)


def steps_of(result: Result) -> str:
    """The number of supersteps of a run, or of what it had instead, in words."""
    words = _STEPS.get(result.delivery, ("superstep", "supersteps"))
    return f"{result.supersteps:,} {words[result.supersteps != 1]}"
