"""`gascl datasets`: the graphs that ship with gascl or can be downloaded, and their download."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gascl.cli.exitcode import DONE
from gascl.cli.numbertext import size

if TYPE_CHECKING:
    from gascl.datasets import Dataset

ABOUT = "list the graphs that ship with gascl or can be downloaded"
HELP = """\
examples:
  gascl datasets
  gascl datasets wiki-Vote
  gascl datasets wiki-Vote --download

In Python it is Graph.dataset("wiki-Vote"). Downloads are kept in the system's folder for caches,
or in that of GASCL_DATA; one that was cut off goes on where it stopped. Those whose SHA-256 is
known must have it; of others that of the first download is recorded, and must then stay."""


def options(add: Callable[..., Any]) -> None:
    """Add NAME, --long and --download."""
    add("name", metavar="NAME", nargs="?", help="one dataset, with all that is known of it")
    add("--long", action="store_true", help="all that is known of each")
    text = "download the dataset NAME, unless it is there; prints the path of the file to read"
    add("--download", action="store_true", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one dataset, or where its file is."""
    from gascl.datasets import REGISTRY, fetch, find
    from gascl.errors import GasclError

    if arguments.name is None:
        if arguments.download:
            raise GasclError(
                "--download needs the NAME of one dataset; `gascl datasets` lists them"
            )
        everything = list(REGISTRY.values())
        print("\n\n".join(map(_long, everything)) if arguments.long else _table(everything))
    elif arguments.download:
        print(fetch(find(arguments.name)))
    else:
        print(_long(find(arguments.name)))
    return DONE


def _table(datasets: list[Dataset]) -> str:
    from gascl.datasets.cache import root

    rows = [("name", "vertices", "edges", "", "download", "SHA-256", "")]
    for dataset in datasets:
        kind = "directed" if dataset.directed else "undirected"
        known = "" if dataset.ships else "known" if dataset.sha256 else "recorded"
        counts = (f"{dataset.vertices:,}", f"{dataset.edges:,}", kind)
        rows.append((dataset.name, *counts, _state(dataset), known, dataset.about))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = "<>><><<"
    lines = [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        )
        for row in rows
    ]
    return "\n".join(
        [
            *(line.rstrip() for line in lines),
            "",
            f"Downloads are kept in {root() or 'a cache, once pooch is installed'}.",
            "SHA-256 known: what comes must have it. Recorded: what comes first is taken on trust,",
            "and what comes later must be the same. `gascl datasets NAME` tells more.",
        ]
    )


def _state(dataset: Dataset) -> str:
    """What a download takes, or why there is none."""
    from gascl.datasets.cache import place

    path = place(dataset)
    if dataset.ships:
        return "ships"
    if path is not None and path.exists():
        return "is there"
    return "?" if dataset.size is None else size(dataset.size)


def _long(dataset: Dataset) -> str:
    from gascl.datasets.cache import place, recorded
    from gascl.datasets.catalog import COLLECTIONS

    kind = "directed" if dataset.directed else "undirected"
    path = place(dataset)
    sha256 = recorded(dataset)
    lines = [
        f"{dataset.name}: {dataset.about}",
        f"  {dataset.vertices:,} vertices, {dataset.edges:,} edges as published, {kind}",
        f"  from: {dataset.collection}, {COLLECTIONS[dataset.collection]}",
    ]
    if dataset.licence:
        lines.append(f"  licence: {dataset.licence}")
    if dataset.read:
        lines.append(f"  read with: {', '.join(f'{k}={v!r}' for k, v in dataset.read.items())}")
    if dataset.url:
        much = "of unknown size" if dataset.size is None else f"about {size(dataset.size)}"
        lines.append(f"  download: {dataset.url}, {much}")
        whose = "" if dataset.sha256 else ", that of the first download"
        lines.append(
            f"  SHA-256: {sha256}{whose}"
            if sha256
            else "  SHA-256: not known; that of the first download is recorded, and must then stay"
        )
    there = "" if path is not None and path.exists() else " (not there yet)"
    lines.append(f"  file: {path}{there}" if path else "  file: downloading needs pooch")
    return "\n".join(lines)
