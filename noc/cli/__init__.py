"""The command ``noc``: thin over the Python interface."""

import argparse
import contextlib
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING

from noc import __version__
from noc.errors import CheckError, InputError, one_line
from noc.registry import guarded

if TYPE_CHECKING:
    from noc.cli.parsers import GroupedParser

#: What ends a command, where the system has it.
_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")

#: Within this time after a signal another is the same one.
_AGAIN_SECONDS = 1.0

#: Where installed packages name further commands, and this one those of its research: modules like
#: those here, which also have the title of their ``GROUP``.
ENTRY_POINTS = "arbornoc.commands"

#: Commands by what one wants to do, as the help shows them. Each is the module of its name.
GROUPS = {
    "make a network": ("generate", "verify", "build", "cut", "new"),
    "use it": ("run", "latency", "repair"),
    "measure": ("synth", "inject"),
    "see it": ("draw", "explore"),
    "look at networks and their trees": ("list", "info", "tree", "program"),
    "set up a shell": ("completion",),
}

COMMANDS = tuple(command for commands in GROUPS.values() for command in commands)


def command_modules() -> dict[str, ModuleType]:
    """The module of each command, by name: those of this package, then installed ones."""
    return _find_commands()[0]


def _find_commands() -> tuple[dict[str, ModuleType], dict[str, InputError]]:
    """The commands, and those of other packages that cannot be used, with the reasons."""
    modules = {name: import_module(f"noc.cli.{name}") for name in COMMANDS}
    broken: dict[str, InputError] = {}
    for entry in sorted(entry_points(group=ENTRY_POINTS)):
        try:
            if entry.name in modules:
                raise InputError(f"command {entry.name} of {entry.value}: there is one already")
            modules[entry.name] = _load(entry)
        except InputError as error:
            broken[entry.name] = error
    return modules, broken


def _load(entry: EntryPoint) -> ModuleType:
    """The module of an installed command, which can be configured."""
    from noc.cli.parsers import OneLineParser
    from noc.plugins import load_entry

    where = f"command {entry.name}"
    module = load_entry(entry, where)
    missing = [name for name in ("EXAMPLES", "GROUP", "configure") if not hasattr(module, name)]
    if missing:
        raise InputError(f"{where}: {entry.value} has no {missing[0]}")
    guarded(module.configure, where)(OneLineParser())
    return module


def _groups(modules: dict[str, ModuleType]) -> dict[str, list[str]]:
    """All commands by group; this package's last group stays the last."""
    # Not by the name of list, which is a command's module here.
    groups = {title: [*names] for title, names in GROUPS.items()}
    title, last = groups.popitem()
    for name, module in modules.items():
        if name not in COMMANDS:
            groups.setdefault(module.GROUP, []).append(name)
    return groups | {title: last}


def _parser() -> "GroupedParser":
    # Half a second of imports, in which the command can be interrupted too.
    from noc.cli.arguments import add_plugins
    from noc.cli.parsers import CommandParser, GroupedParser, add_command

    modules, broken = _find_commands()
    parser = GroupedParser(
        groups=_groups(modules),
        broken=[*broken.values()],
        prog="noc",
        description="Generate networks-on-chip that broadcast in hardware: Verilog for a named "
        "network, in which every node receives each word exactly once.",
        epilog="'noc COMMAND --help' has examples; 'noc generate star:4 -o out' is one to begin "
        "with. README.md and docs/ in the repository explain more. Exit status: 0 on success, 1 if "
        "a check or the machine failed, 2 if the arguments cannot be used, 130 if interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"noc {__version__}")
    add_plugins(parser, "plugins_before")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for name, module in modules.items():
        add_plugins(add_command(commands, name, module), "plugins")
    for name in broken.keys() - modules.keys():
        commands.add_parser(name).broken = broken[name]
    return parser


def _run(options: argparse.Namespace) -> int:
    from noc.cli.output import show
    from noc.plugins import loaded

    # Of the plays of noc steps, which are commands below a command.
    last = getattr(options, "plugins_of_play", [])
    with loaded([*options.plugins_before, *options.plugins, *last]):
        return show(options.run(options), options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a letter shows its number instead.
        sys.stdout.reconfigure(errors="backslashreplace")
    command = ""
    with _interruptible() as interruptions:
        try:
            words = sys.argv[1:] if arguments is None else arguments
            options = _parser().parse_args(words, argparse.Namespace(arguments=tuple(words)))
            command = f" {options.command}"
            status = _run(options)
            sys.stdout.flush()
        except BaseException as error:
            if interruptions or isinstance(error, KeyboardInterrupt):
                return _fail(command, "interrupted", 130)
            return _report(command, error)
    return status


@contextlib.contextmanager
def _interruptible() -> Iterator[list[float]]:
    """What a command began is cleared away whoever ends it, or closes its terminal.

    The signals are noted by their times: a KeyboardInterrupt goes no further than to a function
    that C calls, as in a compilation of numba; another exception follows from it.
    """
    times: list[float] = []

    def interrupt(*_: object) -> None:
        sys.unraisablehook = lambda _: None
        times.append(time.monotonic())
        # `timeout` sends two signals, the second one into the clearing away.
        if len(times) == 1 or times[-1] - times[-2] > _AGAIN_SECONDS:
            raise KeyboardInterrupt

    complain, before = sys.unraisablehook, {}
    if threading.current_thread() is threading.main_thread():
        known = [number for number in signal.Signals if number.name in _ENDINGS]
        # One that is ignored, as under nohup, stays so; and one that is not Python's own.
        ours = [n for n in known if signal.getsignal(n) not in (signal.SIG_IGN, None)]
        before = {number: signal.signal(number, interrupt) for number in ours}
    try:
        yield times
    finally:
        sys.unraisablehook = complain
        for number, handler in before.items():
            signal.signal(number, handler)


def _report(command: str, error: BaseException) -> int:
    """Say in one line what ended a command; the result is the exit status."""
    if isinstance(error, InputError):
        return _fail(command, error.for_command_line(), 2)
    if isinstance(error, CheckError):
        return _fail(command, f"check failed: {error.for_command_line()}", 1)
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


def _fail(command: str, message: str, status: int) -> int:
    print(one_line(f"noc{command}: error: {message}"), file=sys.stderr)
    return status
