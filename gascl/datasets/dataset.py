"""What a dataset is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

#: The folder of the files that ship: beside this module where gascl is installed, and the
#: repository's `datasets` where it runs from there.
SHIPPED = Path(__file__).with_name("files")
if not SHIPPED.is_dir():
    SHIPPED = Path(__file__).parents[2] / "datasets"


@dataclass(frozen=True)
class Dataset:
    """A graph in a file that ships with gascl, or that a URL gives.

    Attributes:
        collection: whose it is: a key of registry.COLLECTIONS.
        vertices, edges: as published, of the graph that `read` gives: an undirected edge counts
            once, also where the file has it both ways.
        size: bytes of the file, about; None: not known.
        url: where it is downloaded from; "" for one that ships.
        sha256: of the file that the URL gives, in hexadecimal. None: not known; the first download
            is then taken on trust, and its hash recorded.
        member: of an archive, the name of the file to read.
        read: the options of Graph.read that the data need.
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
    licence: str = ""
    read: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ships(self) -> bool:
        return not self.url

    @property
    def file_name(self) -> str:
        """The name of its file, among those that ship or in the cache."""
        return self.file or PurePosixPath(urlsplit(self.url).path).name
