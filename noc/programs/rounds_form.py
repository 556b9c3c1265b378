"""The form of the program of the timetable fabric in the files of a folder."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from noc.networks import Network
from noc.programs.codec import (
    FLAG,
    TEXT,
    Form,
    FormError,
    Key,
    Keys,
    choice,
    listed,
    maybe,
    named,
    record,
    whole,
)
from noc.programs.forms import node_form
from noc.programs.round_table import OWN, Choice, Register, RoundTable, loop_of

#: No word is kept for so many cycles.
_OLDEST = 1 << 24

#: In place of the port of a link: the loop, by which a node sends a sum to itself.
LOOP = "sum"


def name_port(labels: Sequence[str], port: int) -> str:
    """The label of a port, or of the loop behind them."""
    return labels[port] if port < len(labels) else LOOP


def rounds_form(network: Network) -> Form[dict[str, Any]]:
    """The routers by name, each with what it sends in which phase."""
    in_ports, out_ports = (
        {label: port for port, label in enumerate(labels)} | {LOOP: loop_of(network)}
        for labels in (network.in_ports, network.out_ports)
    )
    register = record(
        Register,
        {"in_port": maybe(choice(in_ports), OWN), "age": whole(0, _OLDEST)},
    )
    send = record(
        lambda port, phases: (port, phases),
        {
            "port": Key(choice(out_ports), itemgetter(0)),
            "phases": Key(listed(maybe(_one_or_sum(register))), itemgetter(1)),
        },
    )
    table: Keys = {
        "round": whole(1),
        "in_ports": listed(choice(in_ports)),
        "sends": listed(send),
        "takes": Key(maybe(listed(listed(FLAG))), usual=None),
        "waits": Key(maybe(listed(listed(whole()))), usual=None),
    }
    keys: Keys = {
        "network": Key(TEXT, usual=network.spec, always=True),
        "routers": named(TEXT, record(_table, table)),
    }
    return record(dict, keys)


def words_form(network: Network) -> Form[tuple[tuple[int, int], ...]]:
    """The words of an exchange that lists them: the nodes of each."""
    ends: Keys = {
        "from": Key(node_form(network), itemgetter(0)),
        "to": Key(node_form(network), itemgetter(1)),
    }
    return listed(record(lambda **word: (word["from"], word["to"]), ends))


def _one_or_sum(register: Form[Register]) -> Form[Choice]:
    """A word, or where words are added up a list of some."""
    several = listed(register)
    return Form(
        lambda each: (
            register.write(each) if isinstance(each, Register) else several.write(each or ())
        ),
        lambda each: several.read(each) if isinstance(each, list) else register.read(each),
    )


def _table(**parts: Any) -> RoundTable:
    """A table by itself: not where its words come from."""
    table = RoundTable(**parts)
    if any(len(phases) != table.round for _, phases in table.sends):
        raise FormError(f"every port that is used needs {table.round} phases", ".sends")
    ports = [port for port, _ in table.sends]
    if sorted(set(ports)) != ports:
        raise FormError("each port once, in their order, is needed", ".sends")
    sums = [each for _, phases in table.sends for each in phases if each is not None]
    if any(isinstance(each, Register) == table.adds or not each for each in sums):
        raise FormError("where words are added up lists of some are needed", ".sends")
    if table.adds and any(list(each or ()) != sorted({*(each or ())}) for each in sums):
        raise FormError("a sum has each word once, own ones first, then by in-port", ".sends")
    if table.adds and not all(any(phases) for _, phases in table.sends):
        raise FormError("a port that sends nothing must be left out", ".sends")
    if table.waits is not None:
        if table.takes is None:
            raise FormError("is missing", ".takes")
        if [len(phases) for phases in table.waits] != [table.round] * len(table.inject_lanes):
            raise FormError(f"every port of own words needs {table.round} phases", ".waits")
        for port, waits in zip(table.inject_lanes, table.waits, strict=True):
            if any(
                wait and not gives for wait, gives in zip(waits, table.gives(port), strict=True)
            ):
                raise FormError("must be 0 in phases in which no word is taken", ".waits")
    if table.takes is None:
        for name in ("sends", "in_ports"):
            if not getattr(table, name):
                raise FormError("at least one is needed", f".{name}")
    elif [len(phases) for phases in table.takes] != [table.round] * len(table.in_ports):
        raise FormError(f"every in-port needs {table.round} phases", ".takes")
    return table
