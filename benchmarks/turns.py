"""Runs contenders alternately, and prints tables of their times."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Row:
    """A contender: how to run it, and its times.

    Attributes:
        run: does the work once; returns the seconds, the answer and a note.
        reference, limit: the correct answer, and the largest accepted L1 distance from it.
        vertex_bytes: bytes read or written per vertex in a superstep; None: unknown.
    """

    name: str
    run: Callable[[], tuple[float, np.ndarray, str]]
    reference: np.ndarray
    limit: float
    vertex_bytes: int | None = None
    seconds: list[float] = field(default_factory=list)
    distance: float = 0.0
    note: str = ""


def take_turns(rows: list[Row], rounds: int) -> None:
    """Run each once to warm up, then `rounds` times alternately; verify every answer."""
    for number in range(rounds + 1):
        for row in rows:
            time.sleep(0.05)  # idle OpenMP threads spin for a while after their work
            seconds, answer, row.note = row.run()
            distance = float(np.abs(answer.astype(np.float64) - row.reference).sum())
            row.distance = max(row.distance, distance)
            if not distance <= row.limit:
                sys.exit(
                    f"refused: {row.name} is {distance:.2e} from the verifier (L1), more "
                    f"than {row.limit:.0e}"
                )
            if number:
                row.seconds.append(seconds)


def ratio(row: Row, to: Row) -> str:
    """The median, the smallest and the largest of the rounds' ratios."""
    ratios = np.array(row.seconds) / np.array(to.seconds)
    return f"{np.median(ratios):.2f} ({ratios.min():.2f}-{ratios.max():.2f})"


def table(head: list[str], lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])
