"""LDBC Graphalytics: its six algorithms and the rules by which outputs are validated."""
