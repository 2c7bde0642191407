"""Damaged compressed files: reading must fail, or return the original contents."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gascl.errors import FormatError
from gascl.io.files import opened

TEXTS = (b"1 2\n", b"".join(b"%d %d\n" % (row, row * row % 97) for row in range(300)))


@cache
def samples() -> list[tuple[bytes, bytes, frozenset[int], bool]]:
    """Of packed files: their bytes, what was packed, where they may be cut off in a way that can't
    be told (at the begin and between two streams), and whether they have checksums."""
    made = []
    packers = [(lambda text: gzip.compress(text, mtime=0), True), (bz2.compress, True)]
    packers += [(lzma.compress, True)]
    try:
        import zstandard
    except ImportError:
        pass
    else:
        packers.append((zstandard.ZstdCompressor(write_checksum=True).compress, True))
        packers.append((zstandard.ZstdCompressor().compress, False))
    for pack, checked in packers:
        for texts in ((TEXTS[0],), (TEXTS[1],), TEXTS, (b"", *TEXTS), (*TEXTS, b"")):
            streams = [pack(text) for text in texts]
            ends = [0]
            for stream in streams:
                ends.append(ends[-1] + len(stream))
            made.append((b"".join(streams), b"".join(texts), frozenset(ends), checked))
    return made


def damaged(packed: bytes, checked: bool, orders: bytes) -> bytes:
    """Cut off, or with bits turned, at places that `orders` say."""
    data = bytearray(packed)
    cut = not checked or not orders or orders[0] % 2
    for at in range(1, len(orders) - 2, 3):
        kind, place = orders[at], int.from_bytes(orders[at + 1 : at + 3], "big")
        if not data:
            break
        if cut:
            del data[place % (len(data) + 1) :]
        else:
            data[place % len(data)] ^= 1 << (kind % 8)
    return bytes(data)


def check_packed(orders: bytes, folder: Path) -> None:
    """The first byte chooses a sample, and the others say what becomes of it."""
    if not orders:
        return
    all_samples = samples()
    packed, text, ends, checked = all_samples[orders[0] % len(all_samples)]
    check_damaged(damaged(packed, checked, orders[1:]), packed, text, ends, folder)


def check_damaged(
    data: bytes, packed: bytes, text: bytes, ends: frozenset[int], folder: Path
) -> None:
    if len(data) < 6:  # too short to be known as packed
        return
    path = folder / "a.txt"
    path.write_bytes(data)
    try:
        with opened(path) as file:
            found = file.read()
    except FormatError:
        assert data != packed, "a whole file is refused"
        return
    if data == packed[: len(data)] and len(data) in ends:
        return
    if found == data:  # which is no packed file any more
        return
    assert found == text, f"{len(found)} bytes are read, and {len(text)} were packed"


def cut_off() -> Iterator[tuple[bytes, bytes, bytes, frozenset[int]]]:
    """Every sample, cut off at some bytes and around the ends of its streams."""
    for packed, text, ends, _ in samples():
        lengths = {end + near for end in ends for near in (-9, -5, -4, -1, 0, 1, 2, 12)}
        for length in lengths | {*range(0, len(packed), len(packed) // 8 + 1)}:
            yield packed[: max(length, 0)], packed, text, ends
