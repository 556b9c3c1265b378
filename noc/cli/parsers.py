"""How the command line is read: parsers that err in one line, and values by their names in help."""

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from noc.errors import InputError, one_line


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps texts, except those of several lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage, and exits with status 2."""

    def __init__(self, **named: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, **named)

    def error(self, message: str) -> NoReturn:
        """Report unusable arguments."""
        self.exit(2, one_line(f"{self.prog}: error: {message} (see {self.prog} --help)") + "\n")


def run_script(name: str, run: Callable[[], int]) -> int:
    """The exit status of a script by itself: what a function gives, or 2 if it refuses something.

    That is told in one line.
    """
    try:
        return run()
    except InputError as error:
        print(one_line(f"{name}: error: {error.for_command_line()}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: error: interrupted", file=sys.stderr)
        return 130


class CommandParser(OneLineParser):
    """Refuses by itself what a command does not know, in the name of the command."""

    #: Why the command cannot be used.
    broken: InputError | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Leave nothing to the parser of all commands, which would speak for itself."""
        if self.broken is not None:
            raise self.broken
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown


class GroupedParser(OneLineParser):
    """Shows the commands in groups, by their titles, and beside help those that cannot be used."""

    def __init__(
        self, *, groups: Mapping[str, Sequence[str]], broken: Sequence[InputError], **named: Any
    ) -> None:
        super().__init__(**named)
        self._shown, self._broken = groups, broken

    def print_help(self, file: Any = None) -> None:
        """Print the help; commands that cannot be used are named on standard error."""
        super().print_help(file)
        for error in self._broken:
            print(one_line(f"{self.prog}: error: {error.for_command_line()}"), file=sys.stderr)

    def format_help(self) -> str:
        """The help, of which argparse would show all commands as one list."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        (commands,) = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        lines = {line.dest: line for line in commands._get_subactions()}
        sections = {title: [lines[name] for name in names] for title, names in self._shown.items()}
        options = {"options": [action for action in self._actions if action is not commands]}
        for title, actions in (sections | options).items():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


def add_command(
    commands: "argparse._SubParsersAction[CommandParser]", name: str, module: ModuleType
) -> CommandParser:
    """The parser of a command; its help is the docstring of its module."""
    # There is none under python -OO.
    summary, _, description = (module.__doc__ or " ").partition("\n\n")
    parser = commands.add_parser(
        name,
        help=" ".join((summary[0].lower() + summary[1:].rstrip(".")).split()),
        description=" ".join(description.split()),
        epilog="\n".join(("examples:", *(f"  {command}" for command in module.EXAMPLES))),
        allow_abbrev=False,
    )
    module.configure(parser)
    # A command with commands below it leaves this to them.
    parser.set_defaults(run=getattr(module, "run", None))
    return parser


def whole_number(text: str) -> int:
    """A number without a sign."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def _as_number(text: str) -> float:
    """A number; 0 if it is none."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def positive_number(text: str) -> float:
    """A number of more than 0, as of a time or a length."""
    value = _as_number(text)
    if not 0 < value <= 1e15:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of more than 0, and 1e15 at most")
    return value


def megahertz(text: str) -> float:
    """A clock."""
    value = _as_number(text)
    if not 1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: from 1 to 1000 MHz are allowed")
    return value


def path_name(text: str) -> Path:
    """A file or a folder; an empty name would be the folder where one works."""
    if not text:
        raise argparse.ArgumentTypeError("a name is needed, and this one is empty")
    return Path(text)


#: How a value is read, by its name in help.
_TYPES = {
    **dict.fromkeys(("N", "S", "F", "P", "ROUNDS", "DPI"), whole_number),
    **dict.fromkeys(("SECONDS", "POINTS"), positive_number),
    **dict.fromkeys(("FILE", "DIR"), path_name),
    "MHZ": megahertz,
}


def add_option(parser: argparse._ActionsContainer, option: str, what: str, **named: Any) -> None:
    """An option, spelled as ``-o --output FILE`` or ``--form short|long``; or else a switch."""
    words = option.split()
    flags = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(flags) :])
    if re.fullmatch(r"[a-z|]+", metavar):
        named["choices"] = metavar.split("|")
    elif metavar:
        named = {"metavar": metavar, "type": _TYPES.get(metavar)} | named
    elif not {"action", "choices", "type", "nargs"} & {*named}:
        named["action"] = "store_true"
    parser.add_argument(*flags, help=what, **named)


#: What options are that are alike in several commands.
_SHARED = {
    "--json": "print JSON instead of text",
    "--discard-edits": "replace files in the folder even if they were edited",
}


def declare(parser: argparse._ActionsContainer, text: str, **more: dict[str, Any]) -> None:
    """Options as a text lists them: as one spells each, two spaces, and what it is.

    That may go on in indented lines; ``--json`` and the like need only be named. ``more`` is what
    else argparse must know, by the options' names.
    """
    for entry in re.split(r"\n(?=-)", inspect.cleandoc(text)):
        option, _, what = entry.partition("  ")
        what = what or _SHARED[option]
        name = re.findall(r"-([a-z][a-z-]*)", option)[-1].replace("-", "_")
        add_option(parser, option, " ".join(what.split()), **more.get(name, {}))
