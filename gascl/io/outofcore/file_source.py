"""A file of edges, read row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gascl.errors import FormatError
from gascl.io.outofcore.spool import EdgeSpool, Spooled
from gascl.io.registry import spool_file


class FileSource:
    """A file as an `EdgeSource`.

    Args:
        options: of the reader, as for `Graph.read`.
    """

    num_edges, numbered = None, False  # as far as is known before it is read

    def __init__(self, path: Path, **options: Any):
        self.path, self.options = path, options
        self.name, self.doing = str(path), f"reading {path.name}"

    def check(self, folder: Path, room: int) -> None:
        """Raises FormatError where there is no such file."""
        self._stat()

    def identity(self) -> dict[str, Any]:
        """The file's name, size and time, and how it is read."""
        there = self._stat()
        return {
            "source": [str(self.path.resolve()), there.st_size, there.st_mtime_ns],
            "options": {name: repr(value) for name, value in sorted(self.options.items())},
        }

    def _stat(self) -> Any:
        try:
            return self.path.stat()
        except OSError as error:
            raise FormatError(f"{self.path} cannot be read: {error.strerror}") from None

    def spool(self, spool: EdgeSpool) -> Spooled:
        """Read the file into a spool."""
        return spool_file(self.path, spool, **self.options)
