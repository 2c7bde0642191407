"""Messages on stderr, all in one form."""

from __future__ import annotations

import sys
from typing import Any

from gascl.cli.exit_code import DONE
from gascl.cli.shell_messages import in_the_shells_words
from gascl.util.progress import CLEAR


def say(message: str, code: int = DONE) -> int:
    """Print a line on stderr, in the shell's words, and return `code`."""
    message = in_the_shells_words(message)
    clear = CLEAR if sys.stderr.isatty() else ""  # it may show a line of progress
    print(f"{clear}gascl: {message}", file=sys.stderr, flush=True)
    return code


def say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as one line; for `warnings.showwarning`."""
    say(f"warning: {message}")
