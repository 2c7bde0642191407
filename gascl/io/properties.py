"""Java's properties, the keys and values that `java.util.Properties.load` reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gascl.io.files import opened
from gascl.io.paths import checked_path

BLANKS = r" \t\f"
PROPERTY = re.compile(rf"((?:\\.|[^\\=:{BLANKS}])*)[{BLANKS}]*[=:]?[{BLANKS}]*(.*)", re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def load_properties(path: str | Path) -> dict[str, str]:
    """The properties in a file, in UTF-8. Of a key that comes twice, the last counts; unlike Java's
    values, these have no blanks at their ends.

    Raises:
        FormatError: the file cannot be read.
    """
    path = checked_path(path)
    with opened(path) as file:
        text = file.read().decode("utf-8-sig")
    found: dict[str, str] = {}
    kept = ""  # of a line that goes on in the next
    for line in [*re.split("\r\n|\r|\n", text), ""]:
        line = line.lstrip(" \t\f")
        if not kept and (not line or line[0] in "#!"):
            continue
        line = kept + line
        if (len(line) - len(line.rstrip("\\"))) % 2:
            kept = line[:-1]
            continue
        kept = ""
        match = PROPERTY.fullmatch(line)
        assert match is not None  # of any line
        key, value = (_unescaped(part) for part in match.groups())
        found[key] = value.rstrip(" \t\f")
    return found


def properties_text(properties: Mapping[str, str]) -> str:
    """The text of a file of these, in ASCII."""
    return "".join(f"{_escaped(k, True)} = {_escaped(v, False)}\n" for k, v in properties.items())


def _unescaped(text: str) -> str:
    text = ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else CONTROL.get(m[2], m[2]), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(text: str, is_key: bool) -> str:
    special = r"[\\=:#! \t\f\r\n]" if is_key else r"\\|^ |[\r\n\t\f]"
    letters = {value: key for key, value in CONTROL.items()}
    text = re.sub(special, lambda m: "\\" + letters.get(m[0], m[0]), text)
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)
