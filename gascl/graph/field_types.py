"""What the numbers of a field mean, where they are not just numbers: texts, times and bools.

Programs read fields as numbers. A field that holds something else has a type beside it, by which
its values can be shown, selected and written again.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gascl.errors import GraphError

#: The code of a missing text.
NO_TEXT = -1
#: The count of a missing time, NumPy's NaT.
NOT_A_TIME = np.iinfo(np.int64).min
#: The count of a time that never comes, in programs. In Python, it is NumPy's NaT.
LATEST = np.iinfo(np.int64).max
#: How many of each unit a second has.
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
SHOWN = 8  # texts of a dictionary that a report names


_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True, eq=False)
class Texts:
    """Codes, int32: the places of texts in a dictionary; -1 where there is none.

    Attributes:
        values: (n,) str, as objects: the dictionary; read-only.
        ordered: the texts are compared by their places, as ordered categories are.
    """

    values: np.ndarray
    ordered: bool = False

    name = "text"

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:  # an unpickled array could be written to
        return Texts, (self.values, self.ordered)

    def decoded(self, codes: np.ndarray) -> np.ndarray:
        """The texts, as objects; None where there is none."""
        return np.append(self.values, np.array([None], object))[codes]

    @property
    def are_numbers(self) -> bool:
        """Whether all texts are numbers, which programs may have been meant to read."""
        return len(self.values) > 0 and all(map(_NUMBER.fullmatch, self.values))


@dataclass(frozen=True)
class Times:
    """Points in time, int64: units since 1970 began, as NumPy's datetime64; in UTC if the field has
    a time zone. The least int64 is a missing one, which programs read as `LATEST`.

    Attributes:
        unit: "s", "ms", "us" or "ns".
        zone: the name of the time zone in which they are shown; None: they have none.
    """

    unit: str
    zone: str | None = None

    name = "time"

    @staticmethod
    def as_read(counts: np.ndarray) -> np.ndarray:
        """int64: as kernels read them, with `LATEST` where there is none."""
        missing = counts == NOT_A_TIME
        return np.where(missing, LATEST, counts) if missing.any() else counts

    def decoded(self, counts: np.ndarray) -> np.ndarray:
        """datetime64; NaT where there is none."""
        return counts.astype(np.int64, copy=False).view(f"M8[{self.unit}]")


@dataclass(frozen=True)
class Bools:
    """0 or 1, int8."""

    name = "bool"

    def decoded(self, bits: np.ndarray) -> np.ndarray:
        """bool."""
        return bits.astype(bool)


FieldType: TypeAlias = Texts | Times | Bools


class Coded(NamedTuple):
    """The values of a field as programs read them, and what they mean.

    Attributes:
        values: (n,) or (n, width) numbers.
        type: None for numbers.
    """

    values: np.ndarray
    type: FieldType | None = None


def decoded(values: np.ndarray, type_: FieldType | None) -> np.ndarray:
    """The values as Python or NumPy knows them."""
    return values if type_ is None else type_.decoded(values)


def listed(values: np.ndarray, type_: FieldType | None) -> list[Any]:
    """The values as Python objects, None where there is none."""
    if not isinstance(type_, Times):
        return list(decoded(values, type_).tolist())
    moments = type_.decoded(values).astype("M8[us]").tolist()
    if type_.zone is None:
        return moments
    return [None if m is None else m.replace(tzinfo=datetime.timezone.utc) for m in moments]


def cells(values: np.ndarray, type_: FieldType) -> np.ndarray:
    """The values as text in a file, as objects: "" where there is none."""
    if isinstance(type_, Bools):
        return np.array(["false", "true"], object)[values]
    if isinstance(type_, Texts):
        return np.append(type_.values, np.array([""], object))[values]
    moments = type_.decoded(values)
    texts = np.datetime_as_string(moments, timezone="UTC" if type_.zone else "naive").astype(object)
    texts[np.isnat(moments)] = ""
    return texts


def coded(values: Any) -> Coded | None:
    """Texts, times or bools as numbers; None if they are anything else, or there are none.

    Args:
        values: (n,): an array, or Python objects, None where there is none. Bools cannot be
            missing.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        if values.dtype.kind == "b":
            return Coded(values.astype(np.int8), Bools())
        if values.dtype.kind == "M":
            return _times(values)
        if values.dtype.kind != "U" or values.ndim != 1:
            return None
        return _texts(values.tolist())
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return None
    if all(issubclass(kind, str) for kind in kinds):
        return _texts(values)
    if kinds <= {bool, np.bool_}:
        if any(value is None for value in values):
            return None
        return Coded(np.array(values, dtype=bool).astype(np.int8), Bools())
    if all(issubclass(kind, datetime.date | np.datetime64) for kind in kinds):
        return _moments(values)
    return None


