"""`gascl datasets`: lists and downloads the datasets that gascl knows by name."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gascl.cli.exit_code import DONE
from gascl.util.units import amount

if TYPE_CHECKING:
    from gascl.datasets import Dataset

ABOUT = "list or download the graphs that gascl knows by name"
HELP = """\
examples:
  gascl datasets
  gascl datasets wiki-Vote
  gascl datasets wiki-Vote --download

In Python, use Graph.dataset("wiki-Vote"). Downloads are kept in the system's cache folder, or in
the folder that GASCL_DATA names. If a dataset's SHA-256 is known, the download must match it.
Otherwise the SHA-256 of the first download is recorded, and later ones must match that."""


def options(add: Callable[..., Any]) -> None:
    """Add NAME, --long and --download."""
    add("name", metavar="NAME", nargs="?", help="show the details of this dataset")
    add("--long", action="store_true", help="show the details of every dataset")
    text = "download the dataset NAME if necessary, and print the path of its file"
    add("--download", action="store_true", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, the details of a dataset, or the path of its file."""
    from gascl.datasets import REGISTRY, fetch, find
    from gascl.errors import GasclError

    if arguments.name is None:
        if arguments.download:
            raise GasclError("--download needs the NAME of a dataset; `gascl datasets` lists them")
        everything = list(REGISTRY.values())
        print("\n\n".join(map(_details, everything)) if arguments.long else _table(everything))
    elif arguments.download:
        print(fetch(find(arguments.name)))
    else:
        print(_details(find(arguments.name)))
    return DONE


def _table(datasets: list[Dataset]) -> str:
    from gascl.datasets.cache import root

    rows = [("name", "vertices", "edges", "", "download", "SHA-256", "")]
    for dataset in datasets:
        kind = "directed" if dataset.directed else "undirected"
        known = "" if dataset.ships else "known" if dataset.sha256 else "recorded"
        counts = (f"{dataset.vertices:,}", f"{dataset.edges:,}", kind)
        rows.append((dataset.name, *counts, _availability(dataset), known, dataset.about))
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
            f"Downloads are kept in {root() or 'a cache folder, once pooch is installed'}.",
            "SHA-256 known: the download must match it. Recorded: the first download is trusted,",
            "and later ones must match it. `gascl datasets NAME` shows the details.",
        ]
    )


def _availability(dataset: Dataset) -> str:
    """The size of the download, or why none is needed."""
    from gascl.datasets.cache import place

    path = place(dataset)
    if dataset.ships:
        return "included"
    if path is not None and path.exists():
        return "done"
    return "?" if dataset.size is None else amount(dataset.size)


def _details(dataset: Dataset) -> str:
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
    if dataset.license:
        lines.append(f"  license: {dataset.license}")
    if dataset.read:
        lines.append(f"  read with: {', '.join(f'{k}={v!r}' for k, v in dataset.read.items())}")
    if dataset.url:
        much = "of unknown size" if dataset.size is None else f"about {amount(dataset.size)}"
        lines.append(f"  download: {dataset.url}, {much}")
        whose = "" if dataset.sha256 else " (recorded from the first download)"
        lines.append(
            f"  SHA-256: {sha256}{whose}"
            if sha256
            else "  SHA-256: unknown; the first download's is recorded, and later ones must match"
        )
    there = "" if path is not None and path.exists() else " (not downloaded yet)"
    lines.append(f"  file: {path}{there}" if path else "  file: downloading needs pooch")
    return "\n".join(lines)
