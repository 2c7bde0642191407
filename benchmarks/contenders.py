"""Runs contenders alternately, verifies their answers, and prints tables of their times."""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

#: Seconds below which a contender runs three times in each turn.
QUICK = 0.5


@dataclass
class Row:
    """A contender: how to run it, and its times.

    Attributes:
        run: does the work once; returns the seconds, the answer and a note.
        check: raises AssertionError if an answer is wrong.
        trials: how often it runs in a turn if it takes less than `QUICK`; the turn's time is the
            median.
        vertex_bytes: bytes read or written per vertex in a superstep; None: unknown.
    """

    name: str
    run: Callable[[], tuple[float, Any, str]]
    check: Callable[[Any], None]
    trials: int = 1
    vertex_bytes: int | None = None
    seconds: list[float] = field(default_factory=list)
    note: str = ""


@dataclass
class Near:
    """Checks an answer's L1 distance from the correct one, and remembers the largest."""

    reference: np.ndarray
    limit: float
    distance: float = 0.0

    def __call__(self, answer: np.ndarray) -> None:
        distance = float(np.abs(answer.astype(np.float64) - self.reference).sum())
        self.distance = max(self.distance, distance)
        assert distance <= self.limit, (
            f"{distance:.2e} from the verifier (L1), more than {self.limit:.0e}"
        )


def take_turns(
    rows: list[Row], rounds: int, slow: float = float("inf"), pause: float = 0.05
) -> None:
    """Run each once to warm up, then `rounds` times alternately; verify every answer.

    A contender whose first run takes more than `slow` seconds is not run again. `pause` is in
    seconds: idle OpenMP threads spin for a while after their work.
    """
    for number in range(rounds + 1):
        for row in rows:
            if number and row.seconds and row.seconds[0] > slow:
                continue
            time.sleep(pause)
            times: list[float] = []
            found: list[Any] = []
            while not times or (number and len(times) < row.trials and times[0] < QUICK):
                seconds, answer, row.note = row.run()
                times.append(seconds)
                found.append(answer)
            for answer in found:  # after all trials: it would leave cold caches to the next one
                try:
                    row.check(answer)
                except AssertionError as wrong:
                    sys.exit(f"refused: {row.name}: {wrong}")
            if number or times[0] > slow:
                row.seconds.append(float(np.median(times)))


def ratios(row: Row, to: Row) -> np.ndarray:
    """The rounds' ratios, as far as both have run."""
    rounds = min(len(row.seconds), len(to.seconds))
    return np.array(row.seconds[:rounds]) / np.array(to.seconds[:rounds])


def ratio(row: Row, to: Row) -> str:
    """The median, the smallest and the largest of the rounds' ratios."""
    all_rounds = ratios(row, to)
    return f"{np.median(all_rounds):.2f} ({all_rounds.min():.2f}-{all_rounds.max():.2f})"


def table(head: list[str], lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def around(file: Path, name: str) -> tuple[str, str]:
    """The text of a page up to its mark `<!-- name -->`, and from `<!-- end -->` on."""
    begin, end = f"<!-- {name} -->", "<!-- end -->"
    before, found, rest = file.read_text("utf-8").partition(begin)
    if not found or end not in rest:
        sys.exit(f"{file} has no {begin} ... {end}")
    return before + begin, end + rest.partition(end)[2]


def replace(file: Path, name: str, text: str) -> None:
    """Put the text between the page's marks."""
    before, after = around(file, name)
    file.write_text(f"{before}\n{text}\n{after}", "utf-8")


def write_csv(file: Path, rows: list[dict[str, Any]], key: tuple[str, ...]) -> list[dict[str, Any]]:
    """Write the rows; returns all that the file has then.

    Rows of an earlier run stay, unless one of the new ones has the same values in `key`.
    """
    told = {tuple(str(row[k]) for k in key) for row in rows}
    if file.exists():
        with file.open(newline="", encoding="utf-8") as text:
            before = [r for r in csv.DictReader(text) if tuple(r[k] for k in key) not in told]
        rows = [*before, *rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as text:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def other_work() -> np.ndarray:
    """Seconds that all cores worked for other processes, and seconds in all, since the start of
    Linux; elsewhere not known."""
    file = Path("/proc/stat")
    if not file.exists():
        return np.full(2, np.nan)
    ticks = np.array(file.read_text().split()[1:9], float) / os.sysconf("SC_CLK_TCK")
    idle = ticks[3] + ticks[4]
    return np.array([ticks.sum() - idle - sum(os.times()[:4]), ticks.sum()])


def all_cores() -> int:
    """The number of cores that this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1


def limit_threads(threads: int) -> None:
    """Limit all contenders to so many cores and threads; call it before they are imported."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < threads:
            sys.exit(f"--threads {threads}, but this process may use {len(cores)} cores")
        os.sched_setaffinity(0, cores[:threads])
    os.environ["POCL_MAX_PTHREAD_COUNT"] = os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["NUMBA_NUM_THREADS"] = str(threads)  # python-graphblas imports it
