"""NetworkX's own tests of what the backend has, run with the backend; and whether every function
has run in them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from gascl.nx.backend import FUNCTIONS  # having registered all
from gascl.nx.expected import EXPECTED

#: One process runs them, once. CI does so, too: see .ci/run.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("networkx")]

#: Folders and files of NetworkX that test the backend's functions.
RELEVANT = """
    algorithms/assortativity algorithms/bipartite/tests/test_basic.py
    algorithms/centrality/tests/test_betweenness_centrality.py
    algorithms/centrality/tests/test_betweenness_centrality_subset.py
    algorithms/centrality/tests/test_closeness_centrality.py
    algorithms/centrality/tests/test_degree_centrality.py
    algorithms/centrality/tests/test_eigenvector_centrality.py
    algorithms/centrality/tests/test_harmonic_centrality.py
    algorithms/centrality/tests/test_katz_centrality.py
    algorithms/centrality/tests/test_reaching.py
    algorithms/coloring/tests/test_coloring.py algorithms/community/tests/test_quality.py
    algorithms/components/tests/test_attracting.py algorithms/components/tests/test_connected.py
    algorithms/components/tests/test_strongly_connected.py
    algorithms/components/tests/test_weakly_connected.py algorithms/link_analysis
    algorithms/shortest_paths/tests/test_generic.py
    algorithms/shortest_paths/tests/test_unweighted.py
    algorithms/shortest_paths/tests/test_weighted.py algorithms/traversal/tests/test_bfs.py
    algorithms/tests/test_cluster.py algorithms/tests/test_core.py algorithms/tests/test_dag.py
    algorithms/tests/test_distance_measures.py algorithms/tests/test_efficiency.py
    algorithms/tests/test_euler.py algorithms/tests/test_hierarchy.py
    algorithms/tests/test_isolate.py algorithms/tests/test_link_prediction.py
    algorithms/tests/test_reciprocity.py algorithms/tests/test_regular.py
    algorithms/tests/test_richclub.py algorithms/tests/test_smetric.py
    algorithms/tests/test_voronoi.py algorithms/tests/test_wiener.py
    algorithms/tree/tests/test_mst.py algorithms/tree/tests/test_recognition.py
    classes/tests/test_function.py linalg/tests/test_graphmatrix.py
    tests/test_convert_numpy.py tests/test_convert_scipy.py
""".split()


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """The outcome of NetworkX's tests, and the functions that ran."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "record").mkdir()
    home = Path(nx.__file__).parent
    environment = {
        **os.environ,
        "NETWORKX_TEST_BACKEND": "gascl",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "GASCL_RECORD": str(folder / "record"),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(folder / "pytest.ini")]
    command += ["-p", "support.recorder", "-p", "no:cacheprovider", "-W", "ignore", "-n", "2"]
    command += [str(home / part) for part in RELEVANT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    ran = {name for file in (folder / "record").iterdir() for name in file.read_text().split()}
    return done, ran


def test_no_test_of_networkx_fails(suite):
    done, _ = suite
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    # A sum may come out equal after all, by the order in which a processor adds.
    declared = re.findall(r"(\d+) (?:xfailed|xpassed)", done.stdout.splitlines()[-1])
    assert sum(map(int, declared)) == len(EXPECTED)
    assert len(EXPECTED) <= 5


def test_every_function_has_run(suite):
    _, ran = suite
    assert sorted(FUNCTIONS.keys() - ran) == []
