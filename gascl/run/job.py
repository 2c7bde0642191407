"""`Job`: a run of one program, as an engine carries it out."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.language.program import VertexProgram
from gascl.opencl.interrupts import Interrupts
from gascl.run.checkpoint import Checkpoint
from gascl.run.options import RunOptions
from gascl.run.resume import Start


@dataclass(frozen=True)
class Job:
    """A run of one program without `solve`.

    Attributes:
        program, options: as `Engine.run` takes them.
        form_of: `program` is the form in any order of this one, if it is not None.
        limit: the largest number of supersteps.
        start: which vertices scatter first, and whether the run continues an earlier one.
        checkpoint: where the run saves its state, or None. If it holds an earlier part of the run,
            the State is that of its end.
        interrupts: whether Ctrl-C was pressed.
    """

    program: VertexProgram
    options: RunOptions
    limit: int
    start: Start
    checkpoint: Checkpoint | None
    interrupts: Interrupts
    form_of: VertexProgram | None = None
