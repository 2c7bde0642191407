"""Edges of GML and GraphML that are all written alike, read as columns.

All edges but the first are cut out of the text, which a parser of the format then reads with all
its checks; the others differ from the first in numbers only. Where anything is not as expected, the
whole text is left to that parser, which takes many times longer for each edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.io.columns import Irregular, read_columns

#: Bytes of text from which on cutting is worth while.
LEAST = 1 << 16
PIECE = 1 << 23  # bytes of edges parsed at a time
#: Ids have no zeros before them, so that each is written in one way only.
ID, NUMBER = rb"(0|[1-9]\d{0,17})", rb"([-+.\deE]+)"


@dataclass(frozen=True)
class Records:
    """What was cut out of a text.

    Attributes:
        rest: the text with the first edge only.
        pieces: of the edges, also the first.
        alike: an edge and the blanks behind it, with its numbers as groups: source, target, values;
            or anything else, without.
        prefix: what comes before the number in a vertex's id.
    """

    rest: bytes
    pieces: Iterable[bytes]
    alike: re.Pattern[bytes]
    prefix: str

    @classmethod
    def cut(
        cls, data: bytes, begin: bytes, record: re.Pattern[bytes], parts: re.Pattern[bytes]
    ) -> Records | None:
        """The edges of a text in ASCII, one after the other; None if they are not all alike.

        Args:
            begin: what every edge begins with.
            record: an edge.
            parts: in an edge, what comes before a number (group 1), and the number (group 2).
        """
        first = record.search(data) if len(data) >= LEAST else None
        found = [] if first is None else list(parts.finditer(first[0]))
        if first is None or len(found) < 2 or found[0][1] != found[1][1]:
            return None
        pattern, at = b"", 0
        for number, part in enumerate(found):
            pattern += _blanks(first[0][at : part.start(2)]) + (ID if number < 2 else NUMBER)
            at = part.end(2)
        alike = re.compile(pattern + _blanks(first[0][at:]))
        last = alike.match(data, data.rfind(begin))
        if last is None:
            return None
        prefix = found[0][1].decode("ascii", "replace")
        pieces = _pieces(data, first.start(), last.end(), begin)
        either = re.compile(alike.pattern + rb"\s*|(?s:.+)")
        return cls(data[: first.end()] + data[last.end() :], pieces, either, prefix)

    def edges(
        self,
        place: Mapping[Any, int],
        fields: Mapping[str, np.ndarray],
        report: list[str],
        read: int,
    ) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Sources, targets and fields of all edges, (E,) each.

        Args:
            place: a vertex's id -> its number.
            fields: those of the edges in `rest`, in the order of the values.
            report: what has been said about them.
            read: the number of edges in `rest`.

        Raises:
            Irregular: the text must be read as a whole.
        """
        kinds = [values.dtype for values in fields.values()]
        if not set(kinds) <= {np.dtype(np.int64), np.dtype(np.float64)}:
            raise Irregular
        # The first edge may stand in a comment, or something be wrong with its values.
        if read != 1 or any(line.startswith("edge attribute") for line in report):
            raise Irregular
        width = 2 + len(kinds)
        reals = [2 + at for at, kind in enumerate(kinds) if kind == np.float64]
        wholes = [at for at in range(width) if at not in reals]
        count = 0

        def rows() -> Iterator[bytes]:
            nonlocal count
            for piece in self.pieces:
                found = self.alike.findall(piece)
                count += len(found)
                yield b"\n".join(map(b" ".join, found))

        values = read_columns(rows(), width, wholes, reals, None, "").values
        columns = dict(zip(wholes + reals, values, strict=True))
        if len(columns[0]) != count:
            raise Irregular
        src, dst = (self._places(columns[at], place) for at in range(2))
        own = {
            name: columns[2 + at].astype(values.dtype, copy=False)
            for at, (name, values) in enumerate(fields.items())
        }
        return src, dst, own

    def _places(self, ids: np.ndarray, place: Mapping[Any, int]) -> np.ndarray:
        if len(set(map(type, place))) != 1:
            raise Irregular
        id_of = re.compile(re.escape(self.prefix) + ID.decode())
        numbers = [id_of.fullmatch(str(name)) for name in place]
        known = np.array([-1 if number is None else int(number[1]) for number in numbers])
        order = np.argsort(known)
        ranks = np.searchsorted(known, ids, sorter=order)
        places = order[np.minimum(ranks, len(known) - 1)]
        if (known[places] != ids).any():
            raise Irregular
        return np.fromiter(place.values(), np.int32, len(place))[places]


def _blanks(text: bytes) -> bytes:
    """A pattern for the text with any blanks where it has some."""
    return rb"\s+".join(map(re.escape, re.split(rb"\s+", text)))


def _pieces(data: bytes, begin: int, end: int, mark: bytes) -> Iterator[bytes]:
    """data[begin:end], which starts with the mark, in parts that do."""
    while begin < end:
        then = data.find(mark, begin + PIECE, end)
        then = end if then < 0 else then
        yield data[begin:then]
        begin = then
