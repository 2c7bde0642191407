"""`Checkpoint`: the file from which a run that was killed continues, bit for bit.

It is an .npz file (NumPy's NEP 1) with the buffers that the next superstep depends on, a row of
bytes for each vertex or arc in the graph's own order; the device's record of each superstep so far;
and `about`, JSON that identifies the run. It is written beside the old file, which it then
replaces, so that a kill at any moment leaves a complete file.
"""

from __future__ import annotations

import json
import operator
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import DeviceError, FormatError, GasclError, warn
from gascl.graph.fingerprint import hash_of
from gascl.graph.graph import Graph
from gascl.graph.remote_field import RemoteField, hash_of_field
from gascl.language.program import VertexProgram
from gascl.run.options import RunOptions
from gascl.run.resume import Start
from gascl.run.state import State
from gascl.user_messages import Option
from gascl.util.atomic_file import check_writable, new_file
from gascl.util.paths import checked_path
from gascl.version import __version__

#: The version of the file's layout.
FORMAT = 2
#: The default of `every`.
EVERY = "60s"
_UNITS = {"s": 1, "min": 60, "h": 3600}
_ABOUT, _TRACE, _BUFFER = "about", "trace", "state."
#: The errors that NumPy and zipfile raise for files that are damaged or of another format.
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, TypeError, AttributeError),
    *(NotImplementedError, RuntimeError, OverflowError, OSError, struct.error),
)


@dataclass(frozen=True)
class Saved:
    """The contents of a checkpoint.

    Attributes:
        buffers: uint8 (rows, bytes of a row) each, by name: see `State.saved`.
        records: uint8 (supersteps, bytes of a record).
        layout: how the buffers and records are laid out.
        watch: the observations of `StagnationDetector`.
    """

    buffers: Mapping[str, np.ndarray]
    records: np.ndarray
    layout: str
    watch: Mapping[str, Any]


class Checkpoint:
    """The file in which a run saves its state, and its schedule.

    Attributes:
        path: the file.
        saved: the contents from which the run continues; None: it starts from the beginning.
        done: the number of supersteps in the file.
    """

    def __init__(self, path: Any, every: str | int | None, resume: bool):
        """Check the options that a user gave.

        Raises:
            GasclError, FormatError: `every` is neither a time nor a number; the file cannot be
                written; or it exists, and the run is not to continue from it.
        """
        self.path = checked_path(path, "the checkpoint")
        self._seconds, self._supersteps = _interval(EVERY if every is None else every)
        check_writable(self.path, f"checkpoint {self.path}")
        self._resumes = resume and self.path.exists()
        if self.path.exists() and not resume:
            raise GasclError(
                f"checkpoint {self.path} exists already: give ",
                Option("resume", True),
                " to resume from it, or delete it, or name another file",
            )
        self.saved: Saved | None = None
        self.done = self._tried = 0

    def open(self, run: Mapping[str, Any], limit: int, leave_out: Collection[str]) -> None:
        """Read the file, if the run continues from it.

        Args:
            run: as `identity` returns it.
            limit: the largest number of supersteps.
            leave_out: the vertex fields that the program is given again, which are not saved.

        Raises:
            FormatError: the file is damaged, or no checkpoint.
            GasclError: it is of another run.
        """
        self._run, self._leave_out = dict(run), leave_out
        if self._resumes:
            about, self.saved = _read(self.path)
            _compare(self.path, about["run"], self._run)
            self.done = self._tried = len(self.saved.records)
            if self.done > limit:
                raise GasclError(
                    f"checkpoint {self.path} has {self.done} supersteps, and the run would end "
                    f"after {limit}: request {self.done} or more, or run without the checkpoint"
                )

    def check_layout(self, state: State) -> None:
        """Raise DeviceError unless a State has the same layout as the one that was saved."""
        if self.saved and self.saved.layout != state.saved_layout():
            raise DeviceError(
                f"checkpoint {self.path}: on the device of its run, messages or aggregators have "
                f"other types than on {state.device}, which may have no double precision: resume "
                "on a device like that one"
            )

    def start_clock(self) -> None:
        """Begin to count the seconds until the next save."""
        self._began = time.monotonic()

    def next_at(self) -> float:
        """The number of supersteps after which to save; infinite if that depends on time."""
        return self._tried + self._supersteps

    def is_due(self, done: int) -> bool:
        """Whether to save now, after this many supersteps."""
        return done > self._tried and (
            done >= self.next_at() or time.monotonic() - self._began >= self._seconds
        )

    def save(
        self,
        state: State,
        records: Sequence[np.ndarray],
        watch: Mapping[str, Any],
        writes: bool = True,
    ) -> None:
        """Replace the file. If that fails, warn: the run is worth more than its checkpoint.

        Args:
            writes: this process writes the file, not another one of the same run.
            records: the device's records of all supersteps, in parts.
            watch: the observations of `StagnationDetector`.
        """
        # As bytes, since NumPy does not copy the padding of records that it concatenates.
        trace = np.concatenate([part.view(np.uint8).reshape(len(part), -1) for part in records])
        about = {"run": self._run, "layout": state.saved_layout(), "watch": dict(watch)}
        arrays = {
            _ABOUT: np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8),
            _TRACE: trace,
            **{_BUFFER + name: rows for name, rows in state.saved(self._leave_out).items()},
        }
        try:
            if writes:
                with new_file(self.path) as file:
                    np.savez(file, **arrays)  # type: ignore[arg-type]
        except FormatError as error:
            warn(f"checkpoint: {error}; the run continues without it")
        else:
            self.done = len(trace)
        self._tried, self._began = len(trace), time.monotonic()


