"""Kernels that a run enqueues, and what each of them is given, by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """One kernel, as a run enqueues it.

    Attributes:
        over: a group for each of these: "in_blocks", "out_blocks", "vertices"; "one" item, or "one
            group". There may be fewer groups than blocks. "": the host says how many.
        arguments: the graph's arrays by their names in `Arcs`; `in_blocks` and `out_blocks`, its
            row blocks, each with their number; buffers of the delivery, of its active set and of
            the run; numbers by their names in NUMBERS; STATE and EDGE for what the program's
            header declares.
        first_only: run in superstep 0 only where the program's phases fuse (`Facts.fusable`).
    """

    kernel: str
    over: str
    arguments: tuple[str, ...]
    first_only: bool = False


#: Numbers that kernels are given, and their types.
NUMBERS = {
    "num_arcs": "int64",
    "num_in_blocks": "int32",
    "num_out_blocks": "int32",
    # Bits, one a field: which have a value already, and which keep that of an earlier run.
    "given": "uint64",
    "kept": "uint64",
    "kept_arcs": "uint64",
    "own_mask": "int32",  # whether the program's own rule says who scatters first
    "splits": "int32",
    "num_tallies": "int32",
    "num_counts": "int32",
    "starting": "int32",  # whether this is before the first superstep
    "ask_stop": "int32",
    "least_arcs": "int64",  # of the next frontier, or the device pauses
    "most_arcs": "int64",
    "record": "int32",  # which of the records to write
}

# What every run enqueues around its delivery: superstep.cl.
EMPTY_INBOX = Launch("gascl_empty", "vertices", ("run", "cells"))
START = Launch("gascl_start", "vertices", ("STATE", "given", "kept", "own_mask", "tallies"))
START_ARCS = Launch(
    "gascl_start_arcs", "vertices", ("STATE", "EDGE", "out_offsets", "out_targets", "kept_arcs")
)
SNAPSHOT = Launch("gascl_snapshot", "vertices", ("STATE",))
_DECISION = ("starting", "ask_stop", "least_arcs", "most_arcs", "records", "record")
_COUNTED = ("tallies", "num_tallies", "counts", "num_counts")
#: The end of a superstep: FINISH, or TOTAL and DECIDE where parts exchange their totals.
FINISH = Launch("gascl_finish", "one group", ("STATE", *_COUNTED, *_DECISION))
TOTAL = Launch("gascl_total", "one group", _COUNTED)
DECIDE = Launch("gascl_decide", "one", ("STATE", "tallies", "counts", *_DECISION))
#: Every pair (pairs.cl), in one range of the vertices that give or in several, which are joined.
PAIRS = Launch("gascl_pairs", "", ("STATE", "boxes", "splits"))
PAIRS_JOIN = Launch("gascl_pairs_join", "vertices", ("STATE", "boxes", "splits"))
