"""Constants that kernels and host share. Each is defined here alone: the kernels get them as macros
at the start of the source text (delivery/assembly.py, delivery/sort_kernels.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class Stop(IntEnum):
    """Why the device has stopped; 0 while it has not."""

    RULE = 1  # the program's `stop` is true
    EMPTY_MASK = 2
    OVERFLOW = 3  # of a combined message
    FAULT = 4
    ORDER = 5  # of messages, on which the result depends: it must run in supersteps


class Fault(IntEnum):
    """What a snippet did wrong; the first of these at a line is reported."""

    OUT_OF_RANGE = 0
    SENT_TWICE = 1
    DIVIDED_BY_ZERO = 2
    NO_MESSAGE = 3
    NO_NEIGHBOR = 4
    NO_ELEMENT = 5
    NAN = 6  # after faults that may have caused it
    INFINITE = 7


#: The messages about the vertex with the fault; `last` is the index of the last vertex.
FAULT_MESSAGES = {
    Fault.OUT_OF_RANGE: "used an id that is not in 0 ... {last}",
    Fault.SENT_TWICE: "sent twice along one arc, whose messages are not combined: send once",
    Fault.DIVIDED_BY_ZERO: "divided by zero",
    Fault.NO_MESSAGE: "read messages[i] or groups[i] with an i that is not in 0 ... "
    "num_messages - 1 or num_groups - 1",
    Fault.NO_NEIGHBOR: "used neighbor(i) or FIELD_to(i) with an i that is not in 0 ... "
    "num_neighbors - 1",
    Fault.NO_ELEMENT: "used an index that is outside of its array",
    Fault.NAN: "computed NaN",
    Fault.INFINITE: "made a finite value infinite",
}


class Team(IntEnum):
    """The words that the groups of a persistent kernel share (kernels/persistent/phases.cl)."""

    STATE = 0  # how many take part (12 bits), how many of them have arrived (12), and the last 8
    # bits of the phase's number
    PHASE = 1  # which phase is running
    GROUPS = 2  # how many take part in it
    DONE = 3  # how many supersteps have run
    FAILED = 4  # a group waited too long
    TAKEN = 5  # see gascl_share() in team.cl
    TAKEN_SECOND = 6  # the same for a second loop in the same phase
    WORK = 7  # the work of the supersteps so far, in units of 1024 arcs
    SMALL = 8  # the superstep has little work
    STARTING = 9  # the first mask is still to be committed
    RANKS = 10  # how many have ever joined
    SWAPPED = 11  # the two inboxes, of this superstep and the next, are exchanged
    RELEASED = 12  # the phase's number, in a cache line of its own for the groups that wait; on a
    # GPU, after 12 bits with the number of groups in the phase
    MOST = 13  # on a GPU: the most groups that took part in a phase of this superstep
    # Of delivery `asynchronous`:
    BASE = 14  # the current bin
    BLOCKS = 15  # the number of its blocks
    LOWEST = 16  # the lowest bin of a vertex that waits
    USED = 17  # the number of blocks that have been taken from the pool
    ROUNDS = 18  # whether there has been one
    LONG = 19  # the number of listed vertices with long rows
    UNLISTED = 20  # whether vertices wait without being listed
    FROM_MASK = 21  # whether bins are filled from the mask, not from the bin of far vertices
    # For the same delivery on a GPU (kernels/asynchronous/gpu.cl), with some of those above:
    NEAR = 22  # the entries and arcs of the near list of even rounds, 64 bits
    NEAR_ODD = 23
    FAR = 24  # the length of a far list
    FAR_OTHER = 25
    MESSAGES = 26  # in this step of the trace, 64 bits


class Phase(IntEnum):
    """The phases of a persistent kernel."""

    JOIN = 0
    END = 1
    SNAPSHOT = 2
    CLEAR_BITS = 3
    CONVERT = 4
    SCATTER = 5
    APPLY = 6
    COMMIT = 7
    RETURN_NEAR = 8
    SCAN_NEAR = 9
    SCAN_FAR = 10
    SPLIT_NEAR = 11
    SPLIT_FAR = 12
    SEARCH = 13
    GATHER = 14
    NANS = 15  # at the end of a launch
    # Of delivery `asynchronous`:
    PACK = 16
    LOWEST = 17
    FILL = 18
    ROUND = 19
    LONG_ROWS = 20  # also of `reached`, after SHORT_ROWS
    UNPACK = 21
    # For delivery `in_place`, with PACK and UNPACK:
    PASS = 22
    START = 23  # at the beginning of a run
    SHORT_ROWS = 24  # of delivery `reached`


class Order(IntEnum):
    """What shows that the order of messages matters: the vertex differs... (kernels/random.cl)"""

    TWICE = 1  # if it gets the second one twice
    EXCHANGED = 2  # if they come in the other order
    TOGETHER = 3  # if they come combined
    UNTOLD = 4  # from what it has sent, and will not scatter again


class Again(IntEnum):
    """Why a run in any order begins again, in supersteps."""

    ORDER_MATTERS = 1  # as `Traits.why_order` says
    ROW_IS_LONG = 2  # a work-item of a GPU would look at too many neighbors of a vertex


class ActiveList(IntEnum):
    """The lists of an active set whose lengths are counted (kernels/frontier.cl)."""

    FRONTIER = 0  # of even supersteps
    FRONTIER_ODD = 1
    LISTED = 2
    RECEIVERS = 3
    RECEIVERS_next = 4  # as GASCL_POST(_next) in inbox/messages.cl spells it
    PILES = 5  # four: see buckets.cl


#: The number of those lists.
NUM_LISTS = ActiveList.PILES + 4
#: The distance of two words in cache lines of their own.
STRIDE = 16
#: The most groups that 12 bits can count.
MOST_GROUPS = 2**12 - 1
#: The queue of delivery `asynchronous` on CPUs (kernels/asynchronous/queue.cl): the numbers of
#: bins, of words in a block, of vertices for each block of the pool, and of further blocks; how
#: many blocks a group takes from the pool at once; with how many vertices in its current bin it
#: lets others share them; and how many rounds it makes before it meets them.
BINS, BLOCK_WORDS, VERTICES_OF_BLOCK, SPARE_BLOCKS = 64, 128, 32, 64
BLOCKS_AT_ONCE, MOST_LOCAL, LOCAL_ROUNDS = 4, 1008, 8
#: More arcs than a group has to itself in that delivery, and the most such rows in a round that
#: groups share.
LONG_ROW, MOST_LONG_ROWS = 4096, 1024
#: Of that delivery on GPUs (kernels/asynchronous/relax.cl): the least number of vertices that a
#: group takes at once; how many turns it then makes before it meets the others; and the most
#: vertices in a turn.
TAKES_FEW, TURNS, MOST_TURN = 8, 64, 512
#: Of delivery `random`: the most messages that fly at a time, which is also the number of waiting
#: vertices among which one is chosen; and the most arcs and messages of a launch.
MOST_FLIGHTS, MOST_RANDOM_WORK = 64, 2**18
#: Of delivery `in_place` on GPUs: at how many neighbors of a vertex one work-item may look.
MOST_LOOKED = 64
#: How many vertices have a word together that says in which parts of streamed arcs they send.
SENDERS_OF_WORD = 8
#: A value of `starting`: gascl_decide_on() in superstep.cl.
GOING_ON = 2
#: The number of a block's messages that one work-item combines into a box, for others to use.
CHUNK_ARCS = 8
#: A row of more arcs is very long: its messages are combined in segments of this size, which
#: work-groups share if the delivery and the program let them (`Traits.splits`).
VERY_LONG_ROW, SEGMENT = 16384, 8192
#: The number of boxes that a work-item joins in one step of a reduction over a work-group.
FAN_IN = 8
#: The number of messages that a work-item loads before it uses the first one; of large ones, 1.
FETCHES = 4
#: The number of boxes in which a work-item combines a long row that it has to itself; of large
#: messages, 1.
SUMS = 2
#: In a pulled row of at least this length, a CPU first selects the arcs whose senders send.
SORTED_ROW = 8
#: The number of messages that a work-item loads at once where items share them, or that a CPU
#: calculates at once.
MESSAGES_AT_ONCE = 8
#: The most bytes of a message that is not large.
SMALL_MESSAGE = 16
#: The largest number of arcs in a piece of the frontier; larger pieces on CPUs, where a work-item
#: has a piece to itself.
PIECE, CPU_PIECE = 128, 4096
#: The number of receivers that one work-item handles at once in `pairs` on a CPU: as many floats as
#: the widest SIMD registers hold.
RECEIVERS_PER_ITEM = 16
#: The most receivers of a work-group of several items that search the tree of places together. On
#: an H200, 100,000 vertices took 1.56 ms with 16, 1.77 with 32 and 2.43 with 64.
RECEIVERS_TOGETHER = 16
#: The most items of a work-group that searches the tree of places: numbers of them have 10 bits
#: (kernels/pairs/near_group.cl).
MOST_SEARCHERS = 512
#: In the tree of the vertices' places, the number of vertices in a leaf, and of nodes in a node.
LEAF, FAN_OUT = 8, 4
#: The number of bits of a place along the curve by which vertices are ordered (pairs/order.cl); a
#: multiple of 1, 2 and 3.
CURVE_BITS = 30
#: How many vertices' messages the only item of a group combines before it posts them, and how many
#: messages a vertex must have before that is done (kernels/inbox/bundles.cl).
BUNDLES_OF_GROUP, MANY_ARRIVED = 16, 64
#: Of a loop whose terms are joined in order, how many a work-item computes at once.
SHARED_TERMS = 4
#: How many turns of a loop with loops in it a work-item runs by itself.
FEW_TURNS = 8
#: The number of bits by which a pass sorts, and the number of keys that a work-item holds at once.
DIGIT_BITS, KEYS_PER_ITEM = 4, 8


def defines(constants: Mapping[str, int]) -> list[str]:
    """Constants as lines of OpenCL C: GASCL_STOPPED_BY_RULE, GASCL_OUT_OF_RANGE, ..."""
    return [f"#define GASCL_{name} {value}" for name, value in constants.items()]


def numbered(prefix: str, names: type[IntEnum]) -> dict[str, int]:
    """The members of an enum as constants: for `Phase` and "PHASE_", PHASE_JOIN, PHASE_END, ..."""
    return {f"{prefix}{member.name}": member.value for member in names}


def of_run(message: int) -> dict[str, int]:
    """The constants of every run whose messages have this many bytes."""
    small = message <= SMALL_MESSAGE
    return {
        **numbered("STOPPED_BY_", Stop),
        **numbered("", Fault),
        "GOING_ON": GOING_ON,
        "STRIDE": STRIDE,
        "BUNDLES_OF_GROUP": BUNDLES_OF_GROUP,
        "MANY_ARRIVED": MANY_ARRIVED,
        "CHUNK_ARCS": CHUNK_ARCS,
        "VERY_LONG_ROW": VERY_LONG_ROW,
        "SEGMENT": SEGMENT,
        "FAN_IN": FAN_IN,
        "SORTED_ROW": SORTED_ROW,
        "FETCHES": FETCHES if small else 1,
        "MESSAGES_AT_ONCE": MESSAGES_AT_ONCE,
        "SUMS": SUMS if small else 1,
    }


def of_lists(group: int) -> dict[str, int]:
    """Those of active sets that are lists."""
    piece = CPU_PIECE if group == 1 else PIECE
    return {"PIECE": piece, **numbered("LIST_", ActiveList)}


def of_pairs() -> dict[str, int]:
    """Those of `pairs`."""
    return {"RECEIVERS_PER_ITEM": RECEIVERS_PER_ITEM}


def of_near_pairs(group: int, axes: int) -> dict[str, int]:
    """The constants of `pairs` with places (`pairs_at`) in this many dimensions."""
    return {
        "RECEIVERS_PER_ITEM": RECEIVERS_PER_ITEM if group == 1 else 1,
        "RECEIVERS_TOGETHER": receivers_together(group),
        "LEAF": LEAF,
        "FAN_OUT": FAN_OUT,
        "MOST_LEVELS": len(levels(2**31 - 1)),
        "AXES": axes,
        "CURVE_BITS": CURVE_BITS,
        "PLACES": 1,
        **of_sorting(),
    }


def receivers_together(group: int) -> int:
    """The number of receivers of a work-group that search the tree of places together."""
    return min(RECEIVERS_TOGETHER, max(group // 2, 1))


def levels(vertices: int) -> list[int]:
    """The numbers of nodes in the levels of the tree of so many vertices: groups of up to LEAF, and
    then of up to FAN_OUT nodes of the level before."""
    sizes = [-(-vertices // LEAF)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // FAN_OUT))
    return sizes


def long_row(group: int, nests: bool) -> int:
    """A vertex with more neighbors applies by a whole work-group, if it shares loops.

    Args:
        nests: there are loops in one of these, so that a turn takes long.
    """
    return min(FEW_TURNS, group // 2) if nests else group // 2


def of_shared_rows(group: int) -> dict[str, int]:
    """Those of kernels/shared_rows.cl."""
    rows = {"LONG_ROW": long_row(group, False), "LONG_ROW_OF_LOOPS": long_row(group, True)}
    return {**rows, "SHARED_TERMS": SHARED_TERMS}


def of_persistent_kernel() -> dict[str, int]:
    """Those of a persistent kernel."""
    team = {**numbered("TEAM_", Team), "TEAM_WORDS": len(Team), "MOST_GROUPS": MOST_GROUPS}
    return {**team, **numbered("PHASE_", Phase), "STRIDE": STRIDE}


def of_queue(group: int) -> dict[str, int]:
    """Those of delivery `asynchronous`."""
    if group > 1:
        few = min(TAKES_FEW, group)
        return {"TAKES_FEW": few, "TURNS": TURNS, "MOST_TURN": min(MOST_TURN, 2 * group)}
    return {
        "BINS": BINS,
        "BLOCK_WORDS": BLOCK_WORDS,
        "VERTICES_OF_BLOCK": VERTICES_OF_BLOCK,
        "SPARE_BLOCKS": SPARE_BLOCKS,
        "BLOCKS_AT_ONCE": BLOCKS_AT_ONCE,
        "MOST_LOCAL": MOST_LOCAL,
        "LOCAL_ROUNDS": LOCAL_ROUNDS,
        "LONG_ROW": LONG_ROW,
        "MOST_LONG_ROWS": MOST_LONG_ROWS,
    }


def of_random() -> dict[str, int]:
    """Those of delivery `random`."""
    most = {"MOST_FLIGHTS": MOST_FLIGHTS, "MOST_RANDOM_WORK": MOST_RANDOM_WORK}
    return {**numbered("", Order), **most}


def of_sorting() -> dict[str, int]:
    """Those of the kernels that sort arcs."""
    return {"DIGIT_BITS": DIGIT_BITS, "KEYS_PER_ITEM": KEYS_PER_ITEM}