def checkpoint_of(program: VertexProgram, options: RunOptions) -> Checkpoint | None:
    """The checkpoint of a run; None: it has none.

    Raises:
        GasclError, FormatError: as `Checkpoint`; or such a run cannot have one.
    """
    why, checkpoint = "", options.checkpoint
    if checkpoint is None:
        return None
    if type(program).solve is not None:
        why = (
            "a checkpoint has the supersteps of one program, but this one runs several, and its "
            "solve() keeps values in Python between them; run it on parts of its work, such as "
            "some of its sources, and save each result"
        )
    elif options.state is not None:
        why = (
            "a checkpoint has a whole run, and this one continues from a State; leave out "
            "state=, and construct the program with the values of its fields"
        )
    if why:
        raise GasclError(
            f"{type(program).__name__}: ", Option("checkpoint", str(checkpoint)), f": {why}"
        )
    return Checkpoint(checkpoint, options.every, options.resume)


def identity(
    program: VertexProgram,
    graph: Graph,
    initial: Mapping[str, np.ndarray],
    start: Start,
    delivery: str,
    order: int | None,
) -> dict[str, Any]:
    """The properties by which two runs are the same; the first that differs is reported.

    Args:
        initial: the initial fields that are given.
        delivery: the name of the delivery.
        order: the seed, in debug mode; else None.
    """
    spec = program.spec
    read = {n: graph.edge_fields[n] for n in spec.edge_fields if n in graph.edge_fields}
    return {
        "format": FORMAT,
        "gascl": __version__,
        "program": spec.name,
        "dtype": f"dtype={program.dtype!r}",
        "parameters": {n: repr(value) for n, value in program.parameter_values().items()},
        "snippets": blake2b(spec.declarations.encode(), digest_size=16).hexdigest(),
        "lanes": f"{program.lanes} lanes",
        "initial fields": {n: _hash(values) for n, values in initial.items()},
        "start": None if start.mask is None else _hash(start.mask),
        "graph": graph.fingerprint,
        "edge fields": {n: hash_of_field(values) for n, values in read.items()},
        "debug": "without debug mode" if order is None else f"in debug mode with seed={order}",
        "delivery": f"delivery={delivery!r}",
    }


