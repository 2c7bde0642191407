"""What `import networkx` loads of gascl, and that nothing else does."""

import subprocess
import sys

ALLOWED = {
    *("gascl", "gascl.version", "gascl.graph", "gascl.graph.provided", "gascl.nx"),
    *("gascl.nx.config", "gascl.nx.metadata"),
}


def loaded(code):
    """The modules that are there after some code has run in a new process."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_networkx_loads_the_metadata_alone():
    modules = loaded("import networkx; assert 'gascl' in networkx.config.backends")
    assert {name for name in modules if name.split(".")[0] == "gascl"} == ALLOWED
    assert not {"numpy", "scipy", "pyopencl"} & modules


def test_asking_whether_to_run_loads_no_opencl():
    code = """
import networkx
networkx.config.backend_priority = ["gascl"]
assert networkx.pagerank(networkx.path_graph(4))[0] < 0.25
"""
    modules = loaded(code)
    assert "gascl.nx.backend" in modules
    assert "pyopencl" not in modules
