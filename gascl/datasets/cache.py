"""The cache of downloaded datasets, and downloads into it."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gascl.datasets.archive import SUFFIXES, unpack
from gascl.datasets.dataset import SHIPPED, Dataset
from gascl.errors import FormatError
from gascl.io.files import opened
from gascl.util.atomic_file import new_file
from gascl.version import __version__

#: Further attempts at a download; the seconds to connect, and to wait for data; bytes at a time.
RETRIES, TIMEOUT, CHUNK = 2, (10.0, 60.0), 1 << 18
#: Bytes read of a record; a hash in `sha256sum`'s format takes fewer.
SHA256_LINE = 100


def root() -> Path | None:
    """The folder of the cache: GASCL_DATA, otherwise the system's for caches as pooch knows it;
    None if pooch is needed and not installed."""
    if os.environ.get("GASCL_DATA"):
        return Path(os.environ["GASCL_DATA"]).expanduser()
    if not find_spec("pooch"):
        return None
    import pooch

    return Path(pooch.os_cache("gascl"))


def place(dataset: Dataset) -> Path | None:
    """The path of the dataset's file, downloaded or not."""
    if dataset.ships:
        return SHIPPED / dataset.file_name
    cache = root()
    return None if cache is None else cache / dataset.name / dataset.file_name


def recorded(dataset: Dataset) -> str | None:
    """The SHA-256 that the file must have: the published one, else that of the first download.

    Raises:
        FormatError: the record of the first download is damaged.
    """
    path = place(dataset)
    record = None if path is None else _record(path)
    if dataset.sha256 or record is None or not record.exists():
        return dataset.sha256
    with opened(record) as file:
        text = file.read(SHA256_LINE).decode("utf-8", "replace")
    match = re.match(r"[0-9a-f]{64}(?!\S)", text)
    if match is None:
        raise FormatError(
            f"{record} is damaged: it should start with the SHA-256 of the first download, and "
            f"contains {text.strip()[:40]!r}; delete it and {path.name if path else 'the file'} "
            "next to it, and the next use downloads the file again"
        )
    return match[0]


def fetch(dataset: Dataset) -> Path:
    """The path of the dataset's file to read; downloads and unpacks it if necessary.

    Every call checks the file's SHA-256, and downloads it again if it differs.

    Raises:
        FormatError: it cannot be downloaded, or is not the expected file; in one line.
    """
    path = place(dataset)
    if dataset.ships:
        assert path is not None
        if not path.exists():
            raise FormatError(f"{path}, a part of gascl, is missing; reinstall gascl")
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
    from requests import RequestException

    name, sha256, url = path.name, recorded(dataset), dataset.url
    files = pooch.create(
        path.parent, "", registry={name: sha256}, urls={name: url}, retry_if_failed=RETRIES
    )
    downloader = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(),
        chunk_size=CHUNK,
        timeout=TIMEOUT,
        headers={"Accept-Encoding": "identity", "User-Agent": f"gascl/{__version__}"},
        hooks={"response": _undecoded},
    )
    with _quiet(pooch.get_logger()):
        try:
            files.fetch(name, downloader=downloader)
        except RequestException as error:
            raise FormatError(
                f"{dataset.name} cannot be downloaded from {url}: {' '.join(str(error).split())}; "
                f"check the network, or put the file at {path} yourself"
            ) from error
        except ValueError as error:  # from pooch, which has deleted the file
            whose = "that was published" if dataset.sha256 else f"in {_record(path)}"
            raise FormatError(
                f"{dataset.name}: the file from {url} does not have the SHA-256 {whose}, "
                f"{sha256}, and was deleted; try again; if that fails, the file there has changed"
            ) from error
        if sha256 is None:
            with new_file(_record(path)) as record:
                record.write(f"{pooch.file_hash(str(path))}  {name}\n".encode())


def _member(dataset: Dataset, path: Path) -> Path:
    """The file to read of an archive, which is unpacked next to it, once for each version."""
    folder = path.with_name(f"unpacked-{(recorded(dataset) or '')[:12]}")
    if not folder.is_dir():
        unpack(path, folder)
    if not (folder / dataset.member).is_file():
        raise FormatError(
            f"{path} contains no file {dataset.member!r}; the archive has changed: unpack it and "
            "read a file with Graph.read"
        )
    return folder / dataset.member


def _undecoded(response: Any, **_: Any) -> None:
    """Keeps a .gz file as it is, which some servers call text with an encoding."""
    response.raw.headers.pop("Content-Encoding", None)


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Silences pooch's messages about downloads, which gascl reports itself."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
