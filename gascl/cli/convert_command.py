"""`gascl convert`: a graph's file in another format."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import graphfile
from gascl.cli.exitcode import DONE
from gascl.cli.formatnames import TABLE
from gascl.cli.numbertext import size
from gascl.cli.outputfile import why_not
from gascl.errors import GasclError

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.io.format import Format

ABOUT = "write a graph in another format"
HELP = f"""\
examples:
  gascl convert wiki-Vote.txt.gz wiki-Vote.npz
  gascl convert roads.csv roads.parquet --option columns=from,to,metres
  gascl convert roads.gml.gz roads.mtx --drop labels --drop vertex-fields
  gascl convert links.dat links.txt.zst --from edgelist --undirected --duplicates first

{TABLE}"""
DROPPED = ("labels", "edge-fields", "vertex-fields")


def options(add: Callable[..., Any]) -> None:
    """Add A and B, their formats, and how A is read."""
    add("graph", metavar="A", help=f"a graph's file, {graphfile.PACKED_OR_NOT}")
    text = "the file to write, packed as its name says; never A; it appears when it is whole"
    add("target", metavar="B", type=Path, help=text)
    add("--from", metavar="NAME", dest="format", help="A's format (default: told by the file)")
    text = "B's format (default: told by its extension)"
    add("--to", metavar="NAME", dest="target_format", help=text)
    graphfile.reading_options(add)
    text = "leave out what B's format can't hold: labels, edge-fields or vertex-fields; repeatable"
    shown = {"metavar": "WHAT", "help": text}
    add("--drop", choices=DROPPED, action="append", default=[], **shown)


def run(arguments: argparse.Namespace) -> int:
    """Read A, say what was taken for what, and write B."""
    source, target = Path(arguments.graph), arguments.target
    chosen = _format_of(target, arguments.target_format)
    _check(source, target, chosen)
    started = time.perf_counter()
    graph = graphfile.read(arguments)
    if arguments.drop:
        graph = _without(graph, arguments.drop)
    took = time.perf_counter() - started
    with suppress(BrokenPipeError):  # B is still to be written
        much = _size(source) if source.exists() else "a dataset"
        print(f"read {source}: {much} in {took:.3f} s")
        print(graphfile.described(graph), flush=True)
    before = _of_the_same_name(target)
    started = time.perf_counter()
    graph.write(target, format=chosen.name)
    took = time.perf_counter() - started
    # Some formats are of several files.
    after = _of_the_same_name(target)
    written = {target, *(path for path in after if before.get(path) != after[path])}
    names = ", ".join(str(path) for path in sorted(written))
    print(f"wrote {names}: {chosen.name}, {_size(*written)} in {took:.3f} s")
    return DONE


def _without(graph: Graph, dropped: Sequence[str]) -> Graph:
    """The graph without its labels and so on; the report says what is gone."""
    from gascl.graph.graph import Graph

    labels, edge_fields, vertex_fields = graph.labels, graph.edge_fields, graph.vertex_fields
    report = list(graph.report)
    if "labels" in dropped and labels is not None:
        report.append(f"--drop labels: {len(labels):,} labels left out")
        labels = None
    if "edge-fields" in dropped and edge_fields:
        report.append(f"--drop edge-fields: {', '.join(edge_fields)} left out")
        edge_fields = {}
    if "vertex-fields" in dropped and vertex_fields:
        report.append(f"--drop vertex-fields: {', '.join(vertex_fields)} left out")
        vertex_fields = {}
    ends = (graph.edge_src, graph.edge_dst, graph.num_vertices, graph.directed)
    left = Graph(*ends, labels, edge_fields, vertex_fields, report)
    left._arcs.update(graph._arcs)
    return left


def _of_the_same_name(target: Path) -> dict[Path, int]:
    """The files beside B, and B, that differ from it in their extensions only: their inodes, which
    change where a new file takes the place of one."""
    from gascl.io.files import plain

    stem = f"{plain(target).stem}."
    names = [target, *(p for p in target.parent.iterdir() if p.name.startswith(stem))]
    return {path: path.stat().st_ino for path in names if path.is_file()}


def _size(*paths: Path) -> str:
    return size(sum(path.stat().st_size for path in paths))


def _format_of(target: Path, name: str | None) -> Format:
    """The format that B is to have; asked before A is read, which may take long.

    Raises:
        GasclError: there is none, or nothing writes it.
    """
    from gascl.io import FORMATS
    from gascl.io.files import plain

    suffix = plain(target).suffix.lower()
    told = name or next((n for n, f in FORMATS.items() if suffix in f.extensions), None)
    chosen = FORMATS.get(told or "")
    if chosen and chosen.write:
        return chosen
    wrong = f"--to: there is no format {name!r}" if name else f"no format ends in {suffix!r}"
    if chosen:
        wrong = f"nothing writes {chosen.name}"
    able = ", ".join(f"{n} ({f.extensions[0]})" for n, f in FORMATS.items() if f.write)
    raise GasclError(f"{target}: {wrong}; name one with --to: {able}")


def _check(source: Path, target: Path, chosen: Format) -> None:
    """Raises GasclError where B cannot be written, or is A."""
    from gascl.io.files import plain

    if not target.parent.is_dir():
        raise GasclError(f"{target}: there is no folder {target.parent}; make it first")
    for path in _parts(target, chosen):
        if path.exists() and source.exists() and path.samefile(source):
            raise GasclError(f"{path} is the file to be read; name another")
    if why := why_not(target):
        raise GasclError(f"{target} cannot be written: {why}")
    if plain(target) != target and not chosen.packs:
        raise GasclError(f"{target}: {chosen.name} packs itself; name {plain(target).name}")


def _parts(target: Path, chosen: Format) -> list[Path]:
    """The files that are written for B."""
    from gascl.io.files import plain

    if chosen.name != "graphalytics":
        return [target]
    stem = plain(target)
    packing = target.name[len(stem.name) :]
    return [target, *(stem.with_suffix(end + packing) for end in chosen.extensions)]
