"""Harmonic centrality by SciPy's distances, as closeness."""

from verifiers.closeness import verify as verify
