"""Which delivery takes which program, worked out from the tree: see docs/programs.md."""

from __future__ import annotations

from support.program_tree import (
    Assign,
    Each,
    ForCommon,
    GetMask,
    If,
    Of,
    Program,
    Repeat,
    Return,
    Send,
    SetMask,
    UnsetMask,
    Var,
    contains,
    walk,
)
from support.values import element, is_array, is_real, layout

from gascl.opencl.device_choice import find

#: Of programs with order = "any" alone.
ANY_ORDER = ("asynchronous", "in_place", "random")
DELIVERIES = (
    "slots",
    "pull",
    "outbox",
    "push",
    "frontier",
    "reached",
    "edges",
    "serial",
    *ANY_ORDER,
)


def sends_to(program: Program) -> bool:
    parts = walk((program.scatter, program.apply))
    return any(isinstance(s, Send) and s.to is not None for s in parts)


def is_in_order(program: Program) -> bool:
    """Whether the language takes what the program declares of its messages and its mask."""
    scatter, apply = program.scatter, program.apply
    posts = sends_to(program)
    late = any(isinstance(s, Send) and s.to is not None for s in walk(apply))
    if program.arc_fields and program.edges == "alternate":
        return False
    if program.combine == "first" and (posts or program.pairs):
        return False
    singly = program.receive_if is not None and Var("", "msg") in walk(program.receive_if)
    if singly and (late or program.pairs or program.gather is not None):
        return False
    marks = program.mask is not None or any(
        contains(block, SetMask) for block in (program.init, scatter, apply)
    )
    if program.scatter_on == "all" and program.apply_on == "mask" and not marks:
        return False
    if program.priority is None:
        return True
    of_others = any(isinstance(s, SetMask) and s.of is not None for s in walk(apply))
    everywhere = "all" in (program.scatter_on, program.apply_on)
    if of_others or everywhere or program.ends == "stop" or program.pairs or program.aggregates:
        return False
    return not (contains(scatter, SetMask) or contains(apply, UnsetMask))


def sums_floats(program: Program) -> bool:
    kind = program.message
    return program.combine in ("sum", "prod") and is_real(
        element(kind)[0] if is_array(kind) else kind
    )


def payload(program: Program, real: str) -> int:
    """Bytes of a combined message: sums are held in 64 bits, those of floats in double."""
    if program.combine in ("sum", "prod"):
        return 8 * (element(program.message)[1] if is_array(program.message) else 1)
    return layout(program.message, program.structs, real)[0]


def by_atomics(program: Program, real: str, deterministic: bool) -> bool:
    """Whether messages may be combined by atomics, in any order."""
    if program.gather is not None or program.grouping is not None:
        return False
    if program.combine == "first":
        return True  # they find the sender, not the message
    if payload(program, real) > 8 or is_array(program.message):
        return False
    if program.combine == "prod" and program.message in ("int64", "uint64"):
        return False  # whose overflow would not be seen
    return not (deterministic and sums_floats(program))


def names_of_arc(program: Program) -> set[str]:
    """What scatter mentions of `e`."""
    nodes = walk(program.scatter)
    return {
        x.name.partition(".")[0] for x in nodes if isinstance(x, Var | Assign) and x.space == "e"
    }


def by_pulling(program: Program) -> set[str]:
    """`pull` and `outbox`, where scatter's only effect is to send. `outbox` takes groups, too, and
    a gather snippet if every arc carries a message."""
    if not program.scatter:
        return {"pull", "outbox"} if program.gather is None else set()
    nodes = list(walk(program.scatter))
    of_arc = names_of_arc(program)
    sends = [s for s in nodes if isinstance(s, Send)]
    effects = contains(program.scatter, SetMask) or any(s.to is not None for s in sends)
    if effects or not sends or of_arc & {*program.arc_fields}:
        return set()
    if program.grouping is not None:
        return set() if of_arc and any(isinstance(x, Of) for x in nodes) else {"outbox"}
    if program.gather is not None:
        branches = any(isinstance(s, If | Repeat | ForCommon | Return) for s in nodes)
        always = program.scatter_on == "all" and not branches
        return {"outbox"} if always and not of_arc else set()
    asks = any(isinstance(x, Of) for x in nodes)
    return {"pull"} if of_arc and asks else {"pull", "outbox"}


def scatters_once(program: Program, lanes: int) -> bool:
    """Whether `pull` takes a scatter that sends to any vertex, as it runs once for each arc."""
    if program.combine == "first" or program.receive_if or program.enough or program.gather:
        return False
    if program.grouping is not None:
        return False
    posts = any(isinstance(s, Send) and s.to is not None for s in walk(program.scatter))
    alone = lanes == 1 and not program.arc_fields and not contains(program.scatter, SetMask)
    return posts and alone and program.scatter_on == "all"


def only_answers(program: Program) -> bool:
    """Whether messages to any vertex only go back to the sender, so that their order is known."""
    sends = [s.to for s in walk((program.scatter, program.apply)) if isinstance(s, Send)]
    late = any(isinstance(s, Send) and s.to is not None for s in walk(program.apply))
    return not late and all(to is None or to == Var("e", "src") for to in sends)


