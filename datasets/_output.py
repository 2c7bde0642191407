"""Writing a dataset so that the same data always gives the same bytes."""

import gzip
import io
import sys
from pathlib import Path


def write_gzip(path: Path, text: str, summary: str) -> None:
    """Write `text` as gzip'd UTF-8 to `path`, and a line about it to standard error."""
    packed = io.BytesIO()
    # No name and no time in the gzip header: both would differ from run to run.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text.encode("utf-8"))
    path.write_bytes(packed.getvalue())
    print(f"{path.name}: {summary}, {path.stat().st_size} bytes", file=sys.stderr)
