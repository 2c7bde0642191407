"""Graph generators, one per module: seeded, and the same on every machine.

The output for a seed is versioned (`random_words.STREAM`, named in `Graph.report`): a release that
changes any of it raises the version and says so.
"""

from gascl.generators.barabasi_albert import barabasi_albert
from gascl.generators.complete import complete
from gascl.generators.grid import grid
from gascl.generators.lfr import lfr
from gascl.generators.path import path
from gascl.generators.rmat import rmat
from gascl.generators.star import star
from gascl.generators.stochastic_block_model import stochastic_block_model
from gascl.generators.uniform import uniform
from gascl.generators.watts_strogatz import watts_strogatz

__all__ = [
    "barabasi_albert",
    "complete",
    "grid",
    "lfr",
    "path",
    "rmat",
    "star",
    "stochastic_block_model",
    "uniform",
    "watts_strogatz",
]
