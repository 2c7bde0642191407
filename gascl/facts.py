"""What a program's snippets do, as data: what codegen writes and deliveries admit depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gascl.types import resolve

if TYPE_CHECKING:
    from gascl.program import VertexProgram


@dataclass(frozen=True)
class Facts:
    """What deliveries and codegen ask of a program.

    Attributes:
        scatters: there is a scatter snippet.
        sends_only: scatter's only effect is `send`: its message can be computed anywhere, twice.
        reads_edge: scatter reads something of `e`.
        every_arc_sends: every arc carries a message in every superstep.
        masked: the program keeps a mask.
        marks: apply both sets other vertices' mask and unsets its own, so that the two need
            separate memory to be independent of the order of vertices.
        fusable: the next superstep's scatter may run right behind apply, before anything of this
            superstep is reduced over vertices.
        overflows: the combiner is an integer sum or product, checked for overflow.
    """

    scatters: bool
    sends_only: bool
    reads_edge: bool
    every_arc_sends: bool
    masked: bool
    marks: bool
    fusable: bool
    overflows: bool

    @classmethod
    def of(cls, program: type[VertexProgram]) -> Facts:
        snippets = program.snippets
        scatter, apply = snippets.get("scatter"), snippets.get("apply")
        init = snippets.get("init")
        present = [s for s in (init, scatter, apply) if s is not None]
        on_all = program.scatter_on == "all"
        sets = scatter is not None and scatter.uses("set_mask", "set_mask_of")
        summed = program.combine in ("sum", "prod") and program.message is not None
        overflows = summed and not resolve(program.message, "float32").is_float
        return cls(
            scatters=scatter is not None,
            sends_only=scatter is not None and scatter.uses("send") and not sets,
            reads_edge=scatter is not None and bool(scatter.reads("e")),
            # A macro of the user's may hide a `return`.
            every_arc_sends=on_all
            and scatter is not None
            and scatter.sends_always
            and "#" not in program.functions,
            masked=not on_all
            or any(
                s.uses("get_mask", "get_mask_of", "set_mask", "set_mask_of", "unset_mask")
                for s in present
            ),
            marks=apply is not None and apply.uses("set_mask_of") and apply.uses("unset_mask"),
            fusable=on_all
            and not overflows  # it must not be reported for a superstep that never runs
            and scatter is not None
            and not scatter.reads("prev")
            and not scatter.uses("get_mask", "get_mask_of"),
            overflows=overflows,
        )