def categories(codes: np.ndarray, texts: Sequence[Any], ordered: bool = False) -> Coded:
    """Codes into a dictionary of texts, which keeps its order; `ordered` as in `Texts`."""
    return Coded(np.ascontiguousarray(codes, np.int32), dictionary(texts, ordered))


def dictionary(texts: Sequence[Any], ordered: bool = False) -> Texts:
    """The type of a field with these texts."""
    values = np.empty(len(texts), object)
    values[:] = texts
    return Texts(values, ordered)


def _texts(values: Iterable[str | None]) -> Coded:
    place: dict[str, int] = {}
    codes = np.fromiter(
        (NO_TEXT if text is None else place.setdefault(text, len(place)) for text in values),
        np.int32,
    )
    ordered = sorted(place)
    rank = np.empty(len(place) + 1, np.int32)
    rank[[place[text] for text in ordered]] = np.arange(len(place), dtype=np.int32)
    rank[NO_TEXT] = NO_TEXT
    return categories(rank[codes], [str(text) for text in ordered])


def _times(values: np.ndarray, zone: str | None = None) -> Coded:
    unit = str(np.datetime_data(values.dtype)[0])
    if unit in ("ps", "fs", "as"):
        raise GraphError(
            f"times that count {unit} are finer than nanoseconds, the finest that a field can "
            "count: convert them, as by .astype('datetime64[ns]'), or give numbers"
        )
    times = Times(unit if unit in PER_SECOND else "s", zone)
    return Coded(values.astype(f"M8[{times.unit}]").view(np.int64), times)


def _moments(values: Iterable[Any]) -> Coded | None:
    """Dates and times of Python; all with a time zone, or none."""
    zoned, plain = set(), []
    for value in values:
        if value is None or value != value:  # pandas.NaT, too
            plain.append(np.datetime64("NaT"))
            continue
        zone = getattr(value, "tzinfo", None)
        zoned.add(zone is not None)
        if hasattr(value, "asm8"):  # of pandas, with nanoseconds and in UTC
            plain.append(value.asm8)
            continue
        if zone is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        plain.append(np.datetime64(value))
    if len(zoned) > 1:
        return None
    unit = np.datetime_data(np.array(plain).dtype)[0]
    if unit == "generic":
        return None
    return _in_one_unit(plain, unit, "UTC" if True in zoned else None)


def _in_one_unit(moments: Sequence[np.datetime64], unit: str, zone: str | None) -> Coded | None:
    """Points in time of several units; None: one of them is not in the years 1678 to 2261, which
    are all that int64 can count in nanoseconds, and NumPy would take another one."""
    array = np.array(moments, f"M8[{unit}]")
    if unit == "ns":
        seconds = np.array([moment.astype("M8[s]") for moment in moments])
        if not np.array_equal(array.astype("M8[s]"), seconds, equal_nan=True):
            return None
    return _times(array, zone)


#: A date, or a date and a time of day, as ISO 8601 writes them.
ISO = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
WORDS = {"true": True, "false": False}


