"""The exchange that a user asks for: a name, a file, or pairs of nodes."""

import json
from collections.abc import Iterable
from dataclasses import replace
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from noc.errors import InputError, option
from noc.networks import Network
from noc.options import ExchangeName
from noc.programs import operators
from noc.programs.forms import LOOP, words_form
from noc.trees.timetables import ALL_GATHER, LISTED, Exchange

#: A name, a file, or the nodes of each word.
Asked = str | PathLike[str] | Iterable[tuple[int | str, int | str]] | None


def read_exchange(network: Network, asked: Asked, root: int | str | None) -> Exchange:
    """Who has words for whom: by a name, perhaps with a root, or as a list or a file has it."""
    name, _, operator = asked.partition(":") if isinstance(asked, str) else ("", "", "")
    if asked is None or name in get_args(ExchangeName):
        exchange = check_operator(Exchange(name or ALL_GATHER.name, operator=operator))
        if exchange.adds and LOOP in (*network.in_ports, *network.out_ports):
            raise InputError(
                f"{option('exchange', str(exchange))}: {network.spec} has a port {LOOP!r}, and the "
                "one for sums is called so, too; rename it"
            )
    else:
        exchange = _listed(network, asked)
    if exchange.rooted:
        return replace(exchange, root=0 if root is None else network.node(root, argument="root"))
    if root is not None:
        raise InputError(
            f"{option('root', root)}: is for the ordered fabric, and in the timetable fabric for "
            f"{option('exchange', 'scatter')} and {option('exchange', 'gather')}"
        )
    return exchange


def check_operator(exchange: Exchange) -> Exchange:
    """Refuse an operator where nothing is added up, and one that is missing or takes cycles."""
    asked = option("exchange", str(exchange))
    if not exchange.adds:
        if exchange.operator:
            raise InputError(f"{asked}: adds no words up, and needs no operator")
        return exchange
    operators.check_operator(asked, exchange.name, exchange.operator)
    if operators.OPERATORS[exchange.operator].latency:
        raise InputError(f"{asked}: operators of the timetable fabric take no cycles")
    return exchange


def _listed(network: Network, asked: Any) -> Exchange:
    """The words of a file, or of pairs of nodes."""
    try:
        if isinstance(asked, str | PathLike):
            words = words_form(network).read(_read_json(Path(asked)))
        else:
            words = tuple(_read_pair(network, pair) for pair in asked)
        return Exchange(LISTED, words=words).check(network)
    except InputError as error:
        shown = option("exchange", asked) if isinstance(asked, str) else option("exchange")
        raise InputError(f"{shown}: {error.message}") from None
    except (TypeError, ValueError):
        raise InputError(f"{option('exchange')}: pairs of nodes are needed") from None


def _read_pair(network: Network, pair: Any) -> tuple[int, int]:
    source, target = (network.node(each if isinstance(each, str) else index(each)) for each in pair)
    return source, target


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        names = ", ".join(get_args(ExchangeName))
        raise InputError(f"{names}, or a file, are allowed ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise InputError("is no JSON") from None
