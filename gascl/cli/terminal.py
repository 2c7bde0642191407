"""Messages on stderr, all in one form."""

from __future__ import annotations

import sys
from typing import Any

from gascl.cli.exit_code import DONE
from gascl.cli.shell_messages import for_shell
from gascl.util.progress import CLEAR


def say(message: str, code: int = DONE) -> int:
    """Print a line on stderr, with remedies as options of the shell, and return `code`."""
    clear = CLEAR if sys.stderr.isatty() else ""  # it may show a line of progress
    print(f"{clear}gascl: {for_shell(message)}", file=sys.stderr, flush=True)
    return code


def say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as one line; for `warnings.showwarning`."""
    text = message.args[0] if isinstance(message, Warning) else message
    say("warning: " + text)
