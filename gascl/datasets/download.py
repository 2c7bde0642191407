"""A downloader for pooch that resumes.

pooch's HTTPDownloader starts over after a cut connection, has no limit of size, and shows progress
only with tqdm; so pooch keeps the cache and checks hashes, and this fetches the file.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import IO, Any

from gascl import __version__
from gascl.datasets.lock import locked
from gascl.errors import FormatError
from gascl.util.atomic_file import new_file
from gascl.util.progress import Progress

CHUNK = 1 << 18
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class Incomplete(Exception):
    """The connection ended before the file was complete."""


class Downloader:
    """A downloader as pooch calls it. What has arrived stays in the file `part` until it is
    complete, with the server's identifier of the version next to it, so that versions never mix.

    Args:
        name: the dataset's name, for messages.
        part: the file for the bytes that have arrived.
        size: approximate size of the file in bytes; more than twice as many are refused.
    """

    TIMEOUT = (10.0, 60.0)  # seconds to connect, and to wait for data
    RETRIES, WAIT = 8, 1.0  # if at least something arrived; WAIT seconds more each time

    def __init__(self, name: str, part: Path, size: int | None) -> None:
        self.name = name
        self.part = part
        self.mark = part.with_name(f"{part.name}.version")
        self.limit = None if size is None else 2 * size + (1 << 20)

    def __call__(self, url: str, output_file: Any, pooch: Any, check_only: bool = False) -> None:
        """Download the URL to `output_file`, a path.

        Raises:
            FormatError: it cannot be downloaded, in one line with the reason; what has arrived is
                kept, unless it is wrong.
        """
        try:
            with locked(self.part.parent, wait=False):
                self._fetch(url)
                os.replace(self.part, output_file)
        except BlockingIOError:
            raise FormatError(
                f"{self.name}: another process is downloading it to {self.part}; wait for it"
            ) from None

    def _fetch(self, url: str) -> None:
        """Download the whole file to `part`."""
        retries = 0
        while True:
            before = self._have()
            try:
                self._resume(url)
                break
            except FormatError:
                if not self._have():
                    self._remove()
                raise
            except Incomplete as cut:
                if retries == self.RETRIES or self._have() <= before:
                    if not self._have():
                        self._remove()
                    raise FormatError(
                        f"{self.name}: the download from {url} was cut off ({cut}); try again, "
                        f"and it resumes after the {self._have():,} bytes that arrived"
                    ) from cut
                retries += 1
                time.sleep(self.WAIT * retries)
        self.mark.unlink(missing_ok=True)

    def _have(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _resume(self, url: str) -> None:
        """Fetch the rest of the file.

        Raises:
            Incomplete: the connection ended before the file was complete.
        """
        import requests

        with self._opened() as file:
            # Otherwise the server may compress what it sends, and lengths would not match.
            headers = {"Accept-Encoding": "identity", "User-Agent": f"gascl/{__version__}"}
            have = self._have()
            if have and self.mark.exists():
                headers["Range"] = f"bytes={have}-"
                headers["If-Range"] = self.mark.read_text("ascii", "ignore")
            try:
                with requests.get(
                    url, headers=headers, stream=True, timeout=self.TIMEOUT
                ) as response:
                    self._take(response, file, have)
            except requests.RequestException as error:
                if self._have() > have:
                    raise Incomplete(_reason(error)) from error
                raise FormatError(
                    f"{self.name} cannot be downloaded from {url}: {_reason(error)}; check the "
                    f"network, or put the file at {self.part.with_suffix('')} yourself"
                ) from error

    def _take(self, response: Any, file: IO[bytes], have: int) -> None:
        """Append the body of a response: the rest of the file (206), or all of it (200)."""
        from urllib3.exceptions import HTTPError

        total: int | None = None
        if response.status_code == 206:
            match = CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if match is None or int(match[1]) != have:
                self._remove()
                raise Incomplete("the server did not send the part that was requested")
            total = None if match[2] == "*" else int(match[2])
        elif response.status_code == 416 and have:
            if response.headers.get("Content-Range") == f"bytes */{have}":
                return  # it was already complete
            self._remove()
            raise self._wrong(response.url, "the server's file is shorter than what has arrived")
        elif response.status_code == 200:
            have = 0
            file.truncate(0)
            self._remember_version(response.headers)
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdigit() else None
        else:
            busy = response.status_code == 429 or response.status_code >= 500
            raise FormatError(
                f"{self.name} cannot be downloaded: {response.url} answers "
                f"{response.status_code} {response.reason}; "
                f"{'try later' if busy else 'check whether it has moved'}, or put the file at "
                f"{self.part.with_suffix('')} yourself"
            )
        try:
            with Progress() as progress:
                progress.begin(self.name, total, "B")
                while True:
                    if self.limit is not None and max(have, total or 0) > self.limit:
                        self._remove()
                        raise self._wrong(
                            response.url,
                            f"it has {max(have, total or 0):,} bytes or more, far too many",
                        )
                    chunk = response.raw.read(CHUNK, decode_content=False)
                    if not chunk:
                        break
                    file.write(chunk)
                    have += len(chunk)
                    progress.at(have)
        except (HTTPError, OSError) as error:
            raise Incomplete(_reason(error)) from error
        finally:
            file.flush()
        if total is not None and have < total:
            raise Incomplete(f"{have:,} of {total:,} bytes")
        if total is not None and have > total:
            self._remove()
            raise self._wrong(response.url, f"{have:,} bytes arrived instead of {total:,}")

    def _remember_version(self, headers: Any) -> None:
        """Keep the identifier for `If-Range`; without one, a download cannot be resumed."""
        tag = headers.get("ETag", "")
        mark = tag if tag.startswith('"') else headers.get("Last-Modified", "")
        if mark and mark.isascii():
            with new_file(self.mark) as file:
                file.write(mark.encode())
        else:
            self.mark.unlink(missing_ok=True)

    def _remove(self) -> None:
        self.mark.unlink(missing_ok=True)
        self.part.unlink(missing_ok=True)

    def _wrong(self, url: str, why: str) -> FormatError:
        return FormatError(
            f"{self.name}: {url} is not the expected file: {why}; it was deleted: try again, or "
            "check whether the file there has changed"
        )

    def _opened(self) -> IO[bytes]:
        """The part file, open for appending. Since its name is predictable, a symbolic link of that
        name is not followed, which could overwrite another file."""
        no_links = getattr(os, "O_NOFOLLOW", 0)  # missing on Windows
        try:
            return open(
                self.part, "ab", opener=lambda p, flags: os.open(p, flags | no_links, 0o666)
            )
        except OSError as error:
            if self.part.is_symlink():
                raise FormatError(
                    f"{self.name}: {self.part} is a symbolic link, and the download needs a file "
                    "of that name; delete it, or name another folder with GASCL_DATA"
                ) from error
            raise


def _reason(error: BaseException) -> str:
    """The innermost cause of an error that requests and urllib3 have wrapped."""
    inner = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    text = str(getattr(inner, "reason", None) or inner).rsplit(": ", 1)[-1].strip("'\" ")
    return text[:-1] if text.count(")") > text.count("(") else text
