"""OpenCL devices: discovery, checks, queues, events, pinned memory, and the fork guard."""
