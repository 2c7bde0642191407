"""`Graph`: vertices, edges, labels and fields. Immutable, on the host, without OpenCL."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError, check_flags
from gascl.graph import validation
from gascl.graph.arcs import Arcs, arcs_of, index_dtype
from gascl.graph.contract import Merging, contract
from gascl.graph.csr_ends import CsrEnds
from gascl.graph.delta import Change, changed, edge_values
from gascl.graph.field_stats import Summary, summary
from gascl.graph.field_table import FieldTable
from gascl.graph.field_types import FieldType, Texts, Times
from gascl.graph.fingerprint import canonical, fingerprint
from gascl.graph.labels import INTEGER, LabelIndex, label_array, labeled, shown
from gascl.graph.lazy import LazyFields, LazyValues, held
from gascl.graph.parallel import blocks
from gascl.graph.partial_array import RemoteDataError
from gascl.graph.provided import provided
from gascl.graph.raw_graph import RawGraph
from gascl.graph.remote_field import RemoteField
from gascl.graph.reordering import Numbering, Renumbered, by_number, numbering
from gascl.graph.simplify import by_degree, oriented, simple
from gascl.graph.subgraph import largest_component, subgraph, within
from gascl.graph.unstored import Unstored
from gascl.graph.validation import Duplicates, SelfLoops, checked_graph
from gascl.graph.vertex_table import with_vertices
from gascl.graph.where import between, where, windows
from gascl.user_messages import Option
from gascl.util import notebook_html
from gascl.util.host import check_host_memory
from gascl.util.mapped_file import MappedFile, mapped_files
from gascl.util.progress import Progress

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

#: The key of the fingerprint in `Graph._known`. What all ranks compute together is not cached by
#: `cached_property`, whose lock ranks in one process would share in Python 3.11.
_FINGERPRINT = ("fingerprint",)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A graph of V vertices, 0 ... V-1, and E edges, each with an id, 0 ... E-1.

    Made by `from_edges`, `read`, `dataset` or one of the other `from_...` methods, which check
    their arguments; the constructor does not. All arrays are read-only.

    An undirected edge is two arcs with one edge id; a self-loop is one arc.
    """

    src: np.ndarray | CsrEnds | LazyValues  # int32 (E,); `edge_src` is an array in any case
    dst: np.ndarray | CsrEnds | LazyValues  # likewise, `edge_dst`
    num_vertices: int
    directed: bool
    labels: np.ndarray | None = None  # (V,) of integers, str or object
    edge_fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (E,)
    vertex_fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (V,) or (V, n)
    report: list[str] = field(default_factory=list)  # what readers and policies did, for the user
    change: Change | None = None  # by `with_edges`, from another graph
    edge_types: Mapping[str, FieldType] = field(default_factory=dict)  # of those not just numbers
    vertex_types: Mapping[str, FieldType] = field(default_factory=dict)
    _arcs: dict[str, Arcs] = field(default_factory=dict, init=False)
    _numbered: dict[Any, Any] = field(default_factory=dict, init=False)  # by `edges` and ranks
    _known: dict[tuple[str, ...], Any] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _label_index: LabelIndex | None = None
    _mapped_files: tuple[MappedFile, ...] = field(default=(), init=False)
    #: Edges that ranks have read by share: `SharedEdges` of gascl.distributed.
    _shared: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        check_flags(GraphError, directed=self.directed)
        for name in ("edge_fields", "vertex_fields"):
            given = MappingProxyType(dict(held(getattr(self, name))))
            lazy = any(isinstance(values, LazyValues) for values in given.values())
            object.__setattr__(self, name, LazyFields(given) if lazy else given)
            types = name.replace("fields", "types")
            known = {n: t for n, t in getattr(self, types).items() if n in given}
            object.__setattr__(self, types, MappingProxyType(known))
        if self.labels is not None and self._label_index is None:
            object.__setattr__(self, "_label_index", LabelIndex(self.labels))
        fields = (*held(self.edge_fields).values(), *self.vertex_fields.values())
        for array in (self.src, self.dst, self.labels, *fields):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
        ends = (end.offsets if isinstance(end, CsrEnds) else end for end in (self.src, self.dst))
        if files := mapped_files((*ends, self.labels, *fields)):
            object.__setattr__(self, "_mapped_files", files)
            object.__setattr__(self, "__class__", _MappedGraph)
        elif type(self) is _MappedGraph:  # by `replace`, with arrays in memory
            object.__setattr__(self, "__class__", Graph)

    def __reduce__(self) -> tuple[Any, ...]:  # a mappingproxy cannot be pickled
        fields = (dict(self.edge_fields), dict(self.vertex_fields))
        state = (self.src, self.dst, self.num_vertices, self.directed, self.labels)
        types = (dict(self.edge_types), dict(self.vertex_types))
        return Graph, (*state, *fields, self.report, self.change, *types)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        text = f"{self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}"
        if self.edge_fields:
            text += f", fields: {', '.join(self.edge_fields)}"
        return f"Graph({text})"

    def _repr_html_(self) -> str:
        """The first edges and vertices with their fields, where this process has them, and how the
        graph was read."""
        if isinstance(self.src, Unstored) or self._shared is not None:
            return notebook_html.page(repr(self), *map(notebook_html.line, self.report))
        of_vertices = []
        if self.vertex_fields:
            named = notebook_html.line(f"vertex fields: {', '.join(self.vertex_fields)}")
            of_vertices = [named, self.vertices.html_table()]
        report = map(notebook_html.line, self.report)
        return notebook_html.page(repr(self), self.edges.html_table(), *of_vertices, *report)

    @classmethod
    def from_edges(
        cls,
        src: Any,
        dst: Any = None,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
        labels: Iterable[Any] | None = None,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
        vertex_fields: Mapping[str, Any] | None = None,
        **edge_fields: Any,
    ) -> Graph:
        """A graph with the edges (src[i], dst[i]), or of pairs: `from_edges([("a", "b"), ...])`.

        Args:
            src, dst: (E,) integers, 0 or more, which are the vertices themselves; or text or any
                hashable objects, which are labels. Without `dst`, a list of pairs (source, target)
                or an array (E, 2). They and all other arrays are copied.
            num_vertices: more than every id; by default the number of labels, or without labels
                the highest id + 1.
            labels: (V,) unique names of the vertices: integers, str or any hashable objects. By
                default those that `src` and `dst` contain: text sorted, objects as they come.
            duplicates: what to do with edges between the same ends (in an undirected graph (u, v)
                and (v, u) are the same): "keep" them, raise an "error", or merge them into the
                first, whose fields become the "sum", "min" or "max" of all (NaN if one is NaN) or
                stay those of the "first".
            self_loops: "keep" or "drop" them, or raise an "error".
            vertex_fields: name -> (V,) or (V, n) of the same types, in the order of the labels, or
                a dict or a pandas Series with a value for each label.
            edge_fields: name=(E,) integers, float32, float64; or bools, text or times, which
                programs read as integers, and `edges` shows as they are.

        Raises:
            GraphError: an argument is not as above; names the edge and the remedy.
        """
        validation.check_names(edge_fields, cls.from_edges.__kwdefaults__ or ())
        if dst is None:
            src, dst = validation.ends_of_pairs(src, "edges")
        names: Any
        src, dst, names = validation.vertices_of_labels(src, dst, labels)
        raw = RawGraph(src, dst, num_vertices, directed, names, edge_fields)
        graph = cls._from_raw(raw, duplicates, self_loops)
        if not vertex_fields:
            return graph
        checked = validation.checked_vertex_fields(vertex_fields, graph, graph.report)
        return replace(graph, **checked)

    @classmethod
    def from_csr(
        cls,
        offsets: Any,
        targets: Any,
        *,
        labels: Iterable[Any] | None = None,
        vertex_fields: Mapping[str, Any] | None = None,
        **edge_fields: Any,
    ) -> Graph:
        """A directed graph with an edge from v to each of targets[offsets[v]:offsets[v + 1]].

        These are `indptr` and `indices` of compressed sparse rows. They are not copied if they are
        of the dtypes below, so that they may be mapped from a file, and must not be changed. The
        sources need no memory: `edge_src` is made if it is read.

        Programs pull along edges in the order of targets. A graph that is too large to be sorted
        comes as compressed columns: `Graph.from_csr(offsets, sources).reversed()` has an edge from
        each of sources[offsets[v]:offsets[v + 1]], which should rise, to v.

        Args:
            offsets: (V + 1,) integers, int32 or, from 2^31 edges on, int64; from 0 to E, each as
                high as the one before or higher.
            targets: (E,) integers, int32, in [0, V).
            labels: (V,) unique names of the vertices, as in `from_edges`.
            vertex_fields: as in `from_edges`.
            edge_fields: name=(E,), as in `from_edges`.

        Raises:
            GraphError: an argument is not as above; names the edge and the remedy.
        """
        validation.check_names(edge_fields, cls.from_csr.__kwdefaults__ or ())
        report: list[str] = []
        names = None if labels is None else label_array(labels)
        for name in ("duplicates", "self_loops", "directed", "num_vertices"):
            if name in edge_fields:
                raise GraphError(
                    f"from_csr takes no {name}=: the graph is directed, has a vertex for each row, "
                    "and keeps all edges; use from_edges, or simple() of what from_csr returns"
                )
        if np.asarray(targets).dtype.kind not in "iuf":
            raise GraphError(
                f"targets must be integers, not {np.asarray(targets).dtype}: number the vertices "
                "from 0, and give their names as labels="
            )
        ends, highest = validation.checked_ids(targets, "targets")
        begins = validation.checked_offsets(offsets, len(ends))
        num_vertices = len(begins) - 1
        more = "add the missing vertices to the offsets"
        validation.checked_num_vertices({"targets": (ends, highest)}, num_vertices, names, more)
        graph = cls(
            CsrEnds(begins),
            np.ascontiguousarray(ends, np.int32).view(),
            num_vertices,
            True,
            names,
            **validation.checked_fields(edge_fields, len(ends), report=report),
            report=report,
        )
        if not vertex_fields:
            return graph
        return replace(graph, **validation.checked_vertex_fields(vertex_fields, graph, report))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        directed: bool | None = None,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
        format: str | None = None,
        weight: str | int | None = None,
        vertices: Any = None,
        id: Any = None,
        report: bool = False,
        progress: bool | Progress = False,
        comm: Any = None,
        **options: Any,
    ) -> Graph:
        """The graph in a file, which may be compressed (.gz, .bz2, .xz, .zst), or in a folder of
        Parquet files, in the order of their names; docs/graphs.md lists the formats.

        Args:
            directed: by default what the file says; most edge lists say nothing and are directed.
                For an undirected file, True makes two edges of each, one of a self-loop; for a
                directed one, False makes every edge undirected.
            format: the format's name; by default it is recognized by the content, or else by the
                file's extension.
            weight: the column, or the file's own edge field, to read as the field "weight".
            vertices: a table with a row for each vertex, whose columns become vertex fields: a
                file, a DataFrame or an Arrow table, as in `with_vertices`.
            id: the column of its ids, by default the first one.
            report: print how the file was interpreted, which `graph.report` holds in any case.
            progress: show on stderr, or as a bar in a notebook, how much of the file has been
                read. Files that are mapped into memory, such as gascl's own, are not read at once.
            comm: an mpi4py communicator, whose ranks all call this. Each reads a share of the rows
                of Parquet files, and only an Engine with the same `comm` can use the graph: see
                docs/scale.md. Files of other formats are read by each rank as without `comm`.
            options: further options of the format's reader, such as an edge list's `columns`.

        Raises:
            FormatError: the file does not follow its format, cannot be read, or does not fit in
                memory.
            GraphError: a policy refuses an edge, or the graph would be too large.
            RankError: with `comm`: another rank could not read its share.
        """
        if directed is not None:
            check_flags(GraphError, directed=directed)

        def read() -> Graph:
            try:
                raw = provided("read")(path, format, directed, weight, progress, **options)
                try:
                    graph = cls._from_raw(raw, duplicates, self_loops, own=True)
                except GraphError as error:
                    raise GraphError(f"{path}: ", error.message) from None
            except MemoryError as error:
                raise provided("too_large")(path) from error
            return graph._with_table(vertices, id)

        if comm is None:
            graph = read()
        else:
            alike = duplicates == self_loops == "keep" and vertices is None and id is None
            given = (path, format, directed, weight, progress)
            graph = provided("read_by_ranks")(comm, read, alike, *given, **options)
        if report:
            print("\n".join([repr(graph), *graph.report]))
        return graph

    @classmethod
    def dataset(cls, name: str, **read_options: Any) -> Graph:
        """A graph by name, which ships with gascl or is downloaded once; `gascl datasets` lists
        them.

        Args:
            read_options: options of `read`, which override the dataset's own.

        Raises:
            GraphError: there is no such dataset; suggests the nearest name.
            FormatError: it cannot be downloaded, or is not the expected file.
        """
        graph: Graph = provided("dataset")(cls, name, read_options)
        return graph

    def write(
        self, path: str | os.PathLike[str], *, format: str | None = None, arcs: bool = False
    ) -> None:
        """Write the graph to a file, compressed if its name ends in .gz, .bz2, .xz or .zst.

        Args:
            format: the format's name; by default it follows from the extension.
            arcs: also write the arcs, so that readers need not rebuild them: both orders, and the
                edge ids, flags and slots that have been computed. Only gascl's own
                format (.npz) holds them.

        Raises:
            FormatError: the format cannot hold the graph, or the file cannot be written; an
                existing file is then unchanged.
        """
        provided("write")(self, path, format, arcs)

    @classmethod
    def _from_raw(
        cls, raw: RawGraph, duplicates: Duplicates, self_loops: SelfLoops, own: bool = False
    ) -> Graph:
        """The graph, checked, and with the policies applied.

        Args:
            own: arrays need no copy, as in `validation.kept`.
        """
        unchanged = duplicates == self_loops == "keep"
        if raw.checked and unchanged:
            raw = replace(raw, report=list(raw.report))
        else:
            raw = checked_graph(raw, duplicates, self_loops, own)
        graph = cls(
            raw.src,
            raw.dst,
            raw.num_vertices or 0,
            raw.directed,
            raw.labels,
            raw.fields,
            raw.vertex_fields,
            raw.report,
            edge_types=raw.edge_types,
            vertex_types=raw.vertex_types,
        )
        if unchanged:
            graph._arcs.update(raw.arcs)
            graph._numbered.update(
                {(direction, 1): arcs for direction, arcs in raw.numbered.items()}
            )
            if raw.fingerprint is not None:
                graph._known[_FINGERPRINT] = raw.fingerprint
        return graph

    @classmethod
    def from_scipy(
        cls,
        matrix: scipy.sparse.sparray | scipy.sparse.spmatrix,
        *,
        directed: bool = True,
        field: str | None = "weight",
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
    ) -> Graph:
        """A graph with an edge from i to j for every stored entry (i, j), explicit zeros too.

        Args:
            matrix: a square sparse matrix or array of real numbers; bool counts as int8.
            directed: False needs a symmetric matrix; its lower triangle gives the edges.
            field: the edge field for the entries' values; None: no field.

        Raises:
            GraphError: the matrix is not as above.
        """
        return cls._from_raw(
            provided("from_scipy")(matrix, directed, field), duplicates, self_loops
        )

    @classmethod
    def from_networkx(
        cls,
        G: networkx.Graph,
        *,
        fields: Iterable[str] | None = None,
        vertex_fields: Iterable[str] | None = None,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
    ) -> Graph:
        """A graph from NetworkX's Graph, DiGraph, MultiGraph or MultiDiGraph, in its node order.

        The nodes become the labels.

        Args:
            fields: the edge attributes to read as fields; by default numbers and bools that all
                edges have, and texts and times, which some may lack; the report says what was left
                out.
            vertex_fields: the same for nodes, whose values may be lists of numbers of one length.
                By default text that contains numbers is converted, as the report says.

        Raises:
            GraphError: one of `fields` or `vertex_fields` is neither numbers or bools, nor texts or
                times, or an edge or a node does not have it. It may have None for a text or a time.
        """
        return cls._from_raw(
            provided("from_networkx")(G, fields, vertex_fields), duplicates, self_loops
        )

    @classmethod
    def from_igraph(
        cls, g: Any, *, duplicates: Duplicates = "keep", self_loops: SelfLoops = "keep"
    ) -> Graph:
        """A graph from an igraph.Graph, in its order of vertices and edges.

        The vertex attribute "name", if there is one, gives the labels. Numbers and bools that all
        edges, or all vertices, have, and texts and times, become fields; the report says what was
        left out.

        Raises:
            GraphError: `g` is not an igraph Graph, or two vertices have the same name.
        """
        return cls._from_raw(provided("from_igraph")(g), duplicates, self_loops)

    @classmethod
    def from_pandas(
        cls,
        df: Any,
        source: Any = None,
        target: Any = None,
        *,
        fields: Iterable[Any] | Mapping[str, Any] | None = None,
        weight: Any = None,
        vertices: Any = None,
        id: Any = None,
        directed: bool = True,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
    ) -> Graph:
        """A graph from a DataFrame with one edge per row; the ids, sorted, are the labels.

        Args:
            source, target: the columns of ids, both integers or both text. By default `source`
                and `target`, `src` and `dst`, `from` and `to` and the like, or the only two
                that are not the weight.
            fields: the columns to read as edge fields, or a dict from fields to columns, such as
                {"weight": "minutes"}; by default all other columns of numbers, bools, texts
                or times. The report says what was left out, and a warning if it looks like a
                weight. A single numeric column becomes the field "weight", unless a dict names it
                otherwise. NaN is a number; a text or a time may be missing, and any other null is
                an error.
            weight: the column to read as the field "weight"; the others keep their names.
            vertices: a table with a row for each vertex, whose columns become vertex fields: a
                file, a DataFrame or an Arrow table, as in `with_vertices`.
            id: the column of its ids, by default the first one.

        Raises:
            GraphError: a DataFrame is not as above; names the row.
        """
        raw = provided("from_pandas")(df, source, target, fields, directed, weight)
        graph = cls._from_raw(raw, duplicates, self_loops)
        return graph._with_table(vertices, id)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        columns: Sequence[str] | str | None = None,
        *,
        weight: str | None = None,
        vertices: Any = None,
        id: Any = None,
        directed: bool | None = None,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
    ) -> Graph:
        """A graph from a table of pyarrow, polars, DuckDB or anything else with Arrow's interface
        (`__arrow_c_stream__`): one edge per row.

        The ids, integers or text, sorted, are the labels. A table from `to_arrow` gives the same
        graph again, without its vertex fields.

        Args:
            columns: the columns of sources and targets, and those to read as fields,
                "weight=minutes" under another name. By default `source` and `target`, `src` and
                `dst`, `from` and `to` and the like, or the only two that are not the weight, and
                all other columns of numbers, bools, texts or times as fields. A single numeric
                column becomes the field "weight".
            weight: the column to read as the field "weight"; the others keep their names.
            vertices: a table with a row for each vertex, whose columns become vertex fields: a
                file, a DataFrame or an Arrow table, as in `with_vertices`.
            id: the column of its ids, by default the first one.
            directed: by default what `to_arrow` wrote into the table, otherwise True.

        Raises:
            GraphError: the table is not as above, or has a null that is neither a text nor a time;
                names the row.
        """
        if directed is not None:
            check_flags(GraphError, directed=directed)
        raw = provided("from_arrow")(table, columns, directed, weight)
        graph = cls._from_raw(raw, duplicates, self_loops)
        return graph._with_table(vertices, id)

    def to_scipy(self, field: str | None = None, *, copy: bool = True) -> scipy.sparse.csr_array:
        """The adjacency matrix (V, V): one entry per arc; zeros and duplicates are kept.

        Args:
            field: the edge field that gives the values; None: ones (int64).
            copy: False shares `indices` and `indptr` with the graph if both are int32; they are
                read-only, so that operations that would change them in place fail. The values are
                a copy either way.

        Raises:
            GraphError: there is no such field.
        """
        from scipy.sparse import csr_array

        check_flags(GraphError, copy=copy)
        arcs = self.arcs()
        if field is None:
            values = np.ones(self.num_arcs, dtype=np.int64)
        else:
            values = self._edge_field(field)[arcs.out_edges]
        shape = (self.num_vertices, self.num_vertices)
        return csr_array((values, arcs.out_targets, arcs.out_offsets), shape=shape, copy=copy)

    def to_networkx(self, *, multigraph: bool | None = None, lazy: bool = False) -> networkx.Graph:
        """A networkx.Graph or DiGraph, or MultiGraph or MultiDiGraph; everything is copied.

        The labels become the nodes, and the fields attributes of edges and nodes.

        Args:
            multigraph: by default only if edges have the same ends; True: always, for code that
                must know the class beforehand; False: never.
            lazy: keep the edges as arrays, which gascl as NetworkX's backend uses as they are, and
                make NetworkX's dictionaries when they are first needed. A multigraph, and one with
                an edge that lacks an attribute, has them from the start.

        Raises:
            GraphError: NetworkX is not installed, or with `lazy` older than 3.6; or edges have the
                same ends and `multigraph` is False.
        """
        check_flags(GraphError, lazy=lazy)
        return provided("to_stored_networkx" if lazy else "to_networkx")(self, multigraph)

    def to_igraph(self) -> Any:
        """An igraph.Graph: labels as the vertex attribute "name", fields as attributes; copied.

        Raises:
            GraphError: igraph is not installed, or a graph with labels has a vertex field "name".
        """
        return provided("to_igraph")(self)

    def to_pandas(self) -> Any:
        """A DataFrame of columns `source`, `target` (labels) and the edge fields; one edge per row.

        Everything is copied. Direction, vertices without edges and vertex fields are left out.

        Raises:
            GraphError: pandas is not installed, or an edge field is called "source" or "target".
        """
        return provided("to_pandas")(self)

    def to_arrow(self) -> Any:
        """A pyarrow.Table of columns `source`, `target` and the edge fields; one edge per row.

        Only text labels are copied: without labels the ends are `edge_src` and `edge_dst`
        themselves, and with labels dictionaries with these as indices. The schema's metadata holds
        direction and number of vertices; vertex fields are left out.

        Raises:
            GraphError: pyarrow is not installed, labels are neither integers nor text, or an edge
                field is called "source" or "target".
        """
        return provided("to_arrow")(self)

    def check_unchanged(self) -> None:
        """Raises FormatError if the graph is in a mapped file that was changed since."""
        for file in self._mapped_files:
            file.check()

    @property
    def vertices(self) -> FieldTable:
        """The vertex fields as a table, in which texts, times and bools are shown as such: a row
        for each vertex, by its label."""
        return FieldTable(self, {}, self.vertex_fields, self.vertex_types)

    @property
    def edges(self) -> FieldTable:
        """The edge fields as a table, in which texts, times and bools are shown as such: a row
        for each edge, by the labels of its ends."""
        ends = {"source": self.edge_src, "target": self.edge_dst}
        return FieldTable(self, ends, self.edge_fields, self.edge_types)

    @property
    def edge_src(self) -> np.ndarray:
        """int32 (E,): where each edge comes from."""
        return _array_of(self.src)

    @property
    def edge_dst(self) -> np.ndarray:
        """int32 (E,): where each edge leads to."""
        return _array_of(self.dst)

    @property
    def num_edges(self) -> int:
        """The number of edges; an undirected edge counts once."""
        return len(self.src)

    @property
    def num_arcs(self) -> int:
        """The number of arcs: an undirected edge is two, a self-loop one."""
        if self.directed:
            return self.num_edges
        return 2 * self.num_edges - self.num_loops

    @cached_property
    def num_loops(self) -> int:
        """The number of edges from a vertex to itself."""
        if isinstance(self.src, Unstored):  # a rule has none
            return 0
        if self._shared is not None:
            return int(self.loops.sum(dtype=np.int64))
        arcs = self._arcs.get("both")
        if arcs is not None and "offsets" in arcs.out.kept:
            return 2 * self.num_edges - int(arcs.out_offsets[-1])
        return validation.count_loops(self.src, self.dst)

    @cached_property
    def loops(self) -> np.ndarray:
        """int32 (V,): the number of edges from each vertex to itself."""
        if self._shared is not None:
            loops: np.ndarray = self._shared.loops.astype(np.int32)
        else:
            at = self.edge_src[self.edge_src == self.edge_dst]
            loops = np.bincount(at, minlength=self.num_vertices).astype(np.int32)
        loops.setflags(write=False)
        return loops

    def arcs(self, edges: str = "out") -> Arcs:
        """The arcs along which a program scatters. Each array is made when it is first read.

        Args:
            edges: "out" (from edge_src to edge_dst), "in" (every arc reversed) or "both" (two arcs
                per edge, one per self-loop). An undirected graph has the same arcs for all three.

        Raises:
            GraphError: `edges` is anything else.
        """
        if edges not in ("out", "in", "both"):
            raise GraphError(f"edges={edges!r} is not known; use one of out, in, both")
        self.check_unchanged()
        with self._lock:
            return self._arcs_along(edges if self.directed else "both")

    def _arcs_along(self, direction: str) -> Arcs:
        if direction not in self._arcs:
            if self._shared is not None:
                self._arcs[direction] = self._shared.arcs(direction)
            elif direction == "in":  # the orders of "out" in exchange
                self._arcs[direction] = self._arcs_along("out").transposed()
            else:
                self._arcs[direction] = arcs_of(self.src, self.dst, self.num_vertices, direction)
        return self._arcs[direction]

    def numbered(self, edges: str = "out", ranks: int = 1) -> tuple[Numbering, Arcs] | None:
        """The arcs with vertices renumbered, hubs first, for programs that gather a value of every
        sender; None where the degrees show that it would not pay.

        They are computed at the first call, and cached. Edge ids are the same, and parallel arcs
        keep their order.

        Args:
            edges: as in `arcs`.
            ranks: the number of processes that share the arcs, as in `numbering`; the arcs of a
                file are those for one process, and are used for several, too.
        """
        direction = edges if self.directed else "both"

        def find() -> tuple[Numbering, Arcs] | None:
            degree = np.diff(self._arcs_along(direction).out_offsets)
            renumbering = numbering(degree, ranks)
            if renumbering is None:
                return None
            return renumbering, self._arcs_by(renumbering, direction)

        with self._lock:
            cached: tuple[Numbering, Arcs] | None = self._numbered.get((direction, 1))
            key = direction, 1 if cached and cached[1].into.presorted else ranks
            if key not in self._numbered:
                self._numbered[key] = find()
            cached = self._numbered[key]
            return cached

    def arcs_by(self, renumbering: Numbering, edges: str = "out") -> Arcs:
        """The arcs with vertices renumbered, as in `numbered`; computed at each call."""
        with self._lock:
            return self._arcs_by(renumbering, edges if self.directed else "both")

    def _arcs_by(self, renumbering: Numbering, direction: str) -> Arcs:
        if self._shared is not None:
            shared: Arcs = self._shared.arcs_by(renumbering, direction)
            return shared
        offsets = self._arcs_along(direction).out_offsets
        src, dst = (Renumbered(e, renumbering.number) for e in (self.src, self.dst))
        arcs = arcs_of(src, dst, self.num_vertices, direction)
        begins = np.zeros_like(offsets)
        np.cumsum(by_number(renumbering, np.diff(offsets)), out=begins[1:])
        arcs.out.know(begins)
        return arcs

    def arcs_made(self) -> tuple[dict[str, Arcs], dict[str, tuple[Numbering, Arcs]]]:
        """The arcs that have been computed, by `edges`, and the renumbered ones for one process."""
        with self._lock:
            numbered = {
                direction: n for (direction, ranks), n in self._numbered.items() if n and ranks == 1
            }
            return dict(self._arcs), numbered

    @cached_property
    def out_degree(self) -> np.ndarray:
        """int32 (V,): the number of arcs out of each vertex."""
        return _degrees(self.arcs().out_offsets)

    @cached_property
    def in_degree(self) -> np.ndarray:
        """int32 (V,): the number of arcs into each vertex."""
        return _degrees(self.arcs().in_offsets)

    @cached_property
    def degree(self) -> np.ndarray:
        """int32 (V,): the number of edges at each vertex, whichever way they point; a self-loop
        counts once."""
        return _degrees(self.arcs("both").out_offsets)

    @property
    def hub(self) -> int:
        """The number of a vertex that is likely to have many neighbors, and to be in the largest
        component: the target of most of up to 1,024 edges, which are spread evenly; of several, the
        first. -1 without edges."""
        if not self.num_edges:
            return -1

        def find() -> int:
            sample = np.arange(0, self.num_edges, -(-self.num_edges // 1024))
            ends = self.dst.take(sample) if self._shared is None else self._shared.targets(sample)
            targets, counts = np.unique(ends, return_counts=True)
            return int(targets[counts.argmax()])

        return int(self._once(("hub",), find))

    def neighbors(self, label: Any, edges: str = "out") -> np.ndarray:
        """The labels of a vertex's neighbors, each once, in the order of the vertices.

        Args:
            edges: "out" (those that its edges lead to), "in" (those they come from) or "both".

        Raises:
            GraphError: there is no such vertex, or `edges` is anything else.
        """
        vertex, arcs = self.index_of(label), self.arcs(edges)
        row = slice(arcs.out_offsets[vertex], arcs.out_offsets[vertex + 1])
        return self.labels_of(np.unique(arcs.out_targets[row]))

    def weighted_out_degree(self, field: str = "weight", dtype: str = "float64") -> np.ndarray:
        """(V,): the sum of an edge field over the arcs out of each vertex.

        It is read-only, and cached for the next call.

        Args:
            dtype: "float64", in which they are added, or "float32", in which a sum may be infinite.

        Raises:
            GraphError: there is no such field.
        """
        return self._weighted_degree("out", field, dtype)

    def weighted_in_degree(self, field: str = "weight", dtype: str = "float64") -> np.ndarray:
        """(V,): the sum of an edge field over the arcs into each vertex, as
        `weighted_out_degree`."""
        return self._weighted_degree("in", field, dtype)

    def _weighted_degree(self, side: str, field: str, dtype: str) -> np.ndarray:
        values = self._field_of_numbers(field)

        def find() -> np.ndarray:
            count = self.num_vertices
            check_host_memory(8 * count, f"the degrees of {count:,} vertices")
            if isinstance(values, RemoteField):
                degree: np.ndarray = self._shared.weighted_degree(side, values.name)
            else:
                degree = self._added_up(side, np.asarray(values))
            degree.setflags(write=False)
            return degree

        wide: np.ndarray = self._once(("degree", side, field), find)
        if dtype == "float64":
            return wide

        def narrow() -> np.ndarray:
            with np.errstate(over="ignore"):
                degree = wide.astype(dtype)
            degree.setflags(write=False)
            return degree

        degree: np.ndarray = self._once(("degree", side, field, dtype), narrow)
        return degree

    def _added_up(self, side: str, values: np.ndarray) -> np.ndarray:
        ends = self.edge_src, self.edge_dst
        end, other = ends if side == "out" else ends[::-1]
        degree = np.bincount(end, values, self.num_vertices)
        if not self.directed:
            degree += np.bincount(other, np.where(end != other, values, 0), self.num_vertices)
        return degree.astype(np.float64, copy=False)  # NumPy's, without edges, are integers

    def edge_summary(self, field: str = "weight") -> Summary:
        """Statistics of an edge field: the least, the greatest and the sum of its finite values,
        and whether all are finite and those whole. They are computed at the first call and cached.

        Raises:
            GraphError: there is no such field.
        """
        self._held_field(field)  # raises
        statistics: Summary = self._once(
            ("summary", field), lambda: _summary(self._held_field(field))
        )
        return statistics

    def _once(self, key: tuple[str, ...], find: Callable[[], Any]) -> Any:
        """The result of the first call of `find()` for this key."""
        with self._lock:
            if key not in self._known:
                self._known[key] = find()
            return self._known[key]

    def coo(self) -> tuple[np.ndarray, np.ndarray]:
        """The two ends of every arc, int32 (A,) each, sorted by (source, destination, edge id)."""
        arcs = self.arcs()
        return arcs.out.rows, arcs.out_targets

    def with_edges(self, add: Any = None, remove: Any = None, **fields: Any) -> Graph:
        """A new graph with the same vertices, with edges removed and then others added.

        The remaining edges keep their order, and the added ones come last. The new graph's `change`
        records the difference, for a run that continues from a State of this one.

        Args:
            add, remove: edges by the labels of their ends: a list of pairs (src, dst), an array
                (n, 2), or a tuple (sources, destinations) of two arrays or lists. Removing a pair
                removes all its parallel edges, in an undirected graph in either direction.
            fields: name=(n,) values for the added edges, for every edge field of the graph.

        Raises:
            GraphError: there is no such vertex, no edge to remove, or the fields are not as above.
        """
        return changed(self, add, remove, fields)

    def simple(self, *, undirected: bool = False) -> Graph:
        """The underlying simple graph: without self-loops, and with one edge where several are
        parallel.

        The first of parallel edges stays, with its fields; vertices, labels and vertex fields
        are the same. A graph that is simple already is returned itself.

        Args:
            undirected: make an undirected edge of every edge, so that (u, v) and (v, u) are
                parallel. In an undirected graph they always are.
        """
        check_flags(GraphError, undirected=undirected)
        return simple(self, self.directed and not undirected)

    def subgraph(self, vertices: Iterable[Any]) -> Graph:
        """The graph of some of the vertices, and the edges between them, in the same order.

        Vertices keep their labels, or get their indices as labels, and all fields are kept.

        Args:
            vertices: labels, or an array of one bool for each vertex.

        Raises:
            GraphError: there is no such vertex.
        """
        return subgraph(self, vertices)

    def where(self, edges: Any = None, vertices: Any = None) -> Graph:
        """The graph of the edges, or of the vertices and the edges between, that meet a condition.

        All vertices stay where only edges are selected, so that fields of results have the same
        order. Arcs that this graph has sorted are filtered, not sorted again.

        Args:
            edges: an expression over the edge fields, as in "minutes < 30 and kind == 'tram'", over
                the labels of the ends, `source` and `target`, unless fields are called so, and
                over their fields, `source.age`; (E,) bools; or a function from the table `edges`
                to these.
            vertices: the same over the vertex fields, the label `vertex`, and `degree`, `in_degree`
                and `out_degree`, which count the edges that `edges` selects.

        Raises:
            GraphError: an expression has a name that is no column, compares what cannot be
                compared, or has more than docs/graphs.md lists; or a mask is not as above.
        """
        return where(self, edges, vertices)

    def between(self, begin: Any = None, end: Any = None, *, field: str | None = None) -> Graph:
        """The graph of the edges from a time on and before another, with all vertices.

        Args:
            begin, end: text in ISO 8601 such as "2024-05-01", a date or a time of Python, NumPy or
                pandas, in the field's time zone if it has none, or a number of the field's units;
                None: no limit.
            field: the edge field of times, or of numbers; by default the only one of times, or
                `time`.

        Raises:
            GraphError: there is no such field, or an argument is not as above.
        """
        return between(self, begin, end, field)

    def windows(
        self,
        width: Any,
        step: Any = None,
        *,
        begin: Any = None,
        end: Any = None,
        field: str | None = None,
    ) -> Iterator[Graph]:
        """Graphs of the edges of windows of time, with all vertices, in order; also those without
        edges. `gascl.communities.tracking.track` takes them.

        Args:
            width: the length of each: "2 weeks", "36 hours", a timedelta, or for a field of numbers
                a number.
            step: from the begin of one to that of the next; by default the width.
            begin, end: of the first window, and before which all begin, as in `between`; by default
                the times of the first and the last edge.
            field: as in `between`.

        Raises:
            GraphError: there is no such field, or an argument is not as above.
        """
        return windows(self, width, step, begin, end, field)

    def ego(self, label: Any, hops: int = 1, edges: str = "out") -> Graph:
        """The subgraph of the vertices that are at most `hops` edges away from one.

        Args:
            hops: 0 or more.
            edges: as in `neighbors`.

        Raises:
            GraphError: there is no such vertex, or another argument is not as above.
        """
        if not isinstance(hops, int) or hops < 0:
            raise GraphError(f"ego: hops={hops!r} must be a whole number, 0 or more")
        return subgraph(self, within(self, self.index_of(label), hops, edges))

    def largest_component(self) -> Graph:
        """The subgraph of the largest (weakly) connected component; of several, the one with the
        first vertex."""
        return largest_component(self)

    def by_degree(self) -> tuple[Graph, np.ndarray]:
        """The same edges with the vertices numbered by degree, the highest first. This suits
        counting triangles, as few neighbors of a hub have lower numbers than itself.

        A degree counts the edges at a vertex whichever way they point, a self-loop once. Vertices
        of equal degree, and the edges, keep their order. Labels and fields are left out. In a
        simple graph, no vertex has more than sqrt(2 E) neighbors with lower numbers. Schank and
        Wagner, Finding, Counting and Listing all Triangles in Large Graphs (2005).

        Returns:
            The graph, and the number in it of each vertex, int32 (V,).
        """
        return by_degree(self)

    def oriented(self) -> tuple[Graph, np.ndarray]:
        """A directed graph with an edge for every two vertices that edges join, from the one of
        lower degree. In it, each triangle has one vertex from which edges lead to both others, and
        no row is long: none has more than sqrt(2 E) edges.

        Vertices are numbered as in `by_degree`, so that each edge leads to a lower number; equal
        degrees are told apart by the graph's own order. Edges are sorted. Self-loops are left out,
        and so are labels and fields. Of a directed graph, the edge field `ways` (int32) is 2 where
        edges lead both ways between the two, and otherwise 1. The graph is made at the first call,
        and cached.

        Returns:
            The graph, and the number in it of each vertex, int32 (V,).
        """
        degree = self.degree  # whose arcs are made under the same lock
        made: tuple[Graph, np.ndarray] = self._once(("oriented",), lambda: oriented(self, degree))
        return made

    def contract(
        self,
        labels: Any,
        *,
        self_loops: SelfLoops = "keep",
        undirected: bool = False,
        **edge_fields: Merging,
    ) -> Graph:
        """The quotient graph: a vertex for each group of vertices, and an edge from one group to
        another where edges lead from one to the other. It is sorted, and has no parallel edges.

        The groups are the labels of the new graph, integers and text sorted, other objects in the
        order of their first vertices; where they are 0, 1, ... it needs none. It has no vertex
        fields.

        Args:
            labels: the group of each vertex: (V,) integers, text or other hashable objects; a dict
                or a pandas Series from the vertices' labels; or the name of a vertex field.
            self_loops: "keep" or "drop" the edges within groups, which become a self-loop of each,
                or raise an "error".
            undirected: make an undirected graph of a directed one: edges between two groups are
                merged whichever way they lead.
            edge_fields: what becomes of an edge field where edges are merged, as in
                `length="min"`: "sum", "min", "max", the "first" edge's, or the "count" of edges,
                under any name. Sums of integers are int64 (or uint64); texts and times have no sum.
                Other fields are left out. By default, `weight="sum"`, where each edge counts 1 if
                the graph has no weights.

        Raises:
            GraphError: a vertex has no group, or a float; there is no such edge field; a sum does
                not fit; or an argument is not as above.
        """
        check_flags(GraphError, undirected=undirected)
        return contract(self, labels, self_loops, undirected, edge_fields)

    def reversed(self) -> Graph:
        """The transposed graph: each edge runs from its target to its source. An undirected graph
        is its own.

        Arrays are shared, also those of arcs that are computed later: the two orders are swapped.
        The graph is made at the first call, and cached. It has no `change`.

        Raises:
            GraphError: the graph was read with comm=, and is directed.
        """
        if not self.directed:
            return self
        if self._shared is not None:
            raise RemoteDataError(
                "reversed() needs all edges, and the graph was read with comm=, so that each rank "
                "has a part of them: run a program with edges='in', or read the graph without comm="
            )

        def find() -> Graph:
            src, dst, report = self.dst, self.src, list(self.report)
            transposed = replace(self, src=src, dst=dst, report=report, change=None)
            for direction in ("out", "both"):
                arcs = self._arcs_along(direction)
                given = arcs.into, arcs.out, transposed.src, direction
                transposed._arcs[direction] = type(arcs)(*given)
            return transposed

        graph: Graph = self._once(("reversed",), find)
        return graph

    def with_edge_fields(self, **edge_fields: Any) -> Graph:
        """The same edges with more edge fields, or others; all arrays of arcs are shared, as in
        `reversed`, and so is a renumbering of the vertices.

        Args:
            edge_fields: name=(E,) as in `from_edges`; a dict from pairs of labels (source, target)
                to values; the name of one of the graph's own, as in `weight="minutes"`; or None,
                which leaves the field of this name out. The graph's others stay.

        Raises:
            GraphError: a field is not as above; counts the edges and pairs that do not match.
        """
        given = {
            name: edge_values(values, self, name) if isinstance(values, Mapping) else values
            for name, values in edge_fields.items()
            if not isinstance(values, str | None)
        }
        report = list(self.report)
        checked = validation.checked_fields(given, self.num_edges, report=report)
        fields, types = dict(held(self.edge_fields)), dict(self.edge_types)
        for name, values in edge_fields.items():
            fields.pop(name, None)
            types.pop(name, None)
            if isinstance(values, str):
                fields[name] = self._held_field(values)
                kind = self.edge_types.get(values)
                if name == "weight" and isinstance(kind, Texts | Times):
                    raise GraphError(
                        Option(name, values),
                        f": the edge field {values!r} is {kind.name}, and a weight is a number; "
                        "name a field of numbers",
                    )
                types |= {name: self.edge_types[values]} if values in self.edge_types else {}
        return self._with_same_edges(
            edge_fields={**fields, **checked["edge_fields"]},
            edge_types={**types, **checked["edge_types"]},
            report=report,
        )

    def with_vertex_fields(self, **vertex_fields: Any) -> Graph:
        """The same graph with more vertex fields, or others; all that depends on edges is shared.

        Args:
            vertex_fields: name=(V,) or (V, n) in the order of the vertices; a dict or a pandas
                Series from labels to values; or None, which leaves the field of this name out.
                The graph's others stay.

        Raises:
            GraphError: a field is not as above; counts the vertices and labels that do not match.
        """
        given = {name: values for name, values in vertex_fields.items() if values is not None}
        report = list(self.report)
        checked = validation.checked_vertex_fields(given, self, report)
        kept = {n: v for n, v in self.vertex_fields.items() if n not in vertex_fields}
        types = {n: t for n, t in self.vertex_types.items() if n in kept}
        return self._with_same_edges(
            vertex_fields={**kept, **checked["vertex_fields"]},
            vertex_types={**types, **checked["vertex_types"]},
            report=report,
        )

    def with_vertices(self, vertices: Any, id: Any = None) -> Graph:
        """The same edges between the vertices of a table, which has a row for each: the graph has
        exactly these, in the order of the rows, and their columns as vertex fields.

        A vertex that only the table has is one without edges. Numbers, bools, texts and times
        become fields; a column with numbers in some rows alone is left out, with a warning.
        `graph.report` says how the table was read.

        Args:
            vertices: a DataFrame of pandas; a table of pyarrow, polars, DuckDB or anything else
                with Arrow's interface; or a file, which is Parquet, Arrow, or text, such as .csv,
                with the names of the columns in its first line.
            id: the name of its column of ids; by default the first one, or the index of a
                DataFrame if it has a name. Without labels, the ids are the vertices themselves.

        Raises:
            GraphError: a vertex of the graph has no row, an id occurs twice, or the table is not as
                above. Of a file, it is a FormatError.
        """
        table = provided("vertex_table")(vertices, id)
        changes = with_vertices(self, table)
        if "src" not in changes:
            return self._with_same_edges(**changes)
        return replace(self, **changes, change=None, _label_index=None)

    def _with_table(self, vertices: Any, id: Any) -> Graph:
        """`with_vertices`, if there is a table."""
        if vertices is not None:
            return self.with_vertices(vertices, id)
        if id is not None:
            raise GraphError(
                Option("id", id),
                " names a column of a table of vertices; give ",
                Option("vertices"),
                ", too",
            )
        return self

    def _with_same_edges(self, **changes: Any) -> Graph:
        """The same edges with other fields; all that depends on edges alone is shared."""
        made = replace(self, **changes)
        for shared in ("_arcs", "_numbered", "_lock", "_shared"):
            object.__setattr__(made, shared, getattr(self, shared))
        for known in ("num_loops", "loops"):  # fields are no part of them
            if known in vars(self):
                vars(made)[known] = getattr(self, known)
        if _FINGERPRINT in self._known:
            made._known[_FINGERPRINT] = self._known[_FINGERPRINT]
        return made

    def _shared_by(self, edges: Any) -> Graph:
        """This new graph, after it has been told whose edges it has, as `_shared`."""
        object.__setattr__(self, "_shared", edges)
        return self

    def twin(self) -> Graph:
        """The same graph as another object, which shares all that has been computed."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    @property
    def fingerprint(self) -> str:
        """A hash of the number of vertices, the direction, the edges in order, and the labels.

        Of a graph that is not stored, it is a text that determines its edges. Labels other than
        integers and text contribute their repr(). Edge fields are left out: a run
        that continues from a State compares the values of those that its program reads.
        """
        if isinstance(self.src, Unstored) and isinstance(self.dst, Unstored):
            return f"by a rule: {self.src.about}, {self.dst.about}"

        def find() -> str:
            if self._shared is not None:
                return str(self._shared.fingerprint())
            labels = None if self.labels is None else canonical(self.labels)
            ends = (map(end.__getitem__, blocks(len(end))) for end in (self.src, self.dst))
            return fingerprint(self.num_vertices, self.directed, self.num_edges, ends, labels)

        return str(self._once(_FINGERPRINT, find))

    def labels_in_all(self) -> AbstractContextManager[None]:
        """A block in which all ranks look up labels at the same places of the program, so that the
        ranks of a graph that was read with `comm` can ask each other for them."""
        return nullcontext() if self._shared is None else self._shared.labels_in_all()

    def index_of(self, label: Any) -> int:
        """The vertex with this label; without labels, `label` itself, checked.

        Integer labels are also found by text: '4037' finds 4037.

        Raises:
            GraphError: there is no such vertex; suggests the nearest label.
        """
        if self._label_index is not None:
            return self._label_index.find(label)
        if isinstance(label, str) and INTEGER.fullmatch(label):
            label = int(label)
        return self._checked_vertex(label)

    def indices_of(self, labels: Iterable[Any]) -> np.ndarray:
        """`index_of` for many labels: int32 (n,), or int64 if the graph has 2^31 vertices or more.

        Raises:
            GraphError: one of them is not the label of a vertex, or they are one text.
        """
        if isinstance(labels, str):
            raise GraphError(f"{labels!r} is one label, not several: give a list, [{labels!r}]")
        values = label_array(labels)
        if self._label_index is not None:
            return self._label_index.find_all(values)
        if values.dtype.kind in "iu" and ((values >= 0) & (values < self.num_vertices)).all():
            return values.astype(index_dtype(self.num_vertices))
        found = [self.index_of(label) for label in values.tolist()]
        return np.array(found, index_dtype(self.num_vertices))

    def label_of(self, index: int) -> Any:
        """The label of a vertex, as a Python object; without labels, the vertex itself.

        Raises:
            GraphError: there is no such vertex.
        """
        index = self._checked_vertex(index)
        if self.labels is None:
            return index
        label = self.labels[index]
        return label.item() if isinstance(label, np.generic) else label

    def labels_of(self, indices: Any) -> np.ndarray:
        """`label_of` for many indices, of any shape, in the labels' dtype.

        Where an index is no vertex's, such as a program's -1, the label is None; then the dtype is
        object.

        Raises:
            GraphError: indices are not integers.
        """
        ids = np.asarray(indices)
        if ids.dtype.kind not in "iu" and ids.size:
            raise GraphError(f"indices of vertices must be integers, not {ids.dtype}")
        labels, none = labeled(self.labels, self.num_vertices, ids.astype(np.int64))
        if none.any():
            labels = labels.astype(object)
            labels[none] = None
        return labels

    def _edge_field(self, name: str) -> np.ndarray:
        return np.asarray(self._field_of_numbers(name))

    def _field_of_numbers(self, name: str) -> Any:
        values = self._held_field(name)
        if isinstance(self.edge_types.get(name), Texts):
            raise GraphError(f"the edge field {name!r} is text; name a field of numbers")
        return values

    def _held_field(self, name: str) -> Any:
        if name in self.edge_fields:
            return held(self.edge_fields)[name]
        names = ", ".join(self.edge_fields) or "none"
        raise GraphError(f"the graph has no edge field {name!r}; it has: {names}")

    def _checked_vertex(self, value: Any) -> int:
        try:
            index = -1 if isinstance(value, bool) else operator.index(value)
        except TypeError:
            index = -1
        if 0 <= index < self.num_vertices:
            return index
        ids = f"0 to {self.num_vertices - 1}" if self.num_vertices else "none: it is empty"
        raise GraphError(f"there is no vertex {shown(value)}; the graph's vertices are {ids}")


class _MappedGraph(Graph):
    """A graph with arrays in mapped files, which are checked whenever one of these is used. Other
    graphs need not pay for that."""

    def __getattribute__(self, name: str) -> Any:
        if name in _IN_FILES:
            for file in object.__getattribute__(self, "_mapped_files"):
                file.check()
        return object.__getattribute__(self, name)


_IN_FILES = {
    *("src", "dst", "labels", "edge_fields", "vertex_fields"),
    *("_arcs", "_numbered", "_label_index"),
}


def _summary(values: Any) -> Summary:
    return values.summary if isinstance(values, RemoteField) else summary(np.asarray(values))


def _degrees(offsets: np.ndarray) -> np.ndarray:
    degrees = np.diff(offsets).astype(np.int32)
    degrees.setflags(write=False)
    return degrees


def _array_of(end: np.ndarray | CsrEnds | LazyValues) -> np.ndarray:
    """One end of each edge as an array."""
    if isinstance(end, CsrEnds):
        return end.rows
    return np.asarray(end) if isinstance(end, LazyValues) else end
