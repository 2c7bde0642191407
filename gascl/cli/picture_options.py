"""The options of a picture of a graph, or of an animation."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gascl.cli.stdio import STANDARD
from gascl.errors import GasclError
from gascl.util.atomic_file import check_writable


def options(add: Callable[..., Any]) -> None:
    """Add --color, --size, --labels and --seed."""
    text = "a vertex field of the program or of the graph, or a color of matplotlib (default: the"
    text += " field that `gascl run` prints)"
    add("--color", metavar="FIELD", help=text)
    text = "a vertex field to which the vertices' areas are in proportion"
    add("--size", metavar="FIELD", help=text)
    text = "draw labels, or none (default: of up to 60 vertices)"
    add("--labels", action=argparse.BooleanOptionalAction, default=None, help=text)
    add("--seed", metavar="N", type=int, default=0, help="of the layout (default 0)")


def edge_options(add: Callable[..., Any]) -> None:
    """Add --edge-color, --edge-width and --edge-labels."""
    text = "an edge field, or a color of matplotlib"
    add("--edge-color", metavar="FIELD", help=text)
    text = "an edge field to which the edges' widths are in proportion"
    add("--edge-width", metavar="FIELD", help=text)
    add("--edge-labels", metavar="FIELD", help="the edge field to write on edges")


def output(arguments: argparse.Namespace, endings: Sequence[str], default: str) -> Path:
    """The file to write. Called before the graph is read, which may take long.

    Args:
        endings: those that its name may have.
        default: the ending if no name is given.

    Raises:
        GasclError: it has another ending, or cannot be written; or the name is not given, and the
            file exists.
    """
    path: Path | None = arguments.output
    if path is None:
        stem = "graph" if arguments.graph == STANDARD else Path(arguments.graph).name
        path = Path(f"{stem.partition('.')[0] or stem}{default}")
        if path.exists():
            raise GasclError(f"{path} exists already: give -o {path} to replace it, or -o FILE")
    if path.suffix not in endings:
        raise GasclError(f"-o {path}: the name must end in {', '.join(endings)}")
    check_writable(path, f"-o {path}")
    return path
