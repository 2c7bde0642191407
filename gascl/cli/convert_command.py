"""`gascl convert`: writes a graph in another file format."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.cli import graph_options, memory_option
from gascl.cli.exit_code import DONE
from gascl.cli.format_names import TABLE
from gascl.cli.formatting import count
from gascl.cli.stdio import STANDARD, file_for_stdout
from gascl.errors import GasclError
from gascl.util.atomic_file import check_writable
from gascl.util.units import amount

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.io.format import Format

ABOUT = "write a graph in another format"
HELP = f"""\
examples:
  gascl convert wiki-Vote.txt.gz wiki-Vote.npz
  gascl convert wiki-Vote.txt.gz wiki-Vote.npz --arcs
  gascl convert roads.csv roads.parquet --option columns=from,to,meters
  gascl convert friends.csv friends.npz --vertices people.csv
  gascl convert roads.gml.gz roads.mtx --drop labels --drop vertex-fields
  gascl convert links.dat links.txt.zst --from edgelist --undirected --duplicates first
  gascl convert wiki-Vote.txt.gz - --to edgelist | wc -l
  gascl convert web.parquet web.npz --memory 4GiB --arcs

{TABLE}"""
POLICIES = ("duplicates", "self_loops")
DROPPED = ("labels", "edge-fields", "vertex-fields")


def options(add: Callable[..., Any]) -> None:
    """Add A and B, their formats, and the options for reading A."""
    text = f"the graph to read: a dataset or a file, {graph_options.COMPRESSED_TOO}; - reads stdin"
    add("graph", metavar="A", help=text)
    text = "the file to write, not A; compressed as its name says; replaced only when complete;"
    text += " - writes to stdout, in the format of --to, and what is printed to stderr"
    add("target", metavar="B", type=Path, help=text)
    text = "A's format (default: detected from the file)"
    add("--from", metavar="NAME", dest="format", help=text)
    text = "B's format (default: given by its extension)"
    add("--to", metavar="NAME", dest="target_format", help=text)
    graph_options.reading_options(add)
    text = "omit what B's format cannot hold: labels, edge-fields or vertex-fields; repeatable"
    shown = {"metavar": "WHAT", "help": text}
    add("--drop", choices=DROPPED, action="append", default=[], **shown)
    memory_option.options(add, "B")


def run(arguments: argparse.Namespace) -> int:
    """Read A, print how it was read, and write B."""
    if arguments.target != Path(STANDARD):
        return _run(arguments)
    chosen = _target_format(Path(STANDARD), arguments.target_format)
    with file_for_stdout(chosen.extensions[0]) as path:
        if len(_target_files(path, chosen)) > 1:
            raise GasclError(f"-: the format {chosen.name} is several files; name a file")
        return _run(argparse.Namespace(**{**vars(arguments), "target": path}))


def _run(arguments: argparse.Namespace) -> int:
    source, target = Path(arguments.graph), arguments.target
    chosen = _target_format(target, arguments.target_format)
    for read in (source, *([Path(arguments.vertices)] if arguments.vertices else [])):
        _check_target(read, target, chosen)
    if arguments.arcs and chosen.name != "gascl":
        raise GasclError(f"{target}: {chosen.name} files hold no arcs; leave out --arcs")
    if arguments.memory is not None:
        return _run_in_files(arguments, source, target, chosen)
    started = time.perf_counter()
    graph = graph_options.read(arguments)
    if arguments.drop:
        graph = _without(graph, arguments.drop)
    took = time.perf_counter() - started
    with suppress(BrokenPipeError):  # B must be written even if nobody reads this
        origin = _size(source) if source.exists() else "a dataset"
        origin = "stdin" if arguments.graph == STANDARD else origin
        print(f"read {source}: {origin} in {took:.3f} s")
        print(graph_options.describe(graph), flush=True)
    before = _inodes(target)
    started = time.perf_counter()
    graph.write(target, format=chosen.name, arcs=arguments.arcs)
    took = time.perf_counter() - started
    # Some formats consist of several files.
    after = _inodes(target)
    written = {target, *(path for path in after if before.get(path) != after[path])}
    names = ", ".join(str(path) for path in sorted(written))
    print(f"wrote {names}: {chosen.name}, {_size(*written)} in {took:.3f} s")
    return DONE


def _run_in_files(arguments: argparse.Namespace, source: Path, target: Path, chosen: Format) -> int:
    """Convert A by files, within --memory."""
    from gascl.io.outofcore.file_source import FileSource

    if chosen.name != "gascl":
        raise GasclError(
            f"{target}: --memory writes gascl's own .npz, and not {chosen.name}; leave it out"
        )
    if arguments.vertices is not None:
        raise GasclError("--memory reads no --vertices; leave out one of them")
    graph_options.refuse_selection(arguments)
    if arguments.drop:
        raise GasclError("--memory keeps everything; leave out --drop, or --memory")
    if source.is_dir():
        raise GasclError(
            f"{source}: --memory reads one file, and this is a folder; leave out --memory, or name "
            "one of its files"
        )
    if not source.is_file():
        raise GasclError(f"{source}: --memory reads a file, and there is none of that name")
    options = graph_options.options_of(arguments)
    policies = {name: options.pop(name) for name in POLICIES if name in options}
    started = time.perf_counter()
    try:
        memory_option.write(FileSource(source, **options), target, arguments, **policies)
    except TypeError as error:
        raise graph_options.unusable(arguments, error) from error
    took = time.perf_counter() - started
    print(f"wrote {target}: {chosen.name}, {_size(target)} from {_size(source)} in {took:.3f} s")
    return DONE


def _without(graph: Graph, dropped: Sequence[str]) -> Graph:
    """The graph without its labels or fields; its report says what was omitted."""
    from gascl.graph.graph import Graph

    labels, edge_fields, vertex_fields = graph.labels, graph.edge_fields, graph.vertex_fields
    report = list(graph.report)
    if "labels" in dropped and labels is not None:
        report.append(f"--drop labels: {count(len(labels), 'label')} left out")
        labels = None
    if "edge-fields" in dropped and edge_fields:
        report.append(f"--drop edge-fields: {', '.join(edge_fields)} left out")
        edge_fields = {}
    if "vertex-fields" in dropped and vertex_fields:
        report.append(f"--drop vertex-fields: {', '.join(vertex_fields)} left out")
        vertex_fields = {}
    ends = (graph.src, graph.dst, graph.num_vertices, graph.directed)
    reduced = Graph(
        *(*ends, labels, edge_fields, vertex_fields, report),
        edge_types=graph.edge_types,
        vertex_types=graph.vertex_types,
    )
    reduced._arcs.update(graph._arcs)
    return reduced


def _inodes(target: Path) -> dict[Path, int]:
    """B and the files in its folder that differ from it only in the extension, with their inodes.

    A file that is replaced gets a new inode.
    """
    from gascl.io.files import plain

    stem = f"{plain(target).stem}."
    names = [target, *(p for p in target.parent.iterdir() if p.name.startswith(stem))]
    return {path: path.stat().st_ino for path in names if path.is_file()}


def _size(*paths: Path) -> str:
    return amount(sum(path.stat().st_size for path in paths))


def _target_format(target: Path, name: str | None) -> Format:
    """The format of B. Called before A is read, which may take long.

    Raises:
        GasclError: the format is unknown, or gascl cannot write it.
    """
    from gascl.io import FORMATS
    from gascl.io.files import plain

    suffix = plain(target).suffix.lower()
    wanted = name or next((n for n, f in FORMATS.items() if suffix in f.extensions), "")
    chosen = FORMATS.get(wanted)
    if chosen and chosen.write:
        return chosen
    problem = f"--to: unknown format {name!r}" if name else f"no format has extension {suffix!r}"
    if chosen:
        problem = f"gascl cannot write the format {chosen.name}"
    writable = ", ".join(f"{n} ({f.extensions[0]})" for n, f in FORMATS.items() if f.write)
    raise GasclError(f"{target}: {problem}; choose one with --to: {writable}")


def _check_target(source: Path, target: Path, chosen: Format) -> None:
    """Raise GasclError if B cannot be written, or is A."""
    from gascl.io.files import plain

    for path in _target_files(target, chosen):
        if path.exists() and source.exists() and path.samefile(source):
            raise GasclError(f"{path} is the file to be read; name another file")
    check_writable(target)
    if plain(target) != target and not chosen.packs:
        raise GasclError(
            f"{target}: the format {chosen.name} has its own compression; name the file "
            f"{plain(target).name}"
        )


def _target_files(target: Path, chosen: Format) -> list[Path]:
    """All files that are written for B."""
    from gascl.io.files import plain

    if chosen.name != "graphalytics":
        return [target]
    stem = plain(target)
    compression = target.name[len(stem.name) :]
    return [target, *(stem.with_suffix(end + compression) for end in chosen.extensions)]
