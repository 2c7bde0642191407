"""The table of switches: the macros `GASCL_...` that kernels test with `#if`, and those that differ
from build to build.

Each is here with its meaning, grouped by where it is set: one group for each place of the host
that writes macros, with `defines` or `options`, and one for each kernel file that derives macros
from others. A switch is 1 or 0 unless its meaning says otherwise. Constants are in constants.py.
"""

from __future__ import annotations

from collections.abc import Mapping

#: What the program decides (declarations.py).
PROGRAM = {
    "HAS_SCATTER": "there is a scatter snippet",
    "SCATTER_ALL": "every vertex scatters in every superstep",
    "ENDS_ON_EMPTY_MASK": "a run ends when no vertex is in the mask",
    "APPLY_ALL": "every vertex applies in every superstep",
    "APPLY_MASK": "vertices in the mask apply, besides those with a message",
    "FIRST": 'of a vertex\'s messages the first one counts: combine = "first"',
    "RECEIVES": "there is a receive_if",
    "FILTERS": "receive_if reads the message",
    "REFUSES": "in any order, messages are refused by one field before the others are read",
    "SKIPS": "arcs may be skipped to vertices that receive nothing, or have enough",
    "ADDS_IDENTITY": "a CPU may add the identity where no message is received",
    "ENOUGH": "there is an `enough`",
    "COUNTS_ONCE": "several messages to a vertex count as one",
    "PRIORITY": "there is a priority: vertices in the mask wait for their bucket",
    "SCATTER_INDEPENDENT": "scatter reads nothing that apply writes",
    "APPLIES_BY_ROW": "delivery `pull` applies a vertex as soon as its messages are combined",
    "COUNTS_ARCS": "the commit of the mask counts its arcs; otherwise hosts do",
    "OWN_MASK": "only apply sets the mask, for its own vertex",
    "READS_MASK": "a snippet reads the mask",
    "READS_EDGE": "scatter reads something of the arc",
    "SENDS_TO": "a snippet calls send_to",
    "APPLY_VISITS_NEIGHBORS": "apply visits other vertices' neighbors",
    "SCATTER_FINDS_COMMON": "scatter looks for common neighbors",
    "MASKED": "there is a mask",
    "MARKS": "apply puts other vertices into the mask",
    "INIT_MARKS": "init puts other vertices into the mask",
    "INIT_ADDS": "init adds to an aggregator",
    "EVERY_ARC_SENDS": "each arc of a vertex that scatters carries a message",
    "FUSED": "apply and the next superstep's scatter are one kernel in delivery `outbox`",
    "MAY_NEED_ORDER": "a run in any order may have to begin again in supersteps",
    "OVERFLOWS": "combined messages are checked for overflow",
    "CAN_FAIL": "a snippet may fail or overflow, or there is debug mode",
    "READS_SINGLY": "a gather snippet reads the messages one by one, or they are grouped by key",
    "GROUPS": "messages are grouped by key",
    "PREFERS": "of a vertex's groups, the preferred one counts",
    "SCORES": "that is the one with the highest score",
    "VOTES": "messages are keys, of which the most frequent one counts",
    "GROUP_VALUES": "how many values a group has, beside its key and the number of its messages",
    "NARROW_KEYS": "the keys of groups have at most 32 bits",
    "INDEXES_MESSAGES": "the gather snippet only uses messages[i]: they may be in local memory",
    "GATHERS_BY_WINDOWS": "the gather snippet can read messages in windows: gather/windows.cl",
    "LOOKS_AHEAD": "items look for the messages that change what such a snippet keeps",
    "POSTS_AHEAD": "apply calls send_to: its messages arrive in the next superstep",
    "ALTERNATES": "the arcs of a superstep are those of the one before, reversed",
    "ARC_STATE": "arcs have fields that scatter changes",
    "AGGREGATES": "the number of aggregators",
    "DOUBLE_SUMS": "sums of floats in aggregators are double",
    "SNAPSHOTS": "there are copies of fields from before a phase",
    "DEBUG": "debug mode",
    "PAIRS": "there is a `pairs` snippet",
    "WITHIN": "vertices of a pair are at most `pairs_within` apart",
    "MERGES": "groups of vertices may send to others as one: there is a `pairs_merge`",
    "LANES": "the number of runs at once",
    "LANE_WORDS": "delivery `pull` notes for each vertex in which lanes it sends",
    "WRAPS": "sums of 64 bits are checked for overflow: their wraps are counted",
    "PACKED_BITS": "32 or 64: the size of a word that holds what apply writes; 0: there is none",
    "PACKED_ALONE": "that is one field of this size",
    "NARROW": "a message has at most 32 bits",
    "LONG_OFFSETS": "arc offsets have 64 bits",
    "TRIES_TURNS": "work-groups try out the turns of a loop of apply: see in_place/long_rows.cl",
    "REALS": "the number of vertex fields of floats",
    "REDUCTIONS": "the number of loops in apply that a work-group shares",
}
#: What an inbox cell is (atomic_cells.py): see kernels/atomics.cl.
CELL = {
    "CELL_BITS": "32 or 64",
    "CELL_KIND": "GASCL_SIGNED, GASCL_UNSIGNED, GASCL_FLOATING or GASCL_OTHER",
    "CELL_OP": "how cells combine: GASCL_SUM, GASCL_MIN, ...",
    "CELL_MEMBERS": "the bits of a vector or struct that are not gaps",
}
#: What the delivery decides (delivery/assembly.py).
DELIVERY = {
    "INBOX": "there is an atomic inbox: for all messages, or those of send_to",
    "LISTS_RECEIVERS": "the inbox lists the vertices with a message",
    "PERSISTENT": "a persistent kernel runs all supersteps",
    "PULLS": "in some supersteps all vertices pull: deliveries `frontier` and `reached`",
    "REACHES": "in others, those pull that the frontier reaches: delivery `reached`",
    "LISTS_BITS": "it lists a frontier that was pulled at once: on several ranks",
    "AT_ONCE": "messages are applied one by one: deliveries `asynchronous` and `random`",
    "IN_PLACE": "apply changes fields at once: delivery `in_place`",
    "KNOWS_LANES": "the delivery knows in which lanes each vertex sends: see kernels/gather.cl",
    "CALCULATES": "a CPU calculates several messages at once: gather/item.cl",
    "FETCHES_ALL": "gascl_fetch() costs as much for no message: gather/item.cl",
    "BY_COMPONENT": "the items of a group share each message: gather/group_components.cl",
    "ANSWERS": "messages to the sender itself are kept for each arc first: see arc_messages.cl",
    "CREDITS": "messages to common neighbors are added up for each arc first: see arc_messages.cl",
    "OWNS_CREDITS": "an item adds to the messages for an arc alone",
    "BUNDLES": "an item combines messages of send_to to a vertex with many: see inbox/bundles.cl",
    "SPLITS": "work-groups have combined the segments of very long rows: see gather/group.cl",
    "CUTS": "ranks share the segments of rows that are longer than a share: see cut_rows.cl",
    "ORDERS_CREDITS": "these are floats, and kept in the order in which they are combined",
}
#: The shape of the kernels (run/plan.py).
SHAPE = {
    "GROUP": "the number of items in a work-group",
    "BLOCK": "the largest number of arcs, and of rows, in a block of a work-group",
    "LINES": "the number of lines of the source, by which faults are recorded",
    "TILE": "the number of vertices in a tile of kernels/pairs.cl",
    "SEED": "decides on the order of messages in debug mode",
}
#: How long a group waits in a persistent kernel (run/plan.py).
PATIENCE = {
    "JOIN_POLLS": "how often the first group looks for others that start at the same time",
    "PATIENCE": "how often a group looks for progress before it gives up",
}
#: What the device offers (run/plan.py).
DEVICE = {
    "OCLGRIND": "Oclgrind, which takes plain reads beside atomic operations for races, and "
    "lacks some builtins",
    "PREFETCHES": "a CPU: cache lines can be prefetched",
    "INLINE_PTX": "ballots, fences and clocks are inline PTX, NVIDIA's assembly language",
    "PROCESSOR": "the processor, so that caches of kernels distinguish them; no kernel reads it",
}
#: The device's atomic operations (delivery/atomics.py): see kernels/atomics.cl.
ATOMICS = {
    "NATIVE_ATOMICS": "use the device's atomic operations",
    "INT64_EXTENDED_ATOMICS": "there are atomic minima and maxima of 64 bits",
    "PTX_FLOAT32": "NVIDIA's instruction that adds floats atomically",
    "PTX_FLOAT64": "the same for doubles",
    "PTX_MATCH": "NVIDIA's instruction by which items of a warp find equals among them",
}
#: Of kernels/sort_arcs.cl, gather_values.cl and lane_sums.cl (delivery/sort_kernels.py).
SORTING = {
    "OFFSET": "the type of the number of pairs, or of places: int or long",
    "PLACES": "the original place of each pair is moved along with its key",
    "GROUP": SHAPE["GROUP"],
    "VALUE": "a type of the size of a value that kernels/gather_values.cl moves, or the type of "
    "what kernels/lane_sums.cl adds up",
    "TOTAL": "the type of those sums: long or double",
}
#: Of kernels/contract/ (delivery/sort_kernels.py), and those of SORTING.
CONTRACTING = {
    "ARC": "the type of arc offsets: int or long",
    "WEIGHTED": "arcs have weights; otherwise each counts 1",
    "FLOATS": "weights are double; otherwise long",
    "HALVES": "every arc has its reverse: of the two within a group, one counts",
    "LONG_SLOTS": "the number of slots of all hash tables has 64 bits",
    "OCLGRIND": DEVICE["OCLGRIND"],
}
#: Of kernels/device_check.cl (opencl/device_check.py).
TRIAL = {"GROUP": SHAPE["GROUP"], "FP64": "the device has double precision"}
#: Of kernels/atomics_probe.cl (delivery/atomics_probe.py).
PROBE = {
    "ACCUMULATOR": "the type of the numbers that are added",
    "PROBE_CELLS": "the number of cells that the items share",
    "PROBE_VALUE": "what each item adds",
}
#: What kernel files derive from the above, by file.
DERIVED = {
    "intrinsics.cl": {
        "TO_ACCUMULATOR": "defined here unless the header did, since C converts messages"
    },
    "runtime.cl": {
        "PREFETCH": "a macro: defined here to do nothing where there is no builtin for it",
    },
    "asynchronous/lists.cl": {
        "SUMS_BY_WARPS": "groups add up by warps: inline PTX, and groups of whole warps",
    },
    "atomics.cl": {
        **dict.fromkeys(("UNSIGNED", "OTHER"), "a CELL_KIND"),
        **dict.fromkeys(("SUM", "PROD", "MIN", "MAX", "OR"), "a CELL_OP"),
        "CELL_FLOATING": "cells hold floats",
        "CELL_INTEGER": "cells hold integers",
        "CELL_ORDERED": "cells hold floats as integers in the same order",
        "CELL_NATIVE": "an atomic operation of OpenCL combines cells",
        "CELL_PTX": "an instruction of NVIDIA combines cells",
    },
    "inbox/messages.cl": {
        "COUNTS_ARRIVED": "the inbox counts the messages of each vertex",
        "CELL_TELLS": "a cell itself says whether there is a message",
    },
    "frontier.cl": {
        "LISTS_DIRECTLY": "a vertex is listed in the next frontier right after its apply",
        "HOLDS_FIRST": "an item holds back vertices of the first mask, to list them together",
    },
    "mask.cl": {
        "PUTS_ALWAYS": "apply stores a vertex's mask even if it says nothing of it",
    },
    "persistent/clock.cl": {"CLOCK": "a macro: a clock that all groups share"},
    "push/pull_step.cl": {
        "HAS_OUTBOX": "there are outboxes, which are filled before a frontier is pulled",
        "FETCHES_OUTBOX": "gascl_fetch() reads them",
        "PULLS_ALL_ROWS": "every row pulls, so that none need be looked for",
    },
    "gather.cl": {
        "CONSUMES": "gascl_consume() changes something; also in the deliveries that gather",
    },
    "push/messages.cl": {
        "COMBINES_HELD": "messages to one vertex are combined before they are posted; "
        "also in push/first_sender.cl",
    },
    "push.cl": {"LOOKS_FOR_MESSAGES": "apply may look for messages in all vertices, in order"},
    "push/pull_by_item.cl": {
        "PULLS_AT_ONCE": "a vertex pulls and applies in one phase; also in other files of push/",
        "SEARCHES": "groups search long rows, in a phase of its own; also in other files of push/",
        "SORTS_OUT": "a macro: the senders of a row are sorted out first",
    },
    "pull.cl": {
        "MAY_STOP": "arcs of a row may be skipped: see gather.cl; also in outbox.cl and slots.cl",
        "SENDER": "a macro: the vertex that sends along an arc; also in outbox.cl",
        "APPLIES_RECEIVED": "only lanes with a message apply",
    },
    "slots/singly.cl": {"GROUP_COMPACTS": "a group moves the messages of a long row together"},
    "gather/item.cl": {"SUMS_APART": "long rows are combined in several boxes alternately"},
    "gather/sending_lanes.cl": {
        "SOME_ARCS_CARRY_NONE": "an arc may carry no message in some lanes"
    },
}


def defines(table: Mapping[str, str], values: Mapping[str, object]) -> list[str]:
    """Lines that define the switches of a table.

    Raises:
        KeyError: a name is not in the table.
    """
    return [f"#define {macro} {value}" for macro, value in _macros(table, values)]


def options(table: Mapping[str, str], values: Mapping[str, object]) -> list[str]:
    """Compiler options that define the switches of a table; raises as `defines`."""
    return [f"-D{macro}={value}" for macro, value in _macros(table, values)]


def _macros(table: Mapping[str, str], values: Mapping[str, object]) -> list[tuple[str, object]]:
    unknown = values.keys() - table.keys()
    if unknown:
        raise KeyError(f"{', '.join(sorted(unknown))}: not in the table of switches")
    return [
        (f"GASCL_{name}", int(value) if isinstance(value, bool) else value)
        for name, value in values.items()
    ]
