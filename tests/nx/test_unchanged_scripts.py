"""Scripts that know nothing of gascl, with only the environment changed."""

import functools
import os
import re
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


def run(script=SCRIPT, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


@functools.cache
def plain():
    """What the script prints without the backend, and its log."""
    return run()


def test_the_environment_variable_is_enough():
    printed, silent = plain()
    assert "gascl" not in silent
    with_gascl, log = run(NETWORKX_BACKEND_PRIORITY="gascl")
    assert with_gascl == printed
    assert "gascl.nx pagerank: ran in" in log


QUIET = """
import networkx as nx

G = nx.gnm_random_graph(1000, 6000, seed=1)
H = nx.karate_club_graph()
for _ in range(2):
    nx.pagerank(G, weight=None)
nx.core_number(H), nx.shortest_path_length(G, 0, 1), nx.density(G)
"""


def test_a_variable_shows_what_ran_where():
    ours = {"NETWORKX_BACKEND_PRIORITY": "gascl", "NETWORKX_WARNINGS_TO_IGNORE": "cache"}
    for off in ({}, {"GASCL_NX_LOG": "0"}):
        assert run(QUIET, **ours, **off) == ("", "")
    out, log = run(QUIET, **ours, GASCL_NX_LOG="1")
    words = [re.sub(r"[\d.]+ s$", "... s", line) for line in log.splitlines()]
    assert words[:3] == [
        "gascl.nx: pagerank: converted 1,000 nodes, 6,000 edges in ... s",
        "gascl.nx: pagerank: ran in ... s",
        "gascl.nx: pagerank: ran in ... s",
    ]
    left = [line.removeprefix("gascl.nx: ").split(": ", 2) for line in words[3:]]
    why = {name: (what, reason) for name, what, reason in left}
    assert why["core_number"][0] == "left to NetworkX"
    assert why["core_number"][1] == "NetworkX is faster with so few nodes"
    assert why["shortest_path_length"][0] == "declined"
    assert why["shortest_path_length"][1].startswith("gascl does not support a single pair")
    assert len(words) == 3 + len(left) and out == ""
    basic = "import logging; logging.basicConfig(level=logging.INFO)\n"
    assert run(basic + QUIET, **ours, GASCL_NX_LOG="1")[1].count("ran in") == 2


def test_a_variable_asks_for_the_summary():
    ours = {"NETWORKX_BACKEND_PRIORITY": "gascl", "NETWORKX_WARNINGS_TO_IGNORE": "cache"}
    out, log = run(QUIET, **ours, GASCL_NX_LOG="summary")
    assert out == ""
    assert "calls ran on gascl in" in log.splitlines()[0]
    assert len(log.splitlines()) == 3


def test_without_a_device_networkx_runs_its_own():
    environment = {"NETWORKX_BACKEND_PRIORITY": "gascl", "GASCL_DEVICE": "no such device"}
    with_gascl, log = run(**environment)
    assert with_gascl == plain()[0]
    assert "pagerank: ran in" not in log
    assert "RuntimeWarning: gascl could not run pagerank: " in log and "no such device" in log
