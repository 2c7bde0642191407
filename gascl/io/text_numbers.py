"""Columns of numbers in text, parsed piece by piece, without a loop over the rows.

Large pieces are given to pyarrow, if it is installed (`gascl.io.arrow_csv`). The rest, and what
it refuses, is parsed in NumPy: a number's digits are eight bytes of text read as one uint64, and
all numbers of a page are converted together (Lemire, "Quickly parsing eight digits", 2018: multiply
and shift). Decimals are rounded correctly: the digits as an integer, divided by a power of ten that
is exact in float64 (Clinger, "How to read floating point numbers accurately", PLDI 1990), and
beyond 2^53 with the remainder (Dekker, "A floating-point technique for extending the available
precision", 1971); what that cannot decide, Python's float() does.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gascl.graph.parallel import cores, joined
from gascl.io import arrow_csv

T = TypeVar("T")

FRONT, BACK = b"\n" * 24, b"\n" * 8  # so that 24 bytes before any number's end exist
NEWLINE, BLANK, TAB = 10, 32, 9
KEPT = 16 << 20  # bytes
PAGE = 1 << 18  # bytes parsed at a time in NumPy, so that its arrays stay in the cache
DIGITS = 18  # as many certainly fit int64; 19 may

TENS = 10 ** np.arange(DIGITS + 1, dtype=np.uint64)
POWERS = np.array([float(10**place) for place in range(23)])  # all exact
EXACT = 2**53  # integers up to here are exact in float64
NOT_FINITE = {b"nan", b"inf", b"infinity"}  # also floats


def held(value: float, number: bytes) -> bool:
    """Whether a number is held by its value in float64: it has not become 0 or infinite."""
    digits = number.lower().partition(b"e")[0].strip(b"+-0.") if value == 0 else b""
    return not digits and not (math.isinf(value) and number[-1:].isdigit())


class Irregular(Exception):
    """The text is not as regular as it must be here; reading it line by line may succeed, or show
    what is wrong with it."""


@dataclass
class Columns:
    """What was read; R rows."""

    values: list[np.ndarray]  # (R,) each: int32 or int64; of numbers int64 or float64
    comments: int  # lines
    remarks: int  # comments after a row


def read_columns(
    pieces: Iterable[bytes],
    width: int,
    integers: Sequence[int],
    numbers: Sequence[int],
    separator: str | None,
    comments: str,
    prepare: Callable[[bytes], bytes] | None = None,
) -> Columns:
    """The columns `integers`, then the columns `numbers`, of text with rows of `width` columns.

    Args:
        pieces: the text, in pieces of whole lines.
        integers, numbers: positions of columns, from 0.
        separator: one ASCII character, possibly with blanks around it; None: blanks and tabs.
        comments: the characters that start a comment, at the start of a line, or where blanks
            separate the columns after a blank.
        prepare: gives what to read of a piece, in which every row begins with a column that is not
            empty; may raise Irregular.

    Raises:
        Irregular: a row has another width, a value is not a number or is an integer that does not
            fit int64, or there are quotes or bytes that are not text.
    """
    parts: list[list[np.ndarray]] = [[] for _ in (*integers, *numbers)]
    lines = remarks = 0
    for piece in column_pieces(pieces, width, integers, numbers, separator, comments, prepare):
        for part, column in zip(parts, piece.values, strict=False):
            part.append(column)
        lines += piece.comments
        remarks += piece.remarks
    values = []
    for place, part in enumerate(parts):  # one at a time, so that not all are in memory twice
        values.append(joined(part, np.int64 if place >= len(integers) else None))
        part.clear()
    return Columns(values, lines, remarks)


def column_pieces(
    pieces: Iterable[bytes],
    width: int,
    integers: Sequence[int],
    numbers: Sequence[int],
    separator: str | None,
    comments: str,
    prepare: Callable[[bytes], bytes] | None = None,
) -> Iterator[Columns]:
    """What `read_columns` joins, piece by piece; without values where a piece has no rows."""
    whole, behind = comment_patterns(separator, comments)
    marks = comments.encode("ascii")
    fast = arrow_csv.ArrowColumns(width, [*integers], [*numbers], separator, prepare is not None)

    def columns_of(piece: bytes) -> Columns:
        lines = remarks = 0
        if prepare:
            piece = prepare(piece)
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n")
        if b"\0" in piece or b"\r" in piece or (separator and b'"' in piece):
            raise Irregular
        if any(mark in piece for mark in marks):
            piece, lines = whole.subn(b"", piece)
            piece, remarks = behind.subn(b"", piece)
        if not piece or (piece.isspace() and not piece.strip(b" \t\n")):  # strip copies
            return Columns([], lines, remarks)
        letters = bool(np.frombuffer(piece, np.uint8).max() > ord("9"))
        if letters and not piece.isascii():
            try:
                piece.decode()
            except UnicodeDecodeError:
                raise Irregular from None
        found = fast.read(piece, letters) if len(piece) >= arrow_csv.LEAST else None
        if found is not None:
            values = [_narrow(c) if c.dtype == np.int64 else c for c in found]
            return Columns(values, lines, remarks)
        pages = [
            _Page(page, width, separator).columns([*integers], [*numbers])
            for page in _pages(piece)
            if page.strip(b" \t\n")
        ]
        values = [np.concatenate(column) for column in zip(*pages, strict=True)]
        return Columns(values, lines, remarks)

    # Once a block of this size has been freed, glibc keeps freed blocks up to that size. Else the
    # arrays of every piece come from the system anew, which takes as long as the reading.
    np.empty(KEPT, dtype=np.uint8)
    yield from _in_order(columns_of, pieces)


def _pages(piece: bytes) -> Iterator[bytes]:
    """The piece in parts of whole lines."""
    begin = 0
    while len(piece) - begin > PAGE:
        end = piece.rfind(b"\n", begin, begin + PAGE) + 1 or piece.find(b"\n", begin) + 1
        if not end:
            break
        yield piece[begin:end]
        begin = end
    yield piece[begin:]


def _in_order(function: Callable[[bytes], T], pieces: Iterable[bytes]) -> Iterator[T]:
    """`function` of each piece, in order, on up to eight threads."""
    workers = min(8, cores())
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Future[T]] = deque()
        for piece in pieces:
            ahead.append(pool.submit(function, piece))
            if len(ahead) > 2 * workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def comment_patterns(
    separator: str | None, comments: str
) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Patterns of bytes: lines that are comments, with their line ends, and comments after rows,
    without. There are such only where blanks separate the columns."""
    none = b"(?!)"
    marks = b"[" + re.escape(comments.encode("ascii")) + b"]" if comments else none
    whole = re.compile(b"(?m)^[ \t]*" + marks + b"[^\n]*\n?")
    return whole, re.compile(b"(?<=[ \t])" + marks + b"[^\n]*" if separator is None else none)


