"""Results of runs: fields, the trace, tables and plots."""
