"""`--memory`: graphs that do not fit in memory, written by way of files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gascl.cli.formatting import num_bytes
from gascl.cli.graph_options import describe
from gascl.util.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from gascl.io.outofcore.source import EdgeSource


def options(add: Callable[..., Any], target: str) -> None:
    """Add --arcs and --memory; `target` is what the help calls the file to write."""
    text = "make the arcs and write them, too, for programs to start at once; "
    add("--arcs", action="store_true", help=f"{text}{target} is gascl's own .npz")
    text = f"for what does not fit in memory: work in files beside {target} and take about SIZE of "
    text += "memory, such as 4GiB; after an interruption, the same command resumes; "
    text += f"{target} is gascl's own .npz"
    add("--memory", metavar="SIZE", type=num_bytes, help=text)


def write(source: EdgeSource, target: Path, arguments: argparse.Namespace, **policies: Any) -> None:
    """Write the edges within --memory, and print what they are.

    Raises:
        GraphError: as `Conversion`.
        KeyboardInterrupt: with a message that says how to resume.
    """
    from gascl.io.outofcore.convert import Conversion

    with Progress() as progress:
        limits = {"arcs": arguments.arcs, "progress": progress}
        conversion = Conversion(source, target, arguments.memory, **limits, **policies)
        try:
            done = conversion.run()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"interrupted; the same command resumes from the stages in {conversion.folder}"
            ) from None
    if done.found:
        print(f"resumed after the stages of an earlier run: {', '.join(done.found)}")
    print(describe(done))
