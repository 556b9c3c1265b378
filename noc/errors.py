"""The two ways in which a request can fail, and the exit status of each."""

__all__ = ["CheckError", "InputError"]


class InputError(ValueError):
    """The user asked for something that does not exist or cannot be done: exit status 2.

    The message is one line that names the argument and says what is allowed.
    """


class CheckError(AssertionError):
    """A result failed its own verification: exit status 1.

    Raised with ``raise``, never through ``assert``, so that it survives ``python -O``.
    """