def coded_texts(values: Sequence[str | None]) -> Coded | None:
    """What texts of a file mean: ISO dates and times, or bools if all are true or false; None for
    all else."""
    present = [text for text in values if text is not None]
    if present and all(text.lower() in WORDS for text in present):
        return coded([None if text is None else WORDS[text.lower()] for text in values])
    matches = [ISO.fullmatch(text) for text in present[:1]]
    if not matches or matches[0] is None:
        return None
    digits, zones = 0, set()
    moments: list[Any] = []
    for text in values:
        found = None if text is None else ISO.fullmatch(text)
        if text is not None and found is None:
            return None
        if found is None or text is None:
            moments.append(np.datetime64("NaT", "s"))
            continue
        digits = max(digits, len(found[1] or ""))
        zone = found[2]
        zones.add(zone is not None)
        bare = text.removesuffix(zone or "")
        try:
            moment = np.datetime64(bare)
        except ValueError:  # such as February 30
            return None
        if zone and zone != "Z":
            ahead = int(zone[1:3]) * 60 + int(zone[-2:])
            moment = moment - np.timedelta64(ahead if zone[0] == "+" else -ahead, "m")
        moments.append(moment)
    if len(zones) > 1:
        return None
    unit = next(u for u, most in (("s", 0), ("ms", 3), ("us", 6), ("ns", 9)) if digits <= most)
    return _in_one_unit(moments, unit, "UTC" if True in zones else None)


def described(field: Coded) -> str:
    """What a report says of the values of a field that are not just numbers."""
    values, kind = field
    if isinstance(kind, Texts):
        named = ", ".join(f"{number} is {t!r}" for number, t in enumerate(kind.values[:SHOWN]))
        more = ", ..." if len(kind.values) > SHOWN else ""
        order = ", in this order" if kind.ordered else ""
        line = f"text, {len(kind.values):,} different{order}: {named}{more}"
        missing = np.count_nonzero(values == NO_TEXT)
        return line + (f"; {NO_TEXT}, for none, in {missing:,} rows" if missing else "")
    if isinstance(kind, Times):
        units = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
        zone = " in UTC" if kind.zone else ""
        line = f"times, int64: {units[kind.unit]} since 1970{zone}"
        missing = np.count_nonzero(np.isnat(kind.decoded(values)))
        return line + (f"; the least int64, for none, in {missing:,} rows" if missing else "")
    return "bool read as int8"


def types_of(fields: Mapping[str, Coded]) -> dict[str, FieldType]:
    """The types of those that have one."""
    return {name: field.type for name, field in fields.items() if field.type is not None}


