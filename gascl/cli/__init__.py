"""The subcommands of `gascl`, a module each, and what several of them share.

A command's module has `ABOUT` (a line), `HELP` (what its help ends with: examples), `options(add)`,
where `add` is a parser's `add_argument`, and `run(arguments)`, which returns the exit code.
`gascl.cli.main` names the modules and imports them all at every start: what a command needs beyond
argparse is imported inside `run`, so that `gascl --help` need not wait for NumPy or OpenCL.
"""
