"""The names of the file formats, so that help texts need not import their modules.

A test compares them with `gascl.io`.
"""

#: Name -> the file extensions that indicate it.
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
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
#: The names that readers accept in --option.
READER_OPTIONS = (
    *("arcs", "columns", "comments", "coordinates", "field", "header", "label", "mmap"),
    "separator",
    "verify",
)

WIDTH = max(map(len, FORMATS))
TABLE = "\n".join(
    [
        "formats and their extensions (gascl also detects formats from the content of a file):",
        *(f"  {name:<{WIDTH}}  {' '.join(ends)}" for name, ends in FORMATS.items()),
    ]
)
