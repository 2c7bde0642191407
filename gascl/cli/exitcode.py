"""What `gascl` ends with."""

DONE, ERROR, NOT_CONVERGED, INTERRUPTED = 0, 1, 3, 130  # argparse exits with 2 on wrong usage

HELP = """\
exit code: 0 done, 1 error, 2 wrong usage, 3 ran but did not converge, 130 interrupted (Ctrl-C);
with 3 and 130, what there is is printed and written all the same"""
