"""Scripts that know nothing of gascl, with only the environment changed."""

import os
import subprocess
import sys

SCRIPT = """
import logging
import networkx as nx

logging.basicConfig(format="%(name)s %(message)s")
logging.getLogger("gascl.nx").setLevel(logging.INFO)
G = nx.gnm_random_graph(1000, 6000, seed=1)
ranks = nx.pagerank(G)
print(max(ranks, key=ranks.get), nx.shortest_path_length(G, 0, 1), len(nx.k_core(G, 9)))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def test_the_environment_variable_is_enough():
    plain, silent = run()
    assert "gascl" not in silent
    with_gascl, log = run(NETWORKX_BACKEND_PRIORITY="gascl")
    assert with_gascl == plain
    assert "gascl.nx pagerank: ran in" in log


def test_without_a_device_networkx_runs_its_own():
    environment = {"NETWORKX_BACKEND_PRIORITY": "gascl", "GASCL_DEVICE": "no such device"}
    with_gascl, log = run(**environment)
    assert with_gascl == run()[0]
    assert "pagerank: ran in" not in log
    assert "RuntimeWarning: gascl could not run pagerank: " in log and "no such device" in log
