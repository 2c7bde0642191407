"""What a run returns: fields, the trace, tables and plots."""
