"""From a program to OpenCL C: pure functions, and the kernels, which are in kernels/*.cl."""
