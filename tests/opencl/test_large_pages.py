"""Large arrays on CPUs are in large pages, and the buffer holds their memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from support.agreement import find_device

from gascl.opencl.large_pages import LEAST, PAGE, in_large_pages


@pytest.mark.parametrize("dtype", ["int32", "float64", "i4,f8"])
def test_a_copy_begins_with_a_page(dtype: str) -> None:
    array = np.zeros((LEAST // 8, 2), dtype)
    array.reshape(-1).view(np.uint8)[:] = np.arange(array.nbytes) % 251
    copy = in_large_pages(array)
    assert copy.ctypes.data % PAGE == 0
    assert (copy.shape, copy.dtype) == (array.shape, array.dtype)
    assert copy.tobytes() == array.tobytes()
    assert not np.shares_memory(copy, array)


@pytest.mark.parametrize("size", [LEAST - 4, LEAST, LEAST + 4])
def test_a_buffer_has_its_own_memory(size: int) -> None:
    device = find_device(1)
    array = np.arange(size // 4, dtype=np.int32)
    buffer = device.upload(array)
    assert buffer.size == size
    array[:] = -1
    gc.collect()
    found = np.empty_like(array)
    device.download(found, buffer)
    assert found.tolist() == list(range(size // 4))
