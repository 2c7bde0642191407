"""The signature of a program's constructor, for help() and completion."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any

from gascl.language.fields import REQUIRED
from gascl.language.spec import ProgramSpec


def constructor_signature(spec: ProgramSpec, init: Callable[..., None]) -> Signature:
    """The signature of a class: that of its own `__init__` if it names arguments, or else its
    parameters, the edge fields, whose names in the graph can be given, and the vertex fields, with
    what they are by default.

    Args:
        init: the class's `__init__`.
    """
    _, *own = signature(init).parameters.values()
    free = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    if any(p.kind not in free and p.name != "dtype" for p in own):
        return Signature(own)
    defaults: dict[str, Any] = {name: p.default for name, p in spec.params.items()}
    defaults |= {name: name for name in spec.edge_fields}
    defaults |= {name: field.init for name, field in spec.vertex_fields.items()}
    defaults |= {"dtype": "float32"}
    empty = Parameter.empty
    named = {n: empty if default is REQUIRED else default for n, default in defaults.items()}
    return Signature([Parameter(n, Parameter.KEYWORD_ONLY, default=d) for n, d in named.items()])
