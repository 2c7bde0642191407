"""Edges and nodes of GML and GraphML that are all written alike, read as columns.

The format's parser reads, with all its checks, a text in which only the first record is left. The
other records, which differ from it in numbers only, are read as columns. Where anything is not as
expected, all records are left to that parser, which takes many times longer for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.graph.rounding import may_round
from gascl.io.arrow_csv import Layout
from gascl.io.text_numbers import Irregular, read_columns

#: Bytes of text from which on cutting is worth while.
LEAST = 1 << 16
PIECE = 1 << 20  # bytes of records parsed at a time
#: Ids have no zeros before them, so that each is written in one way only.
DIGITS = 18
ID, NUMBER = rb"(0|[1-9]\d{0,%d})" % (DIGITS - 1), rb"([-+.\deE]+)"
#: Control characters, which no text has: one for what is behind each of a record's numbers.
SEPARATORS = bytes([*range(1, 9), *range(14, 32)])


@dataclass(frozen=True)
class Records:
    """The records that were cut out of a text.

    Attributes:
        rest: the text with the first record only.
        pieces: of the records, also the first.
        texts: what stands before, between and behind a record's numbers: ids, values.
        blanks: what stands between two records.
        prefix: what comes before the number in a vertex's id.
        ids: how many of a record's numbers are in ids: 2 of an edge's, 1 of a node's.
    """

    rest: bytes
    pieces: Iterable[bytes]
    texts: list[bytes]
    blanks: bytes
    prefix: str
    ids: int

    @classmethod
    def cut(
        cls,
        data: bytes,
        begin: bytes,
        record: re.Pattern[bytes],
        parts: re.Pattern[bytes],
        ids: int = 2,
    ) -> Records | None:
        """The records of a text in ASCII, one after the other; None if they are not all alike.

        Args:
            begin: what every record begins with.
            record: an edge or a node.
            parts: matches a number of a record (group 2) and its prefix (group 1).
            ids: as the attribute.
        """
        first = record.search(data) if len(data) >= LEAST else None
        numbers = [] if first is None else list(parts.finditer(first[0]))
        if first is None or len(numbers) < ids or numbers[0][1] != numbers[ids - 1][1]:
            return None
        if len(numbers) > len(SEPARATORS) or {*SEPARATORS} & {*first[0]}:
            return None
        ends = [0, *(part.end(2) for part in numbers)]
        starts = [*(part.start(2) for part in numbers), len(first[0])]
        texts = [first[0][end:start] for end, start in zip(ends, starts, strict=True)]
        pattern = b""
        for number, text in enumerate(texts[:-1]):
            pattern += _blanks(text) + (ID if number < ids else NUMBER)
        last = re.compile(pattern + _blanks(texts[-1])).match(data, data.rfind(begin))
        if last is None:
            return None
        behind = re.compile(rb"\s*").match(data, first.end())
        prefix = numbers[0][1].decode("ascii", "replace")
        pieces = _pieces(data, first.start(), last.end(), begin)
        rest = data[: first.end()] + data[last.end() :]
        return cls(rest, pieces, texts, behind[0] if behind else b"", prefix, ids)

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
        columns = self.columns(kinds)
        src, dst = self._places(columns[:2], place)
        own = {
            name: read.astype(values.dtype, copy=False)
            for read, (name, values) in zip(columns[2:], fields.items(), strict=True)
        }
        return src, dst, own

    def columns(self, kinds: Sequence[np.dtype] = ()) -> list[np.ndarray]:
        """The numbers in the ids of all records, and the values, of these kinds.

        Raises:
            Irregular: the text must be read as a whole.
        """
        width = self.ids + len(kinds)
        reals = [self.ids + at for at, kind in enumerate(kinds) if kind == np.float64]
        wholes = [at for at in range(width) if at not in reals]
        counts: list[int] = []

        def rows(piece: bytes) -> bytes:
            table = self._rows(piece, self.texts, self.blanks)
            if table is None:  # blanks may differ
                texts = [re.sub(rb"\s+", b" ", text) for text in self.texts]
                table = self._rows(b" ".join(piece.split()), texts, self.blanks and b" ")
            if table is None:
                raise Irregular
            counts.append(table.count(b"\n") + 1)
            return table

        values = read_columns(self.pieces, Layout(width, wholes, reals), rows).values
        if any(map(may_round, values)):  # the text of each number says whether it is an integer
            raise Irregular
        columns = dict(zip(wholes + reals, values, strict=True))
        if len(columns[0]) != sum(counts):
            raise Irregular
        return [columns[at] for at in range(width)]

    def _rows(self, piece: bytes, texts: list[bytes], blanks: bytes) -> bytes | None:
        """The numbers of some records, a row for each; None if anything but these texts is between
        them.

        A separator takes the place of each text. If there are only numbers and separators then,
        and these in order, nothing else was there.
        """
        (head, *inner, tail), piece = texts, piece.rstrip()
        body = piece[len(head) : len(piece) - len(tail)]
        if piece != head + body + tail or any(mark in body for mark in map(_byte, SEPARATORS)):
            return None
        width = len(inner) + 1
        for mark, text in zip(SEPARATORS, [tail + blanks + head, *inner], strict=False):
            body = body.replace(text, _byte(mark))
        letters = np.frombuffer(body, np.uint8)
        places = np.flatnonzero(letters <= ord(" "))
        if len(places) % width != width - 1:
            return None
        kinds = np.append(letters[places], SEPARATORS[0]).reshape(-1, width)
        if (kinds != np.roll(np.frombuffer(SEPARATORS[:width], np.uint8), -1)).any():
            return None
        starts, ends = np.append(0, places + 1), np.append(places, len(body))
        if (starts == ends).any() or body.translate(None, b"+-.eE0123456789" + SEPARATORS):
            return None
        starts, lengths = (
            each.reshape(-1, width)[:, : self.ids] for each in (starts, ends - starts)
        )
        begins = letters[starts]
        if ((begins < ord("1")) & ((begins != ord("0")) | (lengths > 1))).any():
            return None
        if (begins > ord("9")).any() or lengths.max() > DIGITS:
            return None
        rows = bytes.maketrans(SEPARATORS, b"\n" + b" " * (len(SEPARATORS) - 1))
        return body.translate(rows)

    def _places(self, ends: list[np.ndarray], place: Mapping[Any, int]) -> Iterator[np.ndarray]:
        """The vertices of ids, for each array of them."""
        if len(set(map(type, place))) != 1:
            raise Irregular
        id_of = re.compile(re.escape(self.prefix) + ID.decode())
        numbers = [id_of.fullmatch(str(name)) for name in place]
        known = np.array([-1 if number is None else int(number[1]) for number in numbers])
        order = np.argsort(known)
        vertices = np.fromiter(place.values(), np.int32, len(place))
        for ids in ends:
            ranks = np.searchsorted(known, ids, sorter=order)
            places = order[np.minimum(ranks, len(known) - 1)]
            if (known[places] != ids).any():
                raise Irregular
            yield vertices[places]


def without_nodes(
    data: bytes, begin: bytes, node: re.Pattern[bytes], parts: re.Pattern[bytes]
) -> tuple[bytes, list[str]]:
    """The text with the first of its nodes only, and the ids of all; the text itself and no ids
    where they are not all written alike. `begin` and the patterns are as in `Records.cut`."""
    nodes = Records.cut(data, begin, node, parts, ids=1)
    if nodes is not None:
        with suppress(Irregular):
            (numbers,) = nodes.columns()
            return nodes.rest, [f"{nodes.prefix}{number}" for number in numbers.tolist()]
    return data, []


def _byte(value: int) -> bytes:
    return bytes([value])


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
