"""The features of the language that a run has used, by name; the tests of coverage count these."""

from __future__ import annotations

from support.combiners import CUSTOM
from support.gather_snippets import FORMS
from support.oracle import Outcome
from support.program_tree import (
    Assign,
    Each,
    GetMask,
    Hash,
    Is,
    Program,
    Repeat,
    SetMask,
    Uniform,
    UnsetMask,
    Var,
    walk,
)
from support.values import SCALARS, is_array, is_scalar, is_vector


def type_of(kind: str) -> str:
    if is_scalar(kind):
        return kind
    return "an array" if is_array(kind) else "a vector" if is_vector(kind) else "a struct"


def features(program: Program, outcome: Outcome) -> set[str]:
    """What the interpreter has met, and what stands in a program that has sent messages."""
    found = set(outcome.used)
    if not any(step.messages for step in outcome.trace):
        return found
    found.add(f"message {type_of(program.message)}")
    found |= {f"field {type_of(f.type)}" for f in program.fields.values()}
    found |= {f"arc field {type_of(f.type)}" for f in program.arc_fields.values()}
    of_message = [kind for _, kind in program.structs.get(program.message, ())]
    if any(map(is_array, of_message)):
        found.add("an array in a struct as message")
    if program.gathered is not None and program.gathered != program.message:
        found.add(f"gathered {type_of(program.gathered)}")
    if program.combine is not None:
        custom = program.combine in program.folds
        found.add("combine: of components" if custom else f"combine: {program.combine}")
    found |= {f"edges: {program.edges}", f"scatter_on: {program.scatter_on}"}
    found |= {f"apply_on: {program.apply_on}"}
    if program.lanes or program.listed:
        found.add("lanes" if program.lanes else "lanes by a parameter")
    if program.stop is not None:
        found.add("stop")
    if program.converged is not None:
        found.add("converged")
    if program.receive_if is not None:
        singly = Var("", "msg") in walk(program.receive_if)
        found.add(f"receive_if {'reads msg' if singly else 'of the vertex alone'}")
    for phase in ("init", "scatter", "pairs", "apply"):
        for node in walk(getattr(program, phase)):
            if isinstance(node, SetMask | UnsetMask | GetMask):
                of = "" if isinstance(node, UnsetMask) or node.of is None else " of"
                found.add(f"{type(node).__name__}{of} in {phase}")
            if isinstance(node, Hash | Uniform | Repeat | Each):
                found.add(f"{type(node).__name__} in {phase}")
            if isinstance(node, Is):
                found.add("a choice")
            if isinstance(node, Assign) and "." in node.name:
                found.add(f"writes a member of {node.space}")
            if isinstance(node, Var) and node.space in ("prev", "e", "u"):
                found.add(f"{node.space} in {phase}")
    return found


EXPECTED = {
    *(f"message {kind}" for kind in (*SCALARS, "a vector", "a struct", "an array")),
    *(f"field {kind}" for kind in (*SCALARS, "a vector", "a struct", "an array")),
    *("arc field an array", "an array in a struct as message", "Each in apply"),
    *(f"a component by its index in {phase}" for phase in ("scatter", "gather", "apply")),
    *(f"an array parameter in {phase}" for phase in ("scatter", "gather", "apply")),
    *(f"gather: {form}" for form in FORMS),
    *(f"combine: {how}" for how in ("sum", "prod", "min", "max", "or", "and", *CUSTOM)),
    *("combine: of components", "gather of several messages"),
    *("combine: first", "the first of several", "enough", "enough of several"),
    *("several groups", "one group", "a group of several messages"),
    *("a preferred group", "the most frequent key"),
    *("a message is received", "a message is dropped", "receive_if reads msg"),
    *("receive_if of the vertex alone", "a message is dropped, other effects are not"),
    *("FIELD_to in scatter", "FIELD_to in apply", "return in scatter", "return in apply"),
    *("Hash in scatter", "Uniform in apply", "Repeat in scatter", "Repeat in apply", "a choice"),
    *("lane in receive_if", "some wait", "a priority of each lane"),
    *("apply_on: mask", "apply in the mask without a message"),
    *(f"edges: {along}" for along in ("out", "in", "both", "alternate")),
    *("scatter_on: mask", "scatter_on: all", "apply_on: message", "apply_on: all"),
    *("send_to in scatter", "send_to in apply", "runs on while messages are under way"),
    "runs on without a mask",
    *(f"FIELD_of in {phase}" for phase in ("scatter", "gather", "apply")),
    "FIELD_of is from before the phase",
    *(f"neighbor in {phase}" for phase in ("scatter", "gather", "apply")),
    *("neighbor_of in scatter", "neighbor_of in apply"),
    *("num_neighbors in scatter", "num_neighbors in apply"),
    *("has_edge true in scatter", "has_edge true in apply", "has_edge false in apply"),
    *(f"common {of} in {phase}" for of in ("some", "none") for phase in ("scatter", "apply")),
    *("for_common in scatter", "for_common in apply", "for_common: of parallel arcs"),
    *("FIELD_from in scatter", "FIELD_from in apply"),
    *("arc state of a superstep before", "e in scatter", "prev in scatter", "prev in apply"),
    *("a pair sends", "a pair does not send", "u in pairs", "lane in pairs"),
    *(f"a loop over neighbors: {how}" for how in ("sum", "min", "max", "any")),
    *("lanes", "lanes by a parameter", "a parameter of each lane"),
    *("lane in init", "lane in scatter", "lane in apply", "a mask set by some of the lanes"),
    *("aggregate sum", "aggregate min", "aggregate max", "aggregate count", "aggregate mean"),
    *("mean", "mean of nothing", "aggregate custom", "aggregate a struct or vector"),
    *("SetMask in apply", "SetMask of in scatter", "SetMask of in apply", "UnsetMask in apply"),
    *("GetMask in scatter", "GetMask of in scatter", "GetMask in apply", "stop", "converged"),
}
