"""The trace of a run: its supersteps as a sequence, a table, a plot and a timeline."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from gascl.errors import GasclError
from gascl.results.bottleneck import Bottleneck, Hint
from gascl.results.plots import plot_trace
from gascl.util import notebook_html
from gascl.util.extras import imported

if TYPE_CHECKING:
    import pandas

#: The number of steps shown at the beginning and at the end of a long trace.
HEAD, TAIL = 10, 5


class KernelTime(NamedTuple):
    """The time of a kernel on the device, or the part of it that belongs to one superstep.

    Attributes:
        name: the name of the kernel.
        begin: by the device's clock, in seconds from an arbitrary moment.
        seconds: the duration.
    """

    name: str
    begin: float
    seconds: float


class Phase(NamedTuple):
    """A phase of the host's work.

    Attributes:
        name: "build", "upload" or "supersteps".
        begin: by `time.perf_counter`, in seconds.
        seconds: the duration.
        first: the number of the next superstep, or for "supersteps" of the first of them.
    """

    name: str
    begin: float
    seconds: float
    first: int = 0


@dataclass(slots=True)  # not frozen: that would make creation slower
class Step:
    """One superstep of the trace; `Trace` creates a new object at each access.

    Attributes:
        superstep: its number, from 0.
        active: the number of vertices that scattered.
        messages: the number of messages sent, counted as docs/programs.md says.
        aggregates: the aggregators' values at its end.
        seconds: kernel time.
        delivery: the delivery of its messages.
        why: why `auto` chose that delivery, where it had a choice.
        estimate: about how many seconds the cost model expected, by which `auto` chooses.
        program: the program that ran it, in a program of several stages.
        kernels: the times of its kernels, which add up to `seconds`.
        bottlenecks: what a single work-item may take long for, while all others wait.
    """

    superstep: int
    active: int
    messages: int
    aggregates: dict[str, float | int]
    seconds: float
    delivery: str = ""
    why: str = ""
    estimate: float = 0.0
    program: str = ""
    kernels: tuple[KernelTime, ...] = field(default=(), repr=False)
    bottlenecks: tuple[Bottleneck, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All attributes except the kernels and the bottlenecks, by name."""
        names = (name for name in self.__slots__ if name not in ("kernels", "bottlenecks"))
        return {name: getattr(self, name) for name in names}


