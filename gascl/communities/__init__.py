"""Communities that change over time: tracked, and drawn."""
