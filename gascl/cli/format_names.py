"""The names of the file formats, for help texts, which import none of the formats' modules."""

from gascl.io.formats import LISTED

#: Name -> the file extensions that indicate it.
FORMATS = {name: extensions for name, (_, extensions) in LISTED.items()}
#: A test compares them with `gascl.io.files`.
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

WIDTH = max(map(len, FORMATS))
TABLE = "\n".join(
    [
        "formats and their extensions (gascl also detects formats from the content of a file):",
        *(f"  {name:<{WIDTH}}  {' '.join(ends)}" for name, ends in FORMATS.items()),
    ]
)


def reader_options() -> set[str]:
    """The names that readers accept in --option: all but `weight`, which --weight says."""
    from gascl.io.registry import reader_options

    return reader_options() - {"weight"}
