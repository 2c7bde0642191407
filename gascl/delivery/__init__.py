"""Deliveries: how messages travel, which program each admits, and what a run needs in memory."""
