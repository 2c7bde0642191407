"""Generates OpenCL C for a program: pure functions, and the kernels in kernels/*.cl."""
