"""Harmonic centrality by SciPy's distances, as closeness."""

from support.verifiers.closeness import verify as verify
