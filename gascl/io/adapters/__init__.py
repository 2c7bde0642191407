"""Graphs from and to the objects of other libraries: one module per library.

None of the libraries need be installed; each is imported when it is first needed.
"""
