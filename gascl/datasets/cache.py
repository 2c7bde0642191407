"""Where downloaded datasets are kept, and how one gets there."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from gascl.datasets.archive import SUFFIXES, unpack
from gascl.datasets.dataset import SHIPPED, Dataset
from gascl.datasets.download import Downloader
from gascl.datasets.lock import locked
from gascl.errors import FormatError
from gascl.io.files import opened
from gascl.newfile import new_file

#: More bytes than a record of `sha256sum`'s form begins with.
SHA256_LINE = 100


def root() -> Path | None:
    """The folder of the cache: that of GASCL_DATA, or else the system's for caches; None where
    it takes pooch to know that, and pooch is missing."""
    if os.environ.get("GASCL_DATA"):
        return Path(os.environ["GASCL_DATA"]).expanduser()
    if not find_spec("pooch"):
        return None
    import pooch

    return Path(pooch.os_cache("gascl"))


def place(dataset: Dataset) -> Path | None:
    """Where the dataset's file is, or will be once it is downloaded."""
    if dataset.ships:
        return SHIPPED / dataset.file_name
    cache = root()
    return None if cache is None else cache / dataset.name / dataset.file_name


def recorded(dataset: Dataset) -> str | None:
    """The SHA-256 that its file must have: the published one, else that of the first download.

    Raises:
        FormatError: that of the first download was recorded, and the record is damaged.
    """
    path = place(dataset)
    record = None if path is None else _record(path)
    if dataset.sha256 or record is None or not record.exists():
        return dataset.sha256
    with opened(record) as file:
        text = file.read(SHA256_LINE).decode("utf-8", "replace")
    found = re.match(r"[0-9a-f]{64}(?!\S)", text)
    if found is None:
        raise FormatError(
            f"{record} is damaged: it should begin with the SHA-256 of the first download, and "
            f"holds {text.strip()[:40]!r}; delete it and {path.name if path else 'the file'} "
            "beside it, and the next use downloads anew"
        )
    return found[0]


def fetch(dataset: Dataset) -> Path:
    """The path of the dataset's file to read; downloads and unpacks it where it is not there.

    Every call compares the file's SHA-256 with what it must be, and downloads it again where it
    differs.

    Raises:
        FormatError: it can't be downloaded or is not what it should be; in one line.
    """
    path = place(dataset)
    if dataset.ships:
        assert path is not None
        if not path.exists():
            raise FormatError(f"{path} is missing, which comes with gascl; install gascl anew")
        return path
    if path is None or not find_spec("pooch"):
        raise FormatError(f"{dataset.name}: downloading needs pooch: `pip install pooch`")
    if dataset.file_name.endswith(".zst") and not find_spec("zstandard"):
        raise FormatError(f"{dataset.name}: Zstandard needs a package: `pip install zstandard`")
    try:
        _download(dataset, path)
        return _member(dataset, path) if dataset.file_name.endswith(SUFFIXES) else path
    except OSError as error:
        raise FormatError(
            f"{dataset.name}: {error.filename or path} cannot be written: "
            f"{error.strerror or error}; name another folder with GASCL_DATA"
        ) from error


def _download(dataset: Dataset, path: Path) -> None:
    import pooch

    known = recorded(dataset)
    name, part = path.name, path.with_name(f"{path.name}.part")
    files = pooch.create(path.parent, "", registry={name: known}, urls={name: dataset.url})
    with _quiet(pooch.get_logger()):
        try:
            files.fetch(name, downloader=Downloader(dataset.name, part, dataset.size))
        except FormatError:
            raise
        except ValueError as error:  # pooch's, which has removed the file
            whose = "the published one" if dataset.sha256 else f"that in {_record(path)}"
            raise FormatError(
                f"{dataset.name}: what {dataset.url} gave has another SHA-256 than {whose}, "
                f"{known}; it is removed: try again; if it stays so, the file there is a new one"
            ) from error
        if known is None:
            with new_file(_record(path)) as record:
                record.write(f"{pooch.file_hash(str(path))}  {name}\n".encode())


def _member(dataset: Dataset, path: Path) -> Path:
    """The file to read of an archive, which is unpacked beside it, once each version."""
    folder = path.with_name(f"unpacked-{(recorded(dataset) or '')[:12]}")
    if not folder.is_dir():
        with locked(path.parent, wait=True):
            if not folder.is_dir():  # another process may have unpacked it meanwhile
                unpack(path, folder)
    found = sorted(folder.rglob(dataset.member))
    if len(found) != 1:
        raise FormatError(
            f"{path} has {len(found)} files {dataset.member!r}, and one is needed; the archive "
            "there is a new one: read it with Graph.read"
        )
    return found[0]


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """pooch tells of each download; what there is to say is said here."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
