"""`Dataset`: the description of a graph that ships with gascl or is downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

#: The folder of the files that ship: next to this module if gascl is installed, and `datasets` of
#: the repository if gascl runs from there.
SHIPPED = Path(__file__).with_name("files")
if not SHIPPED.is_dir():
    SHIPPED = Path(__file__).parents[2] / "datasets"


@dataclass(frozen=True)
class Dataset:
    """A graph in a file that ships with gascl, or that is downloaded from a URL.

    Attributes:
        collection: its source: a key of catalog.COLLECTIONS.
        vertices, edges: as published, for the graph as `read` reads it: an undirected edge counts
            once, even if the file lists it in both directions.
        size: approximate size of the file in bytes; None: unknown.
        url: the address to download it from; "" if it ships.
        sha256: the hash of the file at the URL, in hexadecimal. None: unknown; the first download
            is then trusted, and its hash recorded.
        member: for an archive, the name of the file to read.
        read: the options of Graph.read that the file needs.
    """

    name: str
    about: str
    collection: str
    vertices: int
    edges: int
    directed: bool
    size: int | None = None
    url: str = ""
    file: str = ""
    sha256: str | None = None
    member: str = ""
    license: str = ""
    read: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ships(self) -> bool:
        return not self.url

    @property
    def file_name(self) -> str:
        """The name of its file, in the folder of shipped files or in the cache."""
        return self.file or PurePosixPath(urlsplit(self.url).path).name
