"""The readers that readers.py feeds, and test_fuzz_seeds.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support import naive_columns, naive_formats
from support.fuzz.checks import (
    PART,
    both_ways,
    check_any,
    check_dimacs,
    check_gap,
    check_gascl,
    check_graphalytics,
    check_scipynpz,
    table_check,
    text_check,
)
from support.fuzz.packed import check_packed

SEEDS = Path(__file__).parent / "seeds"


@dataclass(frozen=True)
class Target:
    """A reader under test.

    Attributes:
        check: (bytes, an empty folder) -> None, or Finding, or whatever else was raised.
        words: what a mutation may put in.
        suffixes: of a binary format, of which any file that is cut off must be refused.
    """

    check: Callable[[bytes, Path], None]
    words: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()


NUMBERS = (b"0 ", b"-1", b"2147483648", b"9223372036854775808", b"1e400", b"nan", b"\r\n", b"\t")

TARGETS = {
    "edgelist": Target(
        text_check(
            "edgelist",
            ("a.txt", "a.txt", "a.csv", "a.tsv"),
            lambda data, graph, _: both_ways(naive_columns.edge_list(data, graph.report), graph),
            options=({}, {}, {}, {"header": True}, {"header": False}),
        ),
        (
            *(*NUMBERS, b"# gascl: directed, 2 vertices, 1 edges\n", b"% sym weighted\n", b'"'),
            *(b"source", b"target", b"weight", b"# Undirected graph", b"# Nodes: 2 Edges: 1"),
            *(b",", b";", b"|"),
        ),
    ),
    "matrixmarket": Target(
        text_check(
            "matrixmarket",
            ("a.mtx",),
            lambda data, _, directed: naive_columns.matrix_market(data, directed),
        ),
        (
            *(*NUMBERS, b"%%MatrixMarket matrix coordinate ", b"array ", b"real ", b"integer "),
            *(b"pattern ", b"general\n", b"symmetric\n", b"skew-symmetric\n"),
            b"unsigned-integer ",
        ),
    ),
    "dimacs": Target(
        check_dimacs,
        (*NUMBERS, b"p sp ", b"p aux sp co ", b"a 1 2 3\n", b"v 1 2 3\n", b"c \n", PART),
    ),
    "metis": Target(
        text_check(
            "metis", ("a.graph",), lambda data, _, directed: naive_formats.metis(data, directed)
        ),
        (*NUMBERS, b" 011", b" 100", b" 001", b" 010 2", b"%\n", b"\n\n"),
    ),
    "graphalytics": Target(
        check_graphalytics,
        (
            *(*NUMBERS, b"graph.a.vertex-file = a.v\n", b"graph.a.edge-file = a.e\n", PART, b"#"),
            *(b"graph.a.directed = false\n", b"graph.a.edge-properties.names = w\n", b"\\u0041"),
            *(b"graph.a.edge-properties.types = real\n", b"graph.a.meta.edges = 2\n", b"\\"),
        ),
    ),
    "gap": Target(check_gap, suffixes=(".sg", ".wsg")),
    "gml": Target(
        text_check(
            "gml",
            ("a.gml",),
            lambda data, graph, _: both_ways(naive_formats.gml(data), graph),
            indices=True,
            options=({}, {}, {"label": "id"}, {"label": "value"}),
        ),
        (
            *(b"graph [", b"node [", b"edge [", b"id ", b"source ", b"target ", b"directed 1"),
            *(b'""', b"]", b"1.5", b"#", b"NAN", b"INF", b"&#38;", b"multigraph 1", b"key 0"),
            *(b"[ ]", b"label "),
        ),
    ),
    "graphml": Target(
        text_check(
            "graphml",
            ("a.graphml",),
            lambda data, graph, _: both_ways(naive_formats.graphml(data), graph),
            indices=True,
            options=({}, {}, {"label": "color"}),
        ),
        (
            *(b"<node id='a'/>", b"<edge source='0' target='1'/>", b"</graph>", b"<data key='k'>"),
            *(b"<graph edgedefault='directed'>", b"</data>", b"<default>", b"attr.type='int'"),
            *(b"<key id='k' for='node' attr.name='x' attr.type='double'/>", b"directed='true'"),
            *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<port/>", b"<hyperedge/>", b"boolean", b"NaN"),
            *(b"&lt;", b"<!--"),
        ),
    ),
    "parquet": Target(table_check("parquet", ".parquet"), (b"PAR1",), (".parquet",)),
    "arrow": Target(
        table_check("arrow", ".arrow"),
        (b"ARROW1\0\0", b"\xff\xff\xff\xff", b"FEA1"),
        (".arrow",),
    ),
    "scipynpz": Target(
        check_scipynpz,
        (b"PK\x03\x04", b"coo", b"csr"),
        (".npz",),
    ),
    "gascl": Target(
        check_gascl,
        (
            b"PK\x03\x04",
            b'"directed": false',
            b'"members": []',
            b'"arcs": {}',
            b"'<i8'",
            b"'|u1'",
        ),
        (".npz",),
    ),
    "packed": Target(check_packed),
    "any": Target(check_any, (b"graph [", b"<graphml", b"PAR1", b"p sp ", b"%%MatrixMarket")),
}
