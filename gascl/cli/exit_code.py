"""The exit codes of `gascl`."""

DONE, ERROR, NOT_CONVERGED, INTERRUPTED = 0, 1, 3, 130  # argparse exits with 2 on wrong usage

HELP = """\
exit codes: 0 success, 1 error, 2 wrong usage, 3 not converged, 130 interrupted (Ctrl-C);
with 3 and 130, the results so far are still printed and written"""
