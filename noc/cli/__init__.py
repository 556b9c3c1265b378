"""The command ``noc``: thin over the Python interface."""

import argparse
import contextlib
import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import FrameType
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
    from noc.cli.arguments import CommandParser, OneLineParser

    parser = OneLineParser(
        prog="noc",
        description="Networks-on-chip that broadcast in hardware: networks, trees, programs.",
        epilog="Exit status: 0 if all is well, 1 if a check failed or the machine did, 2 if what "
        "was asked for cannot be had, 130 if interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"noc {__version__}")
    _add_plugins(parser, "plugins_before")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for name in COMMANDS:
        module = import_module(f"noc.cli.{name}")
        command = commands.add_parser(
            name, help=module.HELP, description=module.__doc__, allow_abbrev=False
        )
        module.configure(command)
        _add_plugins(command, "plugins")
        command.set_defaults(run=module.run)
    return parser


def _add_plugins(parser: argparse.ArgumentParser, name: str) -> None:
    """The option that stands before the command or after it."""
    parser.add_argument(
        "--plugin",
        metavar="FILE",
        dest=name,
        action="append",
        default=[],
        help="a Python file with networks, algorithms or traffic of your own; repeatable",
    )


def _run(options: argparse.Namespace) -> int:
    from noc.plugins import loaded

    with loaded([*options.plugins_before, *options.plugins]):
        return int(options.run(options))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a letter shows its number instead.
        sys.stdout.reconfigure(errors="backslashreplace")
    command = ""
    with _interruptible() as interruption:
        try:
            options = _parser().parse_args(arguments)
            command = f" {options.command}"
            status = _run(options)
            sys.stdout.flush()
        except BaseException as error:
            if interruption.noted or isinstance(error, KeyboardInterrupt):
                return _fail(command, "interrupted", 130)
            return _told(command, error)
    return status


class _Interruption:
    """Notes a signal that ends the command, and raises KeyboardInterrupt.

    That goes no further than to a function that C calls, as in a compilation of numba; another
    exception follows, which then comes of the interruption too.
    """

    #: So soon after a signal another is the same one: `timeout` sends two, the second one into the
    #: clearing away.
    _AGAIN_SECONDS = 1.0

    def __init__(self) -> None:
        self._last: float | None = None
        self.complain = sys.unraisablehook

    @property
    def noted(self) -> bool:
        """Whether there was a signal."""
        return self._last is not None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        del number, frame
        now = time.monotonic()
        if self._last is None or now - self._last > self._AGAIN_SECONDS:
            self._last = now
            raise KeyboardInterrupt

    def unraisable(self, what: "sys.UnraisableHookArgs") -> None:
        """Keep Python from complaining of the exception that gets no further."""
        if not (self.noted and isinstance(what.exc_value, KeyboardInterrupt)):
            self.complain(what)


@contextlib.contextmanager
def _interruptible() -> Iterator[_Interruption]:
    """Whoever ends the command, or closes its terminal, what it began is cleared away."""
    interruption = _Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    before = {}
    for ending in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, ending, None)
        # One that is ignored, as under nohup, stays so; and one that is not Python's own.
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            before[number] = signal.signal(number, interruption)
    sys.unraisablehook = interruption.unraisable
    try:
        yield interruption
    finally:
        sys.unraisablehook = interruption.complain
        for number, handler in before.items():
            signal.signal(number, handler)


def _told(command: str, error: BaseException) -> int:
    """Tell in one line of what ended a command; the result is the exit status."""
    if isinstance(error, InputError):
        return _fail(command, _as_options(error), 2)
    if isinstance(error, CheckError):
        return _fail(command, f"check failed: {error}", 1)
    if isinstance(error, MemoryError):
        return _fail(command, "SPEC is too large for the memory of this machine", 2)
    if isinstance(error, BrokenPipeError):
        # The reader has seen enough; keep Python from complaining when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, OSError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the way out
        what = error.filename or "output cannot be written"
        return _fail(command, f"{what}: {error.strerror or error}", 1)
    raise error


def _as_options(error: InputError) -> str:
    """The message with the arguments of Python as the options of the command line."""
    message = str(error)
    for argument in error.arguments:
        option = f"--{argument.replace('_', '-')}"
        message = re.sub(rf"^{argument}:", f"{option}:", message)
        message = re.sub(rf"\b{argument}=", f"{option} ", message)
    return message


def _fail(command: str, message: str, status: int) -> int:
    line = " ".join(message.split())
    print(f"noc{command}: error: {line}", file=sys.stderr)
    return status
