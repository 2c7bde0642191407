"""LDBC Graphalytics: its six algorithms, the files of their outputs, and their validation."""
