"""Copies of arrays in large pages of the host's memory, for devices that compute there."""

from __future__ import annotations

import numpy as np

#: The bytes of a large page, and those of an array for which NumPy asks Linux for such pages.
PAGE, LEAST = 1 << 21, 1 << 22


def in_large_pages(array: np.ndarray) -> np.ndarray:
    """A copy of a contiguous array of at least LEAST bytes, which begins with a page.

    Arcs are read at random places, and with pages of 4 KiB, most such reads first wait for the
    place of their page. Where the system gives no large pages, the copy is an ordinary one.
    """
    memory = np.empty(array.nbytes + PAGE, np.uint8)
    begin = -memory.ctypes.data % PAGE
    copy = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
