"""The subcommands of `gascl`, one module each, and helper modules that several of them share.

A subcommand's module has `ABOUT` (one line), `HELP` (the end of its help text, with examples),
`options(add)`, where `add` is a parser's `add_argument`, and `run(arguments)`, which returns the
exit code. `gascl.cli.main` lists the modules and imports them all at every start. Whatever a
subcommand needs beyond argparse is therefore imported inside `run`, so that `gascl --help` does not
wait for NumPy or OpenCL.
"""
