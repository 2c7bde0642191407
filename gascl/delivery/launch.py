"""The kernels that a run enqueues, and their arguments by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gascl.language.traits import Traits


@dataclass(frozen=True)
class Launch:
    """A kernel as a run enqueues it.

    Attributes:
        over: what the work-groups are launched over: "in_blocks", "out_blocks", "in_segments",
            "cut_segments", "cut_rows" or "vertices" (there may be fewer groups than blocks), "one"
            work-item, or "one group". "": the host decides.
        arguments: names: arrays of the graph, as in `Arcs`, with the prefix "all_" if every rank
            needs the arcs of all ranks; `in_blocks` and `out_blocks`, its row
            blocks, and the other TABLES, each followed by their number;
            buffers of the delivery, of its active set and of the run; numbers, as in NUMBERS; STATE
            and EDGE for what the program's header declares.
        first_only: if the phases are fused (`Traits.fusable`), only run it in superstep 0.
        only_if: whether it is run for a program with these traits; None: always.
        only_groups: it is run only where a work-group has several items.
    """

    kernel: str
    over: str
    arguments: tuple[str, ...]
    first_only: bool = False
    only_if: Callable[[Traits], bool] | None = None
    only_groups: bool = False

    def suits(self, traits: Traits, group: int) -> bool:
        """Whether it is run for a program with these traits, with `group` items in a work-group."""
        if self.only_groups and group == 1:
            return False
        return self.only_if is None or self.only_if(traits)


#: The arrays of blocks: those of all rows, the segments of very long rows, those that this rank has
#: of rows that ranks share, and its own rows of that kind.
TABLES = ("in_blocks", "out_blocks", "in_segments", "cut_segments", "cut_rows")
#: The numbers that are arguments of kernels, and their types.
NUMBERS = {
    "num_arcs": "int64",
    "most_pieces": "int64",  # the largest number of pieces in a frontier
    "num_in_blocks": "int32",
    "num_out_blocks": "int32",
    "num_in_segments": "int32",
    "num_cut_segments": "int32",
    "num_cut_rows": "int32",
    # One bit per field: which already have a value, and which keep that of an earlier run.
    "given": "uint64",
    "kept": "uint64",
    "kept_arcs": "uint64",
    "own_mask": "int32",  # whether the program itself decides which vertices scatter first
    "splits": "int32",
    "num_tallies": "int32",
    "num_counts": "int32",
    "starting": "int32",  # 1 before the first superstep, GOING_ON after a new mask
    "ask_stop": "int32",
    "least_arcs": "int64",  # the number of arcs of the next frontier from which it is pulled
    "most_arcs": "int64",
    "record": "int32",  # the index of the record to write
    "supersteps": "int32",  # the largest number of supersteps in a launch
    "first_row": "int32",  # the range of the vertices that a device applies
    "last_row": "int32",
    "offsets_from": "int32",  # the vertex with the first of `in_offsets`
    "num_remote_messages": "int32",
    "most_work": "int32",  # ends a launch; in units of 1024 arcs
    "most_parts": "int32",  # the largest number of parts of a superstep, each with a tally
    "num_next_in_blocks": "int32",  # of the next superstep, where edges alternate
    "shares": "int32",  # how many groups have found bounds of places
    "first_level": "int32",  # of the tree of places
    "last_level": "int32",
    "num_keys": "int64",
    "tiles": "int32",
    "shift": "int32",
    "num_digit_counts": "int64",
    "fresh": "int32",  # whether no superstep of the run has been launched
}

# The kernels in superstep.cl, which every run enqueues around those of its delivery.
EMPTY_INBOX = Launch("gascl_empty", "vertices", ("run", "cells"))
#: Which vertices begin with which values: in START, and in a persistent kernel, which starts a run.
FIRST_VALUES = ("given", "partly", "kept", "own_mask")
START = Launch("gascl_start", "vertices", ("STATE", *FIRST_VALUES, "tallies", "counts", "posted"))
#: The buffers that the start of a run sets, except the mask.
STARTED = {"tallies", "counts", "posted"} | {
    f"{name}{when}" for name in ("inbox", "arrived", "wraps") for when in ("", "_next")
}
START_ARCS = Launch(
    "gascl_start_arcs", "vertices", ("STATE", "EDGE", "out_offsets", "out_targets", "kept_arcs")
)
SNAPSHOT = Launch("gascl_snapshot", "vertices", ("STATE",))
_DECISION = ("starting", "ask_stop", "least_arcs", "most_arcs", "records", "record")
_COUNTED = ("tallies", "num_tallies", "counts", "num_counts")
#: The end of a superstep.
FINISH = Launch("gascl_finish", "one group", ("STATE", *_COUNTED, *_DECISION))
NANS = Launch("gascl_nans", "vertices", ("STATE", "nans"))
#: The tallies of a device, added up for the other ranks.
TOTAL = Launch("gascl_total", "one group", ("tallies", "num_tallies", "control", "total"))
#: Messages of `send_to` to the vertices of other ranks (remote_messages.cl).
CLEAR_REMOTE_INBOXES = Launch(
    "gascl_clear_remote_inboxes", "vertices", ("STATE", "first_row", "last_row")
)
RECEIVE_REMOTE = Launch(
    "gascl_receive_remote",
    "vertices",
    ("remote_messages", "num_remote_messages", "inbox", "arrived", "wraps"),
)
#: Finds the parts of the arcs that the next superstep needs (needed_parts.cl).
NEEDED = Launch("gascl_needed", "vertices", ("STATE", "reaches", "needed"))
#: `pairs` (pairs.cl), with the senders in one range, or in several whose results are then joined.
_PAIRED = ("STATE", "boxes", "splits", "first_row", "last_row")
PAIRS = Launch("gascl_pairs", "", _PAIRED)
PAIRS_JOIN = Launch("gascl_pairs_join", "vertices", _PAIRED)
#: Pairs by distance (pairs/near.cl): the order of the vertices, the tree, and the pairs.
NEAR_BOUNDS = Launch("gascl_near_bounds", "", ("STATE", "bounds"))
NEAR_KEYS = Launch(
    "gascl_near_keys", "vertices", ("STATE", "bounds", "shares", "place_keys", "places")
)
_SIDES = ("place_keys", "places", "place_keys_to", "places_to")
NEAR_SORT = Launch("gascl_near_sort", "", ("STATE", *_SIDES))
NEAR_LEAVES = Launch("gascl_near_leaves", "vertices", ("STATE", "order", "nodes"))
NEAR_LEVELS = Launch("gascl_near_levels", "", ("STATE", "nodes", "first_level", "last_level"))
NEAR_PAIRS = Launch("gascl_near_pairs", "", ("STATE", "order", "nodes", "first_row", "last_row"))
#: The kernels that sort the order where a work-group has several items (sort.cl): they get a side
#: to read and one to write.
_DIGIT = ("num_keys", "tiles", "shift")
SORT_COUNT = Launch("gascl_sort_count", "", ("from_keys", "digit_counts", *_DIGIT))
SORT_SUM = Launch("gascl_sort_sum", "", ("digit_counts", "digit_sums", "num_digit_counts"))
SORT_ADD = Launch("gascl_sort_add", "", ("digit_counts", "digit_sums", "num_digit_counts"))
_MOVED = ("from_keys", "from_places", "to_keys", "to_places")
SORT_MOVE = Launch("gascl_sort_move", "", (*_MOVED, "digit_counts", *_DIGIT))
NEAR = (NEAR_BOUNDS, NEAR_KEYS, NEAR_LEAVES, NEAR_LEVELS, NEAR_PAIRS)
RADIX = {each.kernel: each for each in (SORT_COUNT, SORT_SUM, SORT_ADD, SORT_MOVE)}
#: Vertices with many neighbors apply, after the others (shared_rows.cl); and are listed in the next
#: frontier, where the others are.
SHARED_ROWS = Launch("gascl_apply_shared_rows", "", ("STATE", "tallies", "num_tallies"))
LISTED_SHARED_ROWS = Launch(
    "gascl_apply_shared_rows",
    "",
    (
        "STATE",
        "out_offsets",
        "frontiers",
        "most_pieces",
        "bits",
        "counts",
        "tallies",
        "num_tallies",
    ),
)
