"""The benchmarks give each bundled program the parameters that it needs."""

import importlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import gascl.programs


def test_programs(monkeypatch):
    """EarliestArrival needs a source, which footprint.py did not give."""
    # Not the folder of the repository that has the same name.
    file = Path(__file__).parents[2] / "benchmarks/programs.py"
    spec = spec_from_file_location("programs", file)
    programs = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "programs", programs)
    spec.loader.exec_module(programs)
    footprint = importlib.import_module("footprint")
    for name in set(gascl.programs.__all__) - programs.ELSEWHERE:
        assert type(footprint.program_of(name)).__name__ == name
