"""The ways in which messages travel: which there are, and which program each admits."""
