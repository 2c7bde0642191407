"""The command `gascl`: parses the command line, runs a subcommand, reports errors."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from difflib import get_close_matches
from importlib import import_module

from gascl import __version__
from gascl.cli import exit_code
from gascl.cli.format_names import reader_options
from gascl.cli.mpi_launch import is_first, refuse_in_all, silenced
from gascl.cli.terminal import say, say_warning
from gascl.errors import GasclError, users_lines

#: The subcommands, in the order of the help text; each is a module NAME_command of gascl.cli.
COMMANDS = (
    *("run", "programs", "draw", "animate", "info", "convert", "generate", "datasets"),
    *("graphalytics", "devices", "explain", "check", "kernel"),
)

ABOUT = "Graph algorithms written as vertex programs, on any OpenCL device."
HELP = f"""\
example:
  gascl run PageRank wiki-Vote.txt.gz

{exit_code.HELP}"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); returns the exit code.

    Raises:
        SystemExit: wrong usage (2), --help or --version (0).
    """
    command_line = sys.argv[1:] if argv is None else argv
    try:
        with nullcontext() if is_first() else silenced():
            arguments = _parsed(command_line)
    except SystemExit as ended:
        if ended.code and command_line[:1] == ["run"]:
            refuse_in_all(command_line)
        raise
    if isinstance(sys.stdout, io.TextIOWrapper):  # labels may contain characters that it can't show
        sys.stdout.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.showwarning = say_warning
        try:
            code: int = arguments.command(arguments)
            sys.stdout.flush()
            return code
        except BrokenPipeError:  # the reader, such as `| head`, has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exit_code.DONE
        except KeyboardInterrupt as pressed:
            if not is_first():  # Ctrl-C comes to all ranks
                return exit_code.INTERRUPTED
            return say(pressed.args[0] if pressed.args else "interrupted", exit_code.INTERRUPTED)
        except GasclError as error:
            return say("error: " + error.message, exit_code.ERROR)
        except OSError as error:
            named = f"{error.filename}: " if error.filename else ""
            return say(f"error: {named}{error.strerror or error}", exit_code.ERROR)
        except MemoryError as error:
            message = f"error: the host does not have enough memory: {error}"
            return say(message, exit_code.ERROR)
        except Exception as error:
            raise error.with_traceback(users_lines(error.__traceback__))  # noqa: B904, the same


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    arguments, unknown = _parser().parse_known_args(argv)
    if unknown:
        arguments.parser.error(
            f"unrecognized arguments: {' '.join(unknown)}{_suggestion(arguments, unknown)}"
        )
    return arguments


def _suggestion(arguments: argparse.Namespace, unknown: Sequence[str]) -> str:
    """The known option that is most like an unknown one, as the end of a message; "" if none is."""
    known = {flag: flag for flag in arguments.parser._option_string_actions}
    if "--option" in known:
        known = {f"--{name}": f"--option {name}=..." for name in reader_options()} | known
    for text in unknown:
        near = get_close_matches(text.partition("=")[0], known, 1, 0.75)
        if text.startswith("--") and near:
            return f"; did you mean {known[near[0]]}?"
    return ""


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("gascl", None, ABOUT, HELP, formatter_class=layout)
    parser.add_argument("--version", action="version", version=f"gascl {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"gascl.cli.{name}_command")
        about = module.ABOUT
        added = commands.add_parser(name, help=about, epilog=module.HELP, formatter_class=layout)
        added.description = f"{about[0].upper()}{about[1:]}."
        module.options(added.add_argument)
        added.set_defaults(command=module.run, parser=added)
    return parser


if __name__ == "__main__":
    sys.exit(main())
