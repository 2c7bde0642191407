"""`Unstored`: stands for an array of which no process has an item."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gascl.errors import GraphError


class Unstored(NDArrayOperatorsMixin):
    """An array that is never held whole. Operations that would need that raise GraphError.

    Args:
        about: text that determines the items.
    """

    ndim = 1

    def __init__(self, length: int, dtype: np.dtype, about: str = ""):
        self.size, self.dtype, self.shape, self.about = length, dtype, (length,), about

    def __len__(self) -> int:
        return self.size

    def setflags(self, write: bool) -> None:
        """As of an array; it is read-only anyway."""

    def _refuse(self, *_: Any, **more: Any) -> NoReturn:
        raise GraphError(
            "the edges of this graph are not stored, and this operation needs all of them: "
            "generate a graph with stored=True"
        )

    __array__ = __array_ufunc__ = __iter__ = __getitem__ = __reduce__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # probed by Python and NumPy on any object
            raise AttributeError(name)
        self._refuse()
