"""The sizes that the messages of an Arrow IPC file or stream declare, without decompressing them.

A compressed buffer begins with its size in memory, so that a file of a few bytes that would take
all memory is recognized before pyarrow, which allocates what a buffer declares, reads it.

Apache Arrow, "Arrow Columnar Format", section "Serialization and Interprocess Communication";
flatbuffers.dev, "FlatBuffers Internals".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

MAGIC = b"ARROW1"
DICTIONARY, BATCH = 2, 3  # the types of messages with buffers
FOOTER_DICTIONARIES, FOOTER_BATCHES = 2, 3  # fields of the footer: where these messages are


class Table:
    """A table of a flatbuffer; its fields are numbered from 0."""

    def __init__(self, data: Any, at: int):
        self._data, self._at = data, at
        vtable = at - struct.unpack_from("<i", data, at)[0]
        size = struct.unpack_from("<H", data, vtable)[0]
        self._offsets = struct.unpack_from(f"<{size // 2 - 2}H", data, vtable + 4)

    @classmethod
    def root(cls, data: Any) -> Table:
        """The outermost table."""
        return cls(data, struct.unpack_from("<I", data)[0])

    def number(self, field: int, kind: str = "q") -> int:
        """A field with a number of a type as in `struct`; 0 if it is absent."""
        place = self._place(field)
        return int(struct.unpack_from(f"<{kind}", self._data, place)[0]) if place else 0

    def table(self, field: int) -> Table | None:
        """A field with a table; None if it is absent."""
        place = self._place(field)
        return Table(self._data, self._target(place)) if place else None

    def structs(self, field: int, layout: str) -> list[tuple[int, ...]]:
        """A field with a vector of structs of this layout; [] if it is absent."""
        place = self._place(field)
        if not place:
            return []
        start = self._target(place)
        (count,) = struct.unpack_from("<I", self._data, start)
        size = count * struct.calcsize(layout)
        return list(struct.iter_unpack(layout, self._data[start + 4 : start + 4 + size]))

    def _place(self, field: int) -> int:
        offset = self._offsets[field] if field < len(self._offsets) else 0
        return self._at + offset if offset else 0

    def _target(self, place: int) -> int:
        return place + int(struct.unpack_from("<I", self._data, place)[0])


class Batch:
    """A message with rows, or with a dictionary.

    Attributes:
        rows: their number.
        compressed: whether its buffers are.
        sizes: the bytes that each compressed buffer takes in memory; 0 for others.
    """

    def __init__(self, message: Any):
        header = Table.root(memoryview(message.metadata))
        self.is_dictionary = header.number(1, "B") == DICTIONARY
        batch = header.table(2)
        if self.is_dictionary and batch is not None:
            batch = batch.table(1)
        self.rows, self.compressed, self.sizes = 0, False, list[int]()
        if batch is None:
            return
        self.rows, self.compressed = batch.number(0), batch.table(3) is not None
        buffers = batch.structs(2, "<qq")
        self.sizes = [0] * len(buffers)
        if self.compressed:
            body = memoryview(message.body)
            for place, (offset, length) in enumerate(buffers):
                # -1 says that the buffer is not compressed after all.
                size = struct.unpack_from("<q", body, offset)[0] if length else 0
                self.sizes[place] = max(size, 0)

    def size(self, counts: Sequence[int] | None, fields: Sequence[int]) -> int:
        """The bytes that these fields take, or all where it is not known whose buffers are whose.

        Args:
            counts: the number of buffers of each field of the schema; None: unknown.
        """
        if self.is_dictionary or counts is None or sum(counts) != len(self.sizes):
            return sum(self.sizes)
        return sum(sum(self.sizes[sum(counts[:f]) :][: counts[f]]) for f in fields)


def file_batches(data: Any) -> list[Batch]:
    """The dictionaries and batches of an IPC file, which is at its start again afterwards.

    Raises:
        struct.error, OSError, pyarrow.ArrowException: it is damaged.
    """
    from pyarrow import ipc

    ipc.open_file(data)  # which verifies the footer
    end = data.size() - len(MAGIC) - 4
    data.seek(end)
    (length,) = struct.unpack("<i", data.read(4))
    data.seek(end - length)
    footer = Table.root(memoryview(data.read(length)))
    batches = []
    for field in (FOOTER_DICTIONARIES, FOOTER_BATCHES):
        for offset, _, _ in footer.structs(field, "<qi4xq"):
            data.seek(offset)
            batches.append(Batch(ipc.read_message(data)))
    data.seek(0)
    return batches


def stream_batches(data: Any) -> Iterator[Batch]:
    """The dictionaries and batches of an IPC stream, which is at its start again afterwards.

    Raises:
        struct.error, OSError, pyarrow.ArrowException: it is damaged.
    """
    from pyarrow import ipc

    for message in ipc.MessageReader.open_stream(data):
        if message.type in ("dictionary", "record batch"):
            yield Batch(message)
    data.seek(0)


def buffer_counts(schema: Any) -> list[int]:
    """The number of buffers of each field of a schema."""

    def count(kind: Any) -> int:
        return kind.num_buffers + sum(count(kind.field(i).type) for i in range(kind.num_fields))

    return [count(field.type) for field in schema]