class _Page:
    """A piece of text, and the positions of its tokens, row by row."""

    def __init__(self, piece: bytes, width: int, separator: str | None):
        end = b"" if piece.endswith(b"\n") else b"\n"
        self.piece = piece
        self.text = b"".join((FRONT, piece, end, BACK))
        self.bytes = np.frombuffer(self.text, dtype=np.uint8)
        # The eight bytes from every position on.
        self.words: np.ndarray = np.ndarray((len(self.text) - 7,), "<u8", self.text, 0, (1,))
        self.width = width
        size = len(piece) + len(end)
        self.starts, self.ends = self._plain(size, separator) or self._any(separator)

    def _plain(self, size: int, separator: str | None) -> tuple[np.ndarray, np.ndarray] | None:
        """The tokens if the same byte separates them all, and no line is empty; else None."""
        body = self.bytes[len(FRONT) : len(FRONT) + size]
        if separator is None:
            ends = np.flatnonzero(body <= BLANK)
        elif b" " in self.piece or b"\t" in self.piece:
            return None
        else:
            ends = np.flatnonzero((body == ord(separator)) | (body == NEWLINE))
        if len(ends) % self.width:
            return None
        ends += len(FRONT)
        kinds = self.bytes[ends].reshape(-1, self.width)
        mark = kinds[0, 0] if self.width > 1 else NEWLINE
        if mark not in (BLANK, TAB, NEWLINE if self.width == 1 else ord(separator or " ")):
            return None
        if not ((kinds[:, -1] == NEWLINE).all() and (kinds[:, :-1] == mark).all()):
            return None
        starts = np.empty_like(ends)
        starts[0] = len(FRONT)
        np.add(ends[:-1], 1, out=starts[1:])
        return (starts, ends) if (starts < ends).all() else None

    def _any(self, separator: str | None) -> tuple[np.ndarray, np.ndarray]:
        """The tokens if blanks may be anywhere, and lines may be empty."""
        parting = self.bytes <= BLANK
        controls = self.bytes[parting]
        if not ((controls == BLANK) | (controls == NEWLINE) | (controls == TAB)).all():
            raise Irregular
        if separator is not None:
            parting |= self.bytes == ord(separator)
        changes = np.flatnonzero(parting[1:] != parting[:-1])
        changes += 1
        starts, ends = changes[0::2], changes[1::2]
        after = np.searchsorted(starts, np.flatnonzero(self.bytes == NEWLINE))
        begins = after[np.append(True, after[1:] != after[:-1])]
        if not np.array_equal(begins, np.arange(0, len(starts) + 1, self.width)):
            raise Irregular
        if len(starts) % self.width:
            raise Irregular
        if separator is not None:
            after = np.searchsorted(starts, np.flatnonzero(self.bytes == ord(separator)))
            if not np.array_equal(after, np.flatnonzero(np.arange(len(starts)) % self.width)):
                raise Irregular
        return starts, ends

    def _column(self, columns: list[int]) -> tuple[np.ndarray, np.ndarray]:
        if columns == list(range(self.width)):
            return self.starts, self.ends
        return tuple(
            np.ascontiguousarray(places.reshape(-1, self.width)[:, columns]).reshape(-1)
            for places in (self.starts, self.ends)
        )  # type: ignore[return-value]

    def columns(self, integers: list[int], numbers: list[int]) -> list[np.ndarray]:
        """(rows,) each: int32 if the values fit, else int64, and for numbers perhaps float64."""
        first = [self.text[self.starts[at] : self.ends[at]] for at in numbers]
        if not any({*b".eE"} & {*text} for text in first):
            together = self._table([*integers, *numbers])
            if together is not None:
                return together
        table = self._table(integers)
        if table is None:
            raise Irregular
        return table + [self._numbers(column) for column in numbers]

    def _table(self, columns: list[int]) -> list[np.ndarray] | None:
        if not columns:
            return []
        values = self._integers(*self._column(columns))
        return (
            None
            if values is None
            else [_narrow(column) for column in values.reshape(-1, len(columns)).T]
        )

    def _numbers(self, column: int) -> np.ndarray:
        starts, ends = self._column([column])
        if {*b".eE"} & {*self.text[starts[0] : ends[0]]}:
            return self._floats(starts, ends)
        values = self._integers(starts, ends)
        if values is not None:
            return _narrow(values)
        begins, _ = self._signs(starts)
        long = np.flatnonzero(ends - begins > DIGITS)
        dots = np.flatnonzero(self.bytes == ord("."))
        whole = long[np.searchsorted(dots, begins[long]) == np.searchsorted(dots, ends[long])]
        if any(self.text[begins[at] : ends[at]].isdigit() for at in whole):
            raise Irregular  # 00...01 may fit int64, and 2^63 fits uint64
        return self._floats(starts, ends)

    def _signs(self, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The positions of the first digits, and which tokens have a minus sign."""
        if b"-" not in self.piece and b"+" not in self.piece:
            return starts, None
        first = self.bytes[starts]
        negative = first == ord("-")
        return starts + (negative | (first == ord("+"))), negative

    def _integers(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
        starts, negative = self._signs(starts)
        values, wrong = self._digits(starts, ends, DIGITS + 1)
        most, plus = np.uint64(2**63 - 1), False if negative is None else negative
        if wrong.any() or (starts == ends).any():
            return None
        if values.max() > most and (values > np.where(plus, most + np.uint64(1), most)).any():
            return None
        signed = values.view(np.int64)
        if negative is not None:
            np.negative(signed, out=signed, where=negative)
        return signed

    def _digits(
        self, starts: np.ndarray, ends: np.ndarray, longest: int = DIGITS
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values of tokens of digits, uint64, and which tokens are not digits or too long."""
        lengths = ends - starts
        values, wrong = self._eight(ends, np.minimum(lengths, 8))
        for done in (8, 16):
            if not (lengths > done).any():
                break
            longer = np.flatnonzero(lengths > done)
            left = np.minimum(lengths[longer] - done, 8)
            more, odd = self._eight(ends[longer] - done, left)
            values[longer] += more * TENS[done]
            wrong[longer] |= odd
        wrong |= lengths > longest
        return values, wrong

    def _eight(self, ends: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The value of up to eight digits before each of `ends`, and which are not digits."""
        words = self.words[ends - 8].astype(np.uint64, copy=False)
        words ^= 0x3030303030303030
        beyond = ((8 - lengths) << 3).astype(np.uint64)  # bits of bytes before the token
        words >>= beyond
        words <<= beyond
        odd = words + np.uint64(0x0606060606060606)
        odd |= words
        odd &= np.uint64(0xF0F0F0F0F0F0F0F0)
        wrong = odd != 0
        for times, shift, mask in (
            (10, 8, 0x00FF00FF00FF00FF),
            (100, 16, 0x0000FFFF0000FFFF),
            (10000, 32, 0x00000000FFFFFFFF),
        ):
            higher = words >> np.uint64(shift)
            words *= np.uint64(times)
            words += higher
            words &= np.uint64(mask)
        return words, wrong

    def _floats(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Tokens as float64, rounded to the nearest."""
        begins, negative = self._signs(starts)
        stops, scale, wrong = self._exponents(begins, ends)
        dot = self._marks(self.bytes == ord("."), begins, stops)
        after = np.minimum(dot + 1, stops)
        whole, odd = self._digits(begins, dot)
        fraction, also_odd = self._digits(after, stops)
        places = stops - after
        count = places + dot - begins
        scale = places - scale  # the power of ten to divide the digits by
        wrong |= odd | also_odd | (count < 1) | (count > DIGITS) | (np.abs(scale) >= len(POWERS))
        places[wrong] = 0
        digits = whole * TENS[places] + fraction
        digits[wrong] = 0
        scale[wrong] = 0
        values, unsure = _quotients(digits, scale)
        if negative is not None:
            np.negative(values, out=values, where=negative)
        left = np.flatnonzero(wrong | unsure)
        if len(left):
            values[left] = self._one_by_one(starts[left], ends[left])
        return values

    def _exponents(
        self, begins: np.ndarray, ends: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The starts of exponents (or their tokens' ends), their values, and which are wrong."""
        scale = np.zeros(len(begins), dtype=np.int64)
        wrong = np.zeros(len(begins), dtype=bool)
        if b"e" not in self.piece and b"E" not in self.piece:
            return ends, scale, wrong
        marks = self._marks((self.bytes | 32) == ord("e"), begins, ends)
        having = np.flatnonzero(marks < ends)
        starts, negative = self._signs(marks[having] + 1)
        stops = ends[having]
        values, odd = self._digits(starts, stops)
        values[odd] = 0
        scale[having] = values.view(np.int64)
        if negative is not None:
            scale[having[negative]] *= -1
        wrong[having] = odd | (starts >= stops) | (stops - starts > 4)
        return marks, scale, wrong

    def _marks(self, where: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """The position of the last mark in each token; the token's end if it has none."""
        marks = np.flatnonzero(where)
        if len(marks) == len(begins) and (begins <= marks).all() and (marks < ends).all():
            return marks
        token = np.searchsorted(begins, marks, side="right") - 1
        inside = (token >= 0) & (marks < ends[token])
        places = ends.copy()
        places[token[inside]] = marks[inside]
        return places

    def _one_by_one(self, starts: np.ndarray, ends: np.ndarray) -> list[float]:
        text = self.text
        tokens = [text[s:e] for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
        # float() also accepts underscores and blanks.
        if b"".join(tokens).translate(None, b"0123456789.eE+-"):
            for token in tokens:
                odd = token.translate(None, b"0123456789.eE+-")
                if odd and token.lstrip(b"+-").lower() not in NOT_FINITE:
                    raise Irregular
        try:
            values = list(map(float, tokens))
        except ValueError:
            raise Irregular from None
        if not all(held(value, token) for value, token in zip(values, tokens, strict=True)):
            raise Irregular
        return values


def _narrow(values: np.ndarray) -> np.ndarray:
    """A contiguous copy, int32 if the values fit."""
    limits = np.iinfo(np.int32)
    fits = limits.min <= values.min() and values.max() <= limits.max
    return values.astype(np.int32 if fits else np.int64, order="C")


def _quotients(digits: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`digits` (uint64, below 10^18) / 10^places as float64, and which may be off by an ulp."""
    powers = POWERS[np.abs(places)]
    near = digits.astype(np.float64)
    values = near / powers
    times = places < 0
    if times.any():
        np.multiply(near, powers, out=values, where=times)
    unsure = digits > EXACT
    wide = np.flatnonzero(unsure & ~times)
    if len(wide):
        powers, quotient, near = powers[wide], values[wide], near[wide]
        product = quotient * powers
        high, low = _halves(quotient)
        top, bottom = _halves(powers)
        rest = ((high * top - product) + high * bottom + low * top) + low * bottom
        lost = digits[wide].view(np.int64) - near.astype(np.int64)
        remainder = ((near - product) - rest + lost) / powers
        slack = quotient * 2.0**-90  # far more than the error of the remainder
        values[wide] = quotient + (remainder - slack)
        unsure[wide] = values[wide] != quotient + (remainder + slack)
    return values, unsure


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two floats of half the precision whose sum is the value."""
    scaled = values * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - values)
    return high, values - high
