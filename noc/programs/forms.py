"""The forms of plans and configurations in the files of a folder.

They say what each value can be, and what the parts of one plan must agree on. What a whole network
must agree on is checked by whoever reads it.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from noc.networks import Network
from noc.programs.codec import (
    ANY,
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
    row,
    whole,
)
from noc.programs.config import MOST_QUEUE, RouterConfig
from noc.programs.joins import Join, JoinPlan
from noc.programs.operations import Operations
from noc.programs.ordered import Merge, NodePlan
from noc.programs.ordered_config import PLAIN, OrderedConfig
from noc.programs.round_table import OWN, Choice, Register, RoundTable, loop_of
from noc.programs.table import Entry, InPort, RouterTable
from noc.trees.tree import NO_PARENT

#: Weights and latencies, and bits of a code, that fit into the arrays of models.
_MOST, _MOST_BITS = 2**31 - 1, 31


def node_form(network: Network) -> Form[int]:
    """A node, by its label."""
    return Form(network.label, lambda label: network.node(TEXT.read(label)))


def port_form(labels: Sequence[str]) -> Form[int]:
    """One of the out-ports or in-ports of a network, by its label."""
    return choice({label: port for port, label in enumerate(labels)})


def group_form(operations: Operations) -> Form[int]:
    """A group whose words are joined, by its name."""
    return choice({operations.groups[group][0]: group for group in operations.joined_groups})


def direct_form(network: Network) -> Form[dict[str, Any]]:
    """The program of the direct fabric: what each of its modules does."""
    codes = listed(whole())
    arriving = Form(codes.write, lambda each: tuple(sorted(codes.read(each))))
    send = row({"port": port_form(network.out_ports), "code": whole()})
    entry = record(
        Entry,
        {
            "code": whole(),
            "deliver": FLAG,
            "sends": listed(send),
            "slice": Key(whole(), usual=0),
            "wait": Key(whole(), usual=0),
        },
    )
    table: Keys = {
        "code_bits": whole(0, _MOST_BITS),
        "own_codes": Key(codes, lambda table: tuple(entry.code for entry in table.own)),
        "in_ports": Key(
            named(port_form(network.in_ports), arriving),
            lambda table: {port.number: port.codes for port in table.in_ports},
        ),
        "codes": Key(listed(entry), "entries"),
    }
    keys: Keys = {
        "network": Key(TEXT, usual=network.spec, always=True),
        "algorithm": TEXT,
        "ports": choice({"all": "all", "one": "one"}),
        "states": Key(maybe(whole()), usual=None, always=True),
        "routers": named(TEXT, record(_table, table)),
    }
    return record(dict, keys)


def _table(
    code_bits: int,
    own_codes: tuple[int, ...],
    in_ports: dict[int, tuple[int, ...]],
    entries: tuple[Entry, ...],
) -> RouterTable:
    """A table by itself: not whether ports are used one after the other, nor where they lead."""
    rows = {entry.code: entry for entry in entries}
    if len(rows) < len(entries):
        raise FormError("a code has two rows in one router", ".codes")
    for place, entry in enumerate(entries):
        if entry.code >> code_bits:
            raise FormError.unlike(entry.code, f"of {code_bits} bits", f".codes[{place}].code")
    for code in own_codes:
        if code not in rows:
            raise FormError(f"code {code} has no row of its own", ".own_codes")
    own = [rows.pop(code) for code in dict.fromkeys(own_codes)]
    for code in (code for codes in in_ports.values() for code in codes):
        if code not in rows:
            raise FormError(f"code {code} comes on an in-port and has no row", ".in_ports")
    return RouterTable(
        one_port=False,
        code_bits=code_bits,
        entries=(*(rows[code] for code in sorted(rows)), *own),
        trees=len(own),
        in_ports=tuple(InPort(port, in_ports[port]) for port in sorted(in_ports)),
        out_bits=(),
    )


def ordered_form(network: Network, operations: Operations) -> Form[dict[str, Any]]:
    """The program of the ordered fabric: its trees, and what each of its modules does."""
    node, group = node_form(network), group_form(operations)
    above, children = maybe(node, NO_PARENT), listed(node)
    row: Keys = {
        "label": node,
        "module": TEXT,
        "up_to": above,
        "up_from": children,
        "down_from": above,
        "down_to": children,
        "most_waited": Key(maybe(whole(1)), usual=None, always=True),
        "join_from": Key(named(group, children), usual={}),
    }
    keys: Keys = {
        "network": Key(TEXT, usual=network.spec, always=True),
        "algorithm": TEXT,
        "root": node,
        "nodes": listed(record(dict, row)),
        "modules": named(TEXT, _plan_form(operations)),
    }
    return record(dict, keys)


_STREAMS = Key(listed(whole(), 2), attrgetter("first", "second"))
_MERGE = record(
    lambda streams, **others: Merge(*streams, **others),
    {"streams": _STREAMS, "weights": listed(whole(1, _MOST), 2), "slots": whole(0, 2)},
)
_JOIN = record(
    lambda streams, **others: Join(*streams, **others),
    {"streams": _STREAMS, "slots": whole(0, 2), "latency": Key(whole(0, _MOST), usual=0)},
)


def _join_plan(operands: tuple[Any, ...], waiting: int, joins: tuple[Join, ...]) -> JoinPlan:
    """What a module does for a group, whose number is not known yet."""
    own = "inject" in operands
    if waiting and not own:
        raise FormError("must be 0 where no own words are joined", ".waiting")
    if not operands:
        raise FormError("at least one is needed", ".operands")
    _check_pairs("joins", len(operands), joins)
    return JoinPlan(-1, own, waiting, len(operands) - own, joins)


def _check_pairs(key: str, streams: int, pairs: Sequence[Merge | Join]) -> None:
    """Refuse pairs of streams that do not make one stream of all."""
    left = set(range(streams))
    for place, pair in enumerate(pairs):
        if pair.first == pair.second or not {pair.first, pair.second} <= left:
            problem = f"streams {pair.first} and {pair.second} are not both to be had"
            raise FormError(problem, f".{key}[{place}]")
        left = left - {pair.first, pair.second} | {streams + place}
    if len(left) > 1:
        raise FormError(f"{len(left)} streams are left where one must go on", f".{key}")


_JOIN_PLAN = record(
    _join_plan,
    {
        "operands": Key(listed(ANY), lambda plan: (*["inject"] * plan.own, *range(plan.up))),
        "waiting": whole(0, MOST_QUEUE),
        "joins": listed(_JOIN),
    },
)


def _plan_form(operations: Operations) -> Form[NodePlan]:
    """What a module does; without joins where nothing can be joined."""
    by_group = named(group_form(operations), _JOIN_PLAN)
    joins = Form(
        lambda plans: by_group.write({plan.group: plan for plan in plans}),
        lambda each: tuple(replace(p, group=g) for g, p in sorted(by_group.read(each).items())),
    )

    def inputs(plan: NodePlan) -> tuple[str, ...]:
        results = [operations.groups[each.group][0] for each in plan.joins if plan.root]
        own = ["inject"] * plan.sends
        return *own, *(f"up_in_{n}" for n in range(plan.up)), *(f"joined {g}" for g in results)

    def outputs(plan: NodePlan) -> tuple[str, ...]:
        return *(f"down_out_{n}" for n in range(plan.down)), "eject"

    keys: Keys = {
        "inputs": Key(listed(TEXT), inputs),
        "merges": listed(_MERGE),
        "stored": FLAG,
        "down_slots": whole(0, 2),
        "outputs": Key(listed(TEXT), outputs),
        "drops_own_words": Key(FLAG, "drops"),
        "joins": Key(joins, usual=(), always=True),
        "stop_inputs": Key(whole(0), usual=0),
        "depth": Key(whole(0), usual=0),
        "turn_slots": Key(whole(0, 1), usual=0),
    }
    if operations.only_broadcast:
        del keys["joins"]
    return record(_node_plan, keys)


def _node_plan(
    inputs: tuple[str, ...],
    merges: tuple[Merge, ...],
    stored: bool,
    down_slots: int,
    outputs: tuple[str, ...],
    drops: bool,
    joins: tuple[JoinPlan, ...] = (),
    **others: int,
) -> NodePlan:
    # Only to the root no word comes down.
    sends, root = "inject" in inputs, down_slots == 0
    _check_pairs("merges", len(inputs), merges)
    up, down = len(inputs) - sends - len(joins) * root, len(outputs) - 1
    return NodePlan(sends, up, merges, stored, root, down, down_slots, drops, joins, **others)


def ordered_config_form(network: Network, operations: Operations) -> Form[OrderedConfig]:
    """How the ordered fabric is built; its bounds are those of the configuration itself."""
    node = node_form(network)
    links = listed(row({"from": node, "to": node, "registers": ANY}))
    registers_of = Form(
        lambda known: links.write(tuple((*ends, n) for ends, n in sorted(known.items()))),
        lambda known: {(start, end): count for start, end, count in links.read(known)},
    )
    keys: Keys = {
        "queue": ANY,
        "link_registers": ANY,
        "source_numbers": FLAG,
        "own_words": choice({"dropped": False, "returned": True}),
        "group_queue": Key(ANY, usual=PLAIN.group_queue, always=True),
        "void_words": Key(FLAG, usual=PLAIN.void_words),
        "stand_ins": Key(FLAG, usual=PLAIN.stand_ins),
        "watchdog": Key(ANY, usual=PLAIN.watchdog, always=True),
        "sinks": Key(ANY, usual=PLAIN.sinks),
        "sink_timeout": Key(ANY, usual=PLAIN.sink_timeout),
        "lookahead": Key(FLAG, usual=PLAIN.lookahead),
        "registers_of_links": Key(registers_of, "registers_of", usual={}),
    }
    if operations.only_broadcast:
        del keys["group_queue"], keys["void_words"], keys["stand_ins"], keys["watchdog"]
    return record(OrderedConfig, keys)


#: Likewise that of the direct fabric.
ROUTER_CONFIG = record(
    RouterConfig,
    {
        each.name: Key(ANY, usual=each.default, always=each.name not in ("sinks", "survive"))
        for each in fields(RouterConfig)
    },
)


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
    phases = listed(maybe(_one_or_sum(register)))
    send = row({"port": choice(out_ports), "phases": phases})
    table: Keys = {
        "round": whole(1),
        "in_ports": listed(choice(in_ports)),
        "sends": listed(send),
        "takes": Key(maybe(listed(listed(FLAG))), usual=None),
        "waits": Key(maybe(listed(listed(whole()))), usual=None),
    }
    keys: Keys = {
        "network": Key(TEXT, usual=network.spec, always=True),
        "routers": named(TEXT, record(_round_table, table)),
    }
    return record(dict, keys)


def words_form(network: Network) -> Form[tuple[tuple[int, int], ...]]:
    """The words of an exchange that lists them: the nodes of each."""
    return listed(row(dict.fromkeys(("from", "to"), node_form(network))))


def _one_or_sum(register: Form[Register]) -> Form[Choice]:
    """A word, or where words are added up a list of some."""
    several = listed(register)
    return Form(
        lambda each: (
            register.write(each) if isinstance(each, Register) else several.write(each or ())
        ),
        lambda each: several.read(each) if isinstance(each, list) else register.read(each),
    )


def _round_table(**parts: Any) -> RoundTable:
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
