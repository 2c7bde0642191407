"""What NVIDIA's compiler writes to stderr, played by a process that writes it itself."""

import subprocess
import sys

import pytest

BUILD = """
import os, threading
from types import SimpleNamespace as Named
from gascl.opencl.workarounds.nvidia import without_counts

device = Named(platform=Named(name="{platform}"))
done = threading.Event()
if {threads}:
    threading.Thread(target=done.wait).start()
try:
    with without_counts(device):
        os.write(2, b"1 warning generated.\\n2 warnings and 1 error generated.\\nkeep 3\\n")
        raise ValueError("of the build")
except ValueError:
    os.write(2, b"after\\n")
done.set()
"""
COUNTS = "1 warning generated.\n2 warnings and 1 error generated.\n"


@pytest.mark.parametrize(
    ("platform", "threads", "counts"),
    [("NVIDIA CUDA", False, ""), ("NVIDIA CUDA", True, COUNTS), ("Portable", False, COUNTS)],
)
def test_counts_of_errors_are_dropped(platform, threads, counts):
    command = [sys.executable, "-c", BUILD.format(platform=platform, threads=threads)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr == f"{counts}keep 3\nafter\n"


def test_a_closed_stderr_is_no_error():
    closed = "import os; os.close(2)\n" + BUILD.format(platform="NVIDIA", threads=False)
    closed = closed.replace("os.write(2,", "len(")
    subprocess.run([sys.executable, "-c", closed], check=True)