def ordered_credits(program: Program) -> bool:
    """Whether they otherwise go to the common neighbors of its arc's two ends, which scatter visits
    in its only such loop, and are added up; then a CPU knows their order."""
    loops = [s for s in walk(program.scatter) if isinstance(s, ForCommon)]
    ends = {Var("e", "src"), Var("e", "dst")}
    if program.combine != "sum" or len(loops) != 1 or {loops[0].a, loops[0].b} != ends:
        return False
    sends = [s.to for s in walk((program.scatter, program.apply)) if isinstance(s, Send)]
    late = any(isinstance(s, Send) and s.to is not None for s in walk(program.apply))
    return not late and all(to in (None, Var("e", "src"), Var("", "w")) for to in sends)


def written_by_apply(program: Program) -> set[str]:
    """The vertex fields that apply assigns to."""
    nodes = walk(program.apply)
    assigned = (
        s for s in nodes if isinstance(s, Each) or (isinstance(s, Assign) and s.space == "v")
    )
    return {s.name.partition(".")[0] for s in assigned}


def reads_what_apply_writes(program: Program) -> bool:
    """Whether scatter reads, of its vertex or of another, a field that apply assigns to."""
    read = {
        x.name
        for x in walk(program.scatter)
        if isinstance(x, Of) or (isinstance(x, Var) and x.space == "v")
    }
    return bool(written_by_apply(program) & read)


def can_list_the_mask(program: Program) -> bool:
    """Whether who scatters next can be listed while apply runs: nobody else sets the mask or asks
    for it, and nobody waits. So also where there is no mask."""
    parts = (program.init, program.scatter, program.apply)
    marked = any(contains(part, kind) for part in parts for kind in (SetMask, UnsetMask))
    asking = (program.scatter, program.apply, program.receive_if)
    asked = any(isinstance(x, GetMask) for x in walk(asking))
    asked |= program.apply_on == "mask" or bool(program.pairs)
    if program.scatter_on == "all":
        return not marked and not asked
    by_others = any(isinstance(s, SetMask) and s.of is not None for s in walk(parts))
    return not (by_others or contains(program.scatter, SetMask) or asked)


def pulls_where_it_is_reached(program: Program) -> bool:
    """Whether a vertex with an active neighbor may pull all messages of its row, and no other one
    need do anything."""
    if program.scatter_on == "all" or sends_to(program):
        return False
    if program.combine == "first" or program.enough or program.edges == "alternate":
        return False
    sends = any(isinstance(s, Send) for s in walk(program.scatter))
    return sends and can_list_the_mask(program) and program.priority is None


def fits_a_word(program: Program, real: str, lanes: int) -> bool:
    """Whether what apply writes of a vertex fits 8 bytes; and unless all vertices apply, whether
    neither scatter nor apply reads that of other vertices or sends to any vertex."""
    written = written_by_apply(program)
    sizes = [layout(program.fields[name].type, program.structs, real) for name in written]
    align = max((each for _, each in sizes), default=1)
    # In the order of their alignment there is no gap between them.
    size = -(-sum(each for each, _ in sizes) // align) * align
    if lanes > 1 or size > 8:
        return False
    asked = {x.name for x in walk((program.scatter, program.apply)) if isinstance(x, Of)}
    return program.apply_on == "all" or not (asked & written or sends_to(program))


def expected_deliveries(
    program: Program, real: str = "float32", deterministic: bool = True, lanes: int | None = None
) -> set[str]:
    """Those that must take the program; every other must refuse it."""
    lanes = program.lanes or program.listed or 1 if lanes is None else lanes
    if sends_to(program) and sums_floats(program) and deterministic:
        ordered = only_answers(program) or (ordered_credits(program) and find().facts.group == 1)
        answers = ordered and by_atomics(program, real, False)
        return {"serial", *["pull"] * (answers and scatters_once(program, lanes))}
    admitted = {"slots", "serial"} | by_pulling(program)
    if by_atomics(program, real, deterministic):
        alternates = program.edges == "alternate"
        admitted |= {"edges"} if lanes > 1 or alternates else {"edges", "push"}
    if program.combine == "first":
        nodes = list(walk(program.scatter))
        written = any(isinstance(s, Assign) and s.space == "e" for s in nodes)
        masks = any(isinstance(s, SetMask) for s in nodes)
        # push runs scatter again
        once = written or masks or reads_what_apply_writes(program) or is_array(program.message)
        admitted -= {"edges", "push"} if once else {"edges"}
    waits = program.priority is not None
    late = any(isinstance(s, Send) and s.to is not None for s in walk(program.apply))
    if {"push", "pull"} <= admitted and can_list_the_mask(program) and not (waits or late):
        admitted |= {"frontier"}
    if "pull" in by_pulling(program) and lanes == 1 and pulls_where_it_is_reached(program):
        admitted |= {"reached"}
    if scatters_once(program, lanes) and by_atomics(program, real, deterministic):
        admitted |= {"pull"}
    return admitted & {*DELIVERIES}
