"""What runs a program: devices, plans, states and the superstep loop. All of pyopencl is here."""
