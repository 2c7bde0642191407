"""Workarounds for defects of OpenCL implementations.

Each says when it was written, and under which condition it can be removed.
"""
