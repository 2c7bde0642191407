"""Graphs made by rule, a generator a file: seeded, and the same on every machine."""
