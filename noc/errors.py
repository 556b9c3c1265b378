"""The two ways in which a request can fail, and the exit status of each."""

import re
from pathlib import Path

__all__ = ["CheckError", "InputError", "one_line", "option", "switch"]

# An option in a message, between characters that no message has: in Python, on the command line.
_OPTION = re.compile("\x02(.*?)\x1f(.*?)\x03", re.DOTALL)


def option(name: str, *value: object, flag: str | None = None) -> str:
    """An argument in the message of an error, which the command line shows as its option.

    >>> error = InputError(f"{option('link_registers', 1)}: use {option('sources', 'one')}")
    >>> str(error)
    "link_registers=1: use sources='one'"
    >>> error.for_command_line()
    '--link-registers 1: use --sources one'

    Parameters
    ----------
    name : str
        The argument.
    value : object
        Its value, if the message names one.
    flag : str, optional
        The option, without its dashes; needed where it is not called like the argument.
    """
    flag = _dashed(flag or name)
    if not value:
        return _either(name, flag)
    (only,) = value
    shown = f"{only:g}" if isinstance(only, float) else str(only)
    quote = "'" if isinstance(only, str | Path) else ""
    return _either(f"{name}={quote}{shown}{quote}", f"{flag} {shown}")


def switch(name: str, on: bool, *, flag: str | None = None) -> str:
    """Likewise an argument that is true or false, whose option has no value.

    >>> InputError(switch("source_numbers", False)).for_command_line()
    '--no-source-numbers'
    """
    return _either(f"{name}={on}", _dashed(flag or name if on else f"no-{flag or name}"))


def _dashed(flag: str) -> str:
    return f"{'-' if len(flag) == 1 else '--'}{flag.replace('_', '-')}"


def _either(python: str, command_line: str) -> str:
    return f"\x02{python}\x1f{command_line}\x03"


def one_line(text: str) -> str:
    r"""A message as one line, whatever arguments it quotes; control characters as in Python.

    >>> one_line("no file\n 'a\x1b[31m'")
    "no file 'a\\x1b[31m'"
    """
    joined = " ".join(text.split())
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in joined)


class _RequestError(Exception):
    """Its message is one line that may hold arguments as :func:`option`; as text, in Python.

    Another error takes it over as ``error.message``, with its options.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_OPTION.sub(r"\1", message))
        self.message = message

    def for_command_line(self) -> str:
        """The message with the options of the command line."""
        return _OPTION.sub(r"\2", self.message)


class InputError(_RequestError, ValueError):
    """The user asked for something that does not exist or cannot be done: exit status 2.

    The message is one line that names the argument and says what is allowed.
    """


class CheckError(_RequestError, AssertionError):
    """A result failed its own verification: exit status 1.

    Raised with ``raise``, never through ``assert``, so that it survives ``python -O``.
    """
