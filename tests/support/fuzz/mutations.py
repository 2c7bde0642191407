"""Mutations of files that have checksums, which libFuzzer's own would never get past: a member of a
zip is mutated, and the zip is written again."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from typing import Any


def mutators(atheris: Any) -> dict[str, Callable[[bytes, int, int], bytes]]:
    """By reader: (data, the most bytes, a seed) -> data."""

    def mutated_zip(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.2:
            return atheris.Mutate(data, most)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [(info.filename, archive.read(info)) for info in archive.infolist()]
            number = chance.randrange(len(members))
        except Exception:  # damage of all kinds
            return atheris.Mutate(data, most)
        name, content = members[number]
        what = chance.random()
        if what < 0.05:
            del members[number]
        elif what < 0.1:
            members.append((chance.choice(members)[0], content))
        elif what < 0.3:  # the array, and not its header
            head = content[:128]
            members[number] = (name, head + atheris.Mutate(content[128:], len(content) + 64))
        else:
            members[number] = (name, atheris.Mutate(content, len(content) + 64))
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, content in dict(members).items():
                archive.writestr(zipfile.ZipInfo(name), content)
        result = made.getvalue()
        return result if len(result) <= most else atheris.Mutate(data, most)

    return {"scipynpz": mutated_zip, "gascl": mutated_zip}
