"""The two ways in which a request can fail, and the exit status of each."""

import re
from pathlib import Path

__all__ = ["CheckError", "InputError", "option"]

# An option in a message, between characters that no message has: in Python, on the command line.
_OPTION = re.compile("\x02(.*?)\x1f(.*?)\x03", re.DOTALL)


def option(name: str, value: object = None, flag: str | None = None) -> str:
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
        Its value; None where the message names the argument alone. An option that is true has none,
        and one that is false begins with ``no-``.
    flag : str, optional
        The option, without its dashes; needed where it is not called like the argument.
    """
    flag = name.replace("_", "-") if flag is None else flag
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    if value is None:
        python, command = name, flag
    elif isinstance(value, bool):
        python, command = f"{name}={value}", flag if value else f"no-{flag}"
    else:
        quote = "'" if isinstance(value, str | Path) else ""
        python, command = f"{name}={quote}{shown}{quote}", f"{flag} {shown}"
    dashes = "-" if len(flag) == 1 else "--"
    return f"\x02{python}\x1f{dashes}{command}\x03"


class _RequestError(Exception):
    """Its message is one line that may hold arguments by :func:`option`; as text, in Python."""

    def __init__(self, message: str) -> None:
        super().__init__(_OPTION.sub(r"\1", message))
        self._message = message

    def for_command_line(self) -> str:
        """The message with the options of the command line."""
        return _OPTION.sub(r"\2", self._message)


class InputError(_RequestError, ValueError):
    """The user asked for something that does not exist or cannot be done: exit status 2.

    The message is one line that names the argument and says what is allowed.
    """


class CheckError(_RequestError, AssertionError):
    """A result failed its own verification: exit status 1.

    Raised with ``raise``, never through ``assert``, so that it survives ``python -O``.
    """
