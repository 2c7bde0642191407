"""`gascl info`: describes a graph and how it was read, or estimates memory."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gascl.cli import graph_options, program_options
from gascl.cli.exit_code import DONE
from gascl.cli.format_names import TABLE
from gascl.cli.formatting import num_bytes, number, span
from gascl.errors import GasclError

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

ABOUT = "describe a graph and how it was read"
HELP = f"""\
examples:
  gascl info wiki-Vote.txt.gz
  gascl info trips.csv --option columns=from,to,minutes
  gascl info roads.gr.gz --memory
  gascl info web.npz --memory --program PageRank --device-memory 8GiB

{TABLE}"""


def options(add: Callable[..., Any]) -> None:
    """Add GRAPH, the options for reading it, and --memory with those of a run."""
    graph_options.options(add)
    text = "only estimate the memory of the graph and of a run, on the host and on the device"
    add("--memory", action="store_true", help=text)
    add("--program", metavar="PROGRAM", help="with --memory: of a run of this program")
    program_options.set_option(add)
    program_options.device(add)
    text = "with --memory: the most memory of the device to take, as in `gascl run`"
    add("--device-memory", metavar="SIZE", type=num_bytes, help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print how the graph was read, and then its labels, fields and degrees, or memory."""
    if arguments.device_memory and not arguments.program:
        raise GasclError("--device-memory limits a run: give --memory and --program, too")
    if (arguments.program or arguments.set or arguments.device) and not arguments.memory:
        raise GasclError("--program, --set and --device are of an estimate: give --memory, too")
    program = None
    if arguments.program:
        from gascl.cli.find_program import example, program_class

        program = example(program_class(arguments.program), dict(arguments.set))
    elif arguments.set:
        raise GasclError("--set sets parameters of a program: give --program, too")
    graph = graph_options.read(arguments)
    print(graph_options.describe(graph))
    if arguments.memory:  # before the arcs are built, for which there may be no room
        from gascl.run.memory_estimate import described

        limits = {"device": arguments.device, "device_memory": arguments.device_memory}
        print("\n".join(described(graph, program, **limits)))
        return DONE
    print(f"arcs: {graph.num_arcs:,}")
    if graph.labels is None:
        print("labels: none; vertices are numbered from 0")
    else:
        some = ", ".join(repr(label) for label in graph.labels[:3].tolist())
        kind = "text" if graph.labels.dtype.kind == "U" else str(graph.labels.dtype)
        print(f"labels: {kind}, such as {some}" if some else f"labels: {kind}")
    from gascl.graph import field_types

    for kind, fields, types in (
        ("edge", graph.edge_fields, graph.edge_types),
        ("vertex", graph.vertex_fields, graph.vertex_types),
    ):
        for name, values in fields.items():
            if name in types:
                known = field_types.Coded(values, types[name])
                print(f"{kind} field {name}: {field_types.described(known)}")
                continue
            shown = f", {span(values)}" if len(values) and values.dtype.kind in "iuf" else ""
            print(f"{kind} field {name}: {values.dtype}{shown}")
    if graph.num_vertices:
        _print_shape(graph)
    return DONE


def _print_shape(graph: Graph) -> None:
    import numpy as np

    degrees = {"out-degree": graph.out_degree, "in-degree": graph.in_degree}
    for name, degree in degrees.items() if graph.directed else [("degree", graph.out_degree)]:
        print(f"{name}: {span(degree)}, mean {number(degree.mean().item())}")
    print(f"isolated vertices: {np.count_nonzero(graph.out_degree + graph.in_degree == 0):,}")
    src, dst = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    print(f"self-loops: {np.count_nonzero(src == dst):,}")
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    parallel = graph.num_edges - len(np.unique(src * graph.num_vertices + dst))
    print(f"parallel edges: {parallel:,} (besides the first between the same vertices)")
