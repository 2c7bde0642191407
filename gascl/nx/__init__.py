"""A backend for NetworkX: `networkx.pagerank(G, backend="gascl")`, on any OpenCL device.

NetworkX loads `gascl.nx.metadata` when it is imported itself, and `gascl.nx.backend` for the first
call. See docs/networkx.md.
"""
