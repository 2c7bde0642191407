"""What tests of the command share: a process of it, its table, graphs and programs."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx

DATASETS = Path(__file__).parents[2] / "datasets"
DEBIAN = str(DATASETS / "debian-dependencies.txt.gz")
ROADS = str(DATASETS / "liechtenstein-roads.txt.gz")
KARATE = str(DATASETS / "karate.mtx")

HOPS = '''
from gascl import VertexProgram, param, vertex

class Hops(VertexProgram):
    """Steps from one vertex."""

    source = param.vertex()
    seen = vertex.int32(init="v.id == p.source")
    place = vertex.real2()
    hops = vertex.int32(init="v.id == p.source ? 0 : -1")

    message, combine = "int32", "max"
    mask = "v.id == p.source"
    scatter = "send(1);"
    apply = """
        if (v.hops < 0) {
            v.hops = superstep + 1;
            set_mask();
        }
    """
'''
ENDLESS = """
from gascl import VertexProgram, vertex
from gascl.util.progress import Progress

Progress.LINES = 1.0  # so that the first line comes soon

class Endless(VertexProgram):
    count = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.count += 1;"
    stop = "superstep < 0"
"""


def start(*arguments, **options):
    """The command in a process of its own, in which Ctrl-C is Python's, however pytest started."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from gascl.cli.main import main; sys.exit(main())"
    )
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **options)


def first_supersteps(process):
    """The first line of a process' progress that counts more than one superstep: then it runs.

    Earlier ones may tell of kernels that are built, where that takes its time.
    """
    for line in process.stderr:
        if re.search(r": (?![01] )[\d,]+ supersteps", line):
            return line
    raise AssertionError("the process ended without a line of progress")


def table(out):
    """The printed table: its header, and its rows as (label, value as text)."""
    rows = [tuple(line.split()) for line in out.split("\n\n")[1].splitlines()]
    return rows[0], [row for row in rows[1:] if not row[0].startswith("(")]


def read_with_networkx(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((a, b, int(w[0]) if w else 1) for a, b, *w in rows)
    return graph
