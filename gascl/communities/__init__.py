"""Tracks communities that change over time, and draws them."""
