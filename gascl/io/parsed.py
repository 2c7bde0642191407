"""What every reader gives, and how every reader opens a file."""

from __future__ import annotations

import gzip
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from gascl.errors import FormatError


@dataclass(frozen=True)
class Parsed:
    """The edges of a graph as found, before checks and policies."""

    src: np.ndarray  # (E,) integers
    dst: np.ndarray  # (E,) integers
    num_vertices: int
    directed: bool
    labels: np.ndarray | None = None  # (V,)
    fields: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (E,)
    report: list[str] = field(default_factory=list)  # in words


@dataclass(frozen=True)
class Format:
    """A file format: its name, how a file of it is known, and its reader."""

    name: str
    extensions: tuple[str, ...]  # in lower case, with the dot, without .gz
    recognizes: Callable[[bytes], bool]  # whether a file that begins so is certainly of the format
    read: Callable[[Path, bool | None], Parsed]  # (path, directed or None for the format's own)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where it is gzipped (its first bytes tell, not its name).

    Raises:
        FormatError: it cannot be opened, is no text in UTF-8, or its gzip data are damaged; also
            for errors of that kind while the caller reads on.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if packed:
                with gzip.open(file) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield file
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise FormatError(f"{path} is a directory; name a file in it") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            f"{path}: the gzip data are cut off or damaged ({error}); fetch the file again"
        ) from error
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: byte {error.object[error.start]:#04x} is not UTF-8 text; "
            "convert the file to UTF-8"
        ) from error
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error


def load_rows(
    lines: Iterable[str],
    columns: Mapping[str, type],
    *,
    comments: str | None = None,
    delimiter: str | None = None,
) -> np.ndarray:
    """Rows of numbers by NumPy's parser in C: a structured array (rows,) with these columns.

    Raises:
        ValueError: a row has other columns than these.
    """
    with warnings.catch_warnings():
        # Older NumPy reads 1.5 as the integer 1, and only warns; no rows are nothing to warn of.
        warnings.simplefilter("error", DeprecationWarning)
        warnings.simplefilter("ignore", UserWarning)
        return np.loadtxt(
            lines, dtype=list(columns.items()), comments=comments, delimiter=delimiter, ndmin=1
        )
