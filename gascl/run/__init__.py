"""A run of a program: the engine, its plan and state, supersteps, stages, checkpoints."""
