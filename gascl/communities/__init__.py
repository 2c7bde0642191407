"""Communities that change over time: tracked, compared and drawn."""

from gascl.communities.comparison import adjusted_rand, mutual_information

__all__ = ["adjusted_rand", "mutual_information"]
