"""Random rules by which a program stops."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st
from support.program_tree import Bin, Const, Member, Var
from support.random_expressions import DRAW
from support.values import SCALARS, components


class Quiet(NamedTuple):
    """A `converged` rule: few messages, or some superstep."""

    messages: int
    superstep: int

    def __call__(self, step: Any) -> bool:
        return step.messages < self.messages or step.superstep >= self.superstep


def stop_rules(draw: DRAW, body: dict[str, Any], laned: bool) -> dict[str, Any]:
    """`stop`, `converged`, a number of supersteps, several of these, or (on a mask) none."""
    rules: dict[str, Any] = {}
    number = draw(st.integers(0, 5))
    kinds = ["stop", "stop", "converged", *["none"] * (3 if body["scatter_on"] == "mask" else 0)]
    kind = draw(st.sampled_from(kinds))
    if draw(st.integers(0, 2)) == 2:
        rules |= {"has_supersteps": True, "supersteps": draw(st.sampled_from([number, None]))}
    if kind == "converged":
        rules["converged"] = Quiet(draw(st.integers(0, 3)), number)
    if kind == "stop":
        # A parameter may have a value for each lane, and `stop` is of them all.
        params = [] if laned else [n for n, (kind, _) in body["params"].items() if kind in SCALARS]
        limits = [Const(number), *(Var("p", name) for name in params)]
        late = rules["stop"] = Bin(">=", Var("", "superstep"), draw(st.sampled_from(limits)))
        if body["aggregates"] and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(body["aggregates"])))
            parts = components(body["aggregates"][name][0], body["structs"])
            path = draw(st.sampled_from(parts))[0] if parts else ""
            now, before = (
                Member(Var(space, name), path) if path else Var(space, name)
                for space in ("agg", "prev")
            )
            others = [before, Const(number), Const(30), Var("g", "num_vertices")]
            op = draw(st.sampled_from(["==", "<", ">"]))
            other = draw(st.sampled_from(others))
            rules["stop"] = Bin("||", Bin(op, now, other), late)
    if kind != "none" and body["scatter_on"] == "mask" and "priority" not in body:
        rules["ends"] = draw(st.sampled_from(["mask", "mask", "stop"]))
    return rules