def same_runs(program: VertexProgram, graph: Graph) -> dict[str, str]:
    """The properties in which the processes of a run must agree: a text by the name of each."""
    spec, shared = program.spec, graph._shared
    read = [n for n in spec.edge_fields if n in graph.edge_fields]
    of_graph = {n: v for n, v in graph.vertex_fields.items() if n in spec.vertex_fields}
    initial = {**of_graph, **program.initial}
    given = {n: _hash(np.ma.asanyarray(values)) for n, values in initial.items()}
    return {
        "program": f"{spec.name}, lanes: {program.lanes}",
        "parameters": f"dtype={program.dtype!r}, {program.parameter_values()}",
        "initial fields": str(given),
        "graph": f"{graph!r} {graph.fingerprint if shared is None else shared.name}",
        "edge fields": str({n: _quick_mark(graph.edge_fields[n]) for n in read}),
    }


def _quick_mark(values: np.ndarray | RemoteField) -> str:
    """Text that differs between most edge fields. If the values are spread over the ranks, it is
    made of their statistics, which takes no time."""
    return str(values.summary) if isinstance(values, RemoteField) else hash_of_field(values)


def _compare(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Raise GasclError unless a checkpoint is of this run."""
    name = next((n for n, now in here.items() if there.get(n) != now), None)
    if name is None:
        return
    then, now = there.get(name), here[name]
    if isinstance(then, dict) and isinstance(now, dict):  # of a field or parameter each
        of = next(n for n in {**then, **now} if then.get(n) != now.get(n))
        then, now = f"{of}={then.get(of)}", f"{of}={now.get(of)}"
    else:
        of = ""
    why = {
        "format": f"has the format {then}, and gascl {__version__} reads {now}",
        "gascl": f"was written by gascl {then}, and this is gascl {now}",
        "program": f"belongs to a run of {then}, not of {now}",
        "snippets": f"belongs to a run of {here['program']} with other snippets or declarations",
        "initial fields": f"belongs to a run with other initial values of the field {of!r}",
        "start": "belongs to a run with another start=",
        "graph": "belongs to a run on a graph with other edges or vertices, or in another order",
        "edge fields": f"belongs to a run on a graph with other values of the edge field {of!r}",
        "debug": f"belongs to a run {then}, not {now}",
    }.get(name, f"belongs to a run with {then}, not {now}")
    raise GasclError(
        f"checkpoint {path} {why}; resume that run, or delete it to start from the beginning"
    )


def _interval(every: Any) -> tuple[float, float]:
    """Seconds and supersteps between two checkpoints, one of them infinite.

    Raises:
        GasclError: it is neither a time nor a number of supersteps.
    """
    if isinstance(every, str):
        found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h)", every)
        if found and float(found[1]) > 0:
            return float(found[1]) * _UNITS[found[2]], np.inf
    elif not isinstance(every, bool):
        try:
            if operator.index(every) > 0:
                return np.inf, operator.index(every)
        except TypeError:
            pass
    raise GasclError(
        Option("every", every),
        " must be a time, such as '60s', '5min' or '1h', or a number of supersteps from 1",
    )


def _read(path: Path) -> tuple[dict[str, Any], Saved]:
    """The `about` of a file, and its contents."""
    try:
        with zipfile.ZipFile(path) as members:
            # Checked first, since a damaged shape could request more memory than there is.
            if (damaged := members.testzip()) is not None:
                raise ValueError(f"{damaged} has another checksum")
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop(_ABOUT).tobytes())
        records = arrays.pop(_TRACE)
        buffers = {name.removeprefix(_BUFFER): rows for name, rows in arrays.items()}
        return about, Saved(buffers, records, about["layout"], about["watch"])
    except PermissionError as error:
        raise FormatError(f"checkpoint {path}: {error.strerror}; let it be read") from error
    except _DAMAGES as error:
        raise FormatError(
            f"{path} is damaged, or not a checkpoint ({error}); to start from the "
            "beginning, name another file"
        ) from error


def _hash(values: np.ndarray) -> str:
    """A hash of the type, the shape, the values, and the mask of a masked array."""
    masked = isinstance(values, np.ma.MaskedArray)
    parts = np.ma.getdata(values), *([np.ma.getmaskarray(values)] if masked else ())
    return hash_of(values.dtype, values.shape, parts)
