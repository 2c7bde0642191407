"""Helpers independent of graphs: units, paths, atomic files, optional packages, progress."""
