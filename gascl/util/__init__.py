"""Helpers that know nothing of graphs: units, paths, atomic files, optional packages, progress."""
