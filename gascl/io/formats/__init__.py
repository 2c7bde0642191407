"""The file formats: one module each, with a `Format`, and a line here.

The modules are not imported here, so that `gascl.io.registry` imports those that a file needs, and
help texts none.
"""

#: Name -> the module and the name of its `Format` there, and the extensions that indicate it; in
#: the order in which a file's content is tried against them.
LISTED: dict[str, tuple[str, tuple[str, ...]]] = {
    "matrixmarket": ("matrix_market:FORMAT", (".mtx", ".mm")),
    "gascl": ("native:FORMAT", (".npz",)),
    "dimacs": ("dimacs:FORMAT", (".gr",)),
    "metis": ("metis:FORMAT", (".graph", ".metis")),
    "graphalytics": ("graphalytics:FORMAT", (".properties", ".v", ".e")),
    "gap": ("gap:FORMAT", (".sg", ".wsg")),
    "gml": ("gml:FORMAT", (".gml",)),
    "graphml": ("graphml:FORMAT", (".graphml",)),
    "parquet": ("arrow:PARQUET", (".parquet", ".pq")),
    "arrow": ("arrow:ARROW", (".arrow", ".feather", ".ipc", ".arrows")),
    "scipynpz": ("scipy_npz:FORMAT", (".npz",)),
    "edgelist": (
        "edge_list:FORMAT",
        (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".dat"),
    ),
}
