"""What tests of file formats share: edges as rows, refusals in words, and damaged bytes."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from gascl.errors import FormatError, GraphError
from gascl.graph.graph import Graph
from gascl.io import arrow_csv

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name):
    """A file of the real graphs; skips the test where they are not."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the package")
    return path


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def edges_of(graph):
    """(source label, target label, fields...) of every edge, in edge order."""
    labels = graph.labels if graph.labels is not None else np.arange(graph.num_vertices)
    columns = [labels[graph.edge_src], labels[graph.edge_dst], *graph.edge_fields.values()]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def refused(words, call):
    with pytest.raises(FormatError) as caught:
        call()
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in {caught.value}"


PIECES = [b"0", b"-1", b"1", b"7", b"9" * 25, b" ", b"\n", b"\r\n", b"\0", b"\xff", b"%", b"c x\n"]
CHANGES = st.lists(
    st.tuples(
        st.floats(0, 1),  # where, as a part of the whole
        st.integers(0, 6),  # how many bytes go
        st.sampled_from(PIECES) | st.binary(max_size=6),  # what comes
    ),
    min_size=1,
    max_size=4,
)


def changed_bytes(content, changes):
    for where, gone, new in changes:
        place = int(where * len(content))
        content = content[:place] + new + content[place + gone :]
    return content


def read_by_both(path, **options):
    """What pyarrow and NumPy read of a file with columns of numbers that may be damaged: the same
    graph, or None for an error that names what is wrong."""
    graphs, errors = [], []
    for least in (0, sys.maxsize):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrow_csv, "LEAST", least)
            try:
                graphs.append(Graph.read(path, **options))
            except GraphError as error:
                graphs.append(None)
                errors.append(str(error))
    assert not any("its rows cannot be read" in error for error in errors), path.read_bytes()
    first, second = graphs
    assert (first is None) == (second is None), path.read_bytes()
    if first is not None:
        assert repr(edges_of(first)) == repr(edges_of(second))
    return first


def read_or_refused(path, **options):
    """Read a file that may be damaged: a graph, or one of our errors. Anything else is a bug."""
    try:
        return Graph.read(path, **options)
    except GraphError as error:
        print(error)
        return None
