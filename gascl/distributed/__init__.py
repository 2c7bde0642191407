"""Runs on several ranks: their communication, the exchange after each superstep, and abort."""
