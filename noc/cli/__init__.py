"""The command ``noc``: thin over the Python interface."""

import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from noc import __version__
from noc.errors import CheckError, InputError

if TYPE_CHECKING:
    from noc.cli.arguments import OneLineParser

__all__ = ["main"]

# Each command is the module of its name, imported only when it runs.
COMMANDS = (
    *("list", "info", "tree", "program", "classes", "draw", "paper"),
    *("generate", "verify", "synth", "build"),
)


def _parser() -> "OneLineParser":
    # Half a second of imports, in which the command can be interrupted too.
    from noc.cli.arguments import OneLineParser

    parser = OneLineParser(
        prog="noc",
        description="Networks-on-chip that broadcast in hardware: networks, trees, programs.",
        epilog="Exit status: 0 if all is well, 1 if a check failed or the machine did, 2 if what "
        "was asked for cannot be had, 130 if interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"noc {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"noc.cli.{name}")
        command = commands.add_parser(
            name, help=module.HELP, description=module.__doc__, allow_abbrev=False
        )
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a letter shows its number instead.
        sys.stdout.reconfigure(errors="backslashreplace")
    command = ""
    if threading.current_thread() is threading.main_thread():
        # Whoever ends the command, or closes its terminal, what it began is cleared away.
        for ending in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, ending, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.default_int_handler)
    try:
        options = _parser().parse_args(arguments)
        command = f" {options.command}"
        status = options.run(options)
        sys.stdout.flush()
    except InputError as error:
        return _fail(command, str(error), 2)
    except CheckError as error:
        return _fail(command, f"check failed: {error}", 1)
    except MemoryError:
        return _fail(command, "SPEC is too large for the memory of this machine", 2)
    except BrokenPipeError:
        # The reader has seen enough; keep Python from complaining when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the way out
        what = error.filename or "output cannot be written"
        return _fail(command, f"{what}: {error.strerror or error}", 1)
    except KeyboardInterrupt:
        return _fail(command, "interrupted", 130)
    return int(status)


def _fail(command: str, message: str, status: int) -> int:
    line = " ".join(message.split())
    print(f"noc{command}: error: {line}", file=sys.stderr)
    return status
