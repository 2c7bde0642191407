"""`python -m gascl` is the command `gascl`."""

import sys

from gascl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
