"""Runs programs: devices, plans, states and the superstep loop. Only this package uses pyopencl."""
