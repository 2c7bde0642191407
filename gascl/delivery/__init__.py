"""Deliveries: how messages travel, which programs each accepts, and the memory of a run."""
