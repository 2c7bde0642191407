"""File formats: one module each, with a `FORMAT` that `gascl.io.registry` lists."""
