"""Graphs from and to other libraries: methods of Graph that forward to gascl.io."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gascl.errors import GraphError
from gascl.intake import Duplicates, SelfLoops

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from gascl.graph import Graph
    from gascl.io.parsed import Parsed


class Conversions:
    """What `Graph` inherits: `from_...` class methods, and `to_...`.

    Every `from_...` takes `duplicates` and `self_loops` as `Graph.from_edges` does.
    """

    if TYPE_CHECKING:

        @classmethod
        def _from_parsed(
            cls, parsed: Parsed, duplicates: Duplicates, self_loops: SelfLoops
        ) -> Graph: ...

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
            field: the edge field that takes the entries' values; None: no field.

        Raises:
            GraphError: the matrix is not as above.
        """
        from gascl.io.scipy import read_scipy

        return cls._from_parsed(read_scipy(matrix, directed, field), duplicates, self_loops)

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
        """A graph of NetworkX's Graph, DiGraph, MultiGraph or MultiDiGraph, in its node order.

        The nodes are the labels.

        Args:
            fields: the edge attributes to take as fields; by default every numeric attribute that
                all edges have, and the report says what was left out.
            vertex_fields: the same of nodes, whose values may be lists of numbers, all as long. By
                default numbers in text are numbers, and few texts that all nodes have are numbered
                as groups, as the report says.

        Raises:
            GraphError: an edge lacks one of `fields` or has no number there, or a node one of
                `vertex_fields`.
        """
        from gascl.io.networkx import read_networkx

        return cls._from_parsed(read_networkx(G, fields, vertex_fields), duplicates, self_loops)

    @classmethod
    def from_igraph(
        cls, g: Any, *, duplicates: Duplicates = "keep", self_loops: SelfLoops = "keep"
    ) -> Graph:
        """A graph of an igraph.Graph, in its order of vertices and edges.

        The vertex attribute "name", if there is one, gives the labels. Numeric attributes that all
        edges, or vertices, have become fields, and the report says what was left out.

        Raises:
            GraphError: `g` is no igraph Graph, or two vertices have the same name.
        """
        from gascl.io.igraph import read_igraph

        return cls._from_parsed(read_igraph(g), duplicates, self_loops)

    @classmethod
    def from_pandas(
        cls,
        df: Any,
        source: Any = "source",
        target: Any = "target",
        *,
        fields: Iterable[Any] | Mapping[str, Any] | None = None,
        directed: bool = True,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
    ) -> Graph:
        """A graph of a DataFrame with a row an edge; its ids, sorted, are the labels.

        Args:
            source, target: the columns of ids, both integers or both text.
            fields: the columns to take as edge fields, or a dict from the fields' names to columns,
                such as {"weight": "minutes"}; by default all others of numbers or bool, and what
                was left out is in the report only, without a warning. A sole column of numbers is
                the field "weight", unless a dict names it otherwise. NaN is a number there; a null
                is an error.

        Raises:
            GraphError: the DataFrame is not as above; names the row.
        """
        from gascl.io.pandas import read_pandas

        parsed = read_pandas(df, source, target, fields, directed)
        return cls._from_parsed(parsed, duplicates, self_loops)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        columns: Sequence[str] | str | None = None,
        *,
        directed: bool | None = None,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
    ) -> Graph:
        """A graph of a pyarrow.Table, or what else exports an Arrow stream: a row an edge.

        The ids, integers or text, sorted, are the labels; a table of `to_arrow` gives the same
        graph again, but for its vertex fields.

        Args:
            columns: the names of the sources, the targets, and those to take as fields,
                "weight=minutes" under another name. By default `source` and `target`, `src` and
                `dst`, `from` and `to` and the like, or else the first two, and all others of
                numbers or bool as fields. A sole column of numbers is the field "weight".
            directed: by default what `to_arrow` wrote into the table, or else True.

        Raises:
            GraphError: the table is not as above, or has a null; names the row.
        """
        from gascl.io.arrow import read_arrow

        return cls._from_parsed(read_arrow(table, columns, directed), duplicates, self_loops)

    def to_scipy(self, field: str | None = None, *, copy: bool = True) -> scipy.sparse.csr_array:
        """The adjacency matrix (V, V): one entry an arc; zeros and duplicates are kept.

        Args:
            field: the edge field that gives the values; None: ones (int64).
            copy: False shares `indices` and `indptr` with the graph where both are int32: they
                are read-only, so that what would change them in place fails. Values are the
                matrix's own either way.

        Raises:
            GraphError: there is no such field.
        """
        from scipy.sparse import csr_array

        graph = cast("Graph", self)
        arcs = graph.arcs()
        if field is None:
            values = np.ones(len(arcs.out_edges), dtype=np.int64)
        elif field in graph.edge_fields:
            values = graph.edge_fields[field][arcs.out_edges]
        else:
            known = ", ".join(graph.edge_fields) or "none"
            raise GraphError(f"the graph has no edge field {field!r}; it has: {known}")
        shape = (graph.num_vertices, graph.num_vertices)
        return csr_array((values, arcs.out_targets, arcs.out_offsets), shape=shape, copy=copy)

    def to_networkx(self, *, multigraph: bool | None = None) -> networkx.Graph:
        """A networkx.Graph or DiGraph, or Multi- of these.

        Labels are the nodes, fields attributes of edges and nodes; all of it copied.

        Args:
            multigraph: by default where edges have the same ends; True: always, as code needs that
                is given many graphs; False: never.

        Raises:
            GraphError: NetworkX is not installed, or it is False and edges have the same ends.
        """
        from gascl.io.networkx import write_networkx

        return write_networkx(cast("Graph", self), multigraph)

    def to_igraph(self) -> Any:
        """An igraph.Graph: labels as the vertex attribute "name", fields as attributes; copied.

        Raises:
            GraphError: igraph is not installed, or a vertex field is called "name", too.
        """
        from gascl.io.igraph import write_igraph

        return write_igraph(cast("Graph", self))

    def to_pandas(self) -> Any:
        """A DataFrame of columns `source`, `target` (labels) and the edge fields; a row an edge.

        All of it is copied. Direction, vertices without edges and vertex fields are not in it.

        Raises:
            GraphError: pandas is not installed, or an edge field is called as one of the ends.
        """
        from gascl.io.pandas import write_pandas

        return write_pandas(cast("Graph", self))

    def to_arrow(self) -> Any:
        """A pyarrow.Table of columns `source`, `target` and the edge fields; a row an edge.

        Nothing is copied but labels of text: without labels the ends are `edge_src` and `edge_dst`
        themselves, and with labels dictionaries whose indices these are. The schema's metadata hold
        direction and number of vertices; vertex fields are not in it.

        Raises:
            GraphError: pyarrow is not installed, labels are neither integers nor text, or an edge
                field is called as one of the ends.
        """
        from gascl.io.arrow import write_arrow

        return write_arrow(cast("Graph", self))