def coded_as(values: Any, type_: FieldType | None) -> Any:
    """Values that alone do not say what they are, as those of a field of this type: texts and times
    of which all are missing, and times as texts; others as they are."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "UO" and values.ndim == 1:
        values = values.tolist()
    if not isinstance(type_, Texts | Times) or not isinstance(values, list | tuple):
        return values
    if all(value is None for value in values):
        missing = np.int32(NO_TEXT) if isinstance(type_, Texts) else np.int64(NOT_A_TIME)
        return Coded(np.full(len(values), missing), type_)
    if isinstance(type_, Times) and all(isinstance(value, str | None) for value in values):
        return coded_texts(values) or values
    return values


def continued(type_: FieldType | None, more: Coded, what: str) -> Coded:
    """More values of a field of this type, by its dictionary, which gets texts that are new.

    Args:
        what: what errors call the field.

    Raises:
        GraphError: they are of another type, a time is between two counts of the field or beyond
            all of them, or a text is none of the ordered categories.
    """
    if type(type_) is not type(more.type):
        names = [getattr(each, "name", "number") for each in (type_, more.type)]
        raise GraphError(f"{what} has {names[0]}s, and {names[1]}s are added; give {names[0]}s")
    if isinstance(type_, Times) and isinstance(more.type, Times):
        if (type_.zone is None) != (more.type.zone is None):
            raise GraphError(f"{what}: times with and without a time zone; give all alike")
        given = more.type.decoded(more.values)
        moved = given.astype(f"M8[{type_.unit}]")
        inexact = (moved.astype(given.dtype) != given) & ~np.isnat(given)
        if inexact.any():
            raise GraphError(
                f"{what}: {str(given[inexact][0])!r} cannot be counted in {type_.unit}, as the "
                "field is; give another time, or convert the field, as by .astype('datetime64[us]')"
            )
        return Coded(moved.view(np.int64), type_)
    if isinstance(type_, Texts) and isinstance(more.type, Texts):
        place = {text: code for code, text in enumerate(type_.values)}
        codes = [place.setdefault(text, len(place)) for text in more.type.values]
        if type_.ordered and len(place) > len(type_.values):
            new = next(text for text in more.type.values if text not in set(type_.values))
            raise GraphError(
                f"{what}: {new!r} is none of the ordered categories "
                f"{', '.join(map(repr, type_.values))}; give one of these"
            )
        table = np.array([*codes, NO_TEXT], np.int32)
        return categories(table[more.values], list(place), type_.ordered)
    return Coded(more.values, type_)


def moment(value: Any, times: Times, what: str) -> tuple[int, bool]:
    """A point in time in the units of a field: the first count that is not before it, also one
    that the field could not hold, and whether that is the point itself.

    Args:
        value: text in ISO 8601, or a date or a time of Python, NumPy or pandas. Without a time
            zone, it is in the field's.
        what: what errors call it.

    Raises:
        GraphError: it is no such point, or nothing is known of the field's time zone.
    """
    digits, plain = "", value
    if isinstance(value, str) and (written := ISO.fullmatch(value)) and written[1]:
        # Read apart, since nanoseconds in int64 are just those of the years from 1678 to 2261.
        digits, plain = written[1], value.replace(f".{written[1]}", "")
    found = coded_texts([plain]) if isinstance(plain, str) else coded([plain])
    if found is None or not isinstance(found.type, Times) or found.values[0] == NOT_A_TIME:
        raise GraphError(
            f"{what}: {value!r} is no point in time; write it as '2024-05-31' or "
            "'2024-05-31T18:30', or give a datetime"
        )
    nanoseconds = int(found.values[0]) * (10**9 // PER_SECOND[found.type.unit])
    nanoseconds += int(digits.ljust(9, "0"))
    if times.zone is not None and found.type.zone is None:
        nanoseconds -= _ahead(nanoseconds // 10**9, times.zone, what) * 10**9
    unit = 10**9 // PER_SECOND[times.unit]
    return -(-nanoseconds // unit), nanoseconds % unit == 0


def _ahead(seconds: int, zone: str, what: str) -> int:
    """By how many seconds the clocks of a time zone are ahead of UTC when they show a time.

    Args:
        seconds: the time shown, since 1970 began.
    """
    if zone.upper() in ("UTC", "Z", "ETC/UTC"):
        return 0
    if offset := re.fullmatch(r"([+-])(\d\d):?(\d\d)", zone):
        minutes = int(offset[2]) * 60 + int(offset[3])
        return 60 * (minutes if offset[1] == "+" else -minutes)
    try:
        there = zoneinfo.ZoneInfo(zone)
    except (OSError, ValueError, KeyError):
        raise GraphError(
            f"{what}: the field has the time zone {zone!r}, of which Python knows nothing here "
            "(the package tzdata may help); give a time with a zone, such as '2024-05-31T18:30Z'"
        ) from None
    least, most = -62_135_596_800, 253_402_300_799  # Python's years 1 and 9999
    shown = datetime.datetime(1970, 1, 1) + datetime.timedelta(0, min(max(seconds, least), most))
    return round((there.utcoffset(shown) or datetime.timedelta(0)).total_seconds())
