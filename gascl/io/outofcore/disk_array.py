"""An array on disk, written and read block by block, for what does not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

#: Items read and written at a time.
BLOCK = 1 << 20


class DiskArray:
    """An array of one dimension in a file of its bytes. It grows at its end, and is read from the
    start. Nothing is mapped into memory, where it would count as this process's.

    Args:
        path: the file; an empty one is made unless `length` is given.
        dtype: of the items; one that holds the values appended, too, takes its place.
        length: of an array that is complete.
    """

    def __init__(self, path: Path, dtype: np.dtype | type, length: int | None = None):
        self.path, self.dtype, self._length = path, np.dtype(dtype), length or 0
        self._file = path.open("wb") if length is None else None

    def __len__(self) -> int:
        return self._length

    @property
    def shape(self) -> tuple[int]:
        """As NumPy's."""
        return (self._length,)

    @property
    def nbytes(self) -> int:
        """As NumPy's."""
        return self._length * self.dtype.itemsize

    def append(self, values: np.ndarray) -> None:
        """Put values, (n,), behind the others; changes the dtype if they need another."""
        assert self._file is not None
        wide = np.result_type(self.dtype, values.dtype)
        if wide != self.dtype:
            self._widen(wide)
        self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self._length += len(values)

    def _widen(self, dtype: np.dtype) -> None:
        self.close()
        narrow = DiskArray(self.path, self.dtype, self._length)
        part = self.path.with_name(f"{self.path.name}.wide")
        self._file, self.dtype = part.open("wb"), dtype
        for block in narrow.blocks():
            self._file.write(block.astype(dtype).data)
        part.replace(self.path)

    def blocks(self, size: int = BLOCK) -> Iterator[np.ndarray]:
        """The items, `size` at a time, without those that are appended meanwhile."""
        if self._file is not None:
            self._file.flush()
        count = self._length
        with self.path.open("rb") as file:
            for at in range(0, count, size):
                items = np.empty(min(size, count - at), self.dtype)
                if file.readinto(items.view(np.uint8).data) != items.nbytes:
                    raise OSError(f"{self.path} is shorter than it was")
                yield items

    def at(self, place: int) -> np.generic:
        """One item."""
        with self.path.open("rb") as file:
            file.seek(place * self.dtype.itemsize)
            item: np.generic = np.frombuffer(file.read(self.dtype.itemsize), self.dtype)[0]
            return item

    def close(self) -> None:
        """Write what has been appended; the array is complete."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def delete(self) -> None:
        """Delete the file."""
        self.close()
        self.path.unlink(missing_ok=True)
