"""Workarounds for defects of OpenCL implementations.

Each module says which versions it concerns, and when it can be removed.
"""
