"""The part of a rank in the work that `Stages.share` distributes, and how it may end early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gascl.errors import ProgramError
from gascl.results.trace import Step


class Canceled(Exception):
    """Another rank has failed, so that the work of this one will not be used."""


class TooLarge(Exception):
    """The arcs do not fit on the device of a rank that needs all of them."""


class Share(NamedTuple):
    """The outcome of one rank's share of the work.

    Attributes:
        steps: the steps of its runs, without the times of kernels.
        deliveries, numberings, computed, endless, runs: as in its Stages.
        types: the types and shapes of the arrays that it returned, by name.
        ended: why a run could not continue, or "".
        interrupted: by Ctrl-C.
    """

    steps: list[Step]
    deliveries: dict[str, None]
    numberings: dict[str, None]
    computed: set[str]
    endless: list[str]
    runs: Counter[str]
    types: dict[str, tuple[np.dtype, tuple[int, ...]]]
    ended: str
    interrupted: bool


def checked(
    found: Any, by: Mapping[str, np.ufunc], keeps: type | tuple[type, ...] = ()
) -> dict[str, Any]:
    """What the function of `share` has returned, as arrays.

    Args:
        keeps: what need not be an array yet.
    """
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        raise ProgramError(f"the function of share must return a dict of arrays, not {found!r}")
    arrays: dict[str, Any] = {
        n: each if isinstance(each, keeps) else np.asarray(each) for n, each in found.items()
    }
    for name, values in arrays.items():
        if values.dtype.kind not in "biufc":
            raise ProgramError(
                f"the function of share returned {name!r} of type {values.dtype}: only numbers "
                "can be combined"
            )
    for name, how in by.items():
        if name not in arrays or not isinstance(how, np.ufunc) or how.nin != 2:
            there = ", ".join(arrays) or "nothing"
            raise ProgramError(
                f"share(by={{{name!r}: {how!r}}}): expected a function of NumPy of two arrays, "
                f"such as np.maximum, for a name that the function of share returns ({there})"
            )
    return arrays


def alike(shares: Sequence[Share]) -> list[tuple[str, np.dtype, tuple[int, ...]]]:
    """The name, type and shape of each array that all shares have.

    Raises:
        ProgramError: names or shapes differ.
    """
    first, *others = ({name: typed[1] for name, typed in share.types.items()} for share in shares)
    for rank, shapes in enumerate(others, 1):
        if shapes != first:
            raise ProgramError(
                f"the function of share returned arrays of the shapes {shapes} in rank {rank}, and "
                f"{first} in rank 0"
            )
    types = {name: [share.types[name][0] for share in shares] for name in first}
    return [(name, np.result_type(*types[name]), shape) for name, shape in first.items()]
