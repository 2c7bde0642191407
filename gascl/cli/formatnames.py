"""The names of the formats, for help that need not wait for their modules.

A test compares them with `gascl.io`.
"""

#: Name -> the extensions that tell it.
FORMATS = {
    "matrixmarket": (".mtx", ".mm"),
    "gascl": (".npz",),
    "dimacs": (".gr",),
    "metis": (".graph", ".metis"),
    "graphalytics": (".properties", ".v", ".e"),
    "gap": (".sg", ".wsg"),
    "gml": (".gml",),
    "graphml": (".graphml",),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
    "scipynpz": (".npz",),
    "edgelist": (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".dat"),
}
PACKED = (".gz", ".bz2", ".xz", ".zst")
#: What readers take as --option.
READER_OPTIONS = (
    *("arcs", "columns", "comments", "coordinates", "field", "header", "label", "mmap"),
    "separator",
    "verify",
)

WIDTH = max(map(len, FORMATS))
TABLE = "\n".join(
    [
        "formats and the extensions that tell them (a file's content may tell its format, too):",
        *(f"  {name:<{WIDTH}}  {' '.join(ends)}" for name, ends in FORMATS.items()),
    ]
)
