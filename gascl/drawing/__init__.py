"""Pictures of graphs by matplotlib, and as pages for browsers."""

from gascl.drawing.picture import draw

__all__ = ["draw"]
