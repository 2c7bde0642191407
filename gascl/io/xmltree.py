"""XML as a tree of elements that know their lines, safe to read from anyone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from gascl.errors import FormatError


class Located(Element):
    """An element and the line of the file where it begins."""

    line = 0


def tree(path: Path, file: BinaryIO, namespace: str) -> Located:
    """The root element. Elements in no namespace are taken for those of `namespace`.

    Entities are refused where they are declared: some would grow without bounds, and others name
    files to be read. (Lots of tiny entities are "billion laughs".)

    Raises:
        FormatError: it is damaged, or declares entities; names the line.
    """
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    builder = TreeBuilder(element_factory=Located)
    prefix = f"{{{namespace}}}"

    def begin(name: str, attributes: dict[str, str]) -> None:
        element: Any = builder.start("{" + name if "}" in name else prefix + name, attributes)
        element.line = parser.CurrentLineNumber

    def declared(name: str, *_: Any) -> None:
        raise FormatError(
            f"{path}, line {parser.CurrentLineNumber}: declares the entity {name!r}, which such a "
            "file has no need of and which may do harm; write the text out and delete the DOCTYPE"
        )

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda name: builder.end("")  # expat has checked the name
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = declared
    try:
        parser.ParseFile(file)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, (FormatError, UnicodeDecodeError)):
            raise
        text = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        raise FormatError(
            f"{path}, line {max(parser.ErrorLineNumber, 1)}: is no XML that can be read: {text}; "
            "mend the file, or fetch it again if it is cut off"
        ) from error
    root: Any = builder.close()
    return root