class Trace(Sequence[Step]):
    """The steps of a run. A step is created when it is accessed, so that thousands of supersteps on
    a small frontier cost no more than the device's work.

    Attributes:
        phases: the phases of the host's work, in order.
        deliveries: the deliveries that were used, in the order of first use.
        notes: what else happened, such as that the run began again in supersteps.
    """

    def __init__(self, steps: Sequence[Step] = (), phases: Sequence[Phase] = ()) -> None:
        self.phases = list(phases)
        self.notes: list[str] = []
        self.deliveries: tuple[str, ...] = ()
        self._ends: list[int] = []
        self._makers: list[Callable[[int], Step]] = []
        if steps:
            self.extend(len(steps), steps.__getitem__)

    def extend(self, count: int, make: Callable[[int], Step]) -> None:
        """Add `count` steps; `make(i)` returns the i-th of them."""
        self._ends.append(len(self) + count)
        self._makers.append(make)

    def keep_aggregates(self, names: Collection[str]) -> None:
        """Leave all other aggregators out of the steps."""
        self._makers = [partial(_with_aggregates, names, make) for make in self._makers]

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        part = bisect_right(self._ends, place)
        return self._makers[part](place - (self._ends[part - 1] if part else 0))

    def __iter__(self) -> Iterator[Step]:
        for make, start, end in zip(self._makers, [0, *self._ends], self._ends, strict=False):
            yield from map(make, range(end - start))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        if len(self) <= HEAD + TAIL + 1:
            return repr(list(self))
        first, last = (", ".join(map(repr, part)) for part in (self[:HEAD], self[-TAIL:]))
        return f"[{first}, ..., {last}]"

    def __str__(self) -> str:
        """The first steps and the last ones as a table, and the hints."""
        names, rows = self._shown("...")
        shown = [[_cell(value) for value in row] for row in [names, *rows]]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        is_text = [name in ("program", "delivery", "why") for name in names]

        def line(cells: list[str]) -> str:
            each = zip(cells, widths, is_text, strict=True)
            return "  ".join(f"{c:{'<' if left else '>'}{w}}" for c, w, left in each).rstrip()

        return "\n".join([*map(line, shown), *self.notes, *map(str, self.hints())])

    def __reduce__(self) -> tuple[Any, ...]:  # the functions that create steps may hold a device
        return Trace, (list(self), self.phases), {"notes": self.notes}

    def add_notes(self, notes: Iterable[str]) -> None:
        """Add those that are not there yet: stages that are alike have the same ones."""
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]

    def seconds(self) -> dict[str, float]:
        """Total wall time by the name of the phase: "build", "upload" and "supersteps"."""
        total = {"build": 0.0, "upload": 0.0, "supersteps": 0.0}
        for phase in self.phases:
            total[phase.name] += phase.seconds
        return total

    def hints(self) -> list[Hint]:
        """The causes for which supersteps took long, and what would help. They are judged by the
        times of kernels, the largest degrees and what the snippets do. `print` shows them, too."""
        found: dict[Bottleneck, Hint] = {}
        for step in self:
            longest = max((kernel.seconds for kernel in step.kernels), default=0.0)
            for each in step.bottlenecks:
                if each.explains(longest, step.seconds):
                    now = Hint(each, step.superstep, longest, step.seconds, 1)
                    before = found.get(each, now._replace(times=0))
                    worst = max(before, now, key=lambda hint: hint.seconds)
                    found[each] = worst._replace(times=before.times + 1)
        return list(found.values())

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with one row per superstep.

        Its index is the number of the superstep. The columns are `program` (for a program of
        several stages), `active`, `messages`, `seconds`, `estimate`, `delivery`, `why`, and for
        each aggregator one such as `agg.change`.

        Raises:
            GasclError: pandas is missing.
        """
        pandas = imported("pandas", "a trace as a table", GasclError)
        columns = self._columns()
        index = pandas.Index(columns.pop("superstep"), name="superstep")
        return pandas.DataFrame(columns, index=index)

    def plot(self, axes: Any = None) -> Any:
        """Draw kernel time, active vertices and messages of each superstep, below each other.

        The color of a superstep stands for its delivery.

        Args:
            axes: three matplotlib Axes to draw on; default: those of a new figure.

        Returns:
            The three Axes, in a NumPy array.

        Raises:
            GasclError: matplotlib is missing, or the trace has no steps.
        """
        if not self:
            raise GasclError("the trace has no supersteps to draw")
        return plot_trace(self._columns(), axes)

    def _columns(self, steps: Sequence[Step] | None = None) -> dict[str, list[Any]]:
        """The columns of `to_pandas`, and `superstep`, of all steps or of these."""
        steps = list(self) if steps is None else steps
        names = ["superstep", "program", "active", "messages", "seconds", "estimate"]
        names += ["delivery", "why"]
        if not any(step.program for step in steps):
            names.remove("program")
        columns = {name: [getattr(step, name) for step in steps] for name in names}
        for name in dict.fromkeys(name for step in steps for name in step.aggregates):
            columns[f"agg.{name}"] = [step.aggregates.get(name) for step in steps]
        return columns

    def _shown(self, gap: str) -> tuple[list[str], list[Sequence[Any]]]:
        """The names of the columns of `to_pandas` and `superstep`, and the rows of the first steps
        and the last ones, with a row of `gap` between them."""
        cut = len(self) > HEAD + TAIL + 1
        columns = self._columns([*self[:HEAD], *self[-TAIL:]] if cut else list(self))
        rows: list[Sequence[Any]] = list(zip(*columns.values(), strict=True))
        if cut:
            rows.insert(HEAD, [gap] * len(columns))
        return list(columns), rows

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the first steps, and the last ones."""
        hints = [notebook_html.line(str(hint)) for hint in [*self.notes, *self.hints()]]
        shown = notebook_html.table(*self._shown("⋮"))
        return notebook_html.page(f"{len(self):,} supersteps", shown, *hints)

    def events(self) -> list[dict[str, Any]]:
        """The events of a timeline, in Chrome's Trace Event Format, which Perfetto opens.

        Times are in microseconds from the beginning of the first phase. The track "host" shows the
        phases; the track "device" shows supersteps, and in each its kernels. The clock of a device
        is set so that the first kernel of each phase "supersteps" begins with the phase.

        Source: Google, Trace Event Format (https://docs.google.com/document/d/
        1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
        """
        host, device = {"pid": 1, "tid": 1}, {"pid": 1, "tid": 2}
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "gascl"}},
            {"ph": "M", "name": "thread_name", **host, "args": {"name": "host"}},
            {"ph": "M", "name": "thread_name", **device, "args": {"name": "device"}},
        ]
        origin = min((phase.begin for phase in self.phases), default=0.0)

        def spent(name: str, begin: float, seconds: float, **more: Any) -> None:
            took = {"ts": (begin - origin) * 1e6, "dur": seconds * 1e6}
            events.append({"ph": "X", "name": name, **took, **more})

        begins = {}
        for phase in self.phases:
            spent(phase.name, phase.begin, phase.seconds, cat="host", **host)
            if phase.name == "supersteps":
                begins[phase.first] = phase.begin
        ahead, now = 0.0, origin  # of the device's clock; where the last superstep ended
        for number, step in enumerate(self):
            # A trace that was not made by a run has no kernels: its supersteps follow one another.
            kernels = step.kernels or (KernelTime("", now + ahead, step.seconds),)
            if number in begins:
                ahead = kernels[0].begin - begins[number]
            begin = kernels[0].begin - ahead
            now = max(each.begin + each.seconds for each in kernels) - ahead
            more: dict[str, Any] = {"cat": "superstep", "args": step.to_dict(), **device}
            spent(f"superstep {step.superstep}", begin, now - begin, **more)
            for each in step.kernels:
                spent(each.name, each.begin - ahead, each.seconds, cat="kernel", **device)
            for name in ("active", "messages"):
                counter = {"ph": "C", "name": name, "ts": (begin - origin) * 1e6, "pid": 1}
                events.append({**counter, "tid": 0, "args": {name: getattr(step, name)}})
        return events


def _cell(value: Any) -> str:
    """A value as text; None is ""."""
    if isinstance(value, float):
        return f"{value:.3g}"
    return "" if value is None else str(value)


def _with_aggregates(names: Collection[str], make: Callable[[int], Step], i: int) -> Step:
    step = make(i)
    return replace(step, aggregates={n: v for n, v in step.aggregates.items() if n in names})
