"""A graph on a device: its buffers, row blocks, the sorting of its arcs, and streaming."""
