"""The options --directed and --undirected, which exclude each other."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

FLAGS = {True: "--directed", False: "--undirected"}


def options(add: Callable[..., Any], directed: str, undirected: str) -> None:
    """Add both, with these help texts; `arguments.directed` is None if neither is given."""
    for value, text in ((True, directed), (False, undirected)):
        add(FLAGS[value], dest="directed", action=_Direction, nargs=0, const=value, help=text)


class _Direction(argparse.Action):
    def __call__(self, parser: Any, arguments: Any, values: Any, flag: str | None = None) -> None:
        if getattr(arguments, self.dest) not in (None, self.const):
            raise argparse.ArgumentError(self, f"not allowed with {FLAGS[not self.const]}")
        setattr(arguments, self.dest, self.const)
