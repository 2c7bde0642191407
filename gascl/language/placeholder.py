"""Programs with any values of their parameters, where only what the class declares counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.language.fields import REQUIRED, ArrayParam
from gascl.language.program import VertexProgram


def any_values(cls: type[VertexProgram]) -> dict[str, Any]:
    """A value for each parameter that is required. Neither the generated code nor the buffers of a
    run depend on which it is."""
    values: dict[str, Any] = {}
    for name, param in cls.spec.params.items():
        if param.default is REQUIRED:
            bounds = (bound for bound in (param.low, param.high) if bound is not None)
            values[name] = next(bounds, 0)
            if isinstance(param, ArrayParam):
                values[name] = np.full(param.shape, values[name])
    return values


def example_of(cls: type[VertexProgram], dtype: str, lanes: int = 1) -> VertexProgram:
    """A program of this class, with this many lanes unless the class has its own number."""
    program = cls(**any_values(cls), dtype=dtype)
    bases = cls.__mro__[: cls.__mro__.index(VertexProgram)]
    if not any("lanes" in vars(base) for base in bases):
        program.lanes = lanes
    return program
