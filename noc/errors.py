"""The two ways in which a request can fail, and the exit status of each."""

__all__ = ["CheckError", "InputError"]


class InputError(ValueError):
    """The user asked for something that does not exist or cannot be done: exit status 2.

    The message is one line that names the argument and says what is allowed.

    Parameters
    ----------
    message : str
        The line. Arguments stand in it as in Python: ``width=0``, or at its beginning ``root:``.
    arguments : str
        The names of those arguments; on the command line they are options.
    """

    def __init__(self, message: str, *arguments: str) -> None:
        super().__init__(message)
        self.arguments = arguments


class CheckError(AssertionError):
    """A result failed its own verification: exit status 1.

    Raised with ``raise``, never through ``assert``, so that it survives ``python -O``.
    """
