"""A result's fields as the columns of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

#: The steps from a field to one column of it: a member's name, or a lane's or component's number.
_Steps = tuple[str | int, ...]


def columns_of(vertices: np.ndarray, fields: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One column a component, a lane or a member, (V,) each, behind the vertices' labels.

    A column is named like `x_0` or `best_near`. Where two columns would share a name, the fields
    that they come from have names that cannot clash: `x[0]`, `best.near`, `fields.vertex`.
    """
    parts = {name: list(_parts(values)) for name, values in fields.items()}
    uses = Counter(["vertex"])
    for name, columns in parts.items():
        uses.update(_short(name, steps) for steps, _ in columns)
    found = {"vertex": vertices}
    for name, columns in parts.items():
        clash = any(uses[_short(name, steps)] > 1 for steps, _ in columns)
        for steps, values in columns:
            found[_long(name, steps) if clash else _short(name, steps)] = values
    return found


def _parts(values: np.ndarray, steps: _Steps = ()) -> Iterator[tuple[_Steps, np.ndarray]]:
    if values.dtype.names:
        for name in values.dtype.names:
            yield from _parts(values[name], (*steps, name))
    elif values.ndim > 1:
        for number in range(values.shape[1]):
            yield from _parts(values[:, number], (*steps, number))
    else:
        yield steps, values


def _short(name: str, steps: _Steps) -> str:
    return "_".join(map(str, (name, *steps)))


def _long(name: str, steps: _Steps) -> str:
    """A name with brackets or a dot, which no field's has; different steps give different ones."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f"fields.{name}" if name == "vertex" and not steps else name + path
