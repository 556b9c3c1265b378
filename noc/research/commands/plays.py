"""What ``noc steps`` plays, each like a module of a command."""

import argparse
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from noc.cli.output import Result

#: By the name that users type.
Plays = dict[str, Any]

_Run = Callable[[argparse.Namespace], Result]


def play(
    plays: Plays, example: str, configure: Callable[[argparse.ArgumentParser], None]
) -> Callable[[_Run], _Run]:
    """Decorate a play, whose docstring is its help: it is added under the name in its example."""

    def add(run: _Run) -> _Run:
        text, name = inspect.getdoc(run), example.split()[2]
        plays[name] = SimpleNamespace(
            __doc__=text, EXAMPLES=(example,), configure=configure, run=run
        )
        return run

    return add
